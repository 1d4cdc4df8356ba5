"""One claim in full, from judgements made by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from report_support import READINGS, SECONDS, claim, drifted, inherited, reading
from stilltrue.model import (
    BoundLink,
    DeriveSource,
    Embed,
    EvidenceSource,
    Judgement,
    Link,
    Place,
    Read,
    ReportedSource,
    Severity,
    Shape,
    Superseded,
    Take,
    Verdict,
)
from stilltrue.report import show_text


def test_one_claim_is_shown_with_both_sides_its_lines_and_its_links() -> None:
    where = Place("docs/throughput/index.md", 9)
    links = (
        BoundLink(Link("attention-time", "22.9 s", struck=False, place=where), agrees=True),
        BoundLink(Link("attention-time", "23 s", struck=False, place=Place("docs/b.md", 2)), agrees=False),
        BoundLink(Link("other", "1 s", struck=False, place=where), agrees=True),
    )
    judgement = replace(drifted(), claim=claim(owner="ml-team", note="width 16,384"))
    lines = {Place("claims/evidence/step-profile.txt", 17): "fmha_cutlass_a\t11.418s"}
    embeds = (Embed("attention-time", Place("docs/c.md", 5)), Embed("other", Place("docs/c.md", 9)))
    assert show_text(judgement, lines=lines, links=links, embeds=embeds) == (
        "attention-time: drifted\n"
        "  Attention kernels take 22,835.8 ms of one step.\n"
        "\n"
        "  stated      22,835.8 ms  docs/throughput/profile.md:42\n"
        "  found       22,931.2 ms\n"
        "  message     the page says `22,835.8 ms`, the evidence says `22,931.2 ms`\n"
        "  next        state what was found [disagrees]\n"
        "  evidence    claims/evidence/step-profile.txt\n"
        "  read        column self_device, where name like 'fmha%' and device, take sum\n"
        "  tags        throughput\n"
        "  owner       ml-team\n"
        "  note        width 16,384\n"
        "  written     docs/throughput/profile.md:40\n"
        "  shown       docs/c.md:5\n"
        "  linked      docs/throughput/index.md:9  22.9 s\n"
        "  linked      docs/b.md:2  23 s  disagrees\n"
        "\n"
        "  claims/evidence/step-profile.txt\n"
        "      17 | fmha_cutlass_a  11.418s\n"
        "      23 | read 11,513.3 ms\n"
    )


def shown_rows(judgement: Judgement) -> dict[str, str]:
    rows = re.findall(r"^  (\w[\w ]{9} ) (.*)$", show_text(judgement, lines={}), re.MULTILINE)
    return {name.strip(): text for name, text in rows}


def test_a_quoted_claim_names_who_said_it() -> None:
    source = ReportedSource("the vendor", "2026-08-24", "https://example.org/a")
    rows = shown_rows(Judgement(claim(source=source), Verdict.REPORTED))
    assert rows["found"] == "not measured here"
    assert rows["reported"] == "by the vendor, on 2026-08-24, https://example.org/a"


def test_a_superseded_claim_names_its_successor_and_the_reason() -> None:
    old = claim(superseded=Superseded("it was measured", "2026-08-26", "new-time"))
    rows = shown_rows(Judgement(old, Verdict.SUPERSEDED))
    assert rows["found"] == "not read: the claim is superseded"
    assert rows["superseded"] == "by new-time on 2026-08-26: it was measured"
    withdrawn = claim(superseded=Superseded("another process", "2026-08-26"))
    assert shown_rows(Judgement(withdrawn, Verdict.SUPERSEDED))["superseded"].startswith(
        "withdrawn on 2026-08-26"
    )


def test_a_derived_claim_shows_its_expression_and_its_cause() -> None:
    derived = replace(inherited("share", "time", 60), claim=claim(source=DeriveSource("{time} / {total}")))
    rows = shown_rows(derived)
    assert rows["derive"] == "{time} / {total}"
    assert rows["because of"] == "time"
    assert rows["found"] == "nothing"


def test_severity_says_why() -> None:
    rows = shown_rows(Judgement(claim(severity=Severity("warn", "noisy machine")), Verdict.HOLDS))
    assert rows["severity"] == "warn: noisy machine"


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (Read(Shape.TREE, path="$.a", unit=SECONDS, decimal=","), "path $.a, unit s, decimal ,"),
        (Read(Shape.TEXT, match="x (.*)", between=("^a", "^b")), "match x (.*), between ^a to ^b"),
        (Read(Shape.TABLE, column="c1", table="2", header=False), "column c1, table 2, header no"),
        (
            Read(Shape.TREE, path="$.a", take=(Take("last"), Take("mean", of=7))),
            "path $.a, take last, mean of 7",
        ),
        (
            Read(Shape.TREE, path="$.a", take=(Take("p", percentile=Fraction(999, 10)),)),
            "path $.a, take p99.9",
        ),
    ],
)
def test_a_read_is_shown_as_its_keys(read: Read, text: str) -> None:
    source = EvidenceSource(("a.txt",), (("", read),))
    assert shown_rows(Judgement(claim(source=source), Verdict.HOLDS))["read"] == text


def test_named_reads_are_shown_by_name() -> None:
    reads = (("after", Read(Shape.TREE, path="$.a")), ("before", Read(Shape.TREE, path="$.b")))
    source = EvidenceSource(("a.json",), reads, "after / before")
    text = show_text(Judgement(claim(source=source), Verdict.HOLDS), lines={})
    assert (
        "  read        after: path $.a\n  read        before: path $.b\n  derive      after / before\n"
        in text
    )


def test_a_very_long_evidence_line_is_cut_and_the_value_told() -> None:
    lines = {Place("claims/evidence/step-profile.txt", 17): "x" * 1_000_000}
    text = show_text(drifted(readings=READINGS[:1]), lines=lines)
    assert len(text) < 2_000
    assert text.endswith(f"      17 | {'x' * 160}…  read 11,417.9 ms\n")


def test_of_many_readings_the_first_are_shown_and_the_rest_counted() -> None:
    many = tuple(reading(line, "1") for line in range(1, 2005))
    text = show_text(drifted(readings=many), lines={})
    assert text.count("| read 1 ms") == 20
    assert text.endswith("and 1,984 more readings\n")
