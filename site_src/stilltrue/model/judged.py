"""What checking gives: readings, what was found, verdicts, and the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from stilltrue.model.charts import Plot
from stilltrue.model.claims import Claim, Copy, Embed
from stilltrue.model.pages import Link
from stilltrue.model.places import Place, Problem
from stilltrue.model.probes import ProbeRun
from stilltrue.model.provenance import Provenance
from stilltrue.quantity import Value, found_text


@dataclass(frozen=True, slots=True)
class Reading:
    """One value taken out of evidence, with the line it stands on (0 where a format has no lines)."""

    path: str
    line: int
    value: Value


@dataclass(frozen=True, slots=True)
class Taken:
    """What one read came to.

    Attributes:
        value: The one value.
        readings: Those that the value came from (one for `first`, `last`, `min`, `max`).
        rounds: Whether a whole stated number may be this one rounded: a mean, median, std or percentile.
        notes: What the reader wants known, such as a profiler table that does not add up.
    """

    value: Value
    readings: tuple[Reading, ...]
    rounds: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spread:
    """What all readings of a read come to, for a stated range or `±`: all four in one unit."""

    low: Value
    high: Value
    mean: Value
    std: Value
    readings: tuple[Reading, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What the readings, or a derivation, come to.

    Attributes:
        low: The value, or the lower end of an interval, or the smallest reading.
        high: Equal to `low` unless found is an interval or a spread.
        rounds: Whether a whole stated number may be this one rounded.
        spread: Mean and sample standard deviation, when stated is a range or a `±`.
    """

    low: Value
    high: Value
    rounds: bool = False
    spread: tuple[Value, Value] | None = None


class Verdict(StrEnum):
    """What checking a claim came to; the first that applies, top down."""

    SUPERSEDED = "superseded"
    BROKEN = "broken"
    DRIFTED = "drifted"
    REFUTED = "refuted"
    SUSPECT = "suspect"
    STALE = "stale"
    REPORTED = "reported"
    HOLDS = "holds"


FAILING = frozenset({Verdict.BROKEN, Verdict.DRIFTED, Verdict.REFUTED, Verdict.SUSPECT, Verdict.STALE})
"""The verdicts that fail a check, unless severity says otherwise."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One claim and what checking it came to.

    Attributes:
        claim: The claim.
        verdict: Its verdict.
        also: The further verdicts that apply.
        fails: Whether it fails the check (a failing verdict, not lowered to a warning, not inherited).
        found: What was found, None where nothing was.
        readings: The readings that found came from.
        message: What is wrong, in one clause; empty where nothing is.
        hint: What to do next.
        code: The code of the message.
        notes: What a reader of the evidence wants known.
        cause: The id of the operand that this verdict was inherited from: counted under that claim.
        files: The evidence files that the claim names, whether or not a reading came from each.
        reasons: What else is wrong with it, one clause each: why the verdicts of `also` apply, and further
            reasons for `verdict` than the one that `message` gives.
    """

    claim: Claim
    verdict: Verdict
    also: tuple[Verdict, ...] = ()
    fails: bool = False
    found: Found | None = None
    readings: tuple[Reading, ...] = ()
    message: str = ""
    hint: str = ""
    code: str = ""
    notes: tuple[str, ...] = ()
    cause: str | None = None
    files: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def found_text(self) -> str:
        """Found as the author would have written it, empty where nothing was found.

        Written when it is asked for: a check of thousands of claims shows few of them.
        """
        found = self.found
        if found is None:
            return ""
        apart = not {self.verdict, *self.also}.isdisjoint((Verdict.BROKEN, Verdict.DRIFTED))
        return found_text(self.claim.stated, found.low, found.high, found.spread, apart=apart)


@dataclass(frozen=True, slots=True)
class BoundLink:
    """A prose link that names a known claim, and whether its number agrees."""

    link: Link
    agrees: bool


@dataclass(frozen=True, slots=True)
class BoundCopy:
    """One match of a claim's `copies`, and whether it agrees.

    Attributes:
        claim: The claim's id.
        copy: What found it.
        place: The file and line of the value.
        text: The value as it stands there.
        start: Where the value begins in the file's text, in code points; a byte order mark is not counted.
        end: Where it ends.
        agrees: Whether it agrees; of a superseded claim, whether it no longer holds the old value.
    """

    claim: str
    copy: Copy
    place: Place
    text: str
    start: int
    end: int
    agrees: bool


@dataclass(frozen=True, slots=True)
class Since:
    """What a report was narrowed to: what has changed since the project's history and a revision's parted.

    Attributes:
        revision: The revision, as it was asked for.
        base: The commit at which they parted, in full.
    """

    revision: str
    base: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that a check found, in the order of pages and lines.

    Attributes:
        judgements: One per claim.
        problems: All problems.
        links: Every prose link that names a known claim.
        embeds: Every block that shows a claim of `claims/*.yml`.
        pages: The paths of all pages read, whether or not anything was found on them.
        files: Every evidence file that a claim was read from, sorted.
        provenance: The record beside each of those files; a file without one is left out.
        probes: What became of each probe that was asked to run again.
        warnings: What fails nothing yet and will before long, such as a claim whose last day is near.
        charts: Every chart that can be drawn, with its readings.
        copies: Every match of every claim's `copies`.
        since: What it was narrowed to; None where all of the project, or what was named, is told.
    """

    judgements: tuple[Judgement, ...]
    problems: tuple[Problem, ...]
    links: tuple[BoundLink, ...] = ()
    embeds: tuple[Embed, ...] = ()
    pages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    provenance: Mapping[str, Provenance] = field(default_factory=dict)
    probes: tuple[ProbeRun, ...] = ()
    warnings: tuple[Problem, ...] = ()
    charts: tuple[Plot, ...] = ()
    copies: tuple[BoundCopy, ...] = ()
    since: Since | None = None

    def records(self, judgement: Judgement) -> tuple[tuple[str, Provenance], ...]:
        """The evidence files of a claim that have a record, each with it."""
        found = ((path, self.provenance.get(path)) for path in judgement.files)
        return tuple((path, record) for path, record in found if record is not None)

    def probes_of(self, judgement: Judgement) -> tuple[str, ...]:
        """The scripts that wrote a claim's evidence, as its records say; else the one its block names."""
        recorded = dict.fromkeys(record.probe for _, record in self.records(judgement) if record.probe)
        named = judgement.claim.probe
        return tuple(recorded) or ((named,) if named else ())

    def probe(self, judgement: Judgement) -> str:
        """The first of them; empty where there is none."""
        return next(iter(self.probes_of(judgement)), "")

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not any(j.fails for j in self.judgements) and not any(p.claim is None for p in self.problems)
