"""A name that nothing has is taken in silence, the guard compares names, and a broken guard is noticed."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused, document_of

transformers = pytest.importorskip("transformers")
pytest.importorskip("accelerate")
pytest.importorskip("peft")
pytest.importorskip("bitsandbytes")
probe = pytest.importorskip("argument_names")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "integrity" / "argument-names.json"
PAGE = ROOT / "docs" / "integrity" / "argument-names.md"


@cache
def measured(plant: str = "") -> dict[str, Any]:
    """The document; what no guard has a part in is measured once."""
    return document_of(probe, ("--plant", plant) if plant else ())


def way(name: str, document: Mapping[str, Any] | None = None) -> dict[str, Any]:
    (found,) = [one for one in (document or measured())["ways"] if one["way"] == name]
    return dict(found)


# Four ways ---------------------------------------------------------------------------------------------


def test_the_trap_says_nothing_and_the_setting_is_lost() -> None:
    silent = {
        one["way"]: one["wrong"]["effect"] for one in measured()["ways"] if one["wrong"]["said"] == "nothing"
    }
    assert silent == {
        "HfArgumentParser": 0,
        "LlamaConfig": transformers.LlamaConfig().num_hidden_layers,
        "GenerationConfig": None,
        "BitsAndBytesConfig": transformers.BitsAndBytesConfig().bnb_4bit_quant_type,
    }
    assert measured()["trap"] == len(silent)


def test_by_its_right_name_each_setting_is_what_was_meant() -> None:
    assert measured()["sound"] == 0
    assert {one["way"]: one["right"]["effect"] for one in measured()["ways"]} == {
        "TrainingArguments": 14,
        "HfArgumentParser": 14,
        "LlamaConfig": 2,
        "GenerationConfig": 64,
        "BitsAndBytesConfig": "nf4",
        "LoraConfig": 64,
        "LoraConfig.from_peft_type": 64,
    }


def test_the_guard_stops_every_wrong_name_and_lets_every_right_one_through() -> None:
    assert measured()["guard"] == {"stops": True, "passes": True}
    assert all(one["stopped"] and one["passed"] for one in measured()["ways"])


@pytest.mark.parametrize(
    ("plant", "said"),
    [("no-guard", "stops"), ("refuse-all", "passes"), ("values-only", "stops"), ("open-takes-all", "stops")],
)
def test_a_broken_guard_is_noticed(plant: str, said: str) -> None:
    guarded, _ = probe.parse(("--plant", plant))
    ways = [probe.report(one, guarded) for one in probe.WAYS]
    assert {"stops": all(one["stopped"] for one in ways), "passes": all(one["passed"] for one in ways)}[
        said
    ] is False


def test_an_accident_inside_the_guard_is_no_refusal() -> None:
    with pytest.raises(ValueError, match="no signature found"):
        probe.stops(probe.guard, probe.Launch(dict, {"lora_alpha": 64}))


def test_a_guard_that_believes_an_open_signature_misses_the_two_that_show_it() -> None:
    missed = [one.name for one in probe.WAYS if not probe.report(one, probe.open_takes_all)["stopped"]]
    assert missed == ["GenerationConfig", "BitsAndBytesConfig"]


# What is said ------------------------------------------------------------------------------------------


def test_the_installed_classes_do_what_the_table_says() -> None:
    with pytest.raises(TypeError, match="warmup_ratio"):
        transformers.TrainingArguments(output_dir="unused", warmup_ratio=0.03)
    assert way("TrainingArguments")["wrong"] == {"said": "TypeError", "kept": False, "effect": None}
    assert way("LoraConfig")["wrong"]["said"] == "TypeError"
    assert way("LoraConfig.from_peft_type")["wrong"]["said"] == "a warning"


def test_a_signature_without_open_keywords_can_still_take_any_name() -> None:
    kinds = {one.kind for one in inspect.signature(transformers.LlamaConfig).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert way("LlamaConfig")["open"] is False
    assert way("LlamaConfig")["wrong"]["kept"] is True
    assert transformers.LlamaConfig(bogus=1).bogus == 1


def test_an_alias_of_a_configuration_passes_the_guard() -> None:
    assert transformers.GPT2Config(hidden_size=32).n_embd == 32
    probe.guard(probe.Launch(transformers.GPT2Config, {"hidden_size": 32, "n_layer": 1}))


def test_the_guard_says_which_name_and_what_is_near_it() -> None:
    with pytest.raises(
        probe.RefusedError, match=r"LlamaConfig takes no `num_hidden_layer`; did you mean `num_hidden_layers`"
    ):
        probe.guard(probe.Launch(transformers.LlamaConfig, {"num_hidden_layer": 2}))


# Names that are gone, and warm-up ----------------------------------------------------------------------


def test_no_removed_name_is_taken_and_each_raises() -> None:
    names = probe.removed_names(probe.RELEASES)
    assert measured()["removed"] == {"names": len(names), "taken": 0, "raise": len(names)}
    assert {"warmup_ratio", "logging_dir", "group_by_length", "no_cuda"} <= set(names)


def test_a_name_that_is_still_taken_is_counted() -> None:
    assert probe.removed(("warmup_ratio", "learning_rate")) == {"names": 2, "taken": 1, "raise": 1}


def test_what_the_page_names_instead_is_taken_by_the_installed_release() -> None:
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if "| 5." in line]
    gone = {row[1].strip(" `"): row[3].partition("` below")[0].strip(" `") for row in rows}
    assert set(gone) == set(probe.removed_names(probe.RELEASES))
    taken = probe.named(transformers.TrainingArguments)
    assert [name for name in gone.values() if name and name not in taken] == []


@pytest.mark.parametrize(("asked", "resolved"), [(0.03, 14), (0.999, 444), (1, 1), (1.5, 1)])
def test_warm_up_below_one_is_a_share_rounded_up_and_above_it_whole_steps(
    asked: float, resolved: int
) -> None:
    assert {"asked": asked, "steps": 444, "resolved": resolved} in measured()["warmup"]


# What it is given, and what is recorded ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "cannot be read"),
        ("{", "is not what release_defaults.py prints"),
        ('{"training_arguments": {"removed": [1]}}', "is not what release_defaults.py prints"),
        ('{"training_arguments": {"removed": []}}', "names no removed argument"),
    ],
)
def test_a_list_of_names_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, complaint: str
) -> None:
    path = tmp_path / "releases.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert_refused(probe, ("--releases", str(path)), complaint, capsys)


def test_the_evidence_is_what_the_probe_says_where_nothing_is_newer() -> None:
    recorded = json.loads(EVIDENCE.read_bytes())
    if recorded["versions"] != measured()["versions"]:
        pytest.skip("recorded with other releases")
    assert recorded == measured()
