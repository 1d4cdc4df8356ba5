"""What a claim says of other places: the file that states it, its copies, how they are looked for."""

from __future__ import annotations

from stilltrue import files
from stilltrue.claims import keys, mappings
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, placed
from stilltrue.claims.sources import paths
from stilltrue.errors import InputError
from stilltrue.globs import is_glob
from stilltrue.model import Copy, Search, StatedIn, TableIn
from stilltrue.quantity import Unit, Units

_MOST_WORDS = 100
_LONGEST_WORD = 100


def read_stated_in(node: Node, units: Units, folder: str) -> StatedIn:
    """Which file states a value, and where in it.

    Raises:
        InputError: A key, the path or the pattern is wrong; its line is filled in.
    """
    assert isinstance(node, Mapping)  # noqa: S101  # the table of keys says so
    mappings.check(node, keys.STATED_IN_KEYS, "stated_in")
    file, match, unit = _place(node, units, folder)
    if is_glob(file):
        message = f"`{file}` is a glob, and a value is stated in one file"
        hint = "name the file; further files that repeat the number are `copies`"
        raise InputError("bad-path", message, hint, line=node.entries["file"].line)
    return StatedIn(file, match, unit, node.line)


def read_table_in(node: Node, folder: str) -> TableIn:
    """Which file holds a table of claims, and where in it.

    Raises:
        InputError: A key, the path or the pattern is wrong; its line is filled in.
    """
    from stilltrue.patterns import compiled  # noqa: PLC0415  # RE2 is loaded where there is a pattern alone

    assert isinstance(node, Mapping)  # noqa: S101  # the table of keys says so
    mappings.check(node, keys.TABLE_IN_KEYS, "table_in")
    path = _file(node, folder)
    if is_glob(path):
        message, hint = f"`{path}` is a glob, and a table stands in one file", "name the file"
        raise InputError("bad-path", message, hint, line=node.entries["file"].line)
    after = node.entries.get("after")
    if not isinstance(after, Scalar):
        return TableIn(path, line=node.line)
    try:
        compiled(after.text)
    except InputError as error:
        raise InputError(error.code, error.message, error.hint, line=after.line) from None
    return TableIn(path, after.text, node.line)


def read_copies(node: Node | None, units: Units, folder: str) -> tuple[Copy, ...]:
    """The places that repeat a claim's number; none where the claim names none.

    Raises:
        InputError: A key, a path or a pattern is wrong; its line is filled in.
    """
    items = node.items if type(node) is Sequence else ()
    return tuple([_copy(item, units, folder) for item in items if type(item) is Mapping])


def _copy(node: Mapping, units: Units, folder: str) -> Copy:
    mappings.check(node, keys.COPY_KEYS, "copies")
    return Copy(*_place(node, units, folder), node.line)


def _place(node: Mapping, units: Units, folder: str) -> tuple[str, str, Unit | None]:
    """File, pattern and unit of a place."""
    from stilltrue.matches import groups_of  # noqa: PLC0415  # RE2 is loaded where a claim has a pattern alone

    entries = node.entries
    path, match = _file(node, folder), entries["match"]
    assert isinstance(match, Scalar)  # noqa: S101  # the table of keys says so
    try:
        groups_of(match.text)
    except InputError as error:
        raise InputError(error.code, error.message, error.hint, line=match.line) from None
    unit = entries.get("unit")
    return path, match.text, _unit(unit, units) if isinstance(unit, Scalar) else None


def _file(node: Mapping, folder: str) -> str:
    """The path that `file` names, from the root."""
    file = node.entries["file"]
    assert isinstance(file, Scalar)  # noqa: S101  # the table of keys says so
    try:
        return files.join(folder, file.text)
    except InputError as error:
        said = InputError(error.code, error.message, "name a file inside the repository")
        raise placed(said, file) from None


def _unit(node: Scalar, units: Units) -> Unit:
    try:
        return units.parse(node.text)
    except InputError as error:
        raise placed(error, node) from None


def read_search(node: Node | None, folder: str) -> Search | None:
    """How copies of a superseded value are looked for; None where the claim does not say.

    Raises:
        InputError: A key or a glob is wrong; its line is filled in.
    """
    if type(node) is not Mapping:
        return None
    mappings.check(node, keys.SEARCH_KEYS, "search")
    if not node.entries:
        message = "`search` says nothing"
        raise InputError("missing-key", message, f"write `{keys.KEYS['search'].example}`", line=node.line)
    ignore, words = node.entries.get("ignore"), node.entries.get("words")
    return Search(() if ignore is None else paths(ignore, folder), _words(words))


def _words(node: Node | None) -> tuple[str, ...]:
    """Words that lines are searched for, as few and short as words are: every file is searched for each."""
    words = _texts(node)
    if node is not None and (len(words) > _MOST_WORDS or any(len(word) > _LONGEST_WORD for word in words)):
        message = f"`words` are more than {_MOST_WORDS}, or one is longer than {_LONGEST_WORD} letters"
        raise InputError("wrong-type", message, "name the few words that tell its places", line=node.line)
    return words


def _texts(node: Node | None) -> tuple[str, ...]:
    items = node.items if type(node) is Sequence else ()
    return tuple([item.text for item in items if type(item) is Scalar])
