"""How evidence was measured, on cards and on evidence pages; everything that a record says is escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import probe_project
import site_project
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.model import Judgement, Place, Problem, Provenance, Report, Valid
from stilltrue.quantity import Quantity, Tolerance, Units
from stilltrue.site.card import card
from stilltrue.site.history_section import Kept, history_section, kept_days
from stilltrue.site.record_section import duration, record_section, seconds_words
from stilltrue.site.repository import commit_url
from stilltrue.site.view import Layout, Spot, View

STEP = probe_project.STEP
LAYOUT = Layout(
    evidence={STEP: "evidence/step.csv/", "claims/evidence/encode.json": "evidence/encode.json/"},
    probes={"probes/step.py": "probes/step/"},
    commits="https://example.org/a/b/commit/",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return probe_project.write(tmp_path)


def report_of(root: Path, *records: tuple[str, Provenance]) -> Report:
    """What checking the project came to, with these records beside its evidence."""
    report = check(load(root))
    read = (_read(judgement) for judgement in report.judgements)
    return replace(report, judgements=tuple(read), provenance=dict(records))


def _read(judgement: Judgement) -> Judgement:
    return replace(judgement, files=tuple(dict.fromkeys(r.path for r in judgement.readings)))


def spot_of(root: Path, report: Report, layout: Layout = LAYOUT) -> Spot:
    return Spot(View(load(root), report, layout), url="throughput/step/")


def card_of(root: Path, report: Report, name: str = "attention-time", layout: Layout = LAYOUT) -> str:
    judgement = next(j for j in report.judgements if j.claim.id == name)
    return card(judgement, spot_of(root, report, layout))


def fact(html: str, name: str) -> str:
    """What a card says under a name, without tags; empty where it says nothing."""
    found = re.search(f"<dt>{name}</dt><dd>(.*?)</dd>", html)
    return re.sub(r"<[^>]*>", "", found[1]) if found else ""


# Cards -------------------------------------------------------------------------------------------------


def test_a_card_says_when_on_what_and_from_which_commit(root: Path) -> None:
    html = card_of(root, report_of(root, (STEP, probe_project.step_record(root))))
    assert fact(html, "Measured") == "2026-11-29 on A &lt;fast&gt; CPU, 2 cores, commit 0123456"
    assert '<a href="../../evidence/step.csv/#record">2026-11-29</a>' in html
    assert f'href="https://example.org/a/b/commit/{probe_project.COMMIT}"' in html
    assert '<a class="st-path" href="../../probes/step/">probes/step.py</a>' in html


def test_the_rest_of_a_record_lies_under_the_fold(root: Path) -> None:
    html = card_of(root, report_of(root, (STEP, probe_project.step_record(root))))
    above, _, fold = html.partition("<details")
    assert "CPython" not in above
    assert "Measured with the arguments <code>--width 16384 &#x27;a b&#x27;</code>, CPython 3.11.7" in fold
    assert "numpy 2.4.6" in fold


def test_a_commit_leads_nowhere_where_the_site_does_not_say_where(root: Path) -> None:
    record = probe_project.step_record(root)
    html = card_of(root, report_of(root, (STEP, record)), layout=replace(LAYOUT, commits=""))
    assert "commit <code>0123456</code>" in html


def test_a_commit_that_is_none_makes_no_address(root: Path) -> None:
    record = replace(probe_project.step_record(root), commit='"><script>')
    html = card_of(root, report_of(root, (STEP, record)))
    assert "<script>" not in html
    assert "commit/" not in html


def test_what_was_changed_beside_the_commit_is_said(root: Path) -> None:
    record = replace(probe_project.step_record(root), changed=("probes/step.py",))
    html = card_of(root, report_of(root, (STEP, record)))
    assert "commit 0123456 with changes" in fact(html, "Measured")


def test_an_accelerator_is_named_first(root: Path) -> None:
    record = replace(probe_project.step_record(root), accelerator="An accelerator", commit="")
    html = card_of(root, report_of(root, (STEP, record)))
    assert fact(html, "Measured") == "2026-11-29 on An accelerator, A &lt;fast&gt; CPU, 2 cores"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("https://example.org/?a=1&b=2", '<a href="https://example.org/?a=1&amp;b=2"'),
        ("javascript:alert(1)", "adopted from javascript:alert(1)<"),
        ("the <b>first</b> report", "adopted from the &lt;b&gt;first&lt;/b&gt; report"),
    ],
)
def test_adopted_evidence_says_where_it_is_from(root: Path, source: str, shown: str) -> None:
    record = Provenance((probe_project.digested(root, STEP),), on="2026-08-24", source=source)
    html = card_of(root, report_of(root, (STEP, record)))
    assert fact(html, "Measured").startswith("2026-08-24, adopted from ")
    assert shown in html
    assert fact(html, "Probe") == ""


def test_evidence_without_a_record_is_said_to_have_none(root: Path) -> None:
    html = card_of(root, report_of(root))
    assert fact(html, "Measured") == "no record of when and on what"


def test_claims_that_read_no_evidence_say_nothing_of_it(root: Path) -> None:
    report = report_of(root)
    for name in ("attention-share", "gemm-time", "encode-time"):
        assert fact(card_of(root, report, name), "Measured") == ""


def test_accepted_changes_are_told_on_the_cards_of_their_claims_alone(root: Path) -> None:
    report = report_of(root, (STEP, probe_project.accepted(root)))
    said = "a change of probes/clock.py on 2026-12-01: a &lt;comment&gt; only"
    assert fact(card_of(root, report), "Accepted") == said
    assert fact(card_of(root, report, "step-time"), "Accepted") == ""


def test_limits_and_reproduction_are_told(root: Path) -> None:
    report = report_of(root)
    judgement = next(j for j in report.judgements if j.claim.id == "attention-time")
    percent = Units.default().parse("%")
    claim = replace(
        judgement.claim,
        valid=Valid("2027-03-01", (("transformers", ">=5.15,<6"),)),
        reproduces=Tolerance("10 %", Quantity(judgement.found.low.number * 0 + 10, percent), relative=True)
        if judgement.found is not None and isinstance(judgement.found.low, Quantity)
        else None,
    )
    html = card(replace(judgement, claim=claim), spot_of(root, report))
    assert fact(html, "Valid") == "until 2027-03-01; with transformers &gt;=5.15,&lt;6"
    assert fact(html, "Reproduces") == "within 10 %"


def test_a_warning_stands_on_the_card_of_its_claim(root: Path) -> None:
    warning = Problem(
        "ending", Place("docs/x.md", 1), "it is valid until `tomorrow`", about=("attention-time",)
    )
    report = replace(report_of(root), warnings=(warning,))
    assert fact(card_of(root, report), "Warning") == "It is valid until tomorrow."
    assert fact(card_of(root, report, "step-time"), "Warning") == ""


def test_several_measurements_are_told_apart_and_equal_ones_once(root: Path) -> None:
    first = replace(probe_project.step_record(root), machine=())
    days = [(f"claims/evidence/{n}.csv", replace(first, on=f"2026-11-0{n // 2 + 1}")) for n in range(10)]
    report = report_of(root, *days)
    paths = (*(path for path, _ in days), STEP)
    judgements = tuple(replace(j, files=paths) for j in report.judgements)
    html = card_of(root, replace(report, judgements=judgements))
    said = fact(html, "Measured").split("; ")
    assert [each[:10] for each in said[:3]] == ["2026-11-01", "2026-11-02", "2026-11-03"]
    assert said[3:] == ["and 2 more", "no record of when and on what for 1 of its 11 files"]


# Evidence pages ----------------------------------------------------------------------------------------


def section(root: Path, record: Provenance | None) -> str:
    return record_section(record, spot_of(root, report_of(root)), STEP)


def rows(html: str) -> dict[str, str]:
    found = re.findall(r"<tr><th>(.*?)</th><td>(.*?)</td></tr>", html)
    return {name: re.sub(r"<[^>]*>", " ", value) for name, value in found}


def test_the_table_of_a_record_holds_all_of_it(root: Path) -> None:
    record = replace(probe_project.accepted(root), changed=("probes/clock.py",), accelerator="An accelerator")
    html = section(root, record)
    said = rows(html)
    assert list(said) == [
        "Day", "Probe", "Arguments", "Commit", "Changed since that commit", "Run", "System", "Processor",
        "Cores", "Memory", "Accelerator", "Interpreter", "Packages", "Inputs", "Code", "Environment",
        "Evidence", "Accepted",
    ]  # fmt: skip
    assert said["Run"] == "2026-11-29T10:00:00Z to 2026-11-29T10:02:03Z (2 min 3 s)"
    assert said["Commit"].strip() == probe_project.COMMIT
    assert all(code.sha256 in said["Code"] for code in record.code)
    assert record.subjects[0].sha256 in said["Evidence"]
    assert record.inputs[0].sha256 in said["Inputs"]
    assert 'href="../../evidence/encode.json/"' in html
    assert "<fast>" not in html
    assert "<comment>" not in html


def test_a_record_of_adopted_evidence_shows_only_what_it_knows(root: Path) -> None:
    record = Provenance((probe_project.digested(root, STEP),), on="2026-08-24", source="a report")
    assert list(rows(section(root, record))) == ["Day", "Adopted from", "Evidence"]


def test_evidence_without_a_record_has_a_word_in_its_place(root: Path) -> None:
    assert "No record lies beside it" in section(root, None)


def test_long_lists_lie_under_a_fold(root: Path) -> None:
    packages = tuple((f"package-{n}", "1.0") for n in range(40))
    html = section(root, replace(probe_project.step_record(root), packages=packages))
    assert "<summary>40</summary>" in html


def test_earlier_days_are_listed_with_what_is_kept_of_them(root: Path) -> None:
    record = replace(probe_project.step_record(root), on="2026-11-20")
    for day in ("2026-11-20", "2026-10-01"):
        site_project.put(root, f"claims/evidence/{day}/step.csv", "name,time_ms\n")
    probe_project.record(root, "claims/evidence/2026-11-20/step.csv", record)
    site_project.put(root, "claims/evidence/2026-10-01/step.csv.provenance.json", "{")
    kept = kept_days(root, STEP)
    assert kept == (
        Kept("2026-11-20", "claims/evidence/2026-11-20/step.csv", record),
        Kept("2026-10-01", "claims/evidence/2026-10-01/step.csv", None),
    )
    html = history_section(load(root), STEP, kept, spot_of(root, report_of(root)))
    assert "2026-11-20 on A &lt;fast&gt; CPU" in html
    assert 'href="../../evidence-files/claims/evidence/2026-11-20/step.csv"' in html
    assert 'href="../../evidence-files/claims/evidence/2026-11-20/step.csv.provenance.json"' in html
    assert history_section(load(root), STEP, (), spot_of(root, report_of(root))) == ""


def test_what_claims_found_on_earlier_days_is_told(root: Path) -> None:
    probe_project.record(root, STEP, probe_project.step_record(root))
    then = "name,time_ms\nattention,22830.0\nproducts,2774.0\nothers,9310.2\n"
    site_project.put(root, "claims/evidence/2026-11-20/step.csv", then)
    site_project.put(root, "claims/evidence/2026-11-10/step.csv", "name,time_ms\nproducts,1.0\n")
    html = history_section(load(root), STEP, kept_days(root, STEP), spot_of(root, report_of(root)))
    newer, older = (re.sub(r"<[^>]*>", "", row) for row in html.partition("<tbody>")[2].split("</tr>")[:2])
    assert "attention-time 22,830.0 ms" in newer
    assert "step-time 34.9 s" in newer
    assert "attention-time nothing" in older


@pytest.mark.parametrize(
    ("started", "ended", "words"),
    [
        ("2026-11-29T10:00:00Z", "2026-11-29T11:05:00Z", "1 h 5 min"),
        ("2026-11-29T10:00:00+00:00", "2026-11-29T10:00:00.250000+00:00", "0.2 s"),
        ("2026-11-29T10:00:00Z", "2026-11-29T10:00:00", ""),
        ("today", "2026-11-29T10:00:00Z", ""),
    ],
)
def test_how_long_a_run_took(started: str, ended: str, words: str) -> None:
    assert duration(started, ended) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (0.44, "0.4 s"),
        (9.96, "10 s"),
        (42, "42 s"),
        (60, "1 min"),
        (3600, "1 h"),
        (90, "1 min 30 s"),
    ],
)
def test_seconds_in_words(seconds: float, words: str) -> None:
    assert seconds_words(seconds) == words


@pytest.mark.parametrize(
    ("repo", "browse", "expected"),
    [
        ("https://forge.test/a/b", "https://forge.test/a/b/blob/main/", "https://forge.test/a/b/commit/"),
        ("https://forge.test/a/b/", "https://forge.test/a/b/-/blob/x/", "https://forge.test/a/b/-/commit/"),
        ("https://forge.test/a/b", "https://forge.test/a/b/src/x/", "https://forge.test/a/b/commits/"),
        (
            "https://forge.test/blob/b",
            "https://forge.test/blob/b/blob/x/",
            "https://forge.test/blob/b/commit/",
        ),
        ("https://forge.test/a/b", "https://forge.test/a/b/tree/x/", ""),
        ("https://forge.test/a/b", "", ""),
        (None, "", ""),
    ],
)
def test_where_a_repository_shows_its_commits(repo: str | None, browse: str, expected: str) -> None:
    assert commit_url(repo, browse) == expected
