"""Coverage measured: every quantity of every page, and whether a claim stands behind it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from stilltrue.check.gather import Corpus, gather
from stilltrue.config import Config
from stilltrue.coverage.bonds import Bonds
from stilltrue.coverage.exceptions import Exceptions, PageException
from stilltrue.coverage.outcome import Coverage, PageCoverage, Unbound
from stilltrue.errors import InputError, UsageError
from stilltrue.model import Place, Problem
from stilltrue.pages.examples import Mark, find_marks
from stilltrue.pages.passages import Kind, Passage, Passages
from stilltrue.pages.spans import Lines
from stilltrue.quantity.everywhere import Span, cell_quantities, quantities
from stilltrue.suggest import did_you_mean

_CONTEXT = 28


def measure(config: Config, pages: Collection[str] = ()) -> Coverage:
    """Every quantity on the pages of a project, and whether a claim stands behind it. Nothing is written.

    Args:
        config: The project.
        pages: The pages to read, and folders of pages, from the root; all where none is given.

    Raises:
        UsageError: One of `pages` is none of the project's, or there are none at all; a pattern of the
            configuration is wrong or too slow.
    """
    corpus = gather(config)
    chosen = _chosen(corpus.pages, pages)
    measuring = _Measuring(config, corpus)
    measured = tuple(measuring.page(path) for path in chosen)
    whole = not pages
    idle = measuring.exceptions.idle() if whole else []
    problems = sorted([*measuring.problems, *idle], key=lambda problem: problem.place)
    return Coverage(measured, config.coverage.floor if whole else None, tuple(problems))


def _chosen(known: tuple[str, ...], wanted: Collection[str]) -> tuple[str, ...]:
    if not known:
        hint = "name them under `pages` in the configuration"
        raise UsageError("the project has no pages", hint, code="nothing-to-check")
    if not wanted:
        return known
    found: set[str] = set()
    for name in wanted:
        folder = f"{name.rstrip('/')}/" if name not in {"", "."} else ""
        here = {path for path in known if path == name or path.startswith(folder)}
        if not here:
            hint = did_you_mean(name, known) or "the pages are those that `pages` in the configuration names"
            raise UsageError(f"`{name}` is no page of this project", hint, code="unknown-page")
        found |= here
    return tuple(path for path in known if path in found)


class _Seen(NamedTuple):
    """A quantity: where it is written, in code points of the page's text, and where in its passage."""

    start: int
    end: int
    span: Span
    passage: Passage
    bound: bool


class _Measuring:
    """Reads page after page."""

    def __init__(self, config: Config, corpus: Corpus) -> None:
        self.config = config
        self.corpus = corpus
        self.bonds = Bonds(config, corpus)
        self.exceptions = Exceptions(config)
        self.problems: list[Problem] = []

    def page(self, path: str) -> PageCoverage:
        """One page; one that cannot be read is a problem."""
        try:
            text = self.corpus.texts.source(path).text
        except InputError as error:
            self.problems.append(Problem(error.code, Place(path, error.line), error.message, error.hint))
            return PageCoverage(path)
        if not any(sign.isdigit() for sign in text) and "stilltrue:" not in text:
            return PageCoverage(path)
        passages = Passages(path, text)
        page = _Page(path, text, passages.spans.lines)
        marks = _Marks(find_marks(passages.spans.scan))
        seen = sorted(self._seen(path, passages, page), key=lambda each: each.start)
        counted = self._counted(page, seen, marks)
        self.problems += marks.idle(path)
        return counted

    def _seen(self, path: str, passages: Iterable[Passage], page: _Page) -> Iterator[_Seen]:
        elsewhere = _Stretches(self.bonds.elsewhere(path))
        for passage in passages:
            spans = self._quantities(passage)
            linked = _Stretches(self.bonds.linked(passage) if spans and passage.links else [])
            for span in spans:
                start, end = passage.place(span.start), passage.place(span.end - 1) + 1
                bound = (
                    linked.touch(*span)
                    or elsewhere.touch(start, end)
                    or self.bonds.is_cell(path, page.line(start), passage)
                )
                yield _Seen(start, end, span, passage, bound)

    def _quantities(self, passage: Passage) -> tuple[Span, ...]:
        units = self.config.units
        if passage.kind is Kind.CELL:
            return cell_quantities(passage.text, units, header=passage.header, first=passage.first)
        return quantities(passage.text, units, heading=passage.kind is Kind.HEADING)

    def _counted(self, page: _Page, seen: list[_Seen], marks: _Marks) -> PageCoverage:
        exceptions = self.exceptions.on(page.path)
        bound = examples = excepted = 0
        unbound: list[Unbound] = []
        for each in seen:
            line = page.line(each.start)
            if each.bound:
                bound += 1
            elif marks.cover(line):
                examples += 1
            elif _excepted(exceptions, *page.within(line, each)):
                excepted += 1
            else:
                unbound.append(page.unbound(line, each))
        return PageCoverage(page.path, bound, tuple(unbound), examples, excepted)


