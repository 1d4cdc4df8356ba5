"""TOML read so that no file takes long, or more than an error, to be refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

MOST_PARTS = 64
"""How many parts a dotted key may have; the time that the standard library takes grows with their square."""

_STRING = re.compile(
    r'''"""(?:[^"\\]|\\.|"{1,2}(?!"))*+(?:"{3,5})?|'{3}(?:[^']|'{1,2}(?!'))*+(?:'{3,5})?'''
    r"""|"(?:[^"\\\n]|\\[^\n])*+"?|'[^'\n]*+'?|\#[^\n]*+""",
    re.DOTALL,
)
"""A string, closed or not, or a comment: whatever a text holds, each sign of it is looked at once."""

_KEY = re.compile(r"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++)++")
"""A key of several parts, where strings have been taken out; numbers pass for one too. It begins where a word
does: to look from each sign of a long one would take the square of its length."""

_PLACE = re.compile(r" ?\(at line (\d+), column \d+\)| ?\(at end of document\)")


class TomlError(Exception):
    """Why a text cannot be read as TOML.

    Attributes:
        message: What the standard library says, its place included.
        plain: The same without its place.
        line: The line, from 1; 0 where it is the text's end, or nobody knows.
        at_end: Whether the text ends where something should follow.
        fault: `syntax`: it is no TOML; `deep`: it is nested too deep; `number`: an integer has more digits
            than the interpreter reads.
    """

    def __init__(self, message: str, fault: Literal["syntax", "deep", "number"] = "syntax") -> None:
        super().__init__(message)
        place = _PLACE.search(message)
        self.message = message
        self.plain = message.replace(place[0], "") if place else message
        self.line = int(place[1]) if place and place[1] else 0
        self.at_end = place is not None and not place[1]
        self.fault = fault


def parse(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """What a TOML text holds.

    Args:
        text: The text.
        parse_float: What makes a number with a point or an exponent of its text.

    Raises:
        TomlError: It cannot be read.
    """
    import tomllib  # noqa: PLC0415  # a project without configuration needs none

    if _has_deep_key(text):
        raise TomlError("nested too deep", "deep")
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except RecursionError:
        raise TomlError("nested too deep", "deep") from None
    except tomllib.TOMLDecodeError as error:
        raise TomlError(str(error)) from None
    except ValueError as error:
        raise TomlError(str(error), "number") from None


def _has_deep_key(text: str) -> bool:
    """Whether a key has more than `MOST_PARTS` parts, in quotes or not."""
    if text.count(".") < MOST_PARTS:
        return False
    bare = _STRING.sub("s", text)
    return any(key[0].count(".") >= MOST_PARTS for key in _KEY.finditer(bare))
