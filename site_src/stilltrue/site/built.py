"""Built HTML as a reader sees it: cards, bound numbers, charts and generated pages, whatever built it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from stilltrue.config import Limits
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.files import read_bytes
from stilltrue.model import Verdict
from stilltrue.site.generated import ASSETS
from stilltrue.site.seen import hides

_SCHEME = "claim:"
_VERDICTS = frozenset(f"st-{verdict}" for verdict in Verdict) | {"st-problem"}

_PRE = re.compile(r"<(?P<close>/?)pre\b[^>]*>", re.IGNORECASE)
ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|/")
"""What an address begins with that is on another host, or counts from the host's root, which is not known."""

_OWN = ("st-card", "st-bound", "st-chart")
_EMPTY_COMMENT = re.compile(r"<!--(-?)>")
_ID = re.compile(r"<\w+ (?:[^<>]* )?id=[\"']?([^\s\"'<>]+)")

_BETWEEN = {"dt": "\0", "dd": "\1"}
"""What stands for the beginnings of a fact's name and of its value, which no text has in it."""

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
        facts: What it says of the evidence, the probe and the measurement, each by its name.
        cards: The cards in it, which those of a table of claims are.
        count: What that of a table says of them.
    """

    name: str = ""
    anchored: bool = False
    verdict: str = ""
    says: str = ""
    message: str = ""
    found: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    cards: list[Card] = field(default_factory=list)
    count: str = ""


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
        cards: Its cards, those of tables too.
        tables: The cards of whole tables of claims.
        bound: Its bound numbers.
        unbound: The targets of links that were left as they are written.
        links: Where bound numbers and cards lead to.
        ids: The anchors, and how often each is there.
        charts: The words of each chart.
        states: What its generated pages were made from, by their sources.
        unknown: How many blocks or links show nothing but what is wrong with them.
        styled: Whether the style sheet is asked for.
    """

    cards: list[Card] = field(default_factory=list)
    tables: list[Card] = field(default_factory=list)
    bound: list[Bound] = field(default_factory=list)
    unbound: list[str] = field(default_factory=list)
    links: dict[str, None] = field(default_factory=dict)
    ids: Counter[str] = field(default_factory=Counter)
    charts: list[str] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)
    unknown: int = 0
    styled: bool = False


def read_html(html: str, deadline: Deadline | None = None) -> BuiltPage:
    """What a page, or a part of one, shows; raises `too-slow` where it has tags that never end."""
    reader = _Reader(deadline)
    for part in _without_text(_plain(html), reader.page.ids):
        reader.feed(part)
    reader.close()
    return reader.page


def _plain(html: str) -> str:
    """A page in which the parser ends comments where browsers do."""
    return _EMPTY_COMMENT.sub("", html).replace("--!>", "-->").replace("<![", "<! [")


def _without_text(html: str, ids: Counter[str]) -> Iterator[str]:
    """A page without what its `<pre>`s hold, their anchors noted: lines of evidence are most of its tags.

    One that holds a card or a bound number is left as it is.
    """
    at, begun = 0, -1
    for tag in _PRE.finditer(html):
        if not tag["close"]:
            begun = tag.end() if begun < 0 else begun
        elif begun >= 0:
            held = html[begun : tag.start()]
            if not any(kind in held for kind in _OWN):
                ids.update(_ID.findall(held))
                yield html[at:begun]
                at = tag.start()
            begun = -1
    yield html[at:]


