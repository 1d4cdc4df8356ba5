"""The keys of a probe's header, and what it can need of a machine: tables that validate and document."""

from __future__ import annotations

from typing import NamedTuple


class HeaderKey(NamedTuple):
    """One key of `[tool.stilltrue]` in a probe's header.

    Attributes:
        name: The key.
        kind: What its value is, in the words of the docs.
        required: Whether it must be there.
        meaning: What it says, in one line.
        example: One line of a header.
    """

    name: str
    kind: str
    required: bool
    meaning: str
    example: str


_KEYS = (
    HeaderKey(
        "writes",
        "path, or a list of them",
        True,
        "The evidence files, inside the evidence folder: standard output goes to the first, the script "
        "writes the others itself.",
        'writes = "claims/evidence/padding.json"',
    ),
    HeaderKey(
        "reads",
        "path or glob, or a list of them",
        False,
        "The files that the result depends on. A change to one makes the evidence suspect.",
        'reads = ["claims/evidence/lengths.csv"]',
    ),
    HeaderKey(
        "needs",
        "word, or a list of them",
        False,
        "What the machine must have; elsewhere the probe is not run, and reported as not run.",
        'needs = ["cuda"]',
    ),
    HeaderKey(
        "cost",
        "`cheap` or `slow`",
        False,
        "`cheap` takes seconds on a laptop's CPU, and may run in every build. The default is `slow`.",
        'cost = "cheap"',
    ),
    HeaderKey(
        "timeout",
        "time with its unit",
        False,
        "After this long the probe is ended, with all that it started. The default is 10 minutes.",
        'timeout = "60 s"',
    ),
    HeaderKey(
        "plant",
        "name, or a list of them",
        False,
        "The faults that the probe can put in itself, run as `--plant NAME`: its claims must then fail.",
        'plant = ["resort-in-bucket"]',
    ),
)

HEADER_KEYS: dict[str, HeaderKey] = {key.name: key for key in _KEYS}
"""The keys of `[tool.stilltrue]` in a probe's header, in the order of the docs."""

TOP_KEYS = ("dependencies", "requires-python", "tool")
"""The keys that PEP 723 has for a script."""

COSTS = ("cheap", "slow")
"""What a probe can cost."""

NEEDS: dict[str, str] = {
    "cuda": "An NVIDIA GPU with its driver: a device `/dev/nvidia0`, …, or the one of WSL. "
    "An empty `CUDA_VISIBLE_DEVICES` hides it.",
    "docker": "The program `docker` on the `PATH`; whether its daemon runs is not looked at.",
    "git": "The program `git` on the `PATH`.",
    "linux": "Linux.",
    "macos": "macOS.",
    "pgrep": "The program `pgrep` on the `PATH`; on Linux it comes with procps.",
}
"""What a probe can need, and how it is looked for."""
