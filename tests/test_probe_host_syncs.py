from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused, document_of, said_by

torch = pytest.importorskip("torch")
host_syncs = pytest.importorskip("host_syncs")
sync_watch = pytest.importorskip("probe_parts.sync_watch")
sync_instruments = pytest.importorskip("probe_parts.sync_instruments")

pytestmark = pytest.mark.torch

HARNESS = """
import torch

def harness():
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.AdamW(model.parameters())

    def step(width):
        batch = torch.ones(width, 2)

        def take():
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            return loss.detach()

        return take

    def logged(width):
        take = step(width)
        return lambda: print(take().item())

    return {"step": step, "logged": logged}
"""


def reads(act: Callable[[], object]) -> list[tuple[str, str]]:
    """Kind and operator of each read."""
    return [(read.kind, read.operator) for read in sync_watch.counted(act).reads]


# The watch ---------------------------------------------------------------------------------------------


READS: dict[str, tuple[Callable[[Any], object], list[tuple[str, str]]]] = {
    "item": (lambda x: x.sum().item(), [("number", "_local_scalar_dense")]),
    "end of a slice": (lambda x: x[: x.argmax()], [("number", "_local_scalar_dense")]),
    "formatted": (lambda x: f"{x.sum():.2f}", [("number", "_local_scalar_dense")]),
    "equal": (lambda x: torch.equal(x, x + 1), [("number", "equal")]),
    "inverse": (lambda x: torch.linalg.inv(torch.diag(x)), [("number", "_linalg_check_errors")]),
    "mask as index": (lambda x: x[x > 1], [("size", "index")]),
    "where": (lambda x: torch.where(x > 1), [("size", "nonzero")]),
    "repeated": (lambda x: x.repeat_interleave(x.long()), [("size", "repeat_interleave")]),
    "repeated to a size": (lambda x: x.repeat_interleave(x.long(), output_size=6), []),
    "put": (lambda x: x.clone().index_put_((x > 1,), torch.ones(2)), [("size", "index_put_")]),
    "one number put": (lambda x: x.clone().index_put_((x > 1,), torch.ones(())), []),
    "list": (lambda x: x.tolist(), [("tensor", "tolist")]),
    "list of one": (lambda x: x.sum().tolist(), [("tensor", "tolist")]),
    "numpy": (lambda x: x.numpy(), [("tensor", "numpy")]),
    "array": (lambda x: x.__array__(), [("tensor", "array")]),
    "cpu": (lambda x: x.cpu(), [("tensor", "cpu")]),
    "printed": (repr, [("tensor", "repr")]),
    "pickled": (pickle.dumps, [("tensor", "reduce_ex")]),
    "nothing": (lambda x: (x[[0, 2]], x.clone(), x.max(), x + 1), []),
}


@pytest.mark.parametrize(("act", "seen"), READS.values(), ids=READS)
def test_each_way_to_read_counts_once_and_what_reads_nothing_does_not(
    act: Callable[[Any], object], seen: list[tuple[str, str]]
) -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    assert reads(lambda: act(x)) == seen


def test_a_read_belongs_to_the_part_of_the_step_it_is_in_and_to_a_line_of_the_caller() -> None:
    from torch.utils.checkpoint import checkpoint  # noqa: PLC0415  # torch may be missing

    class Nosy(torch.nn.Linear):  # type: ignore[misc, name-defined]  # torch may be missing
        def forward(self, x: Any) -> Any:
            float(x.detach().sum())
            return super().forward(x)

    model = Nosy(3, 1)
    optimizer = torch.optim.AdamW(model.parameters())

    def step() -> None:
        loss = checkpoint(model, torch.ones(2, 3), use_reentrant=False).sum()
        loss.backward()
        optimizer.step()
        loss.detach().item()

    syncs = sync_watch.counted(step)
    assert [read.stage for read in syncs.reads] == ["forward", "backward", "around"]
    line = step.__code__.co_firstlineno + 4
    assert syncs.reads[-1].caller == f"tests/{Path(__file__).name}:{line}"
    assert syncs.copies == ()  # the counters that the optimizer makes in its first step stay on the host


def test_what_an_optimizer_of_ones_own_reads_counts_and_its_counters_do_not() -> None:
    class Clipping(torch.optim.AdamW):  # type: ignore[misc, name-defined]  # torch may be missing
        def step(self, closure: Any = None) -> Any:
            if self.param_groups[0]["params"][0].grad.norm() > 1:
                super().step(closure)

    weight = torch.nn.Parameter(torch.ones(3))
    weight.grad = torch.ones(3)
    assert [read.stage for read in sync_watch.counted(Clipping([weight]).step).reads] == ["optimizer"]


