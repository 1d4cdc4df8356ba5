"""The `trainer_state.json` of Hugging Face's Trainer: one row for each entry of `log_history`."""

from __future__ import annotations

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build, scalars
from stilltrue.evidence.readers.documents import document
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.readers.trainer_rows import COLUMNS, kind_of, units_of
from stilltrue.evidence.tables.frames import Frame
from stilltrue.quantity import Units

_KIND = "a `trainer_state.json`"


def _recognises(head: bytes) -> bool:
    return head.lstrip().startswith(b"{") and b'"log_history"' in head


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    found = document(content, deadline, "log_history", _KIND)
    if "global_step" not in found.root:
        raise other_format(_KIND, "it has no `global_step` at its root")
    rows = [Row({"kind": kind_of(entry)} | scalars(entry), line) for entry, line in found.entries]
    return (build(rows, units_of(rows), units, line=found.line),)


TRAINER_STATE = Reader(
    means="the `trainer_state.json` that Hugging Face's Trainer keeps in a checkpoint",
    content="is an object with `log_history`",
    rows="one entry of `log_history`",
    columns=COLUMNS,
    traps=(
        (
            "Training, evaluation and the end of the run are mixed in one list: `kind` is `training`, "
            "`evaluation` or `summary`. `where: kind = 'training'` with `take: last` is the last logged "
            "loss."
        ),
        (
            "`loss` is the mean since the entry before, not that of its step; `train_loss` of the summary "
            "is the mean over the whole run, and where a run was resumed, over its last part divided by all"
            " steps."
        ),
        "A resumed run can hold a step twice: `take: only` refuses, and says where.",
        "NaN and Infinity are read, and agree with no stated number.",
        "The root's own values are read as a tree: `path: $.best_metric`.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    suffixes=(".json",),
)
