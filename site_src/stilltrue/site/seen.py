"""Which cards of a page can be seen: not those that ended up inside code, a comment or a hidden element."""

from __future__ import annotations

import re
from collections.abc import Mapping

HIDING = ("template", "noscript", "textarea", "iframe", "noembed", "noframes", "canvas", "object")
"""Elements whose HTML no browser shows that knows them and runs scripts."""

_HELD_OR_CARD = re.compile(
    rf"<!--.*?-->|<(?P<close>/?)(?P<tag>pre|code|script|style|{'|'.join(HIDING)})\b"
    r'|(?P<card><(?:div (?:data-st-held=|class="st-card )|figure class="st-chart))',
    re.DOTALL | re.IGNORECASE,
)
"""What decides whether a card is seen: comments, elements that show or hide text as it is, and cards."""


def seen(text: str) -> int:
    """How many cards stand outside code, scripts and comments."""
    count = depth = 0
    for match in _HELD_OR_CARD.finditer(text):
        if match["card"]:
            count += depth == 0
        elif match["tag"]:
            depth = max(0, depth - 1) if match["close"] else depth + 1
    return count


def hides(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element hides what it holds. Elements that need no end are taken for shown."""
    if tag in HIDING:
        return True
    styled = attributes.get("style", "").lower().replace(" ", "")
    return tag in _CLOSED and ("hidden" in attributes or any(words in styled for words in _UNSEEN))


_CLOSED = frozenset(
    {"a", "article", "aside", "b", "blockquote", "details", "div", "em", "figure", "i", "main", "ol"}
    | {"section", "span", "strong", "table", "ul"}
)
_UNSEEN = ("display:none", "visibility:hidden")
