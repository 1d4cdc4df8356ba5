"""One file that is to be edited: its text, and what it says as a page or as a claims file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from stilltrue.check.tables_in import meant
from stilltrue.claims import read_file
from stilltrue.claims.blocks import one_newline
from stilltrue.claims.claim_files import Files
from stilltrue.claims.spans import ScalarSpan, value_spans
from stilltrue.claims.table_cells import Cells, read_table
from stilltrue.claims.table_in import Untabled
from stilltrue.deadline import Deadline
from stilltrue.edit.wants import Want
from stilltrue.matches import Source
from stilltrue.model import Page, Place
from stilltrue.pages.any_tables import format_of
from stilltrue.pages.plain_tables import PlainPage
from stilltrue.pages.spans import Lines, LinkSpan, Spans
from stilltrue.quantity import Units

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Edit:
    """A part of a text and what takes its place.

    Attributes:
        start: Where the part begins, in code points.
        end: Where it ends.
        text: What stands there then.
        old: The number as a reader saw it.
        new: The number as a reader sees it then.
        want: What it is for.
        body: The text of the claim's own block with it, for a value that is written there.
    """

    start: int
    end: int
    text: str
    old: str
    new: str
    want: Want
    body: str = ""


class File:
    """A file of the project, as a text.

    Args:
        path: The file, from the root.
        text: Its text, without a byte order mark.
        units: The known units.
        is_page: Whether it is a page.
        is_source: Whether it is a claims file.
        untabled: What claims files bind of its tables.
        seconds: How long finding a table may take.
    """

    def __init__(
        self,
        path: str,
        text: str,
        units: Units,
        *,
        is_page: bool,
        is_source: bool,
        untabled: Sequence[Untabled] = (),
        seconds: float = 10.0,
    ) -> None:
        self.path = path
        self.text = text
        self.folder = path.rpartition("/")[0]
        self.units = units
        self.is_page = is_page
        self.is_source = is_source
        self.untabled = untabled
        self.seconds = seconds

    def with_text(self, text: str) -> File:
        """The file with another text."""
        return File(
            self.path,
            text,
            self.units,
            is_page=self.is_page,
            is_source=self.is_source,
            untabled=self.untabled,
            seconds=self.seconds,
        )

    @cached_property
    def lines(self) -> Lines:
        """Its lines."""
        return Lines(self.text)

    @cached_property
    def spans(self) -> Spans:
        """Where things stand on the page."""
        return Spans(self.path, self.text)

    @cached_property
    def page(self) -> Page:
        """What the page holds."""
        return self.spans.scan.page()

    @cached_property
    def links(self) -> tuple[LinkSpan, ...]:
        """Where the page's links stand."""
        return self.spans.links()

    @cached_property
    def tables(self) -> dict[int, Cells]:
        """The page's tables of claims, by the line of their blocks.

        Raises:
            Malformed: One cannot be read.
        """
        return {
            block.place.line: read_table(block, self.units, self.folder)
            for block in self.page.blocks
            if block.kind == "claims"
        }

    @cached_property
    def bound(self) -> dict[Place, Cells]:
        """Its tables that claims files bind, by the place of the block there.

        Raises:
            InputError: One is not there.
            Malformed: One does not fit its block.
        """
        if not self.untabled:
            return {}
        deadline = Deadline(self.seconds)
        tables = tuple(format_of(self.path).tables(self.path, self.text, deadline))
        return {
            each.origin.block: each.read(meant(each.table_in, self.source, tables, deadline))
            for each in self.untabled
        }

    @cached_property
    def plain(self) -> PlainPage:
        """The file as a plain viewer of Markdown reads it."""
        return PlainPage(self.path, self.text)

    @cached_property
    def claims(self) -> Files:
        """What the claims file holds."""
        return read_file(self.path, self.text, self.units)

    @cached_property
    def values(self) -> dict[str, ScalarSpan]:
        """Where the claims file writes its values, where it is YAML as a whole."""
        return value_spans(one_newline(self.text))

    @cached_property
    def source(self) -> Source:
        """The text as patterns see it."""
        return Source(self.text)


def applied(text: str, edits: Iterable[Edit]) -> str:
    """A text with some parts exchanged, none of which overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join([*pieces, text[at:]])


def encoded(text: str, data: bytes) -> bytes:
    """A text as a file holds it: with a byte order mark where the file had one."""
    return (_BOM + text if data.startswith(_BOM.encode()) else text).encode("utf-8")
