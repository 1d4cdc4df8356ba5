"""The block of metadata in a script's comments, as PEP 723 defines it, in `#` or `//` comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stilltrue.errors import InputError
from stilltrue.toml import TomlError, parse

LIMIT = 1 << 16
"""How many characters a block may have: TOML is read slowly, and every page of the site asks for it."""

KIND = "script"
"""The one kind of block that says how a script is run."""

_MARKS = ("#", "//")
_NEAR = re.compile(r"(?:#|//|--|;)\s*/{2,}\s*script\b", re.IGNORECASE)
_SHOWN = '`# /// script`, then `# [tool.stilltrue]` and `# writes = "…"`, then `# ///`'


@dataclass(frozen=True, slots=True)
class Block:
    """A block's content.

    Attributes:
        toml: Its text, the comment marks taken away.
        line: The line of the file that its first line is, from 1.
    """

    toml: str
    line: int


def decoded(data: bytes) -> str:
    """A script's text with LF line ends, without a byte order mark.

    Raises:
        InputError: `bad-header`: it is not UTF-8.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("bad-header", "the script is not UTF-8", "save it as UTF-8", line=line) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def find_block(text: str) -> Block | None:
    """The `script` block of a text from `decoded`; None where there is none.

    Raises:
        InputError: `bad-header`: there are two, or the only one is not closed.
    """
    lines = text.split("\n")
    found = [block for mark in _MARKS for block in _blocks(lines, mark)]
    if len(found) > 1:
        raise InputError(
            "bad-header", "there are two blocks `/// script`", "keep one of them", line=found[1].line - 1
        )
    if found:
        return found[0]
    for number, line in enumerate(lines, start=1):
        if line in (f"# /// {KIND}", f"// /// {KIND}"):
            mark = line.partition(" ")[0]
            raise InputError(
                "bad-header",
                "the block `/// script` is empty or not closed",
                f"let every line of it begin with `{mark}` and a space, and the last be `{mark} ///`",
                line=number,
            )
    return None


def required_block(text: str) -> Block:
    """As `find_block`.

    Raises:
        InputError: As `find_block`; also `no-header` where there is none.
    """
    block = find_block(text)
    if block is None:
        near = next((n for n, line in enumerate(text.split("\n"), start=1) if _NEAR.match(line.lstrip())), 0)
        hint = f"begin it with {_SHOWN}"
        if near:
            hint = f"line {near} must be `# /// script` exactly; see the page of probes"
        raise InputError("no-header", "the script says nothing of what it writes", hint, line=near)
    return block


def parse_block(block: Block) -> dict[str, Any]:
    """What a block holds.

    Raises:
        InputError: `bad-header`: it is no TOML.
    """
    if len(block.toml) > LIMIT:
        what = f"the header is longer than {LIMIT:,} characters"
        raise InputError("bad-header", what, "let the script itself hold what it needs", line=block.line)
    try:
        return parse(block.toml)
    except TomlError as error:
        if error.fault == "deep":
            what, hint = "the header is nested too deep", "write it flatter"
        else:
            what, hint = f"the header is not valid TOML: {error.plain}", "mend it"
        line = block.line + max(error.line - 1, 0)
        raise InputError("bad-header", what, hint, line=line) from None


def _blocks(lines: list[str], mark: str) -> Iterator[Block]:
    """The closed `script` blocks whose lines begin with `mark`.

    A block ends at the last closing line of the comment that it stands in, as in PEP 723's own pattern.
    """
    opening, closing = re.compile(rf"{re.escape(mark)} /// ([a-zA-Z0-9-]+)"), f"{mark} ///"
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and (lines[end] == mark or lines[end].startswith(f"{mark} ")):
            end += 1
        last = next((n for n in range(end - 1, at - 1, -1) if lines[n] == closing), -1)
        for start in range(at, last - 1):
            if match := opening.fullmatch(lines[start]):
                if match[1] == KIND:
                    content = [line[len(mark) + 1 :] for line in lines[start + 1 : last]]
                    yield Block("\n".join(content) + "\n", start + 2)
                break
        at = end + 1
