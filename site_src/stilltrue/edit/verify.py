"""Whether a changed text says what it is meant to say, and everything else in it what it said before.

No evidence is read again: what was found stays found. The text is read as every check reads it, and what has
changed in it is compared with what was found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from stilltrue.check.copies import written_in
from stilltrue.claims import Malformed, read_block
from stilltrue.claims.table_cells import Cells
from stilltrue.compare import agree, agree_link
from stilltrue.deadline import Deadline
from stilltrue.edit.file import Edit, File, applied
from stilltrue.edit.rewording import same_format
from stilltrue.edit.wants import Part
from stilltrue.errors import InputError
from stilltrue.matches import Match, find
from stilltrue.model import Block, BoundCopy, Claim, Judgement, Link
from stilltrue.pages.fences import CLAIM_WORD
from stilltrue.quantity import Text, first_quantity, parse_stated

_FENCE_SIGNS = frozenset("`~\r\n")


class Verifier:
    """Reads the changed text of one file.

    Args:
        file: The file as it is.
        judgements: The claims of the project by id, with what was found for each.
        stated: The claims whose values the file states by `stated_in`.
        copies: The copies that the file holds.
        seconds: How long the search for a pattern may take.
    """

    def __init__(
        self,
        file: File,
        judgements: Mapping[str, Judgement],
        stated: Sequence[Claim],
        copies: Sequence[BoundCopy],
        seconds: float,
    ) -> None:
        self._old = file
        self._judgements = judgements
        self._stated = stated
        self._copies = copies
        self._seconds = seconds
        self._copies_at: dict[tuple[str, int], list[BoundCopy]] = defaultdict(list)
        self._stated_at: dict[tuple[str, int, str], list[Claim]] = defaultdict(list)
        for copy in copies:
            self._copies_at[copy.copy.match, copy.start].append(copy)
        for claim in stated:
            if claim.stated_in is not None:
                place = claim.stated_in.match, claim.place.line, claim.stated.text
                self._stated_at[place].append(claim)

    def settled(self, edits: Sequence[Edit]) -> list[Edit]:
        """Those of some edits that can be made together; the fewest possible are left out.

        Args:
            edits: None of them overlap.
        """
        kept: list[Edit] = []
        waiting = [list(edits)]
        while waiting:
            some = waiting.pop()
            if self.holds([*kept, *some]):
                kept += some
            elif len(some) > 1:
                half = len(some) // 2
                waiting += (some[half:], some[:half])
        return kept

    def holds(self, edits: Sequence[Edit]) -> bool:
        """Whether the text with some edits agrees wherever it changed, and is the same everywhere else."""
        new = self._old.with_text(applied(self._old.text, edits))
        try:
            page = self._bodies(edits) if self._lie_in_blocks(edits) else self._page(new)
            return page and self._source(new) and self._patterns(new, edits) and self._bound(new)
        except (Malformed, InputError):
            return False

    def satisfied(self, over: Sequence[Edit], edits: Sequence[Edit]) -> list[Edit]:
        """The links of some edits that say what was found once other edits are made, which lie over them."""
        wanted = [edit for edit in over if edit.want.part is Part.LINK]
        if not wanted:
            return []
        new = self._old.with_text(applied(self._old.text, edits))
        at = {span.start: number for number, span in enumerate(self._old.links)}
        return [edit for edit in wanted if self._agrees(edit.want.claim.id, new.links[at[edit.start]].text)]

    # A page ----------------------------------------------------------------------------------------------

    def _lie_in_blocks(self, edits: Sequence[Edit]) -> bool:
        """Whether all edits lie inside lines of claim blocks, and hold nothing that could end one.

        Then the rest of the page is what it was: no viewer looks into a fence for anything but its end.
        """
        return self._old.is_page and all(
            edit.body and edit.want.claim.page and not set(edit.text) & _FENCE_SIGNS for edit in edits
        )

    def _bodies(self, edits: Sequence[Edit]) -> bool:
        """Whether the blocks of the edits state what was found, and have changed in nothing else."""
        for edit in edits:
            claim = edit.want.claim
            block = Block(CLAIM_WORD, edit.body, claim.block, claim.end)
            after = read_block(block, self._old.units, self._old.folder)
            if not isinstance(after, Claim) or not self._claim(claim, after):
                return False
        return True

    def _page(self, new: File) -> bool:
        if not new.is_page:
            return True
        one, other = self._old.page, new.page
        if (one.problems, one.charts) != (other.problems, other.charts):
            return False
        if len(one.blocks) != len(other.blocks) or len(one.links) != len(other.links):
            return False
        blocks = all(a == b or self._block(a, b, new) for a, b in zip(one.blocks, other.blocks, strict=True))
        return blocks and all(a == b or self._link(a, b) for a, b in zip(one.links, other.links, strict=True))

    def _block(self, one: Block, other: Block, new: File) -> bool:
        if replace(other, body=one.body, table=one.table) != one:
            return False
        if one.kind == "claims":
            return one.body == other.body and self._table(one, new)
        folder, units = new.folder, new.units
        before, after = read_block(one, units, folder), read_block(other, units, folder)
        return isinstance(before, Claim) and isinstance(after, Claim) and self._claim(before, after)

    def _table(self, block: Block, new: File) -> bool:
        line = block.place.line
        return self._cells(self._old.tables[line], new.tables[line])

    def _bound(self, new: File) -> bool:
        """Whether the tables that claims files bind say what was found wherever they changed."""
        return all(self._cells(table, new.bound[block]) for block, table in self._old.bound.items())

    def _cells(self, one: Cells, other: Cells) -> bool:
        if (one.id, one.problems, one.malformed) != (other.id, other.problems, other.malformed):
            return False
        if len(one.cells) != len(other.cells):
            return False
        return all(self._claim(a.claim, b.claim) for a, b in zip(one.cells, other.cells, strict=True))

    def _claim(self, one: Claim, other: Claim) -> bool:
        """Whether a claim is as it was, or has nothing changed but its value, which says what was found."""
        other = replace(other, written=one.written)  # an edit before it moves it
        if one == other:
            return True
        judgement = self._judgements.get(one.id)
        if judgement is None or judgement.found is None or one.superseded is not None:
            return False
        if replace(other, stated=one.stated, raw=one.raw) != one or not same_format(one.stated, other.stated):
            return False
        return agree(other.stated, judgement.found, other.tolerance, explained=False).agrees

    def _link(self, one: Link, other: Link) -> bool:
        if replace(other, text=one.text) != one or one.struck:
            return False
        return self._agrees(one.target, other.text) and self._same_words(one, other)

    def _agrees(self, name: str, text: str) -> bool:
        judgement = self._judgements.get(name)
        written = first_quantity(text, self._old.units)
        if judgement is None or judgement.found is None:
            return False
        if written is None:
            return isinstance(judgement.found.low, Text) and judgement.found.low.text == text
        claim = judgement.claim
        return agree_link(
            written, claim.stated, judgement.found, claim.tolerance, text, explained=False
        ).agrees

    def _same_words(self, one: Link, other: Link) -> bool:
        """Whether nothing but the first quantity of a link's text has changed."""
        found = self._judgements[one.target].found
        if found is not None and isinstance(found.low, Text):
            return True
        before, after = (first_quantity(link.text, self._old.units) for link in (one, other))
        if before is None or after is None:
            return False
        return one.text.replace(before.text, "", 1) == other.text.replace(after.text, "", 1)

    # A claims file ---------------------------------------------------------------------------------------

    def _source(self, new: File) -> bool:
        if not new.is_source:
            return True
        (one, *rest), (other, *others) = self._old.claims, new.claims
        if rest != others or len(one) != len(other):
            return False
        return all(self._item(a, b) for a, b in zip(one, other, strict=True))

    def _item(self, one: object, other: object) -> bool:
        """Whether an item is as it was; one that states no value itself has none to change."""
        if isinstance(one, Claim) and isinstance(other, Claim):
            return self._claim(one, other)
        return type(one) is type(other) and getattr(one, "origin", one) == getattr(other, "origin", None)

    # Patterns --------------------------------------------------------------------------------------------

    def _patterns(self, new: File, edits: Sequence[Edit]) -> bool:
        """Whether what patterns find in the file is what they found, and agrees where it has changed."""
        own: dict[int, set[str]] = defaultdict(set)
        for edit in edits:
            own[edit.start].add(edit.want.claim.id)
        stating = {each.stated_in.match: each for each in self._stated if each.stated_in is not None}
        for pattern in dict.fromkeys([*stating, *(each.copy.match for each in self._copies)]):
            before, after = (list(self._find(file, pattern)) for file in (self._old, new))
            if len(before) != len(after):
                return False
            for one, other in zip(before, after, strict=True):
                if (one.line, one.groups, one.missing) != (other.line, other.groups, other.missing):
                    return False
                if one.text != other.text and not self._matched(pattern, one, other, own.get(one.start, ())):
                    return False
        return True

    def _find(self, file: File, pattern: str) -> Iterable[Match]:
        return find(file.source, pattern, Deadline(self._seconds))

    def _matched(self, pattern: str, one: Match, other: Match, own: Collection[str]) -> bool:
        """Whether a match that changed says what was found, for each claim that it is bound to.

        Args:
            pattern: What matched.
            one: The match in the text as it is.
            other: The match in the changed text.
            own: The claims whose numbers were exchanged where it stands; none where others were.
        """
        bound = self._copies_at.get((pattern, one.start), ())
        stating = self._stated_at.get((pattern, one.line, one.text), ())
        stated = [each for each in stating if each.id in own or not own]
        return all(self._copy(each, other.text) for each in bound) and all(
            self._stating(each, other.text) for each in stated
        )

    def _copy(self, bound: BoundCopy, text: str) -> bool:
        judgement = self._judgements[bound.claim]
        if judgement.found is None:
            return False
        claim = judgement.claim
        written = written_in(text, bound.copy, self._old.units)
        return agree_link(
            written, claim.stated, judgement.found, claim.tolerance, text, explained=False
        ).agrees

    def _stating(self, claim: Claim, text: str) -> bool:
        found = self._judgements[claim.id].found
        stated = parse_stated(text, self._old.units, claim.stated.unit)
        if found is None or not same_format(stated, claim.stated):
            return False
        return agree(stated, found, claim.tolerance, explained=False).agrees
