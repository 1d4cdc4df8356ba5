"""Small projects whose numbers have drifted, and `update` run on them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from recording_support import Done, stilltrue_in
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.edit import Outcome, update
from stilltrue.model import Report

EVIDENCE = "claims/evidence/e.json"


def claim(name: str, value: str, read: str, *more: str) -> str:
    """A claim's block over the one file of evidence; `value` as YAML, `read` the keys of `read`."""
    body = [f"id: {name}", 'says: "It is {value}."', f"value: {value}", f"evidence: {EVIDENCE}"]
    return "\n".join(["```claim", *body, f"read: {{{read}}}", *more, "```", ""])


def project(root: Path, files: Mapping[str, str | bytes], evidence: object = None) -> Path:
    """A project of these files, byte for byte, and of the evidence."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "stilltrue.toml").touch()
    given: dict[str, str | bytes] = dict(files)
    if evidence is not None:
        given[EVIDENCE] = json.dumps(evidence)
    for name, content in given.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return root.resolve()


def updated(root: Path, *ids: str, dry_run: bool = False) -> Outcome:
    return update(load(root), ids, dry_run=dry_run)


def checked(root: Path) -> Report:
    return check(load(root))


def run(root: Path, *arguments: str, **env: str) -> Done:
    """`stilltrue update`, by a person."""
    return stilltrue_in(root, "update", *arguments, **env)


def told(outcome: Outcome) -> list[tuple[str, str, str]]:
    """Where each number was rewritten, from what, to what."""
    return [(str(each.place), each.old, each.new) for each in outcome.changed]
