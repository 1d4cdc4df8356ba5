"""The last check that passed, remembered: nothing is judged again while nothing has changed.

What is kept is the printed report of a whole check, beside everything it depended on: the program's own
files, the interpreter and its packages, the configuration, the lists of pages, claims files and glob
matches, the files that git lists where they are searched for old values, the evidence that it ignores, and
for every file, those that records name, lock files, searched ones and those of readers from outside too, its
size, identity and times of change. A run that differs in any of these, or in what was asked, is checked
anew. Only checks that passed are kept: what failed is about to change.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stilltrue.days import day_of
from stilltrue.discover import digest_of, find_files, find_pages
from stilltrue.errors import InputError
from stilltrue.files import claims_files, expand
from stilltrue.root import OWN_FILE, SHARED_FILE
from stilltrue.workspace import FOLDER, workspace, write_whole

if TYPE_CHECKING:
    from stilltrue.check import Trail
    from stilltrue.config import Config
    from stilltrue.evidence import Inputs

_SETTLED_S = 2.0
"""How old every input must be: a file changed within its clock's tick could change again unseen."""

_Stamp = list[int] | None
"""Size, inode, time of change and time of the inode's change in ns (on Windows, of its making); None where
there is no file."""


class Cache:
    """The remembered report of one way of asking.

    Args:
        root: The project's root.
        asked: What was asked: a short file name's worth of format and colour.
    """

    def __init__(self, root: Path, asked: str) -> None:
        self.root = root
        self.file = root / FOLDER / f"check-{asked}.json"

    def find(self) -> str | None:
        """The report as it was printed, when nothing has changed since; None otherwise."""
        try:
            if self.file.parent.is_symlink() or not self.file.is_file():
                return None
            kept = json.loads(self.file.read_bytes())
            same = kept["program"] == _program(now()) and self._unchanged(kept)
            report = kept["report"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError):
            return None
        return report if same and isinstance(report, str) else None

    def refused(self) -> bool | None:
        """Whether the cache may not be used because git tracks it: then it came with the project.

        Returns:
            None where git cannot tell.
        """
        if not (self.root / FOLDER).exists():
            return False
        from stilltrue.git import tracks_workspace  # noqa: PLC0415  # only where there is a cache to ask about

        return tracks_workspace(self.root)

    def keep(self, config: Config, inputs: Inputs, trail: Trail, report: str, started: float) -> None:
        """Remember the report of a check that passed.

        Args:
            config: The configuration it ran with.
            inputs: What its library read.
            trail: What else it depended on.
            report: What was printed.
            started: When the check began, in seconds since the epoch: what changed later is not kept.
        """
        pages = find_pages(config.root, config.pages, config.exclude)
        sources = claims_files(config.root, config.claims)
        read = (*pages, *sources, *inputs.files, *inputs.readers, *trail.files)
        stamps = _stamps(self.root, (OWN_FILE, SHARED_FILE, *read))
        if any(stamp and max(stamp[2:]) > (started - _SETTLED_S) * 1e9 for stamp in stamps.values()):
            return
        kept = {
            "program": _program(started),
            "head": trail.head,
            "listing": trail.listing,
            "evidence": list(trail.evidence),
            "ignored": list(trail.ignored),
            "look": [list(config.pages), list(config.exclude), config.claims],
            "pages": list(pages),
            "sources": list(sources),
            "globs": [[pattern, list(names)] for pattern, names in (*inputs.globs, *trail.globs.items())],
            "stamps": stamps,
            "report": report,
        }
        with contextlib.suppress(InputError):  # a cache that cannot be written is no reason to fail
            workspace(self.root)
            write_whole(self.file, json.dumps(kept).encode("utf-8"))

    def _unchanged(self, kept: dict[str, Any]) -> bool:
        pages, exclude, claims = kept["look"]
        head: str | None = kept["head"]
        listing: str | None = kept["listing"]
        return (
            _stamps(self.root, kept["stamps"]) == kept["stamps"]
            and list(find_pages(self.root, pages, exclude)) == kept["pages"]
            and list(claims_files(self.root, claims)) == kept["sources"]
            and all(list(expand(self.root, pattern)) == names for pattern, names in kept["globs"])
            and (head is None or head == _head(self.root))
            and (listing is None or listing == _listing(self.root))
            and list(_left_out(self.root, kept["evidence"])) == kept["ignored"]
        )


def _head(root: Path) -> str:
    from stilltrue.git import head  # noqa: PLC0415  # only where the report depended on it

    return head(root)


def _listing(root: Path) -> str:
    """What stands for the list of the project's files: a new one may hold a stale copy."""
    from stilltrue.git import listed_files  # noqa: PLC0415  # only where the report depended on it

    return digest_of(listed_files(root) or find_files(root))


def _left_out(root: Path, evidence: list[str]) -> tuple[str, ...]:
    from stilltrue.git import left_out  # noqa: PLC0415  # only where everything else is as it was

    return left_out(root, evidence)


def now() -> float:
    """Seconds since the epoch, by the clock that files are stamped with."""
    return time.time()


def _program(moment: float) -> list[Any]:
    """What the program itself is made of: its files, the interpreter, and the packages beside it.

    The day of `moment` is part of it, since what a claim is valid for depends on it.
    """
    package = Path(__file__).parent
    newest, size, count = 0, 0, 0
    for folder, _, names in os.walk(package):
        for name in names:
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118  # sixty files at every start
                newest, size, count = max(newest, status.st_mtime_ns), size + status.st_size, count + 1
    packages = [_stamp(path) for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    return [
        str(package),
        newest,
        size,
        count,
        sys.version,
        packages,
        day_of(moment),
    ]


def _stamps(root: Path, names: Iterable[str]) -> dict[str, _Stamp]:
    # Thousands of files: a Path for each costs more than the look.
    return {name: _stamp(os.path.join(root, name)) for name in names}  # noqa: PTH118  # as above


def _stamp(path: str) -> _Stamp:
    try:
        status = os.stat(path)  # noqa: PTH116  # as in `_stamps`
    except OSError:
        return None
    return [status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]
