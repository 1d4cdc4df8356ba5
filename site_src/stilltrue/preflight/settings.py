"""The settings of a check: a mapping that was held to its table of keys, and that knows its lines.

All of it is held to the table before the first check runs: a spelling mistake in the last line is told at
once, and not after the ten minutes that the checks before it took.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from stilltrue import files
from stilltrue.claims.nodes import Mapping as Entries
from stilltrue.claims.nodes import Node, Scalar, Sequence, clip
from stilltrue.errors import InputError, StilltrueError, UsageError
from stilltrue.model import Place
from stilltrue.preflight.keys import Key, Keys, Kind
from stilltrue.quantity import INFORMATION, TIME, Dimension, Flag, Quantity, Units, parse_value
from stilltrue.suggest import did_you_mean

LONGEST_S = 86_400
"""A limit on time beyond this many seconds is this."""

_SHAPE_NAMES: dict[type[Node], str] = {Scalar: "text", Sequence: "a list", Entries: "a mapping"}
_GAP = re.compile(r"\{([^{}]*)\}")
_WHOLE = re.compile(r"[0-9]{1,18}|[0-9]{1,3}(?:,[0-9]{3}){1,5}|[0-9]{1,3}(?:_[0-9]{3}){1,5}")
_SEPARATOR = re.compile("[,_]")
_MOST_BYTES = 1 << 64
"""A size beyond this is none of a memory."""

_MOST_SHARE = 1_000
"""A percentage beyond a thousand times the whole is a slip."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One mapping of the settings, known to fit its table.

    Attributes:
        file: The settings' file, from the root.
        within: The keys that lead to it, joined by dots: `cache_keys.inputs.mask`.
        node: The mapping.
        keys: Its table.
        units: All known units.
    """

    file: str
    within: str
    node: Entries
    keys: Keys
    units: Units

    def __contains__(self, name: object) -> bool:
        return name in self.node.entries

    def place(self, name: str = "") -> Place:
        """The line of a key, or of the mapping where the key is not there."""
        node = self.node.entries.get(name, self.node)
        return Place(self.file, node.line)

    def text(self, name: str, default: str = "") -> str:
        """A text, as it is written."""
        node = self._node(name)
        return node.text if isinstance(node, Scalar) else default

    def words(self, name: str, values: Mapping[str, str]) -> tuple[str, ...]:
        """A command as its words, each `{name}` of `values` replaced: no value is split or expanded."""
        found = shlex.split(self.text(name))
        return tuple(_GAP.sub(lambda gap: values.get(gap[1], gap[0]), word) for word in found)

    def path(self, name: str, default: str = "") -> str:
        """A path from the root with `/`; `./` is beside the settings."""
        return self._path(_no_end(self.keys[name], self.text(name))) if name in self else default

    def whole(self, name: str, default: int = 0) -> int:
        """A whole number, 0 or more."""
        return int(_SEPARATOR.sub("", self.text(name))) if name in self else default

    def seconds(self, name: str, default: float) -> float:
        """A time, in seconds."""
        return float(min(self._amount(name), Fraction(LONGEST_S))) if name in self else default

    def size(self, name: str, default: int = 0) -> int:
        """A size, in bytes."""
        return int(self._amount(name)) if name in self else default

    def share(self, name: str, default: Fraction = Fraction(0)) -> Fraction:
        """A percentage, as a share of 1."""
        return self._amount(name) if name in self else default

    def switch(self, name: str, *, default: bool = False) -> bool:
        """Yes or no."""
        return self.text(name) == "yes" if name in self else default

    def texts(self, name: str) -> tuple[str, ...]:
        """A text or a list of them; none where the key is not there."""
        return tuple(text for text, _ in self.placed(name))

    def placed(self, name: str) -> tuple[tuple[str, Place], ...]:
        """As `texts`, each with its line; globs and paths from the root."""
        node = self._node(name)
        items = node.items if isinstance(node, Sequence) else (node,) if node is not None else ()
        paths = name in self.keys and self.keys[name].kind is Kind.GLOBS
        scalars = [item for item in items if isinstance(item, Scalar)]
        return tuple(
            (self._path(item.text) if paths else item.text, Place(self.file, item.line)) for item in scalars
        )

    def inner(self, name: str) -> Settings | None:
        """The mapping under a key, None where the key is not there."""
        node = self._node(name)
        return self._below(name, node) if isinstance(node, Entries) else None

    def named(self, name: str) -> dict[str, Settings]:
        """The mappings under a key by their names."""
        node = self._node(name)
        entries = node.entries if isinstance(node, Entries) else {}
        return {
            word: self._below(f"{name}.{word}", item, name)
            for word, item in entries.items()
            if isinstance(item, Entries)
        }

    def refuse(self, message: str, hint: str, name: str = "") -> NoReturn:
        """Says what is wrong with the settings beyond what a table can say.

        Raises:
            UsageError: `preflight-settings`, with the line of the key.
        """
        raise refused(self.place(name), message, hint)

    def _node(self, name: str) -> Node | None:
        assert name in self.keys, name  # noqa: S101  # a check asks for keys of its own table alone
        return self.node.entries.get(name)

    def _below(self, name: str, node: Entries, key: str = "") -> Settings:
        return Settings(self.file, f"{self.within}.{name}", node, self.keys[key or name].inner, self.units)

    def _path(self, path: str) -> str:
        return files.join(self.file.rpartition("/")[0], path)

    def _amount(self, name: str) -> Fraction:
        amount = parse_value(self.text(name), self.units)
        assert isinstance(amount, Quantity)  # noqa: S101  # it was held to its kind
        return amount.base


def plain(node: Node) -> Any:
    """A node as plain data: text, lists, dicts."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {name: plain(item) for name, item in node.entries.items()}


