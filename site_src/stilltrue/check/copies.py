"""Copies that claims name: other places that repeat a number, each judged as a link in prose is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from stilltrue.check.successors import standing
from stilltrue.check.texts import Texts
from stilltrue.compare import agree_link
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.globs import is_glob
from stilltrue.model import BoundCopy, Claim, Copy, Judgement, Place, Problem, Verdict
from stilltrue.quantity import BARE, Form, Stated, Text, Units, first_quantity, parse_stated
from stilltrue.wording import counted, quoted

if TYPE_CHECKING:
    from stilltrue.matches import Match


def judge_copies(
    judgements: Mapping[str, Judgement], texts: Texts, units: Units
) -> tuple[tuple[BoundCopy, ...], list[Problem]]:
    """Every place that a claim's `copies` name, and what is wrong with them.

    Args:
        judgements: All claims by their ids.
        texts: Reads the files that they name.
        units: The known units.
    """
    judging = _Judging(judgements, texts, units)
    for judgement in judgements.values():
        for copy in judgement.claim.copies:
            judging.judge(copy, judgement)
    return tuple(judging.bound), judging.problems


class _Judging:
    """Gathers copies and problems."""

    def __init__(self, judgements: Mapping[str, Judgement], texts: Texts, units: Units) -> None:
        self.judgements = judgements
        self.claims = {name: each.claim for name, each in judgements.items()}
        self.texts = texts
        self.units = units
        self.bound: list[BoundCopy] = []
        self.problems: list[Problem] = []

    def judge(self, copy: Copy, judgement: Judgement) -> None:
        """Every match of one copy; none at all is a problem, unless the claim is superseded."""
        superseded = judgement.verdict is Verdict.SUPERSEDED
        names: tuple[str, ...] = ()
        found = 0
        path = ""
        try:
            names = self.texts.files(copy.file)
            for path in names:
                for match in self._matches(copy, path, judgement.claim):
                    found += 1
                    self._take(copy, Place(path, match.line), match, judgement)
        except InputError as error:
            if not (superseded and error.code == "no-file"):  # what it names may well be gone
                self.problems.append(_at_claim(copy, judgement, error, path))
            return
        if not found and not superseded:
            self.problems.append(_at_claim(copy, judgement, _missing(copy, names, self._blank(copy, names))))

    def _matches(self, copy: Copy, path: str, claim: Claim) -> Iterator[Match]:
        """The matches in one file; not those in the claim's own block, where a pattern may match itself."""
        from stilltrue.matches import find  # noqa: PLC0415  # RE2 is loaded where a claim names copies alone

        own = range(claim.block.line, claim.end + 1) if path == claim.block.path else range(0)
        deadline = Deadline(self.texts.config.limits.seconds)
        for match in find(self.texts.source(path), copy.match, deadline):
            if match.line not in own:
                yield match

    def _blank(self, copy: Copy, names: tuple[str, ...]) -> str:
        """What to do where a line break keeps the pattern from matching; empty where none does."""
        from stilltrue.matches import missed_blank  # noqa: PLC0415  # as in `_matches`

        deadline = Deadline(self.texts.config.limits.seconds)
        hints = (missed_blank(self.texts.source(path), copy.match, deadline) for path in names)
        return next((hint for hint in hints if hint), "")

    def _take(self, copy: Copy, place: Place, match: Match, judgement: Judgement) -> None:
        problem = (
            _no_part(copy, place, match.missing, judgement)
            if match.missing
            else self._wrong(match.text, copy, place, judgement)
        )
        claim = judgement.claim.id
        self.bound.append(BoundCopy(claim, copy, place, match.text, match.start, match.end, problem is None))
        if problem is not None:
            self.problems.append(problem)

    def _wrong(self, text: str, copy: Copy, place: Place, judgement: Judgement) -> Problem | None:
        """What is wrong with the number at one place, None where nothing is."""
        if judgement.verdict is Verdict.BROKEN:
            return None
        written = written_in(text, copy, self.units)
        if judgement.verdict is Verdict.SUPERSEDED:
            return self._stale(text, written, place, judgement)
        if _agrees(text, written, judgement):
            return None
        claim = judgement.claim
        side = (
            f"was found to be `{judgement.found_text}`"
            if judgement.found
            else f"is stated as `{claim.stated.text}`"
        )
        message = f"the copy says {quoted(text)}, but `{claim.id}` {side} ({claim.place})"
        return _problem("copy-disagrees", place, judgement, message, _hint(written, copy, claim.stated))

    def _stale(self, text: str, written: Stated, place: Place, judgement: Judgement) -> Problem | None:
        """The problem of a copy that still holds a superseded value."""
        claim = judgement.claim
        if not _agrees(text, written, judgement):
            return None
        successor = standing(claim, self.claims)
        hint = "remove it, or take the place out of `copies`"
        if successor is not None:
            if _agrees(text, written, self.judgements[successor.id]):
                return None
            hint = f"state `{successor.id}` instead: `{successor.stated.text}`"
        message = f"{quoted(text)} is still the value of `{claim.id}`, which is superseded ({claim.place})"
        return _problem("stale-copy", place, judgement, message, hint)


