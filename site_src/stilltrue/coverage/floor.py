"""The floor raised to what is bound today: one number in the configuration, every other byte kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from stilltrue.config import Config
from stilltrue.coverage.outcome import percent
from stilltrue.errors import InputError, UsageError
from stilltrue.files import read_bytes
from stilltrue.git import refuse_tracked_workspace
from stilltrue.root import OWN_FILE
from stilltrue.toml import TomlError, parse
from stilltrue.transaction import held, write_all

_FLOOR = re.compile(r"""(?<![\w-])(["']?)floor\1[ \t]*=[ \t]*(?P<value>"[^"\n]*"|'[^'\n]*')""")
_SECTION = re.compile(r"^[ \t]*\[[ \t]*(?:tool\.stilltrue\.)?coverage[ \t]*\][^\n]*\n?", re.MULTILINE)
_INLINE = re.compile(r"^[ \t]*(?:tool\.stilltrue\.)?coverage[ \t]*=[ \t]*\{", re.MULTILINE)
_OURS = re.compile(r"^[ \t]*\[[ \t]*tool\.stilltrue[ \t]*\][^\n]*\n?", re.MULTILINE)


def raised(config: Config, share: Fraction) -> str:
    """Write the floor up to a share, rounded down to one decimal; it is never lowered.

    Args:
        config: The project.
        share: What is bound today, of 1.

    Returns:
        The new floor; empty where the old one is as high.

    Raises:
        UsageError: It cannot be told where in the configuration the floor goes; the hint says what to write;
            or git tracks what is kept between runs.
        InputError: The file cannot be read or written.
    """
    wanted = percent(share)
    if config.coverage.floor is not None and Fraction(int(share * 1000), 1000) <= config.coverage.floor:
        return ""
    source = config.source or OWN_FILE
    refuse_tracked_workspace(config.root)
    with held(config.root, (source,)):
        write_all(config.root, {source: _with_floor(config, source, wanted).encode("utf-8")})
    return wanted


def _with_floor(config: Config, source: str, wanted: str) -> str:
    text = _read(config, source)
    path = () if source == OWN_FILE else ("tool", "stilltrue")
    after = _rewritten(text, wanted, (*path, "coverage", "floor"))
    if after is None:
        hint = f'write `coverage = {{floor = "{wanted}"}}` there yourself'
        raise UsageError("the place of the floor cannot be told", hint, code="config", place=source)
    return after


def _read(config: Config, source: str) -> str:
    if not Path(config.root, source).exists():
        return ""
    try:
        return read_bytes(config.root, source, config.limits.bytes).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("not-utf8", "the file is not UTF-8", "save it as UTF-8", path=source) from None


def _rewritten(text: str, floor: str, path: tuple[str, ...]) -> str | None:
    """The text with the floor in it; None where no edit changes the floor and nothing else."""
    wanted = _with(_parsed(text), path, floor)
    return next((after for after in _edits(text, floor, path) if _parsed(after) == wanted), None)


def _edits(text: str, floor: str, path: tuple[str, ...]) -> Iterator[str]:
    """What the text may become: the floor replaced, else written into its table, else a table of its own."""
    for found in _FLOOR.finditer(text):
        quote = found["value"][0]
        yield f"{text[: found.start('value')]}{quote}{floor}{quote}{text[found.end('value') :]}"
    for found in _SECTION.finditer(text):
        yield _with_line(text, found.end(), f'floor = "{floor}"')
    for found in _INLINE.finditer(text):
        empty = text[found.end() :].lstrip(" \t").startswith("}")
        yield f'{text[: found.end()]}floor = "{floor}"{"" if empty else ", "}{text[found.end() :]}'
    line = f'coverage = {{floor = "{floor}"}}'
    if path[0] == "coverage":  # a file of our own, where keys stand before all tables
        yield _with_line(text, 0, line)
    for found in _OURS.finditer(text):
        yield _with_line(text, found.end(), line)


def _with_line(text: str, at: int, line: str) -> str:
    """The text with a line more, where one begins or where the text ends."""
    end = "\r\n" if "\r\n" in text else "\n"
    before = text[:at]
    return f"{before}{end if before and before[-1] != chr(10) else ''}{line}{end}{text[at:]}"


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return parse(text)
    except TomlError:
        return None


def _with(data: dict[str, Any] | None, path: tuple[str, ...], value: str) -> dict[str, Any] | None:
    """A copy of nested tables in which one value is another one."""
    if data is None:
        return None
    first, *rest = path
    if not rest:
        return {**data, first: value}
    inner = data.get(first, {})
    return {**data, first: _with(inner if isinstance(inner, dict) else {}, tuple(rest), value)}
