"""Lines of a log that a reader looks for among any other text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stilltrue.deadline import Deadline

_PACE = 1024
_RANKS = (
    re.compile(r"\[rank(\d+)\]"),  # torchrun, and the exceptions of torch.distributed
    re.compile(r"\[Rank (\d+)\]"),  # DeepSpeed, Megatron-LM
    re.compile(r"\[\d+,(\d+)\]<std"),  # mpirun --tag-output
    re.compile(r"^ *(\d+): "),  # srun --label
)
_BEFORE = 300
_PREFIX = re.compile(
    r"(?:\d{4}-\d{2}-\d{2}[T ][\d:.,]{5,20}(?:Z|[+-]\d{2}:?\d{2})?(?: |$))?"
    r"(?P<who>\[(?:rank|default)?[\d,]{1,12}\](?:<std(?:out|err)>)?: ?|\d{1,6}:(?: |$))?"
)


class Stream(NamedTuple):
    """What one process printed into a log that several share: its lines, and where they stand.

    Attributes:
        lines: Without the time and the rank that a launcher put before them.
        numbers: The number of each in the file.
        last: The number of the file's last line.
    """

    lines: list[str]
    numbers: list[int]
    last: int

    def ended(self, at: int) -> bool:
        """Whether a line ends, which the last one of a file that was cut does not."""
        return self.numbers[at] < self.last


def streams(text: str, deadline: Deadline) -> list[Stream]:
    """The lines of a text by the process that a launcher says they are of; most texts are one stream.

    Raises:
        InputError: `too-slow`.
    """
    lines = text.split("\n")
    found: dict[str, Stream] = {}
    for number, line in enumerate(lines, 1):
        if not number % _PACE:
            deadline.check()
        prefix = _PREFIX.match(line)
        who = (prefix["who"] or "").strip() if prefix is not None else ""
        stream = found.setdefault(who, Stream([], [], len(lines)))
        stream.lines.append(line[prefix.end() :] if prefix is not None else line)
        stream.numbers.append(number)
    return list(found.values())


def found_in(text: str, pattern: re.Pattern[str], deadline: Deadline) -> Iterator[tuple[re.Match[str], int]]:
    """Each match with the number of the line on which it begins.

    Raises:
        InputError: `too-slow`.
    """
    line, counted = 1, 0
    for number, found in enumerate(pattern.finditer(text)):
        if not number % _PACE:
            deadline.check()
        line += text.count("\n", counted, found.start())
        counted = found.start()
        yield found, line


def rank_before(text: str, at: int) -> str:
    """The rank that the line of `at` names before it, as launchers write it; empty for none."""
    begin = max(text.rfind("\n", max(0, at - _BEFORE), at) + 1, at - _BEFORE, 0)
    before = text[begin:at]
    hits = (found for pattern in _RANKS if (found := pattern.search(before)) is not None)
    return next((found[1] for found in hits), "")
