"""The header of a safetensors file as a tree: what each tensor is, and how many numbers there are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.trees import Tree
from stilltrue.tensor_header import Entry, Header, HeaderError, read_header, refuse_other_size

_START = re.compile(rb'.{8}\s*\{\s*(?:"|\})', re.DOTALL)
_PLAUSIBLE = 1 << 32
"""Eight bytes of text are a far larger number: the length of a header is never that long."""


def _recognises(data: bytes) -> bool:
    return int.from_bytes(data[:8], "little") < _PLAUSIBLE and _START.match(data) is not None


def _tree(content: Content, deadline: Deadline) -> Tree:
    try:
        header = read_header(content.data, content.size)
        if content.size > header.start:
            refuse_other_size(header, content.size)
    except HeaderError as error:
        raise InputError(
            "malformed-evidence",
            f"this is no whole safetensors file: {error}",
            "take the file again, or keep its header alone",
        ) from None
    deadline.check()
    return Tree(_root(header, whole=content.size > header.start), _no_line)


def _no_line(_location: tuple[str | int, ...]) -> int:
    return 0


def _root(header: Header, *, whole: bool) -> dict[str, Any]:
    entries = header.entries
    dtypes = sorted({entry.dtype for entry in entries.values()})
    return {
        "metadata": dict(header.metadata),
        "tensors": {name: _tensor(entry) for name, entry in entries.items()},
        "dtypes": {
            dtype: _sums(entry for entry in entries.values() if entry.dtype == dtype) for dtype in dtypes
        },
        **_sums(entries.values()),
        "header_alone": not whole and header.size > 0,
    }


def _tensor(entry: Entry) -> dict[str, Any]:
    return {
        "dtype": entry.dtype,
        "shape": list(entry.shape),
        "parameters": entry.count,
        "bytes": entry.end - entry.begin,
    }


def _sums(entries: Iterable[Entry]) -> dict[str, int]:
    known = list(entries)
    return {
        "count": len(known),
        "parameters": sum(entry.count for entry in known),
        "bytes": sum(entry.end - entry.begin for entry in known),
    }


SAFETENSORS = Reader(
    means="the header of a safetensors file; its numbers are not read",
    content="begins with eight bytes that give the length of a JSON object, and that object",
    rows=(
        "`tensors` by name, each with `dtype`, `shape`, `parameters` (how many numbers it has) "
        "and `bytes`; `parameters`, `bytes` and `count` of all of them; `dtypes`, the same three "
        "for each format; `metadata`, what else the header says; `header_alone`"
    ),
    columns={},
    traps=(
        "Names hold dots: `path: $.tensors['lm_head.weight'].parameters`.",
        (
            "`parameters` counts the numbers that are stored. Weights packed into integers (4-bit"
            " formats in `U8` or `I32`) are more than that, scales and buffers count as well, and"
            " tied weights count once."
        ),
        (
            "A checkpoint in several files has a part of its tensors in each: name them with a glob, and "
            "`take: [only, sum]`."
        ),
        (
            "A file that ends with its header is read too, `$.header_alone` says so: evidence need not hold "
            "the weights. One that is cut anywhere else is an error."
        ),
        "`bytes` are bare numbers: give them `unit: bytes`.",
    ),
    recognises=_recognises,
    read=None,
    whole=True,
    suffixes=(".safetensors",),
    tree=_tree,
    binary=True,
)
