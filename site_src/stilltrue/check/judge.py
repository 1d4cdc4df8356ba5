"""One claim to one judgement: superseded, read, derived or quoted."""

from __future__ import annotations

from collections.abc import Callable

from stilltrue.check.found import found_in
from stilltrue.check.gather import Corpus
from stilltrue.check.order import order
from stilltrue.check.outcome import broken, compared, inherited, operand_of_claim, quoted
from stilltrue.derive import Expression, evaluate, parse
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.model import (
    Claim,
    DeriveSource,
    EvidenceSource,
    Judgement,
    Place,
    Problem,
    ReportedSource,
    Verdict,
)
from stilltrue.quantity import Units
from stilltrue.suggest import Nearest

_SHOWN_IDS = 12


class Judge:
    """Judges every claim of a corpus by its value, operands before what is derived from them.

    Attributes:
        order: The ids in the order in which they are judged, once all are.
        expressions: What each derived claim reckons, by its id.
    """

    def __init__(self, corpus: Corpus, library: Library, units: Units) -> None:
        self.corpus = corpus
        self.library = library
        self.units = units
        self.problems: list[Problem] = []
        self.done: dict[str, Judgement] = {}
        self.order: list[str] = []
        self.expressions: dict[str, Expression] = {}
        self._nearest = Nearest(corpus.claims)
        self._followed: dict[str, str] = {}  # superseded claims, each with the one it was first reached from

    def all(
        self, progress: Callable[[int, int], None] | None = None
    ) -> tuple[dict[str, Judgement], list[Problem]]:
        """Every judgement by id, in the order of the corpus, and the problems met on the way."""
        claims = self.corpus.claims
        for claim in claims.values():
            self._superseding(claim)
        self.order = self._ordered()
        for at, name in enumerate(self.order):
            if name not in self.done:
                self.done[name] = self._judge(claims[name])
            if progress:
                progress(at + 1, len(claims))
        return {name: self.done[name] for name in claims}, self.problems

    # The order -----------------------------------------------------------------------------------------

    def _ordered(self) -> list[str]:
        """All ids, operands first; claims in a cycle are judged here, as broken."""
        claims = self.corpus.claims
        operands: dict[str, tuple[str, ...]] = {}
        for claim in claims.values():
            if isinstance(claim.source, DeriveSource) and claim.superseded is None:
                operands[claim.id] = self._parsed(claim)
        ordered, cycles = order(operands)
        for cycle in cycles:
            self._cycle(cycle)
        return [name for name in claims if name not in operands] + ordered

    def _parsed(self, claim: Claim) -> tuple[str, ...]:
        """The operands of a derived claim; an expression that cannot be read judges it at once."""
        assert isinstance(claim.source, DeriveSource)  # noqa: S101  # the caller asked
        try:
            expression = parse(claim.source.derive, self.units)
        except InputError as error:
            self.done[claim.id] = broken(claim, error)
            return ()
        self.expressions[claim.id] = expression
        return expression.operands

    def _cycle(self, cycle: tuple[str, ...]) -> None:
        first = self.corpus.claims[min(cycle)]
        start = cycle.index(first.id)
        path = [*cycle[start:], *cycle[:start]]
        self._problem(
            "derive-cycle",
            first,
            "derive",
            f"`{first.id}` is derived from itself: {_around(path)}",
            "take one of them from evidence",
            *cycle,
        )
        for name in cycle:
            claim = self.corpus.claims[name]
            message = "it is derived from itself"
            self.done[name] = Judgement(claim, Verdict.BROKEN, message=message, code="derive-cycle")

    # Superseding ---------------------------------------------------------------------------------------

    def _superseding(self, claim: Claim) -> None:
        """Check that a superseded claim's successor is there, and that it does not lead back to the claim."""
        if claim.superseded is None or not claim.superseded.by:
            return
        if claim.superseded.by not in self.corpus.claims:
            self._unknown(claim, "superseded", claim.superseded.by)
            return
        path: list[str] = []
        step: Claim | None = claim
        while step is not None and step.id not in self._followed:
            self._followed[step.id] = claim.id
            path.append(step.id)
            step = self.corpus.claims.get(step.superseded.by) if step.superseded else None
        if step is not None and self._followed[step.id] == claim.id:
            cycle = path[path.index(step.id) :]
            start = cycle.index(min(cycle))
            self._superseding_cycle(self.corpus.claims[min(cycle)], [*cycle[start:], *cycle[:start]])

    def _superseding_cycle(self, claim: Claim, path: list[str]) -> None:
        self._problem(
            "superseded-cycle",
            claim,
            "superseded",
            f"`{claim.id}` is superseded by itself: {_around(path)}",
            "name a claim that still stands, or leave `by` out: then it is withdrawn",
            *path,
        )

    # Problems ------------------------------------------------------------------------------------------

    def _problem(self, code: str, claim: Claim, key: str, message: str, hint: str, *about: str) -> None:
        place = Place(claim.block.path, claim.lines.get(key, claim.block.line))
        self.problems.append(Problem(code, place, message, hint, about=about or (claim.id,)))

    def _unknown(self, claim: Claim, key: str, name: str) -> None:
        """Report an id that no claim has, unless its block was malformed and is reported already."""
        if name in self.corpus.malformed:
            return
        near = self._nearest.to(name) or "write that claim, or correct the id"
        message = f"`{key}` of `{claim.id}` names `{name}`, which no claim has as its id"
        self._problem("unknown-id", claim, key, message, near)

    # Judging -------------------------------------------------------------------------------------------

    def _judge(self, claim: Claim) -> Judgement:
        if claim.superseded is not None:
            return Judgement(claim, Verdict.SUPERSEDED)
        match claim.source:
            case ReportedSource():
                return Judgement(claim, Verdict.REPORTED)
            case EvidenceSource() as source:
                return self._from_evidence(claim, source)
            case DeriveSource():
                return self._from_operands(claim)

    def _from_evidence(self, claim: Claim, source: EvidenceSource) -> Judgement:
        files = self.library.files_of(source.patterns)
        try:
            found, readings, notes = found_in(self.library, source, claim.stated, self.units)
        except InputError as error:
            return broken(claim, error, files)
        return compared(claim, found, readings, notes, files)

    def _from_operands(self, claim: Claim) -> Judgement:
        expression = self.expressions[claim.id]
        missing = [name for name in expression.operands if name not in self.corpus.claims]
        if missing:
            return self._without(claim, missing)
        operands = [self.done[name] for name in expression.operands]
        superseded = [o.claim for o in operands if o.verdict is Verdict.SUPERSEDED]
        if superseded:
            return self._on_superseded(claim, superseded[0])
        cause = next((o for o in operands if o.verdict is Verdict.BROKEN), None)
        if cause is not None:
            return inherited(claim, cause)
        try:
            found = evaluate(expression, {o.claim.id: operand_of_claim(o) for o in operands})
        except InputError as error:
            return broken(claim, error)
        judgement = compared(claim, found, (), tuple(n for o in operands for n in o.notes))
        rests_on_quotes = any(Verdict.REPORTED in (o.verdict, *o.also) for o in operands)
        return quoted(judgement) if rests_on_quotes else judgement

    def _without(self, claim: Claim, missing: list[str]) -> Judgement:
        """A derived claim whose operand is unknown, or malformed: both are problems already."""
        for name in missing:
            self._unknown(claim, "derive", name)
        known = missing[0] in self.corpus.malformed
        message = f"its operand `{missing[0]}` {'cannot be read' if known else 'is not known'}"
        return Judgement(
            claim,
            Verdict.BROKEN,
            message=message,
            code="unknown-id",
            cause=missing[0] if known else None,
        )

    def _on_superseded(self, claim: Claim, operand: Claim) -> Judgement:
        assert operand.superseded is not None  # noqa: S101  # its verdict says so
        successor = operand.superseded.by
        self._problem(
            "superseded-operand",
            claim,
            "derive",
            f"`{claim.id}` is derived from `{operand.id}`, which is superseded",
            f"derive it from `{successor}`, or supersede it too" if successor else "supersede it too",
        )
        message = f"its operand `{operand.id}` is superseded"
        return Judgement(claim, Verdict.BROKEN, message=message, code="superseded-operand")


def _around(path: list[str]) -> str:
    """A cycle as it is walked, back to its first id; of a long one its beginning."""
    shown = path if len(path) <= _SHOWN_IDS else [*path[:_SHOWN_IDS], f"… ({len(path):,} claims)"]
    return " → ".join([*shown, path[0]])
