"""Which step a checkpoint's optimizer and scheduler are at.

The question names files: `{"optimizer": FILE, "scheduler": FILE}`, or one of them. The answer has for each
the different counts of steps in its state, sorted, none where it keeps none; or a text that says why it
cannot be read. Files are read as weights alone, so nothing that they hold is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def steps_of(state: Mapping[str, Any]) -> list[float]:
    """The different counts of steps in an optimizer's state."""
    found = {float(each["step"]) for each in state.get("state", {}).values() if "step" in each}
    return sorted(found)


def last_of(state: Mapping[str, Any]) -> list[float]:
    """The last step of a scheduler."""
    last = state.get("last_epoch")
    return [] if last is None else [float(last)]


COUNTS: Mapping[str, Callable[[Mapping[str, Any]], list[float]]] = {
    "optimizer": steps_of,
    "scheduler": last_of,
}


def main(question: Mapping[str, str]) -> dict[str, list[float] | str]:
    """The answer."""
    import torch  # noqa: PLC0415  # a missing one is the answer to a question, not to an import

    answer: dict[str, list[float] | str] = {}
    for name, file in question.items():
        try:
            answer[name] = COUNTS[name](torch.load(file, map_location="cpu", weights_only=True))
        except Exception as error:  # noqa: BLE001  # a file that is cut short can raise anything
            answer[name] = f"{type(error).__name__}: {first(error)}"
    return answer


def first(error: Exception) -> str:
    """The first sentence of what a library says; the next ones of torch tell how to read it unsafely."""
    return " ".join(str(error).split()).partition(". ")[0]
