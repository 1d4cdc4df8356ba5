"""The values of a tree: every scalar, with the path that picks it by what names it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.survey.held import MOST, Held, Keys, Part
from stilltrue.evidence.survey.identity import Identity, Label
from stilltrue.evidence.trees import Location, Tree
from stilltrue.evidence.values import from_tree
from stilltrue.model import Read, Shape
from stilltrue.quantity import Units

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ESCAPES = {"'": "\\'", "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_READ = Read(Shape.TREE)
_PACE = 4096
_LONGEST_LABEL = 80


def tree_part(name: str, tree: Tree, units: Units, deadline: Deadline) -> Part:
    """What a tree holds.

    Args:
        name: Its format.
        tree: The tree.
        units: The known units.
        deadline: When walking it takes too long.

    Raises:
        InputError: `too-slow`.
    """
    walk = _Walk(tree, units, deadline)
    held = tuple(walk.held())
    return Part(Shape.TREE, name, held, cut=walk.cut)


class _Kind(NamedTuple):
    """What values share whose ways differ in indices alone: what `Held` says of `own`, `around`, `group`."""

    own: str
    around: tuple[str, ...]
    group: Keys


class _Walk:
    """One pass over a tree."""

    def __init__(self, tree: Tree, units: Units, deadline: Deadline) -> None:
        self.tree = tree
        self.units = units
        self.deadline = deadline
        self.cut = False
        self._identities: dict[int, Identity] = {}
        self._kinds: dict[tuple[str | None, ...], _Kind] = {}
        self._labelled: dict[int, list[tuple[str, str]]] = {}

    def held(self) -> Iterator[Held]:
        """Every scalar, in the order of the file; of more than `MOST` the first."""
        stack: list[tuple[Any, Location]] = [(self.tree.value, ())]
        seen = visited = 0
        while stack:
            value, at = stack.pop()
            visited += 1
            if not visited % _PACE:
                self.deadline.check()
            below = list(_below(value))
            if below:
                stack.extend((child, (*at, step)) for step, child in reversed(below))
                continue
            one = self._scalar(value, at)
            if one is not None:
                if seen == MOST:
                    self.cut = True
                    return
                seen += 1
                yield one

    def _scalar(self, value: Any, at: Location) -> Held | None:
        if value is None or isinstance(value, dict | list):
            return None
        try:
            known = from_tree(value, _READ, self.units)
        except InputError:  # no value: an exponent that no measurement has, half a character
            return None
        kind = self._kind(at)
        return Held(
            known,
            kind.own,
            kind.around,
            partial(self._beside, at),
            kind.group,
            partial(self._row, at),
            partial(self._alone, at),
            partial(self._keys, at),
            partial(self.tree.line_of, at),
        )

    def _kind(self, at: Location) -> _Kind:
        """What all values share whose ways differ in indices alone."""
        way = tuple(step if isinstance(step, str) else None for step in at)
        if way not in self._kinds:
            keys = [step for step in way if step is not None]
            own, around = (keys[-1], tuple(keys[:-1])) if keys else ("", ())
            self._kinds[way] = _Kind(own, around, (("path", general(at)),))
        return self._kinds[way]

    # Names ---------------------------------------------------------------------------------------------

    def _row(self, at: Location) -> tuple[str, ...]:
        """What names the objects of arrays that the way leads through."""
        value, found = self.tree.value, []
        for place, step in enumerate(at):
            if isinstance(step, int) and isinstance(value[step], dict):
                names = self._names(value, step, _next_key(at, place))
                found += [str(value[step][name]) for name in names or ()]
            value = value[step]
        return tuple(found)

    def _beside(self, at: Location) -> tuple[str, ...]:
        """The other texts and whole numbers of the objects of arrays that the way leads through."""
        value, found = self.tree.value, []
        for place, step in enumerate(at):
            if isinstance(step, int) and isinstance(value[step], dict):
                measured = _next_key(at, place)
                found += [text for name, text in self._labels(value[step]) if name != measured]
            value = value[step]
        return tuple(found)

    def _labels(self, row: dict[str, Any]) -> list[tuple[str, str]]:
        """The texts and whole numbers of an object by their keys, looked at once for all values in it."""
        if id(row) not in self._labelled:
            every = ((name, _label(each)) for name, each in row.items())
            self._labelled[id(row)] = [(name, str(label)) for name, label in every if label is not None]
        return self._labelled[id(row)]

    def _names(self, array: list[Any], index: int, measured: str) -> tuple[str, ...] | None:
        """The keys whose values tell an object of an array from the others, the measured one aside."""
        if id(array) not in self._identities:
            self._identities[id(array)] = Identity(_labels(array), len(array))
        return self._identities[id(array)].of(index, measured)

    # The read ------------------------------------------------------------------------------------------

    def _alone(self, at: Location) -> bool:
        value = self.tree.value
        for place, step in enumerate(at):
            if isinstance(step, int) and len(value) > 1:
                named = isinstance(value[step], dict) and self._names(value, step, _next_key(at, place))
                if not named:
                    return False
            value = value[step]
        return True

    def _keys(self, at: Location) -> Keys:
        value = self.tree.value
        text = "$"
        for place, step in enumerate(at):
            if isinstance(step, str):
                text += _member(step)
            else:
                names = isinstance(value[step], dict) and self._names(value, step, _next_key(at, place))
                text += _filter(value[step], names) if names else f"[{step}]"
            value = value[step]
        return (("path", text),)


def general(at: Location) -> str:
    """The path of a location, with `*` for every index."""
    return "$" + "".join(_member(step) if isinstance(step, str) else "[*]" for step in at)


def _below(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _next_key(at: Location, place: int) -> str:
    """The key below an index: it is what is measured, and names no row."""
    return next((step for step in at[place + 1 :] if isinstance(step, str)), "")


def _labels(array: list[Any]) -> dict[str, list[Label | None]]:
    """The members of the objects of an array that may tell them apart."""
    objects = [each for each in array if isinstance(each, dict)]
    if len(objects) != len(array):
        return {}
    return {
        name: [_label(each.get(name)) for each in objects]
        for name in objects[0]
        if not any(isinstance(each.get(name), float | dict | list) for each in objects)
    }


def _label(value: Any) -> Label | None:
    if isinstance(value, str):
        fits = 0 < len(value) <= _LONGEST_LABEL and value.isprintable()
        return value if fits else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _member(key: str) -> str:
    return f".{key}" if _NAME.fullmatch(key) else f"[{_literal(key)}]"


def _literal(label: Label) -> str:
    if isinstance(label, str):
        return "'" + "".join(_ESCAPES.get(sign) or _visible(sign) for sign in label) + "'"
    return str(label)


def _visible(sign: str) -> str:
    """A sign as it is where an editor shows it, else as JSONPath escapes it."""
    if sign.isprintable():
        return sign
    pairs = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{pairs[at : at + 2].hex()}" for at in range(0, len(pairs), 2))


def _filter(row: dict[str, Any], names: tuple[str, ...]) -> str:
    return "[?" + " && ".join(f"@{_member(name)} == {_literal(row[name])}" for name in names) + "]"
