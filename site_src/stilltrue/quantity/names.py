"""Digits that belong to a name: versions, dates, labels (`port 8080`), products (`Gemma 4`), list numbers."""

from __future__ import annotations

import re

from stilltrue.quantity.label_words import DECIMAL_LABELS, LABELS, MONTHS, OPENERS, SOFTWARE
from stilltrue.quantity.shapes import Shape
from stilltrue.quantity.values import BARE

_FIRST_YEAR, _LAST_YEAR = 1900, 2040

_DATES = r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:[T ][0-9:.]+Z?)?)?|[0-9]{4}/[0-9]{2}/[0-9]{2}"
_DATES += r"|[0-9]{1,2}[./][0-9]{1,2}[./](?:[0-9]{4}|[0-9]{2})"
_NAME = re.compile(
    rf"""(?:{_DATES}                                    # 2026-11-29, 3/14/2025
      |[0-9]+(?:\.(?:[0-9]+|x|\*)){{2,}}[\w.+-]*        # 1.2.3, 10.0.0.1, 5.15.x
      |[0-9]+\.(?:x|\*)                                 # 2.x
      |0[xXbBoO][0-9A-Fa-f_]+                           # 0x1F
      |[0-9]{{1,3}}(?:st|nd|rd|th)                      # 21st
      |[0-9]+(?:\.[0-9]+)?(?:rc|a|b|dev|post)[0-9]+     # 2.0rc1
      |[0-9]+/[0-9]+(?![0-9/.,%]|\s?%)                  # 24/7, 1/3
      |[0-9]+:[0-9](?![0-9])                            # 1:1, 16:9
      )(?![\w%°]|[.,:/][0-9])""",
    re.VERBOSE,
)
_DIGEST = re.compile(r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,}(?!\w)")
_MONTH_AFTER = re.compile(rf"(?:st|nd|rd|th)?\.?\s(?:of\s)?(?:{MONTHS})\b", re.IGNORECASE)
_MONTH_BEFORE = re.compile(rf"\b(?:{MONTHS})\.?\s(?:[0-9]{{1,2}},?\s)?\Z", re.IGNORECASE)
_BEFORE = re.compile(r"(?:^|(?<=[\s(\[\"'“‘/*_|]))([^\W\d_][\w.+-]*)[ \u00a0\u202f]\Z")
_LABEL_LIST = re.compile(r"(?:\s*(?:,|/|–|-|and|or|to|through|&)\s*)+")
_LATER = re.compile(r"\s(?:or|and)\s(?:later|newer|above|up|higher|older|earlier|before)\b")
_CLOCK_BEFORE = re.compile(r"\b(?:at|by|until|till|from|since|before|after|around)\s\Z", re.IGNORECASE)
_CLOCK_AFTER = re.compile(r"\s?(?:[ap]\.?m\b|utc|gmt|cet|cest|z\b|o.clock)", re.IGNORECASE)
_HEADING_NUMBER = re.compile(r"\s*[0-9]+(?:\.[0-9]+)*(?:[.)]\s|\s+(?=[A-Z“\"`])|\s*\Z)")
_LIST_GOES_ON = re.compile(r"\s*(?:,|and|or|/|–|-|to|through|&)\s*[0-9]")
_YEAR_BEFORE = re.compile(
    r"\b(?:in|since|of|by|until|from|to|during|year|early|late|mid|before|after|spring|summer|autumn|winter)\s\Z"
    r"|[(/]\Z",
    re.IGNORECASE,
)
_THINGS_AFTER = re.compile(r"\s[a-z]{3,}s\b|-[a-z]")
_FRACTION = re.compile(r"0\.[0-9]{2}")
_MEASURED = frozenset(
    {"error", "errors", "steps", "layers", "days", "weeks", "nodes", "devices", "workers", "rows"}
)
"""What is counted or measured below a header as often as it is numbered."""
_LOOK_BACK = 60


def name_end(text: str, start: int) -> int:
    """The place after a name that begins with the digits at `start`; 0 where none does."""
    found = _NAME.match(text, start) or _DIGEST.match(text, start)
    return found.end() if found else 0


def is_date(text: str) -> bool:
    """Whether a text is a year or a date."""
    return is_year(text) or re.fullmatch(_DATES, text) is not None


def is_year(digits: str) -> bool:
    """Whether four digits without a separator are those of a year that documents speak of."""
    return len(digits) == 4 and digits.isascii() and digits.isdigit() and _in_years(int(digits))


def _in_years(number: int) -> bool:
    return _FIRST_YEAR <= number <= _LAST_YEAR


def names_what_follows(header: str) -> bool:
    """Whether the numbers below a header tell which one, or which version: `Port`, `Lines`, `torch`."""
    *before, word = header.lower().split() or [""]
    if before:  # `Widest row` is measured, `torch version` is not
        return word in DECIMAL_LABELS
    return word.removesuffix("s") in LABELS | DECIMAL_LABELS | SOFTWARE and word not in _MEASURED


