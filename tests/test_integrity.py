"""Landmines as a kind: each has a page of one shape, a probe with plants, and a test of its four ways."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from stilltrue.check import check
from stilltrue.config import load
from stilltrue.model import Report, Verdict
from stilltrue.probes import read_header

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(path for path in (ROOT / "docs" / "integrity").glob("*.md") if path.name != "index.md")
NAMES = [page.stem for page in PAGES]

SECTIONS = ("What happens", "Why nothing raised", "How to see it", "The guard")
PARTS = ("trap", "sound", "guard-stops", "guard-passes")


@pytest.fixture(scope="module")
def report() -> Report:
    return check(load(ROOT), search=False)


@pytest.fixture(scope="module")
def probes(report: Report) -> dict[str, Path]:
    """The probe behind each landmine, as the records of its evidence name it."""
    judged = {judgement.claim.id: judgement for judgement in report.judgements}
    return {name: Path(report.probe(judged[f"{name}-trap"])) for name in NAMES}


def test_the_landmines_of_the_list_are_there() -> None:
    index = (ROOT / "docs/integrity/index.md").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([a-z-]+)\.md\) \|$", index, re.MULTILINE)
    assert sorted(listed) == NAMES
    assert len(listed) >= 8


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_page_has_its_sections_in_their_order(page: Path) -> None:
    headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [heading for heading in headings if heading in SECTIONS] == list(SECTIONS)


@pytest.mark.parametrize("name", NAMES)
def test_its_four_claims_hold_on_its_page(name: str, report: Report) -> None:
    judged = {judgement.claim.id: judgement for judgement in report.judgements}
    for part in PARTS:
        judgement = judged[f"{name}-{part}"]
        assert judgement.verdict is Verdict.HOLDS
        assert judgement.claim.block.path == f"docs/integrity/{name}.md"
        assert {name, "integrity"} <= set(judgement.claim.tags)


@pytest.mark.parametrize("name", NAMES)
def test_its_probe_can_put_a_guard_that_passes_all_and_one_that_stops_all(
    name: str, probes: dict[str, Path]
) -> None:
    header = read_header(ROOT, probes[name].as_posix(), "claims/evidence")
    assert {"no-guard", "refuse-all"} <= set(header.plants)
    assert header.writes[0] == f"claims/evidence/integrity/{name}.json"


@pytest.mark.parametrize("name", NAMES)
def test_its_evidence_says_what_its_guard_does(name: str) -> None:
    document = json.loads((ROOT / f"claims/evidence/integrity/{name}.json").read_text(encoding="utf-8"))
    assert document["guard"]["stops"] is True
    assert document["guard"]["passes"] is True


@pytest.mark.parametrize("name", NAMES)
def test_its_plants_are_tried_by_a_test_of_its_own(name: str, probes: dict[str, Path]) -> None:
    text = (ROOT / f"tests/test_landmine_{probes[name].stem}.py").read_text(encoding="utf-8")
    header = read_header(ROOT, probes[name].as_posix(), "claims/evidence")
    assert [plant for plant in header.plants if f'"{plant}"' not in text] == []
