"""JSON and JSON Lines: numbers keep their text, repeated keys are refused, NaN is read as what it is."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.trees.json_lines import ValueLines
from stilltrue.evidence.trees.tree import Location, Number, Tree, malformed, repeated, too_deep
from stilltrue.evidence.uncollected import uncollected
from stilltrue.quantity import NonFinite

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]')
_LONG_INTEGER = re.compile(r"\d{4300}")
_LARGE = 1 << 20
_OFTEN = 1 << 12
_WHITE = " \t\r"


class _RepeatedKeyError(ValueError):
    """An object holds one key twice."""


def read_json(text: str, deadline: Deadline) -> Tree:
    """Parses JSON; a file of several values, one a line, is read as JSON Lines.

    Raises:
        InputError: `malformed-evidence` or `too-slow`.
    """
    try:
        with uncollected(pause=len(text) > _LARGE):
            value = _parse(_decoder(len(text), deadline), text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and "\n" in text[: error.pos].strip(" \t\r\ufeff"):
            return _lines_instead(text, error, deadline)
        raise _broken(text, error) from None
    return Tree(value, ValueLines(text).line_of)


def read_jsonl(text: str, deadline: Deadline) -> Tree:
    """Parses JSON Lines: the tree is the array of the lines, blank ones left out.

    Raises:
        InputError: As `read_json`, with the line.
    """
    decoder = _decoder(len(text), deadline)
    values: list[Any] = []
    numbers: list[int] = []
    with uncollected(pause=len(text) > _LARGE):
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip(_WHITE):
                values.append(_line_value(decoder, line, number))
                numbers.append(number)
            if not number % 1000:
                deadline.check()
    if not values:
        raise malformed("JSON Lines", "no line of it holds a value")
    return Tree(values, _LineNumbers(numbers).line_of)


def _line_value(decoder: json.JSONDecoder, line: str, number: int) -> Any:
    try:
        return _parse(decoder, line)
    except json.JSONDecodeError as error:
        raise _broken(line, error, number) from None
    except InputError as error:
        error.line = number
        raise


class _LineNumbers:
    """The lines of the values of a JSON Lines file."""

    def __init__(self, numbers: list[int]) -> None:
        self._numbers = numbers

    def line_of(self, location: Location) -> int:
        """The line that holds a value; the first for the whole file."""
        index = location[0] if location else 0
        return self._numbers[index] if isinstance(index, int) else 0


def _decoder(size: int, deadline: Deadline) -> json.JSONDecoder:
    """A strict decoder; on large texts it keeps an eye on the clock."""
    return json.JSONDecoder(
        object_pairs_hook=_watched(deadline) if size > _LARGE else _unique,
        parse_float=Number,
        parse_constant=NonFinite,
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _RepeatedKeyError
    return members


def _watched(deadline: Deadline) -> Any:
    """`_unique` that stops when there is no time left."""
    count = 0

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal count
        count += 1
        if not count % _OFTEN:
            deadline.check()
        return _unique(pairs)

    return unique


def _parse(decoder: json.JSONDecoder, text: str) -> Any:
    try:
        return decoder.decode(text)
    except json.JSONDecodeError:
        raise
    except _RepeatedKeyError:
        _raise_repeated(text)
    except RecursionError:
        raise too_deep() from None
    except ValueError:  # the interpreter's limit on the digits of an integer, a guard against slow conversion
        found = _LONG_INTEGER.search(text)
        line = text.count("\n", 0, found.start()) + 1 if found else 0
        raise malformed("JSON", "a whole number has more than 4,300 digits", line) from None


def _lines_instead(text: str, error: json.JSONDecodeError, deadline: Deadline) -> Tree:
    """The text as JSON Lines, when its first line is a value of its own."""
    first = text.split("\n", 1)[0]
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        raise _broken(text, error) from None
    return read_jsonl(text, deadline)


def _broken(text: str, error: json.JSONDecodeError, line: int = 0) -> InputError:
    """What is wrong, and whether the text simply ends too early."""
    cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    why = "it ends in the middle of a value" if cut else error.msg[0].lower() + error.msg[1:]
    if error.msg == "Extra data":
        why = "more follows after the end of the value"
    hint = "the file is cut: take the evidence again, or read it as text with `match`" if cut else ""
    return malformed("JSON", why, line or error.lineno, hint)


def _raise_repeated(text: str) -> NoReturn:
    """Finds the first key that its object already holds, and raises with its line."""
    open_objects: list[set[str] | None] = []
    key = ""
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign == "{":
            open_objects.append(set())
        elif sign == "[":
            open_objects.append(None)
        elif sign in "}]" and open_objects:
            open_objects.pop()
        elif sign[0] == '"':
            key = sign
        elif sign == ":" and open_objects:
            keys = open_objects[-1]
            name = json.loads(key)
            if keys is not None and name in keys:
                raise repeated(name, text.count("\n", 0, token.start()) + 1)
            if keys is not None:
                keys.add(name)
    raise repeated("?", 0)
