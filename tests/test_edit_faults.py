"""`update` killed at any moment: each file is whole, old or new, and the next command mends the rest."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import recording_support as support
from edit_support import checked, claim, project, run, updated
from killing_support import Killer, killing
from stilltrue.transaction import recover, unfinished

PAGES = 3
FOUND = {"a": 22931.2}
OLD = {
    **{
        f"docs/{at}.md": claim(f"a{at}", "22,835.8 ms", "path: $.a, unit: ms")
        + f"\n[22.8 s](claim:a{at})\n" * 8
        for at in range(PAGES)
    },
    "claims/x.yml": "- id: x\n  says: '{value}'\n  value: 22.8 s\n  evidence: claims/evidence/e.json\n"
    "  read: {path: $.a, unit: ms}\n  copies: [{file: run.sh, match: '^S=(.*)$', unit: s}]\n",
    "run.sh": "S=22.8\n" * 20,
}
NEW = {name: text.replace("22,835.8", "22,931.2").replace("22.8", "22.9") for name, text in OLD.items()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "project", OLD, FOUND)


@pytest.fixture
def killer(root: Path) -> Iterator[Killer]:
    with killing(root, "update") as told:
        yield told


def assert_whole(root: Path) -> set[bool]:
    """Every file is there and whole; whether there are new ones, and whether there are old ones."""
    states = set()
    for name, old in OLD.items():
        text = (root / name).read_text(encoding="utf-8")
        assert text in (old, NEW[name]), name
        states.add(text == NEW[name])
    return states


def restore(root: Path) -> None:
    for name, text in OLD.items():
        (root / name).write_text(text, encoding="utf-8")


def names(root: Path) -> set[str]:
    return {path for path in support.everything(root) if not path.startswith("claims/evidence")}


def test_killed_at_random_moments_no_file_is_half_written_or_lost(root: Path, killer: Killer) -> None:
    everything = names(root)
    started = time.monotonic()
    assert killer("run") == 0
    whole = time.monotonic() - started
    assert assert_whole(root) == {True}
    moments = random.Random(4)  # noqa: S311  # moments are no secret
    killed = 0
    for _ in range(50):
        restore(root)
        killed += killer(f"after {moments.uniform(0, 1.1) * whole:.4f}") != 0
        states = assert_whole(root)
        if not unfinished(root):
            assert len(states) == 1  # all files or none
        recover(root)
        assert unfinished(root) == ""
        assert len(assert_whole(root)) == 1
        assert names(root) == everything
    assert killed
    assert updated(root).left == ()
    assert assert_whole(root) == {True}


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_killed_at_each_step_of_its_writing_it_is_finished_by_the_next(
    root: Path, killer: Killer, call: str
) -> None:
    everything = names(root)
    for step in range(60):
        restore(root)
        code = killer(f"at {call} {step}")
        assert_whole(root)
        done = run(root)
        assert done.code == 0
        assert unfinished(root) == ""
        assert assert_whole(root) == {True}
        assert names(root) == everything
        if code == 0:
            break
        assert code == -signal.SIGKILL
    else:
        pytest.fail("it never came to its end")
    assert checked(root).ok


def test_after_a_kill_a_dry_run_finishes_nothing(root: Path, killer: Killer) -> None:
    assert killer("at replace 3") == -signal.SIGKILL
    journal = unfinished(root)
    assert journal
    updated(root, dry_run=True)
    assert unfinished(root) == journal
