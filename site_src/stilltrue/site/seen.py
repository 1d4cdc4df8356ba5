"""Which cards of a page can be seen: not those that ended up inside code or a comment."""

from __future__ import annotations

import re

_HELD_OR_CARD = re.compile(
    r"<!--.*?-->|<(?P<close>/?)(?P<tag>pre|code|script|style|textarea)\b"
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
