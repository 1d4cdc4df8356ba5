"""The numbers that the cells of a notebook printed, each with its line in the file."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from functools import partial

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.notebooks import printed
from stilltrue.evidence.searched import Searched
from stilltrue.evidence.survey.held import Held, Part
from stilltrue.evidence.survey.of_text import text_part
from stilltrue.quantity import Units


def notebook_part(content: Content, units: Units, deadline: Deadline) -> Part:
    """What a notebook's cells printed.

    Raises:
        InputError: As `printed`; `no-reading` where nothing was.
    """
    searched = printed(content, deadline)
    starts = [0]
    for line in searched.text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    firsts = [first for first, _ in searched.parts]
    sources = {
        number
        for number, start in enumerate(starts, 1)
        if start < firsts[0] or start > searched.parts[bisect_right(firsts, start) - 1][1]
    }
    part = text_part(searched.text.decode("utf-8"), units, deadline, sources)
    held = tuple(_placed(each, searched, starts) for each in part.held)
    return replace(part, format="notebook", held=held)


def _placed(held: Held, searched: Searched, starts: list[int]) -> Held:
    """The same value with the line of the file instead of that of the text."""
    return replace(held, line=partial(searched.line_at, starts[held.line() - 1]))
