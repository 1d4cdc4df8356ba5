"""RE2 patterns: compiled quietly, `^` and `$` at lines, searched within the time that is left."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.wording import quoted

_BYTE_STEP = 1e-9
"""Seconds that RE2 may need for one byte and one instruction of the program, where it cannot use its DFA."""

_PATIENCE = 0.05

_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in r"\.+*?()|[]{}^$"} | {"\t": "\\t"})

_HINTS = (
    ("(?=", "RE2 has no look-around: capture the value in a group `(?P<value>…)` instead"),
    ("(?!", "RE2 has no look-around: narrow with `between`, or match the whole line"),
    ("(?<", "RE2 has no look-around: capture the value in a group `(?P<value>…)` instead"),
    (
        "invalid escape sequence",
        "RE2 has no back-references and no `\\Z`; a back-slash before a sign takes it as it is",
    ),
    ("repetition size", "RE2 repeats at most 1,000 times: use `*` or `+`"),
    ("too large", "make the pattern shorter, or its repetitions smaller"),
    ("repetition operator", "write `\\*`, `\\+` or `\\?` for the sign itself"),
    ("missing", "write `\\(` or `\\[` for the sign itself"),
)


class Pattern:
    """A compiled pattern.

    Attributes:
        source: As the author wrote it.
        regexp: RE2's own object, over bytes.
        groups: How many groups it has.
        names: The numbers of its named groups.
    """

    __slots__ = ("groups", "names", "regexp", "source")

    def __init__(self, source: str, regexp: Any) -> None:
        self.source = source
        self.regexp = regexp
        self.groups: int = regexp.groups
        self.names: dict[str, int] = {}
        if self.groups:
            self.names = {name.decode(): number for name, number in regexp.groupindex.items()}

    def matches(self, data: bytes, start: int, end: int, deadline: Deadline) -> Iterator[Any]:
        """The matches in `data[start:end]`, where `^` and `$` see what stands around it.

        Raises:
            InputError: `too-slow`.
        """
        slow = len(data) * self.regexp.programsize * _BYTE_STEP > deadline.seconds / 2
        search = _patient(self.regexp.search, deadline) if slow else self.regexp.search
        while start <= end:
            match = search(data, start, end)
            if match is None:
                return
            yield match
            first, start = match.span()
            if first == start:  # the search must move on by a whole character after a match of nothing
                start += 1
                while start < end and data[start] & 0xC0 == 0x80:
                    start += 1
            deadline.check()


@lru_cache(maxsize=1024)
def compiled(source: str) -> Pattern:
    """Compiles a pattern.

    Raises:
        InputError: `bad-pattern`, when RE2 refuses it.
    """
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415  # untyped; only reads of text need it

    try:
        return Pattern(source, re2.compile(b"(?m)" + source.encode("utf-8"), quiet()))
    except UnicodeEncodeError:
        raise InputError("bad-pattern", "the pattern holds half a character", "mend the escape") from None
    except re2.error as error:
        raise refused(source, error) from None


def literal(text: str) -> str:
    """A pattern that matches a text and nothing else; people read it, so it escapes what it must alone."""
    return text.translate(_SIGNS)


def refused(source: str, error: Exception) -> InputError:
    """The error for a pattern that RE2 refuses, with its reason and the usual cure."""
    reason = error.args[0] if error.args else ""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    hint = next(
        (cure for sign, cure in _HINTS if sign in text),
        "the syntax is RE2's: no look-around, no back-references",
    )
    return InputError(
        "bad-pattern", f"RE2 refuses the pattern {quoted(source)}: {text.replace('(?m)', '', 1)}", hint
    )


@lru_cache(maxsize=1)
def quiet() -> Any:
    """RE2's options, quiet on standard error, as plain attributes: reading RE2's own is slow."""
    import re2  # noqa: PLC0415  # as above

    options = re2.Options()
    options.log_errors = False
    return SimpleNamespace(**{name: getattr(options, name) for name in re2.Options.NAMES})


def _patient(search: Any, deadline: Deadline) -> Any:
    """The same search beside the main thread, given up when there is no time left.

    RE2 cannot be interrupted; it lets other threads run, so that the check can go on without its result.
    """

    def run(data: bytes, start: int, end: int) -> Any:
        result: list[Any] = []
        worker = threading.Thread(target=lambda: result.append(search(data, start, end)), daemon=True)
        deadline.check()
        worker.start()
        while worker.is_alive():
            worker.join(_PATIENCE)
            deadline.check()
        return result[0]

    return run
