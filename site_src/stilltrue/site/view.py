"""A report arranged for pages: which claim stands where, what reads which line, addresses between pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stilltrue.check.chart_claims import ChartClaims
from stilltrue.check.charts import plot_charts
from stilltrue.check.prose import agrees
from stilltrue.claims import Malformed, read_block, read_chart
from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.files import resolve
from stilltrue.model import Block, Claim, Embed, Judgement, Place, Plot, Problem, Report
from stilltrue.quantity import Value
from stilltrue.site.markup import path_url
from stilltrue.site.named_tables import NamedTables

if TYPE_CHECKING:
    from stilltrue.claims.stated_in import Unstated

Readers = Mapping[int, Mapping[str, Sequence[Value]]]
"""For lines of an evidence file: the values that were read there, by the ids of the claims that read them."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand on the site; all addresses are from the site's root.

    Attributes:
        pages: The address of each page by its path from the repository's root.
        evidence: The address of each evidence file's page, by its path.
        probes: The address of each probe's page, by the script's path.
        index: The address of the page that lists every claim.
        source: What stands before a file's path in the address at which its repository is shown; empty
            where the site does not say.
        commits: What stands before a commit's hash in the address at which it is shown; empty likewise.
    """

    pages: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, str] = field(default_factory=dict)
    probes: Mapping[str, str] = field(default_factory=dict)
    index: str = "claims/"
    source: str = ""
    commits: str = ""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A block that shows no claim, and why."""

    block: Block
    problem: Problem
    new: bool = False
    """Whether the check did not see it, so that nobody has reported it yet."""


