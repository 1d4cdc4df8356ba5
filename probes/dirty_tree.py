#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = []
# [tool.stilltrue]
# writes = "claims/evidence/integrity/dirty-tree.json"
# needs = ["git"]
# cost = "cheap"
# timeout = "120 s"
# plant = ["no-guard", "refuse-all", "diff-alone", "mend-the-artifact"]
# ///
"""Which changes of a working tree git's commands show, and what the commit is worth that a run then records.

Settles:
    For five ways in which a tree differs from its commit (an edit, a staged edit, an untracked module, an
    ignored file, an edit of a file that is assumed unchanged): whether `git diff`, `git diff HEAD`, `git
    status --porcelain` and the same with `--ignored` show it; whether a run gives another result than the
    commit that it records; whether the guard stops it. Whether a setting hides untracked files from `status`.
    What a clean tree gives. Whether a note beside a finished artifact leaves it as it was, accounts for each
    of its fields, and no longer fits once somebody edits the artifact.

Needs:
    git. Everything happens in a repository in a temporary folder, without anybody's configuration.

Costs:
    A second: some eighty short processes.

Cannot settle:
    What a run reads that lies outside its repository: data, installed packages, the environment. Those are
    recorded by digest and version, not by a commit.

The faults: `no-guard` lets every tree through, `refuse-all` none, `diff-alone` asks `git diff` and nothing
else, and `mend-the-artifact` corrects the finished artifact in place of writing a note beside it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from probe_parts.command_line import parser_of
from probe_parts.guards import PLANTS as BROKEN
from probe_parts.guards import RefusedError, broken, stops
from probe_parts.output import as_json
from probe_parts.programs import require

# The repository, and a run in it -----------------------------------------------------------------------

HARNESS = """\
import json, pathlib
settings = json.loads(pathlib.Path("settings.json").read_text())
try:
    from extra import SCALE
except ImportError:
    SCALE = 1
