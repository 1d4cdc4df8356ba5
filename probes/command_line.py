"""The command line of a probe: its docstring as help, its plants as an option; no probe itself."""

from __future__ import annotations

import argparse
from collections.abc import Mapping


def parser_of(doc: str | None, plants: Mapping[str, str]) -> argparse.ArgumentParser:
    """A parser that shows `doc` and takes `--plant`, each fault named with what it does."""
    summary, _, details = str(doc).partition("\n")
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=summary, epilog=details, formatter_class=raw)
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in plants.items())
    parser.add_argument(
        "--plant", choices=tuple(plants), default="", help=f"a fault to put in, to see it seen: {meanings}"
    )
    return parser


def positive(text: str) -> int:
    """A whole number above 0."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be above 0, not {number}")
    return number
