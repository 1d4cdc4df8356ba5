"""Text to an expression, by precedence climbing over a closed set of tokens."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple, Never

from stilltrue.derive.expression import (
    COMPARISONS,
    FUNCTIONS,
    Binary,
    Call,
    Expression,
    Literal,
    Name,
    Negative,
    Node,
)
from stilltrue.errors import InputError
from stilltrue.quantity import Quantity, Units, parse_value
from stilltrue.suggest import did_you_mean

LONGEST = 4_000
"""How many characters an expression may have."""

DEEPEST = 40
"""How deeply parentheses, calls and signs may nest."""

MOST_SIGNS = 200
"""How many operations an expression may hold, which also bounds how deep its tree is."""

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<operand>\{[^{}]*\})
      | (?P<number>\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?)
      | (?P<word>[^\W\d]\w*)
      | (?P<sign>\*\*|<=|>=|==|!=|[-+*/()<>,])
      | (?P<other>\S)
    )""",
    re.VERBOSE,
)
_UNIT_WORD = re.compile(r"\s*(?P<word>%|°?[^\W\d_]+)")
_UNIT_TAIL = re.compile(r"(?P<sign>[/·^])(?P<word>-?\d+|[^\W\d_]+)")
_ID = re.compile(r"[a-z0-9.-]+")


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def parse(text: str, units: Units, names: Collection[str] = ()) -> Expression:
    """The expression that `text` writes.

    Args:
        text: The expression; claims are `{id}`, reads are bare names.
        units: The units that a literal may carry.
        names: The names of the claim's own reads, which win over units.

    Raises:
        InputError: `bad-derive`: it cannot be read, reaches for something that is not there, or is too
            long or too deep.
    """
    if len(text) > LONGEST:
        raise InputError(
            "bad-derive", f"the expression is longer than {LONGEST:,} characters", "split it into claims"
        )
    return _Parser(text, units, frozenset(names)).expression()


