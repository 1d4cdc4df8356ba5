"""What coverage came to: every page with what is bound on it, what is not, and what is left out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from stilltrue.model import Place, Problem


@dataclass(frozen=True, slots=True)
class Unbound:
    """A quantity that no claim stands behind.

    Attributes:
        place: Its line.
        column: Where it begins in the line, in characters from 1.
        text: As a reader sees it.
        before: What stands right before it in its paragraph, as a reader sees it.
        after: What stands right behind it.
        cut_before: Whether more stands before it than is told.
        cut_after: Whether more stands behind it.
    """

    place: Place
    column: int
    text: str
    before: str = ""
    after: str = ""
    cut_before: bool = False
    cut_after: bool = False


@dataclass(frozen=True, slots=True)
class PageCoverage:
    """The quantities of one page.

    Attributes:
        path: The page.
        bound: How many a claim stands behind.
        unbound: The others, in order.
        examples: How many are marked as worked examples.
        excepted: How many the configuration excepts.
    """

    path: str
    bound: int = 0
    unbound: tuple[Unbound, ...] = ()
    examples: int = 0
    excepted: int = 0


@dataclass(frozen=True, slots=True)
class Coverage:
    """What coverage came to.

    Attributes:
        pages: Every page that was read, in order.
        floor: The least share that the configuration asks for; None where none is set, and where only some
            pages were read: then there is nothing to compare it with.
        problems: What is wrong with marks, exceptions and the floor itself.
    """

    pages: tuple[PageCoverage, ...]
    floor: Fraction | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def bound(self) -> int:
        """How many quantities a claim stands behind."""
        return sum(page.bound for page in self.pages)

    @property
    def unbound(self) -> int:
        """How many quantities none stands behind; examples and exceptions are not among them."""
        return sum(len(page.unbound) for page in self.pages)

    @property
    def examples(self) -> int:
        """How many quantities are marked as worked examples."""
        return sum(page.examples for page in self.pages)

    @property
    def excepted(self) -> int:
        """How many quantities the configuration excepts."""
        return sum(page.excepted for page in self.pages)

    @property
    def share(self) -> Fraction:
        """The bound share of all quantities; 1 where there are none."""
        total = self.bound + self.unbound
        return Fraction(self.bound, total) if total else Fraction(1)

    @property
    def below(self) -> bool:
        """Whether the share is below the floor."""
        return self.floor is not None and self.share < self.floor

    @property
    def ok(self) -> bool:
        """Whether the exit code is 0."""
        return not self.below and not self.problems


def percent(share: Fraction) -> str:
    """A share rounded down to one decimal, so that only all is 100: `92.4 %`."""
    tenths = int(share * 1000)
    return "100 %" if tenths == 1000 else f"{tenths // 10}.{tenths % 10} %"
