"""The tables of a file that `table_in` names, by its format: an explicit table, looked up by suffix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.model import Syntax
from stilltrue.pages.found import Found
from stilltrue.pages.html_tables import html_tables, shown_in_html
from stilltrue.pages.plain_tables import markdown_tables, shown_in_markdown
from stilltrue.pages.rst_cells import shown_in_rst
from stilltrue.pages.rst_csv_tables import shown_in_csv
from stilltrue.pages.rst_tables import rst_tables


class Format(NamedTuple):
    """A format of files with tables.

    Attributes:
        name: What it is called.
        suffixes: How the names of its files end, in lower case.
        tables: The tables of a file, from its path, its text and how long it may take.
    """

    name: str
    suffixes: tuple[str, ...]
    tables: Callable[[str, str, Deadline], Iterator[Found]]


FORMATS = (
    Format("Markdown", (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd"), markdown_tables),
    Format("HTML", (".html", ".htm", ".xhtml"), html_tables),
    Format("reStructuredText", (".rst", ".rest"), rst_tables),
)
"""Every format that tables are found in."""

SHOWN: Mapping[Syntax, Callable[[str, Mapping[str, str]], str]] = {
    Syntax.PIPES: shown_in_markdown,
    Syntax.HTML: shown_in_html,
    Syntax.GRID: shown_in_rst,
    Syntax.SIMPLE: shown_in_rst,
    Syntax.LIST: shown_in_rst,
    Syntax.CSV: shown_in_csv,
}
"""What a reader sees of a cell as it is written, from that and the file's link references."""


def format_of(path: str) -> Format:
    """The format of a file, by its name.

    Raises:
        InputError: `no-table-in`: tables are found in no files with such a name.
    """
    name = path.rpartition("/")[2].lower()
    for each in FORMATS:
        if name.endswith(each.suffixes):
            return each
    known = ", ".join(f"{each.name} (`{each.suffixes[0]}`)" for each in FORMATS)
    message = f"tables are not looked for in a file named like `{path}`"
    raise InputError("no-table-in", message, f"name a file of {known}, or state its numbers by `stated_in`")
