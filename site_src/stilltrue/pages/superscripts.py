"""What is raised or lowered in a cell: an exponent, or what is no part of the number."""

from __future__ import annotations

import re

_EXPONENT = re.compile(r"[+\-−]?[0-9]{1,3}")
_TEN = re.compile(r"(?:^|[×xX*·⋅]\s*|\s)10$")
_UNIT = re.compile(
    r"^[\W_]*(?:(?:about|approximately|exactly|(?:more|less) than|at (?:least|most))\s+)?[0-9].*[^\W\d_]$"
)
_RAISED = re.compile(r"<sup\b[^<>]*>((?:(?!</?sup\b).)*)</sup\s*>", re.IGNORECASE | re.DOTALL)
_LOWERED = re.compile(r"<sub\b[^<>]*>((?:(?!</?sub\b).)*)</sub\s*>", re.IGNORECASE | re.DOTALL)
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_TAG = re.compile(r"<[^<>]*>")
_NEAR = 100


def superscript(before: str, raised: str) -> str:
    """What stands for a raised text.

    A number behind a ten is an exponent, and so is one behind the unit of a number, but for a 1, which nobody
    writes there. Anything else is the sign of a footnote: behind a number its digits would be read as the
    number's, and behind a word they belong to no name.

    Args:
        before: What stands before it, as a reader sees it.
        raised: The raised text, as a reader sees it.
    """
    raised = raised.strip()
    before = before.rstrip()
    if not _EXPONENT.fullmatch(raised):
        return ""
    of_a_unit = raised != "1" and _UNIT.search(before)
    return f"^{raised}" if of_a_unit or _TEN.search(before) else ""


def subscript(before: str, lowered: str) -> str:
    """What stands for a lowered text: behind a number its digits stay apart from the number's.

    Args:
        before: What stands before it, as a reader sees it.
        lowered: The lowered text, as a reader sees it.
    """
    own = lowered.strip()
    return own.translate(_LOW) if before.rstrip()[-1:].isdigit() and own[:1].isdigit() else lowered


def without_raised(text: str) -> str:
    """A text of Markdown or HTML whose raised parts are exponents or gone, its lowered ones apart."""
    lower = text.lower()
    if "<sup" in lower:
        text = _RAISED.sub(lambda found: superscript(_before(found), _TAG.sub("", found[1])), text)
    if "<sub" in lower:
        text = _LOWERED.sub(lambda found: subscript(_before(found), _TAG.sub("", found[1])), text)
    return text


def _before(found: re.Match[str]) -> str:
    return _TAG.sub("", found.string[max(0, found.start() - _NEAR) : found.start()])
