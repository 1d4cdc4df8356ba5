"""From Arrow's columns to texts of cells: exact, and in one way for each type."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from stilltrue.errors import InputError
from stilltrue.evidence.readers.libraries import library
from stilltrue.evidence.tables.frames import Kind
from stilltrue.wording import counted

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DEEPEST = 50
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column that is no struct.

    Attributes:
        path: The names from the root to it.
        type: Its Arrow type.
        kind: What its cells are.
        unit: That of a span of time; empty for others.
    """

    path: tuple[str, ...]
    type: Any
    kind: Kind
    unit: str

    @property
    def name(self) -> str:
        """Its path with dots."""
        return ".".join(self.path)


def leaves(schema: Any) -> Iterator[Leaf]:
    """The columns of a schema, those inside structs one by one."""
    for field in schema:
        yield from _leaves((field.name,), field.type)


def _leaves(path: tuple[str, ...], kind: Any) -> Iterator[Leaf]:
    types = library("pyarrow.types", "pyarrow")
    kind = getattr(kind, "storage_type", kind)
    if types.is_struct(kind) and len(path) <= _DEEPEST:
        for field in kind:
            yield from _leaves((*path, field.name), field.type)
        return
    yield Leaf(path, kind, _kind(types, kind), kind.unit if types.is_duration(kind) else "")


def _kind(types: Any, kind: Any) -> Kind:
    if types.is_boolean(kind):
        return Kind.BOOL
    number = (
        types.is_integer(kind),
        types.is_floating(kind),
        types.is_decimal(kind),
        types.is_duration(kind),
    )
    return Kind.ANY if any(number) or _is_text(types, kind) else Kind.TEXT


def _is_text(types: Any, kind: Any) -> bool:
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def texts_of(leaf: Leaf, batch: Any) -> list[str]:
    """The cells of one column in a batch of rows.

    Raises:
        InputError: Its type is not read, or a moment in it is beyond the years that have four digits.
    """
    array = batch.column(batch.schema.get_field_index(leaf.path[0]))
    array = getattr(array, "storage", array)
    for name in leaf.path[1:]:
        array = array.flatten()[array.type.get_field_index(name)]
        array = getattr(array, "storage", array)
    return _texts(array, leaf)


def _texts(array: Any, leaf: Leaf) -> list[str]:
    arrow, types = library("pyarrow", "pyarrow"), library("pyarrow.types", "pyarrow")
    kind = array.type
    if types.is_dictionary(kind):
        known = _texts(array.dictionary, leaf)
        return ["" if at is None else known[at] for at in array.indices.to_pylist()]
    if types.is_integer(kind) or types.is_floating(kind):
        return _filled(array.cast(arrow.string()).to_pylist())
    if types.is_duration(kind):
        return _filled(array.cast(arrow.int64()).cast(arrow.string()).to_pylist())
    if types.is_timestamp(kind):
        return _moments(array.cast(arrow.int64()).to_pylist(), kind.unit, "Z" if kind.tz else "")
    if types.is_time(kind):
        return _times(array.cast(arrow.int32() if types.is_time32(kind) else arrow.int64()), kind.unit)
    return [_text(value, leaf) for value in array.to_pylist()]


def _filled(texts: Sequence[str | None]) -> list[str]:
    return [text or "" for text in texts]


def _moments(counts: Sequence[int | None], unit: str, zone: str) -> list[str]:
    return ["" if count is None else _moment(count, unit) + zone for count in counts]


def _moment(count: int, unit: str) -> str:
    seconds, rest = divmod(count, _PER_SECOND[unit])
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        raise InputError(
            "malformed-evidence", f"a moment in it is {count:,} {unit} from 1970", "take the evidence again"
        ) from None
    return moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + _fraction(rest, unit)


def _times(array: Any, unit: str) -> list[str]:
    return ["" if count is None else _time(count, unit) for count in array.to_pylist()]


def _time(count: int, unit: str) -> str:
    seconds, rest = divmod(count, _PER_SECOND[unit])
    minutes, second = divmod(seconds, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{second:02}{_fraction(rest, unit)}"


def _fraction(rest: int, unit: str) -> str:
    digits = len(str(_PER_SECOND[unit])) - 1
    return f".{rest:0{digits}}" if digits else ""


def _text(value: Any, leaf: Leaf) -> str:
    """One value that is neither a number nor a moment."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return f"blob of {counted(len(value), 'byte')}"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=lambda inner: _text(inner, leaf))
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise InputError(
        "bad-table",
        f"`{leaf.name}` holds values of the type `{leaf.type}`, which is not read",
        "read other columns",
    )