def written_in(text: str, copy: Copy, units: Units) -> Stated:
    """What the text of a copy says: its first quantity, in the copy's unit where bare; else the text."""
    quantity = first_quantity(text, units)
    if quantity is None:
        try:
            return parse_stated(text, units)
        except InputError:
            return Stated(text, Form.TEXT, (), BARE, None, Text(text))
    if copy.unit is None or quantity.unit is not BARE or not quantity.numerals:
        return quantity
    if any(sign.isalnum() for sign in text.replace(quantity.text, "", 1)):
        return quantity  # what else stands there may be its unit
    return parse_stated(quantity.text, units, copy.unit)


def _agrees(text: str, written: Stated, judgement: Judgement) -> bool:
    claim = judgement.claim
    return agree_link(written, claim.stated, judgement.found, claim.tolerance, text, explained=False).agrees


# Problems ----------------------------------------------------------------------------------------------


def _missing(copy: Copy, names: tuple[str, ...], advice: str) -> InputError:
    if not names:
        hint = "correct the glob, or take the copy out of the claim"
        return InputError("copy-missing", f"no file is named by `{copy.file}`", hint)
    where = f"`{copy.file}`"
    if is_glob(copy.file):
        where = f"the {counted(len(names), 'file')} that {where} names"
    message = f"{quoted(copy.match)} matches nothing in {where}"
    hint = advice or "correct the pattern, or take the copy out of the claim"
    return InputError("copy-missing", message, hint)


def _no_part(copy: Copy, place: Place, group: str, judgement: Judgement) -> Problem:
    message = (
        f"{quoted(copy.match)} of `{judgement.claim.id}` matches here, and its group `{group}` took no part"
    )
    hint = "let every alternative of the pattern hold the group"
    return _problem("empty-group", place, judgement, message, hint)


def _hint(written: Stated, copy: Copy, stated: Stated) -> str:
    if written.form is Form.TEXT:
        return "write a number there, or let the pattern take the number alone"
    if written.unit is BARE and copy.unit is None and stated.unit is not BARE and not stated.unit.noun:
        return f"say what it is in: `unit: {stated.unit.symbol}` beside its `match`"
    return "correct the copy; when another number was meant, let the pattern take that one"


def _at_claim(copy: Copy, judgement: Judgement, error: InputError, path: str = "") -> Problem:
    """What is wrong with a copy as the claim names it, in one of its files where that is known."""
    claim = judgement.claim
    message = f"a copy of `{claim.id}`: {error.message}"
    if path and f"`{path}`" not in message:
        message += f" ({Place(path, error.line)})"
    return _problem(error.code, Place(claim.block.path, copy.line), judgement, message, error.hint)


def _problem(code: str, place: Place, judgement: Judgement, message: str, hint: str) -> Problem:
    """A problem of a copy; counted under its claim when that has failed itself."""
    claim = judgement.claim
    under = claim.id if judgement.verdict in (Verdict.BROKEN, Verdict.DRIFTED) else None
    return Problem(code, place, message, hint, claim=under, about=(claim.id,))
