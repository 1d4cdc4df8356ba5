"""What an evidence file holds: every value, what names it, and the read that gives it alone."""

from __future__ import annotations

from stilltrue.evidence.survey.held import MOST, Held, Keys, Part, Survey
from stilltrue.evidence.survey.opening import survey

__all__ = ["MOST", "Held", "Keys", "Part", "Survey", "survey"]
