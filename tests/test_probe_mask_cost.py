from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused, document_of, two_threads

torch = pytest.importorskip("torch")
functional = torch.nn.functional
cost = pytest.importorskip("mask_cost")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "masks" / "cost.json"
TINY = ("--lengths", "32,64", "--window", "16", "--rounds", "2", "--head-dim", "8")


def heads_of(length: int) -> Any:
    torch.manual_seed(1)
    return tuple(torch.randn(1, 2, length, 8) for _ in range(3))


@pytest.mark.parametrize("length", [16, 32, 80])
def test_blocks_compute_the_band_and_no_other(length: int) -> None:
    heads = heads_of(length)
    blocks = cost.in_blocks(16, heads)
    torch.testing.assert_close(blocks, cost.by_mask(cost.band(16, length), heads))
    if length > 16:
        assert (blocks - cost.by_mask(cost.band(17, length), heads)).abs().max() > 1e-3
        assert (blocks - cost.by_mask(cost.band(15, length), heads)).abs().max() > 1e-3


@pytest.mark.parametrize("window", [1, 3, 16])
def test_a_row_of_the_band_sees_its_window(window: int) -> None:
    mask = cost.band(window, 16)
    assert mask.sum(-1).tolist() == [min(i + 1, window) for i in range(16)]
    assert mask.diagonal().all()


def scores(monkeypatch: pytest.MonkeyPatch, way: str, plant: str = "") -> tuple[int, int]:
    """How many pairs of query and key one way of attending hands over in all, and how many masks."""
    settings = cost.parse((*TINY, *(("--plant", plant) if plant else ())))
    pairs = masks = 0

    def attend(query: Any, key: Any, value: Any, **how: Any) -> Any:
        nonlocal pairs, masks
        pairs += query.shape[-2] * key.shape[-2]
        masks += how.get("attn_mask") is not None
        return original(query, key, value, **how)

    original = functional.scaled_dot_product_attention
    with monkeypatch.context() as patch:
        patch.setattr(functional, "scaled_dot_product_attention", attend)
        cost.ways(64, settings)[way](heads_of(64))
    return pairs, masks


def test_a_band_mask_is_handed_the_full_square_and_blocks_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scores(monkeypatch, "flag") == (64 * 64, 0)
    assert scores(monkeypatch, "mask") == scores(monkeypatch, "band") == (64 * 64, 1)
    assert scores(monkeypatch, "blocks") == (16 * 16 + 3 * 16 * 32, 4)


def test_each_plant_puts_another_way_in_the_place_of_a_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    for way in ("mask", "band"):
        assert scores(monkeypatch, way, "mask-not-passed") == scores(monkeypatch, "flag")
    assert scores(monkeypatch, "band", "band-in-blocks") == scores(monkeypatch, "blocks")
    assert scores(monkeypatch, "mask", "band-in-blocks") == scores(monkeypatch, "mask")


@pytest.mark.parametrize("plant", ["", "mask-not-passed"])
def test_every_way_is_timed_and_ways_that_say_the_same_agree(plant: str) -> None:
    with two_threads():
        document = document_of(cost, (*TINY, *(("--plant", plant) if plant else ())))
    kinds = {(p["length"], p["way"], p["backward"]) for p in document["points"]}
    assert len(kinds) == len(document["points"]) == 2 * 4 * 2
    assert_kept(document, rounds=2)
    apart = document["differences"]
    assert apart["flag_and_mask"] < 1e-5
    assert (apart["mask_and_band"] > 1e-2) is not bool(plant)
    assert (apart["band_and_blocks"] < 1e-5) is not bool(plant)


def assert_kept(document: dict[str, Any], rounds: int) -> None:
    """Every raw time is there, and the smallest is the point's."""
    assert document["machine"]["threads"] == 1
    for point in document["points"]:
        assert len(point["ms"]) == rounds
        assert point["min_ms"] == min(point["ms"]) > 0


def test_the_recorded_times_are_all_there() -> None:
    document = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    assert document["settings"]["plant"] == ""
    assert len(document["points"]) == 8 * len(document["settings"]["lengths"])
    assert_kept(document, document["settings"]["rounds"])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--lengths", "1024"), "at least 2 different lengths"),
        (("--lengths", "100,256"), "length 100 is no multiple of --window 128"),
        (("--lengths", "128,256"), "length 128 is no multiple of --window 128 beyond it"),
        (("--rounds", "0"), "must be above 0"),
    ],
)
def test_a_bad_argument_is_said(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(cost, arguments, complaint, capsys)
