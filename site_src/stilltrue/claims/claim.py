"""One mapping to one claim."""

from __future__ import annotations

import re
from collections.abc import Mapping as Lines
from types import MappingProxyType
from typing import NamedTuple

from stilltrue.claims import keys, mappings
from stilltrue.claims.elsewhere import read_copies, read_search
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, clip, placed
from stilltrue.claims.sources import date, read_source, text
from stilltrue.claims.validity import read_reproduces, read_valid
from stilltrue.errors import InputError
from stilltrue.model import (
    Claim,
    EvidenceSource,
    Place,
    ReportedSource,
    Severity,
    Source,
    StatedIn,
    Superseded,
    TableIn,
    Written,
)
from stilltrue.quantity import (
    Flag,
    Form,
    Stated,
    Tolerance,
    Units,
    parse_stated,
    parse_tolerance,
    same_dimension,
)

ID = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,198}[a-z0-9])?")
"""What an id is: up to 200 lower-case letters, digits, hyphens, dots; a letter or a digit at both ends."""

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_MANY = (Form.RANGE, Form.SPREAD)


class Origin(NamedTuple):
    """Where a claim is written.

    Attributes:
        block: The opening fence, or the item's first line in a claims file.
        end: Its last line.
        raw: Its own text.
        folder: The folder of the file, from the root.
        page: Whether the file is a page.
        lead: What stood before the text on its first line, in a claims file: its dash and blanks.
    """

    block: Place
    end: int
    raw: str
    folder: str
    page: bool
    lead: str = ""


class Head(NamedTuple):
    """What a claim says.

    Attributes:
        id: Its id.
        says: Its sentence.
        stated: The value that it states.
        place: Where it states it.
        table: The id of the `claims` block whose cell it is; empty for a claim of its own.
        stated_in: The file that states it, where that is no `value` key and no cell.
        lines: The lines of keys that the mapping for `build` no longer has.
        table_in: Where the table of its cell stands, when that is not the page of the block.
        written: Where that cell is written.
    """

    id: str
    says: str
    stated: Stated
    place: Place
    table: str = ""
    stated_in: StatedIn | None = None
    lines: Lines[str, int] = MappingProxyType({})
    table_in: TableIn | None = None
    written: Written | None = None


def read_claim(node: Mapping, units: Units, origin: Origin) -> Claim:
    """The claim that a mapping is which states its value.

    Args:
        node: The mapping, whose keys are known and of the right shape.
        units: The known units.
        origin: Where it is written.

    Raises:
        InputError: The first thing that is wrong with it; its line is filled in.
    """
    entries = node.entries
    stated = _stated(entries["value"], units)
    place = Place(origin.block.path, entries["value"].line)
    head = Head(read_id(entries["id"]), read_says(entries["says"], stated), stated, place)
    return build(head, node, units, origin)


def build(head: Head, node: Mapping, units: Units, origin: Origin) -> Claim:
    """The claim of which the head is known, with all else that its mapping says.

    Args:
        head: What it says.
        node: Its mapping, whose keys are known and of the right shape.
        units: The known units.
        origin: Where it is written.

    Raises:
        InputError: As `read_claim`.
    """
    entries, stated = node.entries, head.stated
    source = read_source(node, units, origin.folder)
    if stated.form in _MANY:
        _check_many(source, entries)
    tags = entries.get("tags")
    return Claim(
        id=head.id,
        says=head.says,
        stated=stated,
        source=source,
        place=head.place,
        block=origin.block,
        end=origin.end,
        raw=origin.raw,
        lines={**head.lines, **key_lines(entries)},
        page=origin.page,
        table=head.table,
        tolerance=_tolerance(entries.get("tolerance"), stated, units),
        superseded=_superseded(entries.get("superseded"), head.id),
        severity=_severity(entries.get("severity")),
        tags=tuple([tag.text for tag in tags.items if type(tag) is Scalar]) if type(tags) is Sequence else (),
        owner=text(entries, "owner"),
        note=text(entries, "note"),
        probe=text(entries, "probe"),
        reproduces=read_reproduces(entries.get("reproduces"), stated, source, units),
        valid=read_valid(entries.get("valid")),
        stated_in=head.stated_in,
        table_in=head.table_in,
        written=head.written,
        copies=read_copies(entries.get("copies"), units, origin.folder),
        search=read_search(entries.get("search"), origin.folder),
    )


def key_lines(entries: dict[str, Node], within: str = "") -> dict[str, int]:
    """The line of every key, inner ones as `read.take` and `read.after.take`."""
    lines: dict[str, int] = {}
    for name, node in entries.items():
        lines[within + name] = node.line
        if type(node) is Mapping:
            lines |= key_lines(node.entries, f"{within}{name}.")
    return lines


