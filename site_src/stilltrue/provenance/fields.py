"""Fields of a record, taken out one by one: of the type that they must have, or a clear error."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from stilltrue.days import is_day
from stilltrue.errors import InputError
from stilltrue.files import join

LIMIT = 16 << 20
"""How many bytes a record may have: a hundred thousand inputs fit."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z")
_SHOWN = 60

_Item = TypeVar("_Item")


def wrong(message: str, hint: str = "", *, line: int = 0) -> InputError:
    """A record that cannot be read."""
    return InputError("bad-provenance", message, hint or _HINT, line=line)


class Fields:
    """One JSON object of a record. Fields that it does not know are passed over, as in-toto asks.

    Args:
        value: What was read where the object should be.
        name: Where it stands: `predicate.code[0]`; empty for the whole statement.

    Raises:
        InputError: `bad-provenance`: it is no object.
    """

    def __init__(self, value: object, name: str) -> None:
        if not isinstance(value, dict):
            raise wrong(f"{_at(name)} must be an object, not {kind_of(value)}")
        self._value: Mapping[str, Any] = value
        self._name = name

    def at(self, key: str) -> str:
        """Where one of its fields stands."""
        return f"{self._name}.{key}" if self._name else key

    def has(self, key: str) -> bool:
        """Whether the field is there."""
        return key in self._value

    def inner(self, key: str) -> Fields:
        """A field that is an object, empty where it is left out."""
        return Fields(self._value.get(key, {}), self.at(key))

    def text(self, key: str, *, required: bool = False, empty: bool = False) -> str:
        """A field that is a string, the empty one where it is left out.

        Args:
            key: The field.
            required: Whether it must be there.
            empty: Whether it may be there and empty.
        """
        if key not in self._value and not required:
            return ""
        value = self._value.get(key)
        if not isinstance(value, str):
            raise wrong(f"{_at(self.at(key))} must be a string, not {kind_of(value, key in self._value)}")
        if not value and not empty:
            raise wrong(f"{_at(self.at(key))} is empty")
        return value

    def path(self, key: str) -> str:
        """A required field that is a path from the repository's root."""
        return as_path(self.text(key, required=True), self.at(key))

    def sha256(self, key: str, *, gone: bool = False) -> str:
        """A required field that is a digest in hexadecimal; empty where the file may be `gone`."""
        value = self.text(key, required=True, empty=gone)
        return value if gone and not value else as_digest(value, self.at(key))

    def day(self, key: str) -> str:
        """A required field that is a day, YYYY-MM-DD."""
        return as_day(self.text(key, required=True), self.at(key))

    def time(self, key: str) -> str:
        """A field that is a point in time in UTC, RFC 3339, empty where it is left out."""
        value = self.text(key)
        if value and not _is_time(value):
            raise wrong(
                f"{_at(self.at(key))} is `{_cut(value)}`, no time in UTC such as 2026-03-01T12:00:00Z"
            )
        return value

    def commit(self, key: str) -> str:
        """A field that is a commit's name in full, empty where it is left out."""
        value = self.text(key)
        if value and not _COMMIT.fullmatch(value):
            raise wrong(f"{_at(self.at(key))} is `{_cut(value)}`, no commit in hexadecimal")
        return value

    def items(self, key: str, make: Callable[[object, str], _Item]) -> tuple[_Item, ...]:
        """A field that is an array, empty where it is left out; items are made from value and place."""
        value = self._value.get(key, [])
        if not isinstance(value, list):
            raise wrong(f"{_at(self.at(key))} must be an array, not {kind_of(value)}")
        return tuple(make(item, f"{self.at(key)}[{number}]") for number, item in enumerate(value))

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A field that is an object of strings, in its order, empty where it is left out."""
        inner = self.inner(key)
        return tuple((name, inner.text(name, empty=True)) for name in inner._value)


def as_text(value: object, name: str) -> str:
    """A string, which may be empty.

    Raises:
        InputError: `bad-provenance`: it is none.
    """
    if not isinstance(value, str):
        raise wrong(f"{_at(name)} must be a string, not {kind_of(value)}")
    return value


def as_path(value: object, name: str) -> str:
    """A path from the repository's root that leads nowhere else.

    Raises:
        InputError: `bad-provenance`: it is none.
    """
    text = as_text(value, name)
    try:
        inside = join("", text) == text
    except InputError:
        inside = False
    if not inside:
        raise wrong(f"{_at(name)} is `{_cut(text)}`, no plain path from the repository's root")
    return text


def as_digest(value: str, name: str) -> str:
    """A SHA-256 in hexadecimal.

    Raises:
        InputError: `bad-provenance`: it is none.
    """
    if not _SHA256.fullmatch(value):
        raise wrong(f"{_at(name)} is `{_cut(value)}`, no SHA-256 in lower-case hexadecimal")
    return value


def as_day(value: str, name: str) -> str:
    """A day that the calendar has.

    Raises:
        InputError: `bad-provenance`: it is none.
    """
    if not is_day(value):
        raise wrong(f"{_at(name)} is `{_cut(value)}`, no day such as 2026-03-01")
    return value


def kind_of(value: object, there: bool = True) -> str:
    """What a JSON value is, in words."""
    if not there:
        return "left out"
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def _is_time(text: str) -> bool:
    try:
        return bool(_TIME.fullmatch(text)) and bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _at(name: str) -> str:
    return f"`{name}`" if name else "the record"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_HINT = "restore the record from git, or delete it and record the evidence anew"
