"""Globs: `*`, `?` and `[…]` stay within one name, `**` crosses folders. No pattern takes long to match."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from functools import cache

ANY_FOLDERS = "**"
"""The step of a glob that stands for any number of folders, none included."""

_SIGNS = frozenset("*?[")


def is_glob(pattern: str) -> bool:
    """Whether a path holds `*`, `?` or `[`."""
    return not _SIGNS.isdisjoint(pattern)


def steps(pattern: str) -> tuple[str, ...]:
    """The names of a glob one by one, each `**` a step of its own, the last step always a name.

    `docs/**` is `docs`, `**`, `*`; `**.md` is `**`, `*.md`; several `**` on end are one.
    """
    found: list[str] = []
    for name in pattern.split("/"):
        if name.startswith(ANY_FOLDERS):
            if found[-1:] != [ANY_FOLDERS]:
                found.append(ANY_FOLDERS)
            if rest := name.lstrip("*"):
                found.append(f"*{rest}")
        else:
            found.append(name)
    if found[-1] == ANY_FOLDERS:
        found.append("*")
    return tuple(found)


@cache
def name_matcher(step: str) -> Callable[[str], object]:
    """Says of one name, true or false, whether it matches a step other than `**`."""
    return re.compile(fnmatch.translate(step)).match if is_glob(step) else step.__eq__


def plain(pattern: str) -> str:
    """A glob as an author wrote it, without `./`; a folder stands for all that it holds."""
    pattern = pattern.removeprefix("./")
    return f"{pattern}**" if pattern.endswith("/") else pattern


class Glob:
    """Says whether paths match a glob."""

    def __init__(self, pattern: str) -> None:
        found = steps(pattern)
        self._steps = [None if step == ANY_FOLDERS else name_matcher(step) for step in found]
        self._last = name_matcher(found[-1])

    def matches(self, path: str) -> bool:
        """Whether a path does, from its first name to its last.

        Where a name does not fit, the latest `**` takes one name more: going back further never helps.
        """
        names = path.split("/")
        if not self._last(names[-1]):
            return False
        at = step = taken = 0
        resume = -1
        while at < len(names):
            fits = self._steps[step] if step < len(self._steps) else name_matcher("")
            if fits is None:
                step, taken = step + 1, at
                resume = step
            elif fits(names[at]):
                at, step = at + 1, step + 1
            elif resume >= 0:
                taken += 1
                at, step = taken, resume
            else:
                return False
        return step == len(self._steps)
