"""Do the claims that a launch relies on hold?"""

from __future__ import annotations

from collections.abc import Iterator

from stilltrue.model import Judgement, Report, Verdict
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import Key, Kind, table
from stilltrue.preflight.settings import Settings
from stilltrue.suggest import did_you_mean
from stilltrue.wording import listed, named

SUMMARY = "Each claim that is named holds: it agrees with evidence that is there and has not been overtaken."

_TWICE = "duplicate-id"

ALLOWED = (Verdict.REPORTED, Verdict.STALE, Verdict.SUSPECT, Verdict.SUPERSEDED)
"""The verdicts that a launch may be content with; what is wrong or unread it may not."""

KEYS = table(
    Key(
        "claim",
        Kind.TEXT,
        "The id of a claim; an id alone is short for `{claim: …}`.",
        "claim: step-peak",
        required=True,
    ),
    Key(
        "allow",
        Kind.TEXTS,
        f"Verdicts to be content with beside `holds`, with `because`: {', '.join(ALLOWED)}.",
        "allow: reported",
    ),
    Key(
        "because",
        Kind.TEXT,
        "Why that is enough.",
        'because: "the vendor\'s figure; the card is not here yet"',
    ),
)


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The findings."""
    name = settings.text("claim")
    report = launch.report()
    judgement = next((each for each in report.judgements if each.claim.id == name), None)
    twice = next((each for each in report.problems if each.code == _TWICE and name in each.about), None)
    if twice is not None:  # nobody can say which of the two is meant
        yield failed(f"`{name}`", twice.message, twice.hint, twice.place)
    elif judgement is None:
        yield _unknown(settings, name, report)
    elif judgement.verdict is Verdict.HOLDS or judgement.verdict in settings.texts("allow"):
        yield _content(judgement, settings.text("because"))
    else:
        yield _fallen(judgement)


def fits(settings: Settings) -> None:
    """Holds `allow` and `because` to each other.

    Raises:
        UsageError: A verdict may not be allowed, or no reason is given.
    """
    allowed = settings.texts("allow")
    for word in allowed:
        if word not in ALLOWED:
            hint = did_you_mean(word, ALLOWED) or f"it may be {', '.join(ALLOWED)}"
            settings.refuse(f"`allow` cannot be `{word}`", hint, "allow")
    if bool(allowed) != ("because" in settings):
        settings.refuse("`allow` and `because` go together", 'write `because: "…"` beside `allow`', "allow")


def _unknown(settings: Settings, name: str, report: Report) -> Finding:
    """A claim that is not there, or whose block cannot be read."""
    what, place = f"`{name}`", settings.place("claim")
    broken = next((problem for problem in report.problems if name in problem.about), None)
    if broken is not None:
        return failed(what, broken.message, broken.hint or "mend it", broken.place)
    near = did_you_mean(name, [each.claim.id for each in report.judgements])
    return failed(what, "there is no such claim", near or "`stilltrue check` lists what is there", place)


def _content(judgement: Judgement, because: str) -> Finding:
    verdict = judgement.verdict
    stated = judgement.claim.stated.text
    if verdict is not Verdict.HOLDS:
        saw = f"is {verdict}, which is allowed because {because.rstrip('.')}: {stated}"
    else:
        files = f", found in {named(judgement.files)}" if judgement.files else ""
        saw = f"holds: {stated}{files}"
    return passed(f"`{judgement.claim.id}`", saw, judgement.claim.place)


def _fallen(judgement: Judgement) -> Finding:
    claim = judgement.claim
    why = judgement.message
    hint = judgement.hint
    if judgement.verdict is Verdict.SUPERSEDED and claim.superseded is not None:
        by = claim.superseded.by
        why = claim.superseded.because
        hint = f"rely on `{by}` instead" if by else "it was withdrawn: rely on something else"
    elif judgement.verdict is Verdict.REPORTED:
        why = f"{claim.stated.text} is quoted, not measured here"
        hint = 'measure it, or say why that is enough: `allow: reported` with `because: "…"`'
    what = f"is {judgement.verdict}" if judgement.verdict not in _VERBS else str(judgement.verdict)
    also = f" (also {listed(judgement.also)})" if judgement.also else ""
    return failed(
        f"`{claim.id}`", f"{what}{also}: {why}", hint or f"see `stilltrue show {claim.id}`", claim.place
    )


_VERBS = (Verdict.DRIFTED,)
"""Verdicts that are verbs: `it drifted`."""
