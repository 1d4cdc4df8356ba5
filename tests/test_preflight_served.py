"""What is served before a launch: answers of the adapter and of its base, by files and by commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from preflight_found import assert_refused, said
from preflight_support import launch_of
from stilltrue.preflight.checks import served

FILES = "served: {base: {file: base.json}, again: {file: again.json}, adapter: {file: adapter.json}}\n"
BASE = {"capital of France?": "Paris.", "2 + 2?": "4", "logits": [0.5, 1e-3]}


def of(root: Path, base: Any, adapter: Any, again: Any = None, settings: str = FILES) -> dict[str, str]:
    """What is said of three files of answers."""
    documents = {"base": base, "again": base if again is None else again, "adapter": adapter}
    files = {f"{name}.json": json.dumps(document) for name, document in documents.items()}
    return said(launch_of(root, settings, files))


def test_an_adapter_that_answers_otherwise_passes(tmp_path: Path) -> None:
    assert of(tmp_path, BASE, {**BASE, "2 + 2?": "four"}) == {
        "base model": "ok 3 answers, the same when asked again",
        "adapter": "ok 1 of 3 answers other than the base model's",
    }


@pytest.mark.parametrize(
    "answers", [BASE, ["Paris.", "4"], [0.25, 1], "one"], ids=["named", "listed", "numbers", "text"]
)
def test_an_adapter_that_answers_as_its_base_does_fails(answers: Any, tmp_path: Path) -> None:
    found = of(tmp_path, {"a": answers}, {"a": answers})
    assert found["adapter"] == "FAIL 0 of 1 answer other than the base model's"


def test_as_many_answers_differ_as_were_stated(tmp_path: Path) -> None:
    settings = FILES.replace("}}\n", "}, differ: 2}\n")
    one = {**BASE, "2 + 2?": "four"}
    assert of(tmp_path / "one", BASE, one, settings=settings)["adapter"].startswith("FAIL 1 of 3")
    two = {**one, "capital of France?": "It is Paris."}
    assert of(tmp_path / "two", BASE, two, settings=settings)["adapter"].startswith("ok 2 of 3")
    none = FILES.replace("}}\n", "}, differ: 0}\n")
    assert of(tmp_path / "none", BASE, BASE, settings=none)["adapter"].startswith("FAIL 0 of 3")


AGAIN = {
    "another-answer": (
        {**BASE, "2 + 2?": "5"},
        "of 3 prompts 1 (`2 + 2?`) got another answer when asked again",
    ),
    "another-prompt": ({"2 + 2?": "4"}, "of 3 prompts some were not the same when asked again"),
}


@pytest.mark.parametrize("name", AGAIN)
def test_a_base_that_changes_by_itself_shows_nothing(name: str, tmp_path: Path) -> None:
    again, saw = AGAIN[name]
    assert of(tmp_path, BASE, {**BASE, "2 + 2?": "four"}, again) == {"base model": f"FAIL {saw}"}


def test_other_prompts_are_no_comparison(tmp_path: Path) -> None:
    found = of(tmp_path, ["Paris.", "4"], ["Paris.", "4", "4"])
    assert found["adapter"] == "FAIL only one of the two answers `3`"


ASK = """\
import json, sys
answers = {"base": ["4", "Paris."], "adapter": ["four", "Paris."], "%s": ["4", "Paris."]}
print(json.dumps({"answers": answers[sys.argv[1]]}))
"""
COMMANDS = """\
served:
  base: {command: python ask.py base, path: $.answers}
  adapter: {command: python ask.py adapter, path: $.answers}
