"""How much memory this process has held, where the system tells."""

from __future__ import annotations

import sys

_UNIT = 1 if sys.platform == "darwin" else 1024
"""How many bytes one unit of `ru_maxrss` is."""

try:
    from resource import RUSAGE_SELF, getrusage
except ImportError:  # Windows has no such module

    def peak_memory() -> int:
        """The most memory, in bytes, that this process has held: 0, for this system does not tell."""
        return 0

else:

    def peak_memory() -> int:
        """The most memory, in bytes, that this process has held."""
        return getrusage(RUSAGE_SELF).ru_maxrss * _UNIT
