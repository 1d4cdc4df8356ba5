"""Traces in the Trace Event Format, which `torch.profiler` and many others export: one row for each event."""

from __future__ import annotations

import re

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.chrome_trace.collecting import COLUMNS, collect
from stilltrue.evidence.readers.chrome_trace.events import ARGUMENT
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.streams import Stream
from stilltrue.evidence.tables.frames import Frame
from stilltrue.evidence.tables.wanted import EVERYTHING, Wanted
from stilltrue.quantity import Units

_OBJECT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{.*"traceEvents"\s*:\s*\[', re.DOTALL)
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")


def _recognises(head: bytes) -> bool:
    if _OBJECT.match(head):
        return True
    return _ARRAY.match(head) is not None and b'"ph"' in head and (b'"ts"' in head or b'"pid"' in head)


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    return (collect(Stream.of(content), EVERYTHING, deadline, units),)


def _scan(stream: Stream, wanted: Wanted, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    return (collect(stream, wanted, deadline, units),)


_TRAPS = (
    "`displayTimeUnit` is for the viewer alone: `ts` and `dur` are always microseconds.",
    (
        "A kernel, the operator that launched it and the annotations around both carry the same time. "
        "`device` is true for what the device did, each once: kernels, copies and fills; a "
        "`gpu_user_annotation` is a span around them."
    ),
    (
        "It is known by the `cat` that torch writes, and false in all rows of other programs: in a trace of "
        "JAX the device is the `pid` that a row `process_name` names."
    ),
    (
        "Operators and Python functions lie inside one another: a sum of `dur` over them counts time twice. "
        "Sum `device` rows, or take one name."
    ),
    "Kernels on several streams run at once: their sum may be longer than the step.",
    (
        "Only complete events (`ph = 'X'`) have a `dur`. Beginnings and ends (`B`, `E`) are not paired: each "
        "is a row with a `ts`."
    ),
    "Arrows (`ph` is `s`, `t` or `f`) and metadata (`M`) are rows too: narrow a `count` with `ph = 'X'`.",
    "`tid` of a device row is its stream: a number, in older versions of torch the text `stream 7`.",
    f"What stands in `args` is in columns of its own: `External id` is `{ARGUMENT}external_id`.",
    (
        "A key that stands twice in an event is an error; of a trace of more than 8 MB, only those keys are "
        "looked at that the read asks for."
    ),
    "A list that its program did not close with `]` is refused: nothing tells it from one that was cut.",
)

CHROME_TRACE = Reader(
    means="a trace as `torch.profiler`, Chrome and many others export it: JSON, or compressed",
    content="begins with `{` and holds an array `traceEvents`, or is an array of objects with `ph`",
    rows="one event, in the order of the file",
    columns=COLUMNS,
    traps=_TRAPS,
    recognises=_recognises,
    read=_read,
    scan=_scan,
    whole=True,
)
