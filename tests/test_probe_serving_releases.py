from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused, document_of

probe = pytest.importorskip("serving_releases")
serving_facts = pytest.importorskip("probe_parts.serving_facts")

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "serving" / "vllm.json"
PIN = ROOT / "probes" / "configs" / "serving.txt"
GEMMA = f"{serving_facts.MODELS}gemma4.py"
GEMMA_MM = f"{serving_facts.MODELS}gemma4_mm.py"
GLM = f"{serving_facts.MODELS}glm4_moe.py"

REFUSING = """
raise RuntimeError("this module was run")

def process_packed_modules_mapping(model, force=False):
    if is_moe_model(model):
        if mapping := get_moe_expert_mapping(model):
            return mapping
        else:
            raise AttributeError("To support it, " "'get_expert_mapping' must be there")
    else:
        return get_packed_modules_mapping(model)
"""
TAKING = """
def process_packed_modules_mapping(model):
    if is_moe_model(model) and model.quantized:
        raise ValueError("something else")
    return get_moe_expert_mapping(model)
"""
CHILDREN = """
def get_moe_expert_mapping(model):
    for child in model.children():
        if mapping := getattr(child, "get_expert_mapping", None):
            return mapping()
    return []
"""
MODULES = """
def get_moe_expert_mapping(model):
    for _, module in model.named_modules():
        if mapping := getattr(module, "get_expert_mapping", None):
            return mapping()
    raise ValueError("none")
"""
ONE = "class Gemma4ForCausalLM(nn.Module, SupportsLoRA):\n    pass\n"
OTHER = "class Gemma4ForConditionalGeneration(nn.Module):\n    pass\n"


def modules(lora: str = REFUSING, lookup: str = CHILDREN, **others: str) -> dict[str, str]:
    """What is read of a release."""
    return {serving_facts.LORA: lora, serving_facts.LOOKUP: lookup, GEMMA: ONE, GEMMA_MM: OTHER, **others}


def wheel(
    folder: Path, version: str, files: Mapping[str, str], day: tuple[int, int, int] = (2026, 7, 1)
) -> None:
    """A release, built on a day."""
    with zipfile.ZipFile(folder / f"vllm-{version}-cp38-abi3-manylinux_2_28_x86_64.whl", "w") as archive:
        said = zipfile.ZipInfo(f"vllm-{version}.dist-info/METADATA", (*day, 12, 0, 0))
        archive.writestr(said, f"Metadata-Version: 2.4\nName: vllm\nVersion: {version}\n")
        for name, text in files.items():
            archive.writestr(name, text)


def read(folder: Path, *more: str) -> dict[str, Any]:
    return document_of(probe, ("--wheels", str(folder), *more))


# What a release says -----------------------------------------------------------------------------------


def test_a_refusal_is_found_with_its_words_and_the_conditions_above_it(tmp_path: Path) -> None:
    wheel(tmp_path, "0.24.0", modules(), (2026, 6, 29))
    (found,) = read(tmp_path)["releases"]
    assert found["refusal"] == {
        "refuses": True,
        "says": "To support it, 'get_expert_mapping' must be there",
        "conditions": ["is_moe_model(model)", "not (mapping := get_moe_expert_mapping(model))"],
        "about_quantisation": 0,
    }
    assert found["lookup"] == {"through": "children", "without": "an empty list"}
    assert found["declared"] == {"Gemma4ForCausalLM": True, "Gemma4ForConditionalGeneration": False}
    assert (found["built"], found["missing"]) == ("2026-06-29", {})


def test_an_exception_about_something_else_is_no_refusal(tmp_path: Path) -> None:
    wheel(tmp_path, "0.25.0", modules(TAKING, MODULES))
    (found,) = read(tmp_path)["releases"]
    assert found["refusal"] == {"refuses": False, "says": None, "conditions": [], "about_quantisation": 1}
    assert found["lookup"] == {"through": "modules", "without": "raises"}


def test_conditions_of_elif_branches_are_told_apart(tmp_path: Path) -> None:
    branches = """
def process_packed_modules_mapping(model):
    if a:
        pass
    elif b:
        for each in model:
            raise AttributeError("get_expert_mapping")
"""
    wheel(tmp_path, "0.24.0", modules(branches))
    assert read(tmp_path)["releases"][0]["refusal"]["conditions"] == ["not a", "b"]