class View:
    """A report, looked up by block, by link and by line.

    Attributes:
        report: The check's result.
        judged: The judgements by id.
        homes: The address of each claim's card.
        present: The evidence files that are there.
        warned: The warning about a claim, by its id.
        measured: What cards say of how their evidence was measured, kept by whoever writes it: many claims
            are read from the same files.
        named: The tables of pages of which claims files bind cells.
    """

    def __init__(self, config: Config, report: Report, layout: Layout) -> None:
        self.config = config
        self.report = report
        self.layout = layout
        self.judged = {j.claim.id: j for j in report.judgements}
        self._by_text: dict[str, tuple[Judgement, ...]] = {}
        for judgement in (j for j in report.judgements if j.claim.page):
            text = _key(
                judgement.claim.raw
            )  # several have one block where each match of a pattern is a claim
            self._by_text[text] = (*self._by_text.get(text, ()), judgement)
        self.homes = self._homes()
        self._plots = _plots(report)
        self._links = {(b.link.target, _words(b.link.text)): b.agrees for b in report.links}
        self._readers: dict[str, dict[int, dict[str, list[Value]]]] | None = None
        self._mentions: dict[str, dict[str, None]] | None = None
        self._sources: dict[str, str] = {}
        self._copies: dict[str, list[Place]] | None = None
        self._supported: dict[str, list[Judgement]] | None = None
        self.present = frozenset(report.files)
        self.warned = {name: warning for warning in report.warnings for name in warning.about}
        self.measured: dict[tuple[str, ...], str] = {}
        self.named = NamedTables(config, report)

    def _homes(self) -> dict[str, str]:
        embedded: dict[str, str] = {}
        for embed in self.report.embeds:
            if embed.place.path in self.layout.pages:
                embedded.setdefault(embed.id, embed.place.path)
        homes = {}
        for claim in (j.claim for j in self.report.judgements):
            page = claim.block.path if claim.page else embedded.get(claim.id, "")
            homes[claim.id] = f"{self.layout.pages.get(page, self.layout.index)}#{claim.id}"
        return homes

    def homeless(self) -> list[Judgement]:
        """The claims that no page of the site shows, so that their card stands in the index."""
        here = self.layout.index + "#"
        return [j for j in self.report.judgements if self.homes[j.claim.id].startswith(here)]

    def resolve(self, block: Block) -> tuple[Judgement, ...] | Unreadable:
        """The judged claims that a block on a page stands for, or what keeps it from showing any."""
        known = self._by_text.get(_key(block.body))
        if known:
            return known
        embedded = self.judged.get(block.body.strip())
        return (embedded,) if embedded else self._read_again(block)

    def _read_again(self, block: Block) -> tuple[Judgement, ...] | Unreadable:
        """A block whose text the report does not know as it is: malformed, or changed on its way here."""
        folder = block.place.path.rpartition("/")[0]
        try:
            claim = read_block(block, self.config.units, folder)
        except Malformed as malformed:
            return Unreadable(block, malformed.problem, new=not self._reported(block, malformed.problem.code))
        if isinstance(claim, Embed):
            told = next(self._about(claim.id), None)
            return self._unknown(block, claim.id) if told is None else Unreadable(block, told)
        known = self.judged.get(claim.id)
        if not isinstance(claim, Claim):
            return self._stated_elsewhere(block, claim, known)
        if known is None:
            return self._unknown(block, claim.id)
        if known.claim.stated.text == claim.stated.text and known.claim.says == claim.says:
            return (known,)
        return self._duplicate(block, claim.id, known.claim)

    def _stated_elsewhere(
        self, block: Block, claim: Unstated, known: Judgement | None
    ) -> tuple[Judgement, ...] | Unreadable:
        """A claim whose value another file states, which the report has no judgement for under this text."""
        if known is not None:
            same = known.claim.stated_in == claim.stated_in
            return (known,) if same else self._duplicate(block, claim.id, known.claim)
        told = (p for p in self.report.problems if claim.id in p.about or p.place == claim.place)
        problem = next(told, None)
        return self._unknown(block, claim.id) if problem is None else Unreadable(block, problem)

    def plot(self, block: Block) -> Plot | Unreadable:
        """The chart that a block on a page asks for, or what keeps it from being drawn."""
        known = self._plots.get((_key(block.body), block.place.path))
        if known is not None:
            return known
        try:
            chart = read_chart(block, self.config.units, block.place.path.rpartition("/")[0])
        except Malformed as malformed:
            return Unreadable(block, malformed.problem, new=not self._reported(block, malformed.problem.code))
        for told in (p for name in chart.claims if name not in self.judged for p in self._about(name)):
            return Unreadable(block, told)
        _, problems = plot_charts([chart], Library(self.config), ChartClaims(self.judged))
        for problem in problems:
            return Unreadable(block, problem, new=not self._reported(block, problem.code))
        message = "a chart is shown here that the check does not know"
        hint = "write it on a page that `pages` of the configuration names"
        return Unreadable(block, Problem("bad-chart", block.place, message, hint), new=True)

    def unreadable(self, block: Block, problem: Problem) -> Unreadable:
        """A block that shows nothing, and whether the check has reported why."""
        return Unreadable(block, problem, new=not self._reported(block, problem.code))

    def _reported(self, block: Block, code: str) -> bool:
        """Whether the check reported such a problem on this page, or on any where the page is not known."""
        path = block.place.path
        return any(p.code == code and path in ("", p.place.path) for p in self.report.problems)

    def _about(self, name: str) -> Iterator[Problem]:
        """What the check reported about a claim."""
        return (p for p in self.report.problems if name in p.about)

    def _unknown(self, block: Block, name: str) -> Unreadable:
        problem = Problem(
            "unseen-claim",
            block.place,
            f"the claim `{name}` is shown here and the check knows no such claim",
            "write it on a page that `pages` of the configuration names, or correct the id",
        )
        return Unreadable(block, problem, new=not self._reported(block, "unknown-id"))

    def _duplicate(self, block: Block, name: str, first: Claim) -> Unreadable:
        problem = Problem(
            "duplicate-id",
            block.place,
            f"the id `{name}` is taken by the claim at {first.block}",
            "give this claim an id of its own; ids are never reused",
        )
        return Unreadable(block, problem, new=not self._reported(block, "duplicate-id"))

    def agrees(self, target: str, words: str) -> bool:
        """Whether the number of a prose link agrees with the claim it names."""
        if self.has_checked(target, words):
            return self._links[target, _words(words)]
        return agrees(words, self.judged[target], self.config.units)

    def has_checked(self, target: str, words: str) -> bool:
        """Whether the check saw such a link: not one that a plugin made, or that stands in a docstring."""
        return (target, _words(words)) in self._links

    def mentions(self, name: str) -> Iterable[str]:
        """The pages that link to a claim, show its card by its id, or draw it in a chart, each once."""
        if self._mentions is None:
            self._mentions = {}
            for bound in self.report.links:
                self._mentions.setdefault(bound.link.target, {})[bound.link.place.path] = None
            for embed in self.report.embeds:
                self._mentions.setdefault(embed.id, {})[embed.place.path] = None
            for plot in self.report.charts:
                for each in plot.chart.claims:
                    self._mentions.setdefault(each, {})[plot.chart.block.path] = None
        return self._mentions.get(name, ())

    def copies(self, name: str) -> Sequence[Place]:
        """The places that a claim's `copies` name, each once."""
        if self._copies is None:
            self._copies = {}
            for copy in self.report.copies:
                places = self._copies.setdefault(copy.claim, [])
                if copy.place not in places:
                    places.append(copy.place)
        return self._copies.get(name, ())

    def supported(self, probe: str) -> Sequence[Judgement]:
        """The claims that rest on a probe."""
        if self._supported is None:
            self._supported = {}
            for judgement in self.report.judgements:
                for path in self.report.probes_of(judgement):
                    self._supported.setdefault(path, []).append(judgement)
        return self._supported.get(probe, ())

    def source_url(self, path: str) -> str:
        """The address at which a file of the repository is shown; empty where there is none."""
        if not self.layout.source:
            return ""
        if path not in self._sources:
            self._sources[path] = self._source_url(path)
        return self._sources[path]

    def _source_url(self, path: str) -> str:
        try:
            resolve(self.config.root, path)
        except InputError:
            return ""
        return self.layout.source + path_url(path)

    def readers(self, path: str) -> Readers:
        """What was read from each line of an evidence file (line 0: from the file as a whole)."""
        if self._readers is None:
            self._readers = {}
            for judgement in self.report.judgements:
                for reading in judgement.readings:
                    by_line = self._readers.setdefault(reading.path, {})
                    by_name = by_line.setdefault(reading.line, {})
                    by_name.setdefault(judgement.claim.id, []).append(reading.value)
        return self._readers.get(path, {})


