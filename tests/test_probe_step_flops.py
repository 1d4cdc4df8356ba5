from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe_support import LLAMA, assert_refused, document_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
probe = pytest.importorskip("step_flops")
ledgers = pytest.importorskip("probe_parts.flop_ledger")
shares = pytest.importorskip("probe_parts.utilisation")
counter_witness = pytest.importorskip("probe_parts.counter_witness")
model_config = pytest.importorskip("probe_parts.model_config")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "flops" / "flops.json"
TOKENS, SEQUENCES, WINDOW, RANK = 32, 3, 8, 4
STEP = ("--tokens", str(TOKENS), "--sequences", str(SEQUENCES), "--rank", str(RANK))
PLAIN, COUNTED = counter_witness.witness, probe.counted


@cache
def small_steps() -> list[dict[str, Any]]:
    """The small real steps, which do not depend on the configuration; each takes a second."""
    found: list[dict[str, Any]] = PLAIN()
    return found


@cache
def followed(text: str, plan: Any, rank: int, plant: str) -> Any:
    return COUNTED(json.loads(text), plan, rank, plant)


def counted_once(text: dict[str, Any], plan: Any, rank: int, plant: str) -> Any:
    """The same step is taken once; only one plant changes what is taken."""
    return followed(json.dumps(text), plan, rank, plant if plant == "count-frozen" else "")


