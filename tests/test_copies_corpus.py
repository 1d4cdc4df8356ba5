"""Precision and recall over a corpus of places labelled by hand.

`copies_corpus/project` is a project as people write them; `labels.tsv` says of its lines whether they hold a
stale copy. Lines that a reader would call stale and no search by number and unit can find are among them, and
lines that hold the old number and mean something else.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from stilltrue.check import check
from stilltrue.config import load

CORPUS = Path(__file__).parent / "copies_corpus"


class Label(NamedTuple):
    path: str
    line: int
    stale: bool
    why: str


@cache
def labels() -> tuple[Label, ...]:
    rows = [row.split("\t") for row in (CORPUS / "labels.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    return tuple(Label(path, int(line), label == "stale", why) for path, line, label, why in rows)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, int]]:
    root = tmp_path_factory.mktemp("corpus") / "project"
    shutil.copytree(CORPUS / "project", root)
    for command in (["init", "--quiet"], ["add", "--all", "--force"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    report = check(load(root))
    stale = (problem.place for problem in report.problems if problem.code == "stale-copy")
    return {(place.path, place.line) for place in stale}


def test_the_corpus_is_large_and_its_labels_fit_its_files() -> None:
    assert len(labels()) >= 200
    assert Counter(label.stale for label in labels())[True] >= 100
    lengths = {
        path: len((CORPUS / "project" / path).read_text(encoding="utf-8").splitlines())
        for path in {label.path for label in labels()}
    }
    assert all(1 <= label.line <= lengths[label.path] for label in labels())
    assert len({label[:2] for label in labels()}) == len(labels())


def test_every_place_that_is_found_has_a_label(found: set[tuple[str, int]]) -> None:
    assert found <= {label[:2] for label in labels()}


def test_nearly_all_that_is_found_is_stale_and_nearly_all_that_is_stale_is_found(
    found: set[tuple[str, int]],
) -> None:
    stale = {label[:2] for label in labels() if label.stale}
    precision = len(found & stale) / len(found)
    recall = len(found & stale) / len(stale)
    counted = f"{len(labels())} places, {len(stale)} of them stale"
    sys.stdout.write(f"precision {precision:.3f}, recall {recall:.3f}: {counted}\n")
    assert precision >= 0.98
    assert recall >= 0.975


def test_what_is_missed_or_found_wrongly_is_only_what_the_labels_call_hard(
    found: set[tuple[str, int]],
) -> None:
    wrong = [label for label in labels() if label.stale != (label[:2] in found)]
    assert [label for label in wrong if not label.why.startswith("hard: ")] == []
