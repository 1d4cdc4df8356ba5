"""Renders a page as the site does, and says what a reader of the page sees: cards, claim code, links."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

from markdown import Markdown
from markdown.preprocessors import Preprocessor

from stilltrue.model import Page
from stilltrue.pages import scan

EXTENSIONS = [
    "abbr",
    "admonition",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.betterem",
    "pymdownx.details",
    "pymdownx.highlight",
    "pymdownx.inlinehilite",
    "pymdownx.magiclink",
    "pymdownx.superfences",
    "pymdownx.tabbed",
    "pymdownx.tasklist",
    "pymdownx.tilde",
]
CONFIGS = {
    "pymdownx.highlight": {"use_pygments": False},
    "pymdownx.tabbed": {"alternate_style": True},
}


class ShownLink(NamedTuple):
    target: str
    text: str
    struck: bool


class Shown(NamedTuple):
    """What a page shows.

    Attributes:
        page: What the scanner found.
        cards: The lines of the blocks that are shown as blocks.
        lost: The lines of the blocks that are shown as code, or not at all.
        code: Whether a block is shown as code of the language `claim`, outside examples.
        links: All links to claims, sorted.
        tables: The first table after each block, before a heading or another block, by the block's line: rows
            of cells, the header first, as a reader sees them without footnotes.
    """

    page: Page
    cards: list[int]
    lost: list[int]
    code: bool
    links: list[ShownLink]
    tables: dict[int, list[list[str]]]


class _Cards(Preprocessor):
    """Puts a card in the place of each block, as the site does."""

    page = Page("", (), (), ())

    def run(self, lines: list[str]) -> list[str]:
        self.page = scan("page.md", "\n".join(lines), front_matter=False)
        for block in reversed(self.page.blocks):
            start = block.place.line
            before = lines[start - 1][: block.indent]
            card = self.md.htmlStash.store(f'<div class="card" data-line="{start}"></div>')
            blank = before.rstrip()
            above = [] if start == 1 or lines[start - 2].rstrip() == blank else [blank]
            below = [] if lines[block.end : block.end + 1] == [blank] else [blank]
            lines[start - 1 : block.end] = [*above, before + card, *below]
        return lines


class _Viewer(HTMLParser):
    """Reads HTML as a browser does."""

    def __init__(self) -> None:
        super().__init__()
        self.inside: list[str] = []
        self.cards: list[int] = []
        self.code = False
        self.links: list[ShownLink] = []
        self.target: str | None = None
        self.pieces: list[tuple[str, bool]] = []
        self.tables: dict[int, list[list[str]]] = {}
        self.waiting = 0  # the line of the block whose table may still come
        self.rows: list[list[str]] | None = None

    def _table_begins(self, tag: str) -> None:
        if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            self.waiting = 0
        if tag == "table" and self.waiting:
            self.rows = self.tables[self.waiting] = []
            self.waiting = 0
        if self.rows is None:
            return
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
        elif tag == "br":
            self.rows[-1][-1] += " "

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self._table_begins(tag)
        hidden = {"pre", "code", "script", "style", "textarea"} & set(self.inside)
        if values.get("class") == "card" and not hidden:
            self.cards.append(int(values["data-line"] or 0))
            self.waiting = self.cards[-1]
        example = self.inside.count("pre") > 1 or hidden & {"script", "style", "textarea"}
        if tag == "code" and "language-claim" in (values.get("class") or "").split() and not example:
            self.code = True
        if tag == "a" and (values.get("href") or "").startswith("claim:"):
            self.target, self.pieces = (values["href"] or "").removeprefix("claim:"), []
        if tag not in {"br", "hr", "img", "input"}:
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self.target is not None:
            text = " ".join("".join(piece for piece, _ in self.pieces).split())
            marks = [marked for piece, marked in self.pieces if piece.strip()]
            struck = bool(marks) and all(marks)
            self.links.append(ShownLink(self.target, text, struck))
            self.target = None
        while tag in self.inside and self.inside.pop() != tag:
            pass
        if tag == "table":
            self.rows = None

    def handle_data(self, data: str) -> None:
        if self.target is not None:
            self.pieces.append((data, "del" in self.inside))
        if self.rows and self.rows[-1] and {"td", "th"} & set(self.inside) and "sup" not in self.inside:
            self.rows[-1][-1] += data


def show(text: str) -> Shown:
    """Renders a page."""
    md = Markdown(extensions=EXTENSIONS, extension_configs=CONFIGS)
    cards = _Cards(md)
    md.preprocessors.register(cards, "cards", 27)
    html = md.convert(text)
    viewer = _Viewer()
    viewer.feed(html)
    viewer.close()
    page = cards.page
    lines = [block.place.line for block in page.blocks]
    shown = sorted(viewer.cards)
    tables = {
        line: [[" ".join(cell.split()) for cell in row] for row in rows]
        for line, rows in viewer.tables.items()
    }
    return Shown(page, shown, sorted(set(lines) - set(shown)), viewer.code, sorted(viewer.links), tables)


def found_links(page: Page) -> list[ShownLink]:
    """The links that the scanner found, sorted."""
    return sorted(ShownLink(link.target, link.text, link.struck) for link in page.links)
