"""What stands around a number: whether that makes it another one, a name, or the end of a range."""

from __future__ import annotations

import re

_EMPHASIS = re.compile(r"(?<!\w)_{1,3}$")
_INSIDE = re.compile(r"[\w.#@^§±%]$|[0-9][:/'’]$|[A-Za-z][-‐‑]$|\+/?-\s?$|±\s?$")
_RANGE = re.compile(
    r"[0-9][0-9.,_]*\s?(?:[-–−]\s?|\sto\s)$|\bbetween\s[0-9]\S*\s(?:\S+\s)?and\s$", re.IGNORECASE
)
_GROUP = re.compile(r"(?:(?<![0-9.,])[1-9][0-9]{0,2}|[0-9],[0-9]{3})[, \u00a0\u202f\u2009]$")
_MINUS = re.compile(r"(?:^|[\s(\[|=:\"'`~])[-−]$|\bminus $")
_MONEY = re.compile(r"(?:(?:US)?\$ ?|[€£¥₹] ?|\b(?:USD|EUR|GBP|JPY|CHF|CNY|INR) )$", re.IGNORECASE)
_MATH = re.compile(r"[0-9][0-9.,]*(?:\s?\\[a-z,;:! ][^$\n]{0,40})?\$")
_NAMED = re.compile(
    r"\b(?:v|ver|version|release|section|sec|§|chapter|figure|fig|table|equation|eq|issue|pr|line|page)\.?\s?#?$",
    re.IGNORECASE,
)
_DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]$")
_ZONE = re.compile(r"\s?(?:Z\b|UTC\b|GMT\b|[+-][0-9]{2}:?[0-9]{2}|[AaPp]\.?[Mm]\b)")
_THREE = re.compile(r"[0-9]{3}(?![0-9])")


def money_before(left: str, right: str) -> str:
    """The sign or code of a currency right before a number, as written; empty where there is none."""
    found = _MONEY.search(left)
    return found[0] if found and not _is_math(left, right) else ""


def is_negative(left: str) -> bool:
    """Whether a minus stands before a number: no hyphen, no dash, not between the ends of a range."""
    return _MINUS.search(left) is not None


def begins(left: str, right: str) -> bool:
    """Whether a number begins between two texts: no digits, names or groups of thousands go on before it.

    Args:
        left: What stands before it on its line, the sign of a currency left out.
        right: What stands from it on.
    """
    left = _EMPHASIS.sub("", left)
    if left.endswith("$"):
        return _is_math(left, right)
    if _INSIDE.search(left) or _RANGE.search(left):
        return False
    return not (_THREE.match(right) and _GROUP.search(left))


def is_named(left: str) -> bool:
    """Whether the words before a bare number make it that of something: a version, a section, an issue."""
    return _NAMED.search(left) is not None


def is_moment(left: str, right: str) -> bool:
    """Whether a clock time is that of a day: a date before it, or a time zone behind."""
    return _DATED.search(left) is not None or _ZONE.match(right) is not None


def _is_math(left: str, right: str) -> bool:
    """Whether a number is set in TeX, between two `$`."""
    return left.endswith("$") and _MATH.match(right) is not None
