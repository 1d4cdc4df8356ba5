"""TOML: floats keep their text, dates stay text."""

from __future__ import annotations

import datetime
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.trees.toml_lines import KeyLines
from stilltrue.evidence.trees.tree import Number, Tree, malformed, too_deep
from stilltrue.quantity import NonFinite
from stilltrue.toml import TomlError, parse

_LARGEST = 16 << 20
"""What the standard library's parser, written in Python, reads within seconds."""


def read_toml(text: str, deadline: Deadline) -> Tree:
    """Parses TOML.

    Raises:
        InputError: `malformed-evidence`, `too-large`, `too-slow`.
    """
    if len(text) > _LARGEST:
        raise InputError(
            "too-large", "a TOML file of more than 16 MiB is not read", "keep the numbers as JSON or CSV"
        )
    try:
        value = parse(text, _number)
    except TomlError as error:
        raise _broken(error, text) from None
    deadline.check()
    return Tree(_dates_as_text(value), KeyLines(text).line_of)


def _number(text: str) -> Number | NonFinite:
    word = text.lstrip("+-")
    if word == "nan":
        return NonFinite("NaN")
    if word == "inf":
        return NonFinite("-Infinity" if text[0] == "-" else "Infinity")
    return Number(text.replace("_", ""))


def _broken(error: TomlError, text: str) -> InputError:
    if error.fault == "deep":
        return too_deep()
    if error.fault == "number":
        return malformed("TOML", "a whole number has more than 4,300 digits")
    why = error.plain.strip()
    if not error.line and not error.at_end:
        return malformed("TOML", why)
    line = error.line or text.rstrip().count("\n") + 1
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
