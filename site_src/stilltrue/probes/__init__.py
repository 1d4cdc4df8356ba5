"""Probes: their headers, their digests, and running them so that nothing of theirs is left behind.

What running needs is imported when something is run: a check reads headers and digests alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stilltrue.probes.digest import code_of, digested, input_paths, inputs_of
from stilltrue.probes.header import find_probes, read_header
from stilltrue.probes.keys import HEADER_KEYS, NEEDS, HeaderKey

if TYPE_CHECKING:
    from stilltrue.probes.host import accelerator, environment, interpreter, machine
    from stilltrue.probes.needs import missing
    from stilltrue.probes.running import Run, run

__all__ = [
    "HEADER_KEYS",
    "NEEDS",
    "HeaderKey",
    "Run",
    "accelerator",
    "code_of",
    "digested",
    "environment",
    "find_probes",
    "input_paths",
    "inputs_of",
    "interpreter",
    "machine",
    "missing",
    "read_header",
    "run",
]

_LATER = {
    "Run": "running",
    "accelerator": "host",
    "environment": "host",
    "interpreter": "host",
    "machine": "host",
    "missing": "needs",
    "run": "running",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415  # as the module's text says

    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