@pytest.fixture(autouse=True)
def each_step_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter_witness, "witness", lambda: [dict(row) for row in small_steps()])
    monkeypatch.setattr(probe, "counted", counted_once)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two layers of the default model, one of each kind, narrow, with a window shorter than a sequence."""
    text = model_config.text_part(model_config.read_raw(model_config.GEMMA))
    kinds = ["sliding_attention", "full_attention"]
    small = model_config.shrunk({**text, "num_hidden_layers": 2, "layer_types": kinds})
    path: Path = tmp_path_factory.mktemp("config") / "config.json"
    path.write_text(json.dumps({**small, "sliding_window": WINDOW}), encoding="utf-8")
    return path


@cache
def step_of(config: Path, *arguments: str) -> dict[str, Any]:
    document = document_of(probe, ("--config", str(config), *STEP, *arguments))
    (step,) = document["steps"]
    return {**step, "active": document["active"], "utilisation": document["utilisation"]}


# By hand: from the configuration's numbers and the textbook, not from operators --------------------------

HIDDEN, HEADS, WIDTH, VOCABULARY, LAYERS, FULL = 16, 2, 8, 64, 2, 1
Q, KV, MLP, ROUTER = HIDDEN * HEADS * WIDTH, HIDDEN * WIDTH, HIDDEN * 16, HIDDEN * 4
EXPERTS = LAYERS * 2 * 3 * HIDDEN * 8  # two of four are chosen
DENSE = LAYERS * (2 * Q + KV + 3 * MLP + ROUTER) + (LAYERS - FULL) * KV  # full layers have no v_proj
HEAD = HIDDEN * VOCABULARY
LORA = RANK * (
    LAYERS * ((HIDDEN + 16) * 2 + (HIDDEN + WIDTH) + 3 * (HIDDEN + 16)) + (LAYERS - FULL) * (HIDDEN + WIDTH)
)
FIRST_INPUTS = Q + 2 * KV + 3 * RANK * HIDDEN
"""What gives a gradient to the input of the first layer, which only checkpointed layers need."""


def flops(weights: int) -> int:
    return 2 * weights * TOKENS * SEQUENCES


def pairs_by_looking(window: int) -> int:
    return sum(0 <= query - key < window for query in range(TOKENS) for key in range(TOKENS))


def test_adapters_with_checkpointing_pay_forward_twice_and_no_gradient_of_frozen_weights(
    config: Path,
) -> None:
    step = step_of(config)
    assert step["products"] == {
        "forward": flops(DENSE + LORA + HEAD),
        "recompute": flops(DENSE + LORA),  # the head stands outside of the layers
        "backward": flops(DENSE + 2 * LORA + HEAD),
        "total": flops(3 * DENSE + 4 * LORA + 2 * HEAD),
    }
    assert step["experts"] == {
        **dict.fromkeys(("forward", "recompute", "backward"), flops(EXPERTS)),
        "total": flops(3 * EXPERTS),
    }
    assert step["no_formula"] == {}


def test_without_checkpointing_nothing_is_run_again(config: Path) -> None:
    step = step_of(config, "--no-checkpointing")
    assert step["products"]["recompute"] == step["experts"]["recompute"] == 0
    assert step["products"]["backward"] == flops(DENSE + 2 * LORA + HEAD - FIRST_INPUTS)
    assert all(way["recompute"] == 0 for name, way in step["attention"].items() if name != "scores_again")


def test_a_full_fine_tune_is_six_times_parameters_times_tokens(config: Path) -> None:
    step = step_of(config, "--no-checkpointing", "--trained", "everything")
    assert step["products"]["backward"] == 2 * step["products"]["forward"] == 2 * flops(DENSE + HEAD)
    assert step["experts"]["backward"] == 2 * step["experts"]["forward"] == 2 * flops(EXPERTS)
    norms = step["active"]["with_head"] - (DENSE + HEAD + EXPERTS)
    assert 0 < norms < 0.2 * step["active"]["with_head"]  # so narrow a model has many
    assert step["bases"]["six_nd"] == step["bases"]["products"] + 3 * flops(norms)


def test_the_head_is_run_again_where_its_loss_is(config: Path) -> None:
    again = step_of(config, "--loss", "recomputed")["products"]
    assert again["recompute"] == flops(DENSE + LORA + HEAD)
    assert step_of(config, "--loss", "chunked")["products"] == step_of(config)["products"]


def test_attention_is_counted_by_the_pairs_that_each_name_says(config: Path) -> None:
    attention = step_of(config)["attention"]
    per_pair = 2 * SEQUENCES * HEADS * (WIDTH + WIDTH)
    square, causal, windowed = TOKENS**2, pairs_by_looking(TOKENS), pairs_by_looking(WINDOW)
    for name, sliding, full in (
        ("square", square, square),
        ("causal", causal, causal),
        ("windowed", windowed, causal),
        ("under_mask", square, causal),
    ):
        forward = per_pair * ((LAYERS - FULL) * sliding + FULL * full)
        assert attention[name] == {
            "forward": forward,
            "recompute": forward,
            "backward": 2 * forward,
            "total": 4 * forward,
        }, name
    assert attention["scores_again"]["total"] == attention["square"]["forward"] // 2


def test_bases_are_sums_of_the_parts(config: Path) -> None:
    step = step_of(config)
    products, experts, attention = step["products"], step["experts"], step["attention"]
    once = sum(part[stage] for part in (products, experts) for stage in ("forward", "backward"))
    run = products["total"] + experts["total"]
    assert step["bases"] == {
        "useful": once + attention["windowed"]["forward"] + attention["windowed"]["backward"],
        "useful_square": once + attention["square"]["forward"] + attention["square"]["backward"],
        "run": run + attention["under_mask"]["total"],
        "run_square": run + attention["square"]["total"],
        "products": run,
        "six_nd": 6 * step["active"]["with_head"] * TOKENS * SEQUENCES,
    }


# What the counter sees ---------------------------------------------------------------------------------


def test_the_counter_sees_plain_attention_and_eager_experts_exactly_and_nothing_of_the_others() -> None:
    attention = 4 * 2 * 2 * 2 * 32 * 32 * 8  # two products, layers, sequences, heads, pairs, width
    experts = 2 * 2 * 64 * 2 * (3 * 16 * 8)  # layers, tokens, chosen
    for row in small_steps():
        counter, sees = row["counter"], (row["attention"] == "plain", row["experts"] == "eager")
        assert counter["forward"]["attention"] == attention * sees[0]
        assert counter["forward"]["experts"] == experts * sees[1]
        for part in ("attention", "experts"):
            assert counter["whole"][part] == 3 * counter["forward"][part]


def test_the_ledger_writes_what_the_counter_passes_over_and_only_that() -> None:
    plain, seen = small_steps()[0], small_steps()[0]["counter"]["whole"]
    assert plain["blind"] == {} and plain["ledger"] == {"attention": 0, "experts": 0}
    last = small_steps()[-1]
    assert last["ledger"] == {"attention": seen["attention"], "experts": seen["experts"]}
    assert set(last["blind"]) == {
        "aten::_grouped_mm",
        "aten::_scaled_dot_product_flash_attention_for_cpu",
        "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
    }
    assert last["counter"]["whole"]["total"] == seen["total"] - seen["attention"] - seen["experts"]


def test_the_counters_formula_for_an_accelerator_takes_the_whole_square() -> None:
    found = counter_witness.accelerator_formula(tokens=100, heads=3, width=5)
    assert found["forward"] == found["square_by_hand"] == 4 * 3 * 100 * 100 * 5
    assert found["causal_by_hand"] == 4 * 3 * (100 * 101 // 2) * 5
    assert found["backward"] == 2.5 * found["forward"]


def test_what_looks_like_work_and_has_no_formula_is_kept_by_its_name() -> None:
    with ledgers.FlopLedger() as ledger:
        torch.ones(3, 4) @ torch.ones(4)
        torch.cummax(torch.ones(3), 0)
        torch.ones(3, 4) @ torch.ones(4, 5)
    assert dict(ledger.unknown) == {"aten::mv": 1}
    assert sum(ledger.flops.values()) == 2 * 3 * 4 * 5


def test_a_custom_operator_of_another_library_is_kept_by_its_name() -> None:
    with torch.library._scoped_library("stilltrue_tests", "FRAGMENT") as library:  # gone again afterwards
        library.define("scan(Tensor x) -> Tensor")
        library.impl("scan", lambda x: x.clone(), "CPU")
        with ledgers.FlopLedger() as ledger:
            torch.ops.stilltrue_tests.scan(torch.ones(3))
    assert dict(ledger.unknown) == {"stilltrue_tests::scan": 1}


@pytest.mark.parametrize(
    ("left", "right", "by_hand"),
    [
        ((10, 3), (2, 3, 5), 2 * 10 * 3 * 5),
        ((2, 3, 4), (4, 10), 2 * 3 * 4 * 10),
        ((3, 10), (10, 5), 2 * 3 * 10 * 5),
        ((2, 3, 4), (2, 4, 5), 2 * 2 * 3 * 4 * 5),
    ],
    ids=["rows-first", "rows-second", "sum-over-rows", "both"],
)
def test_a_grouped_product_is_counted_in_each_of_its_forms(
    left: tuple[int, ...], right: tuple[int, ...], by_hand: int
) -> None:
    assert ledgers.grouped_flops({"self": torch.empty(left), "mat2": torch.empty(right)}) == by_hand


def test_the_fallback_of_transformers_is_counted_like_the_operator_it_stands_for() -> None:
    rows, k, n = 6, 3, 5
    x, w = torch.ones(rows, k, requires_grad=True), torch.ones(2, k, n, requires_grad=True)
    with ledgers.FlopLedger() as ledger:
        ends = torch.tensor([4, rows], dtype=torch.int32)
        torch.ops.transformers.grouped_mm_fallback(x, w, ends).sum().backward()
    assert ledger.of("experts", "forward") == 2 * rows * k * n
    assert ledger.of("experts", "backward") == 2 * 2 * rows * k * n
    assert not ledger.unknown


@given(st.integers(1, 60), st.none() | st.integers(1, 80))
def test_pairs_are_those_that_a_causal_band_allows(queries: int, window: int | None) -> None:
    reach = window or queries
    looked = sum(0 <= query - key < reach for query in range(queries) for key in range(queries))
    assert ledgers.attended(queries, window) == looked


# Utilisation -------------------------------------------------------------------------------------------


def test_a_utilisation_is_the_flops_of_each_basis_over_peak_and_seconds_with_the_basis_in_words(
    config: Path,
) -> None:
    step = step_of(config, "--peak", "2 GFLOPS", "--seconds", "0.5")
    found = step["utilisation"]
    assert (found["peak"], found["seconds"]) == (2e9, 0.5)
    assert set(found["by_basis"]) == set(step["bases"])
    for name, basis in found["by_basis"].items():
        assert basis["flops"] == step["bases"][name]
        assert basis["share"] == pytest.approx(basis["flops"] / 1e9)
        assert len(basis["says"]) > 40


def work(**changes: Any) -> Any:
    stages = {"forward": 200, "recompute": 200, "backward": 200, "total": 600}
    ways = dict.fromkeys(("square", "causal", "windowed", "under_mask"), stages)
    sound = {
        "tokens": 10,
        "active": 20,
        "expects_experts": True,
        "products": stages,
        "experts": stages,
        "attention": ways,
        "unknown": {},
    }
    return shares.Work(**{**sound, **changes})


NOTHING = dict.fromkeys(("forward", "recompute", "backward", "total"), 0)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"attention": {"square": NOTHING}}, "attention was counted as 0 FLOPs"),
        ({"experts": NOTHING}, "experts were counted as 0 FLOPs"),
        ({"unknown": {"lib::scan": 3}}, r"lib::scan \(3 calls\) has no formula"),
        ({"active": 41}, "forward products are 48.8% of what"),
    ],
    ids=["attention", "experts", "unknown", "uncovered"],
)
def test_no_utilisation_where_work_was_counted_as_nothing(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SystemExit, match=complaint):
        shares.utilisation(work(**changes), 1e9, 1.0)


def test_more_than_the_peak_is_no_utilisation() -> None:
    assert shares.utilisation(work(), 1200.0, 1.0)["by_basis"]["useful"]["share"] == 1
    with pytest.raises(SystemExit, match="useful work alone is 2 times"):
        shares.utilisation(work(), 600.0, 1.0)


def test_a_sound_work_has_a_utilisation_and_a_dense_one_needs_no_experts() -> None:
    assert shares.missing(work()) == []
    assert shares.missing(work(expects_experts=False, experts=NOTHING, active=10)) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [("304TFLOPS", 304e12), (" 0.99 PFLOP/s", 0.99e15), ("5FLOPS", 5.0), ("3e2 GFLOPS", 3e11)],
)
def test_a_peak_is_read_with_its_unit(text: str, number: float) -> None:
    assert shares.rate(text) == pytest.approx(number)


@pytest.mark.parametrize(
    "text", ["304", "304T", "304TFLOP", "0TFLOPS", "-3TFLOPS", "TFLOPS", "nan", "304tflops", "1e400TFLOPS"]
)
def test_a_peak_without_its_unit_is_none(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="write it like 304TFLOPS"):
        shares.rate(text)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "soon"])
def test_a_duration_is_seconds_above_nothing(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="no number of seconds above 0"):
        shares.duration(text)


# Each plant is seen ------------------------------------------------------------------------------------


def test_trusting_the_counter_takes_attention_and_experts_for_nothing_and_gives_no_utilisation(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound, planted = step_of(config), step_of(config, "--plant", "trust-counter")
    assert planted["experts"]["total"] == planted["attention"]["square"]["total"] == 0
    assert planted["products"] == sound["products"]
    asked = ("--config", str(config), *STEP, "--peak", "1TFLOPS", "--seconds", "1")
    assert_refused(probe, (*asked, "--plant", "trust-counter"), "experts were counted as 0 FLOPs", capsys)
    assert document_of(probe, asked)["utilisation"] is not None


def test_gradients_of_frozen_weights_show_in_every_basis_but_six_nd(config: Path) -> None:
    sound, planted = step_of(config), step_of(config, "--plant", "count-frozen")
    assert planted["products"]["backward"] == flops(2 * (DENSE + LORA + HEAD))
    assert planted["experts"]["backward"] == 2 * sound["experts"]["backward"]
    moved = {name for name in sound["bases"] if planted["bases"][name] > sound["bases"][name]}
    assert moved == set(sound["bases"]) - {"six_nd"}


def test_a_square_that_is_called_causal_is_seen(config: Path) -> None:
    sound, planted = step_of(config)["attention"], step_of(config, "--plant", "square-as-causal")["attention"]
    assert planted["causal"] == planted["windowed"] == planted["square"] == sound["square"]
    assert sound["windowed"]["total"] < sound["causal"]["total"] < sound["square"]["total"]


# Other models, and what is refused -----------------------------------------------------------------------


def test_a_dense_model_with_a_head_of_its_own_is_counted_without_its_embedding(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA), encoding="utf-8")
    step = step_of(path, "--trained", "everything", "--peak", "1TFLOPS", "--seconds", "1")
    layer, norms = 32 * (32 + 16 + 16 + 32) + 3 * 32 * 48, 7 * 32
    assert step["active"] == {
        "with_head": 3 * layer + norms + 3200,
        "without_head": 3 * layer + norms,
        "experts": 0,
    }
    assert step["experts"]["total"] == 0
    assert step["products"]["forward"] == pytest.approx(flops(3 * layer + 3200), rel=0.001)  # rotations too
    assert step["attention"]["windowed"] == step["attention"]["causal"] == step["attention"]["under_mask"]
    assert step["utilisation"]["by_basis"]["useful"]["share"] > 0


def test_experts_of_which_it_is_not_known_how_many_are_chosen_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.json"
    deepseek = {**LLAMA, "model_type": "deepseek_v2", "n_routed_experts": 4, "first_k_dense_replace": 1}
    path.write_text(json.dumps({**deepseek, "moe_intermediate_size": 8}), encoding="utf-8")
    assert_refused(
        probe, ("--config", str(path), *STEP), "to how many of these experts a token is sent", capsys
    )


def test_a_basis_that_lacks_attention_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**LLAMA, "attention_dropout": 0.1}), encoding="utf-8")
    probe.main(("--config", str(path), *STEP))
    out, err = capsys.readouterr()
    assert "every basis of this step is too small: attention was counted as 0 FLOPs" in err
    (step,) = json.loads(out)["steps"]
    assert step["missing"] == ["attention was counted as 0 FLOPs (none came through the operator of SDPA)"]


def test_a_layer_whose_pairs_are_not_known_is_refused() -> None:
    strange = SimpleNamespace(layer_types=["full_attention", "chunked_attention"], model_type="x")
    with pytest.raises(SystemExit, match="kind chunked_attention: which pairs they count is not known"):
        probe.attention_windows(strange)
    mixed = SimpleNamespace(layer_types=["mamba", "sliding_attention", "full_attention"], sliding_window=5)
    assert probe.attention_windows(mixed) == (5, None)


def test_calls_of_attention_that_fit_no_layers_are_refused() -> None:
    with ledgers.FlopLedger() as ledger:
        x = torch.ones(1, 1, 4, 8)
        torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
    with pytest.raises(SystemExit, match="1 calls of attention in forward, and 2 layers that attend"):
        list(ledgers.with_windows(ledger, (None, None)))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--peak", "304", "--tokens", "8", "--seconds", "1"), "no rate above 0"),
        (("--peak", "304TFLOPS", "--tokens", "8"), "needs both --peak and --seconds"),
        (("--seconds", "1", "--tokens", "8"), "needs both --peak and --seconds"),
        (("--peak", "304TFLOPS", "--seconds", "1"), "say which step is meant"),
        (("--sequences", "2"), "say which step is meant"),
        (("--no-checkpointing",), "say which step is meant"),
        (("--tokens", "0"), "must be above 0"),
        (("--config", "nowhere.json"), "cannot be read"),
        (("--plant", "nothing"), "invalid choice"),
    ],
)
def test_a_bad_argument_is_said(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(probe, arguments, complaint, capsys)


# The recorded evidence -----------------------------------------------------------------------------------


def recorded_steps() -> Iterator[tuple[tuple[int, bool, str], dict[str, Any]]]:
    for step in json.loads(EVIDENCE.read_text(encoding="utf-8"))["steps"]:
        yield (step["tokens"], step["checkpointing"], step["trained"]), step


def test_the_recorded_counts_are_the_known_ones() -> None:
    steps = dict(recorded_steps())
    step, wide = steps[8192, True, "adapters"], steps[16384, True, "adapters"]
    tera = {
        "products": (step["products"]["total"], 110.5),
        "experts": (step["experts"]["total"], 70.2),
        "both": (step["bases"]["products"], 180.6),
        "attention": (step["attention"]["square"]["total"], 153.9),
        "wide products": (wide["products"]["total"], 441.9),
        "wide experts": (wide["experts"]["total"], 280.6),
    }
    assert {name: round(flops / 1e12, 1) for name, (flops, _) in tera.items()} == {
        name: known for name, (_, known) in tera.items()
    }
    assert f"{step['bases']['products'] * 7104:.3e}" == "1.283e+18"


def test_the_recorded_full_fine_tune_is_six_times_parameters_times_tokens() -> None:
    full = dict(recorded_steps())[8192, False, "everything"]
    assert full["bases"]["products"] / full["bases"]["six_nd"] == pytest.approx(1, abs=0.001)
