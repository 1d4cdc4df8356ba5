"""What looks like the number of a page and is another: never `sure`, and never in a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stilltrue.binding import Asked, Binding, Level, bind
from stilltrue.config import load
from stilltrue.errors import InputError, UsageError

APART = {"train": {"loss": 2.3147}, "eval": {"accuracy": 0.5}}


def bound(root: Path, page: str, name: str, text: str, **how: Any) -> Binding:
    (root / "stilltrue.toml").touch()
    (root / name).write_text(text, encoding="utf-8")
    (root / "README.md").write_text(f"# A\n\n{page}\n", encoding="utf-8")
    asked = {"line": 3, "column": 0, "value": "", **how}
    return bind(load(root.resolve()), Asked("README.md", evidence=name, **asked))


DOUBTS: dict[str, tuple[str, str, Any]] = {
    "a section of the file that holds something else": ("The eval loss was 2.3147.", "", APART),
    "words of the next number, in brackets": (
        "The train loss was 2.3147 (eval loss: 2.2711).",
        "2.3147",
        {"eval_loss": 2.3147},
    ),
    "words of the next number, behind a slash": (
        "train loss 2.3147 / eval loss 2.2711",
        "2.3147",
        {"eval_loss": 2.3147},
    ),
    "words of the next number, behind `vs.`": (
        "A train loss of 2.3147 vs. eval loss 2.2711.",
        "2.3147",
        {"eval_loss": 2.3147},
    ),
    "words in brackets of the number before": (
        "Measured: 2.3147 (train loss), 2.2711 (eval loss).",
        "2.2711",
        {"train_loss": 2.2711},
    ),
    "another thing that is counted": ("All steps took 2,314 tokens.", "", {"steps": 2314}),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_a_candidate_that_the_page_may_not_mean_is_not_sure(name: str, tmp_path: Path) -> None:
    page, value, held = DOUBTS[name]
    binding = bound(tmp_path, page, "run.json", json.dumps(held), value=value)
    assert [each.level for each in binding.candidates] == [Level.LIKELY]


SCALES = (" k", "K", " million", " M", " M tokens/s", " K/s", " x 10^-5", " × 10⁻⁵", "*10^-5")


@pytest.mark.parametrize("scale", SCALES)
def test_a_number_of_a_log_is_not_taken_without_its_scale(scale: str, tmp_path: Path) -> None:
    assert not bound(tmp_path, "The tokens were 2.3147.", "run.log", f"tokens: 2.3147{scale}\n").candidates


def test_a_number_of_a_log_is_read_with_its_scale(tmp_path: Path) -> None:
    binding = bound(tmp_path, "It read 2.31 million tokens.", "run.log", "tokens: 2.3147 million\n")
    assert binding.candidates[0].keys == (("match", "\\btokens: (\\S+ million)"),)
    assert binding.candidates[0].level is Level.SURE


def test_a_key_that_looks_like_the_label_of_a_row_is_left_to_its_author(tmp_path: Path) -> None:
    page = "| name | Loss |\n|---|---|\n| x | 2.3147 |\n| y | 3.4158 |"
    rows = json.dumps({"k == 3": [{"name": "x", "loss": 2.3147}, {"name": "y", "loss": 3.4158}]})
    with pytest.raises(InputError) as told:
        bound(tmp_path, page, "run.json", rows, line=5, whole=True)
    assert told.value.code == "not-bound"


def test_a_heading_with_a_comma_is_one_key_of_a_column(tmp_path: Path) -> None:
    page = "| na, me | Loss |\n|---|---|\n| x | 2.3147 |\n| y | 3.4158 |"
    rows = json.dumps([{"name": "x", "loss": 2.3147}, {"name": "y", "loss": 3.4158}])
    binding = bound(tmp_path, page, "run.json", rows, line=5, whole=True)
    assert binding.proposal is not None
    assert "key: ['na, me']" in binding.proposal.block
    assert binding.proposal.claims == 2


def test_a_key_that_no_editor_shows_is_written_as_jsonpath_escapes_it(tmp_path: Path) -> None:
    held = json.dumps({"top": {"\u202eloss\x07\U000e0001": 2.3147}})
    proposal = bound(tmp_path, "It was 2.3147.", "run.json", held).proposal
    assert proposal is not None
    assert r"$.top[''\u202eloss\u0007\udb40\udc01'']" in proposal.block
    assert proposal.block.isascii()


def test_the_same_number_twice_is_told_apart_by_its_column_alone(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as told:
        bound(tmp_path, "A loss of 2.3147, not 2.3147.", "run.json", '{"loss": 2.3147}')
    assert told.value.hint == "say which: `README.md:3:11`"
