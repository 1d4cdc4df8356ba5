from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe_support import assert_refused, document_of

torch = pytest.importorskip("torch")
functional = torch.nn.functional
losses = pytest.importorskip("probe_parts.losses")
arithmetic = pytest.importorskip("probe_parts.loss_arithmetic")
child = pytest.importorskip("probe_parts.loss_child")
count = pytest.importorskip("probe_parts.loss_count")
memory = pytest.importorskip("probe_parts.peak_memory")
probe = pytest.importorskip("loss_memory")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "memory" / "loss.json"
WAYS = ("naive", "chunked", "recomputed")
TINY = ("--tokens", "64", "--vocab", "500", "--hidden", "8", "--budget", "0.2MiB", "--chunks", "16,64")
SMALL = ("--measure", "64x512x8", "--chunk", "16", "--sweep", "8,32")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="resident peaks are Linux's")
HEAD = arithmetic.Head(256, 16384, 16, 2, softcap=True, trained=False)
RUN = child.Run("recomputed", 32, HEAD, "bfloat16", "cpu", returning=True, limit=0, plant="")


# The loss ----------------------------------------------------------------------------------------------


def inputs(batch: int = 2, tokens: int = 13) -> Any:
    torch.manual_seed(3)
    labels = torch.randint(40, (batch, tokens))
    labels[0, :4] = losses.IGNORED
    states = torch.randn(batch, tokens, 8, requires_grad=True)
    return states, torch.randn(40, 8, requires_grad=True), labels


@pytest.mark.parametrize("softcap", [None, 2.0])
@pytest.mark.parametrize("chunk", [1, 5, 26, 100])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_is_torchs_cross_entropy_of_the_labelled_tokens(
    way: str, chunk: int, softcap: float | None
) -> None:
    states, weight, labels = inputs()
    logits = states @ weight.T
    logits = logits if softcap is None else softcap * torch.tanh(logits / softcap)
    wanted = functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
    found = losses.head_loss(states, weight, labels, way=way, chunk=chunk, softcap=softcap)
    torch.testing.assert_close(found, wanted)
    for mine, theirs in zip(
        torch.autograd.grad(found, (states, weight)),
        torch.autograd.grad(wanted, (states, weight)),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs)


def test_a_loss_of_no_labelled_token_is_nan_as_in_torch() -> None:
    states, weight, labels = inputs()
    loss = losses.head_loss(states, weight, labels.fill_(-100), way="chunked", chunk=4, softcap=None)
    assert loss.isnan()


@pytest.mark.parametrize(("way", "chunk"), [("chunked", 0), ("recomputed", -3), ("fused", 8)])
def test_a_chunk_or_a_way_that_is_none_is_refused(way: str, chunk: int) -> None:
    states, weight, labels = inputs()
    with pytest.raises(ValueError, match=r"at least 1 token|is no way"):
        losses.head_loss(states, weight, labels, way=way, chunk=chunk, softcap=None)


# What is counted and reckoned --------------------------------------------------------------------------


@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("element", [2, 4])
@pytest.mark.parametrize(
    ("way", "chunk"),
    [
        ("naive", 1),
        ("chunked", 64),
        ("chunked", 100),
        ("recomputed", 64),
        ("recomputed", 100),
        ("recomputed", 256),
    ],
)
def test_the_arithmetic_is_what_is_counted(way: str, chunk: int, element: int, trained: bool) -> None:
    for softcap in (False, True):
        for hidden in (16, 2000):  # with a wide head the gradients of its matrix are what is highest
            head = arithmetic.Head(256, 3000, hidden, element, softcap, trained)
            alive = count.counted(head, way, chunk)
            assert arithmetic.peak_bytes(head, way, chunk) == pytest.approx(alive, rel=3e-3)


def test_the_naive_peak_is_what_torch_is_known_to_keep() -> None:
    logits = 256 * 16384
    for element, softcap, per_logit in ((2, False, 12), (2, True, 14), (4, False, 12), (4, True, 16)):
        head = replace(HEAD, element=element, softcap=softcap)
        assert count.counted(head, "naive", 256) == pytest.approx(per_logit * logits, rel=1e-4)


@settings(max_examples=60, deadline=None)
@given(
    tokens=st.integers(1, 40),
    vocab=st.integers(1, 50),
    hidden=st.integers(1, 60),
    trained=st.booleans(),
    budget=st.integers(0, 40_000),
)
def test_the_chunk_that_fits_is_the_largest_of_all(
    tokens: int, vocab: int, hidden: int, trained: bool, budget: int
) -> None:
    head = arithmetic.Head(tokens, vocab, hidden, 2, softcap=True, trained=trained)
    fitting = [
        size for size in range(1, tokens + 1) if arithmetic.peak_bytes(head, "recomputed", size) <= budget
    ]
    found = arithmetic.largest_chunk(head, budget)
    assert found == 0 or found in fitting
    if hidden < 4 * vocab:  # beyond, hidden states outgrow logits, and sizes in between may not fit
        assert found == max(fitting, default=0)
    naive = arithmetic.longest_naive(head, budget)
    for more in (0, 1):
        longer = replace(head, tokens=max(naive + more, 1))
        assert (arithmetic.peak_bytes(longer, "naive", 1) <= budget) is (more == 0 and naive > 0)


