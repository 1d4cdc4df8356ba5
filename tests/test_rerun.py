"""Running probes again: which, once each, what is remembered, and what a check makes of the answer."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recording_support import (
    COUNT,
    TARGETS,
    TWICE,
    Done,
    command,
    commit_all,
    environment,
    project,
    stilltrue_in,
    write,
)
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.errors import UsageError
from stilltrue.rerun import recheck, rerun
from stilltrue.workspace import FOLDER
from test_cli_process import on_terminal

TIMES = "claims/evidence/times.json"

HEADER = """\
# /// script
# [tool.stilltrue]
# writes = "{writes}"
# cost = "{cost}"
# {more}
# ///
import json, os, sys, time
from pathlib import Path
ran = os.environ.get("RAN")
if ran:
    with open(ran, "a") as log:
        log.write(Path(__file__).stem + "\\n")
"""

PROBES = {
    "probes/count.py": HEADER.format(writes=COUNT, cost="cheap", more='reads = "lengths.csv"')
    + "import helper\n"
    + 'print(json.dumps({"n": helper.N, "name": "adam", "layers": [5, 11]}))\n',
    "probes/helper.py": "N = 205\n",
    "probes/times.py": HEADER.format(writes=TIMES, cost="slow", more='timeout = "20 s"')
    + 'print(json.dumps({"times": [1.0, 1.2, 1.4], "zero": 0}))\n',
}

PAGE = (
    f"{TARGETS}\n{TWICE}"
    """
```claim
id: time
says: "It takes {value}."
value: 1.2 s
evidence: claims/evidence/times.json
read: {path: "$.times[*]", take: mean, unit: s}
reproduces: 10 %
```

```claim
id: quoted
says: "Others count {value}."
value: 200 modules
reported: {by: them}
```
"""
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a cheap and a slow probe, both recorded."""
    root = project(tmp_path_factory.mktemp("base"), commit=False)
    write(root, {**PROBES, "docs/counts.md": PAGE, "lengths.csv": "7\n"})
    commit_all(root)
    done = stilltrue_in(root, "record", "probes/count.py", "probes/times.py")
    assert done.code == 0, done.err
    commit_all(root)
    return root


