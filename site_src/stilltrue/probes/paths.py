"""Which files a probe may write and read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.files import PROVENANCE_SUFFIX, join
from stilltrue.globs import Glob, is_glob


def checked_writes(root: Path, written: Sequence[str], evidence: str) -> tuple[str, ...]:
    """The evidence files of a header, from the root.

    Args:
        root: The repository's root, resolved.
        written: The paths as written.
        evidence: The evidence folder, from the root.

    Raises:
        InputError: `bad-writes`: a path is not inside the evidence folder, leads through a link, is a
            folder, a glob, a provenance record, or stands there twice.
    """
    writes = tuple(_write(root, path, evidence) for path in written)
    for number, path in enumerate(writes):
        if path in writes[:number]:
            raise _bad(f"`{path}` stands in `writes` twice", "keep one of the two")
        inside = next((other for other in writes if other.startswith(f"{path}/")), "")
        if inside:
            raise _bad(f"`{path}` would be a file and, for `{inside}`, a folder", "give one another name")
    return writes


def checked_reads(written: Sequence[str], writes: Sequence[str]) -> tuple[str, ...]:
    """The declared inputs of a header, paths or globs from the root.

    Raises:
        InputError: `bad-writes`: an input is what the probe itself writes; `bad-path`: it is no path inside
            the repository.
    """
    reads = tuple(dict.fromkeys(join("", path) for path in written))
    for read in reads:
        fits = Glob(read).matches if is_glob(read) else read.__eq__
        own = next((path for path in writes if fits(path)), "")
        if own:
            raise _bad(
                f"the probe writes `{own}` and reads it too", "read another file, or take it out of `reads`"
            )
    return reads


def _write(root: Path, written: str, evidence: str) -> str:
    hint = f"name a file below `{evidence}/`"
    if ".." in written.split("/"):
        raise _bad(f"`{written}` in `writes` holds `..`", hint)
    try:
        path = join("", written)
    except InputError as error:
        raise _bad(f"{error.message} (in `writes`)", hint) from None
    if not path.startswith(f"{evidence}/"):
        raise _bad(f"`{path}` in `writes` is not inside the evidence folder", hint)
    if is_glob(path):
        raise _bad(f"`{path}` in `writes` holds a sign of globs", "give each file a name")
    if path.endswith(PROVENANCE_SUFFIX):
        raise _bad(f"`{path}` in `writes` is a record of provenance", "records are written by `stilltrue`")
    _refuse_links(root, path)
    return path


def _refuse_links(root: Path, path: str) -> None:
    """Evidence is written where it says, not where a link leads.

    Raises:
        InputError: `bad-writes`: the file or a folder on its way is a link, or no file and no folder.
    """
    names = path.split("/")
    for count in range(1, len(names) + 1):
        part = "/".join(names[:count])
        place = root / part
        if place.is_symlink():
            raise _bad(f"`{part}` in `writes` is a link", "replace the link by what it leads to")
        if not os.path.lexists(place):
            return
        is_last = count == len(names)
        if not (place.is_file() if is_last else place.is_dir()):
            what = "no regular file" if is_last else "no folder"
            raise _bad(f"`{part}` in `writes` is {what}", "give the evidence another path")


def _bad(message: str, hint: str) -> InputError:
    return InputError("bad-writes", message, hint)