local = pathlib.Path("local.json")
steps = json.loads(local.read_text())["steps"] if local.exists() else settings["steps"]
print(settings["rate"] * SCALE * steps)
"""
"""Stands for a training: what it prints depends on each file that it reads."""

FILES = {
    "train.py": HARNESS,
    "settings.json": '{"rate": 2, "steps": 100}\n',
    ".gitignore": "local.json\n*.log\n",
}
READS = ("train.py", "settings.json", "extra.py", "local.json")
"""What the harness reads where it is there: the guard is told."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A repository with its working tree.

    Attributes:
        folder: Its top.
    """

    folder: Path

    def git(self, *words: str) -> str:
        """What git prints; its first word may be any command.

        Raises:
            subprocess.CalledProcessError: It fails.
        """
        line = ["git", *words]
        done = subprocess.run(  # noqa: S603  # words of this file alone
            line, cwd=self.folder, env=environment(), capture_output=True, text=True, check=True
        )
        return done.stdout

    def has(self, name: str) -> bool:
        """Whether a file is in the working tree."""
        return (self.folder / name).exists()

    def write(self, name: str, text: str) -> None:
        """Write a file of the working tree."""
        (self.folder / name).write_text(text, encoding="utf-8")


def environment() -> dict[str, str]:
    """Nobody's configuration of git, and no repository that a hook names."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    person = [f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
    return {
        **kept,
        **dict.fromkeys(person, "nobody"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def committed(folder: Path) -> Tree:
    """A repository with one commit and a clean tree."""
    tree = Tree(folder)
    for name, text in FILES.items():
        tree.write(name, text)
    tree.git("init", "--quiet")
    tree.git("add", "--all")
    tree.git("commit", "--quiet", "--message", "A harness and its settings")
    return tree


def result(folder: Path) -> float:
    """What the harness in a folder comes to."""
    line = [sys.executable, "-B", "train.py"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603  # as above
    return float(done.stdout)


def run(tree: Tree) -> dict[str, Any]:
    """What a run writes down about itself: the commit that is checked out, and what it came to."""
    return {"commit": tree.git("rev-parse", "HEAD").strip(), "result": result(tree.folder)}


@cache
def reproduced(tree: Tree, commit: str) -> float:
    """What the commit that a run recorded comes to, checked out somewhere else."""
    with tempfile.TemporaryDirectory() as name:
        elsewhere = Path(name) / "tree"
        tree.git("worktree", "add", "--quiet", "--detach", str(elsewhere), commit)
        try:
            return result(elsewhere)
        finally:
            tree.git("worktree", "remove", "--force", str(elsewhere))


# Ways of differing -------------------------------------------------------------------------------------

EDITED = '{"rate": 2.5, "steps": 100}\n'
"""Longer than it was: git tells edits of one length within one second apart by reading the file, and does not
read one that it assumes unchanged."""


def edit(tree: Tree) -> None:
    """A setting is edited."""
    tree.write("settings.json", EDITED)


def stage(tree: Tree) -> None:
    """The same, and `git add`."""
    edit(tree)
    tree.git("add", "settings.json")


def add_untracked(tree: Tree) -> None:
    """A module that the harness imports was never added."""
    tree.write("extra.py", "SCALE = 3\n")


def add_ignored(tree: Tree) -> None:
    """A file that the harness reads is one that git ignores."""
    tree.write("local.json", '{"steps": 150}\n')


def edit_unwatched(tree: Tree) -> None:
    """A setting is edited that somebody told git not to look at."""
    tree.git("update-index", "--assume-unchanged", "settings.json")
    edit(tree)


DIRT: dict[str, Callable[[Tree], None]] = {
    "an edit": edit,
    "a staged edit": stage,
    "an untracked module": add_untracked,
    "an ignored file": add_ignored,
    "an edit, assumed unchanged": edit_unwatched,
}

COMMANDS = {
    "diff": ("diff",),
    "diff_head": ("diff", "HEAD"),
    "status": ("status", "--porcelain"),
    "status_ignored": ("status", "--porcelain", "--ignored"),
}


@contextmanager
def differing(tree: Tree, change: Callable[[Tree], None]) -> Iterator[None]:
    """The tree with a change; clean again after."""
    change(tree)
    try:
        yield
    finally:
        tree.git("update-index", "--no-assume-unchanged", "settings.json")
        tree.git("reset", "--quiet", "--hard")
        tree.git("clean", "--quiet", "--force", "-x")


# The guard ---------------------------------------------------------------------------------------------


def guard(tree: Tree, reads: Sequence[str] = READS) -> None:
    """Nothing is changed or untracked, and each file that the run reads is the one that HEAD holds.

    The second question is asked of contents: it finds what git ignores, and what it was told not to look at.

    Raises:
        RefusedError: The commit would not describe the run.
    """
    shown = tree.git("status", "--porcelain", "--untracked-files=all")
    if shown:
        raise RefusedError(f"the tree is not clean:\n{shown}")
    for name in filter(tree.has, reads):
        if tree.git("hash-object", name) != held(tree, name):
            raise RefusedError(f"`{name}` is not what HEAD holds")


def held(tree: Tree, name: str) -> str:
    """The digest of a file in HEAD, as `hash-object` prints it; empty where HEAD has none."""
    words = tree.git("ls-tree", "HEAD", name).split()
    return f"{words[2]}\n" if words else ""


def diff_alone(tree: Tree) -> None:
    """A broken guard: it asks for what was edited, and not for what was added."""
    if tree.git("diff"):
        raise RefusedError("the tree is not clean")


GUARDS: dict[str, Callable[[Tree], None]] = {"diff-alone": diff_alone}

# A note beside the artifact ----------------------------------------------------------------------------

ARTIFACT = {"commit": "", "base_model": "tiny", "data_sha256": "5f70bf18a086", "steps": 100, "result": 0}
"""What a run shipped, before its commit and its result are known."""

Annotate = Callable[[Path], None]


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def note_of(artifact: Path) -> Path:
    """Where the note on an artifact lies."""
    return artifact.with_name(f"{artifact.name}.note.json")


def annotate(artifact: Path) -> None:
    """Write a note beside an artifact: which one it means, what is wrong with it, and what is not."""
    kept = [field for field in json.loads(artifact.read_text(encoding="utf-8")) if field != "commit"]
    note = {
        "about": artifact.name,
        "sha256": digest(artifact),
        "wrong": {"commit": "the tree was not clean: settings.json had `rate` 2.5 where this commit has 2"},
        "not_wrong": kept,
    }
    note_of(artifact).write_text(json.dumps(note, indent=2), encoding="utf-8")


def mend(artifact: Path) -> None:
    """A fault: the artifact itself is corrected, after a note was written about it."""
    annotate(artifact)
    fields = json.loads(artifact.read_text(encoding="utf-8"))
    artifact.write_text(json.dumps({**fields, "commit": "unknown"}), encoding="utf-8")


def unaccounted(artifact: Path) -> list[str]:
    """The fields of an artifact of which its note says neither that they are wrong nor that they are not."""
    note = json.loads(note_of(artifact).read_text(encoding="utf-8"))
    return [
        field
        for field in json.loads(artifact.read_text(encoding="utf-8"))
        if field not in note["wrong"] and field not in note["not_wrong"]
    ]


def fits(artifact: Path) -> bool:
    """Whether a note means the artifact that lies beside it."""
    note = json.loads(note_of(artifact).read_text(encoding="utf-8"))
    return bool(note["sha256"] == digest(artifact))


def annotated(artifact: Path, write: Annotate) -> dict[str, Any]:
    """What becomes of an artifact that is annotated, and whether an edit after that is noticed."""
    before = digest(artifact)
    write(artifact)
    found = {
        "artifact_unchanged": digest(artifact) == before,
        "note_fits": fits(artifact),
        "fields": len(json.loads(artifact.read_text(encoding="utf-8"))),
        "unaccounted": len(unaccounted(artifact)),
    }
    with artifact.open("a", encoding="utf-8") as stream:
        stream.write("\n")
    return {**found, "edit_noticed": not fits(artifact)}


PLANTS = {
    **BROKEN,
    "diff-alone": "a guard that asks `git diff` and nothing else",
    "mend-the-artifact": "the artifact is corrected in place",
}

# The measurement ---------------------------------------------------------------------------------------


def row(tree: Tree, name: str, guarded: Callable[[Tree], None]) -> dict[str, Any]:
    """One way of differing: what shows it, what a run makes of it, and what the guard says."""
    with differing(tree, DIRT[name]):
        shown = {column: bool(tree.git(*words)) for column, words in COMMANDS.items()}
        recorded = run(tree)
        other = recorded["result"] != reproduced(tree, recorded["commit"])
        return {"change": name, **shown, "other_result": other, "stopped": stops(guarded, tree)}


def clean(tree: Tree, guarded: Callable[[Tree], None]) -> dict[str, Any]:
    """A clean tree, with a log that git ignores and no run reads."""
    tree.write("run.log", "a log of an earlier run\n")
    recorded = run(tree)
    same = recorded["result"] == reproduced(tree, recorded["commit"])
    return {"same_result": same, "passed": not stops(guarded, tree)}


def untracked_hidden(tree: Tree) -> bool:
    """Whether `status` shows an untracked file nothing where a common setting for large trees is made."""
    with differing(tree, add_untracked):
        return not tree.git("-c", "status.showUntrackedFiles=no", *COMMANDS["status"])


def shipped(folder: Path, recorded: Mapping[str, Any]) -> Path:
    """The artifact that a run leaves."""
    artifact = folder / "run.json"
    artifact.write_text(json.dumps({**ARTIFACT, **recorded}), encoding="utf-8")
    return artifact


def measure(guarded: Callable[[Tree], None], write: Annotate) -> dict[str, Any]:
    """All that the claims are read from."""
    with tempfile.TemporaryDirectory() as top:
        tree = committed(Path(top))
        rows = [row(tree, name, guarded) for name in DIRT]
        hidden = untracked_hidden(tree)
        sound = clean(tree, guarded)
        recorded = run(tree)
    with tempfile.TemporaryDirectory() as top:
        note = annotated(shipped(Path(top), recorded), write)
    return {
        "changes": rows,
        "hidden_by_a_setting": hidden,
        "trap": sum(one["other_result"] for one in rows),
        "sound": sound["same_result"],
        "note": note,
        "guard": {"stops": all(one["stopped"] for one in rows), "passes": sound["passed"]},
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the evidence."""
    plant = parser_of(__doc__, PLANTS).parse_args(argv).plant
    require("git")
    write = mend if plant == "mend-the-artifact" else annotate
    print(as_json(measure(broken(GUARDS.get(plant, guard), plant), write)))


if __name__ == "__main__":
    main()