@pytest.mark.parametrize(("vocab", "first"), [(262144, 8192), (2**31 - 1, 2), (2, 2**30)])
def test_the_first_length_beyond_int32_is_the_first(vocab: int, first: int) -> None:
    assert arithmetic.first_beyond_int32(vocab) == first
    assert first * vocab > 2**31 - 1 >= (first - 1) * vocab


def test_computing_again_costs_the_head_once_more() -> None:
    for trained, naive, again in ((False, 4, 6), (True, 6, 8)):
        head = replace(HEAD, trained=trained)
        product = head.logits * head.hidden
        assert count.multiplications(head, "naive", 32) == naive * product
        assert count.multiplications(head, "recomputed", 32) == again * product


# Processes of their own --------------------------------------------------------------------------------


@linux
def test_a_child_adds_to_resident_memory_what_is_counted() -> None:
    head = replace(HEAD, tokens=1024)
    found = child.measured(replace(RUN, way="naive", chunk=1024, head=head))
    assert found["outcome"] == "measured"
    assert found["by"] == "VmHWM"
    assert found["peak"] == pytest.approx(count.counted(head, "naive", 1024), rel=0.15)


@linux
def test_a_child_without_enough_memory_says_so() -> None:
    tight = replace(RUN, way="naive", chunk=256, limit=16 * 2**20)
    assert child.measured(tight) == {"outcome": "out of memory", "peak": None}


@linux
def test_a_peak_read_as_inherited_is_the_parents() -> None:
    burden = torch.ones(2**26)
    found = child.measured(replace(RUN, plant="peak-of-parent"))
    assert found["by"] == "ru_maxrss"
    assert found["peak"] > burden.nbytes / 2 > 10 * count.counted(HEAD, "recomputed", 32)
    assert found["peak"] == found["hidden"]


@pytest.mark.parametrize(
    ("does", "outcome"), [("kill -KILL $$", "killed by SIGKILL"), ("kill -TERM $$", "killed by SIGTERM")]
)
def test_a_killed_child_is_an_outcome(
    does: str, outcome: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(script(tmp_path, does)))
    assert child.measured(RUN) == {"outcome": outcome, "peak": None}


@pytest.mark.parametrize(
    ("does", "reason"),
    [("echo one >&2; echo 'a bad day' >&2; exit 3", "a bad day"), ("exit 3", "said nothing")],
)
def test_a_child_that_fails_otherwise_stops_the_probe_with_its_reason(
    does: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(script(tmp_path, does)))
    with pytest.raises(SystemExit, match=f"recomputed in chunks of 32.*{reason}"):
        child.measured(RUN)


