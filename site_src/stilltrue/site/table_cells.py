"""A table of claims on a page: one element that counts verdicts, and a mark in each bound cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from stilltrue.claims import Malformed
from stilltrue.claims.table_cells import Cells, read_table
from stilltrue.model import Block, Judgement, Problem, Table, Verdict
from stilltrue.site.card import card, is_bad
from stilltrue.site.markup import SHORT, badge, clause, counted, raw_block, text, tooltip
from stilltrue.site.view import Spot, Unreadable, View
from stilltrue.wording import counted as number_of

Position = tuple[int, int]
"""A cell of a table: its row below the header and its column, from 0."""


@dataclass(frozen=True, slots=True)
class BoundTable:
    """A `claims` block of a page, judged.

    Attributes:
        id: The block's id.
        block: The block.
        table: The table that it binds.
        cells: The judgement of each cell that is a claim.
        problems: What is wrong with others.
    """

    id: str
    block: Block
    table: Table
    cells: Mapping[Position, Judgement]
    problems: tuple[Problem, ...]

    @property
    def judgements(self) -> Sequence[Judgement]:
        """Those of all cells, row by row."""
        return tuple(self.cells.values())


Resolved = tuple[Judgement, ...] | BoundTable | Unreadable
"""What a block on a page shows: its claims, a table of claims, or why it shows none."""


def resolve(block: Block, view: View) -> Resolved:
    """What a block on a page shows: its claims, a table of claims, or why it shows none."""
    return _bound(block, view) if block.kind == "claims" else view.resolve(block)


def not_shown(bound: BoundTable) -> Problem:
    """That a page does not show a table as it was checked."""
    return Problem(
        "unseen-block",
        bound.block.place,
        f"the table after the block `{bound.id}` is not shown as it was checked",
        "let the extension `tables` render it, as plain Markdown right below its block",
    )


def _bound(block: Block, view: View) -> BoundTable | Unreadable:
    """The judged cells of the table after a block, or what keeps them from being shown."""
    folder = block.place.path.rpartition("/")[0]
    try:
        found = read_table(block, view.config.units, folder)
    except Malformed as malformed:
        return view.unreadable(block, malformed.problem)
    cells: dict[Position, Judgement] = {}
    for cell in found.cells:
        known = view.judged.get(cell.claim.id)
        if known is None or known.claim.stated.text != cell.claim.stated.text:
            return view.unreadable(block, _unknown(block, found, cell.claim.id))
        cells[cell.row, cell.column] = known
    return BoundTable(found.id, block, found.table, cells, found.problems)


def _unknown(block: Block, found: Cells, name: str) -> Problem:
    return Problem(
        "unseen-claim",
        block.place,
        f"the table of `{found.id}` has a cell `{name}` here which the check does not know like that",
        "write the table on a page that `pages` of the configuration names, and give each block its own id",
    )


# The block ---------------------------------------------------------------------------------------------


def table_block(bound: BoundTable, spot: Spot) -> str:
    """The element in the place of the block: verdicts counted, failing cards, all others under a fold."""
    failing = [j for j in bound.judgements if is_bad(j)]
    others = [j for j in bound.judgements if not is_bad(j)]
    kind = _kind(bound, failing)
    name = text(bound.id)
    return (
        f'<div class="st-card st-claims st-{kind}" id="{name}">'
        f'<p class="st-head">{badge(kind)}<span class="st-count">{table_words(bound)}</span>'
        f'<a class="st-id" href="#{name}" title="Address of this table">{name}</a></p>'
        f"{_problems(bound.problems)}{''.join(card(j, spot) for j in failing)}"
        f"{_fold(others, spot, more=bool(failing))}{_block(bound)}</div>"
    )


def table_words(bound: BoundTable) -> str:
    """`150 claims: 148 hold, 2 have drifted`."""
    judgements = bound.judgements
    return f"{number_of(len(judgements), 'claim')}: {counted(j.verdict for j in judgements)}"


def _kind(bound: BoundTable, failing: Sequence[Judgement]) -> str:
    """The one word for a table: what is wrong with it first, else what its first card says."""
    if bound.problems and not failing:
        return "problem"
    return str(next(iter([*failing, *bound.judgements])).verdict)


def _problems(problems: Iterable[Problem]) -> str:
    items = "".join(
        f"<li><code>{text(str(p.place))}</code> {clause(p.message)} <code>{text(p.code)}</code></li>"
        for p in problems
    )
    return f'<ul class="st-message">{items}</ul>' if items else ""


def _fold(judgements: Sequence[Judgement], spot: Spot, *, more: bool) -> str:
    if not judgements:
        return ""
    count = number_of(len(judgements), "other card" if more else "card")
    cards = "".join(card(judgement, spot) for judgement in judgements)
    return (
        f'<details class="st-fold st-cells" data-search-exclude><summary>{count}</summary>{cards}</details>'
    )


def _block(bound: BoundTable) -> str:
    return (
        '<details class="st-fold" data-search-exclude><summary>Block</summary>'
        f"<p>Written at {text(str(bound.block.place))}:</p>"
        f"{raw_block(bound.block.body)}</details>"
    )


# The cells ---------------------------------------------------------------------------------------------


def mark_cells(root: Element, tables: Mapping[str, BoundTable]) -> list[BoundTable]:
    """Mark the bound cells of a page.

    Args:
        root: The page, rendered.
        tables: The tables by what stands for their blocks in it.

    Returns:
        The tables that the page does not show as they were checked.
    """
    missing = list(tables.values())
    waiting: BoundTable | None = None
    for element in list(root.iter()):
        if element.tag == "table" and waiting is not None:
            if _mark(element, waiting):
                missing.remove(waiting)
            waiting = None
        waiting = next((bound for key, bound in tables.items() if key in (element.text or "")), waiting)
    return missing


def _mark(table: Element, bound: BoundTable) -> bool:
    """Mark the cells of one table; False, and nothing is marked, where its shape is another."""
    header, *rows = [list(row) for row in table.iter("tr")]
    if len(header) != len(bound.table.header) or len(rows) != len(bound.table.rows):
        return False
    for (row, column), judgement in bound.cells.items():
        mark_cell(rows[row][column], judgement, f"#{judgement.claim.id}")
    return True


def mark_cell(cell: Element, judgement: Judgement, url: str) -> None:
    """The mark, the tooltip and the link of one cell; beside a link that stands in it already.

    Args:
        cell: The cell, rendered.
        judgement: What was judged of it.
        url: Where its card is.
    """
    words = "".join(cell.itertext())
    long = " st-long" if len(words) >= SHORT else ""
    attributes = {
        "class": f"st-bound st-{judgement.verdict}{long}",
        "href": url,
        "title": tooltip(judgement),
    }
    if judgement.verdict is Verdict.SUPERSEDED and next(cell.iter("del"), None) is None:
        _wrap(cell, Element("del"))
    if next(cell.iter("a"), None) is None:
        _wrap(cell, Element("a", attributes))
    else:
        label = f"Claim {judgement.claim.id}: {judgement.verdict}"
        SubElement(
            cell, "a", {**attributes, "class": f"{attributes['class']} st-beside", "aria-label": label}
        )
    if is_bad(judgement):
        cell.set("class", f"{cell.get('class', '')} st-cell st-{judgement.verdict}".strip())


def _wrap(cell: Element, inside: Element) -> None:
    """Put all that a cell holds into one element in it."""
    inside.text, cell.text = cell.text, None
    for child in list(cell):
        cell.remove(child)
        inside.append(child)
    cell.append(inside)
