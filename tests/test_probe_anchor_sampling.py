from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused, document_of

torch = pytest.importorskip("torch")
anchor_sampling = pytest.importorskip("anchor_sampling")
anchors = pytest.importorskip("probe_parts.anchors")
draft_steps = pytest.importorskip("probe_parts.draft_steps")
anchor_prices = pytest.importorskip("probe_parts.anchor_prices")
leads = pytest.importorskip("probe_parts.leads")
sync_watch = pytest.importorskip("probe_parts.sync_watch")

pytestmark = pytest.mark.torch

BLOCK = 4
SMALL = ["--most", "16", "--batches", "1,2,8", "--multiple", "4", "--lognormal", "2", "1", "200"]


@pytest.fixture(scope="module")
def counts_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("counts") / "counts.csv"
    path.write_text("tokens\n" + "\n".join(str(1 + each % 20) for each in range(60)))
    return path


@pytest.fixture(scope="module")
def document(counts_file: Path) -> dict[str, Any]:
    return document_of(anchor_sampling, [*SMALL, "--counts", str(counts_file)])


def planted(counts_file: Path, plant: str) -> dict[str, Any]:
    return document_of(anchor_sampling, [*SMALL, "--counts", str(counts_file), "--plant", plant])


def row_of(rows: list[dict[str, Any]], **wanted: object) -> dict[str, Any]:
    (row,) = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return row


# Sampling ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", ["read", "fixed", "counted"])
@pytest.mark.parametrize("sent", [False, True], ids=["literals", "sent"])
def test_those_with_the_smallest_draws_are_kept_and_nothing_else(width: str, sent: bool) -> None:
    counts, most = [0, 1, 5, 9, 12], 9
    batch = anchors.batch_of(counts, 20, BLOCK)
    draws = torch.rand(batch.possible.shape, generator=torch.Generator().manual_seed(1))
    found = anchors.sampled(batch, draws, anchors.How(width, most, sent=sent))
    for row, count in enumerate(counts):
        possible = [at for at in range(20 - BLOCK + 1) if batch.mask[row, at]]
        assert len(possible) == count
        expected = sorted(sorted(possible, key=lambda at: float(draws[row, at]))[:most])
        assert found.positions[row][found.keep[row]].tolist() == expected
    assert not found.positions[~found.keep].any()


def test_an_anchor_leaves_room_for_its_block() -> None:
    batch = anchors.Batch(torch.ones(1, 10, dtype=torch.bool), BLOCK, 7)
    found = anchors.sampled(batch, torch.rand(1, 7), anchors.How("fixed", 100))
    assert found.positions.tolist() == [[0, 1, 2, 3, 4, 5, 6]]


@pytest.mark.parametrize(
    ("width", "sent", "reads", "copies"),
    [("read", False, 1, 0), ("read", True, 1, 2), ("fixed", False, 0, 0), ("counted", False, 0, 0)],
)
def test_the_watch_sees_what_a_way_reads_and_sends(width: str, sent: bool, reads: int, copies: int) -> None:
    batch = anchors.batch_of([3, 5], 20, BLOCK)
    draws = torch.rand(batch.possible.shape)
    syncs = sync_watch.counted(lambda: anchors.sampled(batch, draws, anchors.How(width, 9, sent=sent)))
    assert (len(syncs.reads), len(syncs.placed)) == (reads, copies)


