"""Projects that are not as they should be, and what the commands that write and guard do there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from authoring_support import COMMANDS, QUICK
from recording_support import commit_all, git, write

USUAL: Mapping[str, int] = {
    **dict.fromkeys(QUICK, 0),
    "init": 2,
    "sarif": 1,
    "github": 1,
    "probe": 0,
    "landmine": 0,
}
"""What the commands exit with in a project in which two values have drifted."""

CHANGED = {"since": 1}
LEFT = {**CHANGED, "update": 1, "dry": 1}
HIDDEN = {"update": 1, "dry": 1, "supersede": 2, "claim": 2, "coverage": 1, "raise": 1, "since": 1}
NO_PAGE = {"supersede": 2, "claim": 2, "coverage": 2, "raise": 2, "sarif": 0, "github": 0}
WRITING = ("update", "supersede", "claim", "raise")


@dataclass(frozen=True)
class State:
    """What is wrong with a project.

    Attributes:
        make: Makes it so.
        codes: The exit codes that are not the usual ones.
        words: What a command says, by its name.
        commands: The commands that are run.
    """

    make: Callable[[Path], object]
    codes: Mapping[str, int] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = QUICK


def changed(path: str, change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda root: (root / path).write_bytes(change((root / path).read_bytes()))


def all_of(*makes: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda root: [make(root) for make in makes]


def linked(path: str, target: str) -> Callable[[Path], object]:
    """What stands at a path moved elsewhere, and a link to it in its place."""

    def make(root: Path) -> None:
        place = Path(os.path.normpath(root / target))
        place.parent.mkdir(exist_ok=True)
        (root / path).rename(place)
        (root / path).symlink_to(place)

    return make


def folder_for(path: str) -> Callable[[Path], object]:
    return all_of(lambda root: (root / path).unlink(missing_ok=True), lambda root: (root / path).mkdir())


def submodule(root: Path) -> None:
    inner = write(root.parent / "inner", {"README.md": "It took [9 s](claim:time).\n", "a.sh": "# 4 s\n"})
    git(inner, "init", "-q", "-b", "main")
    commit_all(inner)
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "vendor")
    commit_all(root)


def tracked_workspace(root: Path) -> None:
    write(root, {".stilltrue/a": "x\n"})
    git(root, "add", "-f", ".stilltrue")
    git(root, "commit", "-q", "-m", "tracked")


def odd_names(root: Path) -> None:
    for name in ("my page.md", "-x.md", "ü – é.md", "a\nb.md", "a\x1b[31m.md", "::error::x.md"):
        (root / name).write_text("It took [7 s](claim:time).\n", encoding="utf-8")
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9.md")).write_text("[7 s](claim:time)\n", encoding="utf-8")


TEXTS = ("README.md", "claims/more.yml", "scripts/run.sh", "stilltrue.toml")
EVERYTHING = tuple(COMMANDS)
CONFIG = dict.fromkeys(QUICK, 2)
WORKSPACE = dict.fromkeys(("update", "supersede", "claim", "probe", "landmine", "raise"), 2)

STATES: dict[str, State] = {
    "nothing": State(lambda _root: None, commands=EVERYTHING),
    "crlf": State(
        all_of(*(changed(name, lambda data: data.replace(b"\n", b"\r\n")) for name in TEXTS)), CHANGED
    ),
    "carriage returns alone": State(changed("README.md", lambda data: data.replace(b"\n", b"\r")), CHANGED),
    "byte order marks": State(
        all_of(*(changed(name, lambda data: b"\xef\xbb\xbf" + data) for name in TEXTS[:2])), CHANGED
    ),
    "no line end": State(changed("README.md", lambda data: data.rstrip(b"\n")), CHANGED),
    "nul": State(changed("README.md", lambda data: data + b"\0\n"), CHANGED),
    "a page of another encoding": State(
        changed("README.md", lambda data: data + b"caf\xe9\n"),
        HIDDEN,
        dict.fromkeys(("claim", "coverage", "raise", "since", "github"), "UTF-8"),
    ),
    "utf-16": State(
        changed("README.md", lambda data: data.decode().encode("utf-16")),
        HIDDEN,
        {"claim": "README.md:1: the file is not UTF-8", "coverage": "README.md:1: the file is not UTF-8"},
    ),
    "claims of another encoding": State(
        changed("claims/more.yml", lambda data: data + b"# caf\xe9\n"),
        LEFT,
        {"since": "claims/more.yml:5: the file is not UTF-8"},
    ),
    "a script of another encoding": State(
        changed("scripts/run.sh", lambda data: data + b"# caf\xe9\n"), LEFT
    ),
    "a configuration of another encoding": State(
        changed("stilltrue.toml", lambda _data: b"\n# caf\xe9\n"),
        CONFIG,
        dict.fromkeys(QUICK, "stilltrue.toml:2: this is not UTF-8 (byte 0xe9)"),
    ),
    "a configuration that is none": State(
        changed("stilltrue.toml", lambda _data: b"pages = [\n"),
        {**CONFIG, "probe": 2, "landmine": 2},
        dict.fromkeys(QUICK, "not valid TOML"),
        EVERYTHING,
    ),
    "a page that is a link inside": State(
        linked("README.md", "real/page.md"),
        {"update": 1, "dry": 1, "supersede": 2, "claim": 2, "since": 1},
        dict.fromkeys(("update", "supersede", "claim"), "`README.md` is a link"),
    ),
    "a page that is a link to outside": State(linked("README.md", "../page.md"), NO_PAGE),
    "a page that is a folder": State(folder_for("README.md"), NO_PAGE),
    "a page that is not there": State(lambda root: (root / "README.md").unlink(), NO_PAGE),
    "a page that is a pipe": State(
        all_of(lambda root: (root / "README.md").unlink(), lambda root: os.mkfifo(root / "README.md")),
        NO_PAGE,
    ),
    "an empty page": State(
        changed("README.md", lambda _data: b""), {"supersede": 2, "sarif": 0, "github": 0}
    ),
    "claims that are a link to outside": State(
        linked("claims", "../claims"),
        {"update": 1, "dry": 1, "claim": 2, "probe": 2, "landmine": 2, "since": 1},
        {"probe": "claims: `claims` is a link", "landmine": "claims: `claims` is a link"},
        EVERYTHING,
    ),
    "a copy that is a link to outside": State(
        linked("scripts/run.sh", "../run.sh"), CHANGED, {"since": "leads out of the repository"}
    ),
    "evidence that is not there": State(
        lambda root: (root / "claims/evidence/a.txt").unlink(),
        {"update": 1, "dry": 1, "claim": 2, "since": 1},
        dict.fromkeys(("update", "claim", "since"), "there is no file `claims/evidence/a.txt`"),
    ),
    "no git": State(
        lambda root: shutil.rmtree(root / ".git"), {"since": 2}, {"since": "no repository"}, EVERYTHING
    ),
    "no commit": State(
        all_of(lambda root: shutil.rmtree(root / ".git"), lambda root: git(root, "init", "-q")),
        {"since": 2},
        {"since": "git knows no commit by the name `HEAD`"},
        EVERYTHING,
    ),
    "a detached head": State(lambda root: git(root, "checkout", "-q", "--detach")),
    "a broken repository": State(
        lambda root: (root / ".git/HEAD").write_text("garbage\n"), {"since": 2}, {"since": "no repository"}
    ),
    "a submodule": State(submodule),
    "odd names": State(odd_names, CHANGED),
    "a long line": State(
        lambda root: (root / "long.md").write_text("[5 s](claim:time) " * 3_000, encoding="utf-8"),
        CHANGED,
    ),
    "a workspace that is a file": State(
        lambda root: (root / ".stilltrue").write_text("x"),
        WORKSPACE,
        dict.fromkeys(WORKSPACE, ".stilltrue: `.stilltrue` is not a folder"),
        EVERYTHING,
    ),
    "a workspace that is a link": State(
        all_of(lambda root: (root / ".stilltrue").mkdir(), linked(".stilltrue", "../kept")),
        WORKSPACE,
        dict.fromkeys(WORKSPACE, ".stilltrue: `.stilltrue` is a link"),
    ),
    "a workspace that git tracks": State(
        tracked_workspace,
        WORKSPACE,
        dict.fromkeys(WORKSPACE, ".stilltrue: git tracks what is kept between runs"),
        EVERYTHING,
    ),
    "probes that are a file": State(
        lambda root: (root / "probes").write_text("x"),
        {"probe": 2, "landmine": 2},
        dict.fromkeys(("probe", "landmine"), "probes: `probes` is not a folder"),
        ("probe", "landmine"),
    ),
    "tests that are a file": State(
        lambda root: (root / "tests").write_text("x"),
        {"landmine": 2},
        {"landmine": "tests: `tests` is not a folder"},
        ("landmine",),
    ),
    "two configurations": State(
        lambda root: (root / "pyproject.toml").write_text("[tool.stilltrue]\n"),
        CONFIG,
        dict.fromkeys(QUICK, "keep one of them"),
    ),
}
