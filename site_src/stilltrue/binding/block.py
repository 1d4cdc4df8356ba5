"""The text of the claim that binds a number: its id, its sentence, its read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from stilltrue.binding.outcome import Candidate, Spot
from stilltrue.binding.words import words
from stilltrue.claims.quoting import quoted, quoted_singly
from stilltrue.evidence.survey import Held
from stilltrue.pages.visible import CODE

_SLUG = re.compile(r"[^a-z0-9.]+")
_DOTS = re.compile(r"[.-]*-[.-]*|\.{2,}")
_PLAIN = re.compile(r"[A-Za-z0-9$][\w.,$/%()+ -]*(?<! )")
_BLANKS = re.compile(r"\s+")
_UNFIT = re.compile(r"[0-9{}]")
_LONGEST_ID = 60
_LONGEST_SENTENCE = 240


def claim_id(held: Held, taken: Collection[str]) -> str:
    """An id made of what names a value; numbered where it is taken.

    Args:
        held: The value.
        taken: The ids that there are.
    """
    return free("-".join([*(held.row() or held.around[-1:])[-3:], held.own]), taken)


def free(text: str, taken: Collection[str]) -> str:
    """An id made of a text; numbered where it is taken."""
    first = slug(text) or "number"
    numbered = (first if number == 1 else f"{first}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in numbered if name not in taken)


def slug(text: str) -> str:
    """A text as an id may be written; empty where it holds nothing that can stand in one."""
    return _DOTS.sub("-", _SLUG.sub("-", text.lower()))[-_LONGEST_ID:].strip("-.")


def sentence(spot: Spot, held: Held) -> str:
    """What the page says of the number, `{value}` in its place.

    It is made of the heads of a cell, and of what names the value where the page's sentence holds other
    numbers, which would be stated twice.
    """
    if spot.heads:
        column, *rows = spot.heads
        of_rows = f" ({', '.join(rows)})" if rows else ""
        return f"{column or 'It'}{of_rows} is {{value}}."
    before, after = (_BLANKS.sub(" ", part.replace(CODE, "…")) for part in (spot.before, spot.after))
    whole = f"{before.lstrip()}{{value}}{after.rstrip()}".replace("} .", "}.")
    if words(before + after) and len(whole) <= _LONGEST_SENTENCE and not _UNFIT.search(before + after):
        return whole
    shown = "".join(sign if sign.isprintable() else " " for sign in held.own.replace("_", " "))
    name = _BLANKS.sub(" ", shown).strip() or "it"
    rows = [label for label in held.row() if not _UNFIT.search(label)]
    of_rows = f" ({', '.join(rows)})" if rows else ""
    return f"{name[:1].upper()}{name[1:]}{of_rows} is {{value}}."


def block(name: str, spot: Spot, evidence: str, candidate: Candidate) -> str:
    """The text of a block of a page, its lines ending in a line feed."""
    lines = [f"id: {name}", f"says: {quoted(sentence(spot, candidate.held))}", f"value: {scalar(spot.text)}"]
    return "".join(f"{line}\n" for line in (*lines, *_source(evidence, candidate)))


def item(name: str, spot: Spot, evidence: str, candidate: Candidate, match: str) -> str:
    """The text of an item of a claims file, which finds the number by a pattern."""
    stated_in = f"{{file: {inside(spot.place.path)}, match: {quoted_singly(match)}}}"
    lines = [f"id: {name}", f"says: {quoted(sentence(spot, candidate.held))}", f"stated_in: {stated_in}"]
    first, *rest = (*lines, *_source(evidence, candidate))
    return "".join(f"{line}\n" for line in (f"- {first}", *indented(rest)))


def indented(lines: Iterable[str]) -> Iterator[str]:
    """The further lines of an item of a list."""
    return (f"  {line}" for line in lines)


def _source(evidence: str, candidate: Candidate) -> Iterator[str]:
    yield f"evidence: {scalar(evidence)}"
    yield "read:"
    yield from (f"  {key}: {scalar(text)}" for key, text in candidate.keys)


def scalar(text: str) -> str:
    """A text as YAML reads it back: bare where that is plain to see."""
    return text if _PLAIN.fullmatch(text) else quoted(text)


def inside(text: str) -> str:
    """The same within braces, where a comma ends it."""
    return text if _PLAIN.fullmatch(text) and "," not in text else quoted_singly(text)
