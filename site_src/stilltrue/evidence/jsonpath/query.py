"""A compiled path, and the nodes it selects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.evidence.jsonpath import plain
from stilltrue.evidence.jsonpath.nodes import Budget, Node, Segment, walk


@dataclass(frozen=True, slots=True)
class Query:
    """A compiled path.

    Attributes:
        path: As the author wrote it.
        segments: Its segments.
    """

    path: str
    segments: tuple[Segment, ...]

    def find(self, value: Any, deadline: Deadline) -> list[Node]:
        """The nodes that it selects, in the order of the RFC.

        Raises:
            InputError: `too-slow`.
        """
        return walk(self.segments, Node(value, None), value, Budget(deadline))


@lru_cache(maxsize=4096)
def compile_query(path: str) -> Query:
    """Compiles a path; plain ones do not load the library.

    Raises:
        InputError: `bad-jsonpath`, `bad-pattern`.
    """
    segments = plain.parse(path)
    if segments is None:
        from stilltrue.evidence.jsonpath import strict  # noqa: PLC0415  # 40 ms that plain paths do not need

        segments = strict.parse(path)
    return Query(path, segments)
