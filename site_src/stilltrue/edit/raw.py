"""A quantity exchanged in Markdown as it is written, all marks around and inside it kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from stilltrue.edit.rewording import Rewording

_BLANKS = "&(?:nbsp|ensp|emsp|thinsp|#160|#8239|#xa0|#x202f);"
_BLANK = rf"(?:\s|{_BLANKS})+"
_MOST_TRIES = 60
_PADDED = 2
"""So many blanks at one side are there to keep a column's width."""


def exchanged(raw: str, rewording: Rewording, shown: Callable[[str], str]) -> str | None:
    """The raw text with a quantity in it exchanged, None where it cannot be found there.

    Args:
        raw: The text as it is written.
        rewording: What a reader sees of it, and is to see.
        shown: What a reader sees of a raw text.
    """
    if rewording.old == rewording.new:
        return None
    for tried, written in enumerate(_candidates(raw, 0, rewording.pieces)):
        if tried >= _MOST_TRIES:
            return None
        if shown(written) == rewording.new:
            return written
    return None


def _candidates(raw: str, start: int, pieces: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """The raw text with each piece exchanged where it occurs, one behind the other."""
    if not pieces:
        yield raw
        return
    (old, new), *rest = pieces
    for found in _pattern(old).finditer(raw, start):
        written = _like(new, found[0])
        exchanged_here = raw[: found.start()] + written + raw[found.end() :]
        yield from _candidates(exchanged_here, found.start() + len(written), tuple(rest))


def _pattern(text: str) -> re.Pattern[str]:
    """How a text may be written: blanks of any kind, and signs escaped."""
    signs = (_BLANK if sign.isspace() else _escaped(sign) for sign in " ".join(text.split()))
    return re.compile("".join(signs))


def _escaped(sign: str) -> str:
    return re.escape(sign) if sign.isalnum() else rf"\\?{re.escape(sign)}"


def _like(new: str, old: str) -> str:
    """A new text with the kind of blank that the old one was written with."""
    blank = re.search(_BLANK, old)
    return re.sub(r"\s+", lambda _: blank[0], new) if blank else new


def fitted(cell: str, core: str, column: Sequence[str]) -> str:
    """A table's cell, its text exchanged; blanks are given or taken where the column has room.

    Args:
        cell: The cell between its pipes, blanks included.
        core: Its new text.
        column: All cells of its column, the header's and the separator's first.
    """
    before = len(cell) - len(cell.lstrip(" "))
    after = len(cell) - len(cell.rstrip(" "))
    header, _, *body = map(len, column)
    aligned = len({header, *body}) == 1 or (len(body) > 1 and len(set(body)) == 1)
    if not aligned and max(before, after) < _PADDED:
        return " " * before + core + " " * after
    room = len(cell) - len(core)
    rule = column[1].strip()
    if (rule.endswith(":") and not rule.startswith(":")) or before > after:
        kept = min(after, max(room - min(before, 1), min(after, 1)))
        return " " * max(room - kept, min(before, 1)) + core + " " * kept
    kept = min(before, max(room - min(after, 1), min(before, 1)))
    return " " * kept + core + " " * max(room - kept, min(after, 1))
