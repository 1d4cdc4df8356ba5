"""The page for a repository of a README and a results file, replayed from its first line to its last."""

from __future__ import annotations

from pathlib import Path

from replay_support import followed, run, shell_in, steps

PAGE = "start.md"


def test_every_command_of_the_page_prints_what_it_shows(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    shell = shell_in(tmp_path)
    assert followed(PAGE, project, shell) > 10
    assert run(project, "git status --porcelain", shell) == (0, "")


def test_the_page_fails_where_it_says_so() -> None:
    failing = [step for step in steps(PAGE) if step.command.startswith("stilltrue check ||")]
    assert [step.text.splitlines()[-1] for step in failing] == ["exit code 2", "exit code 1"]


def test_every_file_that_is_written_twice_has_changed() -> None:
    seen: dict[str, str] = {}
    for step in steps(PAGE):
        if step.file:
            assert seen.get(step.file) != step.text
            seen[step.file] = step.text
    assert sorted(seen) == ["README.md", "claims/results.yml", "results/bench.json"]
