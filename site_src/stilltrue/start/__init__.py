"""Starting in a repository that has no claims yet: what is there, what to write, what to do next."""

from stilltrue.start.advice import next_steps
from stilltrue.start.plan import HOOKS, WORKFLOW, Plan, Step, hook_text, planned, workflow_text
from stilltrue.start.survey import Survey, survey

__all__ = [
    "HOOKS",
    "WORKFLOW",
    "Plan",
    "Step",
    "Survey",
    "hook_text",
    "next_steps",
    "planned",
    "survey",
    "workflow_text",
]
