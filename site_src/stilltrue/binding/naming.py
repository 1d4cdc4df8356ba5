"""Whether the words around a number name one value of a file and no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from stilltrue.binding.words import named_unit, words
from stilltrue.evidence.survey import Held
from stilltrue.quantity import Units


class Naming:
    """What the words around a number name among the values that it may be.

    Args:
        page: The words around the number.
        rivals: Every value of the file that it could be compared with.
        units: The known units: their names name no value.
    """

    def __init__(self, page: frozenset[str], rivals: Iterable[Held], units: Units) -> None:
        self._page = page
        self._units = units
        self._known: dict[tuple[str, ...], tuple[frozenset[str], bool]] = {}
        self._rivals = Counter(self.matched(held) for held in rivals)

    def words(self, held: Held) -> frozenset[str]:
        """The words around the number that name a value."""
        return self.matched(held)[0]

    def knows(self, held: Held, noun: frozenset[str]) -> bool:
        """Whether any of a value's names holds a word of the noun that the page counts."""
        names = (held.own, *held.around, *held.beside())
        return not noun or not noun.isdisjoint(frozenset().union(*map(words, names)))

    def matched(self, held: Held) -> tuple[frozenset[str], bool]:
        """Those words, and whether they hold all of the value's own name, its unit aside."""
        beside = held.beside()
        key = held.own, *held.around, "", *beside
        if key not in self._known:
            around = [words(name) for name in (*held.around, *beside)]
            both = words(held.own).union(*around) & self._page
            self._known[key] = both, any(own <= self._page for own in self._own(held))
        return self._known[key]

    def alone(self, held: Held, twins: Iterable[Held] = ()) -> bool:
        """Whether they name this value and no other.

        All of its own name stands there, and of every other value fewer of the same words and no others: of
        `the eval loss` a value named `loss` is no more than likely where the file speaks of `eval` elsewhere.

        Args:
            held: The value.
            twins: The same value, found in another shape of the file.
        """
        own, full = self.matched(held)
        if not full:
            return False
        rivals = self._rivals - Counter(self.matched(each) for each in (held, *twins))
        return all(other < own for other, _ in rivals)

    def _own(self, held: Held) -> list[frozenset[str]]:
        """What may be a value's own name, units aside: of `latency.ms` it is what stands above it too."""
        whole = words(held.own)
        bare = frozenset(word for word in whole if named_unit(word, self._units) is None)
        names = [bare] if bare else [whole, *(words(name) for name in held.around[-1:])]
        return [name for name in names if name]
