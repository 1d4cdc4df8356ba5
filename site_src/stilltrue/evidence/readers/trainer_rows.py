"""The records of Hugging Face's Trainer, in its state file and in its output: which kind each one is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stilltrue.evidence.readers.building import Row
from stilltrue.evidence.tables.frames import Kind

TRAINING, EVALUATION, SUMMARY = "training", "evaluation", "summary"

COLUMNS: dict[str, str | Kind] = {
    "kind": Kind.TEXT,
    "step": "",
    "epoch": "",
    "loss": "",
    "grad_norm": "",
    "learning_rate": "",
    "eval_loss": "",
    "eval_runtime": "s",
    "eval_samples_per_second": "samples/s",
    "eval_steps_per_second": "steps/s",
    "train_loss": "",
    "train_runtime": "s",
    "train_samples_per_second": "samples/s",
    "train_steps_per_second": "steps/s",
    "total_flos": "FLOP",
}
"""The columns that every version writes; metrics of one's own come after them."""

_ENDS = {"_runtime": "s", "_samples_per_second": "samples/s", "_steps_per_second": "steps/s"}


def kind_of(keys: Iterable[str]) -> str:
    """What one record is, by its keys: the end of the run has `train_runtime`, an evaluation `…_runtime`.

    An evaluation that was logged without its times is known by keys that begin with `eval_`.
    """
    names = set(keys)
    if "train_runtime" in names:
        return SUMMARY
    if any(name.startswith("eval_") or name.endswith("_runtime") for name in names):
        return EVALUATION
    return TRAINING


def units_of(rows: Sequence[Row]) -> dict[str, str | Kind]:
    """`COLUMNS`, and those that one's own prefix (`test_runtime`) gives a unit."""
    met = dict.fromkeys(heading for row in rows for heading in row.cells)
    known = dict(COLUMNS)
    for heading in met:
        unit = next((unit for end, unit in _ENDS.items() if heading.endswith(end)), "")
        if unit:
            known.setdefault(heading, unit)
    return known
