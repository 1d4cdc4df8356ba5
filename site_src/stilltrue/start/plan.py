"""Which files are to be written, and which stay as they are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stilltrue.errors import UsageError
from stilltrue.root import OWN_FILE
from stilltrue.start import texts
from stilltrue.start.attributes import line_for, with_line
from stilltrue.start.survey import Survey, read
from stilltrue.wording import counted

ATTRIBUTES = ".gitattributes"
HOOKS = ".pre-commit-config.yaml"
WORKFLOW = ".github/workflows/stilltrue.yml"
FIRST = "results.yml"


@dataclass(frozen=True, slots=True)
class Step:
    """One file of the start.

    Attributes:
        path: The file, from the root.
        content: What it is to hold; None where it stays as it is.
        said: What is done, or why nothing is, in a few words.
    """

    path: str
    content: bytes | None
    said: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The files of the start, in the order in which they are told."""

    steps: tuple[Step, ...]

    @property
    def writes(self) -> Mapping[str, bytes]:
        """What is to be written, by its path."""
        return {step.path: step.content for step in self.steps if step.content is not None}


def planned(survey: Survey, *, hook: bool = False, workflow: bool = False) -> Plan:
    """What `init` would write: files that are not there, and one line of `.gitattributes`.

    Args:
        survey: What is there.
        hook: Whether the hook of pre-commit is asked for.
        workflow: Whether the workflow is.

    Raises:
        UsageError: `started`: the project has claims, and neither the hook nor the workflow is asked for.
        InputError: `.gitattributes` cannot be read.
    """
    if survey.claims and not (hook or workflow):
        raise _started(survey)
    steps = [] if survey.claims else [_configuration(survey), _claims(survey), _attributes(survey)]
    if hook:
        steps.append(_absent(survey, HOOKS, texts.hook()))
    if workflow:
        steps.append(_absent(survey, WORKFLOW, texts.workflow()))
    return Plan(tuple(steps))


def workflow_text() -> str:
    """The example workflow, as `init` writes it and the documentation shows it."""
    return texts.workflow()


def hook_text() -> str:
    """The configuration of pre-commit, as `init` writes it."""
    return texts.hook()


def _started(survey: Survey) -> UsageError:
    """The refusal, with what would still have been written."""
    missing = list(_missing(survey))
    return UsageError(
        f"this project has been started: it holds {counted(survey.claims, 'claim')}",
        "`stilltrue check` judges them" + (f"; what is missing: {', '.join(missing)}" if missing else ""),
        code="started",
        place=survey.config.source,
    )


def _missing(survey: Survey) -> Iterator[str]:
    if _attributes(survey).content is not None:
        yield f"the line `{line_for(survey.config.evidence)}` in `{ATTRIBUTES}`"


def _configuration(survey: Survey) -> Step:
    if survey.config.source:
        return Step(survey.config.source, None, "is there already")
    return Step(OWN_FILE, texts.configuration(survey).encode(), "written")


def _claims(survey: Survey) -> Step:
    if survey.sources:
        return Step(survey.sources[0], None, "is there already")
    path = f"{survey.config.claims}/{FIRST}"
    return Step(path, texts.first_claims(survey).encode(), "written, with a claim to fill in")


def _attributes(survey: Survey) -> Step:
    folder = survey.config.evidence
    before = read(survey.config.root, ATTRIBUTES)
    after = with_line(before, folder)
    if after is None:
        return Step(ATTRIBUTES, None, f"keeps `{folder}` byte for byte already")
    return Step(ATTRIBUTES, after, f"added: `{line_for(folder)}`" if before else "written")


def _absent(survey: Survey, path: str, text: str) -> Step:
    """A file that is written only where there is none; what it would have held is shown else."""
    if os.path.lexists(survey.config.root / path):
        return Step(path, None, "is there already")
    return Step(path, text.encode(), "written")
