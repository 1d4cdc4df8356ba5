"""The formats of evidence: how each is known, and which shape reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.model import Read, Shape
from stilltrue.suggest import did_you_mean


class Format(NamedTuple):
    """One format.

    Attributes:
        shape: The shape that reads it; text reads any.
        suffixes: The ends of file names that mean it.
        content: What its content looks like, where no suffix decides.
        means: What it is, for the docs.
    """

    shape: Shape
    suffixes: tuple[str, ...]
    content: str
    means: str


NOTEBOOK = ".ipynb"
"""The end of a notebook's name: patterns match what its cells printed."""

FORMATS: dict[str, Format] = {
    "json": Format(
        Shape.TREE,
        (".json",),
        "begins with `{` or `[`",
        "JSON; several values, one a line, are read as JSON Lines",
    ),
    "jsonl": Format(
        Shape.TREE,
        (".jsonl", ".ndjson"),
        "",
        "JSON Lines: the root is the array of the lines, `$[-1]` the last",
    ),
    "yaml": Format(
        Shape.TREE, (".yml", ".yaml"), "begins with `---`", "YAML 1.2, core schema; dates are text"
    ),
    "toml": Format(Shape.TREE, (".toml",), "begins with `[table]` or `key =`", "TOML 1.0; dates are text"),
    "csv": Format(
        Shape.TABLE,
        (".csv",),
        "its first lines have as many cells each, two or more",
        "values separated by commas, or by semicolons; the first row names the columns",
    ),
    "tsv": Format(
        Shape.TABLE,
        (".tsv", ".tab"),
        "its first lines have as many cells each, two or more",
        "values separated by tabs; the first row names the columns",
    ),
    "torch-profiler": Format(
        Shape.TABLE, (), "holds a table of `key_averages().table()`", "what `torch.profiler` prints"
    ),
    "notebook": Format(
        Shape.TEXT,
        (NOTEBOOK,),
        "",
        "a Jupyter notebook: what its cells printed",
    ),
    "text": Format(Shape.TEXT, (), "", "any text, as it stands"),
}
"""Every format of no one tool; those of tools are `readers.READERS`. `read.format` may name both."""

_BY_SUFFIX = {suffix: name for name, format_ in FORMATS.items() for suffix in format_.suffixes}
_TOML_START = re.compile(
    r"""\[{1,2}[A-Za-z_"'][\w."' -]*\]{1,2}[ \t]*(?:\#.*)?$|[\w."'-]+[ \t]*=[ \t]*\S""", re.MULTILINE
)
_TOML_LEADING = re.compile(r"(?:\s*+(?:#[^\n]*+\n)?+)*+")
_KEYS = {Shape.TREE: "path", Shape.TABLE: "column", Shape.TEXT: "match"}
_WAYS = {
    Shape.TREE: "with `path`, or as text with `match`",
    Shape.TABLE: "with `where` and `column`, or as text with `match`",
    Shape.TEXT: "as text with `match`",
}


def tree_format(content: Content) -> str:
    """The tree format of a file by its suffix, else by its content.

    Raises:
        InputError: `unknown-format`.
    """
    suffix = content.name[content.name.rfind(".") :]
    known = _BY_SUFFIX.get(suffix, "")
    if known and FORMATS[known].shape is Shape.TREE:
        return known
    from stilltrue.evidence import readers  # noqa: PLC0415  # only files that no suffix tells apart need them

    found = readers.recognised_binary(content, Shape.TREE)
    if not found:
        _refuse_binary(content, Shape.TREE)
        found = _tree_by_content(content.text)
    if not found:
        raise _not_recognised(content.path, Shape.TREE)
    return found