def read_id(node: Node) -> str:
    """An id.

    Raises:
        InputError: `bad-id`.
    """
    written = node.text if type(node) is Scalar else ""
    if ID.fullmatch(written):
        return written
    slug = re.sub(r"[^a-z0-9.]+", "-", written.lower()).strip("-.")
    hint = "use lower-case letters, digits, hyphens and dots" + (f": `{clip(slug)}`" if slug else "")
    raise InputError("bad-id", f"`{clip(written)}` is no id", hint, line=node.line)


def _stated(node: Node, units: Units) -> Stated:
    written = node if type(node) is Scalar else Scalar("", node.line)
    try:
        stated = parse_stated(written.text, units)
    except InputError as error:
        raise placed(error, written) from None
    if written.cut and stated.form is Form.TEXT:
        raise mappings.cut("value", written)
    return stated


def read_says(node: Node, stated: Stated) -> str:
    """The sentence, on one line.

    Raises:
        InputError: `bad-says`.
    """
    written = node.text if type(node) is Scalar else ""
    says = " ".join(written.split()) if "\n" in written else written
    for found in _PLACEHOLDER.finditer(says):
        if found[0] != "{value}":
            hint = "`{value}` is the only placeholder; write other words without braces"
            raise InputError(
                "bad-says", f"`{clip(found[0])}` stands for nothing in `says`", hint, line=node.line
            )
    if "{value}" not in says and not isinstance(stated.value, Flag):
        hint = "write `{value}` where the stated value goes"
        raise InputError("bad-says", "`says` has no place for the value", hint, line=node.line)
    return says


def _check_many(source: Source, entries: dict[str, Node]) -> None:
    """A range and a `±` look at all readings, so nothing may make one of them first."""
    if isinstance(source, ReportedSource):
        return
    if not isinstance(source, EvidenceSource) or source.derive:
        message = "a range or `±` cannot be derived"
        raise InputError("bad-range", message, "state its ends as two claims", line=entries["derive"].line)
    take = source.reads[0][1].take
    read = entries["read"]
    if take and type(read) is Mapping:
        message = "a range or `±` looks at all readings and has no `take`"
        raise InputError("bad-range", message, "leave `take` out", line=read.entries["take"].line)


def _tolerance(node: Node | None, stated: Stated, units: Units) -> Tolerance | None:
    if type(node) is not Scalar:
        return None
    try:
        tolerance = parse_tolerance(node.text, units)
    except InputError as error:
        raise placed(error, node) from None
    wrong = _unfit(tolerance, stated)
    if wrong:
        raise InputError("bad-tolerance", *wrong, line=node.line)
    return tolerance


def _unfit(tolerance: Tolerance, stated: Stated) -> tuple[str, str] | None:
    """Why a tolerance cannot be used with a stated value: message and hint."""
    if stated.form is not Form.NUMBER:
        return f"`{stated.text}` is no plain number, and only those take a tolerance", "leave `tolerance` out"
    if tolerance.relative:
        if not stated.numerals[0].number:
            amount = f"0.5 {stated.unit.symbol}".rstrip()
            return "a percentage of 0 is 0", f"write an amount: `tolerance: {amount}`"
    elif not same_dimension(tolerance.amount.unit, stated.unit):
        message = f"the tolerance `{tolerance.text}` and the value `{stated.text}` are of different kinds"
        return message, f"give it a unit like that of `{stated.text}`, or a percentage"
    return None


def _superseded(node: Node | None, own: str) -> Superseded | None:
    if type(node) is not Mapping:
        return None
    mappings.check(node, keys.SUPERSEDED_KEYS, "superseded")
    entries = node.entries
    by = read_id(entries["by"]) if "by" in entries else ""
    if by == own:
        message = "the claim is superseded by itself"
        hint = "name its successor, or leave `by` out: then it is withdrawn"
        raise InputError("bad-superseded", message, hint, line=entries["by"].line)
    return Superseded(text(entries, "because"), date(entries["on"]), by)


def _severity(node: Node | None) -> Severity | None:
    if type(node) is not Mapping:
        return None
    mappings.check(node, keys.SEVERITY_KEYS, "severity")
    level = text(node.entries, "level")
    if level not in ("fail", "warn"):
        message = f"`{clip(level)}` is no severity"
        raise InputError("bad-severity", message, "write `fail` or `warn`", line=node.entries["level"].line)
    return Severity(level, text(node.entries, "because"))
