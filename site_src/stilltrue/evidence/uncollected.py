"""The cycle collector paused, while values are made that all stay: it finds nothing and doubles the time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected(*, pause: bool = True) -> Iterator[None]:
    """Runs what is within without the cycle collector.

    Args:
        pause: Whether it is worth it; where it is not, nothing changes.
    """
    paused = pause and gc.isenabled()
    if paused:
        gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()