def held(file: str, within: str, node: Entries, keys: Keys, units: Units) -> Settings:
    """A mapping that fits its table, all below it included.

    Raises:
        UsageError: `preflight-settings`: the first thing in it that does not, with its line.
    """
    settings = Settings(file, within, node, keys, units)
    for name, item in node.entries.items():
        key = keys.get(name)
        if key is None:
            near = did_you_mean(name, keys) or "known keys are " + ", ".join(f"`{word}`" for word in keys)
            raise refused(Place(file, item.line), f"unknown key `{clip(name)}` in `{within}`", near)
        _hold(settings, key, item)
    for key in keys.values():
        if key.required and key.name not in node.entries:
            raise refused(
                Place(file, node.line), f"`{key.name}` is missing in `{within}`", f"add `{key.example}`"
            )
    return settings


def _hold(settings: Settings, key: Key, node: Node) -> None:
    """Holds one value to its key."""
    place = Place(settings.file, node.line)
    if type(node) not in key.shapes:
        what = (
            "has no value" if _is_empty(node) else f"must be {_article(key)}, not {_SHAPE_NAMES[type(node)]}"
        )
        raise refused(place, f"`{key.name}` {what}", f"write `{key.example}`")
    if isinstance(node, Scalar):
        _hold_text(settings, key, node)
    elif isinstance(node, Sequence):
        _hold_items(settings, key, node)
    elif key.kind is Kind.NAMED:
        _hold_named(settings, key, node)
    else:
        held(settings.file, f"{settings.within}.{key.name}", node, key.inner, settings.units)


def _hold_items(settings: Settings, key: Key, node: Sequence) -> None:
    if not node.items:
        raise refused(
            Place(settings.file, node.line), f"`{key.name}` is an empty list", f"write `{key.example}`"
        )
    for item in node.items:
        _hold_item(settings, key, item)


def _hold_named(settings: Settings, key: Key, node: Entries) -> None:
    for name, item in node.entries.items():
        if not isinstance(item, Entries):
            message = f"`{clip(name)}` of `{key.name}` is {_SHAPE_NAMES[type(item)]}, not a mapping"
            raise refused(Place(settings.file, item.line), message, f"write `{key.example}`")
        held(settings.file, f"{settings.within}.{key.name}.{name}", item, key.inner, settings.units)


