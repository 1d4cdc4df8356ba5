"""A project that is about to be launched, in a git repository, and `stilltrue preflight` run on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from recording_support import Done, commit_all, git, stilltrue_in, write


class Seen(NamedTuple):
    """What the command told.

    Attributes:
        code: The exit code.
        checks: The findings of each check, as the JSON report has them.
        report: The whole report.
    """

    code: int
    checks: dict[str, list[dict[str, Any]]]
    report: dict[str, Any]

    def wrong(self, name: str) -> list[str]:
        """`what: saw` of what failed in a check."""
        return [f"{each['what']}: {each['saw']}" for each in self.checks[name] if not each["ok"]]

    def right(self, name: str) -> list[str]:
        """`what: saw` of what passed in a check."""
        return [f"{each['what']}: {each['saw']}" for each in self.checks[name] if each["ok"]]


def launch_of(
    root: Path, settings: str, files: dict[str, str] | None = None, *, commit: bool = False
) -> Path:
    """A project with these settings; in a repository with one commit where that is asked for."""
    write(root, {"stilltrue.toml": "", "preflight.yml": settings, **(files or {})})
    if commit:
        git(root, "init", "-q", "-b", "main")
        commit_all(root)
    return root.resolve()


def look(root: Path, *arguments: str) -> Seen:
    """What `stilltrue preflight` sees, by its JSON report; it must have looked."""
    done = stilltrue_in(root, "preflight", "--format", "json", *arguments)
    assert done.code in (0, 1), done.err
    report = json.loads(done.out)
    assert report["ok"] is (done.code == 0)
    checks = {each["name"]: each["findings"] for each in report["checks"]}
    assert all(finding["ok"] or finding["hint"] for found in checks.values() for finding in found)
    return Seen(done.code, checks, report)


def refused(root: Path, *arguments: str) -> Done:
    """What `stilltrue preflight` says where it does not even begin to look."""
    done = stilltrue_in(root, "preflight", *arguments)
    assert (done.code, done.out) == (2, ""), done.out
    return done
