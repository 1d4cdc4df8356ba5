"""Gaps in plain texts: sentences, notes, patterns, evidence paths, derivations, ids, addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from urllib.parse import quote, unquote

from stilltrue.claims.nodes import clip
from stilltrue.claims.placeholders import NOTHING, Headers, Part, Template, Value, Values, slug

_WORD = re.compile(r"[A-Za-z0-9_\u0080-\U0010ffff]")
_GLOB = re.compile(r"[*?\[]")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.\-]*:)?//|mailto:", re.IGNORECASE)
_CLASS = re.compile(r"\\.|\[|\]", re.DOTALL)
_NAMED_SIGN = re.compile(r"\\[pPx]$")


def text(source: str, headers: Headers) -> Template:
    """A text for people: the cell as it reads."""
    return _template(headers.split(source), lambda value: value.text)


def sentence(source: str, headers: Headers) -> Template:
    """A claim's sentence, in which `{value}` stays what it is and no cell can write it."""
    return _template(headers.split(source), lambda value: value.text.replace("{value}", "{ value }"))


def identifier(source: str, headers: Headers) -> Template:
    """A claim's id: the cell as ids of cells hold it."""
    return _template(headers.split(source), slug)


def address(source: str, headers: Headers) -> Template:
    """A web address: the cell as one part of it."""
    return _template(headers.split(source), lambda value: quote(value.plain, safe=""))


def _template(pairs: list[tuple[str, str]], write: Callable[[Value], str]) -> Template:
    parts: list[Part] = []
    for before, header in pairs:
        if before:
            parts.append(before)
        if header:
            parts.append(partial(_written, header, write))
    return Template(tuple(parts), frozenset(header for _, header in pairs if header))


def _written(header: str, write: Callable[[Value], str], values: Values) -> str:
    return write(values[header])


# Regular expressions -----------------------------------------------------------------------------------


def pattern(source: str, headers: Headers) -> Template:
    """An RE2 pattern: the cell's text, escaped; a number with its separators or without them."""
    pairs = headers.split(source, pattern=True)
    parts: list[Part] = []
    used: set[str] = set()
    inside = False
    for (before, header), (after, _) in zip(pairs, [*pairs[1:], ("", "")], strict=True):
        parts.append(before)
        inside = _in_class(before, inside=inside)
        if not header:
            continue
        if _NAMED_SIGN.search(before):
            parts.append(f"{{{header}}}")
            continue
        used.add(header)
        repeats = after[:1] in {"*", "+", "?", "{"}
        parts.append(partial(_matched, header, inside=inside, repeats=repeats))
    return Template(tuple(parts), frozenset(used))


def _matched(header: str, values: Values, *, inside: bool, repeats: bool) -> str:
    value = values[header]
    if not value.text:
        value.refuse("{} would match anywhere", "leave the row out with `rows`, or fill the cell")
    if inside:
        return escaped(value.plain)
    texts = [escaped(each) for each in value.texts]
    return texts[0] if len(texts) == 1 and not repeats else f"(?:{'|'.join(texts)})"


def escaped(source: str) -> str:
    """A text as a regular expression that matches it and nothing else."""
    return "".join(
        sign if _WORD.match(sign) else f"\\{sign}" if sign.isprintable() else _code(sign) for sign in source
    )


def _code(sign: str) -> str:
    return f"\\x{{{ord(sign):x}}}"


def _in_class(before: str, *, inside: bool) -> bool:
    """Whether the end of a part of a pattern stands in a class of characters."""
    for sign in _CLASS.finditer(before):
        if sign[0] in "[]":
            inside = sign[0] == "["
    return inside


# Evidence ----------------------------------------------------------------------------------------------


def path(source: str, headers: Headers) -> Template:
    """A path of evidence: a cell names one file or folder, its link's target more, `rows` anything."""
    parts: list[Part] = []
    used: set[str] = set()
    for step in re.split("(/)", source):
        template = _template(headers.split(step), _named)
        used |= template.used
        parts.append(partial(_step, template) if template.used else step)
    return Template(tuple(parts), frozenset(used))


def _step(template: Template, values: Values) -> str:
    """What stands between two slashes, which may lead neither up nor nowhere."""
    step = template.fill(values)
    if step in (".", ".."):
        value = values[min(template.used)]
        value.refuse("{} makes `" + step + "` of a name in `evidence`", "name a file there")
    return step


def _named(value: Value) -> str:
    if value.given:
        return value.text
    return _literally(_linked(value) if value.target else _one_name(value))


def _one_name(value: Value) -> str:
    """The name that a cell without a link is."""
    if NOTHING.fullmatch(value.text):
        value.refuse("{} names no file", "fill it, or leave the row out with `rows`")
    if "/" in value.text:
        message = "{} holds a `/`, and one name is wanted in `evidence`"
        value.refuse(message, f"let the cell be a link to the file, or {_in_rows(value)}")
    return value.text


def _linked(value: Value) -> str:
    """The path that the link of a cell leads to, without what only viewers need."""
    if _ADDRESS.match(value.target):
        message = f"the link of {{}} is an address: `{clip(value.target)}`"
        value.refuse(message, f"let it lead to a copy in the repository, or {_in_rows(value)}")
    path = unquote(re.split("[?#]", value.target, maxsplit=1)[0])
    if not path:
        value.refuse("the link of {} leads to a place on the page, and to no file", _in_rows(value))
    if path.startswith("/"):
        value.refuse(f"the link of {{}} begins with `/`: `{clip(path)}`", _in_rows(value))
    steps = path.split("/")
    if ".." in steps:
        hint = f"let it lead to a file below the folder that `evidence` names, or {_in_rows(value)}"
        value.refuse(f"the link of {{}} leads up by `..`: `{clip(path)}`", hint)
    return "/".join(step for step in steps if step != ".")


def _in_rows(value: Value) -> str:
    return f"name the file of this row under `rows`: `{{{clip(value.header)}: path/to/file}}`"


def _literally(name: str) -> str:
    """A name in which no sign is one of a glob."""
    return _GLOB.sub(lambda sign: f"[{sign[0]}]", name)


# Derivations -------------------------------------------------------------------------------------------

_BRACE = re.compile(r"[{}]")


def derivation(source: str, headers: Headers) -> Template:
    """An expression: a cell's number, or inside the braces of an operand its part of an id."""
    pairs = headers.split(source)
    parts: list[Part] = []
    used: set[str] = set()
    depth = 0
    for before, header in pairs:
        parts.append(before)
        for brace in _BRACE.findall(before):
            depth += 1 if brace == "{" else -1
        if header:
            used.add(header)
            parts.append(partial(_written, header, slug if depth > 0 else _reckoned))
    return Template(tuple(parts), frozenset(used))


def _reckoned(value: Value) -> str:
    if not value.literal:
        value.refuse("{} is no plain number, and `derive` reckons with one", "leave the row out with `rows`")
    return f"({value.literal})" if value.literal.startswith("-") else value.literal
