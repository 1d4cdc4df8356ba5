"""What padding costs: worked by hand on small corpora, over every format, and the fault that must be seen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from padding import capped, distribution, quantile
from probe_parts.batching import (
    Cost,
    Dice,
    Recipe,
    at_random,
    bucket_count,
    cost_of,
    roots_per_window,
    shuffled_first,
    sorted_first,
)
from probe_parts.sample_lengths import lognormal

ROOT = Path(__file__).resolve().parent.parent
PROBE = ROOT / "probes" / "padding.py"
LENGTHS = [3, 7, 1, 9, 4, 6, 2, 8]
ROOTS = ["a", "a", "b", "b", "c", "c", "d", "d"]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, PROBE, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=ROOT
    )


def measured(*arguments: str | Path) -> dict[str, Any]:
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def refused(*arguments: str | Path) -> str:
    """What the probe says when it refuses: on one line, with no evidence beside it."""
    done = run(*arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


def csv_of(path: Path, lengths: list[int], roots: list[str] | None = None) -> Path:
    rows = zip(lengths, roots or ["r"] * len(lengths), strict=True)
    path.write_text("tokens,root\n" + "".join(f"{n},{r}\n" for n, r in rows), encoding="utf-8")
    return path


# Micro-batches, by hand --------------------------------------------------------------------------------


def test_padding_is_what_the_samples_lack_of_the_longest_in_their_micro_batch() -> None:
    cost = cost_of([3, 7, 1, 9, 4], [[0, 1], [2, 3], [4]])
    assert cost == Cost(tokens=24, slots=7 + 7 + 9 + 9 + 4, squares=49 + 49 + 81 + 81 + 16, peak_width=9)
    assert cost.padding == 12 / 36
    assert cost.seconds(0.5, 0.25) == 0.5 * 36 + 0.25 * 276


def test_the_tightest_buckets_of_the_sorted_corpus_pair_neighbours() -> None:
    batches = sorted_first(LENGTHS, Recipe(micro=2, bucket=1), Dice(0))
    widths = [sorted(LENGTHS[i] for i in batch) for batch in batches]
    assert widths == [[1, 2], [3, 4], [6, 7], [8, 9]]


def test_one_bucket_of_the_sorted_corpus_is_a_shuffle_of_it() -> None:
    batches = sorted_first(LENGTHS, Recipe(micro=2, bucket=4), Dice(3))
    assert sorted(i for batch in batches for i in batch) == list(range(8))
    assert [[LENGTHS[i] for i in batch] for batch in batches] != [[1, 2], [3, 4], [6, 7], [8, 9]]


def test_sorting_again_makes_every_bucket_size_the_tightest() -> None:
    for bucket in (1, 2, 4):
        batches = sorted_first(LENGTHS, Recipe(micro=2, bucket=bucket, resort=True), Dice(3))
        assert [[LENGTHS[i] for i in batch] for batch in batches] == [[1, 2], [3, 4], [6, 7], [8, 9]]


def test_one_bucket_of_the_shuffled_corpus_is_the_sorted_one() -> None:
    batches = shuffled_first(LENGTHS, Recipe(micro=2, bucket=4), Dice(0))
    assert [[LENGTHS[i] for i in batch] for batch in batches] == [[1, 2], [3, 4], [6, 7], [8, 9]]


@pytest.mark.parametrize("arrange", [at_random, sorted_first, shuffled_first])
@pytest.mark.parametrize("bucket", [1, 2, 3, 100])
def test_every_sample_is_in_one_micro_batch(arrange: Callable[..., list[list[int]]], bucket: int) -> None:
    batches = arrange(LENGTHS, Recipe(micro=3, bucket=bucket), Dice(1))
    assert sorted(i for batch in batches for i in batch) == list(range(8))
    assert max(map(len, batches)) <= 3
    assert cost_of(LENGTHS, batches).peak_width == 9


def test_a_part_of_a_bucket_counts_as_one() -> None:
    assert [bucket_count(8, Recipe(2, k)) for k in (1, 2, 3, 4, 5)] == [4, 2, 2, 1, 1]


def test_roots_are_counted_over_whole_windows() -> None:
    batches = [[0, 1], [2, 4], [6, 7], [3, 5], [0, 2]]
    assert roots_per_window(ROOTS, batches, accumulate=2) == (3 + 3) / 2
    assert roots_per_window(ROOTS, batches, accumulate=6) is None


def test_a_shuffle_is_the_same_everywhere() -> None:
    """Only `random.random()` is promised over versions of Python, so the order itself is pinned here."""
    assert Dice(0).shuffled(range(8)) == [0, 3, 4, 7, 1, 2, 5, 6]


# Lengths, by hand --------------------------------------------------------------------------------------


def test_the_distribution_of_a_few_lengths() -> None:
    found = distribution([1, 2, 3, 4, 10])
    assert (found["samples"], found["tokens"], found["mean"], found["min"], found["max"]) == (
        5,
        20,
        4.0,
        1,
        10,
    )
    assert (found["p25"], found["p50"], found["p90"]) == (2, 3, 4 + 6 * 0.6)
    assert [(b["range"], b["samples"], b["token_share"]) for b in found["histogram"]] == [
        ("1", 1, 1 / 20), ("2-3", 2, 5 / 20), ("4-7", 1, 4 / 20), ("8-15", 1, 10 / 20),
    ]  # fmt: skip
    assert sum(b["sample_share"] for b in found["histogram"]) == 1


def test_a_quantile_of_one_sample_is_it() -> None:
    assert [quantile([7], percent) for percent in (1, 50, 99)] == [7, 7, 7]


def test_a_cap_is_read_both_ways() -> None:
    assert capped([1, 2, 3, 4, 10], 3) == {
        "cap": 3,
        "above": 2,
        "samples": 2 / 5,
        "tokens_when_dropped": 14 / 20,
        "tokens_when_truncated": (1 + 7) / 20,
    }


def test_a_lognormal_has_the_shares_it_was_fitted_to() -> None:
    """6.2 % of the samples and 22.4 % of the tokens lie above 8,192: its two numbers are from there."""
    found = capped(lognormal(7.811, 0.78, 7104).lengths, 8192)
    assert round(found["samples"], 3) == 0.062
    assert round(found["tokens_when_dropped"], 3) == 0.224


# The sweep ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of 400 samples from 40 documents, whose lengths have a tail."""
    lengths = [1 + (i * i * 37) % 97 + (900 if i % 50 == 0 else 0) for i in range(400)]
    return csv_of(
        tmp_path_factory.mktemp("corpus") / "small.csv", lengths, [f"d{i // 10}" for i in range(400)]
    )