class _Parser:
    def __init__(self, text: str, units: Units, names: frozenset[str]) -> None:
        self.text = text
        self.units = units
        self.names = names
        self.position = 0
        self.depth = 0
        self.signs = 0
        self.operands: dict[str, None] = {}
        self.token = self._next()

    def expression(self) -> Expression:
        root = self._comparison()
        if self.token.kind != "end":
            self._unexpected()
        return Expression(self.text, root, tuple(self.operands))

    # The grammar, loosest first ------------------------------------------------------------------------

    def _comparison(self) -> Node:
        left = self._sum()
        if self.token.text not in COMPARISONS:
            return left
        sign = self._take().text
        right = self._sum()
        if self.token.text in COMPARISONS:
            self._fail("comparisons cannot be chained", "compare two values")
        return Binary(sign, left, right)

    def _sum(self) -> Node:
        left = self._product()
        while self.token.text in ("+", "-"):
            left = Binary(self._take().text, left, self._product())
        return left

    def _product(self) -> Node:
        left = self._signed()
        while self.token.text in ("*", "/"):
            left = Binary(self._take().text, left, self._signed())
        return left

    def _signed(self) -> Node:
        if self.token.text not in ("-", "+"):
            return self._power()
        minus = self._take().text == "-"
        self._enter()
        operand = self._signed()
        self.depth -= 1
        return Negative(operand) if minus else operand

    def _power(self) -> Node:
        base = self._atom()
        if self.token.text != "**":
            return base
        self._take()
        self._enter()
        exponent = self._signed()
        self.depth -= 1
        return Binary("**", base, exponent)

    def _atom(self) -> Node:
        token = self.token
        if token.kind == "operand":
            return self._claim(token)
        if token.kind == "number":
            return self._literal(token)
        if token.kind == "word":
            return self._word(token)
        if token.text == "(":
            return self._parentheses()
        return self._unexpected()

    # Atoms ---------------------------------------------------------------------------------------------

    def _claim(self, token: _Token) -> Node:
        name = token.text[1:-1].strip()
        if self.names:
            self._fail(
                f"`{token.text}` names a claim, but this expression is over the claim's own reads",
                f"write the name of a read without braces: {', '.join(f'`{n}`' for n in sorted(self.names))}",
            )
        if not _ID.fullmatch(name):
            self._fail(f"`{token.text}` is no claim's id", "write `{claim-id}`")
        self._take()
        self.operands[name] = None
        return Name(name)

    def _word(self, token: _Token) -> Node:
        if token.text in self.names:
            self._take()
            self.operands[token.text] = None
            return Name(token.text)
        if token.text in FUNCTIONS:
            return self._call(token)
        near = did_you_mean(token.text, [*self.names, *FUNCTIONS])
        hint = (
            "write a claim as `{" + token.text + "}`" if not self.names else "name one of the claim's reads"
        )
        return self._fail(f"`{token.text}` is neither a function nor a read of this claim", near or hint)

    def _call(self, token: _Token) -> Node:
        self._take()
        if self.token.text != "(":
            self._fail(f"`{token.text}` is a function", f"write `{token.text}(…)`")
        self._take()
        self._enter()
        arguments = [self._comparison()]
        while self.token.text == ",":
            self._take()
            arguments.append(self._comparison())
        self._close()
        if token.text not in ("min", "max") and len(arguments) > 1:
            self._fail(f"`{token.text}` takes one value, not {len(arguments)}", "remove the others")
        return Call(token.text, tuple(arguments))

    def _parentheses(self) -> Node:
        self._take()
        self._enter()
        inner = self._comparison()
        self._close()
        return inner

    def _literal(self, token: _Token) -> Node:
        """A number and the unit that may follow it: `24 USD/h`, `16384 tokens`, `65 %`."""
        end = token.end
        unit = _UNIT_WORD.match(self.text, end)
        if unit and unit["word"] not in self.names and not self._is_call(unit.end("word")):
            end = self._unit_end(unit.end())
        written = self.text[token.start : end]
        try:
            value = parse_value(written.replace("_", ""), self.units)
        except InputError as error:
            self._fail(error.message, error.hint)
        if not isinstance(value, Quantity):
            self._fail(f"`{written}` has no known unit", self._unit_hint(written[len(token.text) :].strip()))
        self.position = end
        self.token = self._next()
        return Literal(value)

    def _unit_end(self, end: int) -> int:
        """Where a unit that began before `end` ends: `USD/h` goes on, `USD/before` does not."""
        while tail := _UNIT_TAIL.match(self.text, end):
            word = tail["word"]
            if word in self.names or self._is_call(tail.end()):
                break
            if tail["sign"] != "^" and not self._is_unit(word):
                break
            end = tail.end()
        return end

    def _is_call(self, end: int) -> bool:
        """Whether a word that ends here is called: `min(…)` is a function, `2 min` two minutes."""
        return self.text[end:].lstrip().startswith("(")

    def _is_unit(self, word: str) -> bool:
        try:
            self.units.parse(word)
        except InputError:
            return False
        return True

    def _unit_hint(self, word: str) -> str:
        try:
            self.units.parse(word)
        except InputError as error:
            if error.hint:
                return error.hint
        return "use a known unit, or add the word under `units` in the configuration"

    # Tokens --------------------------------------------------------------------------------------------

    def _next(self) -> _Token:
        match = _TOKEN.match(self.text, self.position)
        if match is None or match.lastgroup is None:
            return _Token("end", "", len(self.text), len(self.text))
        kind = match.lastgroup
        self.position = match.end()
        return _Token(kind, match[kind], match.start(kind), match.end())

    def _take(self) -> _Token:
        token = self.token
        self.signs += token.kind == "sign"
        if self.signs > MOST_SIGNS:
            self._fail(f"the expression holds more than {MOST_SIGNS} operations", "split it into claims")
        self.token = self._next()
        return token

    def _enter(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            self._fail(f"the expression nests deeper than {DEEPEST} levels", "split it into claims")

    def _close(self) -> None:
        if self.token.text != ")":
            self._unexpected()
        self._take()
        self.depth -= 1

    def _unexpected(self) -> Never:
        if self.token.kind == "end":
            self._fail("the expression ends too early", "complete it")
        self._fail(
            f"`{self.token.text}` was not expected here (character {self.token.start + 1})",
            "write arithmetic over `{claim-id}`, numbers and + - * / ** ( )",
        )

    def _fail(self, message: str, hint: str) -> Never:
        raise InputError("bad-derive", f"`derive`: {message}", hint)