def _excepted(exceptions: list[PageException], line: str, start: int, end: int) -> bool:
    """Whether any exception excepts a quantity; all that do are good for something."""
    touched = [exception.excepts(line, start, end) for exception in exceptions]
    return any(touched)


class _Marks:
    """The marks of one page, asked about lines that do not fall, and which of them covered any."""

    def __init__(self, marks: tuple[Mark, ...]) -> None:
        self._marks = marks
        self._used: set[Mark] = set()
        self._waiting = sorted((mark for mark in marks if not mark.wrong), key=lambda mark: -mark.first)
        self._active: list[Mark] = []
        self._line = 0

    def cover(self, line: int) -> bool:
        """Whether a line is an example by any mark; each that covers it is then good for something."""
        if line != self._line:
            self._line = line
            while self._waiting and self._waiting[-1].first <= line:
                self._active.append(self._waiting.pop())
            self._active = [mark for mark in self._active if mark.last >= line]
            self._used.update(self._active)
        return bool(self._active)

    def idle(self, path: str) -> Iterator[Problem]:
        """A problem for each mark that covered nothing."""
        for mark in self._marks:
            if mark not in self._used:
                wrong = f": {mark.wrong}" if mark.wrong else ""
                message = f"the mark `stilltrue: {mark.word}` covers nothing{wrong}"
                yield Problem("idle-mark", Place(path, mark.line), message, _HINTS[bool(wrong)])


_HINTS = (
    "take it away: no quantity below it lacks a claim",
    "write `<!-- stilltrue: example -->` right above a block, or `examples` right under a heading",
)


class _Page:
    """A page's text and its lines."""

    def __init__(self, path: str, text: str, lines: Lines) -> None:
        self.path = path
        self.text = text
        self.lines = lines

    def line(self, at: int) -> int:
        """The line of a code point, from 1."""
        return self.lines.of(at) + 1

    def within(self, line: int, seen: _Seen) -> tuple[str, int, int]:
        """A line, and where in it a quantity begins and ends."""
        begin = self.lines.starts[line - 1]
        return self.lines.line(line - 1), seen.start - begin, seen.end - begin

    def unbound(self, line: int, seen: _Seen) -> Unbound:
        """A quantity that no claim stands behind, as it is reported."""
        text, (start, end) = seen.passage.text, seen.span
        column = seen.start - self.lines.starts[line - 1] + 1
        first, last = max(0, start - _CONTEXT), end + _CONTEXT
        return Unbound(
            Place(self.path, line),
            column,
            text[start:end],
            before=text[first:start],
            after=text[end:last],
            cut_before=first > 0,
            cut_after=last < len(text),
        )


class _Stretches:
    """Stretches of a text, those that overlap made one, so that asking about one place is quick."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for start, end in sorted(spans):
            if self.ends and start < self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], end)
            else:
                self.starts.append(start)
                self.ends.append(end)

    def touch(self, start: int, end: int) -> bool:
        """Whether one of them has a place in common with what stands from `start` to `end`."""
        last = bisect_left(self.starts, end) - 1
        return last >= 0 and self.ends[last] > start