def script(folder: Path, does: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{does}\n", encoding="ascii")
    path.chmod(0o755)
    return path


def test_children_get_the_allocator_that_their_run_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = """printf '{"outcome": "%s"}' "$MALLOC_MMAP_THRESHOLD_" """
    monkeypatch.setattr(sys, "executable", str(script(tmp_path, says)))
    monkeypatch.setitem(os.environ, "MALLOC_MMAP_THRESHOLD_", "7")
    assert child.measured(RUN) == {"outcome": "65536"}
    assert child.measured(replace(RUN, returning=False)) == {"outcome": ""}


def test_an_error_that_is_not_of_memory_is_not_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert memory.is_out_of_memory(MemoryError())
    assert memory.is_out_of_memory(RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"))
    assert not memory.is_out_of_memory(RuntimeError("shapes cannot be multiplied"))

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("shapes cannot be multiplied")

    monkeypatch.setattr(child, "head_loss", fail)
    with pytest.raises(RuntimeError, match="shapes"):
        child.child(RUN)


def test_a_file_that_the_system_does_not_keep_says_nothing(tmp_path: Path) -> None:
    assert memory.status("VmHWM", tmp_path / "none") is None


def test_without_the_files_of_linux_the_peak_is_rusages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "status", lambda *_: None)
    monkeypatch.setattr(memory, "CLEAR", tmp_path / "none")
    watch = memory.Watch()
    assert watch.peak().by == "ru_maxrss"
    assert watch.peak().bytes >= 0
    assert memory.free_memory() is None
    assert memory.limit_memory(2**40) is False


# The document ------------------------------------------------------------------------------------------


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in this process, without a limit: a process of their own each would load torch twenty times."""

    def measured(run: Any) -> Any:
        if run.limit and arithmetic.peak_bytes(run.head, run.way, run.chunk) > run.limit:
            return {"outcome": "out of memory", "peak": None}
        return child.child(replace(run, limit=0))

    monkeypatch.setattr(child, "limit_memory", lambda _: True)
    monkeypatch.setattr(probe, "measured", measured)


def counted_of(document: Any, way: str, chunk: int, *, softcap: bool = True) -> int:
    rows = [
        row["counted"]
        for row in document["rows"]
        if (row["way"], row["chunk"], row["softcap"], row["allocator"]) == (way, chunk, softcap, "returning")
    ]
    assert len(rows) == 1
    return int(rows[0])


@pytest.mark.usefixtures("here")
def test_the_document_holds_every_way_beside_its_count() -> None:
    document = document_of(probe, (*TINY, *SMALL))
    logits = document["measured_logits"]["bfloat16"]
    assert logits == 64 * 512 * 2
    assert counted_of(document, "naive", 64) == pytest.approx(7 * logits, rel=0.02)
    assert counted_of(document, "naive", 64, softcap=False) == pytest.approx(6 * logits, rel=0.02)
    assert counted_of(document, "chunked", 16) == pytest.approx(4 * logits, rel=0.02)
    assert counted_of(document, "recomputed", 16) == pytest.approx(7 / 4 * logits, rel=0.02)
    assert {row["outcome"] for row in document["rows"]} == {"measured"}
    assert [row["outcome"] for row in document["trial"]["rows"]] == ["measured", "out of memory", "measured"]
    assert [row["tokens"] for row in document["full"]["lengths"]] == [8, 16, 32, 64]
    assert all(abs(row["predicted_of_counted"] - 1) < 0.03 for row in document["full"]["rows"])


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("plant", "naive", "again"), [("", 7, 7 / 4), ("keep-logits", 7, 4), ("no-softcap", 6, 6 / 4)]
)
def test_a_plant_is_seen_in_what_is_counted(plant: str, naive: float, again: float) -> None:
    given = probe.parse((*TINY, *SMALL, *(("--plant", plant) if plant else ())))
    runs = [run for run in probe.runs(given) if run.head.softcap and run.returning]
    logits = 64 * 512 * 2
    found = {(run.way, run.chunk): probe.row_of(run) for run in runs if run.chunk in (16, 64)}
    assert found["naive", 64]["counted"] == pytest.approx(naive * logits, rel=0.02)
    assert found["recomputed", 16]["counted"] == pytest.approx(again * logits, rel=0.02)
    sound = [abs(row["predicted"] / row["counted"] - 1) < 0.02 for row in found.values()]
    assert all(sound) is not bool(plant)


def test_the_arithmetic_alone_runs_nothing_and_says_the_chunk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(probe, "measured", None)
    monkeypatch.setattr(probe, "counted", None)
    size = ("--tokens", "16384", "--vocab", "262144", "--hidden", "2816")
    probe.main(("--arithmetic", "--budget", "4GiB", *size))
    out, err = capsys.readouterr()
    fits = {(fit["softcap"], fit["trained"]): fit["chunk"] for fit in json.loads(out)["fit"]}
    assert fits[True, False] == 1146
    assert fits[True, True] == 0
    assert "soft-capped, frozen head, cross-entropy in float32: a chunk of 1146 tokens takes 4.00 GiB" in err
    none = "no chunk keeps within 4.00 GiB: even one token takes 4.21 GiB"
    assert f"soft-capped, trained head, cross-entropy in float32: {none}" in err


def test_the_recorded_runs_are_all_there_and_sound() -> None:
    document = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    assert document["settings"]["plant"] == ""
    assert len(document["rows"]) == 11
    assert {(row["outcome"], row["by"]) for row in document["rows"]} == {("measured", "VmHWM")}
    assert all(row["peak"] > row["hidden"] for row in document["rows"])
    for fit in document["fit"]:
        assert fit["chunk"] == 0 or fit["counted"] <= document["settings"]["budget"] < fit["one_more"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--budget", "4"), "is no size"),
        (("--budget=-1GiB",), "is no size"),
        (("--budget", "0GiB"), "must be above 0"),
        (("--budget", "infGiB"), "is no size"),
        (("--measure", "1024x64"), "is not TOKENSxVOCABxHIDDEN"),
        (("--measure", "2x64x8"), "at least 4 tokens"),
        (("--chunk", "0"), "must be above 0"),
    ],
)
def test_a_bad_argument_is_said(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(probe, arguments, complaint, capsys)


def test_a_gpu_that_is_not_there_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert_refused(probe, ("--device", "cuda"), "sees no CUDA device", capsys)
