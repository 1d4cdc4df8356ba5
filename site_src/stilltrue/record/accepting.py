"""`accept`: somebody looked at a change, and it does not matter for one claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from stilltrue.check import check, select
from stilltrue.check.records import Records
from stilltrue.check.trail import Trail
from stilltrue.config import Config
from stilltrue.days import today
from stilltrue.errors import InputError, UsageError
from stilltrue.git import refuse_tracked_workspace
from stilltrue.model import Accepted, DeriveSource, Judgement, ReportedSource
from stilltrue.provenance import Change, name_of, standing, to_json
from stilltrue.transaction import held, recover, write_all
from stilltrue.wording import named


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What was accepted.

    Attributes:
        before: The claim as it was judged before.
        after: The claim as it is judged now.
        changes: The changes of each evidence file, by its path.
    """

    before: Judgement
    after: Judgement
    changes: Mapping[str, tuple[Change, ...]]


def accept(config: Config, claim: str, *, because: str) -> Acceptance:
    """Note in the record of a claim's evidence that what has changed since does not matter for that claim.

    A further change is a new one; other claims on the same evidence are not touched.

    Args:
        config: The project.
        claim: The claim's id.
        because: The reason.

    Raises:
        UsageError: There is no such claim, no reason, or nothing to accept.
        InputError: The record cannot be read or written.
    """
    if not because.strip():
        raise UsageError("the reason is empty", "say why the change does not matter: `--because TEXT`")
    refuse_tracked_workspace(config.root)
    recover(config.root)
    before = _judged(config, claim)
    _refuse_without_evidence(before)
    with held(config.root, before.files):
        changes = _write(config, before, because)
    return Acceptance(before, _judged(config, claim), changes)


def _judged(config: Config, claim: str) -> Judgement:
    report = select(check(config, search=False), (claim,))
    judgement = next((each for each in report.judgements if each.claim.id == claim), None)
    if judgement is None:
        raise UsageError(f"the block of `{claim}` cannot be read", f"see `stilltrue check {claim}`")
    return judgement


def _refuse_without_evidence(judgement: Judgement) -> None:
    claim = judgement.claim
    match claim.source:
        case DeriveSource():
            behind = judgement.cause
            hint = f"accept the change for `{behind}`" if behind else "name a claim that it is derived from"
            raise _nothing(f"`{claim.id}` is derived from other claims and has no evidence", hint)
        case ReportedSource():
            raise _nothing(f"`{claim.id}` is quoted and has no evidence", f"see `stilltrue show {claim.id}`")
    if not judgement.files:
        raise _nothing(
            f"`{claim.id}` names no evidence file that is there", f"see `stilltrue check {claim.id}`"
        )


def _write(config: Config, judgement: Judgement, because: str) -> dict[str, tuple[Change, ...]]:
    name = judgement.claim.id
    records = Records(config, Trail())
    records.look_up(judgement.files)
    found: dict[str, tuple[Change, ...]] = {}
    writes: dict[str, bytes] = {}
    for path in judgement.files:
        if bad := records.bad(path):
            raise InputError(bad.code, bad.message, bad.hint, path=name_of(path))
        record = records.of(path)
        if record is None:
            continue
        changes = standing(records.changes(path), record.accepted, name)
        if changes:
            accepted = (*record.accepted, *(_accepted(change, name, because) for change in changes))
            writes[name_of(path)] = to_json(replace(record, accepted=accepted)).encode()
            found[path] = changes
    if not found:
        raise _unchanged(judgement, records)
    write_all(config.root, writes)
    return found


def _accepted(change: Change, claim: str, because: str) -> Accepted:
    return Accepted(claim, because, today(), change.path, change.before, change.after)


def _unchanged(judgement: Judgement, records: Records) -> UsageError:
    name, files = judgement.claim.id, judgement.files
    lacking = tuple(path for path in files if records.lacks(path))
    if len(lacking) == len(files):
        hint = f"take it with `stilltrue record`, or say where it came from: `stilltrue adopt {files[0]} …`"
        return _nothing(f"{named(lacking)} has no record that a change could be told from", hint)
    return _nothing(f"nothing of `{name}` has changed since it was recorded", f"see `stilltrue show {name}`")


def _nothing(message: str, hint: str) -> UsageError:
    return UsageError(message, hint, code="nothing-to-accept")
