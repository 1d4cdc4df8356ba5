"""What pages hold: blocks and links."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stilltrue.model.places import Place, Problem, Written


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: What a reader sees: marks removed, blanks at the ends too.
        target: Where the link that the cell begins with leads; empty where it begins with none.
        written: Where it is written, blanks at its ends included; None of a table that is read with its page.
    """

    text: str
    target: str = ""
    written: Written | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table, as many cells as the table has columns, and its line."""

    cells: tuple[Cell, ...]
    line: int


class Syntax(StrEnum):
    """How a table is written."""

    PIPES = "pipes"
    HTML = "html"
    GRID = "grid"
    SIMPLE = "simple"
    LIST = "list"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        header: The names of its columns, as a reader sees them.
        rows: Its rows.
        place: The line of its header.
        syntax: How it is written.
    """

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    place: Place
    syntax: Syntax = Syntax.PIPES


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced claim or chart block found on a page.

    Attributes:
        kind: The fence's word: `claim`, `claims` for a table of claims, or `chart`.
        body: What stands between the fences, with the fence's own indentation taken off each line.
        place: The line of the opening fence.
        end: The line of the closing fence.
        indent: How many characters stand before the fence on its line.
        table: For `claims`, the next table after it; None where none follows.
    """

    kind: str
    body: str
    place: Place
    end: int
    indent: int = 0
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link in prose that binds a number: `[65.2 %](claim:attention-share)`.

    Attributes:
        target: The claim's id.
        text: The link's text with Markdown marks removed.
        struck: Whether all of the text is struck through (`~~4.3 h~~`).
        place: The line on which the link begins.
        struck_part: What is struck through of a text that is not struck through as a whole.
    """

    target: str
    text: str
    struck: bool
    place: Place
    struck_part: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """What the scanner found on one page, in the order of the page."""

    path: str
    blocks: tuple[Block, ...]
    links: tuple[Link, ...]
    problems: tuple[Problem, ...]
    charts: tuple[Block, ...] = ()