def test_the_sweep_varies_and_bounds_the_peak(small: Path) -> None:
    found = measured("--lengths", small, "--sizes", "1,8,64")["corpus"]
    by_order = {
        order: [row["padding"] for row in found["sweep"][order]]
        for order in ("sorted_first", "shuffled_first")
    }
    assert by_order["sorted_first"] == sorted(by_order["sorted_first"])
    assert by_order["shuffled_first"] == sorted(by_order["shuffled_first"], reverse=True)
    assert by_order["sorted_first"][0] < 0.01 < 0.2 < found["random"]["padding"]
    rows = [*found["sweep"]["sorted_first"], *found["sweep"]["shuffled_first"]]
    assert {row["peak_width"] for row in rows} == {found["random"]["peak_width"]}
    assert [row["buckets"] for row in rows[:3]] == [200, 25, 4]


def test_the_fault_makes_the_sweep_collapse(small: Path) -> None:
    arguments = ("--lengths", small, "--sizes", "1,8,64")
    sound, planted = (measured(*arguments, *more)["corpus"] for more in ((), ("--plant", "resort-in-bucket")))
    paddings = {row["padding"] for row in planted["sweep"]["sorted_first"]}
    assert len({round(padding, 3) for padding in paddings}) == 1
    assert sound["sweep"]["sorted_first"][-1]["padding"] > 10 * max(paddings)
    assert sound["random"] == planted["random"]


