"""The playbook's own rules: how its pages open, and what becomes of figures that contradict one another."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

from stilltrue.check import check
from stilltrue.config import load
from stilltrue.model import Judgement, Report, ReportedSource, Verdict

ROOT = Path(__file__).resolve().parent.parent

ADMITS = "cannot be measured on a CPU"
"""What a page says, with the reason around it, that has to open with a figure which is only quoted."""

METHODS = "docs/throughput/*.md"
"""The pages that teach a method: what they open with was measured for them."""

CASES = "claims/case-*.yml"
"""The files that hold the figures of investigated cases."""

CONTRADICTORY = "docs/cases/inconsistencies.md"

CONTRADICTIONS = {
    "Rows of the profile": {"reported-rows-share", "reported-unaccounted", "reported-unaccounted-time"},
    "Experts and dense products": {"hypotheses-both-share", "hypotheses-experts-more"},
    "Estimates of memory": {
        "case-estimates-do-not-add",
        "case-estimates-same-gap",
        "case-estimates-base",
        "case-memory-eight-fits",
    },
    "Utilisation": {"reported-mfu-computed", "reported-mfu-differs", "utilisation-title-between"},
    "The quadratic share": {"reported-quadratic-share-as-printed"},
    "The peak of the run's configuration": {"case-memory-two-peaks"},
    '"Of the model"': {"counts-share-differs"},
    "Active parameters": {"reported-counts-active-differs"},
    "The window": {"utilisation-of-window", "utilisation-window-differs"},
    "Hours and their peak": {"utilisation-peak-differs"},
    "Residuals": {"reported-rounding", "hypotheses-per-wait"},
    "The largest win": {"hypotheses-attention-exceeds", "hypotheses-attention-break-even"},
    "Memory of one more sequence": {"case-memory-slope", "case-memory-margin-of-errors"},
    "Memory without checkpointing": {"case-memory-all-kept-sequence"},
    "Time without checkpointing": {"utilisation-saved-differs"},
    "The backend, without a GPU": {"kernels-cpu.mask.chosen", "kernels-cpu.mask.flash-can-be-used"},
    "Adapters that learn nothing": {"inert-adapter-alone-silent"},
    '"Not one raised an error"': {"argument-names-raises"},
    "The end of `warmup_ratio`": {"argument-names-warmup-ratio-last"},
    "Refused or silent": {"serving-refusal-first-without", "serving-release.0.24.0.refuses"},
    "Any Gemma 4": {"serving-refusal-condition"},
}
"""Each contradiction among the figures of the log, by the first cell of its row: claims that reckon it."""


class Row(NamedTuple):
    """A row of the page of contradictions.

    Attributes:
        claims: The claims that it links.
        consequence: Its last cell.
    """

    claims: frozenset[str]
    consequence: str


@pytest.fixture(scope="module")
def report() -> Report:
    # Stale copies are searched for by the check itself; here only verdicts count.
    return check(load(ROOT), search=False)


def claims_of(report: Report, page: str) -> list[Judgement]:
    """The claims that stand on a page or are linked from it, in the order of its lines."""
    judged = {judgement.claim.id: judgement for judgement in report.judgements}
    written = ((j.claim.block, j.claim.id) for j in report.judgements)
    linked = ((bound.link.place, bound.link.target) for bound in report.links)
    shown = ((embed.place, embed.id) for embed in report.embeds)
    here = [(place.line, name) for place, name in (*written, *linked, *shown) if place.path == page]
    return [judged[name] for _, name in sorted(here, key=lambda each: each[0])]


def opens_with_a_quotation(report: Report, root: Path) -> Iterator[str]:
    """The pages of `docs/` whose first claim is only quoted, and which do not say why."""
    for page in report.pages:
        if page.startswith("docs/") and (claims := claims_of(report, page)):
            words = " ".join((root / page).read_text(encoding="utf-8").split())
            if claims[0].verdict is Verdict.REPORTED and ADMITS not in words:
                yield f"{page}: {claims[0].claim.id}"


def inconsistencies(report: Report) -> list[Judgement]:
    return [j for j in report.judgements if "inconsistency" in j.claim.tags]


def test_a_page_opens_with_what_was_measured_or_says_why_it_cannot(report: Report) -> None:
    assert list(opens_with_a_quotation(report, ROOT)) == []


def test_the_pages_of_methods_open_with_a_claim_that_holds_and_is_of_no_case(report: Report) -> None:
    opened = {
        page: claims[0]
        for page in report.pages
        if fnmatch(page, METHODS) and not page.endswith("/index.md") and (claims := claims_of(report, page))
    }
    assert len(opened) >= 4
    assert {page: j.claim.id for page, j in opened.items() if j.verdict is not Verdict.HOLDS} == {}
    assert {page: j.claim.id for page, j in opened.items() if fnmatch(j.claim.block.path, CASES)} == {}


def test_figures_that_contradict_one_another_are_reckoned_and_not_only_told_of(report: Report) -> None:
    told = inconsistencies(report)
    assert {j.claim.id for j in told} >= {
        "reported-unaccounted",
        "reported-mfu-differs",
        "reported-rounding",
        "reported-quadratic-share-as-printed",
        "hypotheses-attention-exceeds",
    }
    assert [j.claim.id for j in told if isinstance(j.claim.source, ReportedSource)] == []
    assert [j.claim.id for j in told if j.found is None or j.verdict is Verdict.SUPERSEDED] == []


@pytest.fixture(scope="module")
def rows(report: Report) -> dict[str, Row]:
    """The rows of the page of contradictions, by their first cell."""
    lines = (ROOT / CONTRADICTORY).read_text(encoding="utf-8").splitlines()
    linked: dict[int, set[str]] = {}
    for bound in report.links:
        if bound.link.place.path == CONTRADICTORY:
            linked.setdefault(bound.link.place.line, set()).add(bound.link.target)
    tables = ((number, line) for number, line in enumerate(lines, 1) if line.startswith("| "))
    found = {}
    for number, line in tables:
        name, _, _, consequence = (cell.strip() for cell in line.strip("|").split("|"))
        found[name] = Row(frozenset(linked.get(number, ())), consequence)
    found.pop("")
    return found


def test_the_page_of_contradictions_has_a_row_for_each_with_its_claims(rows: dict[str, Row]) -> None:
    assert sorted(rows) == sorted(CONTRADICTIONS)
    unlinked = {name: wanted - rows[name].claims for name, wanted in CONTRADICTIONS.items()}
    assert {name: sorted(claims) for name, claims in unlinked.items() if claims} == {}


def test_each_row_of_contradictions_has_a_consequence_and_a_claim_of_its_own(
    report: Report, rows: dict[str, Row]
) -> None:
    told = {judgement.claim.id for judgement in inconsistencies(report)}
    assert [name for name, row in rows.items() if not row.consequence.endswith(".")] == []
    assert [name for name, row in rows.items() if not row.claims & told] == []


def test_the_page_of_contradictions_leaves_none_out(report: Report, rows: dict[str, Row]) -> None:
    """Of a table of claims, one that is linked stands for the others."""
    linked = {claim for row in rows.values() for claim in row.claims}
    tables = {j.claim.table for j in report.judgements if j.claim.id in linked and j.claim.table}
    told = [j.claim for j in inconsistencies(report)]
    assert [claim.id for claim in told if claim.id not in linked and claim.table not in tables] == []


def test_each_contradiction_is_told_to_a_reader(report: Report) -> None:
    read = {j.claim.id for page in report.pages for j in claims_of(report, page)}
    assert [j.claim.id for j in inconsistencies(report) if j.claim.id not in read] == []


def test_what_fell_with_another_process_is_superseded_by_what_is_said_of_that_process(report: Report) -> None:
    judged = {judgement.claim.id: judgement for judgement in report.judgements}
    fallen = [j.claim for j in judged.values() if j.claim.id.startswith("run-")]
    assert {claim.id for claim in fallen} >= {"run-attention-share", "run-quadratic-share", "run-mfu"}
    for claim in fallen:
        assert claim.superseded is not None, claim.id
        if claim.superseded.by:
            successor = judged[claim.superseded.by]
            assert successor.claim.stated.text == claim.stated.text, claim.id
            assert successor.verdict is Verdict.REPORTED, claim.id


def test_the_words_that_a_page_must_say_are_in_the_guide_for_contributors() -> None:
    assert ADMITS in " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())


QUOTED = """\
# Steps

{words}

```claim
id: quoted
says: "A step takes {{value}}."
value: 3 s
reported: {{by: the log}}
```
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("A step.", ["docs/step.md: quoted"]),
        ("It takes [3 s](claim:quoted).", ["docs/step.md: quoted"]),
        ("One of an accelerator's steps cannot be\nmeasured on a CPU.", []),
        ("It is [3 s](claim:held) here.", []),
    ],
    ids=["silent", "linked", "says why", "opens with another"],
)
def test_a_page_that_opens_with_a_quotation_is_seen(tmp_path: Path, words: str, told: list[str]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "claims").mkdir()
    (tmp_path / "times.json").write_text('{"step": 3}', encoding="utf-8")
    (tmp_path / "claims" / "held.yml").write_text(
        '- id: held\n  says: "It is {value}."\n  value: 3 s\n'
        "  evidence: times.json\n  read: {path: $.step, unit: s}\n",
        encoding="utf-8",
    )
    (tmp_path / "docs" / "step.md").write_text(QUOTED.format(words=words), encoding="utf-8")
    report = check(load(tmp_path))
    assert report.problems == ()
    assert list(opens_with_a_quotation(report, tmp_path)) == told
