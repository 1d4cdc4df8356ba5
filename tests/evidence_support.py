"""Evidence in a scratch project, and reads of it in one line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from stilltrue.config import Config, Limits
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.model import Read, Shape, Take, Taken
from stilltrue.quantity import Quantity, Unit, Units, Value

UNITS = Units.default()


def unit(text: str) -> Unit:
    return UNITS.parse(text)


def quantity(number: str, symbol: str = "") -> Quantity:
    return Quantity(Fraction(number), unit(symbol)) if symbol else Quantity(Fraction(number))


def take(word: str) -> tuple[Take, ...]:
    """`mean`, `p95`, `last of 3`, and two of them with a comma between: within a file, then across."""
    return tuple(_take(part) for part in word.split(", "))


def _take(word: str) -> Take:
    name, _, number = word.partition(" of ")
    of = int(number) if number else None
    if name[0] == "p" and name[1:].replace(".", "").isdigit():
        return Take("p", of, Fraction(name[1:]))
    return Take(name, of)


class Project:
    """A folder with evidence in it."""

    def __init__(self, root: Path, limits: Limits | None = None) -> None:
        self.root = root.resolve()
        self.config = Config(self.root, limits=limits or Limits())
        self.library = Library(self.config)

    def write(self, name: str, data: str | bytes) -> Project:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return self

    def take(self, name: str | tuple[str, ...], read: Read) -> Taken:
        return self.library.take((name,) if isinstance(name, str) else name, read)

    def value(self, name: str | tuple[str, ...], read: Read) -> Value:
        return self.take(name, read).value

    def lines(self, name: str, read: Read) -> list[int]:
        return [reading.line for reading in self.take(name, read).readings]

    def error(self, name: str | tuple[str, ...], read: Read) -> InputError:
        with pytest.raises(InputError) as caught:
            self.take(name, read)
        return caught.value


def tree(path: str, takes: str = "", symbol: str = "", form: str = "", decimal: str = ".") -> Read:
    return Read(
        Shape.TREE,
        path=path,
        take=take(takes) if takes else (),
        unit=unit(symbol) if symbol else None,
        format=form,
        decimal=decimal,
    )


def text(
    match: str, takes: str = "", symbol: str = "", between: tuple[str, str] | None = None, decimal: str = "."
) -> Read:
    return Read(
        Shape.TEXT,
        match=match,
        take=take(takes) if takes else (),
        unit=unit(symbol) if symbol else None,
        between=between,
        decimal=decimal,
    )
