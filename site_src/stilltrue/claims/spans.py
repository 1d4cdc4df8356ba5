"""Where the value of a claim is written in its YAML, and how another text is written in its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from stilltrue.claims.quoting import quoted, quoted_singly

_BLOCK = frozenset("|>")


class ScalarSpan(NamedTuple):
    """A text in YAML, on one line.

    Attributes:
        line: The line that it stands on, from 0.
        start: The column where it begins, quotes included, in code points.
        end: The column after it.
        text: What it says.
        style: The quote that it stands in, `|` or `>` of a block of its own, else empty.
    """

    line: int
    start: int
    end: int
    text: str
    style: str = ""


def value_spans(text: str) -> dict[str, ScalarSpan]:
    """Where each claim of a text writes its `value`, by its id; of two with one id, the first.

    Args:
        text: One mapping or a list of them; its lines end in a line feed.

    Returns:
        Nothing for what is no YAML; values that take several lines are left out.
    """
    import yaml  # noqa: PLC0415  # only what rewrites a claim needs it

    loader: Any = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
    lines = text.split("\n")
    found: dict[str, ScalarSpan] = {}
    try:
        for scalars in _mappings(yaml.parse(text, Loader=loader)):
            name, value = scalars.get("id"), scalars.get("value")
            span = _span(value, lines) if value is not None else None
            if name is not None and span is not None:
                found.setdefault(name.value, span)
    except yaml.YAMLError:
        return found
    return found


def restated(text: str, name: str, value: str) -> tuple[ScalarSpan, str] | None:
    """Where a claim's value is written, and what to write there for it to be another.

    The author's quotes are kept; a text that would not be read back without any gets some.

    Args:
        text: As for `value_spans`.
        name: The claim's id.
        value: The other value, on one line.
    """
    span = value_spans(text).get(name)
    if span is None:
        return None
    lines = text.split("\n")
    for written in _ways(value, span.style):
        line = lines[span.line]
        lines[span.line] = line[: span.start] + written + line[span.end :]
        again = value_spans("\n".join(lines))
        lines[span.line] = line
        if name in again and again[name].text == value and again[name].line == span.line:
            return span, written
    return None


def _ways(value: str, style: str) -> Iterator[str]:
    """How a text may be written: in the author's way, else in quotes."""
    if style == "'":
        yield quoted_singly(value)
    elif style == '"':
        if not set(value) & {'"', "\\"}:
            yield f'"{value}"'
    else:
        yield value
    if style not in _BLOCK:
        yield quoted(value)


def _mappings(events: Iterator[Any]) -> Iterator[dict[str, Any]]:
    """The scalars of each claim's mapping, by key: of the root, or of the items of the root."""
    depth, level, inside = 0, 0, False
    entries: dict[str, Any] = {}
    key = ""
    for event in events:
        kind = type(event).__name__.removesuffix("Event")
        if kind in ("MappingStart", "SequenceStart"):
            depth += 1
            level = level or (1 if kind == "MappingStart" else 2)
            if depth == level:
                entries, key, inside = {}, "", kind == "MappingStart"
        elif kind in ("MappingEnd", "SequenceEnd"):
            if depth == level and inside:
                yield entries
            depth -= 1
            if depth == level:
                key = ""
        elif kind == "Scalar" and depth == level and inside:
            if key:
                entries[key] = event
            key = "" if key else event.value


def _span(event: Any, lines: list[str]) -> ScalarSpan | None:
    """Where a scalar stands, None where it takes several lines or none."""
    start, end = event.start_mark, event.end_mark
    if event.style in _BLOCK:
        return _in_block(event, lines)
    if start.line != end.line or start.column == end.column:
        return None
    return ScalarSpan(start.line, start.column, end.column, event.value, event.style or "")


def _in_block(event: Any, lines: list[str]) -> ScalarSpan | None:
    """The one line of a block of its own."""
    text = event.value.rstrip("\n")
    inside = range(event.start_mark.line + 1, min(event.end_mark.line + 1, len(lines)))
    at = next((number for number in inside if lines[number].strip()), None)
    if at is None or "\n" in text or not text or not lines[at].endswith(text):
        return None
    return ScalarSpan(at, len(lines[at]) - len(text), len(lines[at]), text, event.style)
