"""What every tree format gives: plain Python values, and where each of them stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from stilltrue.errors import InputError
from stilltrue.wording import quoted

Location = tuple[str | int, ...]
"""The keys and indices from the root to a value."""


class Number(float):
    """A number with a point or an exponent: a float to compare by, and the text it was written as.

    Filters of JSONPath compare it as a float; a reading is taken from the text alone.
    """

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> Self:
        """The number written as `text`; one too large for a float compares as infinite."""
        self = float.__new__(cls, text)
        self.text = text
        return self


@dataclass(frozen=True, slots=True)
class Tree:
    """A parsed file.

    Attributes:
        value: Objects as dicts, arrays as lists; `str`, `bool`, None, `int` and `Number`, and `NonFinite`
            where the file says NaN or infinity.
        line_of: The line of the value at a location of `value`; 0 where it cannot be told.
    """

    value: Any
    line_of: Callable[[Location], int]


def malformed(kind: str, why: str, line: int = 0, hint: str = "") -> InputError:
    """The error for a file that is not what its format says."""
    return InputError(
        "malformed-evidence",
        f"this is not valid {kind}: {why}",
        hint or "take the evidence again, or read it as text with `match`",
        line=line,
    )


def repeated(key: str, line: int) -> InputError:
    """The error for a key that one object holds twice: which one a path means would be a guess."""
    return InputError(
        "malformed-evidence",
        f"an object holds the key {quoted(key)} twice",
        "let what writes this file write each key once, or read it as text with `match`",
        line=line,
    )


def too_deep() -> InputError:
    """The error for nesting beyond what can be walked."""
    return InputError(
        "malformed-evidence",
        "values are nested too deeply in it to be read",
        "keep evidence flatter, or read it as text with `match`",
    )