def built_pages(folder: Path, limits: Limits) -> Iterator[tuple[str, BuiltPage]]:
    """The pages of a built site by their place in its folder.

    Args:
        folder: The site.
        limits: How many bytes one may have, and how many seconds it may take.

    Raises:
        InputError: One cannot be read, is larger or slower, or a link that leads out of the site.
    """
    for path in sorted(folder.rglob("*.html")):
        if path.is_dir():  # of a page whose name has a dot in it
            continue
        name = path.relative_to(folder).as_posix()
        try:
            data = read_bytes(folder, name, limits.bytes)
            page = read_html(data.decode("utf-8", "replace"), Deadline(limits.seconds))
        except InputError as error:
            hint = "build the site anew, of plain files" if error.code == "bad-path" else error.hint
            raise InputError(error.code, f"it cannot be read: {error.message}", hint, path=name) from None
        yield name, page


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
    def __init__(self, deadline: Deadline | None) -> None:
        super().__init__(convert_charrefs=True)
        self._deadline = deadline
        self.page = BuiltPage()
        self._depth = 0
        self._cards: list[tuple[int, Card]] = []
        self._open: list[_Capture] = []
        self._hiding = ""
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in reversed(attrs)}  # of two, browsers take the first
        kinds = frozenset(attributes.get("class", "").split())
        if "data-st-page" in attributes:
            self.page.states[attributes["data-st-page"]] = attributes.get("data-st-state", "")
        if self._hiding or hides(tag, attributes):
            self._hiding = self._hiding or tag
            self._hidden += tag == self._hiding
            return
        if "id" in attributes:
            self.page.ids[attributes["id"]] += 1
        for capture in self._open:
            capture.depth += capture.tag == tag
        if "st-card" in kinds and tag != "div":
            self.page.cards.append(Card(f"<{tag}>"))
        self._begin(tag, attributes, kinds)

    def _begin(self, tag: str, attributes: Attributes, kinds: frozenset[str]) -> None:
        match tag:
            case "div":
                self._div(attributes, kinds)
            case "p":
                self._paragraph(attributes, kinds)
            case "a":
                self._link(attributes, kinds)
            case "dl" | "span" if self._cards and kinds & {"st-facts", "st-count"}:
                role = "facts" if tag == "dl" else "count"
                self._open.append(_Capture(role, tag, attributes, self._cards[-1][1]))
            case "dt" | "dd":
                self.handle_data(_BETWEEN[tag])
            case "figure" if "st-chart" in kinds:
                self._open.append(_Capture("chart", tag, attributes, None))
            case "link" if "stylesheet" in attributes.get("rel", ""):
                self.page.styled |= attributes.get("href", "").partition("?")[0].endswith(ASSETS["css"])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # in HTML, `/` closes nothing

    def handle_endtag(self, tag: str) -> None:
        if self._hiding:
            self._hidden -= tag == self._hiding
            self._hiding = self._hiding if self._hidden else ""
            return
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
        if self._deadline is not None:
            self._deadline.check()
        for capture in self._open:
            capture.parts.append(data)

    def _div(self, attributes: Attributes, kinds: frozenset[str]) -> None:
        self._depth += 1
        if "st-card" not in kinds:
            return
        card = Card(attributes.get("id", ""), "id" in attributes, _verdict(kinds))
        if "st-claims" in kinds:
            self.page.tables.append(card)
        elif "st-problem" in kinds:
            self.page.unknown += 1
            return
        else:
            self.page.cards.append(card)
            for _, outer in self._cards[-1:]:
                outer.cards.append(card)
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
            href = capture.attributes.get("href", "")
            target = href if ELSEWHERE.match(href) else href.partition("#")[2]
            kinds = frozenset(capture.attributes.get("class", "").split())
            self.page.bound.append(Bound(target, words, _verdict(kinds)))
        elif card is not None:
            _tell(card, capture.role, words)


def _tell(card: Card, role: str, words: str) -> None:
    """What a card says; what it says twice is joined, for a reader sees both."""
    match role:
        case "name":
            card.anchored = card.anchored and card.name in ("", words)
            card.name = words
        case "says" | "message" | "count":
            setattr(card, role, f"{getattr(card, role)} {words}".strip())
        case "facts":
            pairs = (fact.partition(_BETWEEN["dd"]) for fact in words.split(_BETWEEN["dt"]))
            for name, _, value in pairs:
                card.facts[name.strip()] = f"{card.facts.get(name.strip(), '')} {value.strip()}".strip()
        case "found" if "Written at " in words:
            card.found = f"{card.found} {words}".strip()


def _verdict(kinds: frozenset[str]) -> str:
    """The verdict; several of them, of a card that shows two."""
    return " ".join(sorted(kind.removeprefix("st-") for kind in kinds & _VERDICTS))
