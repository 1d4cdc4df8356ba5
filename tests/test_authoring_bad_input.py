"""The commands that write and guard, in projects that are not as they should be: told, and nothing is lost.

Every command runs in every such project; what is expected stands beside it where it is not the usual.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import authoring_support as support
from authoring_states import STATES, USUAL, WRITING, all_of, folder_for, linked, tracked_workspace
from authoring_support import COMMANDS, FILES, PAGE, READING, ran, tree
from recording_support import Done, command, environment, git, stilltrue_in, write
from stilltrue.transaction import unfinished


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return support.project(tmp_path_factory.mktemp("authoring") / "project")


MESSAGE = re.compile(r"(?s)\S[^\n]*: [^\n]+\n  \S[^\n]* \[[a-z0-9-]+\]\n")


@pytest.mark.parametrize("what", STATES)
def test_commands_in_projects_that_are_not_as_they_should_be(what: str, made: Path, tmp_path: Path) -> None:
    state = STATES[what]
    for name in state.commands:
        home = tmp_path / name
        root = home / "project"
        shutil.copytree(made, root, symlinks=True)
        state.make(root)
        before = tree(root)
        done = ran(root, name)
        said = done.out + done.err
        assert done.code == state.codes.get(name, USUAL[name]), (name, said)
        assert state.words.get(name, "") in said, (name, said)
        judge(root, name, before, done)


def judge(root: Path, name: str, before: dict[bytes, tuple[int, bytes]], done: Done) -> None:
    """Nothing is lost, nothing half-written, and a refusal changes nothing and says what to do."""
    after = tree(root)
    assert "Traceback" not in done.out + done.err
    assert before.keys() <= after.keys(), name
    assert not [path for path in after if path.endswith((b".tmp", b"~"))]
    assert unfinished(root) == ""
    if done.code == 2:
        assert MESSAGE.fullmatch(done.err), (name, done.err)
        assert done.out == "" or name == "raise"  # whose report is printed before the floor is written
    if done.code == 2 or name in READING:
        assert after == before, name
    written = {path for path in before if before[path] != after[path]}
    assert all(before[path][0] == after[path][0] for path in written), (name, "the mode changed")


# In place -----------------------------------------------------------------------------------------------


def test_a_subfolder_and_a_named_project_are_the_same_project(made: Path, tmp_path: Path) -> None:
    outcomes = []
    for way in ("top", "below", "named"):
        root = tmp_path / way
        shutil.copytree(made, root)
        folder = {"top": root, "below": root / "scripts", "named": tmp_path}[way]
        more = ("--project", str(root)) if way == "named" else ()
        done = [stilltrue_in(folder, *COMMANDS[name], *more) for name in ("update", "coverage", "supersede")]
        outcomes.append(([(each.code, each.out) for each in done], tree(root)))
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert [code for code, _ in outcomes[0][0]] == [0, 0, 0]


def test_a_page_from_a_subfolder_is_found_from_there_and_from_the_root(made: Path, tmp_path: Path) -> None:
    for at, page in enumerate(("../README.md", "README.md")):
        root = tmp_path / str(at)
        shutil.copytree(made, root)
        words = [page if word == "README.md" else word for word in COMMANDS["claim"]]
        done = stilltrue_in(root / "scripts", *words)
        assert done.code == 0, done.err
        assert (root / "README.md").read_text().startswith(PAGE)


@pytest.mark.skipif(
    not hasattr(os, "setresuid") or os.geteuid() != 0, reason="only root can become somebody else"
)
@pytest.mark.parametrize("name", [*WRITING, "probe"])
def test_what_may_not_be_written_is_told_and_stays(name: str, made: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(made, root)
    for folder in (root, *root.parents):
        if folder != Path("/") and folder.stat().st_uid == 0:
            folder.chmod(folder.stat().st_mode | 0o055)
    before = tree(root)
    stilltrue_in(root, "check", "--no-cache")  # all is imported while it can be reached
    stilltrue_in(root, *COMMANDS[name], "--help")
    os.setresuid(65534, 65534, 0)
    try:
        done = ran(root, name)
    finally:
        os.setresuid(0, 0, 0)
    assert done.code == (1 if name == "update" else 2), done
    assert re.search("may not be written|cannot be written: Permission denied", done.out + done.err)
    assert tree(root) == before


# A repository that is not started yet --------------------------------------------------------------------

FRESH: dict[str, tuple[Callable[[Path], object], int, str]] = {
    "nothing there": (lambda _root: None, 0, ""),
    "attributes without a line end": (
        lambda root: (root / ".gitattributes").write_bytes(b"*.x -text"),
        0,
        "",
    ),
    "attributes with CRLF": (lambda root: (root / ".gitattributes").write_bytes(b"*.png binary\r\n"), 0, ""),
    "attributes of another encoding": (
        lambda root: (root / ".gitattributes").write_bytes(b"caf\xe9 -text\n"),
        0,
        "",
    ),
    "attributes that are a folder": (folder_for(".gitattributes"), 2, "`.gitattributes` is a folder"),
    "attributes that are a link": (
        lambda root: (root / ".gitattributes").symlink_to("nowhere"),
        2,
        ".gitattributes",
    ),
    "claims that are a file": (lambda root: (root / "claims").write_text("x"), 2, "`claims` is not a folder"),
    "claims that are a link": (
        all_of(lambda root: (root / "claims").mkdir(), linked("claims", "../claims")),
        2,
        "`claims` is a link",
    ),
    "a pyproject.toml that is none": (lambda root: (root / "pyproject.toml").write_text("[\n"), 0, ""),
    "a README of another encoding": (lambda root: (root / "README.md").write_bytes(b"caf\xe9\n"), 0, ""),
    "a tracked workspace": (tracked_workspace, 2, ".stilltrue: git tracks"),
}


@pytest.mark.parametrize("what", FRESH)
def test_starting_where_something_is_in_the_way(what: str, tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"README.md": "It took 5 s.\n", "results.json": '{"s": 5}\n'})
    git(root, "init", "-q")
    make, code, words = FRESH[what]
    make(root)
    before = tree(root)
    done = stilltrue_in(root, "init")
    assert done.code == code, done.err
    assert words in done.err
    judge(root, "init", before, done)
    after = tree(root)
    for path, (_, held) in before.items():
        assert after[path][1].startswith(held), path
    again = stilltrue_in(root, "init")
    assert again.code in (0, 2), again.err
    assert tree(root) == after


# Killed, several at once, without room --------------------------------------------------------------------

KILLED = """
import os, signal, sys

