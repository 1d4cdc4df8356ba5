"""Several files are written together or not at all: killed at every step, without room, through links."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import recording_support as support
from stilltrue.errors import InputError
from stilltrue.transaction import held, recover, refuse_unwritable, unfinished, write_all

OLD = {"e/a.json": "old a\n", "e/b.json": "old b\n"}
NEW = {"e/a.json": "new a\n", "e/b.json": "new b\n", "e/2026-01-01/a.json": "old a\n"}

KILLED = """
import os, signal, sys
from pathlib import Path

name, left = sys.argv[1], int(sys.argv[2])
real = getattr(os, name)

def counted(*arguments, **more):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return real(*arguments, **more)

setattr(os, name, counted)
from stilltrue.transaction import write_all
write_all(Path.cwd(), {path: text.encode() for path, text in NEW.items()})
""".replace("NEW", repr(NEW))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return support.write(tmp_path, OLD).resolve()


def held_by(root: Path) -> dict[str, str]:
    return {name: (root / name).read_text() for name in support.everything(root)}


def in_process(root: Path, program: str, *arguments: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=root,
        env=support.environment(),
        check=False,
        capture_output=True,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def test_files_and_their_folders_are_written_and_nothing_is_left_over(root: Path) -> None:
    (root / "e/a.json").chmod(0o640)
    write_all(root, {**{path: text.encode() for path, text in NEW.items()}, "copy.json": root / "e/b.json"})
    assert held_by(root) == {**NEW, "copy.json": "old b\n"}
    assert (root / "e/a.json").stat().st_mode & 0o777 == 0o640
    assert (root / "e/2026-01-01/a.json").stat().st_mode & 0o777 == 0o666 & ~_umask()
    assert unfinished(root) == ""


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("call", ["replace", "fsync", "mkdir"])
def test_a_kill_at_any_step_leaves_whole_files_and_is_mended(tmp_path: Path, call: str) -> None:
    outcomes = []
    for step in range(40):
        root = support.write(tmp_path / str(step), OLD).resolve()
        code = in_process(root, KILLED, call, str(step))
        for path, text in held_by(root).items():
            if not path.rpartition("/")[2].startswith("."):
                assert text in (OLD.get(path), NEW.get(path)), f"{path} after step {step}"
        recover(root)
        assert held_by(root) in (OLD, NEW), f"step {step}"
        assert unfinished(root) == ""
        outcomes.append(held_by(root) == NEW)
        if code == 0:
            break
    else:
        pytest.fail("it never came to its end")
    assert outcomes == sorted(outcomes), "once it is decided, it is finished"
    assert outcomes[-1]


def test_the_next_one_finishes_what_was_cut_short(root: Path) -> None:
    assert in_process(root, KILLED, "replace", "3") == -signal.SIGKILL
    assert unfinished(root).startswith(".stilltrue/pending/")
    assert (root / "e/a.json").read_text() == "new a\n"
    assert (root / "e/b.json").read_text() == "old b\n"
    write_all(root, {"other.json": b"x"})
    assert held_by(root) == {**NEW, "other.json": "x"}


def test_what_somebody_put_back_since_is_not_overwritten(root: Path) -> None:
    assert in_process(root, KILLED, "replace", "3") == -signal.SIGKILL
    support.write(root, OLD)
    recover(root)
    assert held_by(root) == OLD


def _journal(root: Path, **keys: object) -> None:
    step = {"target": "e/a.json", "temporary": "e/.stilltrue-1", "before": "", "after": ""}
    made = {"final": True, "folders": [], "steps": [{**step, **keys}]}
    support.write(root, {".stilltrue/pending/x.json": json.dumps(made), "victim.json": "precious"})


@pytest.mark.parametrize(
    "keys",
    [
        {"target": "../outside.json", "temporary": "../.stilltrue-1"},
        {"target": "/etc/x", "temporary": "/etc/.stilltrue-1"},
        {"temporary": "victim.json"},
        {"temporary": "e/b.json"},
        {"target": 7},
        {"temporary": None},
    ],
    ids=["outside", "absolute", "another folder", "another file", "a number", "null"],
)
def test_a_journal_that_came_with_the_project_does_no_harm(root: Path, keys: dict[str, object]) -> None:
    _journal(root, **keys)
    recover(root)
    assert held_by(root) == {**OLD, "victim.json": "precious"}
    assert unfinished(root) == ""


def test_a_journal_that_came_with_the_project_clears_nothing_behind_a_link(
    root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / "empty").mkdir(parents=True)
    (outside / ".stilltrue-1").write_text("precious", encoding="utf-8")
    (root / "link").symlink_to(outside)
    step = {"target": "link/a.json", "temporary": "link/.stilltrue-1", "before": "", "after": ""}
    made = {"final": False, "folders": ["link/empty"], "steps": [step]}
    support.write(root, {".stilltrue/pending/x.json": json.dumps(made)})
    recover(root)
    assert sorted(path.name for path in outside.iterdir()) == [".stilltrue-1", "empty"]
    assert unfinished(root) == ""


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"steps": 1}', "[" * 100_000, "\0"])
def test_a_journal_that_is_none_is_cleared_away(root: Path, text: str) -> None:
    support.write(root, {".stilltrue/pending/x.json": text})
    recover(root)
    assert held_by(root) == OLD
    assert unfinished(root) == ""


def test_signals_wait_until_the_files_are_written(root: Path) -> None:
    program = KILLED.replace("signal.SIGKILL)", "signal.SIGINT)").replace("if left == 0", "if left == 3")
    done = subprocess.run(
        [sys.executable, "-c", program, "replace", "6"],
        cwd=root,
        env=support.environment(),
        check=False,
        capture_output=True,
        text=True,
    )
    assert "KeyboardInterrupt" in done.stderr
    assert held_by(root) == NEW
    assert unfinished(root) == ""


# What cannot be written ---------------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["e/a.json", "e"], ids=["file", "folder"])
def test_nothing_is_written_through_a_link(root: Path, at: str) -> None:
    place, other = root / at, root / "elsewhere"
    place.rename(other)
    place.symlink_to(other)
    with support.unchanged(root), pytest.raises(InputError, match="is a link") as caught:
        write_all(root, {"e/a.json": b"x"})
    assert (caught.value.code, bool(caught.value.hint)) == ("unwritable", True)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("e", "`e` is a folder"),
        ("e/a.json/b.json", "`e/a.json` is not a folder"),
        ("pipe", "`pipe` is not a regular file"),
    ],
)
def test_what_is_of_another_kind_is_refused(root: Path, path: str, message: str) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(InputError, match=message):
        refuse_unwritable(root, path)


def test_a_name_that_is_too_long_is_refused_in_words(root: Path) -> None:
    with support.unchanged(root), pytest.raises(InputError, match="File name too long"):
        write_all(root, {"e/a.json": b"x", f"e/{'x' * 300}": b"y"})


def test_a_workspace_that_is_a_link_is_refused(root: Path, tmp_path: Path) -> None:
    (root / ".stilltrue").symlink_to(tmp_path)
    with pytest.raises(InputError, match=r"`.stilltrue` is a link"):
        write_all(root, {"e/a.json": b"x"})
    assert unfinished(root) == ""


@pytest.mark.parametrize("fails_at", [1, 3, 5, 8])
def test_a_disk_that_is_full_leaves_everything_as_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    calls = 0
    real = os.fsync

    def full(file: int) -> None:
        nonlocal calls
        calls += 1
        if calls == fails_at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file)

    monkeypatch.setattr(os, "fsync", full)
    with support.unchanged(root), pytest.raises(InputError) as caught:
        write_all(root, {path: text.encode() for path, text in NEW.items()})
    assert "No space left on device" in caught.value.message
    assert "make room" in caught.value.hint
    assert not list((root / ".stilltrue/pending").iterdir())


def test_a_rename_that_fails_is_finished_by_the_next_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.replace

    def refuse(source: str, target: str) -> None:
        if str(target).endswith("b.json"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(source, target)

    with monkeypatch.context() as patched, pytest.raises(InputError) as caught:
        patched.setattr(os, "replace", refuse)
        write_all(root, {path: text.encode() for path, text in NEW.items()})
    assert caught.value.code == "unfinished"
    assert unfinished(root) in caught.value.hint
    recover(root)
    assert held_by(root) == NEW


# Locks --------------------------------------------------------------------------------------------------


def test_what_another_process_holds_is_refused_until_that_is_killed(root: Path) -> None:
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom stilltrue.transaction import held\n"
        "with held(Path.cwd(), ['e/a.json']):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program], cwd=root, env=support.environment(), stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(InputError) as caught, held(root, ["e/b.json", "e/a.json"]):
            pass
        assert caught.value.code == "busy"
        assert f"`e/a.json` (process {holder.pid})" in caught.value.message
        with held(root, ["e/b.json"]):
            pass
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    with held(root, ["e/a.json"]):
        pass


def test_one_process_can_hold_the_same_file_again_afterwards(root: Path) -> None:
    for _ in range(3):
        with held(root, ["e/a.json", "e/a.json"]):
            pass


def test_writers_take_turns(root: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom stilltrue.transaction import write_all\n"
        "for n in range(15):\n"
        "    write_all(Path.cwd(), {name: sys.argv[1].encode() * 1000 for name in ('x', 'y', 'z')})\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", program, word], cwd=root, env=support.environment())
        for word in ("a", "b", "c")
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]
    texts = {(root / name).read_text() for name in ("x", "y", "z")}
    assert len(texts) == 1
    assert set(held_by(root)) == {*OLD, "x", "y", "z"}
