"""The numbers of a text: each with the words before it, and the pattern that finds it and nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import partial
from typing import NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.survey.held import MOST, Held, Keys, Part
from stilltrue.model import Shape
from stilltrue.patterns import literal
from stilltrue.quantity import Quantity, Units, parse_value

_NUMBER = re.compile(
    r"(?<![\w.,/:-])[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
)
_SCALE = re.compile(
    r" ?(?:[kKMBT]|thousand|million|billion|trillion)(?![\w/^])"
    r"|\s?[xX×*·]\s?10(?:(?:\^|\*\*)[-+−]?[0-9]+|[⁻⁰-⁹¹²³]+)"
)
_GLUED = re.compile(r"[\w/:]|[.,-][0-9A-Za-z]| [kKMBT]/")
_LABEL = re.compile(r"[^\W\d_][\w .()/\[\]'-]{0,60}?[\s:=|>*\"']{1,12}\Z")
_ENDS = re.compile(r"[|;,\t]|\s{2,}|[0-9](?=[\s,;|])")
_LONGEST_LINE = 2_000
_LONGEST_PREFIX = 120
_BEFORE_ANY = ("", " ", "\t", "=", ":")
_BEHIND_ANY = ("", " ", "\t")
_NO_NUMBER = re.compile(r"[+-]?(?:nan|inf)", re.IGNORECASE)
_MOST_SEARCHED = 1 << 28
_PACE = 1024


class _Hit(NamedTuple):
    """A number of a text.

    Attributes:
        line: Its line, from 1.
        prefix: What stands before it on its line.
        label: The words right before it.
        text: The number, its unit included.
        rest: What follows on its line.
    """

    line: int
    prefix: str
    label: str
    text: str
    rest: str


def text_part(text: str, units: Units, deadline: Deadline, without: Collection[int] = ()) -> Part:
    """The numbers of a text.

    Args:
        text: The text, lines ending in LF.
        units: The known units.
        deadline: When looking through it takes too long.
        without: Lines that are left out, being rows of tables.

    Raises:
        InputError: `too-slow`.
    """
    hits: list[tuple[_Hit, Quantity]] = []
    cut = False
    for number, line in enumerate(text.split("\n"), 1):
        if not number % _PACE:
            deadline.check()
        if number not in without:
            cut |= len(line) > _LONGEST_LINE
            hits += _on_line(number, line[:_LONGEST_LINE], units)
        if len(hits) > MOST:
            del hits[MOST:]
            cut = True
            break
    patterns = _Patterns([hit for hit, _ in hits], text)
    held = tuple(_held(hit, value, patterns) for hit, value in hits)
    return Part(Shape.TEXT, "text", held, cut=cut)


def _on_line(number: int, line: str, units: Units) -> Iterator[tuple[_Hit, Quantity]]:
    at = last = 0
    while found := _NUMBER.search(line, at):
        at = found.end()
        scale = _SCALE.match(line, at)
        end = _unit_end(line, scale.end() if scale else at, units)
        if end == at and _GLUED.match(line, at):
            continue
        try:
            value = parse_value(line[found.start() : end], units)
        except InputError:
            continue
        if isinstance(value, Quantity):
            prefix = line[: found.start()]
            yield _Hit(number, prefix, _label(prefix, last), line[found.start() : end], line[end:]), value
            at = last = end


def _unit_end(line: str, at: int, units: Units) -> int:
    """Where the unit ends that follows a number, after one blank or none; `at` where none does."""
    for start in (at, at + 1):
        if start == at or line[at : at + 1] == " ":
            known = units.longest(line, start)
            if known is not None and not known[0].noun:
                return known[1]
    return at


def _label(prefix: str, last: int) -> str:
    """The words right before a number, from where another number (at `last`) or a separator ends."""
    start = max((found.end() for found in _ENDS.finditer(prefix.rstrip(), last)), default=last)
    found = _LABEL.search(prefix, max(start, len(prefix) - _LONGEST_PREFIX))
    return found[0] if found else ""


def _held(hit: _Hit, value: Quantity, patterns: _Patterns) -> Held:
    own = hit.label or " ".join(re.findall(r"[^\W\d_]+", _ENDS.split(hit.rest, 1)[0])[:3])
    before = hit.prefix[: len(hit.prefix) - len(hit.label)]
    return Held(
        value,
        own.strip(" :=|>*\"'\t"),
        (before.strip(),) if before.strip() else (),
        tuple,
        patterns.of_kind(hit),
        tuple,
        partial(patterns.alone, hit),
        partial(patterns.keys, hit),
        lambda: hit.line,
    )


class _Patterns:
    """Which words before a number find it alone, and which find all of its kind."""

    def __init__(self, hits: list[_Hit], text: str) -> None:
        self._hits = hits
        self._text = text
        self._searched = 0
        kinds: dict[tuple[str, str], list[_Hit]] = {}
        for hit in hits:
            kinds.setdefault(_kind(hit), []).append(hit)
        self._kinds: dict[tuple[str, str], Keys] = {
            kind: (("match", _start(several) + f"{literal(kind[0])}({_signs(several)}{literal(kind[1])})"),)
            for kind, several in kinds.items()
        }

    def of_kind(self, hit: _Hit) -> Keys:
        """The pattern that finds it and all others behind the same words, in the same unit."""
        return self._kinds[_kind(hit)]

    def alone(self, hit: _Hit) -> bool:
        """Whether a pattern of literal words finds one number."""
        return bool(hit.label) and sum(_ends_in(each.prefix, hit.label) for each in self._hits) == 1

    def keys(self, hit: _Hit) -> Keys:
        """The shortest pattern that finds it alone, as far as the numbers of the file tell."""
        if self.alone(hit):
            start = r"\b" if _is_word(hit.label[:1]) else ""
            return (("match", self._around(hit, start + literal(hit.label), "", 1)),)
        rest = ""
        alike = [each for each in self._hits if each.prefix == hit.prefix]
        if len(alike) > 1:
            rest = f"{literal(hit.rest)}$"
            alike = [each for each in alike if each.rest == hit.rest]
        pattern = self._around(hit, f"^{literal(hit.prefix)}", rest, len(alike))
        return (("match", pattern), *_take(hit, alike))

    def _around(self, hit: _Hit, before: str, behind: str, count: int) -> str:
        """A pattern with the number as its group, which meets a NaN in its place too.

        One of digits alone would pass over a last line that says `nan`, and read the line before it.
        """
        apart = hit.prefix[-1:] in _BEFORE_ANY and hit.rest[:1] in _BEHIND_ANY
        if apart and self._searched < _MOST_SEARCHED:
            self._searched += len(self._text)
            any_text = f"{before}(\\S+{literal(_parts(hit)[1])}){behind}"
            found = [each[1] for each in re.finditer(any_text, self._text, re.MULTILINE)]
            if sum(not _NO_NUMBER.match(each) for each in found) == count:
                return any_text
        return f"{before}({_group(hit)}){behind}"


def _take(hit: _Hit, alike: list[_Hit]) -> Keys:
    """How one of several numbers on lines of one form is taken; not at all where nothing tells it."""
    if len(alike) == 1:
        return ()
    if len({each.text for each in alike}) == 1:
        return (("take", "same"),)
    ends = {alike[0].line: "first", alike[-1].line: "last"}
    return (("take", ends[hit.line]),) if hit.line in ends else ()


def _ends_in(prefix: str, label: str) -> bool:
    """Whether a pattern of these words finds the number behind `prefix`, as a word boundary lets it."""
    before = prefix[: len(prefix) - len(label)]
    return prefix.endswith(label) and not (_is_word(label[:1]) and _is_word(before[-1:]))


def _is_word(sign: str) -> bool:
    """Whether RE2 takes a sign for part of a word."""
    return sign.isascii() and (sign.isalnum() or sign == "_")


def _group(hit: _Hit) -> str:
    """A pattern of numbers that are written like one: its signs, and its unit to the letter."""
    return f"{_signs([hit])}{literal(_parts(hit)[1])}"


def _kind(hit: _Hit) -> tuple[str, str]:
    """The words before a number, and its unit."""
    return hit.label, _parts(hit)[1]


def _parts(hit: _Hit) -> tuple[str, str]:
    """A number, and its unit with the blank before it."""
    found = _NUMBER.match(hit.text)
    return (found[0], hit.text[found.end() :]) if found else (hit.text, "")


def _start(hits: list[_Hit]) -> str:
    """What stands before the words of numbers: the start of a line or of a word."""
    label = hits[0].label
    if all(hit.prefix == label for hit in hits):
        return "^"
    return r"\b" if _is_word(label[:1]) and all(_ends_in(hit.prefix, label) for hit in hits) else ""


def _signs(hits: list[_Hit]) -> str:
    """A pattern of what numbers are written with; a point or comma behind them is not taken for a part."""
    numbers = "".join(_parts(hit)[0] for hit in hits)
    signs = "0-9" + "".join(sign for sign in ".," if sign in numbers)
    signs += "eE" if "e" in numbers.lower() else ""
    signs += "+" if "+" in numbers or "e" in numbers.lower() else ""
    signs += "-" if "-" in numbers else ""
    followed = any((_parts(hit)[1] or hit.rest)[:1] in (".", ",") for hit in hits)
    return f"[{signs}]*[0-9]" if followed else f"[{signs}]+"