left = int(sys.argv[1])
real = os.replace

def counted(*arguments, **more):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return real(*arguments, **more)

os.replace = counted
from stilltrue.cli.boundary import run
raise SystemExit(run(sys.argv[2:]))
"""


@pytest.mark.parametrize("name", ["init", "claim", "raise"])
def test_killed_at_any_step_files_are_whole_and_the_next_run_mends(
    name: str, made: Path, tmp_path: Path
) -> None:
    for step in range(12):
        root = tmp_path / str(step)
        shutil.copytree(made, root)
        if name == "init":
            (root / "stilltrue.toml").unlink()
            shutil.rmtree(root / "claims")
            (root / "README.md").write_text("It took 5 s.\n")
        before = {path: held for path, (_, held) in tree(root).items()}
        killed = process(root, step, *COMMANDS[name])
        for path, (_, held) in tree(root).items():
            if path in before and not path.endswith(b".tmp"):
                assert held.startswith(before[path]) or before[path] in held, path
        done = ran(root, name)
        assert done.code in (0, 2), done.err
        assert unfinished(root) == ""
        assert not [path for path in tree(root) if path.endswith(b".tmp")]
        assert stilltrue_in(root, "check", "--format", "json").out.count('"id": "c2"') == (name == "claim")
        if killed == 0:
            return
    raise AssertionError("it was never done")


def process(root: Path, step: int, *arguments: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(step), *arguments],
        cwd=root,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, -9), done.stderr
    return done.returncode


def test_several_at_once_lose_nothing_of_each_other(made: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(made, root)
    words = [(*COMMANDS["claim"][:2], f"c{at}", *COMMANDS["claim"][3:]) for at in range(4)]
    words += [COMMANDS["update"], ("supersede", "size", "--because", "measured anew")]
    running = [started(root, *each) for each in words]
    said = [process.communicate(timeout=120) for process in running]
    codes = [process.returncode for process in running]
    page = (root / "README.md").read_text()
    for each, (_, err), code in zip(words, said, codes, strict=True):
        assert code in ((0, 1, 2) if each[0] == "update" else (0, 2)), err  # 1: a number moved meanwhile
        assert "Traceback" not in err
        if each[0] == "new":
            assert (f"id: {each[2]}\n" in page) == (code == 0)
    assert codes[-2] == 1 or ("[5 s](claim:time)" in page) == (codes[-2] == 0)
    assert ("superseded:" in page) == (codes[-1] == 0)
    assert codes.count(0) > 0
    assert unfinished(root) == ""


def started(root: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments),
        cwd=root,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("name", ["update", "supersede", "coverage", "github"])
def test_a_report_that_cannot_be_printed_leaves_whole_files(name: str, made: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(made, root)
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            command(*COMMANDS[name]),
            cwd=root,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
    assert {os.fsencode(path) for path in FILES} <= tree(root).keys()
    assert stilltrue_in(root, "check").code == (0 if name == "update" else 1)