def test_the_fault_would_break_the_claims_of_the_playbook() -> None:
    """The recorded sweep spans several points of padding; with the fault it spans none."""
    recorded = json.loads((ROOT / "claims/evidence/padding/padding.json").read_text(encoding="utf-8"))
    planted = measured("--plant", "resort-in-bucket", "--sizes", "2,512", "--shuffles", "1")
    for corpus in ("corpus", "lognormal"):
        before = [row["padding"] for row in recorded[corpus]["sweep"]["sorted_first"]]
        after = [row["padding"] for row in planted[corpus]["sweep"]["sorted_first"]]
        assert before[-1] - before[0] > 0.05
        assert abs(after[-1] - after[0]) < 0.0005


def test_the_saving_is_the_fit_at_the_padded_widths(tmp_path: Path) -> None:
    """Widths 1, 1, 9, 9: at random some pair mixes them; the tightest buckets never do."""
    path = csv_of(tmp_path / "a.csv", [1, 9] * 4)
    found = measured("--lengths", path, "--sizes", "1,4", "--linear", "1", "--quadratic", "0", "--seed", "5")
    corpus = found["corpus"]
    tight = corpus["sweep"]["sorted_first"][0]
    assert tight["padding"] == 0
    assert tight["saving"] == pytest.approx(corpus["random"]["padding"])  # with no square, time is slots
    steeper = measured(
        "--lengths", path, "--sizes", "1,4", "--linear", "0", "--quadratic", "1", "--seed", "5"
    )
    assert steeper["corpus"]["sweep"]["sorted_first"][0]["saving"] > tight["saving"]
    assert (found["settings"]["fit"], measured("--lengths", path, "--sizes", "1,4")["settings"]["fit"]) == (
        "given",
        "reported",
    )


def test_two_runs_print_the_same(small: Path) -> None:
    arguments = ("--lengths", small, "--sizes", "2,16", "--shuffles", "2")
    assert run(*arguments).stdout == run(*arguments).stdout


# Sweeps that vary nothing ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lengths", "arguments", "says"),
    [
        ([1, 2, 3, 4], ["--sizes", "2"], "two bucket sizes"),
        ([1, 2, 3, 4], ["--sizes", "2,4,8"], "every bucket size comes to the same buckets of 4 samples"),
        ([5] * 40, ["--sizes", "2,4"], "all samples are of one length"),
        ([5, 6, 7] * 10, ["--sizes", "2,4", "--max-length", "5"], "all samples are of one length"),
        ([1, 2, 3, 4] * 10, ["--sizes", "2,4", "--micro-batch", "1"], "a micro-batch of one sample"),
    ],
    ids=["one size", "one bucket", "one length", "cut to one length", "micro-batch of one"],
)
def test_a_sweep_that_varies_nothing_is_refused(
    tmp_path: Path, lengths: list[int], arguments: list[str], says: str
) -> None:
    message = refused("--lengths", csv_of(tmp_path / "a.csv", lengths), *arguments)
    assert message.startswith(f"padding.py: {tmp_path.as_posix()}/a.csv: ")
    assert says in message


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--sizes", "0,2"], "must be above 0"),
        (["--sizes", "two"], "`two` is no whole number"),
        (["--lognormal", "7", "x", "9"], "`x` is no number"),
        (["--linear", "nan"], "must be 0 or above"),
        (["--linear", "0", "--quadratic", "0"], "would take no time"),
        (["--plant", "nothing"], "invalid choice"),
    ],
    ids=["zero", "word", "word for a number", "nan", "no time", "unknown plant"],
)
def test_a_wrong_argument_is_a_usage_error(arguments: list[str], says: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


@pytest.mark.parametrize("shape", ["7 0 100", "nan 1 100", "7 1 0", "7 1 2.5", "7 1 1e12", "7 80 1000"])
def test_a_lognormal_that_makes_no_lengths_is_refused(shape: str) -> None:
    assert "--lognormal" in refused("--lognormal", *shape.split())


def test_a_wrong_file_makes_the_probe_end_in_that_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"tokens\nmany\n")
    assert "sample 1 has the length 'many'" in refused("--lengths", tmp_path / "a.csv")
    assert "no such file" in refused("--lengths", tmp_path / "missing.csv")
