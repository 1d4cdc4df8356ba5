"""`bind`: a number on a page, compared with all that a file holds, and the block that binds the two."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from stilltrue.binding.block import block, claim_id, free, indented, item
from stilltrue.binding.candidates import Ranked, labels, ranked
from stilltrue.binding.column import block_of, column_id, in_file, on_page
from stilltrue.binding.judged import NOT_REFUSED, Refusal, checked, judged, refusal
from stilltrue.binding.outcome import Binding, Candidate, Level, Proposal, Spot, Standing
from stilltrue.binding.pattern import pattern
from stilltrue.binding.placing import block_line, links, with_block
from stilltrue.binding.several import ranked_groups
from stilltrue.binding.spots import around, finders
from stilltrue.binding.standing import standing
from stilltrue.check.found import looks_at_all
from stilltrue.check.gather import Corpus, gather
from stilltrue.check.texts import decode
from stilltrue.config import Config
from stilltrue.errors import InputError, UsageError
from stilltrue.evidence.survey import Survey, survey
from stilltrue.files import read_bytes
from stilltrue.git import refuse_tracked_workspace
from stilltrue.model import Verdict
from stilltrue.transaction import held, recover, refuse_unwritable, write_all
from stilltrue.wording import listed

_BOM = "\ufeff"
_HOLDS = Verdict.HOLDS
_ID = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,198}[a-z0-9])?")
_SLUG = re.compile(r"[^a-z0-9]+")


class Asked(NamedTuple):
    """Which number is to be bound, and how.

    Attributes:
        path: The file that states it, from the root.
        line: Its line.
        column: A column of the number, from 1; 0 where the line holds one, or `value` says which.
        value: The number as it is written; empty where it is not given.
        evidence: The file that it was read from, from the root.
        pick: Which of the candidates is meant, from 1; 0: the best.
        name: The claim's id; empty: one made of what names the value.
        whole: Whether the whole column of its table is meant.
        aside: Whether the page stays as it is, as a file that is no page does.
    """

    path: str
    line: int
    column: int
    value: str
    evidence: str
    pick: int = 0
    name: str = ""
    whole: bool = False
    aside: bool = False


def bind(config: Config, asked: Asked, *, write: bool = False) -> Binding:
    """Look for a number in a file, and propose the claim that binds the two.

    The claim is judged by a check of the whole project with it in place, and whatever else that check says
    may not change. Without `write` nothing is written.

    Args:
        config: The project.
        asked: The number, and the file.
        write: Whether to write the claim, and the link: a candidate that is picked, or a sure one.

    Raises:
        UsageError: The number, the file or the id cannot be used, or what is to be written is not sure.
        InputError: A file cannot be read or written.
    """
    if write:
        refuse_tracked_workspace(config.root)
        recover(config.root)
    bound = _Bound(config, asked)
    binding, files = bound.binding()
    if not write:
        return binding
    if binding.proposal is None:
        raise _unwritten(binding)
    if not asked.pick and binding.candidates[0].level is not Level.SURE:
        level, why = binding.candidates[0].level, binding.candidates[0].why
        hint = "look at it, then say which of the candidates is meant: `--pick 1 --write`"
        raise UsageError(f"the best candidate is {level}, not sure: {why}", hint, code="not-bound")
    with held(config.root, tuple(files)):  # nobody changes them from here on
        bound.refuse_changed()
        for path in files:
            refuse_unwritable(config.root, path)
        write_all(config.root, files)
    return replace(binding, written=True)


def _unwritten(binding: Binding) -> UsageError:
    """Why nothing can be written."""
    if binding.refused:
        return UsageError(f"the block would not hold: {binding.refused}", binding.cure, code="not-bound")
    if binding.candidates:
        message = f"what `{binding.evidence}` holds would need a conversion"
        return UsageError(
            message, "when you know that it is right, say so: `--pick 1 --write`", code="not-bound"
        )
    message = f"nothing in `{binding.evidence}` agrees with `{binding.spot.text}`"
    hint = f"see what it holds: `stilltrue readings {binding.evidence}`"
    return UsageError(message, hint, code="not-bound")


class _Bound:
    """One number on its way to a claim."""

    def __init__(self, config: Config, asked: Asked) -> None:
        self.config = config
        self.asked = asked
        self.corpus = gather(config)
        self.is_page = asked.path in self.corpus.pages
        self._refuse()
        self.data = read_bytes(config.root, asked.path, config.limits.bytes)
        self.text = _decoded(self.data, asked.path)
        self.spot = self._spot()
        self.within = self.is_page and not asked.aside
        self.target = asked.path if self.within else _claims_file(config, asked.path)
        self.before = self.data if self.within else self._there()

    def binding(self) -> tuple[Binding, dict[str, bytes]]:
        """What becomes of it, and the files as they are to be written."""
        asked = self.asked
        surveyed = survey(self.config, asked.evidence)
        git = standing(self.config.root, asked.evidence)
        known = self._ranked(surveyed, ignored=git is Standing.IGNORED)
        binding = Binding(
            self.spot,
            asked.evidence,
            known.numbers,
            known.chance,
            known.candidates,
            standing=git,
            near=known.near,
        )
        candidate = _picked(known, asked.pick)
        if candidate is None:
            return binding, {}
        proposal, files, refused = self._proposed(candidate, known.candidates.index(candidate) + 1)
        return replace(binding, proposal=proposal, refused=refused.message, cure=refused.cure), files

    def _ranked(self, surveyed: Survey, *, ignored: bool) -> Ranked:
        near, stated = around(self.spot, labels(surveyed)), self.spot.stated
        if looks_at_all(stated):
            return ranked_groups(surveyed, stated, near, self.config.units)
        return ranked(surveyed, stated, near, self.config.units, ignored=ignored)

    def refuse_changed(self) -> None:
        """Look at the files once more before they are written.

        Raises:
            InputError: `changed-meanwhile`.
        """
        same = read_bytes(self.config.root, self.asked.path, self.config.limits.bytes) == self.data
        if not same or (not self.within and self._there() != self.before):
            message = "the file was changed while its number was looked up, so nothing was written"
            raise InputError("changed-meanwhile", message, "run it again", path=self.target)

    # The number ----------------------------------------------------------------------------------------

    def _refuse(self) -> None:
        path, name = self.asked.path, self.asked.name
        if path in self.corpus.sources:
            message = f"`{path}` is a claims file, and its numbers are claims already"
            raise UsageError(message, "name the page that states the number", code="not-bound")
        if path == self.asked.evidence:
            message = "the page and the evidence are the same file, which proves nothing"
            raise UsageError(message, "name the file that the number was read from", code="not-bound")
        if name and not _ID.fullmatch(name):
            hint = "use lower-case letters, digits, hyphens and dots"
            raise UsageError(f"`{name}` is no id", hint, code="bad-name")
        if name in _taken(self.corpus):
            raise UsageError(
                f"the id `{name}` is taken", "choose another one: ids are never reused", code="taken"
            )

    def _spot(self) -> Spot:
        """The number that is meant.

        Raises:
            UsageError: There is none, there are several, it is bound, or it is struck through.
        """
        asked = self.asked
        spots, meant = self._spots()
        if len(meant) == 1:
            self._refuse_bound(meant[0])
            return meant[0]
        place = f"{asked.path}:{asked.line}"
        shown = listed((f"`{spot.text}` in column {spot.column}" for spot in meant or spots), 12)
        if meant:
            hint = f"say which: `{place}:{meant[0].column}`"
            if len({spot.text for spot in meant}) == len(meant):
                hint += f", or `--value '{meant[0].text}'`"
            raise UsageError(
                f"the line holds {len(meant)} numbers: {shown}", hint, code="which-number", place=place
            )
        if spots:
            message = f"that is none of the line's numbers: {shown}"
            raise UsageError(
                message, f"name one: `{place}:{spots[0].column}`", code="which-number", place=place
            )
        hint = (
            "name a line on which a reader sees a number; one in code is bound without a link, by `--aside`"
        )
        raise UsageError("the line holds no number", hint, code="which-number", place=place)

    def _spots(self) -> tuple[list[Spot], list[Spot]]:
        """The numbers of the line, and those that may be meant: a struck one only where no other is."""
        spots: list[Spot] = []
        for find in finders(self.asked.path, linked=self.is_page and not self.asked.aside):
            found = find(self.asked.path, self.text, self.asked.line, self.config.units)
            spots = spots or found
            meant = [spot for spot in found if self._is_meant(spot)]
            if meant:
                return spots, [spot for spot in meant if not spot.struck] or meant
        return spots, []

    def _is_meant(self, spot: Spot) -> bool:
        asked = self.asked
        if asked.column and not spot.column <= asked.column < spot.column + spot.end - spot.start:
            return False
        return not asked.value or asked.value.strip() in (spot.text.strip(), spot.stated.text.strip())

    def _refuse_bound(self, spot: Spot) -> None:
        owner = spot.linked or next(
            (
                claim.id
                for claim in self.corpus.claims.values()
                if claim.place == spot.place
                and (claim.table or claim.stated_in)
                and claim.stated.text in spot.text
            ),
            "",
        )
        if owner:
            message, hint = f"`{spot.text}` is bound already, to `{owner}`", f"see `stilltrue show {owner}`"
            raise UsageError(message, hint, code="not-bound", place=str(spot.place))
        if spot.struck:
            hint = "bind the number that took its place"
            message = f"`{spot.text}` is struck through, so nobody says it any more"
            raise UsageError(message, hint, code="not-bound", place=str(spot.place))

    # The claim -----------------------------------------------------------------------------------------

    def _proposed(
        self, candidate: Candidate, number: int
    ) -> tuple[Proposal | None, dict[str, bytes], Refusal]:
        """The claim, with the files that hold it; or why it would not hold."""
        before = checked(self.config, {})
        refused = NOT_REFUSED
        versions = self._columns if self.asked.whole else self._versions
        for proposal, files in versions(candidate, number):
            after = checked(self.config, files)
            judgements = judged(after, proposal.id)
            said = refusal(before, after, judgements, proposal)
            if not said.message:
                verdict = next(
                    (each.verdict for each in judgements if each.verdict is not Verdict.HOLDS), _HOLDS
                )
                return replace(proposal, verdict=verdict, claims=len(judgements)), files, said
            refused = refused if refused.message else said
        return None, {}, refused

    def _versions(self, candidate: Candidate, number: int) -> Iterator[tuple[Proposal, dict[str, bytes]]]:
        """The ways to write it, the plainest first."""
        spot, text = self.spot, self.text
        name = self.asked.name or claim_id(candidate.held, _taken(self.corpus))
        if not self.within:
            match = pattern(text, spot.start, spot.end)
            yield self._as_item(name, item(name, spot, self.asked.evidence, candidate, match), number)
            return
        line = block_line(self.target, text, spot.place.line)
        body = f"```claim\n{block(name, spot, self.asked.evidence, candidate)}```\n"
        for start, end, link in links(text, spot, name):
            new = with_block(text[:start] + link + text[end:], line, body)
            yield (
                Proposal(name, body, self.target, line, link, _HOLDS, number),
                {self.target: self._encoded(new)},
            )

    def _columns(self, candidate: Candidate, number: int) -> Iterator[tuple[Proposal, dict[str, bytes]]]:
        """The way to bind all of a column."""
        asked, spot, text = self.asked, self.spot, self.text
        column = (
            on_page(asked.path, text, spot) if self.within else in_file(self.config, asked.path, text, spot)
        )
        name = asked.name or free(column_id(column, asked.evidence), _taken(self.corpus))
        lines = block_of(name, column, asked.evidence, candidate, "" if self.within else asked.path)
        if not self.within:
            first, *rest = lines
            yield self._as_item(
                name, "".join(f"{each}\n" for each in (f"- {first}", *indented(rest))), number
            )
            return
        line = column.table.place.line
        body = "".join(f"{each}\n" for each in ("```claims", *lines, "```"))
        new = self._encoded(with_block(text, line, body))
        yield Proposal(name, body, self.target, line, "", _HOLDS, number), {self.target: new}

    def _as_item(self, name: str, body: str, number: int) -> tuple[Proposal, dict[str, bytes]]:
        """An item at the end of a claims file."""
        old = _decoded(self.before, self.target) if self.before else ""
        gap = "" if not old else "\n" if old.endswith("\n") else "\n\n"
        line = old.count("\n") + 1 + len(gap)
        files = {self.target: self.before + f"{gap}{body}".encode()}
        return Proposal(name, body, self.target, line, "", _HOLDS, number), files

    def _encoded(self, text: str) -> bytes:
        """The page's new text as its file holds it."""
        return ((_BOM if self.data.startswith(_BOM.encode()) else "") + text).encode()

    def _there(self) -> bytes:
        """The claims file as it is; nothing where there is none."""
        if not os.path.lexists(self.config.root / self.target):
            return b""
        return read_bytes(self.config.root, self.target, self.config.limits.bytes)


def _picked(known: Ranked, pick: int) -> Candidate | None:
    """The candidate that is meant: one that needs a conversion only where it is asked for."""
    if pick > len(known.candidates):
        message = f"there is no candidate {pick}: there are {len(known.candidates)}"
        raise UsageError(message, "leave `--pick` out to see them", code="not-bound")
    if pick:
        return known.candidates[pick - 1]
    best = next(iter(known.candidates), None)
    return None if best is None or best.level is Level.CONVERSION else best


def _taken(corpus: Corpus) -> Collection[str]:
    return {*corpus.claims, *corpus.tables, *corpus.malformed}


def _claims_file(config: Config, path: str) -> str:
    stem = _SLUG.sub("-", path.rpartition("/")[2].partition(".")[0].lower()).strip("-")
    return f"{config.claims}/{stem or 'bound'}.yml"


def _decoded(data: bytes, path: str) -> str:
    try:
        return decode(data)
    except InputError as error:
        raise InputError(error.code, error.message, error.hint, path=path, line=error.line) from None
