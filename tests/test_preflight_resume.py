"""What a run would resume from: the files of one step, the order of its samples, the report of its cuts."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from preflight_found import assert_refused, failing, findings, said
from preflight_support import launch_of
from stilltrue.preflight.asked import checkpoint
from stilltrue.preflight.checks import resume
from stilltrue.preflight.finding import Launch
from stilltrue.preflight.progress import Progress

ORDER = [*range(7, 0, -1), *range(8, 13)]
OTHER = [2, 1, *ORDER[2:]]
TRUNCATION = {"total": 14, "kept": 9, "truncated": 3, "dropped": 2, "cap": 64}
SETTINGS = """\
resume:
  checkpoint: out/checkpoint-3
  order: out/order.json
  batch: 2
  truncation: out/truncation.json
  cap: {file: out/run.yml, path: $.max_length}
"""


def digest(order: list[Any]) -> str:
    """The digest of an order, as the documentation has it."""
    return hashlib.sha256("".join(f"{name}\n" for name in order).encode()).hexdigest()


def order_of(order: Any, sha256: str | None = None) -> str:
    return json.dumps({"order": order, "sha256": digest(order) if sha256 is None else sha256}, indent=1)


FILES = {
    "out/order.json": order_of(ORDER),
    "out/truncation.json": json.dumps(TRUNCATION),
    "out/run.yml": "max_length: 64\n",
}


def state(step: Any) -> dict[str, str]:
    """What the Trainer writes of itself, in a run of 6 steps."""
    return noted(global_step=step, epoch=step / 6 if isinstance(step, int) else 0.5)


def noted(**more: Any) -> dict[str, str]:
    """A state of the Trainer: more of what it writes, or other than of the step 3 of 6."""
    values = {"epoch": 0.5, "global_step": 3, **more}
    return {"out/checkpoint-3/trainer_state.json": json.dumps(values, indent=2)}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the launch's interpreter tells of optimizer and scheduler, without asking it."""
    answer: dict[str, Any] = {"optimizer": [3.0], "scheduler": [3.0]}

    def ask(_launch: Launch, program: str, question: dict[str, str], **_how: Any) -> dict[str, Any]:
        assert program == "checkpoint"
        assert all(Path(file).is_file() for file in question.values())
        return {name: answer[name] for name in question}

    monkeypatch.setattr(resume, "ask", ask)
    return answer


@pytest.fixture
def root(tmp_path: Path, told: dict[str, Any]) -> Path:
    """A checkpoint of step 3 whose states are files that nobody reads."""
    del told
    files = {**FILES, **state(3), "out/checkpoint-3/optimizer.pt": "-", "out/checkpoint-3/scheduler.pt": "-"}
    return launch_of(tmp_path, SETTINGS, files)


def test_files_of_one_step_pass_and_the_next_sample_is_named(root: Path) -> None:
    assert said(root) == {
        "checkpoint": "ok global_step is 3",
        "optimizer": "ok its state is at step 3",
        "scheduler": "ok its state is at step 3",
        "truncation": "ok 9 kept + 3 truncated + 2 dropped are all 14",
        "length limit": "ok 64 in the report and in the run",
        "order": f"ok 12 samples, sha256 {digest(ORDER)[:12]}…",
        "batch": "ok 2 a step, as the state is at epoch 0.5 of 1 after 3 steps with 12 samples",
        "position": "ok goes on at sample 7 of 12, which is `1`",
        "samples of the order": "ok 12 different samples, as many as were not dropped",
    }


STATES: dict[str, tuple[str, Any, str]] = {
    "optimizer-behind": ("optimizer", [2.0], "its state is at step 2, and global_step is 3"),
    "optimizer-of-two": ("optimizer", [2.0, 3.0], "its state is at step 2, 3, and global_step is 3"),
    "optimizer-empty": ("optimizer", [], "its state counts no steps"),
    "scheduler-ahead": ("scheduler", [6.0], "its state is at step 6, and global_step is 3"),
    "scheduler-empty": ("scheduler", [], "its state counts no steps"),
    "scheduler-cut": (
        "scheduler",
        "EOFError: Ran out of input",
        "it cannot be read: EOFError: Ran out of input",
    ),
    "scheduler-no-number": ("scheduler", [float("nan")], "its state is at step nan, and global_step is 3"),
}


