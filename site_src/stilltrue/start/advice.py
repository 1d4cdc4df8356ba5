"""What to do next, in a few lines with the project's own file names."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from stilltrue.start import texts
from stilltrue.start.plan import HOOKS, WORKFLOW, Plan
from stilltrue.start.survey import Survey
from stilltrue.wording import named


def next_steps(survey: Survey, plan: Plan) -> tuple[str, ...]:
    """Lines that say what to do next; those about one file only where it is part of the plan."""
    return (*_numbered(survey, plan), *_about(survey, plan))


def _numbered(survey: Survey, plan: Plan) -> Iterator[str]:
    """The steps to a first claim, in order; none where there are claims already."""
    steps = [*_to_a_claim(survey, plan), *_to_a_commit(survey, plan)]
    if steps:
        yield "next:"
        yield from (f"  {number}. {step}" for number, step in enumerate(steps, 1))


def _to_a_claim(survey: Survey, plan: Plan) -> Iterator[str]:
    if survey.claims:
        return
    if not survey.in_git:
        yield "`git init`: evidence and docs are kept together, and what changed is told from git"
    if not survey.results:
        file = f"{survey.config.evidence}/bench.txt"
        yield f"keep what a number was read from as a file, as it was printed: `{file}`, for instance"
    claims = next((step.path for step in plan.steps if step.path.endswith((".yml", ".yaml"))), "")
    yield f"write a first claim in `{claims}`{_from(survey)}"
    yield "`stilltrue check`"


def _from(survey: Survey) -> str:
    """What the first claim may bind."""
    if survey.readme and survey.results:
        return f": a number of `{survey.readme}`, as it stands in {named(survey.results)}"
    return f": a number of `{survey.readme}`" if survey.readme else ""


def _to_a_commit(survey: Survey, plan: Plan) -> Iterator[str]:
    if plan.writes and (survey.in_git or not survey.claims):
        evidence = "" if survey.claims else ", the evidence too"
        yield f"`git add {shlex.join(plan.writes)}`{evidence}, and commit"


def _about(survey: Survey, plan: Plan) -> Iterator[str]:
    """What is worth knowing of single files."""
    by_path = {step.path: step for step in plan.steps}
    if survey.results and not survey.claims and not {HOOKS, WORKFLOW} & by_path.keys():
        file = shlex.quote(survey.results[0])
        yield f"`stilltrue readings {file}` lists what that file holds, and how it is read"
    if survey.mkdocs and not survey.plugin and not survey.claims:
        yield f"on the site: `stilltrue` under `plugins` of `{survey.mkdocs}` shows claims as cards"
    if WORKFLOW in by_path:
        yield f"`{WORKFLOW}` needs one edit: what pip installs, in `STILLTRUE`"
    hook = by_path.get(HOOKS)
    if hook is not None and hook.content is None:
        yield f"`{HOOKS}` is yours; if the hook is not in it, add this under `repos`:"
        yield from texts.hook().splitlines()[1:]
    elif hook is not None:
        yield "`pre-commit install` runs the hook before each commit"
    if not survey.claims and not {HOOKS, WORKFLOW} & by_path.keys():
        yield "`stilltrue init --pre-commit` adds a check before each commit, `--workflow` one in CI"
