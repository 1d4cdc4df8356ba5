"""The command line of a probe: its docstring as help, its plants as an option; no probe itself."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

MOST = 1 << 40
"""What is above this is a slip, and would fill the memory before anything said so."""


def parser_of(doc: str | None, plants: Mapping[str, str]) -> argparse.ArgumentParser:
    """A parser that shows `doc` and, where there are any, takes `--plant`: each fault with what it does."""
    summary, _, details = str(doc).partition("\n")
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=summary, epilog=details, formatter_class=raw)
    if plants:
        meanings = "; ".join(f"{name}: {meaning}" for name, meaning in plants.items())
        parser.add_argument(
            "--plant",
            choices=tuple(plants),
            default="",
            help=f"a fault to put in, to see it seen: {meanings}",
        )
    return parser


def whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number") from None


def positive(text: str) -> int:
    """A whole number above 0."""
    number = whole(text)
    if not 0 < number <= MOST:
        raise argparse.ArgumentTypeError(f"must be above 0 and no more than 2^40, not {number}")
    return number


def seed_number(text: str) -> int:
    """A whole number that torch takes as a seed."""
    number = whole(text)
    if not 0 <= number < 1 << 63:
        raise argparse.ArgumentTypeError(f"must be at least 0 and below 2^63, not {number}")
    return number


def ascending(text: str) -> tuple[int, ...]:
    """Different whole numbers above 0, ascending."""
    return tuple(sorted({positive(part) for part in text.split(",")}))
