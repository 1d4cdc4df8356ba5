#!/usr/bin/env python3
# /// script
# requires-python = "==3.11.*"
# dependencies = []
# [tool.stilltrue]
# writes = "claims/evidence/padding/lengths.csv"
# reads = []
# needs = []
# cost = "cheap"
# timeout = "120 s"
# ///
"""A corpus that anyone has: the docstrings of Python's standard library, their lengths and their roots.

Settles:
    How many tokens each docstring of the standard library has, and which module it is from: several thousand
    short samples from several hundred documents, with a heavy tail, as the lengths of real corpora have.

Needs:
    The sources of the standard library, which ship with Python. Nothing is imported from them.

Costs:
    Some seconds on one core, a few MiB.

Cannot settle:
    Anything about another corpus, or another tokeniser: a token here is a run of letters, digits and `_`, or
    any other sign that is no blank. The text changes a little with each release of Python, so the header
    holds it to one minor version, on which its counts come within a percent or two, not to the last sample;
    with another, `stilltrue` reports the probe as not run. What is reckoned from the lengths is exact all the
    same, because it is reckoned from the recorded file.

Standard output is CSV: `root` (the module's file in the library), `line` (of the thing described) and
`tokens`. Left out: tests, packages that distributions of Python tend to leave out, and generated modules.
"""

from __future__ import annotations

import ast
import csv
import re
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from probe_parts.command_line import parser_of

TOKEN = re.compile(r"[A-Za-z0-9_]+|[^\sA-Za-z0-9_]")
"""What counts as a token."""

LEFT_OUT = {
    "dist-packages", "distutils", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "site-packages", "test",
    "tests", "tkinter", "turtledemo",
}  # fmt: skip
"""Parts of paths that take a file out of the corpus."""

Described = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def sources(library: Path) -> Iterator[tuple[str, Path]]:
    """Every module's path in the library, and its file; sorted, so that no file system decides the order."""
    for path in sorted(library.rglob("*.py")):
        inside = path.relative_to(library)
        if LEFT_OUT.isdisjoint(inside.parts) and not path.name.startswith("_sysconfigdata"):
            yield inside.as_posix(), path


def docstrings(text: str) -> Iterator[tuple[int, str]]:
    """The docstrings of a module's text, each with the line of what it describes (0: the module)."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Described) and (doc := ast.get_docstring(node)):
            yield getattr(node, "lineno", 0), doc


def samples(library: Path) -> Iterator[tuple[str, int, int]]:
    """Root, line and tokens of every docstring that has a token.

    Raises:
        OSError: A source cannot be read.
        SyntaxError: One is not for this Python.
    """
    for root, path in sources(library):
        for line, doc in sorted(docstrings(path.read_text(encoding="utf-8"))):
            if tokens := len(TOKEN.findall(doc)):
                yield root, line, tokens


def main(argv: Sequence[str] | None = None) -> None:
    """Print the corpus."""
    parser_of(__doc__, {}).parse_args(argv)
    library = Path(sysconfig.get_paths()["stdlib"])
    try:
        found = list(samples(library))
    except (OSError, SyntaxError, ValueError) as error:
        raise SystemExit(f"lengths.py: a source of the standard library cannot be read: {error}") from None
    if not found:
        raise SystemExit(f"lengths.py: {library} holds no sources of the standard library")
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(("root", "line", "tokens"))
    rows.writerows(found)


if __name__ == "__main__":
    main()
