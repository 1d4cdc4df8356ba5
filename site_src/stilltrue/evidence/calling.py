"""Code from outside, called so that whatever it does comes to an error that a claim can be broken with."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.guard import Left, TimeUp, guarded, lasting
from stilltrue.installed import apart, said
from stilltrue.reading import UnreadableError
from stilltrue.wording import quoted

_Given = TypeVar("_Given")

CODE = "outside-reader"
"""The code of what a reader from outside is at fault with."""

_HINT = "mend the reader, `stilltrue.testing` tries it on such files, or read the file with `match`"
_LONGEST = 300

_WAITING = 3
"""How many times the seconds of work may pass on the clock: a reader that sleeps works no second."""


def called(name: str, work: Callable[[], _Given], root: Path, deadline: Deadline) -> _Given:
    """What `work` gives.

    Within it nothing is imported from the checkout, and it is guarded: nothing is printed, and on the main
    thread of a system with alarms it is ended when time is up; elsewhere it is waited for.

    Args:
        name: What the project calls the reader, for messages.
        work: Calls the reader and holds all that it gives.
        root: The checkout.
        deadline: When it must be done.

    Raises:
        InputError: As `work`; `bad-table` for what the reader refuses; `too-slow`; `outside-reader` for
            anything else that it raises, and when it prints.
    """
    heard = _Heard()
    try:
        with apart(root), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are for who writes it, and go nowhere
            given = guarded(work, out=heard, err=io.StringIO(), left=_left(deadline))
    except (InputError, MemoryError, KeyboardInterrupt) as error:
        if isinstance(error, InputError) and not _is_whole(error):
            raise InputError(CODE, f"the reader `{name}` broke: InputError", _HINT) from None
        raise
    except UnreadableError as error:
        raise _refused(error) from None
    except TimeUp:
        raise InputError(
            "too-slow",
            f"the reader `{name}` takes longer than {deadline.seconds:g} s",
            "narrow the file, mend the reader, or raise `limits.seconds` in the configuration",
        ) from None
    except BaseException as error:  # noqa: BLE001  # code from outside
        raise InputError(CODE, f"the reader `{name}` broke: {_short(said(error))}", _HINT) from None
    if heard.first:
        raise InputError(CODE, f"the reader `{name}` printed {quoted(heard.first)}", "let it print nothing")
    deadline.check()
    return given


def _is_whole(error: InputError) -> bool:
    """Whether an error can be told: a reader may have made it."""
    return all(isinstance(part, str) for part in (error.code, error.message, error.hint, error.path))


class _Heard(io.TextIOBase):
    """Keeps the beginning of what is printed."""

    first = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.first = self.first or text[:_LONGEST].strip()
        return len(text)


def _left(deadline: Deadline) -> Left:
    """What is left of the work, and on the clock of a multiple of that."""
    on_the_clock = lasting(deadline.seconds * _WAITING)
    return lambda: deadline.left if on_the_clock() else 0.0


def _refused(error: UnreadableError) -> InputError:
    line = error.line if type(error.line) is int and error.line > 0 else 0
    hint = _short(str(error.hint)) or "restore the file as its tool wrote it, or name another `format`"
    return InputError(
        "bad-table", _short(str(error.message)).rstrip(".") or "it cannot be read", hint, line=line
    )


def _short(text: str) -> str:
    """One line of a message from outside."""
    plain = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"
