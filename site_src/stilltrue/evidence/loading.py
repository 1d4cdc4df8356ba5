"""From a path to bytes, unpacked, and from there to text: decoded, with LF line ends."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from stilltrue import files
from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence import terminal
from stilltrue.evidence.lines import Lines
from stilltrue.evidence.unpack import SUFFIXES, unpack

_WIDE = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_BOM = b"\xef\xbb\xbf"
_POINTERS = {
    b"version https://git-lfs.github.com/spec/": ("Git LFS", "git lfs pull"),
    b"/annex/objects/": ("git-annex", "git annex get"),
}
"""How a file begins that stands for one which is kept elsewhere, and what fetches that."""


class Content:
    """What one evidence file holds.

    Attributes:
        path: The file, from the root.
        name: The path without a suffix of compression, by which formats are told apart.
        data: Its bytes, unpacked.

    Asking for any text of it raises `InputError` where it is none: `not-text`.
    """

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.name = path.removesuffix(SUFFIXES[0]).removesuffix(SUFFIXES[1]).lower()
        self.data = data

    @property
    def is_text(self) -> bool:
        """Whether it is UTF-8 text."""
        try:
            return self.plain is not None
        except InputError:
            return False

    @cached_property
    def plain(self) -> bytes:
        """UTF-8 with LF line ends, carriage returns within lines kept."""
        return _as_text(self.data, self.path)

    @cached_property
    def shown(self) -> bytes:
        """As a terminal would leave it: what text is matched in, and what an evidence page shows."""
        return terminal.shown(self.plain)

    @cached_property
    def lines(self) -> Lines:
        """The lines of `shown`."""
        return Lines(self.shown)

    @cached_property
    def shown_text(self) -> str:
        """`shown`, decoded."""
        return self.shown.decode("utf-8")

    @cached_property
    def text(self) -> str:
        """`plain` without ANSI codes, decoded: what trees are parsed from."""
        return terminal.without_codes(self.plain).decode("utf-8")

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.data)


def load(config: Config, path: str, deadline: Deadline, instead: Path | None = None) -> Content:
    """Reads one evidence file.

    Args:
        config: The root that `path` starts at, and the limits.
        path: The file, from the root.
        deadline: When reading it takes too long.
        instead: The file to read in its place; what it holds counts as that of `path`.

    Raises:
        InputError: As `files.read_bytes`; also when it is empty, a pointer to a file that was not fetched,
            too large or too slow to unpack, or damaged.
    """
    root, name = (config.root, path) if instead is None else (instead.parent.resolve(), instead.name)
    data = unpack(files.read_bytes(root, name, config.limits.bytes), config.limits.bytes, deadline)
    unmarked = data.removeprefix(_BOM)
    if not unmarked or unmarked.isspace():
        what = "holds nothing but white space" if data else "is empty"
        raise InputError("empty-file", f"`{path}` {what}", "take the evidence again", path=path)
    _refuse_pointer(path, unmarked)
    return Content(path, data)


def _refuse_pointer(path: str, data: bytes) -> None:
    """What stands in a clone for a file that was not fetched holds nothing of it."""
    for start, (tool, fetch) in _POINTERS.items():
        if data.startswith(start):
            message = f"`{path}` is a pointer of {tool}: the file itself was not fetched"
            raise InputError("not-fetched", message, f"run `{fetch}`, in CI too", path=path, line=1)


def text_of(config: Config, path: str) -> str:
    """An evidence file's text as its lines are counted: unpacked, decoded, as a terminal would leave it.

    Raises:
        InputError: As `load`; also when it is no UTF-8 text.
    """
    return load(config, path, Deadline(config.limits.seconds)).shown_text


def _as_text(data: bytes, path: str) -> bytes:
    """The same text with LF line ends and without a byte order mark, once it is known to be UTF-8."""
    for mark, encoding in _WIDE.items():
        if data.startswith(mark):
            raise _wide(path, f"is {encoding}", encoding)
    if b"\0" in data:
        raise _nul(data, path)
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _undecodable(data, path, error.start) from None
    data = data.removeprefix(_BOM)
    return data.replace(b"\r\n", b"\n") if b"\r\n" in data else data


def _nul(data: bytes, path: str) -> InputError:
    """Zeros in every second place are UTF-16 without its mark; anything else is binary."""
    head = data[:400]
    if head.count(0) * 3 > len(head) and any(head[::2]) != any(head[1::2]):
        return _wide(path, "looks like UTF-16", "UTF-16")
    offset = data.index(0)
    line = data.count(b"\n", 0, offset) + 1
    return InputError(
        "not-text",
        f"`{path}` is binary: a NUL byte at offset {offset:,}",
        "name a text file, or print what it holds as text and keep that as evidence",
        path=path,
        line=line,
    )


def _wide(path: str, what: str, encoding: str) -> InputError:
    return InputError(
        "not-text",
        f"`{path}` {what}, and evidence is read as UTF-8",
        f"convert it once: `iconv -f {encoding} -t UTF-8`",
        path=path,
        line=1,
    )


def _undecodable(data: bytes, path: str, offset: int) -> InputError:
    return InputError(
        "not-text",
        f"`{path}` is not UTF-8: byte 0x{data[offset]:02x} at offset {offset:,}",
        "convert it to UTF-8, or name a text file",
        path=path,
        line=data.count(b"\n", 0, offset) + 1,
    )