def _hold_item(settings: Settings, key: Key, item: Node) -> None:
    if not isinstance(item, Scalar):
        message = f"an item of `{key.name}` is {_SHAPE_NAMES[type(item)]}, not text"
        raise refused(Place(settings.file, item.line), message, f"write `{key.example}`")
    _hold_text(settings, key, item)


def _hold_text(settings: Settings, key: Key, node: Scalar) -> None:
    place = Place(settings.file, node.line)
    if _is_empty(node):
        raise refused(place, f"`{key.name}` has no value", f"write `{key.example}`")
    if node.cut:
        message = f"`{key.name}` is cut at ` #`, where a YAML comment begins"
        raise refused(place, message, "put the whole value in quotes, or the comment on a line of its own")
    hold = _HOLDS.get(key.kind)
    if hold is None:
        return
    try:
        fits = hold(settings, node.text)
    except StilltrueError as error:
        raise refused(
            place, f"`{key.name}`: {error.message}", error.hint or f"write `{key.example}`"
        ) from None
    if not fits:
        message = f"`{key.name}` must be {_article(key)}, not `{clip(node.text)}`"
        raise refused(place, message, f"write `{key.example}`")


def _article(key: Key) -> str:
    return str(key.kind) if key.kind is Kind.SWITCH else f"a {key.kind}"


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.text.strip()


def _is_command(_settings: Settings, text: str) -> bool:
    try:
        return bool(shlex.split(text))
    except ValueError as error:
        raise InputError("preflight-settings", f"this is no command: {error}".lower()) from None


def _is_path(settings: Settings, text: str) -> bool:
    return bool(files.join(settings.file.rpartition("/")[0], text))


def _is_folder(settings: Settings, text: str) -> bool:
    return _is_path(settings, text.rstrip("/"))


def _no_end(key: Key, text: str) -> str:
    """A folder without the `/` that may stand after it."""
    return text.rstrip("/") if key.kind is Kind.FOLDER else text


def _is_jsonpath(_settings: Settings, text: str) -> bool:
    from stilltrue.evidence.jsonpath import compile_query  # noqa: PLC0415  # few settings hold one

    compile_query(text)
    return True


def _is_whole(_settings: Settings, text: str) -> bool:
    return _WHOLE.fullmatch(text) is not None


def _is_amount(dimension: Dimension, most: int | None = None) -> Callable[[Settings, str], bool]:
    def holds(settings: Settings, text: str) -> bool:
        amount = parse_value(text, settings.units)
        if not isinstance(amount, Quantity) or amount.unit.dimension != dimension:
            return False
        return amount.base > 0 and (most is None or amount.base <= most)

    return holds


def _is_share(settings: Settings, text: str) -> bool:
    amount = parse_value(text, settings.units)
    return isinstance(amount, Quantity) and amount.unit.symbol == "%" and 0 <= amount.base <= _MOST_SHARE


def _is_switch(settings: Settings, text: str) -> bool:
    return text in ("yes", "no") and isinstance(parse_value(text, settings.units), Flag)


_HOLDS: dict[Kind, Callable[[Settings, str], bool]] = {
    Kind.COMMAND: _is_command,
    Kind.PATH: _is_path,
    Kind.FOLDER: _is_folder,
    Kind.GLOBS: _is_path,
    Kind.JSONPATH: _is_jsonpath,
    Kind.WHOLE: _is_whole,
    Kind.TIME: _is_amount(TIME),
    Kind.SIZE: _is_amount(INFORMATION, _MOST_BYTES),
    Kind.SHARE: _is_share,
    Kind.SWITCH: _is_switch,
}


def refused(place: Place, message: str, hint: str) -> UsageError:
    """What is wrong with the settings, as `preflight-settings`, with the line that is at fault."""
    return UsageError(message, hint, code="preflight-settings", place=str(place))
