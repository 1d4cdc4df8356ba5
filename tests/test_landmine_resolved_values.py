"""Equal requests hide runs that differ, the guard wants what they came to, and a broken guard is noticed."""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from integrity_support import pasted
from probe_support import assert_refused, document_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("accelerate")
probe = pytest.importorskip("resolved_values")
image_manifest = pytest.importorskip("probe_parts.image_manifest")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "integrity" / "resolved-values.json"
COMMIT, DIGEST = "0" * 40, f"sha256:{'a' * 64}"


@cache
def measured() -> dict[str, Any]:
    return document_of(probe, ())


def setting(name: str) -> dict[str, Any]:
    (found,) = [one for one in measured()["settings"] if one["setting"] == name]
    return dict(found)


def record(which: str = "first") -> dict[str, Any]:
    return {one["setting"]: one[which] for one in measured()["settings"]}


# Four ways ---------------------------------------------------------------------------------------------


def test_two_runs_with_one_request_differ_in_what_the_request_hides() -> None:
    differ = [one["setting"] for one in measured()["settings"] if one["first"] != one["later"]]
    assert differ == ["model", "attention", "dtype", "warmup_steps", "code", "image"]
    assert measured()["trap"] == {"hidden": len(differ), "settings": differ}
    assert measured()["unresolved_as_asked"] == len(probe.ASKED)


def test_the_page_prints_the_shapes_that_the_guard_asks_for() -> None:
    printed = pasted("resolved-values.md", "check").__globals__
    assert (printed["OPEN"], printed["SHAPES"]) == (probe.OPEN, probe.SHAPES)


def test_records_of_what_was_resolved_hide_nothing() -> None:
    assert measured()["sound"] == {"hidden": 0, "settings": []}


def test_the_guard_stops_each_setting_left_as_asked_and_passes_whole_records() -> None:
    guard = measured()["guard"]
    assert (guard["stops"], guard["passes"], guard["unheard"]) == (True, True, True)
    assert guard["alone"] == dict.fromkeys(probe.ASKED, True)


@pytest.mark.parametrize(
    ("plant", "said"), [("no-guard", "stops"), ("refuse-all", "passes"), ("any-value", "stops")]
)
def test_a_broken_guard_is_noticed(plant: str, said: str) -> None:
    guarded, _ = probe.parse(("--plant", plant))
    tried = probe.tried(guarded, (record(), record("later")))
    assert tried[said] is False


def test_a_guard_for_any_value_lets_the_words_pass_that_mean_somebody_else_chooses() -> None:
    alone = probe.tried(probe.any_value, (record(), record("later")))["alone"]
    assert [name for name, stopped in alone.items() if not stopped] == [
        name for name, asked in probe.ASKED.items() if asked is not None
    ]


# What is resolved --------------------------------------------------------------------------------------


def test_the_objects_say_what_their_makers_choose() -> None:
    assert (setting("attention")["first"], setting("attention")["later"]) == ("sdpa", "eager")
    assert (setting("dtype")["first"], setting("dtype")["later"]) == ("bfloat16", "float32")
    assert (setting("experts")["first"], setting("use_reentrant")["first"]) == ("grouped_mm", False)
    assert [setting("warmup_steps")[run] for run in ("first", "later")] == [
        math.ceil(0.03 * n) for n in (444, 888)
    ]


def test_commits_are_the_ones_that_git_makes_of_the_same_content(tmp_path: Path) -> None:
    git = ("git", "-C", str(tmp_path))
    environment = {**probe.GIT_ENVIRONMENT, "PATH": "/usr/bin:/bin"}
    subprocess.run((*git, "init", "-q", "-b", "main", "--object-format=sha1"), env=environment, check=True)
    (tmp_path / "train.py").write_text("print('first')\n", encoding="utf-8")
    subprocess.run((*git, "add", "."), env=environment, check=True)
    subprocess.run((*git, "commit", "-qm", "first"), env=environment, check=True)
    said = subprocess.run(
        (*git, "log", "-1", "--format=%H"), env=environment, check=True, capture_output=True, text=True
    )
    assert setting("code")["first"] == said.stdout.strip() != setting("code")["later"]


def test_a_model_is_known_by_the_names_and_bytes_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    before = probe.content(tmp_path)
    line = f"a\0{hashlib.sha256(b'1').hexdigest()}\n".encode()
    assert before == f"sha256:{hashlib.sha256(line).hexdigest()}"
    (tmp_path / "a").rename(tmp_path / "b")
    assert probe.content(tmp_path) != before


def test_a_model_that_says_nothing_of_its_checkpointing_is_refused() -> None:
    with pytest.raises(SystemExit, match="says nothing of `use_reentrant`"):
        probe.reentrant(torch.nn.Linear(1, 1))


# The guard's rules -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "fine"),
    [
        ("attention", "sdpa", True),
        ("attention", None, False),
        ("attention", " Auto ", False),
        ("use_reentrant", False, True),
        ("warmup_steps", 0, True),
        ("warmup_steps", 14, True),
        ("warmup_steps", 0.03, False),
        ("warmup_steps", -1, False),
        ("code", COMMIT, True),
        ("code", COMMIT + "0" * 24, True),
        ("code", COMMIT[:7], False),
        ("code", "main", False),
        ("code", COMMIT + "\n", False),
        ("image", f"serve@{DIGEST}", True),
        ("image", f"serve:1.2@{DIGEST}", True),
        ("image", "serve:1.2", False),
        ("image", f"serve@{DIGEST[:-1]}", False),
        ("image", DIGEST, False),
        ("library", "transformers==5.24.0", True),
        ("library", "torch==2.13.0+cpu", True),
        ("library", "transformers>=5", False),
        ("library", "transformers==5.*", False),
        ("model", DIGEST, True),
        ("model", "checkpoints/base", False),
    ],
    ids=repr,
)
def test_a_value_is_resolved_when_it_leaves_nothing_to_choose(name: str, value: object, fine: bool) -> None:
    assert probe.resolved(name, value) is fine


def test_a_setting_that_the_record_lacks_or_that_is_another_is_named() -> None:
    with pytest.raises(probe.RefusedError, match="dtype: asked for 'auto', and None"):
        probe.guard(probe.Manifest({"dtype": "auto"}, {}))
    with pytest.raises(probe.RefusedError, match="attention: asked for 'sdpa', and the run has 'eager'"):
        probe.guard(probe.Manifest({"attention": "sdpa"}, {"attention": "eager"}))
    asked = {"attention": "sdpa", "warmup_steps": 0.03}
    probe.guard(probe.Manifest(asked, {"attention": "sdpa", "warmup_steps": 14}))


# What it is given, and what is recorded ----------------------------------------------------------------


def test_a_configuration_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(probe, ("--config", str(tmp_path / "none.json")), "cannot be read", capsys)


def test_the_digests_of_the_record_are_those_that_the_command_was_seen_to_print() -> None:
    said = json.loads((EVIDENCE.parent / "image-tag.json").read_bytes())["by_tag"]
    assert [setting("image")[run].partition("@")[2] for run in ("first", "later")] == said


def test_the_evidence_says_what_the_probe_says_where_nothing_is_newer() -> None:
    recorded = json.loads(EVIDENCE.read_bytes())
    if recorded["versions"] != measured()["versions"]:
        pytest.skip("recorded with other releases")
    (kept, *rest), (_, *fresh) = recorded.pop("settings"), measured()["settings"]
    assert kept["setting"] == "model"  # random weights are the same to the last bit on one kind of CPU alone
    assert rest == fresh
    assert recorded == {name: value for name, value in measured().items() if name != "settings"}