@pytest.fixture
def root(base: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "project"
    shutil.copytree(base, copy, symlinks=True, ignore=shutil.ignore_patterns(FOLDER))
    return copy.resolve()


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text("utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new), "utf-8")


class Runs:
    """A check with re-runs as a process; counts what ran, outside every stage."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log = root.parent / "ran"
        self.last: dict[str, Any] = {}

    def __call__(self, *arguments: str, code: int = 0, **env: str) -> list[str]:
        """The names of the probes that ran."""
        self.log.unlink(missing_ok=True)
        done = stilltrue_in(self.root, "check", *arguments, "--format", "json", RAN=str(self.log), **env)
        assert done.code == code, done.out + done.err
        self.last = json.loads(done.out)
        return self.log.read_text("utf-8").split() if self.log.exists() else []

    def states(self) -> dict[str, str]:
        """What became of each probe, by the name of its script."""
        return {Path(run["path"]).stem: run["state"] for run in self.last["probes"]}

    def verdict(self, name: str) -> str:
        return str(next(claim["verdict"] for claim in self.last["claims"] if claim["id"] == name))


@pytest.fixture
def runs(root: Path) -> Runs:
    return Runs(root)


def test_an_unchanged_probe_is_not_run_twice(runs: Runs) -> None:
    assert runs("--rerun", "cheap") == ["count"]
    assert runs.states() == {"count": "ran", "times": "not run"}
    assert runs("--rerun", "cheap") == []
    assert runs.states() == {"count": "remembered", "times": "not run"}
    assert runs("--rerun", "all") == ["times"]
    assert runs.states() == {"count": "remembered", "times": "ran"}
    assert runs.verdict("time") == "holds"


FORGETS: dict[str, Callable[[Path], object]] = {
    "a comment in the probe": lambda root: edit(
        root, "probes/count.py", "import helper", "import helper  # n"
    ),
    "a module that it imports": lambda root: edit(root, "probes/helper.py", "N = 205", "N = 204 + 1"),
    "an input": lambda root: (root / "lengths.csv").write_text("8\n"),
    "the kept file": lambda root: [
        path.write_bytes(b"{}") for path in (root / FOLDER / "runs").iterdir() if path.suffix != ".json"
    ],
    "the notes": lambda root: [path.write_bytes(b"[") for path in (root / FOLDER / "runs").glob("*.json")],
    "the folder": lambda root: shutil.rmtree(root / FOLDER),
}


@pytest.mark.parametrize("what", FORGETS)
def test_what_it_depends_on_is_looked_at(what: str, root: Path, runs: Runs) -> None:
    assert runs("--rerun", "cheap") == ["count"]
    FORGETS[what](root)
    suspect = what in ("a module that it imports", "an input")
    assert runs("--rerun", "cheap", code=int(suspect)) == ["count"]
    assert runs("--rerun", "cheap", code=int(suspect)) == []


@pytest.mark.parametrize("key", ["packages", "interpreter", "environment"])
def test_another_version_or_environment_is_another_run(key: str, root: Path, runs: Runs) -> None:
    runs("--rerun", "cheap")
    (notes,) = (root / FOLDER / "runs").glob("*.json")
    kept = json.loads(notes.read_bytes())
    kept["depends"][key] = "CPython 3.0.0" if key == "interpreter" else [["click", "0.1"]]
    notes.write_text(json.dumps(kept))
    assert runs("--rerun", "cheap") == ["count"]


def test_a_probe_that_answers_otherwise_refutes_its_claims(root: Path, runs: Runs) -> None:
    edit(root, "probes/helper.py", "205", "206")
    assert runs("--rerun", "cheap", code=1) == ["count"]
    claims = {claim["id"]: claim for claim in runs.last["claims"]}
    assert (claims["targets"]["verdict"], claims["targets"]["also"]) == ("refuted", ["suspect"])
    assert claims["targets"]["code"] == "refuted"
    assert "`206 modules`" in claims["targets"]["message"]
    assert "`205 modules`" in claims["targets"]["message"]
    assert claims["targets"]["found"]["value"] == "205"
    assert claims["twice"]["verdict"] == "refuted"
    assert claims["twice"]["message"] == "its operand `targets` is refuted"
    assert runs.last["counts"]["refuted"] == 2
    text = stilltrue_in(root, "check", "--rerun", "cheap").out
    assert text.count("[refuted]") == 2
    assert "  and so:\n    docs/counts.md:12: twice refuted (also suspect)" in text
    assert "\nprobes/count.py: remembered: " in text
    assert "\nprobes/times.py: not run: it is slow" in text


def test_a_fresh_answer_that_cannot_be_read_refutes(root: Path, runs: Runs) -> None:
    edit(root, "probes/count.py", '"n"', '"m"')
    runs("--rerun", "targets", code=1)
    (claim,) = (claim for claim in runs.last["claims"] if claim["id"] == "targets")
    assert claim["verdict"] == "refuted"
    assert "cannot be read" in claim["message"]


@pytest.mark.parametrize(
    ("times", "reproduces", "verdict"),
    [
        ("1.1, 1.3, 1.5", "10 %", "suspect"),
        ("1.1, 1.4, 1.5", "10 %", "refuted"),
        ("1.1, 1.3, 1.5", "5 %", "refuted"),
        ("1.1, 1.3, 1.5", "100 ms", "suspect"),
        ("1.1, 1.3, 1.5", "99 ms", "refuted"),
        ("1.0, 1.2, 1.4", "0 %", "holds"),
    ],
)
def test_reproduces_is_of_what_the_evidence_says(
    times: str, reproduces: str, verdict: str, root: Path, runs: Runs
) -> None:
    edit(root, "docs/counts.md", "10 %", reproduces)
    edit(root, "probes/times.py", "1.0, 1.2, 1.4", times)
    assert runs("--rerun", "time", code=int(verdict != "holds")) == ["times"]
    assert runs.verdict("time") == verdict


def test_both_values_are_written_alike(root: Path, runs: Runs) -> None:
    edit(root, "docs/counts.md", "value: 205 modules", "value: about 200 modules")
    edit(root, "probes/helper.py", "205", "231")
    runs("--rerun", "targets", code=1)
    (message,) = (claim["message"] for claim in runs.last["claims"] if claim["id"] == "targets")
    assert message == "run again, the probe gives `about 230 modules`; the evidence says `about 200 modules`"


def test_values_beyond_reproduces_are_exact_so_that_nothing_looks_near_enough(root: Path, runs: Runs) -> None:
    edit(root, "docs/counts.md", "reproduces: 10 %", "reproduces: 100 ms")
    edit(root, "probes/times.py", "1.0, 1.2, 1.4", "1.1, 1.3, 1.512")
    runs("--rerun", "time", code=1)
    (message,) = (claim["message"] for claim in runs.last["claims"] if claim["id"] == "time")
    said = "run again, the probe gives `1.304 s`; the evidence says `1.2 s`, and `reproduces` allows `100 ms`"
    assert message == said


FORMS = {
    "text": ('"adam"', "value: adam", "$.name", '"adamw"'),
    "list": ("[5, 11]", "value: 5/11", "$.layers", "[5, 12]"),
}


@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_number_must_be_equal(form: str, root: Path, runs: Runs) -> None:
    said, value, path, other = FORMS[form]
    edit(root, "docs/counts.md", "value: 205 modules", value)
    edit(root, "docs/counts.md", "$.n", path)
    edit(root, "docs/counts.md", "{targets} * 2", "205 * 2")
    assert runs("--rerun", "targets") == ["count"]
    edit(root, "probes/count.py", said, other)
    runs("--rerun", "targets", code=1)
    assert runs.verdict("targets") == "refuted"


@pytest.mark.parametrize(("times", "verdict"), [("1.0, 1.1, 1.4", "suspect"), ("1.1, 1.2, 1.4", "refuted")])
def test_of_a_range_both_ends_are_compared(times: str, verdict: str, root: Path, runs: Runs) -> None:
    edit(root, "docs/counts.md", "1.2 s", "1.0-1.4 s")
    edit(root, "docs/counts.md", "take: mean, ", "")
    edit(root, "docs/counts.md", "reproduces: 10 %\n", "")
    edit(root, "probes/times.py", "1.0, 1.2, 1.4", times)
    runs("--rerun", "time", code=1)
    assert runs.verdict("time") == verdict


@pytest.mark.parametrize(("times", "verdict"), [("1.0, 1.2, 1.5", "suspect"), ("0.9, 1.2, 1.8", "refuted")])
def test_of_a_spread_mean_and_deviation_are_compared(
    times: str, verdict: str, root: Path, runs: Runs
) -> None:
    edit(root, "docs/counts.md", "1.2 s", "1.2 ± 0.2 s")
    edit(root, "docs/counts.md", "take: mean, ", "")
    edit(root, "probes/times.py", "1.0, 1.2, 1.4", times)
    runs("--rerun", "time", code=1)
    assert runs.verdict("time") == verdict


# Which -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("which", "ran"),
    [
        (["targets"], ["count"]),
        (["twice"], ["count"]),
        (["time"], ["times"]),
        (["probes/times.py"], ["times"]),
        (["cheap", "time"], ["count", "times"]),
        (["all"], ["count", "times"]),
    ],
)
def test_words_ids_and_probes_say_which(which: list[str], ran: list[str], runs: Runs) -> None:
    assert runs(*(word for each in which for word in ("--rerun", each))) == ran


def test_only_the_probes_of_the_claims_that_are_asked_for_are_run(runs: Runs) -> None:
    assert runs("twice", "--rerun", "all") == ["count"]
    assert [claim["id"] for claim in runs.last["claims"]] == ["twice"]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("target", "`target` is no claim, and no probe that evidence was taken with"),
        ("probes/helper.py", "`probes/helper.py` is no claim, and no probe that evidence was taken with"),
        ("quoted", "no probe stands behind `quoted`, so none can be run again"),
    ],
)
def test_an_unknown_word_is_a_mistake_of_usage(word: str, message: str, root: Path) -> None:
    with pytest.raises(UsageError) as caught:
        recheck(load(root), [word])
    assert caught.value.message == message
    assert caught.value.hint


def test_a_probe_that_cannot_run_here_is_not_run_and_not_passed(root: Path, runs: Runs) -> None:
    edit(root, "probes/count.py", "# cost", '# needs = ["cuda"]\n# cost')
    assert runs("--rerun", "cheap", code=1, CUDA_VISIBLE_DEVICES="") == []
    assert runs.states()["count"] == "not run"
    assert "needs cuda" in runs.last["probes"][0]["why"]


def test_the_probe_of_a_claim_without_a_record_is_run_too(root: Path, runs: Runs) -> None:
    (root / f"{COUNT}.provenance.json").unlink()
    edit(root, "docs/counts.md", "read: {path: $.n}", "read: {path: $.n}\nprobe: probes/count.py")
    assert runs("--rerun", "cheap") == ["count"]
    edit(root, "docs/counts.md", "probe: probes/count.py", "probe: probes/helper.py")
    assert runs("--rerun", "cheap") == []
    assert runs.states() == {"helper": "not run", "times": "not run"}


def test_arguments_are_those_of_the_record(root: Path, runs: Runs) -> None:
    edit(root, "probes/count.py", "helper.N", "helper.N + len(sys.argv[1:])")
    commit_all(root)
    assert stilltrue_in(root, "record", "probes/count.py", "--", "a", "--b").code == 0
    commit_all(root)
    edit(root, "docs/counts.md", "205", "207")
    edit(root, "docs/counts.md", "410", "414")
    assert runs("--rerun", "cheap") == ["count"]


# Faults ------------------------------------------------------------------------------------------------


def test_a_run_that_fails_is_a_problem_and_is_not_remembered(root: Path, runs: Runs) -> None:
    edit(root, "probes/count.py", "import helper", "sys.exit(3)")
    assert runs("--rerun", "cheap", code=1) == ["count"]
    assert runs.states()["count"] == "failed"
    (problem,) = runs.last["problems"]
    assert (problem["code"], problem["path"]) == ("probe-failed", "probes/count.py")
    assert runs("--rerun", "cheap", code=1) == ["count"]
    assert runs("targets", "--rerun", "cheap", code=1) == ["count"]
    assert len(runs.last["problems"]) == 1
    assert runs.last["claims"][0]["verdict"] == "suspect"


def test_a_header_that_cannot_be_read_is_a_problem(root: Path, runs: Runs) -> None:
    edit(root, "probes/count.py", 'cost = "cheap"', 'cost = "free"')
    assert runs("--rerun", "targets", code=1) == []
    assert [problem["code"] for problem in runs.last["problems"]] == ["bad-header"]


def test_evidence_that_the_probe_no_longer_writes_is_said(root: Path, runs: Runs) -> None:
    edit(root, "probes/count.py", COUNT, "claims/evidence/other.json")
    assert runs("--rerun", "targets", code=1) == []
    assert runs.last["probes"][0]["why"] == f"it does not write `{COUNT}`"


def _tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files if not {FOLDER, ".git"} & set(path.parts)}


def test_the_working_tree_is_left_alone(root: Path, runs: Runs) -> None:
    edit(root, "probes/helper.py", "205", "206")
    before = _tree(root)
    runs("--rerun", "all", code=1)
    assert _tree(root) == before


def test_a_folder_of_a_repository_that_git_refuses_is_not_used(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs("--rerun", "cheap")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own switch for this
    assert runs("--rerun", "cheap") == ["count"]


def test_a_tracked_folder_is_not_used(root: Path, runs: Runs) -> None:
    runs("--rerun", "cheap")
    subprocess.run(["git", "add", "-f", FOLDER], cwd=root, check=True)
    assert runs("--rerun", "cheap") == ["count"]


def test_where_nothing_can_be_remembered_the_run_counts_all_the_same(root: Path, runs: Runs) -> None:
    (root / FOLDER).write_text("a file\n")
    edit(root, "probes/helper.py", "205", "206")
    assert runs("--rerun", "cheap", code=1) == ["count"]
    assert runs.verdict("targets") == "refuted"
    assert (root / FOLDER).read_text() == "a file\n"


def test_a_rerun_knows_nothing_of_the_remembered_report(root: Path, runs: Runs) -> None:
    time.sleep(0.01)
    for path in root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (1, 1))
    assert stilltrue_in(root, "check").code == 0
    assert runs("--rerun", "cheap") == ["count"]
    assert not [path for path in (root / FOLDER).iterdir() if path.name == "check-json.json"]


def test_files_are_there_while_the_runs_are_open(root: Path) -> None:
    config = load(root)
    with rerun(config, check(config), ["cheap"]) as (fresh, done):
        assert {path: json.loads(file.read_bytes())["n"] for path, file in fresh.items()} == {COUNT: 205}
        assert [run.state for run in done] == ["ran", "not run"]


def test_old_files_are_not_kept(root: Path, runs: Runs) -> None:
    runs("--rerun", "cheap")
    edit(root, "probes/helper.py", "205", "206")
    runs("--rerun", "cheap", code=1)
    assert len(list((root / FOLDER / "runs").iterdir())) == 2


# Terminals ---------------------------------------------------------------------------------------------


def test_a_terminal_shows_what_runs_and_what_it_says(root: Path) -> None:
    says = 'print("\\x1b[2J::error::", file=sys.stderr)'
    edit(root, "probes/count.py", "import helper", f"import helper; {says}")
    shown = on_terminal(root, "check", "--rerun", "cheap", NO_COLOR="1")
    assert re.search(r"\r\x1b\[Krunning probes/count\.py  \d+ s", shown)
    assert "\r\x1b[K  | \\x1b[2J::error::\n" in shown
    drawn, _, report = shown.rpartition("\x1b[K")
    assert drawn.endswith("\r")
    assert report.startswith("docs/counts.md:4: targets suspect: ")
    assert "\n\nprobes/count.py: ran in " in report


def test_elsewhere_the_report_is_all_that_is_written(root: Path) -> None:
    edit(root, "probes/count.py", "import helper", 'import helper; print("counting", file=sys.stderr)')
    assert stilltrue_in(root, "check", "--rerun", "cheap").err == ""


# Interrupts --------------------------------------------------------------------------------------------


def _stages(folder: Path) -> list[Path]:
    return list(folder.glob("stilltrue-*"))


@pytest.fixture
def hanging(root: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A check whose probe has begun and would take a minute, and the folder of its stage."""
    edit(root, "probes/count.py", "import helper", "time.sleep(60)")
    stages = tmp_path / "stages"
    stages.mkdir()
    log = tmp_path / "ran"
    process = subprocess.Popen(
        command("check", "--rerun", "cheap"),
        cwd=root,
        env=environment(RAN=str(log), TMPDIR=str(stages)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while not log.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    yield process, stages
    if process.poll() is None:
        process.kill()
    process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_probe_and_removes_its_stage(
    number: signal.Signals, hanging: tuple[subprocess.Popen[str], Path]
) -> None:
    process, stages = hanging
    assert _stages(stages)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=20)
    done = Done(process.returncode, out, err)
    assert (done.code, done.out) == (130, "")
    assert "Traceback" not in done.err
    assert not _stages(stages)
