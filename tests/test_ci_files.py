"""The workflow, the hooks and this repository's own CI: every command in them is one that there is."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from recording_support import commit_all, git, stilltrue_in, write
from stilltrue.cli.app import app
from stilltrue.start import hook_text, workflow_text

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/tool/ci.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

_FENCE = re.compile(r'^```yaml title="(?P<title>[^"]+)"\n(?P<body>.*?)^```$', re.MULTILINE | re.DOTALL)


def fences() -> dict[str, Any]:
    """The YAML that the page shows, by its title."""
    return {match["title"]: yaml.safe_load(match["body"]) for match in _FENCE.finditer(PAGE)}


def scripts(node: Any) -> Iterator[str]:
    """Every command line of a workflow: under `run`, `script` and `entry`, at any depth."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("run", "entry") and isinstance(value, str):
                yield from value.splitlines()
            elif key == "script" and isinstance(value, list):
                yield from value
            else:
                yield from scripts(value)
    elif isinstance(node, list):
        for item in node:
            yield from scripts(item)


def ours(lines: Iterator[str]) -> list[list[str]]:
    """The words behind `stilltrue` in each line that runs it; what a shell redirects is left out."""
    found = []
    for line in lines:
        if line.split()[:1] == ["stilltrue"]:
            words = shlex.split(line, comments=True)
            found.append(words[1 : words.index(">") if ">" in words else None])
    return found


def of_make() -> list[list[str]]:
    """The words behind `stilltrue` in the recipes of the Makefile."""
    return ours(line.removeprefix("\t$(BIN)/") for line in MAKEFILE.splitlines() if line.startswith("\t"))


def of_prose() -> list[list[str]]:
    """Every command that the page names in its text."""
    text = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    return ours(iter(re.findall(r"`(stilltrue [^`]+)`", text)))


COMMANDS = sorted(
    {
        shlex.join(words)
        for words in [
            *ours(scripts(yaml.safe_load(workflow_text()))),
            *ours(scripts(yaml.safe_load(hook_text()))),
            *ours(scripts(yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")))),
            *ours(scripts(fences())),
            *of_make(),
            *of_prose(),
        ]
    }
)


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_and_option_that_is_written_is_one_that_there_is(line: str) -> None:
    name, *arguments = shlex.split(line)
    command = app.commands[name]
    with command.make_context(name, arguments, parent=click.Context(app)) as context:
        assert context.params


def test_the_commands_are_found_at_all() -> None:
    assert {"check", "check --rerun cheap", "coverage", "mutate", "init --workflow"} <= set(COMMANDS)
    assert "check --format github --changed-since '$BASE'" in COMMANDS
    assert {"check --rerun cheap", "mutate", "coverage"} <= {shlex.join(words) for words in of_make()}


# The workflow ------------------------------------------------------------------------------------------


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(workflow_text())["jobs"]["check"]["steps"]
    return found


def test_the_page_shows_the_workflow_and_the_hook_that_init_writes() -> None:
    assert f'```yaml title=".github/workflows/stilltrue.yml"\n{workflow_text()}```\n' in PAGE
    assert f'```yaml title=".pre-commit-config.yaml"\n{hook_text()}```\n' in PAGE


def test_the_workflow_may_only_read_and_has_the_history() -> None:
    workflow = yaml.safe_load(workflow_text())
    assert workflow["permissions"] == {"contents": "read"}
    checkout = next(step for step in steps() if step.get("uses", "").startswith("actions/checkout@"))
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}


def test_no_value_of_an_event_is_written_into_a_script() -> None:
    """A branch may be called `$(…)`: what an event says comes as a variable."""
    assert [line for line in scripts(fences()) if "${{" in line] == []
    assert [line for line in scripts(yaml.safe_load(workflow_text())) if "${{" in line] == []


def test_no_step_of_the_workflow_runs_code_of_the_project() -> None:
    for words in ours(scripts(yaml.safe_load(workflow_text()))):
        assert "--rerun" not in words
        assert words[0] != "mutate" or words[1:] == ["--only", "stated", "--only", "readings"]


README = "# A benchmark\n\nThe third step takes 409.4 ms.\n"
CLAIM = """\
- id: third-step
  says: "The third step takes {value}."
  stated_in: {file: README.md, match: 'takes (?P<value>\\S+ ms)'}
  evidence: results/step.log
  read: {match: '^step 3 time (\\S+ ms)$'}
"""


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the workflow checks out of a pull request: a clone with its history, at a commit of a branch."""
    origin = tmp_path_factory.mktemp("origin")
    write(origin, {"README.md": README, "results/step.log": "step 3 time 409.4 ms\n", "claims/a.yml": CLAIM})
    git(origin, "init", "-q", "-b", "main")
    stilltrue_in(origin, "init", "--workflow", "--pre-commit")
    commit_all(origin)
    git(origin, "checkout", "-q", "-b", "change")
    write(origin, {"README.md": f"{README}\nIt is warm by then.\n"})
    commit_all(origin)
    folder = tmp_path_factory.mktemp("checkout") / "clone"
    git(origin, "clone", "-q", str(origin), str(folder))
    return folder


# Those of a site are tried where one is built: test_site_generators.py.
ELSEWHERE = ("init", "update", "pages", "verify-site")


@pytest.mark.parametrize("line", [line for line in COMMANDS if not line.startswith(ELSEWHERE)])
def test_every_command_runs_in_a_checkout_and_finds_nothing_wrong(clone: Path, line: str) -> None:
    done = stilltrue_in(clone, *shlex.split(line.replace("$BASE", "origin/main")))
    assert done.code == 0, done.out + done.err


def test_the_workflow_fails_where_the_pull_request_states_something_else(clone: Path) -> None:
    file = clone / "README.md"
    before = file.read_text(encoding="utf-8")
    file.write_text(before.replace("409.4", "409.5"), encoding="utf-8")
    try:
        done = stilltrue_in(clone, "check", "--format", "github", "--changed-since", "origin/main")
    finally:
        file.write_text(before, encoding="utf-8")
    assert done.code == 1
    assert re.search(r"^::error file=README\.md,line=3", done.out, re.MULTILINE)


# The hook ----------------------------------------------------------------------------------------------


def test_both_hooks_judge_everything_whatever_has_changed() -> None:
    (shared,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    ((local,),) = [repo["hooks"] for repo in yaml.safe_load(hook_text())["repos"]]
    for hook in (shared, local):
        assert hook["id"] == "stilltrue"
        assert hook["entry"] == "stilltrue check"
        assert hook["pass_filenames"] is False
        assert hook["always_run"] is True
    assert (shared["language"], local["language"]) == ("python", "system")


# This repository ---------------------------------------------------------------------------------------


def test_the_help_of_make_names_what_its_tests_do() -> None:
    shown = "\n".join(re.findall(r"^#   (.*)$", MAKEFILE, re.MULTILINE))
    for what in (
        "lint",
        "types",
        "the cheap probes again",
        "unbound numbers",
        "claims that could not fail",
        "tests",
    ):
        assert what in shown


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_env_installs_what_the_tests_need_and_runs_nothing_else(tmp_path: Path) -> None:
    words = ["make", "--dry-run", "env", f"VENV={tmp_path / 'made'}"]
    planned = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "--editable '.[site,playbook,readers,dev]'" in planned
    assert not re.search(r"bin/(?:stilltrue|pytest|mkdocs|mypy|ruff)\b", planned)


def test_ci_runs_both_commands_of_the_makefile() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert re.findall(r"^make (\w+)", script, re.MULTILINE) == ["site", "test"]
