"""Every check before a launch, on a real one: a LoRA run with the Trainer of transformers, on the CPU.

One clean pass as people run it, every program in its process; then each check is shown the one thing that it
is there for.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from launch_support import asked_here, copied, trained_once
from preflight_support import look
from recording_support import process_in, unchanged
from stilltrue.preflight.table import CHECKS

pytest.importorskip("peft")
torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(
        sys.platform != "linux" or shutil.which("pgrep") is None,
        reason="the watchdog of this launch looks with pgrep, and its check looks into /proc",
    ),
]


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained_once(tmp_path_factory)


IN_PROCESSES = [name for name in CHECKS if name != "arguments"]
"""What the clean pass runs as people do, each program in a process of its own: the one left out spends eight
seconds in importing what this process has imported already."""


def test_a_launch_that_is_as_it_should_be_passes_every_check(trained: Path) -> None:
    with unchanged(trained):
        done = process_in(trained, "preflight", "--format", "json", *only(IN_PROCESSES))
    assert done.out, done.err
    report = json.loads(done.out)
    assert {each["name"]: each["ok"] for each in report["checks"]} == dict.fromkeys(IN_PROCESSES, True)
    assert (done.code, report["ok"]) == (0, True)


def test_its_arguments_pass_too(trained: Path) -> None:
    with asked_here():
        seen = look(trained, "--only", "arguments")
    assert (seen.code, seen.wrong("arguments")) == (0, [])
    assert "11 arguments, each a parameter" in seen.right("arguments")[0]


def only(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield from ("--only", name)


def replaced(root: Path, name: str, old: str, new: str) -> None:
    file = root / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def dirty(root: Path) -> None:
    (root / "model-2.json").write_text("{}", encoding="utf-8")


def misnamed(root: Path) -> None:
    replaced(root, "arguments.yml", "warmup_steps:", "warmup_ratio:")


def keyed_by_name(root: Path) -> None:
    replaced(root, "key.py", "given.data.read_bytes()", "given.data.name.encode()")


def finds_itself(root: Path) -> None:
    replaced(root, "alive.sh", "'^python [t]rain", "'train")
    replaced(root, "alive.sh", "$'", "'")
    replaced(root, "preflight.yml", "bash alive.sh", "bash alive.sh train.py arguments.yml")


def padded_with_a_mask(root: Path) -> None:
    replaced(root, "train.py", '"labels": torch', '"attention_mask": torch.tensor(rows) > 0, "labels": torch')


def small_card(root: Path) -> None:
    replaced(root, "preflight.yml", "card: 1 MiB", "card: 0.5 MiB")


def not_that_attention(root: Path) -> None:
    replaced(root, "out/resolved.json", '"sdpa"', '"eager"')


def one_never_learned(root: Path) -> None:
    from safetensors.torch import load_file, save_file  # noqa: PLC0415  # brings torch

    file = root / "out/checkpoint-4/adapter_model.safetensors"
    tensors = load_file(file)
    name = next(name for name in tensors if "layers.1.self_attn.v_proj.lora_B" in name)
    save_file({**tensors, name: torch.zeros_like(tensors[name])}, file)


def serves_its_base(root: Path) -> None:
    (root / "out/answers-adapter.json").write_bytes((root / "out/answers-base.json").read_bytes())


def another_step(root: Path) -> None:
    replaced(root, "out/checkpoint-4/trainer_state.json", '"global_step": 4', '"global_step": 3')


def old_number(root: Path) -> None:
    replaced(root, "launch.sh", "set -euo", "# It was 16 tokens once.\nset -euo")


def one_sample_less(root: Path) -> None:
    replaced(root, "data/train.jsonl", '{"text": "for a night"}\n', "")


WRONG: dict[str, tuple[Callable[[Path], None], str]] = {
    "tree": (dirty, r"1 uncommitted file: `model-2\.json`"),
    "arguments": (misnamed, r"`warmup_ratio`: no parameter of `transformers\.TrainingArguments`"),
    "cache_keys": (keyed_by_name, r"input data: .*the key is still"),
    "watchdogs": (finds_itself, r"nothing running: .*alive"),
    "masks": (padded_with_a_mask, r"fast path at 24 tokens: 0 layers of 2 .*; 1 were stated"),
    "memory": (small_card, r"step: out of memory: 0\.55 MiB predicted"),
    "resolved": (not_that_attention, r"\$\.attention of out/resolved\.json: .*eager"),
    "adapters": (
        one_never_learned,
        r"adapters: 1 of 6 \(`model\.layers\.1\.self_attn\.v_proj`\) are as they",
    ),
    "served": (serves_its_base, r"adapter: 0 of 3 answers other than the base model's"),
    "resume": (another_step, r"optimizer: its state is at step 4, and global_step is 3"),
    "copies": (old_number, r"`16 tokens` is still the value of `first-cap`"),
    "relies_on": (one_sample_less, r"`samples`: .*drifted"),
}


def test_each_check_is_shown_what_it_is_there_for() -> None:
    wanted = "name each check in tests/launch/preflight.yml, and add to `WRONG` what it must catch there"
    assert WRONG.keys() == CHECKS.keys(), wanted


@pytest.mark.parametrize("name", WRONG)
def test_a_check_fails_where_the_launch_is_wrong(name: str, trained: Path, tmp_path: Path) -> None:
    spoil, said = WRONG[name]
    root = copied(trained, tmp_path)
    spoil(root)
    with asked_here():
        seen = look(root, "--only", name)
    assert seen.code == 1
    assert any(re.search(said, told) for told in seen.wrong(name)), seen.wrong(name)