"""


def test_commands_are_asked_and_the_base_twice(tmp_path: Path) -> None:
    found = said(launch_of(tmp_path / "adapter", COMMANDS, {"ask.py": ASK % "other"}))
    assert found["adapter"] == "ok 1 of 2 answers other than the base model's"
    found = said(launch_of(tmp_path / "base", COMMANDS, {"ask.py": ASK % "adapter"}))
    assert found["adapter"] == "FAIL 0 of 2 answers other than the base model's"


def test_a_command_that_samples_is_told_apart_from_an_adapter(tmp_path: Path) -> None:
    sampling = "import json, os\nprint(json.dumps({'answers': [os.getpid()]}))\n"
    found = said(launch_of(tmp_path, COMMANDS, {"ask.py": sampling}))
    assert found == {"base model": "FAIL of 1 prompt 1 (`1`) got another answer when asked again"}


@pytest.mark.parametrize("answers", [[], {}, 3, None], ids=["no-list", "no-mapping", "number", "null"])
def test_answers_that_are_none_have_not_passed(answers: Any, tmp_path: Path) -> None:
    found = of(tmp_path, answers, BASE, again=BASE)
    assert found["served"].startswith("FAIL th")
    assert "answer" in found["served"]


def test_a_file_that_is_not_there_has_not_passed(tmp_path: Path) -> None:
    found = said(launch_of(tmp_path, FILES, {"base.json": "[1]", "again.json": "[1]"}))
    assert "there is no file `adapter.json`" in found["served"]


REFUSED = {
    "no-again": ("base: {file: a.json}, adapter: {file: b.json}", "does not show that its answers are alike"),
    "no-adapter": ("base: {command: a}", "`adapter` is missing"),
    "no-source": ("base: {path: $.a}, adapter: {file: b.json}", "this needs one of `file` and `command`"),
    "two-sources": (
        "base: {file: a, command: b}, adapter: {file: b}",
        "this needs one of `file` and `command`",
    ),
    "unknown": ("bass: {command: a}, adapter: {file: b}", "did you mean `base`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_make_no_sense_are_refused(name: str, tmp_path: Path) -> None:
    settings, why = REFUSED[name]
    assert_refused(tmp_path, f"served: {{{settings}}}\n", 1, why)


def test_the_comparison_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert of(tmp_path / "as-it-is", BASE, BASE)["adapter"].startswith("FAIL")
    found = iter([[], list(BASE)])
    monkeypatch.setattr(served, "different", lambda _one, _other: next(found))
    assert of(tmp_path / "blind", BASE, BASE)["adapter"].startswith("ok")


@pytest.mark.parametrize(
    "answer",
    ["null", "NaN", "[null, null]", '{"text": null}', "[]"],
    ids=["null", "nan", "nulls", "within", "empty"],
)
@pytest.mark.parametrize("whose", ["base", "adapter"])
def test_what_is_no_answer_differs_from_nothing(answer: str, whose: str, tmp_path: Path) -> None:
    """A server that is away answers otherwise than any model does."""
    answers = {"base": '["a", "b"]', "adapter": '["a", "c"]', whose: f'["a", {answer}]'}
    files = {"base.json": answers["base"], "again.json": answers["base"], "adapter.json": answers["adapter"]}
    assert said(launch_of(tmp_path, FILES, files)) == {"served": "FAIL `2` of 2 prompts got no answer"}


def test_a_text_without_a_letter_and_a_probability_that_is_missing_are_answers(tmp_path: Path) -> None:
    found = of(tmp_path, ["", [None, -0.5]], ["a", [None, -0.5]])
    assert found["adapter"] == "ok 1 of 2 answers other than the base model's"


ERRORS = {
    "openai": {"error": {"message": "The model `x` does not exist", "code": 404}},
    "older": {"object": "error", "message": "The model `x` does not exist"},
    "fastapi": {"detail": "Not Found"},
    "text": '{"error": {"message": "timed out"}}',
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("whose", ["base", "adapter"])
def test_the_body_of_an_error_is_no_answer(name: str, whose: str, tmp_path: Path) -> None:
    answers = {"base": ["Paris.", "4"], "adapter": ["Paris.", "four"], whose: ["Paris.", ERRORS[name]]}
    found = of(tmp_path, answers["base"], answers["adapter"])
    assert found == {"served": "FAIL `2` of 2 prompts got an error in place of an answer"}


@pytest.mark.parametrize("answer", ["", "404 page not found"], ids=["empty", "page"])
def test_one_answer_to_whatever_is_asked_shows_no_adapter(answer: str, tmp_path: Path) -> None:
    saw = "FAIL one and the same answer to all 2 prompts, which may be an error's"
    assert of(tmp_path / "adapter", ["Paris.", "4"], [answer] * 2) == {"adapter": saw}
    assert of(tmp_path / "base", [answer] * 2, ["Paris.", "4"]) == {"base model": saw}


@pytest.mark.parametrize(
    "answer", ['{"error": null, "text": "four"}', "{4}", {"text": "four", "error": None}]
)
def test_an_answer_that_only_looks_like_an_error_is_one(answer: Any, tmp_path: Path) -> None:
    found = of(tmp_path, ["Paris.", "4"], ["Paris.", answer])
    assert found["adapter"] == "ok 1 of 2 answers other than the base model's"
