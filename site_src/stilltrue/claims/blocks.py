"""A fenced block to the claim it holds, or the id of the one it shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stilltrue.claims import plain
from stilltrue.claims.claim import ID, Origin
from stilltrue.claims.compose import compose
from stilltrue.claims.entry import read_entry
from stilltrue.claims.nodes import Mapping, Node, Scalar
from stilltrue.errors import InputError, StilltrueError
from stilltrue.model import Block, Claim, Embed, Place, Problem
from stilltrue.quantity import Units

if TYPE_CHECKING:
    from stilltrue.claims.stated_in import Unstated

_WRITTEN_ID = re.compile(r"""^(?:- +)?[ {]*["']?id["']?:[ ]*["']?((?:\{\w+\}|[^\s"',#}])+)""", re.MULTILINE)


class Malformed(StilltrueError):  # noqa: N818  # it says what the block is
    """A block or an item that is no claim.

    Attributes:
        problem: What is wrong, and where.
        id: The id that it names, so that links to it are not reported too; None where none can be read.
    """

    def __init__(self, problem: Problem, id: str | None) -> None:  # noqa: A002  # claims have ids
        super().__init__(problem.message, problem.hint)
        self.problem = problem
        self.id = id


def read_block(block: Block, units: Units, folder: str) -> Claim | Unstated | Embed:
    """What a block holds: a claim, one whose value stands in a file that is still to be read, or an id.

    Args:
        block: A block of the kind `claim`.
        units: The known units.
        folder: The folder of the block's page, from the root, for `./` paths.

    Raises:
        Malformed: It is neither a claim nor an id.
    """
    body = one_newline(block.body)
    shown = body.strip()
    if ID.fullmatch(shown):
        return Embed(shown, block.place)
    first = block.place.line + 1
    origin = Origin(block.place, block.end, block.body, folder, page=True)
    node: Node | None = plain.read(body, first)
    try:
        if node is None and shown:
            node = compose(body, first)
        return read_entry(mapping_of(node, block), units, origin)
    except InputError as error:
        raise malformed(body, error, block.place.path, first) from None


def one_newline(text: str) -> str:
    """A text whose lines all end in a line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def malformed(text: str, error: InputError, path: str, first: int, lead: str = "") -> Malformed:
    """What is wrong with a claim's text, explained.

    Args:
        text: The claim's text.
        error: What its reading raised.
        path: The file, from the root.
        first: The line of the file that the text begins on.
        lead: What stood before the text on its first line; before its other lines, as many blanks.
    """
    from stilltrue.claims.cures import explain  # noqa: PLC0415  # only a malformed claim needs it

    shown = explain(text, error, first, lead)
    place = Place(path, shown.line or first)
    named = _WRITTEN_ID.search(text)
    about = (named[1],) if named else ()
    problem = Problem(shown.code, place, shown.message, shown.hint, about=about)
    return Malformed(problem, named[1] if named else None)


def mapping_of(node: Node | None, block: Block) -> Mapping:
    """A block's node, which must be a mapping.

    Raises:
        InputError: `empty-block`, `not-a-claim`.
    """
    if isinstance(node, Mapping):
        return node
    line = block.place.line
    if node is None:
        hint = "write a claim's keys in it, or the id of a claim to show"
        raise InputError("empty-block", "the block is empty", hint, line=line)
    if isinstance(node, Scalar):
        hint = "write `key: value` lines, or one id of lower-case letters, digits, hyphens and dots"
        raise InputError("not-a-claim", "the block is neither a claim nor an id", hint, line=line + 1)
    hint = "leave the `- ` out; lists of claims stand in the claims folder"
    raise InputError("not-a-claim", "the block is a list, and a block holds one claim", hint, line=node.line)