@pytest.mark.parametrize(
    ("act", "made"),
    [
        (lambda x: torch.tensor(2.0, device=x.device), [("tensor", True)]),
        (lambda x: x * torch.tensor(2.0), [("tensor", False)]),
        (lambda x: x.new_tensor(2.0), [("new_tensor", True)]),
        (lambda x: x[[0, 2]], [("__getitem__", True)]),
        (lambda x: torch.tensor([], device=x.device), []),
        (lambda x: torch.full((2,), 2.0, device=x.device), []),
    ],
    ids=["a device", "none", "where another is", "a list as an index", "nothing", "filled there"],
)
def test_a_tensor_made_of_numbers_is_sent_where_a_device_is_named(
    act: Callable[[Any], object], made: list[tuple[str, bool]]
) -> None:
    x = torch.ones(3)
    assert [(copy.function, copy.placed) for copy in sync_watch.counted(lambda: act(x)).copies] == made


def test_a_tensor_sent_from_the_cpu_to_the_cpu_is_undecided() -> None:
    x = torch.ones(3)
    syncs = sync_watch.counted(lambda: (x.to("cpu"), x.to(torch.float64), x.to(device=x.device)))
    assert (len(syncs.reads), len(syncs.undecided)) == (0, 2)


def test_everything_is_put_back_also_where_the_callable_fails() -> None:
    methods = {name: vars(torch.Tensor).get(name) for name in (*sync_watch.TENSORS, "to")}
    backward = torch.autograd.backward

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        sync_watch.counted(fail)
    assert {name: vars(torch.Tensor).get(name) for name in methods} == methods
    assert torch.autograd.backward is backward


# The instruments ---------------------------------------------------------------------------------------


def test_a_score_counts_what_was_seen_missed_and_seen_for_nothing() -> None:
    names = tuple(sync_instruments.INSTRUMENTS)
    rows = [
        {"way": "a", "waits": True, **dict.fromkeys(names, True)},
        {"way": "b", "waits": True, **dict.fromkeys(names, False)},
        {"way": "c", "waits": False, **dict.fromkeys(names, True)},
        {"way": "d", "waits": True, **dict.fromkeys(names, "undecided")},
    ]
    assert sync_instruments.score(rows)["watch"] == {
        "waits": 3,
        "seen": 1,
        "missed": ["b"],
        "false_alarms": ["c"],
    }


def test_fake_tensors_refuse_what_needs_a_number_and_say_which_operator() -> None:
    assert sync_instruments.first_refusal(lambda: torch.rand(3) + 1) == ""
    assert "_local_scalar_dense" in sync_instruments.first_refusal(lambda: torch.rand(3).sum().item())


# The document ------------------------------------------------------------------------------------------


@pytest.fixture
def own_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (tmp_path / "own_run_of_syncs.py").write_text(HARNESS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return ["--harness", "own_run_of_syncs:harness", "--widths", "4"]


def test_a_readers_own_steps_are_counted_by_stage_and_line(own_run: list[str]) -> None:
    document, told = said_by(host_syncs, own_run)
    plain, logged = document["steps"]
    assert plain["stages"] == {"forward": 0, "backward": 0, "optimizer": 0, "around": 0}
    assert (logged["reads"], logged["stages"]["around"], logged["kinds"]["number"]) == (1, 1, 1)
    (where,) = logged["where"]
    assert where["caller"].startswith("own_run_of_syncs.py:")
    assert where["times"] == 1
    assert "logged, width 4: 1 reads (0 forward, 0 backward, 0 optimizer, 1 around); 0 sent" in told
    assert document["score"]["patch"]["seen"] < document["score"]["watch"]["seen"]
    assert document["metrics"]["reads"] == {"each_step": 3 * 20, "interval": 3 * 2, "interval_stacked": 2}
    assert document["metrics"]["apart"] < 1e-5
    assert {row["copies"] for row in document["sends"]} == {0, 1}


def test_the_planted_read_shows_in_every_step(own_run: list[str]) -> None:
    planted = document_of(host_syncs, [*own_run, "--plant", "read-in-step"])
    assert [row["reads"] for row in planted["steps"]] == [1, 2]


def test_a_watch_of_operators_alone_misses_whole_tensors(own_run: list[str]) -> None:
    missed = document_of(host_syncs, [*own_run, "--plant", "operators-alone"])["score"]["watch"]["missed"]
    assert {"x.tolist()", "x.numpy()", "x.cpu()"} <= set(missed)


def test_a_harness_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(host_syncs, ["--harness", "nowhere:harness"], "there is no module `nowhere`", capsys)


@pytest.mark.parametrize(
    ("how", "expected"),
    [({}, 0), ({"padding": "all ones"}, 2), ({"padding": "right"}, 4), ({"cache": False}, 2)],
    ids=["no mask", "ones", "right", "no cache"],
)
def test_the_look_into_a_mask_is_counted_once_for_each_kind_of_layer(
    how: dict[str, Any], expected: int
) -> None:
    examples = pytest.importorskip("probe_parts.sync_examples")
    assert len(sync_watch.counted(examples.step_of(8, **how)).at("forward")) == expected
