"""What `stilltrue pages` has written into a docs folder, as the listing there says."""

from __future__ import annotations

import filecmp
import json
from collections.abc import Iterable
from pathlib import Path

from stilltrue.site.generated import LISTING, is_generated_name
from stilltrue.site.stubs import is_stub

_FORMAT = 1


def listing(names: Iterable[str]) -> bytes:
    """The listing of some files."""
    return (json.dumps({"format": _FORMAT, "files": sorted(names)}, indent=1) + "\n").encode("ascii")


def placed_names(docs: str | Path) -> tuple[str, ...]:
    """The files that a docs folder's listing names; none where there is no listing that can be read.

    A listing may come with a pull request: what could not be generated is never taken for it.
    """
    try:
        kept = json.loads((Path(docs) / LISTING).read_bytes())
        names = [name for name in kept["files"] if isinstance(name, str)]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()
    return tuple(name for name in names if is_generated_name(name) and ".." not in name.split("/"))


def is_placed(path: Path) -> bool:
    """Whether a file that the listing names is still what was written: a page of one's own is no stub."""
    if path.suffix != ".md":
        return True
    try:
        return is_stub(path.read_bytes())
    except OSError:
        return True


def same_content(path: Path, content: bytes | Path) -> bool:
    """Whether a file is there and holds some bytes, or what another file holds."""
    try:
        if not path.is_file():
            return False
        if isinstance(content, bytes):
            return path.read_bytes() == content
        return filecmp.cmp(path, content, shallow=False)
    except OSError:
        return False
