"""What readers say of files that they cannot read."""

from __future__ import annotations

from stilltrue.errors import InputError


def other_format(kind: str, why: str, line: int = 0) -> InputError:
    """The error for a file of another format, or of a version that the reader does not know.

    Args:
        kind: What the file was taken for, with its article: `a result of hyperfine`.
        why: What it lacks, or what it has instead.
        line: Where.
    """
    return InputError(
        "bad-table",
        f"this is not {kind}: {why}",
        "name another `format`, or read it with `path` or `match`",
        line=line,
    )


def cut(what: str, line: int, why: str, *, alone: bool = False) -> InputError:
    """The error for what begins and does not end.

    Args:
        what: What is cut: `the record`.
        line: Where it begins.
        why: What is missing.
        alone: Whether the rest of the file can be read without it.
    """
    rest = f"; reads of the rest leave it out with `where: line <> {line}`" if alone else ""
    return InputError(
        "bad-table",
        f"{what} in line {line} is cut off: {why}",
        f"restore the file as its tool wrote it, or take the evidence again{rest}",
        line=line,
    )


def misfit(line: int, kind: str) -> InputError:
    """The error for a line that stands where it cannot.

    Args:
        line: Where.
        kind: What it stands in, with its article.
    """
    return InputError(
        "bad-table",
        f"line {line} does not belong in {kind}",
        "something else was printed into it, or its version is not known: read it with `match`",
        line=line,
    )
