"""Watchdogs, all of them processes: what each says in each situation, and a guard that can fail."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import watchdogs
from integrity_support import scripts
from probe_parts.guards import stops
from probe_support import assert_refused, document_of
from watchdogs import SITUATIONS, WATCHDOGS, Watched, asks_while_it_runs, began, guard, process, says

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("pgrep") is None, reason="needs Linux and pgrep"
)

SAID = {
    "script, pattern as argument": "alive alive alive alive alive",
    "bash -c": "alive alive alive alive alive",
    "pgrep, no shell": "dead alive alive dead dead",
    "script, pattern in its text": "dead alive alive dead dead",
    "script, bracketed argument": "dead alive alive dead dead",
    "pid file": "dead alive dead alive alive",
    "pid file and start": "dead alive dead dead alive",
    "pid file, start and state": "dead alive dead dead dead",
}


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return document_of(watchdogs, [])


def test_each_watchdog_says_what_it_is_known_to_say(found: dict[str, Any]) -> None:
    said = {row["watchdog"]: " ".join(row[name] for name in SITUATIONS) for row in found["watchdogs"]}
    assert said == SAID


def test_the_trap_is_alive_for_nothing_and_has_found_itself(found: dict[str, Any]) -> None:
    assert found["trap"] == {"says": "alive", "matched": {"processes": 1, "itself": 1}}


def test_the_sound_one_is_dead_for_nothing_and_right_everywhere(found: dict[str, Any]) -> None:
    assert found["sound"] == {"says": "dead"}
    right = " ".join(right for _, right in SITUATIONS.values())
    assert found["right_everywhere"] == list(SAID.values()).count(right) == 1


def test_the_start_of_a_process_is_what_ps_reckons_with() -> None:
    """`ps` gives seconds since the start, whole ones; the field is in ticks since boot."""
    with process("sleep", "60") as pid:
        up = float(Path("/proc/uptime").read_text(encoding="utf-8").split()[0])
        line = ["ps", "-o", "etimes=", "-p", str(pid)]
        elapsed = int(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
        ticks = int(subprocess.run(["getconf", "CLK_TCK"], capture_output=True, text=True, check=True).stdout)
        assert up - int(began(pid)) / ticks == pytest.approx(elapsed, abs=1.5)


def test_a_run_that_is_not_reaped_is_a_zombie_with_its_number_and_its_start(tmp_path: Path) -> None:
    watched = Watched(tmp_path, "train.py", tmp_path / "run.pid")
    with watchdogs.not_reaped(watched):
        pid, start = watched.pid_file.read_text(encoding="utf-8").split()
        state = ["ps", "-o", "stat=", "-p", pid]
        assert subprocess.run(state, capture_output=True, text=True, check=True).stdout.startswith("Z")
        assert began(int(pid)) == start
        os.kill(int(pid), 0)
    assert not Path("/proc", pid).exists()


def test_the_guard_stops_and_passes(found: dict[str, Any]) -> None:
    assert found["guard"] == {"stops": True, "passes": True}


@pytest.mark.parametrize("name", ["script, bracketed argument", "pid file", "pid file and start"])
def test_the_guard_stops_what_is_right_for_nothing_and_wrong_elsewhere(name: str) -> None:
    assert stops(guard, WATCHDOGS[name])
    assert not stops(asks_while_it_runs, WATCHDOGS[name])


def test_a_watchdog_that_sees_no_run_passes_neither_guard() -> None:
    assert stops(guard, lambda _: ["false"])
    assert stops(asks_while_it_runs, lambda _: ["false"])


def test_a_watchdog_that_does_not_work_is_no_dead_run() -> None:
    with pytest.raises(RuntimeError, match="ended with 2"):
        says(lambda _: ["bash", "-c", "exit 2"], watchdogs.nothing)


@pytest.mark.parametrize(
    ("plant", "said"), [("no-guard", "stops"), ("refuse-all", "passes"), ("asks-while-it-runs", "stops")]
)
def test_a_broken_guard_is_noticed(plant: str, said: str) -> None:
    assert document_of(watchdogs, ["--plant", plant])["guard"][said] is False


def test_an_unknown_fault_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(watchdogs, ["--plant", "none-such"], "invalid choice: 'none-such'", capsys)


def test_the_script_that_the_page_recommends_is_the_one_that_is_measured() -> None:
    _, watch = scripts("watchdog.md")
    comment, _, lines = watch.partition("\n")
    assert comment.startswith("# the watchdog")
    assert lines == watchdogs.BY_NUMBER_START_AND_STATE


def test_the_two_scripts_on_the_page_work_together(tmp_path: Path) -> None:
    launcher, watch = scripts("watchdog.md")

    def alive() -> bool:
        return subprocess.run(["bash", "-c", watch], cwd=tmp_path, check=False).returncode == 0

    with process("sleep", "60") as pid:
        subprocess.run(["bash", "-c", f"pid={pid}\n{launcher}"], cwd=tmp_path, check=True)
        assert (tmp_path / "run.pid").read_text(encoding="utf-8") == f"{pid} {began(pid)}\n"
        assert alive()
        (tmp_path / "run.pid").write_text(f"{pid} {int(began(pid)) - 1}\n", encoding="utf-8")
        assert not alive()
        (tmp_path / "run.pid").write_text(f"{pid} {began(pid)}\n", encoding="utf-8")
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert not alive()
    assert not alive()


def test_a_program_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert_refused(watchdogs, [], "needs `bash`", capsys)
