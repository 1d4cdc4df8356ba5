"""Numbers in marks, in links and in code, ranges and spreads: what `bind` makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recording_support import Done, stilltrue_in
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.evidence.survey import of_tree
from stilltrue.model import Verdict

RUN = '{"mean_loss": 22.8, "other": 3.25, "latency": {"min": 1.2, "max": 1.4}}\n'
STEPS = "run,step_ms,loss\n1,1.21,0.10\n2,1.30,0.12\n3,1.42,0.14\n"


def project(root: Path, text: str) -> Path:
    """A page and a README that is none, with the same text."""
    files = {
        "stilltrue.toml": 'pages = ["docs/**/*.md"]\n',
        "run.json": RUN,
        "steps.csv": STEPS,
        "docs/p.md": text,
        "README.md": text,
    }
    for name, held in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(held, encoding="utf-8")
    return root


def bind(root: Path, page: str, line: str, evidence: str = "run.json", *args: str) -> Done:
    project(root, f"# T\n\n{line}\n")
    return stilltrue_in(root, "bind", f"{page}:3", evidence, *args)


def line_of(root: Path, page: str) -> str:
    return (root / page).read_text(encoding="utf-8").splitlines()[2]


def holds(root: Path) -> bool:
    """Whether there is one claim, it holds, and nothing else is said."""
    report = check(load(root))
    return not report.problems and [each.verdict for each in report.judgements] == [Verdict.HOLDS]


MARKS = {
    "half bold": ("The mean loss was **22**.8 here.", "The mean loss was [**22**.8](claim:a) here."),
    "bold italics": ("The mean loss was **_22.8_**.", "The mean loss was **_[22.8](claim:a)_**."),
    "a heading": ("## The mean loss was 22.8", "## The mean loss was [22.8](claim:a)"),
    "beside a struck one": (
        "The mean loss was ~~23.1~~ 22.8 here.",
        "The mean loss was ~~23.1~~ [22.8](claim:a) here.",
    ),
}


@pytest.mark.parametrize("page", ["docs/p.md", "README.md"])
@pytest.mark.parametrize("name", MARKS)
def test_a_number_in_marks_is_bound_as_its_readers_see_it(name: str, page: str, tmp_path: Path) -> None:
    line, linked = MARKS[name]
    done = bind(tmp_path, page, line, "run.json", "--id", "a", "--pick", "1", "--write")
    assert (done.code, done.err) == (0, "")
    assert line_of(tmp_path, page) == (linked if page == "docs/p.md" else line)
    assert holds(tmp_path)
    said = check(load(tmp_path)).judgements[0].claim.says
    assert not set("*_#~") & set(said), said


@pytest.mark.parametrize("page", ["docs/p.md", "README.md"])
@pytest.mark.parametrize("line", ["The loss was ~~22.8~~ here.", "The loss was <del>22.8</del> here."])
def test_a_struck_number_is_not_bound(line: str, page: str, tmp_path: Path) -> None:
    done = bind(tmp_path, page, line, "run.json", "--pick", "1", "--write")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"{page}:3: `22.8` is struck through")
    assert line_of(tmp_path, page) == line


@pytest.mark.parametrize("line", ["It is [22.8](https://a.example).", "It is ![22.8](a.png)."])
def test_a_number_in_another_link_is_bound_aside_alone(line: str, tmp_path: Path) -> None:
    refused = bind(tmp_path, "docs/p.md", line, "run.json", "--pick", "1", "--write")
    assert refused.code == 2
    assert "cannot be a link" in refused.err
    assert "`--aside`" in refused.err
    done = bind(tmp_path, "docs/p.md", line, "run.json", "--pick", "1", "--aside", "--write")
    assert (done.code, done.err) == (0, "")
    assert line_of(tmp_path, "docs/p.md") == line
    assert holds(tmp_path)


@pytest.mark.parametrize(("page", "aside"), [("docs/p.md", ["--aside"]), ("README.md", [])])
def test_a_number_in_code_is_bound_where_it_needs_no_link(
    page: str, aside: list[str], tmp_path: Path
) -> None:
    line = "It said `loss=22.8` to me."
    linked = bind(tmp_path, "docs/p.md", line)
    assert (linked.code, "the line holds no number\n" in linked.err, "`--aside`" in linked.err) == (
        2,
        True,
        True,
    )
    done = bind(tmp_path, page, line, "run.json", "--pick", "1", "--write", *aside)
    assert (done.code, done.err) == (0, "")
    assert line_of(tmp_path, page) == line
    assert holds(tmp_path)


def test_a_struck_number_of_a_cell_names_no_row(tmp_path: Path) -> None:
    table = "| Mean loss | Note |\n|---|---|\n| ~~23.1~~ 22.8 | |\n"
    done = stilltrue_in(project(tmp_path, table), "bind", "docs/p.md:3", "run.json", "--pick", "1")
    assert 'says: "Mean loss is {value}."' in done.out


# Ranges and spreads ------------------------------------------------------------------------------------


def proposed(root: Path, line: str, evidence: str) -> dict[str, Any]:
    """What is proposed for the only number of a line."""
    return dict(json.loads(bind(root, "docs/p.md", line, evidence, "--format", "json").out))


SEVERAL = {
    "the ends of a column whose name says the unit": (
        "The step took 1.2 to 1.4 ms.",
        {"column": "step_ms", "unit": "ms"},
        "1.21 ms to 1.42 ms, of 3 values",
    ),
    "a dash": (
        "The step took 1.2–1.4 ms.",
        {"column": "step_ms", "unit": "ms"},
        "1.21 ms to 1.42 ms, of 3 values",
    ),
    "mean and deviation": ("The loss was 0.12 ± 0.02.", {"column": "loss"}, "0.12 ± 0.02, of 3 values"),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_a_range_and_a_spread_are_read_from_all_values_of_a_column(name: str, tmp_path: Path) -> None:
    line, read, text = SEVERAL[name]
    (candidate,) = proposed(tmp_path, line, "steps.csv")["candidates"]
    assert (candidate["level"], candidate["read"], candidate["text"]) == ("likely", read, text)
    assert candidate["why"].startswith("see that the page means all 3 values")
    assert bind(tmp_path, "docs/p.md", line, "steps.csv", "--write").code == 2
    assert bind(tmp_path, "docs/p.md", line, "steps.csv", "--pick", "1", "--write").code == 0
    assert holds(tmp_path)


@pytest.mark.parametrize(
    "line", ["The step took 1.1 to 1.4 ms.", "The loss was 0.12 ± 0.03.", "It is 1.2 to 1.4 s."]
)
def test_ends_or_a_deviation_that_are_others_are_not_proposed(line: str, tmp_path: Path) -> None:
    done = bind(tmp_path, "docs/p.md", line, "steps.csv")
    assert done.code == 1
    assert "nothing in the file agrees so\n" in done.out
    assert "would agree with one" not in done.out  # nobody can say how likely chance is


def test_of_a_file_that_is_not_looked_at_as_a_whole_the_part_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_tree, "MOST", 3)
    project(tmp_path, "")
    (tmp_path / "long.json").write_text("[0.10, 0.12, 0.14, 0.11, 0.13]")
    (candidate,) = proposed(tmp_path, "The loss was 0.10 to 0.14.", "long.json")["candidates"]
    assert candidate["text"] == "0.1 to 0.14, of the first 3 values"
    assert candidate["why"] == "see that the page means all values, of which the first 3 were looked at"


def test_two_keys_are_no_range(tmp_path: Path) -> None:
    done = bind(tmp_path, "docs/p.md", "The latency was 1.2 to 1.4.", "run.json")
    assert done.code == 1
    assert "state each as a number of its own" in done.out


def test_a_range_in_a_unit_that_nothing_says_is_one_that_its_author_vouches_for(tmp_path: Path) -> None:
    line = "The loss was 0.10 to 0.14 GiB."
    (candidate,) = proposed(tmp_path, line, "steps.csv")["candidates"]
    assert (candidate["level"], candidate["read"]) == ("conversion", {"column": "loss", "unit": "GiB"})
    assert "only if the file counts in `GiB`: it does not say so" in candidate["why"]
    assert bind(tmp_path, "docs/p.md", line, "steps.csv").code == 1
    assert bind(tmp_path, "docs/p.md", line, "steps.csv", "--pick", "1", "--write").code == 0
    assert holds(tmp_path)


def test_a_whole_number_is_told_why_one_that_rounds_to_it_does_not_agree(tmp_path: Path) -> None:
    done = bind(tmp_path, "docs/p.md", "The mean loss was 23.")
    assert done.code == 1
    assert (
        "  `22.8` rounds to it, and a whole number without a unit is exact:\n  write more digits, or `~23`\n"
        in done.out
    )
    assert bind(tmp_path, "docs/p.md", "The mean loss was ~23.").code == 0
    assert "rounds to it" not in bind(tmp_path, "docs/p.md", "The mean loss was 24.").out
