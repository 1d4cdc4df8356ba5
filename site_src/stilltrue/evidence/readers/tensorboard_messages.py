"""The messages of TensorBoard's event files, as far as they are read.

Fields are those of `tensorflow/core/util/event.proto`, `core/framework/summary.proto` and
`core/framework/tensor.proto`; what is not named here is skipped.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from stilltrue.evidence.readers.libraries import library

_SCALARS = {"double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "bool": 8, "string": 9, "bytes": 12}
_MESSAGE = 11
_OPTIONAL, _REPEATED = 1, 3

_MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Event": {
        "wall_time": (1, "double"),
        "step": (2, "int64"),
        "file_version": (3, "bytes"),
        "graph_def": (4, "bytes"),
        "summary": (5, "Summary"),
        "log_message": (6, "bytes"),
        "session_log": (7, "bytes"),
        "tagged_run_metadata": (8, "bytes"),
        "meta_graph_def": (9, "bytes"),
    },
    "Summary": {"value": (1, "*Value")},
    "Value": {
        "tag": (1, "bytes"),
        "simple_value": (2, "float"),
        "image": (4, "bytes"),
        "histo": (5, "bytes"),
        "audio": (6, "bytes"),
        "tensor": (8, "Tensor"),
        "metadata": (9, "Metadata"),
    },
    "Metadata": {"plugin_data": (1, "Plugin")},
    "Plugin": {"plugin_name": (1, "bytes")},
    "Tensor": {
        "dtype": (1, "int32"),
        "tensor_shape": (2, "Shape"),
        "tensor_content": (4, "bytes"),
        "float_val": (5, "*float"),
        "double_val": (6, "*double"),
        "int_val": (7, "*int32"),
        "string_val": (8, "*bytes"),
        "int64_val": (10, "*int64"),
        "bool_val": (11, "*bool"),
    },
    "Shape": {"dim": (2, "*Dim")},
    "Dim": {"size": (1, "int64")},
}
"""Each message: its fields, with their numbers and types; a star for any number of them.

Texts are bytes here: what a stranger's file holds need not be UTF-8.
"""

_PACKAGE = "stilltrue.tensorboard"


@cache
def event_type() -> Any:
    """The class of `Event`.

    Raises:
        InputError: `missing-library`: `protobuf` is not installed.
    """
    descriptors = library("google.protobuf.descriptor_pb2", "protobuf")
    pool = library("google.protobuf.descriptor_pool", "protobuf").DescriptorPool()
    factory = library("google.protobuf.message_factory", "protobuf")
    file = descriptors.FileDescriptorProto(name="events.proto", package=_PACKAGE, syntax="proto2")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            _add(message, field, number, kind)
    pool.Add(file)
    return factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.Event"))


def _add(message: Any, name: str, number: int, kind: str) -> None:
    label = _REPEATED if kind.startswith("*") else _OPTIONAL
    kind = kind.removeprefix("*")
    if kind in _SCALARS:
        message.field.add(name=name, number=number, label=label, type=_SCALARS[kind])
    else:
        message.field.add(
            name=name, number=number, label=label, type=_MESSAGE, type_name=f".{_PACKAGE}.{kind}"
        )
