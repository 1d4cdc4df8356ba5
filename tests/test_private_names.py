"""Names of hosts, people and services from the logs that this project began from stand nowhere in it."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# By their digests, because a list of the names would itself be where they stand.
DIGESTS = frozenset(
    {
        "155d4f5da983520f",
        "35724f85818af08e",
        "4d50c52025f8bc9d",
        "7029e8d6c9a2801f",
        "7baffe52be79e52d",
        "a51c18a4b1494f49",
        "b74dc36b91c7ad91",
        "df1508dec3df7eb1",
        "e33b88e34369f8ae",
        "ee35e2fc4807cab7",
    }
)

WORD = re.compile(r"[a-z0-9]+")
"""A hyphenated name is told by its parts, and a path by its folders."""


def digest(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()[:16]


def named(texts: Iterator[tuple[str, str]]) -> set[str]:
    """The files among `texts` in which a private name stands, each with its line."""
    known: dict[str, bool] = {}
    found = set()
    for path, text in texts:
        for number, line in enumerate(f"{path}\n{text}".lower().split("\n")):
            for word in WORD.findall(line):
                if word not in known:
                    known[word] = digest(word) in DIGESTS
                if known[word]:
                    found.add(f"{path}:{number}")
    return found


def tracked() -> Iterator[tuple[str, str]]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in listed.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file():
            content = path.read_bytes()
            is_text = b"\0" not in content[:8192]  # in what is packed, any two letters stand somewhere
            yield name, content.decode("utf-8", "replace") if is_text else ""


def test_no_private_name_stands_in_a_file_or_in_its_path() -> None:
    assert named(tracked()) == set()


def test_no_private_name_stands_in_the_history() -> None:
    said = subprocess.run(
        ["git", "log", "--format=%H %an %cn %s%n%b"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    assert named(iter([("history", said.decode("utf-8", "replace"))])) == set()


@pytest.mark.parametrize("text", ["On STAND-IN it ran.", "/stand/in", "stand_in: 1", "see stand"])
def test_a_name_is_seen_whatever_stands_around_it(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setitem(globals(), "DIGESTS", frozenset({digest("stand")}))
    assert named(iter([("notes.md", f"First.\n{text}")])) == {"notes.md:2"}
    assert named(iter([("notes.md", "outstanding")])) == set()