@pytest.mark.parametrize("name", STATES)
def test_a_state_of_another_step_fails(name: str, root: Path, told: dict[str, Any]) -> None:
    what, steps, saw = STATES[name]
    told[what] = steps
    assert failing(root) == [what]
    assert said(root)[what] == f"FAIL {saw}"


def test_what_counts_no_steps_can_be_left_out(root: Path, told: dict[str, Any]) -> None:
    told.clear()
    launch_of(root, f"{SETTINGS}  optimizer: no\n  scheduler: no\n")
    for name in ("optimizer", "scheduler"):
        (root / f"out/checkpoint-3/{name}.pt").unlink()
    found = said(root)
    assert not {"optimizer", "scheduler"} & set(found)
    assert all(text.startswith("ok") for text in found.values())


CHANGES: dict[str, tuple[dict[str, str], str, str]] = {
    "renamed-folder": (state(4), "checkpoint", "global_step is 4 in `out/checkpoint-3`"),
    "order-changed": (
        {"out/order.json": order_of(OTHER, digest(ORDER))},
        "order",
        f"the digest of its 12 samples is {digest(OTHER)[:12]}…, and it says `{digest(ORDER)[:9]}",
    ),
    "order-too-short": (
        {"out/order.json": order_of(ORDER[:6])},
        "position",
        "3 steps of 2 are 6, and the order ends at 6",
    ),
    "order-without-a-sample": (
        {"out/order.json": order_of([*ORDER[:-1], 1])},
        "samples of the order",
        "it holds 11 different samples, and 12 were not dropped",
    ),
    "report-does-not-add-up": (
        {"out/truncation.json": json.dumps({**TRUNCATION, "total": 15})},
        "truncation",
        "9 kept + 3 truncated + 2 dropped are 14, and the total is 15",
    ),
    "nothing-left": (
        {"out/truncation.json": json.dumps({"total": 2, "kept": 0, "truncated": 0, "dropped": 2, "cap": 64})},
        "truncation",
        "0 kept + 0 truncated + 2 dropped: nothing is left",
    ),
    "another-limit": (
        {"out/run.yml": "max_length: 128\n"},
        "length limit",
        "the report is of 64, and the run has 128",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_of_another_run_fails(name: str, root: Path) -> None:
    changed, what, saw = CHANGES[name]
    launch_of(root, SETTINGS, changed)
    found = said(root)
    assert found[what].startswith(f"FAIL {saw}")


def test_the_last_sample_is_one_to_go_on_with(root: Path) -> None:
    launch_of(root, SETTINGS.replace("batch: 2", "batch: {file: out/run.yml, path: $.batch}"))
    (root / "out/run.yml").write_text("max_length: 64\nbatch: 3\n", encoding="utf-8")
    assert said(root)["position"] == "ok goes on at sample 10 of 12, which is `10`"
    (root / "out/run.yml").write_text("max_length: 64\nbatch: 4\n", encoding="utf-8")
    assert said(root)["position"] == "FAIL 3 steps of 4 are 12, and the order ends at 12"


def test_samples_may_have_names(root: Path) -> None:
    names = [f"dialogue/{number}é" for number in ORDER]
    launch_of(root, SETTINGS, {"out/order.json": order_of(names)})
    assert said(root)["position"] == "ok goes on at sample 7 of 12, which is `dialogue/1é`"


UNREADABLE: dict[str, tuple[dict[str, str], str]] = {
    "no-step": ({"out/checkpoint-3/trainer_state.json": '{"step": 3}'}, "global_step"),
    "step-of-text": (state("3"), "`global_step` is no count: 3"),
    "step-of-a-half": (state(3.5), "`global_step` is no count: 3.5"),
    "step-below-0": (state(-1), "`global_step` is no count: -1"),
    "step-true": (state(True), "`global_step` is no count: true"),
    "cut": ({"out/checkpoint-3/trainer_state.json": '{"global_step": 3'}, "this is not valid JSON"),
    "no-order": ({"out/order.json": json.dumps({"order": [], "sha256": digest([])})}, "`order` is no list"),
    "order-of-lists": ({"out/order.json": order_of([[1], [2]])}, "`order` is no list"),
    "order-of-switches": ({"out/order.json": order_of([True])}, "`order` is no list"),
    "no-digest": ({"out/order.json": json.dumps({"order": ORDER})}, "sha256"),
    "no-cut": ({"out/truncation.json": json.dumps({"total": 9, "kept": 9, "cap": 64})}, "truncated"),
    "limit-is-none": ({"out/run.yml": "max_length: null\n"}, "`cap` is no whole number above 0: null"),
    "limit-is-0": ({"out/run.yml": "max_length: 0\n"}, "`cap` is no whole number above 0: 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_no_pass_and_says_where(name: str, root: Path) -> None:
    changed, saw = UNREADABLE[name]
    launch_of(root, SETTINGS, changed)
    last = findings(root)[-1]
    assert not last["ok"]
    assert saw in last["saw"]
    assert last["path"] == next(iter(changed))


@pytest.mark.parametrize(
    "gone", ["checkpoint-3/trainer_state.json", "checkpoint-3/optimizer.pt", "order.json", "truncation.json"]
)
def test_a_missing_file_is_no_pass(gone: str, root: Path) -> None:
    (root / "out" / gone).unlink()
    last = findings(root)[-1]
    assert (last["ok"], last["saw"]) == (False, f"there is no file `out/{gone}`")


BAD = {
    "nothing": (SETTINGS, "resume:\n  batch: 2\n", 1, "names nothing to resume from", "checkpoint: "),
    "no-batch": ("  batch: 2\n", "", 3, "`batch` is missing in `resume`", "batch: 16"),
    "no-cap": ("  cap: {file: out/run.yml, path: $.max_length}\n", "", 5, "`cap` is missing", "cap: 8192"),
    "misspelt": ("  batch", "  batches", 4, "unknown key `batches`", "batch"),
    "outside": ("out/order.json", "/order.json", 3, "is an absolute path", "from the repository's root"),
    "no-switch": ("  batch: 2", "  batch: 2\n  optimizer: false", 5, "must be yes or no", "optimizer: no"),
    "half-a-place": ("{file: out/run.yml, path:", "{path:", 6, "`file` is missing", "file: "),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_settings_are_refused_with_their_line(name: str, tmp_path: Path) -> None:
    old, new, line, *words = BAD[name]
    assert old in SETTINGS
    assert_refused(tmp_path, SETTINGS.replace(old, new), line, *words)


BATCHES: dict[str, tuple[str, dict[str, Any], str]] = {
    "too-small": (
        "1",
        {},
        "1 a step, and the state is at epoch 0.5 of 1 after 3 steps with 12 samples, which is 2",
    ),
    "too-small-by-the-steps": (
        "1",
        {"epoch": None, "max_steps": 6},
        "the run has 6 steps for 12 samples, which is 2",
    ),
    "no-multiple": ("2", {"train_batch_size": 4}, "2 a step, and each process took 4 at once"),
    "of-epochs-without-a-length": (
        "1",
        {"max_steps": 6, "num_train_epochs": sys.maxsize},
        "the state is at epoch 0.5 of 1 after 3 steps",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BATCHES)
def test_another_batch_than_the_state_speaks_of_fails(name: str, root: Path) -> None:
    batch, values, saw = BATCHES[name]
    launch_of(root, SETTINGS.replace("batch: 2", f"batch: {batch}"), noted(**values))
    found = said(root)
    assert found["batch"].startswith("FAIL")
    assert saw in found["batch"]


@pytest.mark.parametrize(
    ("values", "saw"),
    [
        ({"train_batch_size": 1}, "ok 2 a step, a multiple of the 1 of a process"),
        ({"train_batch_size": 4}, "FAIL 2 a step, and each process took 4 at once"),
    ],
)
def test_without_an_order_a_batch_is_held_to_that_of_a_process(
    values: dict[str, Any], saw: str, root: Path
) -> None:
    launch_of(root, "resume: {checkpoint: out/checkpoint-3, batch: 2}\n", noted(**values))
    assert said(root)["batch"] == saw


def test_a_state_that_tells_nothing_of_it_judges_no_batch(root: Path) -> None:
    launch_of(root, SETTINGS, noted(epoch=None))
    assert "batch" not in said(root)


@given(
    dataset=st.integers(20, 400),
    micro=st.integers(1, 4),
    accumulation=st.integers(1, 3),
    processes=st.integers(1, 3),
    epochs=st.integers(1, 3),
    drop_last=st.booleans(),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_the_batch_of_a_run_fits_at_each_step_and_half_of_it_or_twice_does_not(
    dataset: int,
    micro: int,
    accumulation: int,
    processes: int,
    epochs: int,
    drop_last: bool,
    data: st.DataObject,
) -> None:
    """Counted as the Trainer does: in batches of all processes; an epoch's last step takes what is left."""
    at_once = micro * processes
    length = dataset // at_once if drop_last else -(-dataset // at_once)
    batch = at_once * accumulation
    an_epoch = -(-length // accumulation)
    assume(an_epoch >= 4)
    step = data.draw(st.integers(3, an_epoch * epochs))
    before, within = divmod(step - 1, an_epoch)
    epoch = before + min((within + 1) * accumulation, length) / length
    whole = [Fraction(value) for value in (micro, epoch, epochs, an_epoch * epochs)]
    found = Progress(step, *whole).of(batch, dataset * epochs)
    assert found is not None
    assert found[0], found
    for other in (batch / 2, batch * 2):
        if other == int(other) and dataset > 12 * batch:
            wrong = Progress(step, Fraction(0), *whole[1:]).of(int(other), dataset * epochs)
            assert wrong is not None
            assert not wrong[0], wrong


def test_a_folder_may_be_written_as_one(root: Path) -> None:
    launch_of(root, SETTINGS.replace("out/checkpoint-3", "./out/checkpoint-3/"))
    assert failing(root) == []


def test_a_number_that_is_none_is_told_where_it_stands(root: Path) -> None:
    launch_of(root, SETTINGS.replace("batch: 2", "batch: two"))
    last = findings(root)[-1]
    assert (last["saw"], last["line"]) == ("`batch` is no whole number above 0: two", 4)


@pytest.mark.parametrize(
    ("rule", "changed"),
    [("is_digest", {"out/order.json": order_of(ORDER, "0" * 64)}), ("agrees", state(4))],
    ids=["order", "step"],
)
def test_a_check_without_its_comparison_would_pass(
    rule: str, changed: dict[str, str], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch_of(root, SETTINGS.partition("  truncation")[0], changed)
    assert failing(root)
    monkeypatch.setattr(resume, rule, lambda *_: True)
    assert not failing(root)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A checkpoint of three real steps of AdamW under a schedule."""
    import torch  # noqa: PLC0415  # the other tests do without

    parameter = torch.nn.Parameter(torch.ones(4))
    optimizer = torch.optim.AdamW([parameter], lr=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (step + 1))
    for _ in range(3):
        parameter.grad = torch.ones(4)
        optimizer.step()
        scheduler.step()
    folder = tmp_path_factory.mktemp("trained")
    torch.save(optimizer.state_dict(), folder / "optimizer.pt")
    torch.save(scheduler.state_dict(), folder / "scheduler.pt")
    yield folder


@pytest.mark.torch
def test_a_real_optimizer_is_read_by_the_launch_s_interpreter(trained: Path, tmp_path: Path) -> None:
    launch_of(tmp_path, "resume: {checkpoint: out/checkpoint-3}\n", state(3))
    for name in ("optimizer.pt", "scheduler.pt"):
        shutil.copy(trained / name, tmp_path / "out/checkpoint-3" / name)
    assert said(tmp_path) == {
        "checkpoint": "ok global_step is 3",
        "optimizer": "ok its state is at step 3",
        "scheduler": "ok its state is at step 3",
    }


@pytest.mark.torch
def test_the_steps_of_real_states_are_told(trained: Path) -> None:
    asked = {name: str(trained / f"{name}.pt") for name in ("optimizer", "scheduler")}
    assert checkpoint.main(asked) == {"optimizer": [3.0], "scheduler": [3.0]}
    assert checkpoint.main({"scheduler": asked["scheduler"]}) == {"scheduler": [3.0]}


@pytest.mark.torch
def test_an_optimizer_that_keeps_no_count_has_no_steps(tmp_path: Path) -> None:
    import torch  # noqa: PLC0415  # the other tests do without

    parameter = torch.nn.Parameter(torch.ones(4))
    optimizer = torch.optim.SGD([parameter], lr=0.1, momentum=0.9)
    parameter.grad = torch.ones(4)
    optimizer.step()
    torch.save(optimizer.state_dict(), tmp_path / "optimizer.pt")
    assert checkpoint.main({"optimizer": str(tmp_path / "optimizer.pt")}) == {"optimizer": []}


class Evil:
    """What runs a program when it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return exec, ("raise SystemExit('it ran')",)


@pytest.mark.torch
def test_nothing_that_a_file_holds_is_run(tmp_path: Path) -> None:
    import torch  # noqa: PLC0415  # the other tests do without

    torch.save({"state": {0: {"step": Evil()}}}, tmp_path / "optimizer.pt")
    told = checkpoint.main({"optimizer": str(tmp_path / "optimizer.pt")})
    assert told == {"optimizer": "UnpicklingError: Weights only load failed"}


@pytest.mark.torch
@pytest.mark.parametrize("name", ["half", "nothing", "a list", "text"])
def test_a_state_that_is_none_is_told_beside_the_other(name: str, trained: Path, tmp_path: Path) -> None:
    import torch  # noqa: PLC0415  # the other tests do without

    whole = (trained / "optimizer.pt").read_bytes()
    file = tmp_path / "optimizer.pt"
    if name == "a list":
        torch.save([1], file)
    else:
        file.write_bytes({"half": whole[: len(whole) // 2], "nothing": b"", "text": b"no state"}[name])
    told = checkpoint.main({"optimizer": str(file), "scheduler": str(trained / "scheduler.pt")})
    assert isinstance(told["optimizer"], str)
    assert "\n" not in told["optimizer"]
    assert told["scheduler"] == [3.0]


INTERPRETERS = {
    "not-there": ("", "`python-of-nowhere` cannot be started"),
    "without-torch": (
        "echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1",
        "No module named 'torch'",
    ),
    "too-slow": ("sleep 60", "it took longer than 0.2 s, and was ended"),
    "mute": ("true", "gave no answer"),
}


@pytest.mark.parametrize("name", INTERPRETERS)
def test_an_interpreter_that_cannot_tell_is_no_pass(name: str, tmp_path: Path) -> None:
    program, saw = INTERPRETERS[name]
    python = "runs/python" if program else "python-of-nowhere"
    settings = f"python: {python}\nresume: {{checkpoint: out/checkpoint-3, timeout: 200 ms}}\n"
    beside = {f"out/checkpoint-3/{name}.pt": "-" for name in ("optimizer", "scheduler")}
    launch_of(tmp_path, settings, {**state(3), **beside, "runs/python": f"#!/bin/sh\n{program}\n"})
    (tmp_path / "runs/python").chmod(0o755)
    first, last = findings(tmp_path)
    assert (first["ok"], last["ok"]) == (True, False)
    assert saw in last["saw"]
