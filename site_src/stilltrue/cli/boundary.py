"""The error boundary: the one place that turns what happened into a message and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from stilltrue.cli.app import app
from stilltrue.cli.completing import VARIABLE, complete
from stilltrue.cli.exits import BUG, INTERRUPTED, USAGE
from stilltrue.cli.streams import prepare, say
from stilltrue.errors import InputError, StilltrueError, UsageError

_BUG_CODE = "bug"


def run(args: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        args: The arguments; those of the process where None.

    Returns:
        0 nothing failed, 1 a verdict or problem fails, 2 usage, configuration or nothing to check,
        3 a bug of ours, 130 interrupted.
    """
    prepare()
    if args is None and (asked := os.environ.get(VARIABLE)):
        return complete(app, asked)
    try:
        return _outcome(sys.argv[1:] if args is None else list(args))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  # the boundary: no traceback may reach a user
        return _bug(error)


def _outcome(args: list[str]) -> int:
    """The exit code of a command line, its expected failures told to the user."""
    try:
        return _command(args)
    except click.ClickException as error:
        return _click_failed(error)
    except StilltrueError as error:
        return _failed(error)
    except (OSError, MemoryError) as error:
        return _system_failed(error)


def _command(args: list[str]) -> int:
    """The exit code of a command, or of an option like `--help` that replaces one.

    `click.Group.main` is not used: it has exit codes of its own for interrupts and closed pipes.
    """
    try:
        with app.make_context("stilltrue", args) as context:
            return int(app.invoke(context))
    except click.exceptions.Exit as done:
        return done.exit_code


def _click_failed(error: click.ClickException) -> int:
    from stilltrue.cli.usage import explained  # noqa: PLC0415  # only a failing run needs it

    say(explained(error))
    return USAGE


def _failed(error: StilltrueError) -> int:
    from stilltrue.cli.usage import message  # noqa: PLC0415  # only a failing run needs it

    match error:
        case UsageError(place=place, code=code):
            pass
        case InputError(path=path, line=line, code=code):
            place = f"{path}:{line}" if line else path
        case _:
            place, code = "", "usage"
    say(message(place or "stilltrue", error.message, error.hint, code))
    return USAGE


def _system_failed(error: OSError | MemoryError) -> int:
    """What the machine refused and no room foresaw: a full disk, a folder that went away, no memory left."""
    from stilltrue.cli.usage import message  # noqa: PLC0415  # only a failing run needs it

    if isinstance(error, MemoryError):
        what, place = "there is not enough memory", "stilltrue"
    else:
        what, place = f"the system says: {error.strerror or error}", str(error.filename or "stilltrue")
    say(message(place, what, "check that it is there, may be read and has room", "system"))
    return USAGE


def _bug(error: Exception) -> int:
    """A bug of ours. Nothing of the project is imported or shown here: what failed may be just that."""
    import traceback  # noqa: PLC0415  # only a bug needs it

    trace = "".join(traceback.format_exception(error))
    if os.environ.get("STILLTRUE_TRACEBACK"):
        say(trace.rstrip("\n"))
        where = "the traceback above"
    else:
        where = _kept(trace)
    say(f"stilltrue: this is a bug in stilltrue ({type(error).__name__})")
    say(f"  please report it with {where} [{_BUG_CODE}]")
    return BUG


def _kept(trace: str) -> str:
    """Writes a traceback to a file under the system's temporary folder; says where it is."""
    import platform  # noqa: PLC0415  # only a bug needs these
    import tempfile  # noqa: PLC0415

    from stilltrue import __version__  # noqa: PLC0415

    about = f"stilltrue {__version__}, Python {platform.python_version()}, {platform.platform()}"
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", prefix="stilltrue-", suffix=".txt", delete=False
        ) as file:
            file.write(f"{about}\n{sys.argv[1:]}\n\n{trace}")
    except OSError:
        return "the traceback that STILLTRUE_TRACEBACK=1 shows"
    return f"the traceback in {file.name} (STILLTRUE_TRACEBACK=1 shows it here)"
