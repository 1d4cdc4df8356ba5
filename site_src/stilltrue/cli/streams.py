"""Standard output, which carries the report alone, and standard error, which carries everything else."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


def prepare() -> None:
    """Makes both streams take any text: what their encoding lacks is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def emit(text: str) -> None:
    """Writes the report to standard output.

    Raises:
        UsageError: It cannot be written, for instance because the disk is full.
    """
    stream = _open(sys.stdout)
    if stream is None:
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # Whoever read the report has seen enough of it; the verdict stands.
        silence()
    except OSError as error:
        from stilltrue.errors import UsageError  # noqa: PLC0415

        silence()
        raise UsageError(
            f"the report cannot be written to standard output: {error.strerror}",
            "make room, or send it elsewhere",
            code="output",
        ) from None


def say(text: str) -> None:
    """Writes a line to standard error, where there is one that still listens."""
    stream = _open(sys.stderr)
    if stream is None:
        return
    try:
        stream.write(f"{text}\n")
        stream.flush()
    except OSError:
        silence()


def silence() -> None:
    """Sends what is still buffered nowhere, so that the interpreter's last flush does not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in filter(None, map(_open, (sys.stdout, sys.stderr))):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def in_colour(stream: TextIO | None) -> bool:
    """Whether to write colours: on a terminal that has them, unless NO_COLOR; always with FORCE_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and on_terminal(stream)


def on_terminal(stream: TextIO | None) -> bool:
    """Whether a person is likely to be looking at the stream."""
    return stream is not None and not stream.closed and stream.isatty()


def _open(stream: TextIO | None) -> TextIO | None:
    """The stream, None when the process was started without it."""
    return None if stream is None or stream.closed else stream
