"""The Python-Markdown extension: claim blocks become cards, charts drawings, claim links bound numbers.

Blocks are found by the same scanner that `check` uses, before any other part of Python-Markdown looks for
fences, so that the page shows exactly the claims that were checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import STX

from stilltrue.check import check
from stilltrue.config import load
from stilltrue.model import Block, Judgement, Place, Problem
from stilltrue.pages import scan
from stilltrue.site.alone import alone
from stilltrue.site.banner import banner
from stilltrue.site.card import broken_card, card
from stilltrue.site.chart_block import chart
from stilltrue.site.host import rendered
from stilltrue.site.markup import SHORT, hover, sentence, text, tooltip
from stilltrue.site.named_cells import mark_named
from stilltrue.site.plan import Plan
from stilltrue.site.seen import seen
from stilltrue.site.session import Session
from stilltrue.site.stashed import words_of
from stilltrue.site.strikes import strike
from stilltrue.site.stubs import stamp, stub_of
from stilltrue.site.table_cells import (
    BoundTable,
    Resolved,
    mark_cells,
    not_shown,
    resolve,
    table_block,
    table_words,
)
from stilltrue.site.view import Layout, Spot, Unreadable, View

# The parts of Python-Markdown run from high to low. Blocks are taken after snippets have been put in (32)
# and white space is normalised (30), which would strip placeholders, and before SuperFences (25).
_BLOCKS = 27
# Anchors are reserved just before `toc` gives headings theirs and MkDocs notes which ones there are (5).
_RESERVE = 6
# Cards are counted once everything that was stashed is back in its place (raw_html: 30).
_COUNT = -5
# Links are bound after MkDocs has looked for pages behind relative links (0).
_LINKS = -5

_RESERVED = "st-reserved"
_SCHEME = "claim:"
_UNIT_SPACE = re.compile(r"(?<=\d) (?=[^\W\d_]|%)")
"""The space between a number and what may be its unit."""


class StilltrueExtension(Extension):
    """Claim cards and bound numbers.

    The MkDocs plugin hands its session over. Used alone, the extension checks the project itself. Under a
    generator that names the page which it renders, cards link as they do with the plugin, and a stub of
    `stilltrue pages` becomes its page; under plain Python-Markdown they link only to what stands on the same
    page, and to `index`.
    """

    def __init__(self, **kwargs: Any) -> None:
        self.config = {
            "project": [".", "A folder in the project to check, when used without the MkDocs plugin."],
            "index": ["/claims/", "The address of the list of all claims, where no page has a name."],
        }
        super().__init__(**kwargs)
        self._session: Session | None = None

    def use(self, session: Session) -> None:
        """Share a session from now on."""
        self._session = session

    def session(self) -> Session:
        """The shared session; checks the project when nobody has.

        Raises:
            UsageError: The project cannot be checked.
        """
        if self._session is None:
            config = load(Path(self.getConfig("project")))
            layout = Layout(index=self.getConfig("index"))
            self._session = Session(View(config, check(config), layout))
        return self._session

    def begin(self, md: Markdown) -> Begun:
        """What a document that is to be converted shares with others, and which page it is.

        Raises:
            UsageError: The project cannot be checked.
        """
        page = rendered(md) if self._session is None else None
        if page is None:
            return Begun(self.session(), self.session().spot())
        site = alone(page.host.folder / self.getConfig("project"), page.host)
        spot = Spot(site.session.view, site.docs + page.source, page.source)
        return Begun(site.session, spot, site.plan)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  # Python-Markdown's name
        """Register the parts."""
        document = _Document(self)
        md.preprocessors.register(_Blocks(md, document), "stilltrue_blocks", _BLOCKS)
        md.treeprocessors.register(_Anchors(md, document), "stilltrue_anchors", _RESERVE)
        md.treeprocessors.register(_Links(md, document), "stilltrue_links", _LINKS)
        md.postprocessors.register(_Count(md, document), "stilltrue_count", _COUNT)


@dataclass(frozen=True, slots=True)
class Begun:
    """A document that is being converted.

    Attributes:
        session: What it shares with others.
        spot: The page that it is.
        plan: The generated pages; None where the host renders them itself, or has none.
    """

    session: Session
    spot: Spot
    plan: Plan | None = None


class _Document:
    """What the parts remember of the document being converted."""

    def __init__(self, extension: StilltrueExtension) -> None:
        self.extension = extension
        self.shown: list[Judgement] = []
        self.tables: dict[str, BoundTable] = {}
        self.cards = 0
        self.complete = False
        self.begun: Begun | None = None

    @property
    def spot(self) -> Spot | None:
        return None if self.begun is None else self.begun.spot

    def begin(self, md: Markdown) -> Begun:
        self.shown = []
        self.tables = {}
        self.cards = 0
        self.complete = False
        self.begun = self.extension.begin(md)
        return self.begun

    def put(self, card: str, says: str) -> str:
        return card if self.begun is None else self.begun.session.put(card, says)

    def report(self, problem: Problem) -> None:
        if self.begun is not None:
            self.begun.session.unseen.append(problem)


class _Blocks(Preprocessor):
    """Puts a card in the place of each claim block, at its indentation, so that it nests as the block did."""

    def __init__(self, md: Markdown, document: _Document) -> None:
        super().__init__(md)
        self.document = document

    def run(self, lines: list[str]) -> list[str]:
        begun = self.document.begin(self.md)
        spot = begun.spot
        name = stub_of(lines) if begun.plan is not None else None
        if begun.plan is not None and name is not None and name in begun.plan.pages:
            html = begun.plan.pages[name].render(spot, "")
            return [self.md.htmlStash.store(html + stamp(name, begun.session.state)), ""]
        source = "\n".join(lines)
        if "claim" not in source and "chart" not in source:
            return lines
        page = scan(spot.path, source, front_matter=False)
        outcomes = [resolve(block, spot.view) for block in page.blocks]
        for outcome in outcomes:
            self._remember(outcome, spot)
        shown = [
            *zip(page.blocks, self._cards(outcomes, spot), strict=True),
            *((block, self._chart(block, number, spot)) for number, block in enumerate(page.charts, 1)),
        ]
        self.document.cards = sum(seen(html) for _, html in shown)
        tables = {o.block.place.line: o for o in outcomes if isinstance(o, BoundTable)}
        for block, html in sorted(shown, key=lambda pair: pair[0].place.line, reverse=True):
            stashed = self.md.htmlStash.store(html)
            if block.place.line in tables:
                self.document.tables[stashed] = tables[block.place.line]
            lines[block.place.line - 1 : block.end] = self._placeholder(block, stashed, lines)
        return lines

    def _chart(self, block: Block, number: int, spot: Spot) -> str:
        """A chart of the page, or what is wrong with it."""
        plot = spot.view.plot(block)
        if isinstance(plot, Unreadable):
            if plot.new:
                self.document.report(plot.problem)
            return broken_card(plot)
        return self.document.put(chart(plot, spot, number), text(plot.chart.title))

    def _remember(self, outcome: Resolved, spot: Spot) -> None:
        if isinstance(outcome, Unreadable):
            if outcome.new:
                self.document.report(outcome.problem)
            return
        for judgement in outcome.judgements if isinstance(outcome, BoundTable) else outcome:
            if judgement.claim.id not in spot.shown:
                spot.shown[judgement.claim.id] = None
                self.document.shown.append(judgement)

    def _cards(self, outcomes: list[Resolved], spot: Spot) -> list[str]:
        cards = []
        anchored: set[str] = set()
        for outcome in outcomes:
            if isinstance(outcome, Unreadable):
                cards.append(broken_card(outcome))
                continue
            if isinstance(outcome, BoundTable):
                cards.append(self.document.put(table_block(outcome, spot), table_words(outcome)))
                continue
            cards.append("".join(self._card(judgement, anchored, spot) for judgement in outcome))
        return cards

    def _card(self, judgement: Judgement, anchored: set[str], spot: Spot) -> str:
        """The card of one claim; the first of it on a page has its anchor."""
        name = judgement.claim.id
        html = card(judgement, spot, anchor=name not in anchored)
        anchored.add(name)
        return self.document.put(html, sentence(judgement))

    def _placeholder(self, block: Block, html: str, lines: list[str]) -> list[str]:
        """The stashed card's line, set off by blank ones, in the same lists and quotes as the fence.

        A line that is blank already is not doubled: two of them would end a footnote.
        """
        before = lines[block.place.line - 1][: block.indent]
        stashed = before + html
        quotes = "".join(sign if sign == ">" else " " for sign in before).rstrip()
        starts_item = bool(before.strip(" >"))
        above = [] if starts_item or _blank(lines, block.place.line - 2) else [quotes]
        below = [] if _blank(lines, block.end) else [quotes]
        return [*above, stashed, *below]


def _blank(lines: list[str], index: int) -> bool:
    """Whether a line holds nothing but the marks of quotes, or lies beyond the page."""
    return not 0 <= index < len(lines) or not lines[index].strip(" >")


class _Anchors(Treeprocessor):
    """Keeps the ids of the page's claims from headings: a claim's id is its anchor, for life."""

    def __init__(self, md: Markdown, document: _Document) -> None:
        super().__init__(md)
        self.document = document

    def run(self, root: ElementTree.Element) -> None:
        names = [bound.id for bound in self.document.tables.values()]
        for name in (*(judgement.claim.id for judgement in self.document.shown), *names):
            ElementTree.SubElement(root, _RESERVED, {"id": name})


class _Links(Treeprocessor):
    """Binds the numbers in prose, and opens the page with its correction banner."""

    def __init__(self, md: Markdown, document: _Document) -> None:
        super().__init__(md)
        self.document = document

    def run(self, root: ElementTree.Element) -> None:
        self.document.complete = True
        spot = self.document.spot
        if spot is None:
            return
        if self.document.shown:
            self._tidy(root, spot)
        for link in list(root.iter("a")):
            href = link.get("href", "")
            if href.startswith(_SCHEME):
                strike(link, root)
                self._bind(link, href.removeprefix(_SCHEME).strip(), spot)
        mark_named(root, spot)
        for bound in mark_cells(root, self.document.tables):
            self.document.report(not_shown(bound))

    def _tidy(self, root: ElementTree.Element, spot: Spot) -> None:
        """Take the reserved anchors away again, and put the banner in below the page's title."""
        for element in root.findall(_RESERVED):
            root.remove(element)
        for paragraph in root.iter("p"):
            # At the end of a quote a card keeps a line end, for which it would stay inside a paragraph.
            if paragraph.text and paragraph.text.startswith(STX):
                paragraph.text = paragraph.text.rstrip("\n")
        html = banner(self.document.shown, spot)
        if html:
            paragraph = ElementTree.Element("p")
            paragraph.text = self.md.htmlStash.store(html)
            paragraph.tail = "\n"
            root.insert(1 if len(root) and root[0].tag == "h1" else 0, paragraph)

    def _bind(self, link: ElementTree.Element, target: str, spot: Spot) -> None:
        judgement = spot.view.judged.get(target)
        url = spot.claim_url(target)
        if judgement is None or url is None:
            self._leave_unbound(link, target, spot)
            return
        words = words_of(link, self.md)
        agrees = spot.view.agrees(target, words)
        kind = str(judgement.verdict) if agrees else "problem"
        if not agrees and not spot.view.has_checked(target, words):
            self._tell_of(words, judgement, spot)
        long = len(words) >= SHORT
        if long:
            _hold_units(link)
        link.set("href", url)
        link.set("class", f"st-bound st-{kind}{' st-long' if long else ''}")
        link.set("title", tooltip(judgement, "" if agrees else _disagrees(judgement)))

    def _tell_of(self, words: str, judgement: Judgement, spot: Spot) -> None:
        message = f"the text says `{words}`, which {_disagrees(judgement)}: `{judgement.claim.id}`"
        hint = "correct the number, and link the number alone"
        self.document.report(Problem("link-disagrees", Place(spot.path), message, hint))

    def _leave_unbound(self, link: ElementTree.Element, target: str, spot: Spot) -> None:
        del link.attrib["href"]
        link.set("class", "st-bound st-problem")
        link.set("title", hover(f"no claim has the id {target}"))
        if spot.view.report.ok:
            self.document.report(
                Problem(
                    "unseen-claim",
                    Place(spot.path),
                    f"a link names the claim `{target}`, which the check does not know",
                    "correct the id; a link that a plugin makes must name a claim of a page",
                )
            )


