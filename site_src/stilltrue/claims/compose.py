"""YAML text to nodes, by the parser's events: composed, never loaded, so that nothing is converted.

Aliases, anchors, tags, repeated keys and deep nesting are refused where they first occur, so a document
costs no more than its length whatever it says.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, clip
from stilltrue.errors import InputError

MAX_DEPTH = 16
"""How deep lists and mappings may nest; a claim needs five."""

ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""What no text may hold: controls, halves of characters, and the line breaks that only YAML sees."""

_NO_ESCAPE = re.compile(r'(?:[^\\]|\\[\\"])*')
_TABBED = re.compile(r"^ *\t+ *(?=\S)", re.MULTILINE)
_COMMENT = re.compile(r"[ \t]+#")


class NotYamlError(InputError):
    """The text is not YAML.

    Attributes:
        line: The line, from 0, at which the parser gave up.
        began: The line, from 0, of what it was in at the time.
        problem: What the parser said.
    """

    def __init__(self, line: int, began: int, problem: str) -> None:
        super().__init__("bad-yaml", "this is not valid YAML", line=line)
        self.began = began
        self.problem = problem


class QuotingError(InputError):
    """What quotes around the value would cure: whoever has the source adds the quoted line.

    Attributes:
        key: The key whose value to quote; empty where it is a list item.
    """

    def __init__(self, code: str, message: str, hint: str, line: int, key: str = "") -> None:
        super().__init__(code, message, hint, line=line)
        self.key = key


def compose(text: str, first: int = 0) -> Node | None:
    """The one document of a text, None where there is none.

    Args:
        text: Lines that end in a line feed.
        first: The number of the text's first line.

    Raises:
        NotYamlError: It is not YAML; its lines count from 0 whatever `first` is.
        InputError: It holds an alias, an anchor, a tag, a repeated key, several documents, an odd character
            or deep nesting.
    """
    odd = ODD.search(text)
    if odd:
        raise _odd(odd, first)
    tabbed = _TABBED.search(text) if "\t" in text else None
    if tabbed:  # the two parsers differ over where a tab may stand
        line = text.count("\n", 0, tabbed.start())
        raise NotYamlError(line, line, "a tab in the margin")
    from yaml import YAMLError  # noqa: PLC0415  # most blocks are plain and never come here

    try:
        return _Composer(text, first).document()
    except YAMLError as error:
        raise _syntax(error) from None


def _odd(found: re.Match[str], first: int) -> InputError:
    line = first + found.string.count("\n", 0, found.start())
    return InputError(
        "bad-yaml",
        f"the character U+{ord(found[0]):04X} stands here, which no editor shows",
        "delete it",
        line=line,
    )


def _syntax(error: Any) -> NotYamlError:
    """What libyaml and the pure Python parser say alike: where, and where the enclosing thing began."""
    mark, context = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    line = mark.line if mark else 0
    return NotYamlError(line, context.line if context else line, str(getattr(error, "problem", error) or ""))


def _parser(text: str) -> Any:
    import yaml  # noqa: PLC0415  # most blocks are plain and never come here

    return yaml.CBaseLoader(text) if yaml.__with_libyaml__ else yaml.BaseLoader(text)


class _Composer:
    """One document's events, turned into nodes."""

    def __init__(self, text: str, first: int) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.first = first
        self.depth = 0
        self.next = _parser(text).get_event

    def document(self) -> Node | None:
        self.next()  # the stream's start
        if self._kind(self.next()) == "StreamEnd":
            return None
        start = self.next()
        node = self._node(start, start.start_mark.line)
        self.next()  # the document's end
        after = self.next()
        if self._kind(after) != "StreamEnd":
            self._refuse(
                after.start_mark.line, "a second YAML document begins here", "leave the line `---` out"
            )
        return None if isinstance(node, Scalar) and not node.text else node

    @staticmethod
    def _kind(event: Any) -> str:
        return type(event).__name__.removesuffix("Event")

    def _node(self, event: Any, line: int) -> Node:
        """The node that `event` begins; `line`, from 0, is that of the key or item which holds it."""
        kind = self._kind(event)
        if kind == "Alias" or event.anchor is not None or event.tag is not None:
            self._marked(event, kind)
        if kind == "Scalar":
            return self._scalar(event, line)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._refuse(event.start_mark.line, "this is nested too deep", f"nest {MAX_DEPTH} levels at most")
        node = self._sequence(line) if kind == "SequenceStart" else self._mapping(line)
        self.depth -= 1
        return node

    def _scalar(self, event: Any, line: int) -> Scalar:
        text, style = event.value, event.style
        if style in ("|", ">"):
            return Scalar(text.rstrip("\n"), self.first + line)
        if style == '"' and "\\" in self.text:
            self._check_escapes(event)
        end = event.end_mark  # of a value left out: where the next thing begins, or past the last line
        cut = bool(text) and not style and _COMMENT.match(self.lines[end.line], end.column) is not None
        return Scalar(text, self.first + line, cut)

    def _check_escapes(self, event: Any) -> None:
        """Refuse what YAML would replace: a backslash and `b` are a backspace there, and meant as written."""
        start, end = event.start_mark, event.end_mark
        lines = self.lines[start.line : end.line + 1]
        lines[-1] = lines[-1][: end.column]
        lines[0] = lines[0][start.column :]
        if not _NO_ESCAPE.fullmatch("\n".join(lines)):
            message = "a backslash in double quotes begins a YAML escape"
            raise QuotingError("bad-yaml", message, "use single quotes", self.first + start.line)

    def _sequence(self, line: int) -> Sequence:
        items: list[Node] = []
        while self._kind(event := self.next()) != "SequenceEnd":
            items.append(self._node(event, event.start_mark.line))
        return Sequence(tuple(items), self.first + line)

    def _mapping(self, line: int) -> Mapping:
        entries: dict[str, Node] = {}
        while self._kind(event := self.next()) != "MappingEnd":
            at = event.start_mark.line
            key = self._node(event, at)
            if not isinstance(key, Scalar):
                raise QuotingError(
                    "bad-yaml", "a key is no word", "write one word before each colon", self.first + at
                )
            if key.text in entries:
                self._repeated(key.text, at, entries[key.text].line)
            entries[key.text] = self._node(self.next(), at)
        return Mapping(entries, self.first + line)

    def _repeated(self, key: str, line: int, before: int) -> NoReturn:
        raise InputError(
            "repeated-key",
            f"`{clip(key)}` is written twice, first on line {before}",
            "keep one of them",
            line=self.first + line,
        )

    def _marked(self, event: Any, kind: str) -> NoReturn:
        line = self.first + event.start_mark.line
        if kind == "Alias":
            what = "`*` at the start of a value begins a YAML alias"
        elif event.anchor is not None:
            what = "`&` at the start of a value begins a YAML anchor"
        else:
            what = "`!` at the start of a value begins a YAML tag"
        raise QuotingError("bad-yaml", what, "claims use none: put the value in quotes", line)

    def _refuse(self, line: int, message: str, hint: str) -> NoReturn:
        raise InputError("bad-yaml", message, hint, line=self.first + line)
