"""Watchdogs before a launch: each is shown what is dead and what is alive, with real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from integrity_support import scripts
from preflight_found import assert_refused, findings, said
from preflight_support import launch_of
from stilltrue.config import load
from stilltrue.preflight import processes
from stilltrue.preflight.checks import watchdogs
from stilltrue.preflight.posing import long_enough, posing, zombie
from stilltrue.preflight.processes import running, start_of, words_of
from stilltrue.preflight.reading import read

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what runs is read from /proc")

WHOLE_LINE = 'test "$(tr "\\0" " " < "/proc/$(cat "$1")/cmdline")" = "$(cat runs/watched) "'
STATES = ["nothing running", "stand-in running"]
NUMBERED = [*STATES, "number of a process that ended", "number of a zombie", "number of another process"]


def wrong(found: dict[str, str]) -> list[str]:
    """The states that a watchdog was wrong about."""
    return [state for state, text in found.items() if text.startswith("FAIL")]


@pytest.fixture
def script(tmp_path: Path) -> str:
    """The name of a training script that no other test's is."""
    return f"train-{os.getpid()}-{abs(hash(tmp_path)) % 10**9}.py"


def looked_at(root: Path, script: str, watchdog: str, command: str, more: str = "") -> dict[str, str]:
    """What a watchdog does in each state."""
    watched = f"python runs/{script} --steps 500"
    settings = f"watchdogs:\n  command: {command}\n  watched: {watched}\n{more}"
    launch_of(root, settings, {"runs/alive.sh": f"{watchdog}\n", "runs/watched": watched})
    return said(root)


def test_a_pattern_in_its_own_command_line_is_always_alive_and_says_who_it_found(
    tmp_path: Path, script: str
) -> None:
    # It stays a moment: what lives a few milliseconds only may be gone before it is seen.
    watchdog = 'pgrep -f "$1" > /dev/null; said=$?; sleep 0.5; exit $said'
    found = looked_at(tmp_path, script, watchdog, f"bash runs/alive.sh {script}")
    assert list(found) == STATES
    assert found["nothing running"].startswith("FAIL the watchdog says alive, and there was process ")
    assert f"`bash runs/alive.sh {script}`" in found["nothing running"]
    assert "`pgrep" not in found["nothing running"]
    assert found["stand-in running"] == "ok the watchdog says alive"


def test_a_pattern_that_does_not_match_itself_passes(tmp_path: Path, script: str) -> None:
    found = looked_at(tmp_path, script, 'pgrep -f "$1" > /dev/null', f"bash runs/alive.sh '[t]{script[1:]}'")
    assert found == {
        "nothing running": "ok the watchdog says dead",
        "stand-in running": "ok the watchdog says alive",
    }


def test_a_pattern_that_matches_nothing_is_always_dead(tmp_path: Path, script: str) -> None:
    found = looked_at(tmp_path, script, 'pgrep -f "[m]istyped-$1" > /dev/null', "bash runs/alive.sh x")
    assert wrong(found) == ["stand-in running"]
    assert found["stand-in running"] == "FAIL the watchdog says dead"


def test_a_process_number_that_is_compared_with_the_command_line_passes(tmp_path: Path, script: str) -> None:
    found = looked_at(tmp_path, script, f"{WHOLE_LINE} 2>/dev/null", "bash runs/alive.sh {pid_file}")
    assert list(found) == NUMBERED
    assert {text.split()[0] for text in found.values()} == {"ok"}


def test_a_process_number_alone_takes_any_process_for_the_run(tmp_path: Path, script: str) -> None:
    found = looked_at(
        tmp_path, script, 'test -e "$1" && kill -0 "$(cat "$1")" 2>/dev/null', "bash runs/alive.sh {pid_file}"
    )
    assert wrong(found) == ["number of a zombie", "number of another process"]


WITH_ITS_START = '  holds: "{pid} {start}"\n'


def test_the_script_that_the_landmine_recommends_is_right_in_every_state(tmp_path: Path, script: str) -> None:
    _, watch = scripts("watchdog.md")
    found = looked_at(tmp_path, script, watch, "bash runs/alive.sh {pid_file}", WITH_ITS_START)
    assert (list(found), wrong(found)) == (NUMBERED, [])
    found = looked_at(tmp_path, script, watch, "bash runs/alive.sh {pid_file}")
    assert wrong(found) == ["stand-in running"]


