"""What one row of Markdown begins with: marks of containers, headings, rules, boxes, definitions."""

from __future__ import annotations

import re

_SPACES = re.compile(r" *")
QUOTE = re.compile(r" {0,3}> ?")
ITEM = re.compile(r" {0,3}(?:[-*+]|\d+\.) +")
RULE = re.compile(r" {0,3}([-_*])(?: {0,2}\1){2,} *$")
UNDERLINE = re.compile(r"(?:=+|-+) *$")
HEADING = re.compile(r"#")
TITLED = re.compile(
    r"""(?:!!![ ]?[\w-]+(?:[ ]+[\w-]+)*(?:[ ]+"(.*?)")?
      |\?\?\?\+?[ ]?(?:(?:[\w-]+(?:[ ]+[\w-]+)*?)?[ ]+"(.*?)"|[\w-]+(?:[ ]+[\w-]+)*?)
      |===(?:\+!?|!\+?)?[ ]+"(.*?)")[ ]*$""",
    re.VERBOSE,
)
NOTE = re.compile(r" {0,3}\[\^[^\]]*\]:[ ]*")
TERM = re.compile(r" {0,3}: {1,3}(?=\S)")
REFERENCE = re.compile(r""" {0,3}\[([^\[\]]*)\]: *(\S+) *(?:(["']).*\3|\(.*\))? *$""")
ABBREVIATION = re.compile(r" {0,3}\*\[[^\]]*\]:")
TABLE_LINE = re.compile(r" {0,3}\|?(?: *:?-+:? *\|)* *:?-+:? *\|? *$")
INTERESTING = frozenset(" >-*+_=#!?[:0123456789")
"""What the first character of a row can be when the row is more than text."""


def may_be_held(rows: list[tuple[int, str]], at: int) -> bool:
    """Whether a plain viewer may show an indented row as part of a list item or a box above it."""
    limit = _column(rows[at][1])
    low = limit
    for number in range(at - 1, max(-1, at - 400), -1):
        text = rows[number][1]
        column = _column(text)
        if not text.strip(" ") or column >= low:
            continue
        marker = ITEM.match(text, column) or NOTE.match(text, column) or TERM.match(text, column)
        if marker is not None or TITLED.match(text, column):
            width = marker.end() - column if marker and not NOTE.match(text, column) else 4
            if limit - column - width < 4:
                return True
        low = column
        if low == 0:
            return False
    return at > 400


def _column(text: str) -> int:
    found = _SPACES.match(text)
    return found.end() if found else 0
