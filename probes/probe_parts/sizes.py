"""Sizes of memory: read from a command line, and as people read them; no probe itself."""

from __future__ import annotations

import argparse
import re
from fractions import Fraction

from probe_parts.command_line import positive

SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(GiB|MiB|GB|MB)")
SCALES = {"GiB": 2**30, "MiB": 2**20, "GB": 10**9, "MB": 10**6}


def size_of(text: str) -> int:
    """Bytes from a number with its unit, such as `95.6GiB` or `81559 MiB`."""
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(
            f"`{text}` is no size: write a number with GiB, MiB, GB or MB, such as 95.6GiB"
        )
    size = round(Fraction(found[1]) * SCALES[found[2]])
    return positive(str(size))


def in_words(size: int) -> str:
    """Bytes as people read them."""
    unit = "GiB" if size >= SCALES["GiB"] else "MiB"
    return f"{size / SCALES[unit]:.2f} {unit}"