# Prices ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_a_price_is_the_mean_over_all_batches_that_can_be_drawn(batch: int) -> None:
    counts, most, multiple = [1, 2, 2, 3, 6, 8, 11], 8, 3
    found = anchor_prices.price(counts, batch, most, multiple)
    drawn = list(product(counts, repeat=batch))
    widest = [max(each) for each in drawn]

    def mean(values: list[int]) -> float:
        return sum(values) / len(drawn)

    needed = mean([min(most, each) for each in widest])
    kept = mean([sum(min(most, count) for count in each) for each in drawn]) / batch
    assert found.needed == pytest.approx(needed)
    assert found.one_less == pytest.approx(mean([max(1, min(most, each - 1)) for each in widest]))
    assert found.rounded == pytest.approx(mean([min(most, -(-each // 3) * 3) for each in widest]))
    assert found.times == pytest.approx(most / needed)
    assert found.full_when_needed == pytest.approx(kept / needed)
    assert found.full_when_fixed == pytest.approx(kept / most)
    assert found.bitten == pytest.approx(mean([1 < each <= most for each in widest]))


def test_the_fault_bites_as_often_as_reckoned() -> None:
    counts, most = [1, 2, 3, 5, 9], 5
    bitten = []
    for drawn in product(counts, repeat=2):
        batch = anchors.batch_of(drawn, 12, BLOCK)
        draws = torch.rand(batch.possible.shape)
        ways = (anchors.How("read", most), anchors.How("read", most, one_less=True))
        sound, faulty = (int(anchors.sampled(batch, draws, how).keep.sum()) for how in ways)
        bitten.append(faulty < sound)
    assert sum(bitten) / len(bitten) == pytest.approx(anchor_prices.price(counts, 2, most, 1).bitten)


# The queue ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "waits", "expected"),
    [
        (8, (), 800),  # the device never runs empty
        (8, (100,), 50 + 5 + 800),  # everything between two steps shows, and one launch
        (8, (50, 100), 50 + 5 + 400 + 5 + 400),
        (4, (), 50 + 500),  # the host is behind in any case
        (4, (100,), 50 + 500 + 4),
    ],
    ids=["none", "one", "two", "none, slow host", "one, slow host"],
)
def test_a_step_of_the_queue_takes_what_can_be_reckoned_by_hand(
    kernel: int, waits: tuple[int, ...], expected: int
) -> None:
    assert leads.step_time(leads.Pace(kernels=100, launch=5, kernel=kernel, between=50), waits) == expected


# The document ------------------------------------------------------------------------------------------


def test_a_test_of_the_fault_passes_where_the_fault_is_and_one_of_the_property_where_it_is_not(
    document: dict[str, Any],
) -> None:
    for row in document["samplers"]:
        faulty = row["way"] in ("as it was", "fixed, one less")
        assert (row["passes_asserted_fault"], row["passes_asserted_property"]) == (faulty, not faulty)
        assert row["refused"] == (row["reads"] > 0)


def test_the_fault_drops_an_anchor_where_all_fit_and_only_of_the_widest_sample(
    document: dict[str, Any],
) -> None:
    kept = {row["count"]: (row["before"], row["after"]) for row in document["kept"]}
    assert kept == {1: (1, 1), 2: (1, 2), 3: (2, 3), 15: (14, 15), 16: (15, 16), 17: (16, 16)}
    lost = [(row["lost"], row["other_lost"]) for row in document["beside"]]
    assert lost == [(1, 0), (0, 1), (0, 0)]


def test_the_width_changes_neither_anchors_nor_loss_and_an_empty_block_takes_its_time(
    document: dict[str, Any],
) -> None:
    width = document["width"]
    assert width["same_anchors"] is True
    assert width["loss_apart"] < 1e-5
    assert width["widths"] == [40, 64, 40]
    assert set(width["flops_of_a_block"]) == {2 * BLOCK * draft_steps.HIDDEN * draft_steps.VOCABULARY}


def test_each_source_taken_out_takes_out_its_own_reads(document: dict[str, Any]) -> None:
    rows = document["steps"]["ways"]
    ways = {row["way"]: (row["stages"]["forward"], row["stages"]["around"], row["sent"]) for row in rows}
    assert ways == {
        "as it was": (10, 30, 30),
        "metrics kept": (10, 1, 30),
        "width fixed": (0, 30, 30),
        "literals": (10, 30, 0),
        "all three": (0, 1, 0),
    }
    assert document["steps"]["logs_apart"] < 1e-5


def test_both_distributions_are_priced_at_each_size(document: dict[str, Any]) -> None:
    for rows in document["price"].values():
        assert [row["batch"] for row in rows] == [1, 2, 8]
        assert [row["times"] for row in rows] == sorted((row["times"] for row in rows), reverse=True)
    assert document["medians"]["corpus"] == 10


def test_the_planted_fault_fails_the_test_of_the_property(counts_file: Path) -> None:
    found = planted(counts_file, "one-less")
    assert row_of(found["samplers"], way="fixed, mended")["passes_asserted_property"] is False
    assert row_of(found["kept"], count=3)["after"] == 2


def test_the_planted_read_shows_in_sampler_and_step(counts_file: Path) -> None:
    found = planted(counts_file, "read-width")
    assert row_of(found["samplers"], way="fixed, mended")["reads"] == 1
    assert row_of(found["steps"]["ways"], way="all three")["stages"]["forward"] == 10


def test_the_planted_reckoning_asks_the_same_price_of_each_batch(counts_file: Path) -> None:
    rows = planted(counts_file, "one-sample")["price"]["lognormal"]
    assert len({row["times"] for row in rows}) == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--most", "3"], "must be above 3"),
        (["--batches", "0"], "must be above 0"),
        (["--counts", "nowhere.csv"], "nowhere.csv"),
        (["--lognormal", "5", "0", "10"], "--lognormal"),
        (["--lognormal", "x", "1", "10"], "`x` is no number"),
    ],
    ids=["most", "batches", "no file", "sigma", "word"],
)
def test_bad_arguments_are_refused(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(anchor_sampling, arguments, complaint, capsys)