class Names:
    """What stands around the numbers of one text.

    Args:
        text: The text.
        heading: Whether it is a heading, which may begin with its own number.
    """

    def __init__(self, text: str, *, heading: bool = False) -> None:
        self.text = text
        numbered = _HEADING_NUMBER.match(text) if heading else None
        self.heading_end = numbered.end() if numbered else 0
        self.label_end = -1

    def covers(self, start: int, digits: int, shape: Shape) -> bool:
        """Whether a number without a measured unit belongs to a name.

        Args:
            start: Where it begins, a word such as `about` included.
            digits: Where its sign or first digit stands.
            shape: What was read there.
        """
        if digits < self.heading_end or self._is_dated(digits, shape):
            return True
        if shape.unit is not BARE:  # a noun of things counted follows
            return self._is_version(start, shape)
        if self.is_labelled(start, shape):
            self.label_end = shape.end
            return True
        return (
            self._is_cited(digits, shape)
            or self._is_version(start, shape)
            or self._is_product(start, shape)
            or self._is_size_name(shape)
        )

    def is_labelled(self, start: int, shape: Shape) -> bool:
        """Whether a number tells which one is meant: `port 8080`, `layers 5, 11 and 17`."""
        between = self.text[self.label_end : start] if self.label_end >= 0 else ""
        if between and _LABEL_LIST.fullmatch(between):
            return True
        word = self._word_before(start)
        if word is None or shape.prefixed:
            return False
        lower = word.lower()
        if not shape.amounts[0].numeral.whole:
            return lower in DECIMAL_LABELS
        if lower in LABELS:
            return True
        goes_on = len(shape.amounts) > 1 or _LIST_GOES_ON.match(self.text, shape.end)
        return lower.removesuffix("s") in LABELS and bool(goes_on)

    def is_time_of_day(self, start: int, end: int) -> bool:
        """Whether a clock time of two fields tells when, not how long: `at 15:00`, `9:30 UTC`."""
        if self.text.count(":", start, end) > 1:
            return False
        before = self.text[max(0, start - _LOOK_BACK) : start]
        return bool(_CLOCK_BEFORE.search(before) or _CLOCK_AFTER.match(self.text, end))

    def _is_dated(self, digits: int, shape: Shape) -> bool:
        """A year, or a day beside its month."""
        if not all(amount.numeral.whole for amount in shape.amounts):
            return False
        before = self.text[max(0, digits - _LOOK_BACK) : digits]
        after = shape.amounts[-1].digits_end
        if _MONTH_AFTER.match(self.text, after) or _MONTH_BEFORE.search(before):
            return True
        if shape.prefixed or shape.unit is not BARE or not is_year(shape.amounts[0].numeral.text):
            return False
        return bool(_YEAR_BEFORE.search(before)) or not _THINGS_AFTER.match(self.text, shape.end)

    def _is_cited(self, digits: int, shape: Shape) -> bool:
        """`[14]` is a source."""
        return self.text[digits - 1 : digits] == "[" and self.text[shape.end : shape.end + 1] == "]"

    def _is_version(self, start: int, shape: Shape) -> bool:
        word = self._word_before(start)
        whole = shape.amounts[0].numeral.whole
        if word is not None and word.lower() in SOFTWARE and (shape.unit is BARE or not whole):
            self.label_end = shape.end
            return True
        if whole or shape.unit is not BARE:
            return False
        since = word is not None and word.lower() == "from" and self.text.startswith(" on", shape.end)
        return since or bool(_LATER.match(self.text, shape.end))

    def _is_product(self, start: int, shape: Shape) -> bool:
        """`Gemma 4`, `RFC 9535`, `CC BY 4.0`: a name goes on in a number. `Loss 0.93` is none."""
        word = self._word_before(start)
        if shape.prefixed or word is None or not word[:1].isupper():
            return False
        opener = word.lower() in OPENERS and (len(word) == 1 or not word.isupper())
        return not opener and not _FRACTION.match(shape.amounts[0].numeral.text)

    def _is_size_name(self, shape: Shape) -> bool:
        """`a 7B model`, `the 70B`: a size that names a model; `7B parameters` are counted."""
        last = shape.amounts[-1]
        glued = last.suffix in {"B", "M"} and self.text[last.digits_end - 2 : last.digits_end - 1].isdigit()
        return glued and not shape.prefixed and not self.text.startswith(" of ", shape.end)

    def _word_before(self, start: int) -> str | None:
        """The word right before a number, None where a sign or nothing stands there."""
        found = _BEFORE.search(self.text[max(0, start - _LOOK_BACK) : start])
        return found[1] if found else None
