"""Built HTML as a reader sees it: cards, bound numbers, charts and generated pages, whatever built it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.model import Verdict
from stilltrue.site.generated import ASSETS

_SCHEME = "claim:"
_VERDICTS = frozenset(f"st-{verdict}" for verdict in Verdict) | {"st-problem"}

_PRE = re.compile(r"<pre\b[^>]*>.*?</pre>", re.DOTALL | re.IGNORECASE)
_ID = re.compile(r"<\w+ (?:[^<>]* )?id=[\"']?([^\s\"'<>]+)")

Attributes = Mapping[str, str]


@dataclass(slots=True)
class Card:
    """A claim's card.

    Attributes:
        name: The claim's id.
        anchored: Whether its id leads to it.
        verdict: The verdict that it shows.
        says: Its sentence with the value.
        message: What it says is wrong.
        found: What was found with all its digits, and where the claim is written.
    """

    name: str = ""
    anchored: bool = False
    verdict: str = ""
    says: str = ""
    message: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound number in prose or in a table.

    Attributes:
        target: The id of the claim that it leads to.
        words: What it says.
        kind: The verdict that its mark shows, or `problem`.
    """

    target: str
    words: str
    kind: str


@dataclass(slots=True)
class BuiltPage:
    """A built page.

    Attributes:
        cards: Its cards, outer ones first.
        bound: Its bound numbers.
        unbound: The targets of links that were left as they are written.
        links: Where bound numbers and cards lead to.
        ids: The anchors.
        charts: The words of each chart.
        states: What its generated pages were made from, by their sources.
        unknown: How many blocks or links show nothing but what is wrong with them.
        styled: Whether the style sheet is asked for.
    """

    cards: list[Card] = field(default_factory=list)
    bound: list[Bound] = field(default_factory=list)
    unbound: list[str] = field(default_factory=list)
    links: dict[str, None] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    charts: list[str] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)
    unknown: int = 0
    styled: bool = False


def read_html(html: str) -> BuiltPage:
    """What a page, or a part of one, shows."""
    reader = _Reader()
    reader.feed(_PRE.sub(partial(_without_text, reader.page.ids), html))
    reader.close()
    return reader.page


def _without_text(ids: set[str], match: re.Match[str]) -> str:
    """A `<pre>` without what it holds, its anchors noted: lines of evidence are most of a site's tags."""
    ids.update(_ID.findall(match[0]))
    return "<pre></pre>"


def built_pages(folder: Path) -> Iterator[tuple[str, BuiltPage]]:
    """The pages of a built site by their place in its folder.

    Raises:
        InputError: `unreadable`: one cannot be read.
    """
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).as_posix()
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            hint = "check its permissions, or build the site anew"
            raise InputError("unreadable", f"it cannot be read: {error.strerror}", hint, path=name) from None
        yield name, read_html(text)


@dataclass(slots=True)
class _Capture:
    """Text that is being collected, up to the end of an element."""

    role: str
    tag: str
    attributes: Attributes
    card: Card | None
    depth: int = 0
    parts: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        return " ".join("".join(self.parts).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = BuiltPage()
        self._depth = 0
        self._cards: list[tuple[int, Card]] = []
        self._open: list[_Capture] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        kinds = frozenset(attributes.get("class", "").split())
        if "id" in attributes:
            self.page.ids.add(attributes["id"])
        for capture in self._open:
            capture.depth += capture.tag == tag
        match tag:
            case "div":
                self._div(attributes, kinds)
            case "p":
                self._paragraph(attributes, kinds)
            case "a":
                self._link(attributes, kinds)
            case "figure" if "st-chart" in kinds:
                self._open.append(_Capture("chart", tag, attributes, None))
            case "link" if "stylesheet" in attributes.get("rel", ""):
                self.page.styled |= attributes.get("href", "").partition("?")[0].endswith(ASSETS["css"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "div":
            self._depth -= 1
            while self._cards and self._cards[-1][0] > self._depth:
                self._cards.pop()
        for capture in [each for each in self._open if each.tag == tag]:
            if capture.depth:
                capture.depth -= 1
            else:
                self._open.remove(capture)
                self._done(capture)

    def handle_data(self, data: str) -> None:
        for capture in self._open:
            capture.parts.append(data)

    def _div(self, attributes: Attributes, kinds: frozenset[str]) -> None:
        self._depth += 1
        if "data-st-page" in attributes:
            self.page.states[attributes["data-st-page"]] = attributes.get("data-st-state", "")
        if "st-card" not in kinds or "st-claims" in kinds:
            return
        if "st-problem" in kinds:
            self.page.unknown += 1
            return
        card = Card(attributes.get("id", ""), "id" in attributes, _verdict(kinds))
        self.page.cards.append(card)
        self._cards.append((self._depth, card))

    def _paragraph(self, attributes: Attributes, kinds: frozenset[str]) -> None:
        card = self._cards[-1][1] if self._cards else None
        role = next((role for role in ("says", "message") if f"st-{role}" in kinds), "found")
        if card is not None and (role != "found" or not kinds):
            self._open.append(_Capture(role, "p", attributes, card))

    def _link(self, attributes: Attributes, kinds: frozenset[str]) -> None:
        href = attributes.get("href", "").strip()
        if href.lower().startswith(_SCHEME):
            self.page.unbound.append(href[len(_SCHEME) :])
        elif href and (self._cards or "st-bound" in kinds):
            self.page.links[href] = None
        if "st-bound" in kinds:
            self.page.unknown += not href
            self._open.append(_Capture("bound", "a", attributes, None))
        elif "st-id" in kinds and self._cards:
            self._open.append(_Capture("name", "a", attributes, self._cards[-1][1]))

    def _done(self, capture: _Capture) -> None:
        card, words = capture.card, capture.words
        if capture.role == "chart":
            self.page.charts.append(words)
        elif capture.role == "bound":
            target = capture.attributes.get("href", "").partition("#")[2]
            kinds = frozenset(capture.attributes.get("class", "").split())
            self.page.bound.append(Bound(target, words, _verdict(kinds)))
        elif card is not None:
            _tell(card, capture.role, words)


def _tell(card: Card, role: str, words: str) -> None:
    match role:
        case "name":
            card.name = words
        case "says":
            card.says = words
        case "message":
            card.message = f"{card.message} {words}".strip()
        case "found" if "Written at " in words:
            card.found = words


def _verdict(kinds: frozenset[str]) -> str:
    return next((kind.removeprefix("st-") for kind in kinds & _VERDICTS), "")
