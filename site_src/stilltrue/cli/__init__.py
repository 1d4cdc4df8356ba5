"""The command line: a door that holds no rule of its own."""

from __future__ import annotations

from stilltrue.cli.exits import INTERRUPTED


def main() -> int:
    """The process `stilltrue`: runs the command line and returns its exit code."""
    try:
        import signal  # noqa: PLC0415  # all that takes time loads below, with the handler in place

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupted)
        from stilltrue.cli.boundary import run  # noqa: PLC0415  # as above

        return run()
    except KeyboardInterrupt:
        return INTERRUPTED


def _interrupted(_signal: int, _frame: object) -> None:
    """Ends the process at once.

    A KeyboardInterrupt would be lost where it is raised inside a callback of SQLite or of the import
    system, and the check would go on. There is nothing to put in order: most commands only read,
    files that belong together are written with signals held back, and what runs a probe has its own handler.
    """
    import os  # noqa: PLC0415  # as in `main`

    if os.isatty(2):
        os.write(2, b"\n")
    os._exit(INTERRUPTED)
