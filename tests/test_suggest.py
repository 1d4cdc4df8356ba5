from __future__ import annotations

from stilltrue.suggest import Nearest, did_you_mean


def test_the_nearest_word_is_asked_for_and_nothing_far_away() -> None:
    assert did_you_mean("attenton", ["attention", "gemm"]) == "did you mean `attention`?"
    assert did_you_mean("xyz", ["attention", "gemm"]) == ""


def test_the_same_word_in_another_case_is_near() -> None:
    assert did_you_mean("Readme.md", ["rename.md", "README.md"]) == "did you mean `README.md`?"


def test_the_id_of_a_table_leads_to_its_cells() -> None:
    ids = ["waste", "step.1.loss", "step.2.loss"]
    assert did_you_mean("step", ids) == "did you mean `step.1.loss`?"
    assert did_you_mean("ste", ids) != did_you_mean("step", ids)


def test_only_the_first_words_are_looked_for_and_those_stay_known() -> None:
    nearest = Nearest(["attention"])
    words = [f"attention{n}" for n in range(Nearest.MOST + 1)]
    assert [nearest.to(word) for word in words[:-1]] == ["did you mean `attention`?"] * Nearest.MOST
    assert nearest.to(words[-1]) == ""
    assert nearest.to(words[0]) == "did you mean `attention`?"
