"""One claim in full: what it says, where its value comes from, what checking it came to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stilltrue.model import (
    BoundCopy,
    BoundLink,
    Claim,
    DeriveSource,
    Embed,
    EvidenceSource,
    Judgement,
    Place,
    Plot,
    Provenance,
    Read,
    ReportedSource,
    Take,
    Verdict,
)
from stilltrue.quantity import show_value
from stilltrue.report.escape import escape, mute
from stilltrue.report.origin import Day, Row, earlier, origin
from stilltrue.report.paint import Paint

_WIDTH = 11
_SHOWN_READINGS = 20
_SHOWN_COLUMNS = 160


def show_text(
    judgement: Judgement,
    *,
    lines: Mapping[Place, str],
    links: Sequence[BoundLink] = (),
    embeds: Sequence[Embed] = (),
    records: Sequence[Provenance] = (),
    days: Sequence[Day] = (),
    copies: Sequence[BoundCopy] = (),
    charts: Sequence[Plot] = (),
    colour: bool = False,
) -> str:
    """One claim: sentence, both sides, source, provenance, history, the links that bind it, evidence lines.

    Args:
        judgement: The claim and its verdict.
        lines: The text of evidence lines by place; a reading whose line is not among them is shown bare.
        links: Prose links; those of other claims are left out.
        embeds: Blocks that show a claim by its id; those of other claims are left out.
        records: The records beside its evidence, in the order of the files.
        days: What was found on earlier days, newest first.
        copies: Places that claims name as copies; those of other claims are left out.
        charts: Charts; those that are not drawn from it are left out.
        colour: Whether to write terminal colours.

    Returns:
        Lines that each end in a newline; all text from files is escaped.
    """
    paint = Paint(on=colour)
    claim = judgement.claim
    head = f"{paint.strong(escape(claim.id))}: {paint.verdict(judgement.verdict, judgement.verdict)}"
    rows = (
        *_checked(judgement),
        *_source(claim),
        *origin(records, claim.id),
        *earlier(days),
        *_about(claim),
        *_shown(claim, embeds),
        *_links(claim, links),
        *_copies(claim, copies),
        *_drawn(claim, charts),
    )
    return "".join(
        f"{mute(line)}\n"
        for line in (
            head,
            f"  {escape(claim.says.replace('{value}', claim.stated.text))}",
            "",
            *(_row(row, paint) for row in rows),
            *_readings(judgement, lines, paint),
        )
    )


def _row(row: Row, paint: Paint) -> str:
    name, text = row
    return f"  {paint.faint(name.ljust(_WIDTH))} {text}"


def _checked(judgement: Judgement) -> Iterator[Row]:
    claim = judgement.claim
    yield "stated", f"{escape(claim.stated.text)}  {escape(str(claim.place))}"
    yield "found", escape(judgement.found_text) if judgement.found is not None else _nothing_found(judgement)
    if judgement.also:
        yield "also", ", ".join(judgement.also)
    code = f" [{judgement.code}]" if judgement.code else ""
    if judgement.message:
        yield "message", escape(judgement.message) + ("" if judgement.hint else code)
    if judgement.hint:
        yield "next", escape(judgement.hint) + code
    if judgement.cause is not None:
        yield "because of", escape(judgement.cause)
    for reason in judgement.reasons:
        yield "also", escape(reason)
    for note in judgement.notes:
        yield "reader", escape(note)


def _nothing_found(judgement: Judgement) -> str:
    if judgement.verdict is Verdict.SUPERSEDED:
        return "not read: the claim is superseded"
    if isinstance(judgement.claim.source, ReportedSource):
        return "not measured here"
    return "nothing"


def _source(claim: Claim) -> Iterator[Row]:
    match claim.source:
        case EvidenceSource(patterns, reads, derive):
            yield "evidence", escape(", ".join(patterns))
            for name, read in reads:
                yield "read", escape((f"{name}: " if name else "") + describe(read))
            if derive:
                yield "derive", escape(derive)
        case DeriveSource(derive):
            yield "derive", escape(derive)
        case ReportedSource(by, on, url):
            yield "reported", escape(", ".join(filter(None, (f"by {by}", on and f"on {on}", url))))


def describe(read: Read) -> str:
    """A read on one line, as its keys: `column self_device, where device, take sum`."""
    between = " to ".join(read.between) if read.between else ""
    keys = {
        "path": read.path,
        "column": read.column,
        "where": read.where,
        "table": read.table,
        "match": read.match,
        "between": between,
        "take": ", ".join(map(_take, read.take)),
        "unit": read.unit.symbol if read.unit else "",
        "decimal": "" if read.decimal == "." else read.decimal,
        "format": read.format,
        "header": "" if read.header else "no",
    }
    return ", ".join(f"{key} {value}" for key, value in keys.items() if value)


def _take(take: Take) -> str:
    name = f"p{float(take.percentile):g}" if take.percentile is not None else take.name
    return name if take.of is None else f"{name} of {take.of}"


def _about(claim: Claim) -> Iterator[Row]:
    if claim.tolerance:
        yield "tolerance", escape(claim.tolerance.text)
    if claim.reproduces:
        yield "reproduces", escape(claim.reproduces.text)
    if claim.valid:
        until = (f"until {claim.valid.until}",) if claim.valid.until else ()
        versions = (f"{package} {specifier}" for package, specifier in claim.valid.versions)
        yield "valid", escape("; ".join((*until, *versions)))
    if claim.severity:
        yield "severity", escape(f"{claim.severity.level}: {claim.severity.because}")
    if claim.superseded:
        by = f"by {claim.superseded.by}" if claim.superseded.by else "withdrawn"
        yield "superseded", escape(f"{by} on {claim.superseded.on}: {claim.superseded.because}")
    if claim.tags:
        yield "tags", escape(", ".join(claim.tags))
    if claim.owner:
        yield "owner", escape(claim.owner)
    if claim.note:
        yield "note", escape(claim.note)
    yield "written", escape(str(claim.block))


def _shown(claim: Claim, embeds: Iterable[Embed]) -> Iterator[Row]:
    for embed in embeds:
        if embed.id == claim.id:
            yield "shown", escape(str(embed.place))


def _links(claim: Claim, links: Iterable[BoundLink]) -> Iterator[Row]:
    for bound in links:
        if bound.link.target == claim.id:
            disagrees = "" if bound.agrees else "  disagrees"
            yield "linked", f"{escape(str(bound.link.place))}  {escape(bound.link.text)}{disagrees}"


def _copies(claim: Claim, copies: Iterable[BoundCopy]) -> Iterator[Row]:
    for bound in copies:
        if bound.claim == claim.id:
            disagrees = "" if bound.agrees else "  still says it" if claim.superseded else "  disagrees"
            yield "copied", f"{escape(str(bound.place))}  {escape(bound.text)}{disagrees}"


def _drawn(claim: Claim, charts: Iterable[Plot]) -> Iterator[Row]:
    for plot in charts:
        if claim.id in plot.chart.claims:
            yield "drawn", f"{escape(str(plot.chart.block))}  {escape(plot.chart.title)}"


def _readings(judgement: Judgement, lines: Mapping[Place, str], paint: Paint) -> Iterator[str]:
    path = ""
    for reading in judgement.readings[:_SHOWN_READINGS]:
        if reading.path != path:
            path = reading.path
            yield from ("", f"  {paint.strong(escape(path))}")
        line = lines.get(Place(reading.path, reading.line))
        number = str(reading.line) if reading.line else "-"
        yield f"  {paint.faint(number.rjust(6))} | {_line(line, escape(show_value(reading.value)))}"
    more = len(judgement.readings) - _SHOWN_READINGS
    if more > 0:
        yield f"         and {more:,} more readings"


def _line(line: str | None, value: str) -> str:
    """An evidence line; the value read from it where the line is not at hand or too long to show."""
    if line is None:
        return f"read {value}"
    whole = line.expandtabs()
    if len(whole) <= _SHOWN_COLUMNS:
        return escape(whole)
    return f"{escape(whole[:_SHOWN_COLUMNS])}…  read {value}"
