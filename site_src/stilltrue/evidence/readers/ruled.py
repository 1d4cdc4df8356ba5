"""Tables as profilers print them: a rule of dashes below the headings says where each column stands."""

from __future__ import annotations

import re

_DASHES = re.compile(r"-+")

Spans = tuple[tuple[int, int], ...]
"""Where each column begins and ends in a line."""


def spans(rule: str) -> Spans:
    """The columns of a rule: `-----  ---` has two."""
    return tuple(found.span() for found in _DASHES.finditer(rule))


def ruled(line: str, columns: Spans) -> list[str] | None:
    """The cells of a line, without the blanks around them; None where something stands beside the columns."""
    cells, at = [], 0
    for start, end in columns:
        if line[at:start].strip():
            return None
        cells.append(line[start:end].strip())
        at = end
    return None if line[at:].strip() else cells
