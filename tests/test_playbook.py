"""The playbook's own rules: how its pages open, and what becomes of figures that contradict one another."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

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
