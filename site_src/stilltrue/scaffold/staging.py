"""A stage: what is about to be written, in a folder of its own, run and checked there first."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from stilltrue import git
from stilltrue.check import check
from stilltrue.config import Config
from stilltrue.errors import InputError, UsageError
from stilltrue.files import join
from stilltrue.model import Judgement, Verdict
from stilltrue.probes import missing, read_header, run
from stilltrue.provenance import name_of, to_json
from stilltrue.runs import Watch
from stilltrue.runs.provenance import provenance_of

_UNREAD = "unknown-id"
"""What a link to a claim is told when the claim's own block is not read: better said of the block."""


@contextmanager
def staged(config: Config, files: Mapping[str, bytes]) -> Iterator[Config]:
    """The project as it would be if it held nothing but some files; the folder goes with the context."""
    with tempfile.TemporaryDirectory(prefix="stilltrue-new-") as folder:
        root = Path(folder).resolve()
        put(root, files)
        yield replace(config, root=root)


def put(root: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder, by paths that do not lead out of it."""
    for path, data in files.items():
        place = root / join("", path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def measured(config: Config, stage: Config, path: str, watch: Watch) -> dict[str, bytes]:
    """Run a probe that stands on a stage: its evidence, and the record as if it had been run in the project.

    Args:
        config: The project.
        stage: From `staged`.
        path: The probe, from the root.
        watch: Entered while it runs.

    Raises:
        InputError: It cannot run here, or gave no evidence.
    """
    probe = read_header(stage.root, path, stage.evidence)
    if why := missing(probe):
        raise InputError(
            "not-run", f"it cannot be run here: {why}", "make it where that is not so", path=path
        )
    in_git = git.changed(config.root, (path,)) is not None
    with watch(path) as say, run(
        stage.root,
        probe,
        files=(path,),
        say=say,
        evidence=stage.evidence,
        most_bytes=stage.limits.bytes,
    ) as done:  # fmt: skip
        record = provenance_of(done, commit=git.head(config.root), changed=(path,) if in_git else ())
        found = {place: file.read_bytes() for place, file in done.files.items()}
    text = to_json(record).encode()
    return {**found, **{name_of(place): text for place in found}}


def judged(stage: Config, ids: Collection[str]) -> tuple[Judgement, ...]:
    """The new claims as they are judged on the stage, in the order of the page.

    Raises:
        InputError: `not-made`: one of them would not hold, or would not be read where it is written.
    """
    try:
        report = check(stage)
    except UsageError as error:
        raise InputError("not-made", f"no claim would be read: {error.message}", error.hint) from None
    for problem in report.problems:
        if problem.code != _UNREAD and not set(ids).isdisjoint(problem.about):
            place = problem.place
            raise InputError("not-made", problem.message, problem.hint, path=place.path, line=place.line)
    found = tuple(each for each in report.judgements if each.claim.id in ids)
    unread = set(ids) - {each.claim.id for each in found}
    if unread:
        hint = "look for a fence or an HTML comment that is not closed at the end of the page"
        raise InputError("not-made", f"`{min(unread)}` would not be read where it is written", hint)
    for each in found:
        if each.verdict is not Verdict.HOLDS:
            raise InputError(
                "not-made", f"`{each.claim.id}` would be {each.verdict}: {each.message}", each.hint
            )
    return found
