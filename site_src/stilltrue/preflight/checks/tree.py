"""Is the tree clean, and is the commit that the run records the one that is checked out?"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path, PurePosixPath

from stilltrue import files, git
from stilltrue.globs import is_glob
from stilltrue.model import Place
from stilltrue.preflight.documents import at, shown
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import SOURCE, Key, Kind, table
from stilltrue.preflight.settings import Settings
from stilltrue.root import top_of
from stilltrue.wording import counted, named

SUMMARY = "The work tree is clean, files that git does not know included, and the run records the commit."

KEYS = table(
    Key(
        "record",
        Kind.MAPPING,
        "Where the run wrote the commit that it started from.",
        "record: {file: runs/out/run.json, path: $.commit}",
        inner=SOURCE,
    ),
    Key(
        "ignored_matters",
        Kind.GLOBS,
        "Files that decide what the run does, and that git must therefore not ignore.",
        "ignored_matters: [runs/*.local.yml]",
    ),
)

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_DIRTY = "-dirty"
"""What `git describe --dirty` adds."""


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The findings."""
    top = top_of(launch.config.root)  # what lies beside the project is part of the commit too
    head = git.head(top)
    if not head:
        why = "git is not there, this is no repository or another user's, or it has no commit yet"
        yield failed("commit", why, "commit what will run", settings.place())
        return
    yield _work_tree(top, head, settings)
    yield from _hidden(top, settings)
    yield from _ignored(launch, settings)
    if (source := settings.inner("record")) is not None:
        yield _recorded(launch, source, head)


def _work_tree(top: Path, head: str, settings: Settings) -> Finding:
    changed = git.differences(top, head)
    if changed is None:
        return _mute("work tree", "what has changed", settings.place())
    if changed.paths:
        hint = "commit it, or remove it: what runs is not what the commit says"
        if changed.added:
            hint += "; what the run itself writes belongs into `.gitignore`"
        return failed("work tree", _what(changed), hint)
    return passed("work tree", f"clean at {head}")


def _mute(what: str, about: str, place: Place) -> Finding:
    return failed(what, f"git could not tell {about}", "run `git status`", place)


def _hidden(top: Path, settings: Settings) -> Iterator[Finding]:
    """Files that git passes over: a clean status does not tell of them."""
    paths = git.passed_over(top)
    if paths is None:
        yield _mute("hidden changes", "which files it passes over", settings.place())
    for path in paths or ():
        saw = "git was told not to look at it, so a change to it shows nowhere"
        hint = f"run `git update-index --no-assume-unchanged --no-skip-worktree {shlex.quote(path)}`"
        yield failed(f"`{path}`", saw, hint)


def _ignored(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """Files that matter and are ignored: no commit tells of them."""
    for pattern, place in settings.placed("ignored_matters"):
        yield from _matter(launch.config.root, pattern, place)


def _matter(root: Path, pattern: str, place: Place) -> Iterator[Finding]:
    """What one path or glob of `ignored_matters` comes to; that no file has the name is told, and passes.

    A file that overrides something is best not there at all; its folder is there, unless the name is wrong.
    """
    what = f"`{pattern}`"
    folder = Path(*takewhile(lambda name: not is_glob(name), PurePosixPath(pattern).parent.parts))
    if not (root / folder).is_dir():
        hint = "mend the path: no file that matters could be found there"
        yield failed(what, f"there is no folder `{folder.as_posix()}`", hint, place)
        return
    if (root / pattern).is_dir():  # of a folder git says nothing, whatever it ignores in it
        yield failed(what, "this is a folder", f"name the files in it: `{pattern}/**`", place)
        return
    there = [path for path in files.expand(root, pattern) if os.path.lexists(root / path)]
    ignored = git.ignored(root, there)
    if ignored is None:
        yield _mute(what, "which of these files it ignores", place)
    for path in ignored or ():
        yield failed(f"`{path}`", "git ignores it, so no commit tells what it held", _COMMIT_IT, place)
    if ignored == ():
        saw = f"{counted(len(there), 'file')}, none of them ignored" if there else "no file has this name now"
        yield passed(what, saw, place)


_COMMIT_IT = "let `.gitignore` not name it and commit it, or move what matters to a file that is committed"


def _what(changed: git.Differences) -> str:
    """`1 modified file, 2 new files: `a`, `b`, `c``."""
    groups = [(changed.modified, "modified"), (changed.added, "uncommitted"), (changed.deleted, "deleted")]
    counts = ", ".join(counted(len(paths), f"{word} file") for paths, word in groups if paths)
    return f"{counts}: {named(sorted(changed.paths))}"


def _recorded(launch: Launch, source: Settings, head: str) -> Finding:
    """Whether the run recorded the commit that is checked out; a short hash is one, a branch is none."""
    item = at(launch, source)
    text = shown(item.value)
    if text.removesuffix(_DIRTY) != text:
        hint = "commit what will run; then start it anew"
        return failed("recorded commit", f"{text}: the run started from a changed tree", hint, item.place)
    if not _COMMIT.fullmatch(text):
        hint = "record the output of `git rev-parse HEAD`"
        return failed("recorded commit", f"`{text}` is no commit", hint, item.place)
    if not head.startswith(text):
        hint = "start from the commit that is recorded, or record the one that runs"
        return failed("recorded commit", f"{text}, but HEAD is {head}", hint, item.place)
    return passed("recorded commit", text, item.place)
