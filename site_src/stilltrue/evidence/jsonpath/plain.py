"""The paths that most claims have, parsed without the library: names, indices, `[*]`, equalities.

`$.a.b[3]['c'].d`, `$.rows[*].peak`, `$.rows[?@.loss == 'naive' && (@.n == 1 || @.n == '1')].peak`. What this
does not understand goes to the strict parser, so it may be narrow; what it understands means the same there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from stilltrue.evidence.jsonpath.compare import equal
from stilltrue.evidence.jsonpath.nodes import Budget, Node, Segment, Selector
from stilltrue.evidence.jsonpath.selectors import by_index, by_name, everything

_NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
_QUOTED = r"'[^'\\\x00-\x1f]*+'|\"[^\"\\\x00-\x1f]*+\""
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_STEP = re.compile(
    rf"\.(?P<name>{_NAME})|\[(?P<index>0|-?[1-9][0-9]{{0,14}})\]|\[(?P<quoted>{_QUOTED})\]"
    r"|(?P<all>\.\*|\[\*\])|(?P<filter>\[\?)"
)
_PATH = rf"@(?:\.{_NAME}|\[(?:{_QUOTED})\])++"
_LITERAL = rf"(?:{_QUOTED}|{_NUMBER}|(?:true|false|null)\b)"
_TEST = re.compile(
    rf"[ ]*(?:(?P<path>{_PATH})[ ]*==[ ]*(?P<literal>{_LITERAL})"
    rf"|\((?P<one>{_PATH}) == {_LITERAL}(?: \|\| (?P=one) == {_LITERAL})++\))[ ]*(?P<end>&&|\])"
)
_OPERAND = re.compile(rf"== (?:(?P<quoted>{_QUOTED})|(?P<number>{_NUMBER})|(?P<word>true|false|null)\b)")
_MEMBER = re.compile(rf"\.(?P<name>{_NAME})|\[(?P<quoted>{_QUOTED})\]")
_WORDS = {"true": True, "false": False, "null": None}
_MISSING = object()

Equality = tuple[tuple[str, ...], tuple[Any, ...]]
"""The names that lead from the current node to a value, and the literals one of which it must equal."""


def parse(path: str) -> tuple[Segment, ...] | None:
    """The segments of a plain path; None for any other, valid or not."""
    if path[:1] != "$":
        return None
    segments: list[Segment] = []
    at = 1
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            return None
        at = step.end()
        if step.lastgroup != "filter":
            segments.append(_segment(step))
            continue
        parsed = _filter(path, at)
        if parsed is None:
            return None
        tests, end = parsed
        segments.append(Segment((_by_equalities(tests),), False, path[at - 2 : end], tests=tests))
        at = end
    return tuple(segments)


def _segment(step: re.Match[str]) -> Segment:
    text = step[0]
    if step["name"]:
        return Segment((by_name(text[1:]),), False, text, text[1:])
    if step["index"]:
        return Segment((by_index(int(step["index"])),), False, text)
    if step["quoted"]:
        name = step["quoted"][1:-1]
        return Segment((by_name(name),), False, text, name)
    return Segment((everything,), False, text)


def _filter(path: str, at: int) -> tuple[tuple[Equality, ...], int] | None:
    """The equalities of a filter and where it ends; None when it holds anything else."""
    tests: list[Equality] = []
    while True:
        test = _TEST.match(path, at)
        if test is None:
            return None
        names = tuple(m["name"] or m["quoted"][1:-1] for m in _MEMBER.finditer(test["path"] or test["one"]))
        literals = _literals(test)
        if _MISSING in literals:
            return None
        tests.append((names, literals))
        at = test.end()
        if test["end"] == "]":
            return tuple(tests), at


def _literals(test: re.Match[str]) -> tuple[Any, ...]:
    """What the value of a test may be; `_MISSING` for what the strict parser must read."""
    if test["literal"]:
        found = _OPERAND.fullmatch(f"== {test['literal']}")
        return (_MISSING if found is None else _literal(found),)
    if "==" in test["one"]:
        return (_MISSING,)
    return tuple([_literal(found) for found in _OPERAND.finditer(test.string, test.end("one"), test.end())])


def _literal(found: re.Match[str]) -> Any:
    if found["quoted"]:
        return found["quoted"][1:-1]
    if found["word"]:
        return _WORDS[found["word"]]
    number = found["number"]
    if number.lstrip("-").isdigit():
        return int(number) if len(number) < 16 else _MISSING
    return float(number)


def _by_equalities(tests: tuple[Equality, ...]) -> Selector:
    """The children for which all equalities hold.

    Those of a member itself are looked at first by Python's own `==`, which lets through what is equal and,
    besides, 1 for true; the few that pass are then compared as the RFC says.
    """
    members = [(names[0], literals) for names, literals in tests if len(names) == 1]

    def holds(value: Any) -> bool:
        return all(
            any(equal(_follow(value, names), literal) for literal in literals) for names, literals in tests
        )

    def select(node: Node, found: list[Node], _root: Any, budget: Budget) -> None:
        value, trail = node
        if not isinstance(value, list | dict):
            return
        budget.spend(len(value))
        pairs: Iterable[tuple[str | int, Any]] = (
            enumerate(value) if isinstance(value, list) else value.items()
        )
        for name, literals in members:
            pairs = [
                (key, child)
                for key, child in pairs
                if type(child) is dict and child.get(name, _MISSING) in literals
            ]
        found.extend(Node(child, (trail, key)) for key, child in pairs if holds(child))

    return select


def _follow(value: Any, names: tuple[str, ...]) -> Any:
    """The value below by names, or a mark that equals no literal."""
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return _MISSING
        value = value[name]
    return value
