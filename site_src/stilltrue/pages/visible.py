"""A paragraph as a reader sees it, every sign with the place where it is written."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from typing import NamedTuple

from stilltrue.pages.links import Prose
from stilltrue.pages.marks import ATTRIBUTES

CODE = "\ufffc"
"""Stands for a code span, a tag or an address: something is there, and it is no prose."""

_HIDDEN = "\x01"
_ALT = re.compile(r"""\salt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_TOKEN = re.compile(
    rf"""(?P<space>[^\S\x20\u00a0\u202f\u2009]\s*|\x20{{2,}})
        |(?P<hidden>{_HIDDEN})
        |(?P<entity>&(?:\#[0-9]{{1,7}}|\#[xX][0-9A-Fa-f]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});)
        |(?P<fence>\x02[0-9]*\x03)
        |(?P<note>\[\^[^\[\]\s]+\])
        |(?P<image>!\[(?P<alt>[^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])?)
        |(?P<auto><[A-Za-z][\w+.-]*:[^<>\s]*>|(?:https?://|www\.)[^\s<>()\[\]]+)
        |(?P<tag></?[A-Za-z](?:[^<>"']|"[^"]*"|'[^']*')*>)
        |(?P<attributes>{ATTRIBUTES.pattern})
        |(?P<marks>\*+(?=\S)|(?<=\S)\*+|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)|~~+)""",
    re.VERBOSE,
)


class LinkText(NamedTuple):
    """The text of a link to a claim in what is visible: `text[start:end]`, and the claim's id."""

    start: int
    end: int
    target: str


class Visible:
    """What a reader sees of one paragraph, heading or cell.

    Attributes:
        text: Its text: marks, tags and targets of links left out, alternative texts of images kept, runs of
            blanks one blank, each code span and address one sign.
        places: Where each sign of `text` is written, in the paragraph's own text.
        links: The links to claims.
    """

    def __init__(self, prose: Prose, scheme: str) -> None:
        self._prose = prose
        self._signs: list[str] = []
        self.places: list[int] = []
        links = prose.all_links() if "[" in prose.bare else []
        at = 0
        for start, close, end, _ in links:
            self._take(at, start)
            self._take(start + 1, close)
            at = end
        self._take(at, len(prose.text))
        self.text = "".join(self._signs)
        self.links = [
            LinkText(*self._within(start, close), target[len(scheme) :].strip())
            for start, close, _, target in links
            if target.startswith(scheme)
        ]

    def _within(self, start: int, close: int) -> tuple[int, int]:
        return bisect_left(self.places, start), bisect_left(self.places, close)

    def _take(self, start: int, end: int) -> None:
        """What is visible of a part."""
        bare, at = self._prose.bare, start
        while at < end:
            token = _TOKEN.search(bare, at, end)
            stop = token.start() if token else end
            self._add(self._prose.text[at:stop], at)
            at = self._token(token) if token else end

    def _add(self, text: str, start: int) -> None:
        self._signs.extend(text)
        self.places.extend(range(start, start + len(text)))

    def _one(self, sign: str, place: int) -> None:
        self._signs.append(sign)
        self.places.append(place)

    def _token(self, token: re.Match[str]) -> int:
        """Takes what is no plain text; gives where it ends."""
        kind, start, end = token.lastgroup, token.start(), token.end()
        kind = "image" if kind == "alt" else kind
        match kind:
            case "space":
                self._one(" ", start)
            case "hidden":
                return self._hidden(start)
            case "entity":
                for sign in html.unescape(token[0]):
                    self._one(sign, start)
            case "image":
                self._take(token.start("alt"), token.end("alt"))
            case "auto" | "fence":
                self._one(CODE, start)
            case "tag":
                self._tag(token)
            case _:
                pass
        return end

    def _tag(self, token: re.Match[str]) -> None:
        alt = _ALT.search(token[0])
        if alt is not None:
            group = 1 if alt[1] is not None else 2
            self._add(alt[group], token.start() + alt.start(group))
        elif token[0][1:3].lower() in {"br", "td", "th", "li", "hr", "p>"}:
            self._one(" ", token.start())

    def _hidden(self, at: int) -> int:
        """A code span, an escaped sign or a comment, of which `bare` shows nothing."""
        text, codes = self._prose.text, self._prose.codes
        near = bisect_left(codes, (at + 1, 0, 0)) - 1
        if near >= 0 and at < codes[near][1]:
            self._one(CODE, at)
            return codes[near][1]
        if text[at] == "\\":
            self._one(text[at + 1], at + 1)
            return at + 2
        return text.index("-->", at) + len("-->")