def test_a_number_with_its_start_alone_takes_a_zombie_for_the_run(tmp_path: Path, script: str) -> None:
    _, watch = scripts("watchdog.md")
    assert '[ "$1" != Z ] && ' in watch
    blind = watch.replace('[ "$1" != Z ] && ', "")
    found = looked_at(tmp_path, script, blind, "bash runs/alive.sh {pid_file}", WITH_ITS_START)
    assert wrong(found) == ["number of a zombie"]
    (failed,) = [each for each in findings(tmp_path) if not each["ok"]]
    assert "`Z` in `ps -o stat=`" in failed["hint"]


def test_a_file_that_is_there_is_no_process(tmp_path: Path, script: str) -> None:
    found = looked_at(tmp_path, script, 'test -e "$1"', "bash runs/alive.sh {pid_file}")
    assert wrong(found) == NUMBERED[2:]


ANSWERS = {
    "own-codes": (
        "exit $(test -e runs/x && echo 4 || echo 3)",
        "  alive: 4\n  dead: 3\n",
        "the watchdog says dead",
    ),
    "no-such-tool": ("nowhere-at-all", "", "the watchdog says neither: exit code 127"),
    "too-slow": ("sleep 60", "  timeout: 200 ms\n", "says neither: it took longer than 0.2 s, and was ended"),
    "code-0-is-none": ("exit 0", "  alive: 4\n", "the watchdog says neither: exit code 0"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_only_the_two_codes_are_answers(name: str, tmp_path: Path, script: str) -> None:
    watchdog, more, says = ANSWERS[name]
    found = looked_at(tmp_path, script, watchdog, "bash runs/alive.sh", more)
    assert says in found["nothing running"]
    assert found["nothing running"].startswith("ok" if name == "own-codes" else "FAIL")


def test_a_run_that_is_there_already_cannot_be_shown_as_dead(tmp_path: Path, script: str) -> None:
    with posing(["python", f"runs/{script}", "--steps", "500"], tmp_path) as number:
        found = looked_at(tmp_path, script, "exit 1", "bash runs/alive.sh")
    assert found == {
        "nothing running": f"FAIL `python runs/{script} --steps 500` runs already, as process {number}"
    }


def test_several_watchdogs_are_told_apart_by_their_commands_or_else_by_their_lines(
    tmp_path: Path, script: str
) -> None:
    each = "  - command: bash runs/{}\n    watched: python runs/" + script + "\n"
    files = {"runs/alive.sh": f"pgrep -f '[t]{script[1:]}' > /dev/null\n", "runs/dead.sh": "exit 1\n"}
    launch_of(tmp_path, "watchdogs:\n" + each.format("alive.sh") + each.format("dead.sh"), files)
    told = {what: text[:4] for what, text in said(tmp_path).items()}
    assert told == {
        "`bash runs/alive.sh`: nothing running": "ok t",
        "`bash runs/alive.sh`: stand-in running": "ok t",
        "`bash runs/dead.sh`: nothing running": "ok t",
        "`bash runs/dead.sh`: stand-in running": "FAIL",
    }
    launch_of(tmp_path, "watchdogs:\n" + 2 * each.format("dead.sh"))
    (asked,) = read(load(tmp_path), "preflight.yml").asked
    assert [subject.name for subject in asked.subjects] == ["line 2", "line 4"]


def test_what_is_watched_is_never_started(tmp_path: Path, script: str) -> None:
    """Not even where it is there, and the stand-in runs in its folder."""
    launch_of(tmp_path, "", {f"runs/{script}": "import pathlib\npathlib.Path('ran').touch()\n"})
    found = looked_at(tmp_path, script, f"pgrep -f '[t]{script[1:]}' > /dev/null", "bash runs/alive.sh")
    assert wrong(found) == []
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["/opt/no/such/python", "-u", "-m", "package.train", "--lr=1e-4"],
        ["torchrun", "--nproc-per-node", "8", "runs/train.py", "", "a b"],
        ["träne"],
        ["p" * 5000, "x" * 3000],
    ],
    ids=["module", "empty-word", "letters", "long"],
)
def test_a_stand_in_has_the_command_line_to_the_letter(words: list[str], tmp_path: Path) -> None:
    with posing(words, tmp_path) as number:
        assert words_of(number) == tuple(words)
        assert Path(f"/proc/{number}/comm").read_bytes().strip() == words[0].split("/")[-1].encode()[:15]
        assert Path(f"/proc/{number}/cwd").readlink() == tmp_path
        asked = subprocess.run(
            ["ps", "-ww", "-o", "args=", "-p", str(number)], capture_output=True, text=True, check=True
        )
        assert len(asked.stdout.strip()) >= len(words[0])
    end = time.monotonic() + 10
    while words_of(number) == tuple(words):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_zombie_has_the_name_of_what_it_was_and_is_gone_afterwards(tmp_path: Path) -> None:
    with zombie(["/opt/no/such/python", "runs/train.py"], tmp_path) as number:
        asked = ["ps", "-o", "stat=,comm=", "-p", str(number)]
        state, name, *_ = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
        assert (state[0], name) == ("Z", "python")
        assert words_of(number) == ()
        assert start_of(number).isdecimal()
    assert start_of(number) == ""


