"""TOML: floats keep their text, dates stay text."""

from __future__ import annotations

import datetime
import re
from typing import Any

from stilltrue.errors import InputError
from stilltrue.evidence.deadline import Deadline
from stilltrue.evidence.trees.toml_lines import KeyLines
from stilltrue.evidence.trees.tree import Number, Tree, malformed, too_deep
from stilltrue.quantity import NonFinite
from stilltrue.root import DEEP_KEY

_LARGEST = 16 << 20
"""What the standard library's parser, written in Python, reads within seconds."""

_PLACE = re.compile(r"\(at (?:line (\d+), column \d+|end of document)\)")


def read_toml(text: str, deadline: Deadline) -> Tree:
    """Parses TOML.

    Raises:
        InputError: `malformed-evidence`, `too-large`, `too-slow`.
    """
    import tomllib  # noqa: PLC0415  # only a check that reads TOML evidence needs it

    if len(text) > _LARGEST:
        raise InputError(
            "too-large", "a TOML file of more than 16 MiB is not read", "keep the numbers as JSON or CSV"
        )
    if DEEP_KEY.search(text):
        raise too_deep()
    try:
        value = tomllib.loads(text, parse_float=_number)
    except tomllib.TOMLDecodeError as error:
        raise _broken(str(error), text) from None
    except RecursionError:
        raise too_deep() from None
    except ValueError:  # the interpreter's limit on the digits of an integer
        raise malformed("TOML", "a whole number has more than 4,300 digits") from None
    deadline.check()
    return Tree(_dates_as_text(value), KeyLines(text).line_of)


def _number(text: str) -> Number | NonFinite:
    word = text.lstrip("+-")
    if word == "nan":
        return NonFinite("NaN")
    if word == "inf":
        return NonFinite("-Infinity" if text[0] == "-" else "Infinity")
    return Number(text.replace("_", ""))


def _broken(message: str, text: str) -> InputError:
    place = _PLACE.search(message)
    why = _PLACE.sub("", message).strip()
    if place is None:
        return malformed("TOML", why)
    line = int(place[1]) if place[1] else text.rstrip().count("\n") + 1
    return malformed("TOML", why[0].lower() + why[1:], line)


def _dates_as_text(value: Any) -> Any:
    """The same value, dates and times as they would be written; bounded in depth by the parser."""
    if isinstance(value, dict):
        return {key: _dates_as_text(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_dates_as_text(element) for element in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value
