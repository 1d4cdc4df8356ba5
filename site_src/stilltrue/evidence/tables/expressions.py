"""`where` and `column` as one SQL expression each: what they hold is settled before SQLite sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from stilltrue.errors import InputError

LONGEST = 10_000
"""How many characters an expression may have."""

_TOKEN = re.compile(
    r"""
      (?P<space>  [ \t\r\n\f]+)
    | (?P<text>   '(?:[^']|'')*')
    | (?P<name>   "(?:[^"]|"")+" | `[^`]+` | \[[^\]]+\])
    | (?P<number> (?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?!\w))
    | (?P<word>   [^\W\d]\w*)
    | (?P<remark> --|/\*)
    | (?P<open>   \()
    | (?P<close>  \))
    | (?P<over>   /)
    | (?P<sign>   \|\||<<|>>|<=|>=|<>|!=|==|[-+*%<>=&|~,.])
    """,
    re.VERBOSE,
)
_STATEMENTS = frozenset({"select", "values"})
_LOOSER = frozenset({"or", "between", "case"})
"""Words beside which an `and` may bind more tightly than it looks, or be none."""

_ONE = "write one SQLite expression over the columns of one row"


@dataclass(frozen=True, slots=True)
class Expression:
    """An SQL expression that is known to be one.

    Attributes:
        text: As the author wrote it.
        sql: What SQLite runs: the same, but `/` never drops a remainder.
        words: The unquoted words, lower case: columns, functions, keywords.
        names: The quoted names, quotes taken off, lower case.
        lone: The column that it may be: when it is one word or one quoted name.
        texts: Its text literals, quotes taken off.
        subqueries: The SQL of each subquery of which one value is taken, those inside another left out.
    """

    text: str
    sql: str
    words: frozenset[str]
    names: frozenset[str]
    lone: str
    texts: tuple[str, ...]
    subqueries: tuple[str, ...]


@lru_cache(maxsize=4096)
def parse_expression(text: str, key: str) -> Expression:
    """An expression, held to be one: nothing in it can end it or begin another statement.

    SQLite divides whole numbers without remainder, which makes a ratio of two columns wrong without a
    word; here `/` is a true division.

    Args:
        text: As written.
        key: `where` or `column`, for messages.

    Raises:
        InputError: It is too long, its parentheses or quotes do not close, or it holds `;`, a comment, a
            parameter or any other sign that is not part of an expression.
    """
    if len(text) > LONGEST:
        raise InputError("bad-sql", f"`{key}` is longer than {LONGEST:,} characters", _ONE)
    tokens = list(_tokens(text, key))
    if next((value.lower() for kind, value in tokens if kind != "space"), "") in _STATEMENTS:
        raise InputError("bad-sql", f"`{key}` is a statement of its own", _ONE)
    if any(kind == "word" and value.lower() == "with" for kind, value in tokens):
        raise InputError("bad-sql", f"`with` cannot stand in `{key}`", "write the subquery where it is used")
    names = [_unquoted(value) for kind, value in tokens if kind == "name"]
    words = [value for kind, value in tokens if kind == "word"]
    single = sum(kind != "space" for kind, _ in tokens) == 1
    lone = [*words, *names][0] if single and (words or names) else ""
    return Expression(
        text=text.strip(),
        sql=_sql(tokens),
        words=frozenset(word.lower() for word in words),
        names=frozenset(name.lower() for name in names),
        lone=lone.lower(),
        texts=tuple(value[1:-1].replace("''", "'") for kind, value in tokens if kind == "text"),
        subqueries=tuple(_subqueries(tokens)),
    )


def conjuncts(text: str) -> tuple[str, ...]:
    """The conditions that all hold where a condition does: what stands between the outermost `and`.

    Args:
        text: What `parse_expression` took.
    """
    found: list[list[str]] = [[]]
    depth = 0
    for kind, value in _tokens(text, "where"):
        depth += (kind == "open") - (kind == "close")
        word = value.lower() if kind == "word" and not depth else ""
        if word in _LOOSER:
            return (text,)
        if word == "and":
            found.append([])
        else:
            found[-1].append(value)
    return tuple("".join(tokens) for tokens in found)


def _tokens(text: str, key: str) -> Iterator[tuple[str, str]]:
    """The tokens of an expression, each with its kind; raises where one cannot stand in an expression."""
    at = depth = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        kind = found.lastgroup if found else None
        if found is None or kind is None:
            raise _stray(text, at, key)
        depth += (kind == "open") - (kind == "close")
        if kind == "remark":
            raise InputError(
                "bad-sql", f"`{key}` holds a comment, `{found[0]}`", "write `- -1` for a double minus"
            )
        if depth < 0:
            raise InputError("bad-sql", f"`{key}` closes a parenthesis that was not opened", _ONE)
        yield kind, found[0]
        at = found.end()
    if depth:
        raise InputError("bad-sql", f"`{key}` has a parenthesis that does not close", _ONE)


def _stray(text: str, at: int, key: str) -> InputError:
    sign = text[at]
    if sign in "'\"`[":
        return InputError("bad-sql", f"`{key}` has a quote that does not close: {text[at : at + 20]}", _ONE)
    if sign.isdigit():
        return InputError(
            "bad-sql",
            f"`{key}` holds `{text[at:].split(maxsplit=1)[0][:20]}`, which is no number",
            "quantities are in base units here: `0.005` for 5 ms, `1024` for 1 KiB",
        )
    return InputError("bad-sql", f"`{sign}` cannot stand in `{key}`", _ONE)


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name[0] == '"' else name[1:-1]


def _sql(tokens: Sequence[tuple[str, str]]) -> str:
    return "".join("*1.0/" if kind == "over" else value for kind, value in tokens)


def _subqueries(tokens: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The scalar subqueries: those of `in` and `exists` may find what they like."""
    solid = [at for at, (kind, _) in enumerate(tokens) if kind != "space"]
    end = 0
    for before, at, after in zip([-1, *solid], solid, solid[1:], strict=False):
        if at >= end and tokens[at][0] == "open" and tokens[after][1].lower() in _STATEMENTS:
            end = _closing(tokens, at)
            if before < 0 or tokens[before][1].lower() not in {"in", "exists"}:
                yield _sql(tokens[at + 1 : end])


def _closing(tokens: Sequence[tuple[str, str]], start: int) -> int:
    """The place of the parenthesis that closes the one at `start`."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += (tokens[at][0] == "open") - (tokens[at][0] == "close")
        if not depth:
            return at
    return len(tokens)
