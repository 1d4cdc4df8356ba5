"""TensorBoard's event files: one row for each value that was logged, and for each record that is none."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.libraries import library
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.readers.tensorboard_messages import event_type
from stilltrue.evidence.readers.tfrecords import HEAD, LENGTH, first_length, records
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_KIND = "an event file of TensorBoard"
_VERSION = b"brain.Event:"
_KNOWN = b"brain.Event:2"
_COLUMNS: dict[str, str | Kind] = {
    "tag": Kind.TEXT,
    "value": "",
    "step": "",
    "wall_time": "s",
    "kind": Kind.TEXT,
    "plugin": Kind.TEXT,
    "entry": "",
}
_LONGEST_FIRST = 1 << 16
_STRING = 7
_NUMBERS = {
    1: ("f", "float_val"),
    2: ("d", "double_val"),
    3: ("i", "int_val"),
    9: ("q", "int64_val"),
    10: ("?", "bool_val"),
}
"""The numbers of a tensor by its `dtype`: how they are packed, and where they stand one by one."""

_OTHERS = ("graph_def", "log_message", "session_log", "tagged_run_metadata", "meta_graph_def")
_SUMMARIES = {"image": "image", "histo": "histogram", "audio": "audio"}


def _recognises(data: bytes) -> bool:
    """By the version in its first record; whether that is whole, reading it tells."""
    length = int.from_bytes(data[:LENGTH], "little")
    return length < _LONGEST_FIRST and _VERSION in data[HEAD : HEAD + length]


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    if first_length(content.data) is None:
        raise other_format(_KIND, "it does not begin with a record")
    return (build(list(_rows(content.data, deadline)), _COLUMNS, units, line=0),)


def _rows(data: bytes, deadline: Deadline) -> Iterator[Row]:
    event = event_type()
    fault = library("google.protobuf.message", "protobuf").DecodeError
    plugins: dict[str, str] = {}
    for number, body in records(data, deadline):
        try:
            record = event.FromString(bytes(body))
        except fault:
            raise other_format(_KIND, f"record {number:,} is no event") from None
        if number == 1:
            _refuse_version(record.file_version)
        shared = {"step": str(record.step), "wall_time": shortest(record.wall_time, "d")}
        for entry, cells in enumerate(_values(record, plugins), 1):
            yield Row({**shared, **cells, "entry": str(entry)}, number)


def _refuse_version(version: bytes) -> None:
    if version == _KNOWN:
        return
    if version.startswith(_VERSION):
        said = version.decode("utf-8", "replace")[:40]
        raise other_format(_KIND, f"its version is `{said}`, and `{_KNOWN.decode()}` is known")
    raise other_format(_KIND, "its first record names no version")


def _values(record: Any, plugins: dict[str, str]) -> list[dict[str, str]]:
    """The cells of what one record holds."""
    if record.HasField("file_version"):
        return [{"kind": "version"}]
    if not record.HasField("summary"):
        other = next((name for name in _OTHERS if record.HasField(name)), "")
        return [{"kind": other.removesuffix("_def") or "empty"}]
    return [_summary(value, plugins) for value in record.summary.value] or [{"kind": "empty"}]


def _summary(value: Any, plugins: dict[str, str]) -> dict[str, str]:
    """The cells of one summary; its writer names the plugin with the first value of a tag alone."""
    tag = _text(value.tag)
    named = _text(value.metadata.plugin_data.plugin_name)
    plugin = plugins.setdefault(tag, named) or named
    cells = {"tag": tag, "plugin": plugin}
    if value.HasField("simple_value"):
        return cells | {"kind": "scalar", "value": shortest(value.simple_value, "f")}
    if value.HasField("tensor"):
        return cells | _tensor(value.tensor, plugin)
    return cells | {
        "kind": next((word for name, word in _SUMMARIES.items() if value.HasField(name)), "empty")
    }


def _tensor(tensor: Any, plugin: str) -> dict[str, str]:
    """A tensor of one number is a scalar, one of one text that text; others have no value."""
    if math.prod(dim.size for dim in tensor.tensor_shape.dim) != 1:
        return {"kind": "tensor"}
    if tensor.dtype == _STRING and len(tensor.string_val) == 1 and plugin in ("", "text"):
        return {"kind": "text", "value": _text(tensor.string_val[0])}
    number = _number(tensor)
    return {"kind": "scalar", "value": number} if number else {"kind": "tensor"}


def _number(tensor: Any) -> str:
    """The one number of a tensor; empty for a format that is not read."""
    form, field = _NUMBERS.get(tensor.dtype, ("", ""))
    if not form:
        return ""
    values = list(getattr(tensor, field))
    if tensor.tensor_content:
        values = _unpacked(tensor.tensor_content, form)
    if len(values) != 1:
        return ""
    number = values[0]
    return shortest(number, form) if isinstance(number, float) else str(int(number))


def _unpacked(content: bytes, form: str) -> list[Any]:
    return list(struct.unpack(f"<{form}", content)) if len(content) == struct.calcsize(f"<{form}") else []


def shortest(number: float, form: str) -> str:
    """The shortest decimal that is this number in its format, `f` for 32 bits and `d` for 64."""
    if form == "d" or not math.isfinite(number):
        return repr(number)
    stored = struct.pack("<f", number)
    tried = (f"{number:.{digits}g}" for digits in range(6, 10))
    return next(text for text in tried if _packed(text) == stored)


def _packed(text: str) -> bytes | None:
    """A decimal as 32 bits; None where it rounds to beyond the largest of them."""
    try:
        return struct.pack("<f", float(text))
    except OverflowError:
        return None


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            "malformed-evidence",
            "a name or text in it is not UTF-8",
            "restore the file as its writer left it, or take the evidence again",
        ) from None


TENSORBOARD = Reader(
    means="an event file of TensorBoard (`events.out.tfevents.…`)",
    content="begins with a record that names the version `brain.Event:2`",
    rows=(
        "one value of a record; a record without values is a row with its `kind` alone, and "
        "`line` is its number"
    ),
    columns=_COLUMNS,
    traps=(
        (
            "A tag has a row for each step: name the row, `where: tag = 'loss/train' and step = "
            "500`, or `take: last`. A run that was resumed logs steps twice, in one file or in "
            "two."
        ),
        (
            "The first record holds the version, and is a row: its `kind` is `version`. `where: "
            "kind = 'scalar'` counts what was logged, `where: entry = 1` the records."
        ),
        (
            "Values are floats of 32 bits, read as the shortest decimal that is the same float: a"
            " logged 0.1 is 0.1. Whole numbers above 16,777,216 were rounded when they were "
            "logged."
        ),
        (
            "The web page of TensorBoard draws a smoothed sample of the points, and what it "
            "exports as CSV is the sample; the file has them all."
        ),
        "Histograms, images and tensors of several numbers have no `value`.",
        (
            "Every checksum is verified. A file whose writer was killed or still runs may end in the middle "
            "of a record: every read of it is an error. One that ends between two records looks whole: name "
            "the step."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    binary=True,
)
