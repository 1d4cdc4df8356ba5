"""What Hugging Face's Trainer prints: Python dicts in single quotes, between progress bars."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, other_format
from stilltrue.evidence.readers.trainer_rows import COLUMNS, kind_of, units_of
from stilltrue.evidence.tables.frames import Frame
from stilltrue.quantity import Units

_FIRST = r"\{(?='(?:loss|eval_\w+|train_runtime)': |'[^{}\n]{0,4000}'epoch': [^{}\n]{0,100}\})"
_START = re.compile(_FIRST)
_STARTS = re.compile(_FIRST.encode())
_PAIR = re.compile(r"'([^'\n]{1,200})': (?:'([^'\n]{0,200})'|([^\s,{}'\"\[\]()]{1,100}))(, |\}(?!\}))")
_WORDS = {"None": "", "True": "true", "False": "false"}
_BROKEN = "it holds no whole list of names and numbers"
_PACE = 1024


def _recognises(text: bytes) -> bool:
    return _STARTS.search(text) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    rows: list[Row] = []
    for number, (at, line) in enumerate(_starts(content.shown_text)):
        if not number % _PACE:
            deadline.check()
        cells = _cells(content.shown_text, at + 1)
        if cells is None:
            rows.append(Row({}, line, cut("the record", line, _BROKEN, alone=True)))
        else:
            rows.append(Row({"kind": kind_of(cells)} | cells, line))
    if not rows:
        raise other_format("output of Trainer", "no record such as `{'loss': 0.5, …}` stands in it")
    return (build(rows, units_of(rows), units, line=rows[0].line),)


def _starts(text: str) -> Iterator[tuple[int, int]]:
    """Where each record begins, and its line."""
    line, counted = 1, 0
    for found in _START.finditer(text):
        line += text.count("\n", counted, found.start())
        counted = found.start()
        yield counted, line


def _cells(text: str, at: int) -> dict[str, str] | None:
    """The values of the record whose first key begins at `at`; None where it is cut or broken into."""
    cells: dict[str, str] = {}
    while (pair := _PAIR.match(text, at)) is not None and pair[1] not in cells:
        value = pair[2] if pair[2] is not None else pair[3]
        cells[pair[1]] = _WORDS.get(value, value)
        if pair[4] == "}":
            return cells
        at = pair.end()
    return None


TRAINER_OUTPUT = Reader(
    means="what Hugging Face's Trainer prints: `{'loss': 0.69, 'epoch': 0.16}` between progress bars",
    content="holds a dict that begins with `'loss'`, `'eval_…'` or `'train_runtime'`, or has `'epoch'`",
    rows="one printed dict",
    columns=COLUMNS,
    traps=(
        (
            "Dicts of training, of evaluation and of the end of the run are told apart by `kind`, as in "
            "`trainer_state.json`; `train_loss` is the mean over the run, not its last loss."
        ),
        ("They carry no step: `epoch` is rounded, so it need not name one record. The state file has both."),
        (
            "Progress bars that share the line are undone first; a record that another process printed "
            "into, or that the log ends in, is an error, and none is left out."
        ),
        "Later versions print fewer digits, and numbers in quotes; both are read as they stand.",
        "The lines `***** train metrics *****` give (`train_loss = 0.5`) are read with `match`.",
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