def table_format(content: Content, others: Callable[[Content], str] = lambda _: "") -> str:
    """The table format of a file: what the table readers make of it.

    Args:
        content: The file.
        others: Names the format that readers from outside know it by, empty for none; asked where no reader
            of a tool here knows it, and its suffix means no table.

    Raises:
        InputError: `unknown-format`.
    """
    from stilltrue.evidence import readers, tables  # noqa: PLC0415  # only a check that reads tables needs them

    binary = readers.recognised_binary(content, Shape.TABLE)
    if binary:
        return binary
    if not content.is_text:
        other = others(content)
        if other:
            return other
        _refuse_binary(content, Shape.TABLE)
    suffix = content.name[content.name.rfind(".") :] if tables.suffix_format(content.name) else ""
    whole = readers.recognised_whole(content, suffix)
    if whole:
        return whole
    found = tables.sniff(content.shown_text, content.name)
    if not suffix and found != tables.PROFILER:
        found = readers.recognised_within(content) or others(content) or found
    if found is None:
        raise _not_recognised(content.path, Shape.TABLE)
    return found


def text_format(content: Content) -> str:
    """The format of a file that patterns are matched in, by its suffix.

    Raises:
        InputError: `unknown-format`: it is of a format that is no text.
    """
    _refuse_binary(content, Shape.TEXT)
    known = _BY_SUFFIX.get(content.name[content.name.rfind(".") :], "")
    return known if known and FORMATS[known].shape is Shape.TEXT else "text"


def named(read: Read, others: Collection[str] = ()) -> str:
    """`read.format`, once it is known and fits the read's shape.

    Args:
        read: The read.
        others: The formats of readers from outside, all of tables.

    Raises:
        InputError: `unknown-format`.
    """
    known = FORMATS[read.format].shape if read.format in FORMATS else _shapes(others).get(read.format)
    if known is None:
        every = _shapes(others)
        near = did_you_mean(read.format, every)
        raise InputError(
            "unknown-format", f"`format: {read.format}` is unknown", near or f"known are {_names(every)}"
        )
    if known is not read.shape and read.shape is not Shape.TEXT:
        raise InputError(
            "unknown-format",
            f"`format: {read.format}` is read as a {known}, and the read is one of a {read.shape}",
            f"read it with `{_KEYS[known]}` instead of `{_KEYS[read.shape]}`",
        )
    return read.format


def known_formats() -> tuple[str, ...]:
    """The name of every format that is read here."""
    return tuple(_shapes())


def _shapes(others: Collection[str] = ()) -> dict[str, Shape]:
    """The shape of every format, those of tools and from outside included."""
    from stilltrue.evidence.readers import READERS  # noqa: PLC0415  # only tables and messages need them

    own = {name: known.shape for name, known in (FORMATS | READERS).items()}
    return own | dict.fromkeys(others, Shape.TABLE)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _not_recognised(path: str, shape: Shape) -> InputError:
    fitting = [name for name, fits in _shapes().items() if fits is shape]
    other = FORMATS.get(_BY_SUFFIX.get(path[path.rfind(".") :].lower(), ""))
    if other is not None and other.shape is not shape:
        return InputError(
            "unknown-format",
            f"`{path}` is read as a {other.shape}, and `{_KEYS[shape]}` reads a {shape}",
            f"read it {_WAYS[other.shape]}",
        )
    return InputError(
        "unknown-format",
        f"`{path}` is not recognised as a {shape}",
        f"say what it is with `format` ({_names(fitting)}), or read it as text with `match`",
    )


def _refuse_binary(content: Content, shape: Shape) -> None:
    """Refuses a file that is no text, where its format is known and another shape reads it."""
    if content.is_text:
        return
    from stilltrue.evidence import readers  # noqa: PLC0415  # only files that are no text need them

    for other in (Shape.TREE, Shape.TABLE):
        name = "" if other is shape else readers.recognised_binary(content, other)
        if name:
            raise InputError(
                "unknown-format",
                f"`{content.path}` is read as a {other} (`{name}`), and `{_KEYS[shape]}` reads a {shape}",
                f"read it with `{_KEYS[other]}`",
            )


def _tree_by_content(text: str) -> str:
    start = text[: 1 << 16].lstrip()
    if start.startswith("---"):
        return "yaml"
    leading = _TOML_LEADING.match(start)
    if _TOML_START.match(start, leading.end() if leading else 0):
        return "toml"
    return "json" if start[:1] in ("{", "[") else ""