def test_the_shortest_names_cannot_be_stood_in_for() -> None:
    assert [long_enough([word]) for word in ("vi", "vim", "nano", "nanos")] == [False, False, True, True]


def test_what_runs_is_seen_without_this_process() -> None:
    numbers = {process.number for process in running()}
    assert os.getppid() in numbers
    assert os.getpid() not in numbers


def test_a_system_without_a_list_of_processes_cannot_be_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str
) -> None:
    monkeypatch.setattr(processes, "_PROC", tmp_path / "no-proc")
    found = looked_at(tmp_path, script, "exit 1", "bash runs/alive.sh")
    assert found == {"watchdogs": "FAIL this system has no `/proc` to look for processes in"}


def test_a_stand_in_that_does_not_come_up_is_no_pass(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str
) -> None:
    monkeypatch.setattr("stilltrue.preflight.posing._MAY_TAKE_S", 0.0)
    monkeypatch.setattr("stilltrue.preflight.posing.words_of", lambda _number: ())
    found = looked_at(tmp_path, script, "exit 1", "bash runs/alive.sh")
    assert found["watchdogs"].startswith(f"FAIL no stand-in with the command line `python runs/{script}")


SETTINGS = """\
watchdogs:
  - command: bash runs/alive.sh {pid_file}
    watched: python runs/train.py
    alive: 0
    dead: 1
"""
BAD = {
    "stranger": ("{pid_file}", "{pidfile}", 2, "`{pidfile}` in `command` stands for nothing", "pid_file"),
    "one-code": ("dead: 1", "dead: 0", 5, "alive and dead have one exit code", "apart"),
    "no-code": ("dead: 1", "dead: no", 5, "`dead` must be a whole number", "dead: 1"),
    "variable": ("watched: python", "watched: CUDA_VISIBLE_DEVICES=0 python", 3, "is no program", "ps -ww"),
    "held-for-nothing": ("{pid_file}", "x\n    holds: '{pid}'", 3, "does not read a file", "{pid_file}"),
    "holds-no-number": ("alive: 0", 'holds: "it\'s {start}"', 4, "`holds` names no process", "{pid}"),
    "holds-a-stranger": ("alive: 0", "holds: '{pid} {begin}'", 4, "`{begin}` in `holds`", "known are"),
    "too-short": ("python runs/train.py", "vi", 3, "`watched` is too short", "whole command line"),
    "missing": ("    watched: python runs/train.py\n", "", 2, "`watched` is missing", "watched: python"),
    "misspelt": ("watched", "watches", 3, "unknown key `watches`", "watched"),
    "no-time": ("alive: 0", "timeout: 30", 4, "`timeout` must be a time", "30 s"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_settings_are_refused_with_their_line(name: str, tmp_path: Path) -> None:
    old, new, line, *words = BAD[name]
    assert old in SETTINGS
    assert_refused(tmp_path, SETTINGS.replace(old, new), line, *words)


def test_a_check_that_takes_any_answer_would_pass(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str
) -> None:
    """Its one comparison is what the runs above fail by."""
    found = looked_at(tmp_path, script, "exit 0", "bash runs/alive.sh")
    assert wrong(found) == ["nothing running"]
    monkeypatch.setattr(watchdogs, "right", lambda _said, **_as_it_is: True)
    assert all(each["ok"] for each in findings(tmp_path))
