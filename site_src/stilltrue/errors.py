"""What can go wrong: the exceptions of stilltrue, and the catalogue of problem codes.

A verdict is never an exception, it is a value (`model.Verdict`). Exceptions are for what stops a
stage: bad input at the border (`InputError`, which the caller turns into a problem or a broken claim)
and bad usage or configuration (`UsageError`, exit code 2).
"""

from __future__ import annotations


class StilltrueError(Exception):
    """Base of every error that stilltrue raises on purpose.

    Attributes:
        message: What is wrong, in one clause, without a place.
        hint: What to do next; may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(StilltrueError):
    """Something in a file is wrong; whoever knows the file turns it into a problem or a verdict.

    Attributes:
        code: The problem's code, a key of `codes.CODES`.
        path: The file, from the repository's root with `/`; empty when the raiser does not know it.
        line: The line in it, from 1; 0 when unknown.
    """

    def __init__(self, code: str, message: str, hint: str = "", *, path: str = "", line: int = 0) -> None:
        super().__init__(message, hint)
        self.code = code
        self.path = path
        self.line = line


class UsageError(StilltrueError):
    """The command line, the configuration or the project cannot be used: exit code 2.

    Attributes:
        code: The problem's code, a key of `codes.CODES`.
        place: `path:line` or `path`, empty when there is none.
    """

    def __init__(self, message: str, hint: str = "", *, code: str = "usage", place: str = "") -> None:
        super().__init__(message, hint)
        self.code = code
        self.place = place
