"""Gaps in a JSONPath: an operand, a name, or a part of a quoted text, never syntax."""

from __future__ import annotations

import re
from functools import partial

from stilltrue.claims.nodes import clip
from stilltrue.claims.placeholders import Headers, Part, Template, Value, Values
from stilltrue.errors import InputError

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_GAP = re.compile(r"\{([^{}]*)\}")
_QUERY = r"[@$](?:\.\w+|\[(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|-?[0-9]+)\])*"
_EQUAL = re.compile(rf"(?P<left>{_QUERY})[ ]*(?P<sign>==|!=)[ ]*$")
_SAME = re.compile(r"[=!]=\s*$")
_SAME_AFTER = re.compile(r"\s*[=!]=")
_ORDER = re.compile(r"[<>]=?\s*$")
_ORDER_AFTER = re.compile(r"\s*[<>]")
_OPENED = re.compile(r"\[\s*$")
_LISTED = re.compile(r",\s*$")
_CLOSED = re.compile(r"\s*[\],]")
_ARGUMENT = re.compile(r"[(,]\s*$")
_ARGUMENT_ENDS = re.compile(r"\s*[,)]")
_REGEXP = re.compile(r"\b(?:match|search)\s*\([^()]*,\s*$")
_CONTROL = re.compile(r"[\x00-\x1f]")
_SPECIAL = re.compile(r"[()*+\-.?\[\\\]^{|}]")


def template(source: str, headers: Headers) -> Template:
    """A path with gaps.

    Raises:
        InputError: `bad-placeholder`: a name in braces is no header, or stands where no value can.
    """
    if "{" not in source:
        return Template((source,))
    return _Reader(source, headers).template()


class _Reader:
    """One path, taken apart from left to right."""

    def __init__(self, source: str, headers: Headers) -> None:
        self.source = source
        self.headers = headers
        self.parts: list[Part] = []
        self.used: set[str] = set()
        self.text = ""  # the path so far, with gaps as written: what decides how the next one is filled
        self.tail = ""  # its end that is not among the parts yet

    def template(self) -> Template:
        at = 0
        for text in _QUOTED.finditer(self.source):
            self._bare(at, text.start())
            self._quoted(text[0])
            at = text.end()
        self._bare(at, len(self.source))
        self._flush()
        return Template(tuple(self.parts), frozenset(self.used))

    def _flush(self) -> None:
        if self.tail:
            self.parts.append(self.tail)
            self.tail = ""

    def _add(self, text: str) -> None:
        self.text += text
        self.tail += text

    def _gap(self, header: str, part: Part) -> None:
        self._flush()
        self.parts.append(part)
        self.used.add(header)
        self.text += f"{{{header}}}"

    def _quoted(self, token: str) -> None:
        """A text in quotes: gaps in it are text, in a regular expression escaped for one too."""
        pattern = _REGEXP.search(self.text) is not None
        for before, header in self.headers.split(token, pattern=pattern):
            self._add(before)
            if header:
                self._gap(header, partial(_inside, header, token[0], pattern=pattern))

    def _bare(self, at: int, end: int) -> None:
        """What stands outside quotes."""
        for gap in _GAP.finditer(self.source, at, end):
            self._add(self.source[at : gap.start()])
            at = gap.end()
            if gap[1] not in self.headers.names:
                message = f"`{{{clip(gap[1])}}}` in `path` is no column of the table"
                raise InputError("unknown-column", message, self.headers.hint(gap[1]))
            self._fill(gap[1], self.source[at:])
        self._add(self.source[at:end])

    def _fill(self, header: str, after: str) -> None:
        """One gap outside quotes, by what stands around it."""
        before = self.text
        equal = _EQUAL.search(self.tail)
        if equal is not None and not _ORDER_AFTER.match(after):
            self.tail = self.tail[: equal.start()]
            self._gap(header, partial(_equal, header, equal["left"], equal["sign"]))
        elif _ORDER.search(before) or _ORDER_AFTER.match(after):
            self._gap(header, partial(_ordered, header))
        elif _SAME.search(before) or _SAME_AFTER.match(after):
            self._gap(header, partial(_operand, header))
        elif before.endswith("."):
            if not before.endswith(".."):
                self.tail = self.tail.removesuffix(".")
            self._gap(header, partial(_child, header))
        elif (_OPENED.search(before) or _LISTED.search(before)) and _CLOSED.match(after):
            self._gap(header, partial(_names, header))
        elif _ARGUMENT.search(before) and _ARGUMENT_ENDS.match(after):
            pattern = _REGEXP.search(before) is not None
            self._gap(header, partial(_argument if pattern else _operand, header))
        else:
            message = f"`{{{clip(header)}}}` stands where no value can in `path`"
            hint = "compare with it, `@.key == {…}`, or take it as a name, `[{…}]`, or as text in quotes"
            raise InputError("bad-placeholder", message, hint)


# What a row makes of a gap -----------------------------------------------------------------------------


def _equal(header: str, left: str, sign: str, values: Values) -> str:
    """A comparison: a number equals a number by worth, and a text as text."""
    operands = [*_numbers(values[header]), *map(quoted, values[header].texts)]
    tests = [f"{left} {sign} {operand}" for operand in operands]
    return tests[0] if len(tests) == 1 else f"({(' || ' if sign == '==' else ' && ').join(tests)})"


def _operand(header: str, values: Values) -> str:
    """One side of a comparison, or an argument: a number where the cell is one, else text."""
    return next(iter(_numbers(values[header])), quoted(values[header].plain))


def _ordered(header: str, values: Values) -> str:
    value = values[header]
    if not value.literal:
        value.refuse("{} is no number, and `<` and `>` in `path` need one", "leave the row out with `rows`")
    return value.literal


def _numbers(value: Value) -> tuple[str, ...]:
    return (value.literal,) if value.literal else ()


def _names(header: str, values: Values) -> str:
    """Names in brackets, never an index."""
    return ",".join(map(quoted, values[header].texts))


def _child(header: str, values: Values) -> str:
    return f"[{_names(header, values)}]"


def _argument(header: str, values: Values) -> str:
    """The pattern of `match` or `search`: it matches the cell's text alone."""
    return quoted(_as_pattern(values[header].plain))


def _inside(header: str, mark: str, values: Values, *, pattern: bool) -> str:
    """A part of a text in quotes."""
    text = values[header].plain
    return _escaped(_as_pattern(text) if pattern else text, mark)


def quoted(text: str) -> str:
    """A text as JSONPath writes it; in double quotes where that spares escapes."""
    mark = '"' if "'" in text and '"' not in text else "'"
    return f"{mark}{_escaped(text, mark)}{mark}"


def _escaped(text: str, mark: str) -> str:
    return _CONTROL.sub(_code, text.replace("\\", "\\\\").replace(mark, f"\\{mark}"))


def _code(sign: re.Match[str]) -> str:
    return f"\\u{ord(sign[0]):04x}"


def _as_pattern(text: str) -> str:
    """A text as an I-Regexp (RFC 9485) that matches it and nothing else."""
    return _SPECIAL.sub(lambda sign: f"\\{sign[0]}", text)
