"""Where a number that is to be rewritten stands in its file, and what is to stand there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial

from stilltrue.check.copies import written_in
from stilltrue.claims.blocks import Malformed, one_newline
from stilltrue.claims.spans import restated
from stilltrue.claims.table_cells import CellClaim, Cells
from stilltrue.deadline import Deadline
from stilltrue.edit import raw
from stilltrue.edit.bound_cells import exchanged_cell
from stilltrue.edit.file import Edit, File
from stilltrue.edit.outcome import Left
from stilltrue.edit.rewording import Rewording, is_open, of_text, of_value
from stilltrue.edit.wants import Part, Want
from stilltrue.errors import InputError
from stilltrue.matches import Match, find
from stilltrue.model import Claim, Link, Place
from stilltrue.pages.links import Prose
from stilltrue.pages.spans import CellSpan, LinkSpan
from stilltrue.pages.tables import read_cell
from stilltrue.quantity import Stated, Text, Units, first_quantity, found_text
from stilltrue.quantity.marks import strip_marks

_NEXT_LINE = re.compile(r"(?:\r\n|\r|\n)[> \t]*")


class Locator:
    """Places the numbers of one file.

    Args:
        file: The file.
        units: The known units.
        stated: The claims whose values the file states by `stated_in`, in the order of the file.
        seconds: How long the search for a pattern may take.
    """

    def __init__(self, file: File, units: Units, stated: Sequence[Claim], seconds: float) -> None:
        self.file = file
        self.units = units
        self.seconds = seconds
        self._stated = stated
        self._cells: dict[str, dict[str, CellClaim]] = {}
        self._stating: dict[Place, dict[str, Match]] = {}
        self._ways: dict[Part, Callable[[Want], Edit | Left]] = {
            Part.VALUE: self._value,
            Part.CELL: self._cell,
            Part.STATED_IN: self._stated_in,
            Part.LINK: self._link,
            Part.COPY: self._copy,
        }

    @cached_property
    def _links(self) -> dict[_Key, list[LinkSpan]]:
        return _by_link(self.file.links)

    def edit(self, want: Want) -> Edit | Left:
        """What to write for a number, and where; or why it is left."""
        return self._ways[want.part](want)

    # A claim's own value ---------------------------------------------------------------------------------

    def _value(self, want: Want) -> Edit | Left:
        claim = want.claim
        rewording = of_value(claim, want.found, self.units)
        if rewording is None:
            return unsaid(want)
        return self._in_block(want, rewording) or self._in_whole(want, rewording) or lost(want)

    def _in_block(self, want: Want, rewording: Rewording) -> Edit | None:
        """By the claim's own text, each line of which ends a line of the file."""
        claim = want.claim
        body = one_newline(claim.raw)
        placed = restated(body, claim.id, rewording.new)
        if placed is None or placed[0].text != claim.stated.text:
            return None
        span, written = placed
        index = claim.block.line + span.line - (not claim.page)
        lines = body.split("\n")
        inside = lines[span.line]
        line = self.file.lines.line(index)
        if not inside or not line.endswith(inside):
            return None
        start = self.file.lines.starts[index] + len(line) - len(inside)
        lines[span.line] = inside[: span.start] + written + inside[span.end :]
        place = start + span.start, start + span.end
        return Edit(*place, written, rewording.old, rewording.new, want, "\n".join(lines))

    def _in_whole(self, want: Want, rewording: Rewording) -> Edit | None:
        """By the whole of a claims file whose items are written in another way."""
        claim = want.claim
        if claim.page:
            return None
        placed = restated(one_newline(self.file.text), claim.id, rewording.new)
        if placed is None or placed[0].text != claim.stated.text:
            return None
        span, written = placed
        start = self.file.lines.starts[span.line]
        return Edit(start + span.start, start + span.end, written, rewording.old, rewording.new, want)

    # A cell ----------------------------------------------------------------------------------------------

    def _cell(self, want: Want) -> Edit | Left:
        claim = want.claim
        if claim.table_in is not None:
            return self._bound_cell(want)
        placed = self._placed_cell(claim)
        if placed is None:
            return lost(want)
        cells, (line, column) = placed
        rewording = of_value(claim, want.found, self.units, claim.stated.unit)
        if rewording is None:
            return unsaid(want)
        span = cells[line, column]
        cell = self.file.text[span.start : span.end]
        references = self.file.spans.scan.outline.references
        core = raw.exchanged(cell.strip(" "), rewording, lambda text: read_cell(text, references).text)
        if core is None:
            return lost(want)
        texts = [self.file.text[each.start : each.end] for (_, at), each in cells.items() if at == column]
        text = raw.fitted(cell, core, column=texts)
        return Edit(span.start, span.end, text, rewording.old, rewording.new, want)

    def _placed_cell(self, claim: Claim) -> tuple[dict[tuple[int, int], CellSpan], tuple[int, int]] | None:
        """The cells of a claim's table, and which of them is the claim's."""
        try:
            table = self.file.tables.get(claim.block.line)
        except Malformed:
            return None
        if table is None:
            return None
        cell = self._own_cells(table).get(claim.id)
        if cell is None or cell.claim != claim:
            return None
        at = claim.place.line, cell.column
        cells = self.file.spans.cells(table.table.place.line)
        return (cells, at) if at in cells else None

    def _bound_cell(self, want: Want) -> Edit | Left:
        """A cell that a claims file binds."""
        claim = want.claim
        try:
            cells = self.file.bound.get(claim.block)
        except (Malformed, InputError):
            cells = None
        own = None if cells is None else self._own_cells(cells).get(claim.id)
        if cells is None or own is None or own.claim != claim or claim.written is None:
            return lost(want)
        rewording = of_value(claim, want.found, self.units, claim.stated.unit)
        if rewording is None:
            return unsaid(want)
        text = exchanged_cell(self.file, cells.table, own, rewording)
        if text is None:
            return lost(want)
        return Edit(claim.written.start, claim.written.end, text, rewording.old, rewording.new, want)

    def _own_cells(self, table: Cells) -> dict[str, CellClaim]:
        """The cells of a table, by the ids of their claims."""
        if table.id not in self._cells:
            self._cells[table.id] = {cell.claim.id: cell for cell in table.cells}
        return self._cells[table.id]

    # A link ----------------------------------------------------------------------------------------------

    def _link(self, want: Want) -> Edit | Left:
        link = want.link
        waiting = self._links.get(_key_of(link)) if link is not None else None
        if link is None or not waiting:
            return lost(want)
        span = waiting.pop(0)
        rewording = None
        # A text agrees with the whole of a link, and what else an author wrote there is not thrown away.
        if not isinstance(want.found.low, Text) or link.text == strip_marks(want.claim.stated.text):
            rewording = of_text(link.text, want.claim, want.found, self._read)
        if rewording is None:
            return unsaid(want)
        references = self.file.spans.scan.outline.references
        written = raw.exchanged(
            self.file.text[span.start : span.end], rewording, lambda text: _shown(text, references)
        )
        if written is None:
            return lost(want)
        return Edit(span.start, span.end, written, rewording.old, rewording.new, want)

    def _read(self, text: str) -> Stated | None:
        return first_quantity(text, self.units)

    # Elsewhere -------------------------------------------------------------------------------------------

    def _copy(self, want: Want) -> Edit | Left:
        copy = want.copy
        if copy is None or self.file.text[copy.start : copy.end] != copy.text or not copy.text:
            return lost(want)
        read = partial(written_in, copy=copy.copy, units=self.units)
        rewording = of_text(copy.text, want.claim, want.found, read, plain=True)
        if rewording is None:
            return unsaid(want)
        return Edit(copy.start, copy.end, rewording.new, rewording.old, rewording.new, want)

    def _stated_in(self, want: Want) -> Edit | Left:
        claim = want.claim
        match = self._matches(claim).get(claim.id)
        if claim.stated_in is None or match is None:
            return lost(want)
        if self.file.text[match.start : match.end] != claim.stated.text:
            return lost(want)
        rewording = of_value(claim, want.found, self.units, claim.stated_in.unit, plain=True)
        if rewording is None:
            return unsaid(want)
        return Edit(match.start, match.end, rewording.new, rewording.old, rewording.new, want)

    def _matches(self, claim: Claim) -> dict[str, Match]:
        """The matches that state the claims of one block, by their ids."""
        known = self._stating.get(claim.block)
        if known is None:
            claims = [each for each in self._stated if each.block == claim.block]
            known = self._stating[claim.block] = self._aligned(claims)
        return known

    def _aligned(self, claims: Sequence[Claim]) -> dict[str, Match]:
        """Each claim of a block with the match that it came from: both are in the order of the file."""
        stated_in = claims[0].stated_in if claims else None
        if stated_in is None:
            return {}
        found: dict[str, Match] = {}
        waiting = iter(claims)
        claim = next(waiting, None)
        for match in find(self.file.source, stated_in.match, Deadline(self.seconds)):
            if claim is None:
                break
            if claim.place.line == match.line and claim.stated.text == match.text and not match.missing:
                found[claim.id] = match
                claim = next(waiting, None)
        return found


