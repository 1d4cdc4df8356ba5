"""Where in a block YAML and its author part, and the line as it should have been written.

The parser says where it gave up, which is often not where the mistake is, in words that name neither. Here
each line is tried on its own, from that place upwards, and a corrected line is only proposed after it was
composed in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stilltrue.claims import compose as composing
from stilltrue.claims import keys
from stilltrue.claims.compose import NotYamlError, QuotingError
from stilltrue.claims.nodes import Mapping, Scalar, Sequence
from stilltrue.claims.quoting import quoted
from stilltrue.errors import InputError

_LINE = re.compile(r"(?P<head>[ \t]*(?:- +)*(?P<key>[\w.-]+):[ \t]+)(?P<rest>\S.*?)[ \t]*")
_BRACKETED = re.compile(r"(?P<head>[ \t]*(?:- +)*)(?P<rest>[\[{].*?)[ \t]*")
_ITEM = re.compile(r"(?P<head>[ \t]*(?:- +)+)(?P<rest>\S.*?)[ \t]*")
_NO_BLANK = re.compile(r"([ \t]*(?:- +)*[a-z_]+):(?=\S)(.*)")
_SAFE = re.compile(r"[A-Za-z0-9$./(_][\w$./()+*%=<>@^' -]*")
_PAIR = re.compile(r"(\s*[\w-]+:\s+)(.*)", re.DOTALL)
_MINUS = re.compile(r"- +(?=\d)")
_APOSTROPHE = re.compile(r"\w'\w")
_OPEN, _CLOSE = "[{(", "]})"
_TEXTS = frozenset(
    key.name
    for table in (
        keys.KEYS,
        keys.READ_KEYS,
        keys.REPORTED_KEYS,
        keys.STATED_IN_KEYS,
        keys.SUPERSEDED_KEYS,
        keys.SEVERITY_KEYS,
    )
    for key in table.values()
    if key.shapes == (Scalar,)
)
"""The keys whose value is text and nothing else."""

_SENTENCES = frozenset(name for name, key in keys.KEYS.items() if key.sentence)
"""The keys whose value is a sentence, which may begin with a dash."""

_LONGEST = 400
"""Longer lines are not corrected: the hint would be no help, and this keeps the work small."""

_SIGNS = {
    ">": "`>` at the start of a value begins a YAML block",
    "|": "`|` at the start of a value begins a YAML block",
    "*": "`*` at the start of a value begins a YAML alias",
    "&": "`&` at the start of a value begins a YAML anchor",
    "!": "`!` at the start of a value begins a YAML tag",
    "{": "`{` at the start of a value begins a YAML mapping",
    "[": "`[` at the start of a value begins a YAML list",
    "-": "`- ` at the start of a value begins a YAML list",
    "?": "`? ` at the start of a value begins a YAML key",
}
_GENERAL = "indent with blanks, and put a value that holds `: `, ` #` or begins with a sign in quotes"


def explain(text: str, error: InputError, first: int = 0, lead: str = "") -> InputError:
    """The error as it is shown: at the line of the mistake, with the corrected line where there is one.

    Args:
        text: What could not be read, or was read otherwise than it was meant.
        error: What `compose` or a table of keys said.
        first: The number of the text's first line.
        lead: What stands before the text on its first line; before its other lines, as many blanks.
    """
    lines = text.split("\n")
    if isinstance(error, NotYamlError):
        return _explain_syntax(lines, error, first, lead)
    if not isinstance(error, QuotingError) or not 0 <= error.line - first < len(lines):
        return error
    at = error.line - first
    return InputError(
        error.code, error.message, _hint(lines, at, error.key, lead) or error.hint, line=error.line
    )


def _hint(lines: list[str], at: int, key: str, lead: str) -> str:
    """The corrected line, ready to be pasted; empty where none is sure to work."""
    fixed = next(_cures(lines, at, key), "")
    return f"write `{lead if at == 0 else ' ' * len(lead)}{fixed}`" if fixed else ""


def _explain_syntax(lines: list[str], error: NotYamlError, first: int, lead: str) -> InputError:
    if "nesting depth" in error.problem:
        hint = f"nest {composing.MAX_DEPTH} levels at most"
        return InputError("bad-yaml", "this is nested too deep", hint, line=first + error.line)
    at = _culprit(lines, error.line)
    message = _why(lines[at]) if at is not None else "this line does not fit those above it"
    if at is None:
        at = _written(lines, error.line)
    return InputError("bad-yaml", message, _hint(lines, at, "", lead) or _GENERAL, line=first + at)


def _culprit(lines: list[str], at: int) -> int | None:
    """The nearest line, from `at` upwards, that cannot be composed even on its own."""
    return next((line for line in range(_written(lines, at), -1, -1) if _wrong_alone(lines[line])), None)


def _written(lines: list[str], at: int) -> int:
    """The nearest line, from `at` upwards, that holds anything."""
    last = min(at, len(lines) - 1)
    return next((line for line in range(last, -1, -1) if lines[line].strip()), last)


def _wrong_alone(line: str) -> bool:
    """Whether a line with a key cannot be composed even on its own."""
    if not line.strip() or line.lstrip().startswith("#"):
        return False
    if "\t" in line[: len(line) - len(line.lstrip())] or _NO_BLANK.fullmatch(line):
        return True
    if not (_LINE.fullmatch(line) or _ITEM.fullmatch(line) or _BRACKETED.fullmatch(line)):
        return False
    return not _composes(line.strip())


def _composes(text: str) -> bool:
    try:
        return isinstance(composing.compose(text), Mapping | Sequence)
    except InputError:
        return False


def _cures(lines: list[str], at: int, key: str) -> Iterator[str]:
    """Corrected forms of one line that compose on their own and in their place, whole cures first."""
    partial: list[str] = []
    for fixed in _candidates(lines, at, key) if len(lines[at]) <= _LONGEST else ():
        if fixed == lines[at] or not _composes(fixed.strip()):
            continue
        body = [*lines[:at], fixed, *lines[at + 1 :]]
        next_wrong = _next_wrong(body)
        if next_wrong is None:
            yield fixed
        elif next_wrong > at:
            partial.append(fixed)
    yield from partial


def _next_wrong(lines: list[str]) -> int | None:
    """The line that is wrong in itself, None where all compose; -1 where the lines do not fit together."""
    try:
        composing.compose("\n".join(lines))
    except NotYamlError as error:
        at = _culprit(lines, error.line)
        return -1 if at is None else at
    except InputError as error:
        return error.line
    return None


def _candidates(lines: list[str], at: int, key: str) -> Iterator[str]:
    """What the author may have meant by a line, the likeliest first."""
    line = lines[at]
    found = _LINE.fullmatch(line)
    if found and found["key"] == key and found["rest"][0] not in "\"'":
        yield found["head"] + quoted(found["rest"])
        return
    yield from _margins(lines, at)
    missing = _NO_BLANK.fullmatch(line)
    if missing and not found:
        yield f"{missing[1]}: {missing[2]}"
        yield f"{missing[1]}: {quoted(missing[2])}"
    found = found or _BRACKETED.fullmatch(line) or _ITEM.fullmatch(line)
    if found:
        name = found.groupdict().get("key") or ""
        if name not in _SENTENCES and _MINUS.match(found["rest"]):
            yield found["head"] + _MINUS.sub("-", found["rest"])
        for rest in _values(found["rest"], key, text=name in _TEXTS):
            yield found["head"] + rest


def _margins(lines: list[str], at: int) -> Iterator[str]:
    """A line at the margins that may have been meant: blanks for tabs, or the margin of the line above."""
    written = lines[at].lstrip(" \t")
    margin = lines[at][: len(lines[at]) - len(written)]
    if "\t" in margin:
        yield margin.replace("\t", "  ") + written
    above = lines[_written(lines, at - 1)] if at else ""
    if margin != above[: len(above) - len(above.lstrip(" "))]:
        yield above[: len(above) - len(above.lstrip(" "))] + written


def _values(rest: str, key: str, *, text: bool) -> Iterator[str]:
    """What may have been meant by the text of a value; `text`: no list or mapping can have been."""
    if rest[0] in "\"'":
        inner = rest[1:-1] if len(rest) > 1 and rest[-1] == rest[0] else rest[1:]
        if rest[0] not in inner or _APOSTROPHE.search(inner):
            yield quoted(inner)
    elif rest[0] in "[{" and not text:
        end = _closing(rest)
        if end == len(rest) - 1:
            yield _requote(rest, key)
            return
        if end < 0 and len(rest) > 1 and rest[-1] not in ",:":
            yield _requote(rest + _CLOSE[_OPEN.index(rest[0])], key)
    yield quoted(rest)


def _requote(text: str, key: str) -> str:
    """A list or mapping in brackets with each value quoted that needs it, and those of `key`."""
    mapping = text[0] == "{"
    pieces = [_requote_piece(piece, key, mapping=mapping) for piece in _pieces(text[1:-1], mapping=mapping)]
    return text[0] + ",".join(pieces) + text[-1]


def _requote_piece(piece: str, key: str, *, mapping: bool) -> str:
    found = _PAIR.fullmatch(piece) if mapping else re.fullmatch(r"(\s*)(.*)", piece, re.DOTALL)
    if not found:
        return piece
    head, value = found[1], found[2].rstrip()
    if not value:
        return piece
    tail = found[2][len(value) :]
    meant_as_text = mapping and head.strip()[:-1] == key
    if value[0] in "[{" and _closing(value) == len(value) - 1 and not meant_as_text:
        return head + _requote(value, key) + tail
    if _SAFE.fullmatch(value) or (value[0] in "\"'" and _composes(f"k: {value}")):
        return head + value + tail
    if value[0] == '"' and value[-1] == '"' and '"' not in value[1:-1]:
        value = value[1:-1]
    return head + quoted(value) + tail


def _pieces(text: str, *, mapping: bool) -> list[str]:
    """The inside of brackets cut at its commas; in a mapping a part without a key joins the one before."""
    parts: list[str] = []
    for part in _split(text):
        if mapping and parts and not _PAIR.fullmatch(part):
            parts[-1] += "," + part
        else:
            parts.append(part)
    return parts


def _split(text: str) -> Iterator[str]:
    """A text cut at the commas that stand outside quotes and brackets."""
    depth, quote, start = 0, "", 0
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'" and text[start:at].rstrip()[-1:] in ("", ":", "[", "{", ",", "=", "("):
            quote = sign
        elif sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
        elif sign == "," and depth <= 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]


def _closing(text: str) -> int:
    """Where the bracket that a text begins with is closed, -1 where it is not."""
    depth, quote = 0, ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'" and text[:at].rstrip()[-1:] in ("", ":", "[", "{", ",", "=", "("):
            quote = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
            if not depth:
                return at
    return -1


def _why(line: str) -> str:
    """What is wrong with a line that cannot be composed, in one clause."""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "this line is indented with a tab"
    found = _LINE.fullmatch(line)
    if not found and _NO_BLANK.fullmatch(line):
        return "there is no blank after the colon"
    rest = (found or _ITEM.fullmatch(line) or _BRACKETED.fullmatch(line) or {"rest": line})["rest"]
    sign = rest[0]
    if sign in "\"'":
        return _why_quotes(rest)
    if sign in "[{":
        return _why_brackets(rest)
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign in "%@`,]}":
        return f"{_tick(sign)} cannot begin an unquoted value"
    return "`: ` inside an unquoted value is read as a key"


def _tick(sign: str) -> str:
    return "a backtick" if sign == "`" else f"`{sign}`"


def _why_quotes(rest: str) -> str:
    sign = rest[0]
    if rest.count(sign) == 1:
        return f"the quote `{sign}` is not closed"
    if sign == '"' and "\\" in rest:
        return "a backslash in double quotes begins a YAML escape"
    return f"the quotes `{sign}` end before the value does"


def _why_brackets(rest: str) -> str:
    end = _closing(rest)
    if end < 0:
        return f"the bracket `{rest[0]}` is not closed"
    if end < len(rest) - 1:
        return _SIGNS[rest[0]]
    return "a value inside the brackets needs quotes"
