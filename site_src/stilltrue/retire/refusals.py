"""What cannot be superseded, or cannot supersede."""

from __future__ import annotations

from stilltrue.check.gather import Corpus
from stilltrue.days import refuse_day
from stilltrue.errors import UsageError
from stilltrue.model import Claim
from stilltrue.suggest import did_you_mean

_CODE = "not-superseded"


def refuse_words(because: str, on: str) -> None:
    """Refuse a reason that says nothing, and a day that is none or has not come.

    Raises:
        UsageError: It is so.
    """
    if not because.strip():
        raise UsageError("the reason is empty", "say why it no longer stands: `--because TEXT`")
    refuse_day(on, "give the day on which it fell, or none")


def known(corpus: Corpus, name: str) -> Claim:
    """The claim of an id.

    Raises:
        UsageError: No claim has it, or its block cannot be read.
    """
    if name in corpus.claims:
        return corpus.claims[name]
    if name in corpus.malformed:
        raise UsageError(f"the block of `{name}` cannot be read", f"see `stilltrue check {name}`", code=_CODE)
    hint = did_you_mean(name, corpus.claims) or "see `stilltrue check --format json` for every id"
    raise UsageError(f"no claim has the id `{name}`", hint, code="nothing-to-check")


def refuse_old(claim: Claim) -> None:
    """Refuse a claim that is superseded already, and one whose text states several.

    Raises:
        UsageError: `not-superseded`.
    """
    place, name = str(claim.block), claim.id
    if claim.superseded is not None:
        by = f" by `{claim.superseded.by}`" if claim.superseded.by else ""
        message = f"`{name}` is superseded already{by}, since {claim.superseded.on}"
        raise UsageError(message, f"edit its block: `{place}`", code=_CODE, place=place)
    if claim.table:
        hint = (
            "give its row, or this column of it, `skip` under `rows`, strike the cell through, and write the "
            "claim with `superseded` in a claims file"
        )
        message = f"`{name}` is a cell of the table `{claim.table}` and has no text of its own"
        raise UsageError(message, hint, code=_CODE, place=str(claim.place))
    if claim.stated_in is not None and f"id: {name}" not in " ".join(
        claim.raw.replace('"', "").replace("'", "").split()
    ):
        hint = "write this one as a claim of its own, with its `value`, and let the pattern pass it by"
        message = f"`{name}` is one of several claims that one pattern finds"
        raise UsageError(message, hint, code=_CODE, place=place)


def refuse_new(old: Claim, new: Claim) -> None:
    """Refuse a successor that does not stand: the claim itself, or one that is superseded.

    Raises:
        UsageError: `not-superseded`.
    """
    if new.id == old.id:
        hint = "name its successor, or leave `--by` out: then it is withdrawn"
        raise UsageError(f"`{old.id}` cannot supersede itself", hint, code=_CODE)
    if new.superseded is None:
        return
    by = new.superseded.by
    message = f"`{new.id}` is superseded itself" + (f", by `{by}`" if by else "")
    hint = f"name what stands now: `--by {by}`" if by and by != old.id else "name a claim that stands"
    raise UsageError(message, hint, code=_CODE, place=str(new.block))
