"""What torch's CPU allocator hands out while something runs, by its own account; no probe itself.

A second witness of `live_storage`: that one follows the tensors that operators return, this one every block
that is asked for and given back, inside operators too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from torch.profiler import ProfilerActivity, profile

EVENT = "[memory]"
"""The name of a block handed out or given back among the profiler's events."""


def most_allocated(work: Callable[[], object]) -> int:
    """The most bytes that were handed out and not given back while `work` ran, above those held before."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as watched:
        work()
    results = watched.profiler.kineto_results
    events = [event for event in results.events() if event.name() == EVENT]
    changes: Iterator[int] = (event.nbytes() for event in sorted(events, key=lambda event: event.start_ns()))
    return max(itertools.accumulate(changes, initial=0))
