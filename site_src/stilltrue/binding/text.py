"""What a file holds, and what became of a number, for people."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from stilltrue.binding.chance import SINGLE
from stilltrue.binding.listing import Group, Listed, Listing
from stilltrue.binding.outcome import Binding, Candidate, Level, Standing
from stilltrue.evidence.survey import Held, Keys
from stilltrue.model import Place
from stilltrue.quantity import Form, show_value
from stilltrue.report import escape, message_lines
from stilltrue.wording import counted, listed

_MOST_GROUPS = 100
_MOST_CANDIDATES = 8
_LONGEST = 60
_OF_SEVERAL = {
    Form.RANGE: "a range is the smallest and the largest of all values of a column, a path or a label",
    Form.SPREAD: "a `±` is the mean and the sample deviation of all values of a column, a path or a label",
}


# What a file holds -------------------------------------------------------------------------------------


def listing_text(listing: Listing) -> str:
    """What a file holds, as text; ends in a newline."""
    return "".join(f"{line}\n" for line in (_found(listing) if listing.like else _parts(listing)))


def _parts(listing: Listing) -> Iterator[str]:
    for each in listing.parts:
        yield f"{escape(listing.path)}: {_title(each)}"
        rows = [(_read(group.keys), counted(group.count, "value"), _values(group)) for group in each.groups]
        yield from _columns(rows[:_MOST_GROUPS])
        if len(rows) > _MOST_GROUPS:
            yield f"  and {len(rows) - _MOST_GROUPS:,} more; `--like TEXT` looks for some"
    if not any(each.groups for each in listing.parts):
        yield f"{escape(listing.path)}: no value was found in it"
    if listing.repeated:
        yield "the same name in several places, so a page must say which is meant:"
        for name, places in listing.repeated[:_MOST_GROUPS]:
            yield f"  {_short(name)}: {listed(map(_short, places), 4)}"


def _title(each: Listed) -> str:
    part = each.part
    name = f" `{escape(part.title)}`" if part.title else ""
    number = f"table {part.number}{name}, {counted(part.rows, 'row')}" if part.number else part.shape.value
    said = f"{number}, read as `{part.format}`" if part.format != part.shape.value else number
    if part.line:
        said += f", from line {part.line}"
    if part.fault:
        said += f": cannot be read: {escape(part.fault)}"
    return f"{said}, only the first values" if part.cut else said


def _values(group: Group) -> str:
    shown = [_short(each) for each in group.shown]
    if group.spans:
        return f"{shown[0]} to {shown[1]}"
    return ", ".join(shown) + (", …" if group.count > len(shown) and len(shown) > 1 else "")


def _found(listing: Listing) -> Iterator[str]:
    path = listing.path
    if not listing.found:
        yield f"{escape(path)}: nothing in it is like `{escape(listing.like)}`"
    rows = [
        (_place(path, held), show_value(held.value)[:_LONGEST], _read(held.keys())) for held in listing.found
    ]
    yield from (f"{place}: {escape(value)}  {read}" for place, value, read in rows)
    if listing.more:
        yield f"and {listing.more:,} more"


# A number ----------------------------------------------------------------------------------------------


def binding_text(binding: Binding) -> str:
    """What became of a number, as text; ends in a newline."""
    return "".join(f"{line}\n" for line in _binding(binding))


def _binding(binding: Binding) -> Iterator[str]:
    spot = binding.spot
    yield f"{escape(str(spot.place))}:{spot.column}: `{escape(spot.text)}`"
    yield f"  {_compared(binding)}"
    if binding.standing is Standing.IGNORED:
        yield f"  git ignores `{escape(binding.evidence)}`, so a clone lacks it: let git track it first"
    if not binding.candidates:
        yield from _none(binding)
        return
    for number, each in enumerate(binding.candidates[:_MOST_CANDIDATES], 1):
        yield ""
        yield from _candidate(binding, number, each)
    if len(binding.candidates) > _MOST_CANDIDATES:
        yield f"\nand {len(binding.candidates) - _MOST_CANDIDATES:,} more"
    yield from _proposal(binding)


def _compared(binding: Binding) -> str:
    """What the number was compared with, and how likely chance is where that can be said."""
    numbers = counted(binding.numbers, "number")
    said = f"`{escape(binding.evidence)}` holds {numbers} that it can be compared with"
    if binding.spot.stated.form not in SINGLE:
        return said
    return f"{said}; of all numbers with as many digits {_percent(binding.chance)} would agree with one"


def _none(binding: Binding) -> Iterator[str]:
    """That nothing agrees, and what to do."""
    if binding.spot.stated.form in _OF_SEVERAL:
        yield f"  {_OF_SEVERAL[binding.spot.stated.form]}: nothing in the file agrees so"
        yield "  where the file holds the two numbers themselves, state each as a number of its own"
    else:
        yield "  none of them agrees"
    if binding.near:
        yield f"  `{escape(binding.near)}` rounds to it, and a whole number without a unit is exact:"
        yield f"  write more digits, or `~{escape(binding.spot.text)}`"
    yield f"  see what it holds: `stilltrue readings {escape(binding.evidence)}`"


def _candidate(binding: Binding, number: int, each: Candidate) -> Iterator[str]:
    level = "needs a conversion" if each.level is Level.CONVERSION else each.level.value
    yield f"{number}. {level}: {_place(binding.evidence, each.held)}: {escape(show_value(each.held.value))}"
    yield f"   {_read(each.keys)}"
    if each.named:
        yield f"   named by: {escape(', '.join(each.named))}"
    if each.why:
        yield f"   {escape(each.why)}"


def _proposal(binding: Binding) -> Iterator[str]:
    proposal = binding.proposal
    yield ""
    if proposal is None:
        if binding.refused:
            yield from message_lines(
                escape(str(binding.spot.place)),
                f"the block would not hold: {escape(binding.refused)}",
                binding.cure,
                "not-bound",
            )
        else:
            yield "nothing is proposed: `--pick N` takes one, when you know that its conversion is right"
        return
    done = "written" if binding.written else "to be written"
    yield f"{escape(str(Place(proposal.file, proposal.line)))}: {done}, of candidate {proposal.candidate}:"
    yield ""
    yield from (escape(line) for line in proposal.block.rstrip("\n").split("\n"))
    yield ""
    if proposal.link:
        yield f"{escape(str(binding.spot.place))}: the number becomes {escape(proposal.link)}"
    many = f": {counted(proposal.claims, 'claim')}" if proposal.claims > 1 else ""
    yield f"{proposal.id} {proposal.verdict}{many}"
    if not binding.written:
        sure = binding.candidates[proposal.candidate - 1].level is Level.SURE
        again = "--write" if sure else f"--pick {proposal.candidate} --write"
        yield f"nothing was written; `{again}` writes it"
    if binding.standing is Standing.NEW:
        yield f"git does not track `{escape(binding.evidence)}` yet: commit it with the claim"


def _percent(share: Fraction) -> str:
    hundredths = share * 100
    if 0 < hundredths < 1:
        return "less than 1 %"
    return f"{float(hundredths):.0f} %"


# Shared ------------------------------------------------------------------------------------------------


def _place(path: str, held: Held) -> str:
    return escape(str(Place(path, held.line())))


def _read(keys: Keys) -> str:
    return ", ".join(f"{key}: {escape(text)}" for key, text in keys)


def _short(text: str) -> str:
    return escape(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def _columns(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    width = min(max((len(read) for read, _, _ in rows), default=0), _LONGEST)
    count = max((len(number) for _, number, _ in rows), default=0)
    for read, number, values in rows:
        yield f"  {read.ljust(width)}  {number.rjust(count)}  {values}".rstrip()
