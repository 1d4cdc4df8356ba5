"""Whether fresh runs give what the evidence says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stilltrue.check.faults import Fault
from stilltrue.check.found import found_in
from stilltrue.compare import reproduced
from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.model import Claim, EvidenceSource, Found, Judgement, Place, Problem, Report, RunState, Verdict
from stilltrue.quantity import Quantity, Stated, Value, found_text, same_dimension, show_value


class Reruns:
    """Reads claims on the files of fresh runs.

    Args:
        config: The project.
        fresh: The files of the runs, by the path of the evidence.
    """

    def __init__(self, config: Config, fresh: Mapping[str, Path]) -> None:
        self._config = config
        self._fresh = fresh
        self._library = Library(config, fresh)

    def fault(self, judgement: Judgement) -> Fault | None:
        """Why a claim is refuted; None where its probe was not run again, or gave the same."""
        claim, recorded = judgement.claim, judgement.found
        if recorded is None or not isinstance(claim.source, EvidenceSource):
            return None
        if self._fresh.keys().isdisjoint(judgement.files):
            return None
        try:
            fresh = found_in(self._library, claim.source, claim.stated, self._config.units).found
        except InputError as error:
            message = f"run again, the probe gives what cannot be read: {error.message}"
            return Fault(Verdict.REFUTED, "refuted", message, _HINT)
        if reproduced(claim.stated, recorded, fresh, claim.reproduces):
            return None
        return Fault(Verdict.REFUTED, "refuted", _apart(claim, recorded, fresh), _HINT)


_HINT = "find out what moved; record it again, or say with `reproduces` how far runs differ"


def _apart(claim: Claim, recorded: Found, fresh: Found) -> str:
    """Both values, exact where the author's digits would not show that they are too far apart."""
    stated = claim.stated
    texts = [found_text(stated, each.low, each.high, each.spread) for each in (recorded, fresh)]
    if claim.reproduces or texts[0] == texts[1]:
        texts = [_exact(stated, each) for each in (recorded, fresh)]
    within = f", and `reproduces` allows `{claim.reproduces.text}`" if claim.reproduces else ""
    return f"run again, the probe gives `{texts[1]}`; the evidence says `{texts[0]}`{within}"


def _exact(stated: Stated, found: Found) -> str:
    if found.spread:
        return " ± ".join(_value(stated, each) for each in found.spread)
    return " to ".join(dict.fromkeys(_value(stated, each) for each in (found.low, found.high)))


def _value(stated: Stated, value: Value) -> str:
    """A value with all its digits, in the stated unit."""
    if isinstance(value, Quantity) and same_dimension(value.unit, stated.unit):
        value = Quantity(value.to(stated.unit), stated.unit)
    return show_value(value)


def failed(report: Report) -> list[Problem]:
    """The runs that failed, each as a problem about the claims that rest on it."""
    return [
        Problem(
            run.code or "probe-failed", Place(run.path), run.why, run.hint, about=_resting(report, run.path)
        )
        for run in report.probes
        if run.state is RunState.FAILED
    ]


def _resting(report: Report, probe: str) -> tuple[str, ...]:
    """The ids of the claims that are read from what a probe wrote."""
    named = ((each, {record.probe for _, record in report.records(each)}) for each in report.judgements)
    return tuple(each.claim.id for each, probes in named if probe in (probes or {each.claim.probe}))
