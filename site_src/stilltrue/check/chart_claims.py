"""The heights that claims give a chart, and which claims can give none."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from stilltrue.errors import InputError
from stilltrue.model import Chart, ClaimsNamed, Judgement, Place, Problem, Verdict
from stilltrue.quantity import Form, Quantity
from stilltrue.suggest import Nearest

_FORMS = frozenset({Form.NUMBER, Form.EXACTLY, Form.ABOUT})
"""The forms of stated values that are one height."""


@dataclass(frozen=True, slots=True)
class Height:
    """What a claim states, and where."""

    value: Quantity
    place: Place


class ChartClaims:
    """The claims of a project, for its charts.

    Args:
        judgements: Every claim as it was judged, by its id.
        unread: The ids of claims that cannot be read, which is a problem already.
    """

    def __init__(self, judgements: Mapping[str, Judgement], unread: Container[str] = ()) -> None:
        self._judgements = judgements
        self._unread = unread

    def hide(self, chart: Chart) -> bool:
        """Whether a chart names a claim that cannot be read: it is not drawn, and nothing is said again."""
        return any(name not in self._judgements and name in self._unread for name in chart.claims)

    def fault(self, chart: Chart) -> Problem | None:
        """What is wrong with the first of a chart's claims that gives no height; None where all do."""
        return next(self._faults(chart), None)

    def height(self, name: str) -> Height:
        """The height that a claim without a fault gives: what was found, of a quoted one what is stated.

        Raises:
            InputError: `bad-chart`: it is no single number.
        """
        judgement = self._judgements[name]
        claim, found = judgement.claim, judgement.found
        if claim.stated.form not in _FORMS or not isinstance(claim.stated.value, Quantity):
            message = f"the claim `{name}` states `{claim.stated.text}`, which is no single number"
            hint = "name a claim that states one, or write `-` for a place that has none"
            raise InputError("bad-chart", message, hint, path=claim.place.path, line=claim.place.line)
        quoted = Verdict.REPORTED in (judgement.verdict, *judgement.also)
        if found is not None and not quoted and isinstance(found.low, Quantity):
            return Height(found.low, claim.place)
        return Height(claim.stated.value, claim.place)

    def _faults(self, chart: Chart) -> Iterator[Problem]:
        for one in chart.series:
            if isinstance(one.source, ClaimsNamed):
                for name in filter(None, one.source.ids):
                    yield from self._fault(chart, name, may_be_old=one.source.superseded)
        if chart.limit is not None and isinstance(chart.limit.value, str):
            yield from self._fault(chart, chart.limit.value)

    def _fault(self, chart: Chart, name: str, *, may_be_old: bool | None = None) -> Iterator[Problem]:
        """What is wrong with one claim; `may_be_old` is what its series says, None where it is the limit."""
        judgement = self._judgements.get(name)
        if judgement is None:
            hint = Nearest(self._judgements).to(name) or "write that claim, or correct the id"
            message = f"it names `{name}`, which no claim has as its id"
            yield undrawn(chart, "unknown-id", message, hint, about=(name,))
        elif judgement.verdict in (Verdict.BROKEN, Verdict.DRIFTED):
            message = f"its claim `{name}` is {judgement.verdict}"
            yield undrawn(chart, "bad-chart", message, f"mend `{name}`", about=(name,), under=name)
        elif judgement.verdict is Verdict.SUPERSEDED and not may_be_old:
            yield undrawn(
                chart, "bad-chart", *_superseded(judgement, limit=may_be_old is None), about=(name,)
            )


def _superseded(judgement: Judgement, *, limit: bool) -> tuple[str, str]:
    claim = judgement.claim
    successor = claim.superseded.by if claim.superseded else ""
    first = f"name `{successor}` instead, or " if successor else ""
    last = "write `superseded: yes` in the series where the old value is what it shows"
    hint = first + ("give `limit` the `value` itself" if limit else last)
    return f"its claim `{claim.id}` is superseded ({claim.place})", hint


def undrawn(
    chart: Chart,
    code: str,
    message: str,
    hint: str,
    *,
    about: tuple[str, ...] = (),
    under: str | None = None,
) -> Problem:
    """The problem of a chart that is not drawn, at the place where it is written.

    Args:
        chart: The chart.
        code: The problem's code.
        message: What is wrong.
        hint: What to do next.
        about: The ids of the claims that it concerns.
        under: The id of the claim that it is counted under, where that one has failed itself.
    """
    what = f"this chart cannot be drawn: {message}"
    return Problem(code, chart.block, what, hint, claim=under, about=about, files=chart.patterns)