@dataclass(slots=True)
class Spot:
    """The page that is being rendered, and how addresses read from there.

    Attributes:
        path: Its path from the repository's root; empty where the renderer does not say.
        url: Its address from the site's root; the name of its source where the host takes every address on a
            page to be relative to that.
        shown: The ids of the claims whose cards stand on it.
    """

    view: View
    path: str = ""
    url: str = ""
    shown: dict[str, None] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """What leads from this page to the site's root."""
        return "../" * self.url.removeprefix("./").count("/")

    def claim_url(self, name: str) -> str | None:
        """The address of a claim's card; None when there is no such claim."""
        if name in self.shown:
            return f"#{name}"
        home = self.view.homes.get(name)
        return None if home is None else self.prefix + home

    def evidence_url(self, path: str, line: int = 0) -> str | None:
        """The address of a line of evidence; None when the file has no page."""
        url = self.view.layout.evidence.get(path)
        if url is None:
            return None
        return f"{self.prefix}{url}#L{line}" if line else self.prefix + url

    def probe_url(self, path: str) -> str | None:
        """The address of a probe's page; None when it has none."""
        url = self.view.layout.probes.get(path)
        return None if url is None else self.prefix + url

    def raw_url(self, path: str) -> str:
        """The address of a file's unedited copy, which lies at this path of the site."""
        return self.prefix + path_url(path)


def _plots(report: Report) -> dict[tuple[str, str], Plot]:
    """The charts by their text and page, and by their text alone for renderers that do not say the page."""
    plots: dict[tuple[str, str], Plot] = {}
    for plot in report.charts:
        text = _key(plot.chart.raw)
        plots[text, plot.chart.block.path] = plot
        plots.setdefault((text, ""), plot)
    return plots


def _key(body: str) -> str:
    """A block's text as a renderer hands it on: without the blank lines around it."""
    return body.strip()


def _words(words: str) -> str:
    return " ".join(words.split())
