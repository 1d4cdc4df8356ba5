"""Which step a checkpoint's optimizer and scheduler are at: `checkpoint.py '{"optimizer": FILE}'`.

Prints `{"optimizer": [steps…], "scheduler": step}` for the files that are named: the different counts of
steps in the optimizer's state, sorted, empty where it keeps none; the scheduler's last one, null where it
keeps none. Files are read as weights alone, so nothing that they hold is run.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def steps_of(state: dict[str, Any]) -> list[float]:
    """The different counts of steps in an optimizer's state."""
    found = {float(each["step"]) for each in state.get("state", {}).values() if "step" in each}
    return sorted(found)


def main(question: dict[str, str]) -> dict[str, Any]:
    """The answer."""
    import torch  # noqa: PLC0415  # a missing one is the answer to a question, not to an import

    def read(name: str) -> Any:
        return torch.load(question[name], map_location="cpu", weights_only=True)

    answer: dict[str, Any] = {}
    if "optimizer" in question:
        answer["optimizer"] = steps_of(read("optimizer"))
    if "scheduler" in question:
        answer["scheduler"] = read("scheduler").get("last_epoch")
    return answer


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(json.loads(sys.argv[1]))))
