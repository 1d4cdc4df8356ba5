"""XML from strangers, element by element: no document type, so no entities; bounded in size and depth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.parsers import expat

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.trees.tree import malformed

LARGEST = 64 << 20
"""How many characters are parsed: older parsers take the square of one token's length."""

DEEPEST = 64
"""How deep elements may be nested; results of tests need seven levels."""

_PACE = 1024

Opened = Callable[[str, Mapping[str, str], int], None]
"""Called with an element's name, its attributes and its line."""

Closed = Callable[[str], None]


class _Walk:
    """One parse: its handlers, how deep it is, and whether there is time left."""

    def __init__(self, opened: Opened, closed: Closed, deadline: Deadline) -> None:
        self._opened = opened
        self._closed = closed
        self._deadline = deadline
        self._depth = 0
        self._seen = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._doctype

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._seen += 1
        if not self._seen % _PACE:
            self._deadline.check()
        self._depth += 1
        line = self.parser.CurrentLineNumber
        if self._depth > DEEPEST:
            raise malformed("XML", f"elements are nested more than {DEEPEST} deep", line)
        self._opened(name, attributes, line)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._closed(name)

    def _doctype(self, *_: object) -> None:
        raise malformed(
            "XML",
            "it declares a document type, and what that defines is not read",
            self.parser.CurrentLineNumber,
            "results of tests have none: take the declaration out where the file is made",
        )


def walk(text: str, opened: Opened, closed: Closed, deadline: Deadline) -> None:
    """Calls `opened` and `closed` for each element, in the order of the file.

    A document type is refused before anything that it declares is looked at, so that no entity is expanded
    and nothing outside the file is asked for.

    Raises:
        InputError: `malformed-evidence`: no XML, cut, nested too deeply, or with a document type;
            `too-large`, `too-slow`; and what the two callables raise.
    """
    if len(text) > LARGEST:
        raise InputError(
            "too-large",
            f"XML of more than {LARGEST >> 20} MiB is not read",
            "keep what is needed of it in a smaller file, or read it as text with `match`",
        )
    run = _Walk(opened, closed, deadline)
    try:
        # A carriage return alone would count as a line; between attributes and in them it is white space.
        run.parser.Parse(text.replace("\r", " "), True)
    except expat.ExpatError as error:
        raise _broken(error) from None


def _broken(error: expat.ExpatError) -> InputError:
    why = expat.errors.messages.get(error.code, "it is not well-formed")
    cut = why in {
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    }
    if cut:
        return malformed(
            "XML",
            "it ends in the middle of an element",
            error.lineno,
            "the file is cut: take the evidence again, or read it as text with `match`",
        )
    return malformed("XML", why, error.lineno)