def test_the_method_is_counted_in_each_file_and_over_all_of_gemma(tmp_path: Path) -> None:
    more = {
        GLM: "get_expert_mapping\nget_expert_mapping\n",
        f"{serving_facts.MODELS}gemma4_mtp.py": "# get_expert_mapping\n",
        f"{serving_facts.MODELS}gemma4/other.py": "get_expert_mapping\n",
    }
    wheel(tmp_path, "0.24.0", modules() | more)
    assert read(tmp_path)["releases"][0]["mentions"] == {
        "gemma4_files": 3,
        "gemma4": 1,
        "deepseek_v2": 0,
        "glm4_moe": 2,
        "ernie45_moe": 0,
        "layer": 0,
    }


@pytest.mark.parametrize(
    ("file", "text", "fact", "why"),
    [
        (serving_facts.LORA, "x = 1\n", "refusal", "there are 0 functions `process_packed_modules_mapping`"),
        (
            serving_facts.LOOKUP,
            "def get_moe_expert_mapping(model): return model.experts()\n",
            "lookup",
            "`get_moe_expert_mapping` goes through modules in 0 known ways",
        ),
        (GEMMA, "x = 1\n", "declared", "there are 0 classes `Gemma4ForCausalLM`"),
    ],
)
def test_what_moved_is_missing_with_its_reason_and_never_gone(
    tmp_path: Path, file: str, text: str, fact: str, why: str
) -> None:
    wheel(tmp_path, "0.24.0", modules())
    wheel(tmp_path, "0.25.0", modules() | {file: text})
    found = read(tmp_path)["releases"][1]
    assert found[fact] is None
    assert found["missing"] == {fact: why}


# Between releases --------------------------------------------------------------------------------------


def test_a_change_is_dated_by_the_releases_on_both_sides(tmp_path: Path) -> None:
    for version, files in (("0.24.0", modules()), ("0.25.0", modules(TAKING, MODULES)), ("0.3.0", modules())):
        wheel(tmp_path, version, files)
    listed = tmp_path / "published.txt"
    listed.write_text("vllm (0.25.0)\nAvailable versions: 0.25.0, 0.24.0, 0.4.0, 0.3.0\n", encoding="utf-8")
    found = read(tmp_path, "--published", str(listed))
    where = {"last": "0.24.0", "first": "0.25.0", "neighbours": True, "between": []}
    assert found["changes"] == [
        {"what": "refuses", "before": True, "after": False, **where},
        {"what": "through", "before": "children", "after": "modules", **where},
        {"what": "without", "before": "an empty list", "after": "raises", **where},
    ]
    assert found["published"]["versions"] == ["0.3.0", "0.4.0", "0.24.0", "0.25.0"]
    assert read(tmp_path)["changes"][0]["neighbours"] is None


def test_a_wheel_that_the_list_does_not_name_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel(tmp_path, "0.24.0", modules())
    listed = tmp_path / "published.txt"
    listed.write_text("0.25.0\n", encoding="utf-8")
    arguments = ("--wheels", str(tmp_path), "--published", str(listed))
    assert_refused(probe, arguments, "does not name 0.24.0", capsys)
    listed.write_text("Not Found\n", encoding="utf-8")
    assert_refused(probe, arguments, "save what `pip index versions vllm` prints", capsys)


def test_wheels_that_hold_nothing_of_it_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel(tmp_path, "0.24.0", {})
    assert_refused(probe, ("--wheels", str(tmp_path)), f"no wheel holds {serving_facts.LORA}", capsys)


# What was adopted --------------------------------------------------------------------------------------


def test_the_pin_of_the_server_is_the_newest_release_that_was_read() -> None:
    read_last = json.loads(EVIDENCE.read_bytes())["wheels"][-1]["version"]
    assert f"vllm=={read_last}" in PIN.read_text(encoding="utf-8").splitlines()


def test_the_adopted_document_is_whole() -> None:
    document = json.loads(EVIDENCE.read_bytes())
    assert [one["missing"] for one in document["releases"]] == [{}] * len(document["wheels"])
    assert all(one["neighbours"] for one in document["changes"])
