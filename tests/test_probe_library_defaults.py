from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused, document_of

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("accelerate")
probe = pytest.importorskip("library_defaults")
model_config = pytest.importorskip("probe_parts.model_config")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "defaults" / "installed.json"
SDPA, GROUPED = probe.COUNTED


@cache
def asked() -> dict[str, Any]:
    """The whole document."""
    return document_of(probe, ())


@cache
def echoed() -> dict[str, Any]:
    """The parts of the document that the plant concerns; no Trainer steps again, whose answer it replaces."""
    settings = probe.parse(("--plant", "echo-request"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probe, "by_trainer", lambda _asked: False)
        return {
            **probe.implementations(settings),
            "checkpointing": probe.checkpointing(settings.plant),
            "warmup": probe.warmup(settings.plant),
        }


def line(lines: list[dict[str, Any]], **of: object) -> dict[str, Any]:
    (found,) = [one for one in lines if of.items() <= one.items()]
    return found


# Implementations ---------------------------------------------------------------------------------------


def test_what_is_resolved_is_what_a_model_says_that_is_built_without_the_probe() -> None:
    config = transformers.AutoConfig.for_model(**probe.LLAMA)
    model = transformers.AutoModelForCausalLM.from_config(config)
    found = line(asked()["attention"], model="llama", asked="nothing")
    assert found["resolved"] == model.config._attn_implementation == "sdpa"
    assert found["ran"][SDPA] == config.num_hidden_layers


def test_a_model_that_cannot_use_sdpa_falls_back_silently_and_refuses_when_asked() -> None:
    silent = line(asked()["attention"], model="gpt_oss", asked="nothing")
    assert (silent["resolved"], silent["ran"][SDPA]) == ("eager", 0)
    refused = line(asked()["attention"], model="gpt_oss", asked="sdpa")
    assert (refused["resolved"], refused["ran"]) == ("refused", {})
    assert "does not support" in refused["says"]


@pytest.mark.parametrize("model", ["gemma4_text", "gpt_oss"])
def test_experts_run_what_they_resolve_to(model: str) -> None:
    for implementation, grouped in (("nothing", True), ("eager", False), ("batched_mm", False)):
        found = line(asked()["experts"], model=model, asked=implementation)
        assert found["resolved"] == ("grouped_mm" if grouped else implementation)
        assert (found["ran"][GROUPED] > 0) == grouped


def test_a_model_without_experts_keeps_what_it_is_asked_for_and_runs_nothing_of_it() -> None:
    found = line(asked()["experts"], model="llama", asked="batched_mm")
    assert found["resolved"] == "batched_mm"
    assert found["ran"] == line(asked()["experts"], model="llama", asked="nothing")["ran"]


def test_a_request_written_down_as_resolved_is_seen() -> None:
    for kind in ("attn", "experts"):
        for found in echoed()[kind]:
            assert found["resolved"] in (found["asked"], "refused")
    assert line(echoed()["attn"], model="llama", asked="nothing")["resolved"] == "nothing"
    assert line(echoed()["attn"], model="llama", asked="nothing")["ran"][SDPA] == 2
    assert {one["resolved"] for one in echoed()["warmup"]} == {0.03, 14}
    assert {one["reenters"] for one in echoed()["checkpointing"]} == {
        one["asked"] for one in asked()["checkpointing"]
    }


# Checkpointing and warm-up -----------------------------------------------------------------------------


@pytest.mark.parametrize("reentrant", [False, True])
def test_the_graph_shows_whether_checkpointing_re_enters(reentrant: bool) -> None:
    weight = torch.ones(3, requires_grad=True)
    kept = torch.utils.checkpoint.checkpoint(torch.exp, weight * 2, use_reentrant=reentrant)
    assert probe.reenters((kept * 3).sum()) is reentrant
    assert not probe.reenters((weight * 2).sum())


def test_libraries_differ_in_the_default_and_obey_when_asked() -> None:
    for through, default in (("model", False), ("Trainer", False), ("torch", True)):
        lines = [one for one in asked()["checkpointing"] if one["through"] == through]
        assert [one["reenters"] for one in lines] == [default, False, True]


def test_a_fraction_of_warm_up_is_a_share_of_the_steps_rounded_up() -> None:
    for found in asked()["warmup"]:
        share = found["asked"] < 1
        assert found["resolved"] == (math.ceil(found["asked"] * found["steps"]) if share else found["asked"])
    assert {type(one["resolved"]) for one in asked()["warmup"]} == {int}


# Backends ----------------------------------------------------------------------------------------------


def test_a_cpu_chooses_by_other_things_than_a_mask_and_says_that_it_cannot() -> None:
    chosen = {one["call"]: one["chosen"] for one in asked()["backends"]["calls"]}
    assert chosen["flag"] == chosen["mask"] == "FLASH_ATTENTION"
    assert chosen["dropout"] == "MATH"
    for found in asked()["backends"]["calls"]:
        assert [found[f"can_use_{name}"] for name in ("flash", "efficient", "cudnn")] == [False] * 3
        assert found["ran"].endswith("math" if found["chosen"] == "MATH" else "flash_attention_for_cpu")


def test_a_backend_that_is_allowed_alone_runs_or_raises() -> None:
    for found in asked()["backends"]["alone"]:
        assert found["raised"] == (found["ran"] == "") == ("says" in found)
    assert {one["allowed"] for one in asked()["backends"]["alone"] if one["raised"]} == {
        "EFFICIENT_ATTENTION",
        "CUDNN_ATTENTION",
    }


# The whole ---------------------------------------------------------------------------------------------


def test_the_recorded_document_is_what_the_same_versions_say_today() -> None:
    recorded = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    if recorded["versions"] != asked()["versions"]:
        pytest.skip("other versions are installed than those that were recorded")
    assert recorded == asked()


def test_a_configuration_of_ones_own_is_asked(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**probe.LLAMA, "model_type": "mistral", "num_hidden_layers": 9}))
    found = probe.implementation(probe.parse(("--config", str(config))).text, "attn", "nothing", "")
    assert (found["model"], found["resolved"], found["ran"][SDPA]) == ("mistral", "sdpa", 6)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [(None, "cannot be read"), ("[]", "no `model_type`"), ('{"model_type": "x"}', "takes no such config")],
    ids=["gone", "no object", "unknown model"],
)
def test_a_bad_configuration_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, complaint: str
) -> None:
    path = tmp_path / "config.json"
    if text is not None:
        path.write_text(text)
    assert_refused(probe, ("--config", str(path)), complaint, capsys)


def test_the_model_that_is_asked_about_is_asked_and_not_a_like_one_of_the_probe() -> None:
    own = {**probe.LLAMA, "num_attention_heads": 2}
    found = probe.implementations(probe.Settings(Path("config.json"), own, ""))
    assert [line["model"] for line in found["attn"][::3]] == ["llama", "gpt_oss"]


def test_the_model_that_is_built_is_that_of_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(probe, "implementation", lambda text, *_: asked.append(text))
    own = {**probe.LLAMA, "num_attention_heads": 2}
    probe.implementations(probe.Settings(Path("config.json"), own, ""))
    assert own in asked
    assert probe.LLAMA not in asked


def test_a_model_whose_forward_pass_fails_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_model: object) -> None:
        raise RuntimeError("The sizes do not match. At all.")

    monkeypatch.setattr(probe, "forward", fails)
    with pytest.raises(
        SystemExit, match="llama with attn sdpa: a forward pass fails: The sizes do not match"
    ):
        probe.implementation(probe.LLAMA, "attn", "sdpa", "")


def test_a_plant_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(probe, ("--plant", "believe"), "invalid choice", capsys)
