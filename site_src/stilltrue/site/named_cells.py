"""Marks in the cells of a page that claims files bind."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from stilltrue.site.named_tables import NamedTable, Shape, letters
from stilltrue.site.table_cells import mark_cell
from stilltrue.site.view import Spot


def mark_named(root: Element, spot: Spot) -> None:
    """Mark the cells of a page that claims files bind.

    A table is marked where the page shows all tables of its shape that the file holds, and no others: one
    that a plugin changed or that the renderer does not take for a table stays as it is.

    Args:
        root: The page, rendered.
        spot: Which page it is.
    """
    named = spot.view.named.at(spot.path)
    if not named:
        return
    shown: dict[Shape, list[Element]] = {}
    for table in root.iter("table"):
        shown.setdefault(_shape_of(table), []).append(table)
    for shape in dict.fromkeys(each.shape for each in named):
        alike = [each for each in named if each.shape == shape]
        there = shown.get(shape, [])
        if len(alike) == len(there):
            for each, table in zip(alike, there, strict=True):
                _mark(table, each, spot)


def _mark(table: Element, named: NamedTable, spot: Spot) -> None:
    rows = [list(row) for row in table.iter("tr")][1:]
    for (row, column), judgements in named.cells.items():
        for judgement in judgements:
            url = spot.claim_url(judgement.claim.id)
            if url is not None and column < len(rows[row]):
                mark_cell(rows[row][column], judgement, url)


def _shape_of(table: Element) -> Shape:
    header, *rows = table.iter("tr")
    return tuple(letters("".join(_words(cell))) for cell in header), len(rows)


def _words(element: Element) -> Iterator[str]:
    """The text of a cell, marks of footnotes left out."""
    if element.tag == "sup":
        return
    yield element.text or ""
    for child in element:
        yield from _words(child)
        yield child.tail or ""
