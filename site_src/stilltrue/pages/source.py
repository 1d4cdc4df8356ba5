"""A page's text as lines: line endings, tabs, and the front matter that no viewer shows."""

from __future__ import annotations

import re
from typing import NamedTuple

TAB = 4
"""Columns between tab stops, in fences and in prose alike."""

_CONTROL = str.maketrans("", "", "\x02\x03")  # the renderer drops them; here they mark what was cut out
_FRONT = re.compile(r"-{3}[ \t]*\n(.*?\n)(?:-{3}|\.{3})[ \t]*(?:\n|\Z)", re.DOTALL)
_PLAIN_YAML = re.compile(  # possessive, as each line matches in one way: trying others takes for ever
    r"(?:(?:[ ]*+#.*|[A-Za-z_][\w.-]*+:(?:[ ][\w./: -]*+)?|[ ][\w./ -]++|)\n)*+\Z"
)


class Source(NamedTuple):
    """The lines of a page.

    Attributes:
        raw: Each line as written, without its ending.
        flat: The same lines with tabs expanded; the same list where there are no tabs.
        first: The index of the first line after front matter.
    """

    raw: list[str]
    flat: list[str]
    first: int


def read_lines(text: str, *, front_matter: bool = True) -> Source:
    """The lines of a page, as an editor counts them: only LF, CRLF and CR end a line."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x02" in text or "\x03" in text:
        text = text.translate(_CONTROL)
    raw = text.split("\n")
    flat = text.expandtabs(TAB).split("\n") if "\t" in text else raw
    return Source(raw, flat, _after_front_matter(text) if front_matter else 0)


def _after_front_matter(text: str) -> int:
    """How many lines the front matter takes: only a YAML mapping between `---` lines is one."""
    if not text.startswith("---"):
        return 0
    found = _FRONT.match(text)
    if found is None or not _is_mapping(found[1]):
        return 0
    return text.count("\n", 0, found.end())


def _is_mapping(text: str) -> bool:
    if _PLAIN_YAML.match(text):
        return bool(text.strip())
    import yaml  # noqa: PLC0415  # only unusual front matter needs it

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return False
    return isinstance(root, yaml.MappingNode)