class _Count(Postprocessor):
    """Sees to it that every card is seen: one that ended up inside code or a comment is a problem.

    The scanner says which blocks count and Python-Markdown where their cards go. Should the two ever read a
    page differently, nothing is lost without a word.
    """

    def __init__(self, md: Markdown, document: _Document) -> None:
        super().__init__(md)
        self.document = document

    def run(self, text: str) -> str:
        spot, put = self.document.spot, self.document.cards
        # The table of contents sends each heading through here, before the page is complete.
        if spot is None or not put or not self.document.complete:
            return text
        lost = put - seen(text)
        if lost > 0:
            self.document.report(
                Problem(
                    "unseen-block",
                    Place(spot.path),
                    f"{lost} of the page's {put} blocks are not shown",
                    "set each block off by blank lines, indented by four spaces for each list item or box",
                )
            )
        return text


def _hold_units(link: ElementTree.Element) -> None:
    """Keep the numbers of a long text, which may wrap, together with their units."""
    for element in link.iter():
        element.text = _UNIT_SPACE.sub("\u00a0", element.text or "")
        if element is not link:
            element.tail = _UNIT_SPACE.sub("\u00a0", element.tail or "")


def _disagrees(judgement: Judgement) -> str:
    found = f", found {judgement.found_text}" if judgement.found_text else ""
    stated = judgement.claim.stated.text
    return f"does not agree with its claim ({judgement.verdict}, stated {stated}{found})"
