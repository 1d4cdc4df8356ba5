"""Shifts what a claim's evidence says: each reading, and all of them together, beyond what agrees.

Two questions are asked. Does each reading take part: is there a shift of this one alone that the claim
notices? And can the claim fail to each side: does it notice when all readings grow, or shrink, until they
come to something that does not agree? What was never negative shrinks to 0 at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import ceil, floor

from stilltrue.check.found import looks_at_all
from stilltrue.evidence import Altered, Library, Standing, is_constant
from stilltrue.model import Claim, EvidenceSource, Found, Place, Read
from stilltrue.mutate import beyond, ladder
from stilltrue.mutate.again import drifts_on_evidence, moved_by_evidence
from stilltrue.mutate.outcome import Kind, Survivor, Tally
from stilltrue.quantity import Form, Quantity, Unit, Units, Value, show_value
from stilltrue.wording import counted, listed

_HIDES = frozenset({"first", "last", "min", "max", "median", "p"})
"""The takes in which most readings alone decide nothing."""

_SPREADS = frozenset({"std", "pstd"})
_SHOWN = 3


def shift_readings(
    claim: Claim, source: EvidenceSource, found: Found, library: Library, units: Units, tally: Tally
) -> None:
    """Judge a claim that agrees on shifted readings, and note in the tally what it did not notice."""
    for name, read in source.reads:
        _OneRead(claim, source, found, Altered(library), units, tally, name, read).shift()


class _OneRead:
    """One read of a claim, while its readings are shifted."""

    def __init__(
        self,
        claim: Claim,
        source: EvidenceSource,
        found: Found,
        altered: Altered,
        units: Units,
        tally: Tally,
        name: str,
        read: Read,
    ) -> None:
        self.claim = claim
        self.source = source
        self.found = found
        self.altered = altered
        self.units = units
        self.tally = tally
        self.name = name
        self.read = read
        self.takes = frozenset(take.name for take in read.take)

    def shift(self) -> None:
        """Shift whatever this read gives."""
        if is_constant(self.read):
            self._constant()
        elif "count" in self.takes:
            self._count()
        else:
            self._readings(self._standing())

    def _standing(self) -> list[Standing]:
        patterns, every = self.source.patterns, looks_at_all(self.claim.stated) and not self.source.derive
        return self.altered.readings(patterns, self.read, spread=every)

    def _readings(self, standing: list[Standing]) -> None:
        numbers = [each.value for each in standing if isinstance(each.value, Quantity)]
        if len(numbers) < len(standing):
            self._each(standing, lambda at: ladder.other(standing[at].value))
        elif self.source.derive or self.claim.stated.form in {Form.FLAG, Form.TEXT, Form.LIST}:
            self._operand(standing, numbers)
        else:
            self._numbers(standing, numbers)

    # A reading that is compared itself, or taken together with others --------------------------------------

    def _numbers(self, standing: list[Standing], numbers: list[Quantity]) -> None:
        span = beyond.span_of(self.claim.stated, self.found)
        if span is None:
            return
        outside = beyond.outside(self.claim.stated, rounds=self.found.rounds, tolerance=self.claim.tolerance)
        self._together(standing, numbers, span, outside)
        if len(numbers) > 1 and not self._hides:
            self._each(standing, lambda at: ladder.alone(numbers, at, self._unit, span, outside))

    def _together(
        self,
        standing: list[Standing],
        numbers: list[Quantity],
        span: beyond.Span,
        outside: beyond.Outside,
    ) -> None:
        """All readings shifted to one side, then to the other."""
        signed = self._signed(numbers)
        for target, end in ((outside.up, span.high), (outside.down, span.low)):
            if target is None or (not signed and target < 0 and self._states_nothing()):
                continue
            aim = target if signed else max(target, Fraction(0))
            values = ladder.together(
                numbers, end, aim, self._unit, scale=not signed or bool(self.takes & _SPREADS)
            )
            if not self._moves(values):
                self._unmoved(standing, values, aim)

    def _signed(self, numbers: list[Quantity]) -> bool:
        return beyond.may_be_negative(self._unit) or any(each.number < 0 for each in numbers)

    def _states_nothing(self) -> bool:
        """Whether a plain 0 is stated: below that there is nothing that evidence could say."""
        return self.claim.stated.form is not Form.BOUND and self.claim.stated.numerals[0].number <= 0

    @property
    def _unit(self) -> Unit:
        return self.claim.stated.unit

    # A reading among others, or one that `derive` reckons with ---------------------------------------------

    def _operand(self, standing: list[Standing], numbers: list[Quantity]) -> None:
        """A read whose effect is not known beforehand: it must move the claim, to whichever side."""
        share = ladder.share_to_move(self.claim, self.found)
        together: Iterator[Mapping[int, Value]] = (
            dict(enumerate(values)) for values in ladder.scaled(numbers, share, signed=self._signed(numbers))
        )
        if not any(self._drifts(values) for values in together):
            self._idle(standing)
        elif len(numbers) > 1 and not self._hides:
            self._each(standing, lambda at: ladder.one_of(numbers, at, share))

    def _each(self, standing: list[Standing], shifts: Callable[[int], Iterator[Value]]) -> None:
        """Shift one reading after the other; each must be noticed, or one at least where the take hides most.

        Args:
            standing: The readings.
            shifts: The values that one of them is shifted to, by its number.
        """
        some = ladder.chosen(len(standing))
        idle = [(at, values[-1]) for at in some if (values := list(self._unnoticed(at, shifts(at))))]
        if idle and not (self._hides and len(idle) < len(some)):
            self._apart(standing, idle)

    def _unnoticed(self, at: int, values: Iterator[Value]) -> Iterator[Value]:
        """The values that a reading is shifted to, when none of them is noticed; else none."""
        tried = []
        for value in values:
            if self._moves({at: value}):
                return
            tried.append(value)
        yield from tried

    @property
    def _hides(self) -> bool:
        """Whether most readings alone decide nothing: then they are shifted together."""
        return bool(self.takes & _HIDES)

    # Counts ------------------------------------------------------------------------------------------------

    def _count(self) -> None:
        """How many readings there are is shifted, since none of them is a value."""
        taken = self.altered.take(self.source.patterns, self.read)
        number = taken.value.number if isinstance(taken.value, Quantity) else Fraction(0)
        if self.source.derive:
            self._counted_operand(number)
            return
        outside = beyond.outside(self.claim.stated, rounds=taken.rounds, tolerance=self.claim.tolerance)
        for target, nearest in ((outside.up, ceil), (outside.down, floor)):
            if target is None or (target < 0 and self._states_nothing()):
                continue
            if not self._answers(max(0, nearest(target))):
                self._uncounted(number, max(0, nearest(target)))

    def _counted_operand(self, number: Fraction) -> None:
        tried = (
            round(each)
            for share in (1, 10, 1000)
            for each in ladder.shifted(number, Fraction(share), signed=False)
        )
        last = 0
        for last in tried:
            if self._answers(last):
                return
        self._uncounted(number, last)

    def _answers(self, number: int) -> bool:
        self.altered.answer(self.read, Quantity(Fraction(number)))
        return self._judged()

    # Judging -----------------------------------------------------------------------------------------------

    def _moves(self, values: Mapping[int, Value]) -> bool:
        self.altered.alter(self.read, values)
        return self._judged()

    def _drifts(self, values: Mapping[int, Value]) -> bool:
        self.tally.mutations += 1
        self.altered.alter(self.read, values)
        return drifts_on_evidence(self.claim, self.source, self.altered, self.units)

    def _judged(self) -> bool:
        self.tally.mutations += 1
        return moved_by_evidence(self.claim, self.source, self.altered, self.units)

    # What was not noticed ----------------------------------------------------------------------------------

    def _survives(self, was: str, to: str, message: str, hint: str) -> None:
        says = f"`{self.claim.id}` holds {message}"
        place, kind = self.claim.place, Kind.READING
        self.tally.survivors.append(
            Survivor(self.claim.id, place, kind, "reading-unmoved", was, to, says, hint)
        )

    @property
    def _named(self) -> str:
        return f"the read `{self.name}`" if self.name else "the evidence"

    def _unmoved(self, standing: list[Standing], values: Mapping[int, Value], aim: Fraction) -> None:
        was, to = _shown(standing[0]), show_value(values[0])
        where = _where([each.place for each in standing])
        if not aim:
            hint = "state a bound above 0, or a narrower `tolerance`: what agrees with 0 shows nothing"
        else:
            hint = "state it so that another reading would not agree"
        one = f"whether {where} says `{was}` or `{to}`"
        several = f"when all its readings are shifted ({where}), the first from `{was}` to `{to}`"
        self._survives(was, to, several if len(standing) > 1 else one, hint)

    def _idle(self, standing: list[Standing]) -> None:
        was = _shown(standing[0])
        where = _where([each.place for each in standing])
        self._survives(
            was,
            "",
            f"whatever {self._named} says ({where}, now `{was}`)",
            "take it out of `derive`, or state a value that it can move",
        )

    def _apart(self, standing: list[Standing], idle: list[tuple[int, Value]]) -> None:
        first, value = idle[0]
        was, to = _shown(standing[first]), show_value(value)
        where = _where([standing[at].place for at, _ in idle])
        says = f"whether {where} says `{was}` or `{to}`"
        self._survives(was, to, says, "leave that reading out, or let `take` and `derive` make use of it")

    def _uncounted(self, number: Fraction, to: int) -> None:
        was = counted(round(number), "reading")
        self._survives(
            was,
            counted(to, "reading"),
            f"whether there are {was} or {to:,}",
            "state a number that another count would not agree with",
        )

    def _constant(self) -> None:
        column = self.read.column.strip()
        self._survives(
            f"column: {column}",
            "",
            f"whatever the evidence says: its `column` is `{column}`, which names no column",
            "name the column that the value stands in",
        )


def _shown(reading: Standing) -> str:
    return "nothing" if reading.value is None else show_value(reading.value)


def _where(places: list[Place]) -> str:
    """The places of readings: each once, of many the first few."""
    return listed(dict.fromkeys(str(place) for place in places), _SHOWN)
