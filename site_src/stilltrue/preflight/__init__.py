"""What to verify in the ten minutes before a long run: a table of checks, each of which can fail.

The names here are what a check from outside may use; `docs/tool/preflight.md` tells how.
"""

from stilltrue.preflight.as_json import to_json
from stilltrue.preflight.finding import Finding, Launch, Preflight, Result, failed, passed
from stilltrue.preflight.launched import Ran
from stilltrue.preflight.run import preflight
from stilltrue.preflight.text import counts_text, result_text, to_text

__all__ = [
    "Finding",
    "Launch",
    "Preflight",
    "Ran",
    "Result",
    "counts_text",
    "failed",
    "passed",
    "preflight",
    "result_text",
    "to_json",
    "to_text",
]