# Why a number is left ----------------------------------------------------------------------------------


def lost(want: Want) -> Left:
    """That a number is not where it was read, or is written in a way that cannot be changed safely."""
    message = f"the number that states `{want.claim.id}` is written in a way that `update` does not change"
    hint = "correct it by hand: " + _says(want)
    return Left(want.claim.id, want.place, "update-unplaced", message, hint)


def unsaid(want: Want) -> Left:
    """That what was found cannot be said in the format of a number."""
    name = want.claim.id
    if is_open(want.found):
        message = f"what was found for `{name}` is no single value"
        hint = "state a range or a bound that it agrees with, by hand"
        return Left(name, want.place, "update-unsaid", message, hint)
    message = f"what was found for `{name}` cannot be said in the format that stands here"
    return Left(name, want.place, "update-unsaid", message, "state it in another way by hand: " + _says(want))


def _says(want: Want) -> str:
    found, stated = want.found, want.claim.stated
    return f"found is `{found_text(stated, found.low, found.high, found.spread, apart=True)}`"


# Links -------------------------------------------------------------------------------------------------

_Key = tuple[str, int, str, bool]


def _by_link(spans: Iterable[LinkSpan]) -> dict[_Key, list[LinkSpan]]:
    """The places of links, those that look alike in the order of the page."""
    found: dict[_Key, list[LinkSpan]] = defaultdict(list)
    for span in spans:
        found[span.target, span.line, span.text, span.struck].append(span)
    return found


def _key_of(link: Link) -> _Key:
    return link.target, link.place.line, link.text, link.struck


def _shown(text: str, references: dict[str, str]) -> str:
    """What a reader sees of a link's text, which may go on over lines of a quote or an item."""
    prose = _NEXT_LINE.sub("\n", text)
    links = Prose([(0, f"[{prose}](claim:x)")], references).links()
    return links[0].text if len(links) == 1 else ""
