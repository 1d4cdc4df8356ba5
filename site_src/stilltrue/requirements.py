"""Pip's requirements as text: the lines of a file, and what each of them asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_NORMAL = re.compile(r"[-_.]+")
_COMMENT = re.compile(r"(^|\s)#.*")
_NAMED = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*")
_AFTER = re.compile(r";|@|\s--")
_CLAUSE = re.compile(r"(===|==|~=|!=|<=|>=|<|>)\s*([^\s<>=!~]\S*)")
_NO_PACKAGE = re.compile(r"[./]|\S+://|\S+\.(?:whl|zip|tar\.gz)\b")


class Requirement(NamedTuple):
    """One requirement.

    Attributes:
        name: The package, as written.
        asked: What versions it may have, as written, spaces aside: `>=2.0,<3`; empty for any.
        pins: The versions that `==` and `===` name.
        rest: What follows: markers after `;`, an address after `@`, options.
    """

    name: str
    asked: str
    pins: tuple[str, ...]
    rest: str


def normal(name: str) -> str:
    """A package's name in its normal form: `Foo_Bar` is `foo-bar`."""
    return _NORMAL.sub("-", name).lower()


def names_no_package(text: str) -> bool:
    """Whether a line is a file or an address instead of a package's name."""
    return _NO_PACKAGE.match(text) is not None


def requirement(text: str) -> Requirement | None:
    """What a line asks for; None where it is no requirement."""
    named = _NAMED.match(text)
    if named is None:
        return None
    after = _AFTER.search(text, named.end())
    end = after.start() if after else len(text)
    asked = text[named.end() : end].strip().removeprefix("(").removesuffix(")")
    pins: list[str] = []
    for clause in asked.split(",") if asked else ():
        found = _CLAUSE.fullmatch(clause.strip())
        if found is None:
            return None
        if found[1] in ("==", "===") and not found[2].endswith(".*"):
            pins.append(found[2])
    return Requirement(named[1], "".join(asked.split()), tuple(pins), text[end:].strip())


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with what continues them, comments and blank ones left out; each with its first line's number."""
    start, whole = 0, ""
    for number, raw in enumerate(text.split("\n"), 1):
        start = start or number
        line = raw.removesuffix("\r")
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            whole += f"{line[:-1]} "
            continue
        whole = _COMMENT.sub("", whole + line).strip()
        if whole:
            yield start, whole
        start, whole = 0, ""
    if whole.strip():
        yield start, whole.strip()
