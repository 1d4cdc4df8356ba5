"""`new claim`: a block that states what its evidence says, at the end of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from stilltrue.check import check
from stilltrue.check.gather import gather
from stilltrue.check.outcome import compared
from stilltrue.check.texts import decode
from stilltrue.claims import Malformed, read_block
from stilltrue.claims.quoting import quoted
from stilltrue.config import Config
from stilltrue.errors import InputError, UsageError
from stilltrue.evidence import Library
from stilltrue.files import read_bytes
from stilltrue.git import refuse_tracked_workspace
from stilltrue.model import Block, Claim, EvidenceSource, Found, Judgement, Place, Taken, Verdict
from stilltrue.quantity import Quantity, Value, show_value
from stilltrue.scaffold.appending import appended
from stilltrue.scaffold.made import Made, refuse_ids
from stilltrue.scaffold.names import read_name
from stilltrue.transaction import held, recover, refuse_unwritable, write_all

_PLAIN = re.compile(r"[A-Za-z0-9$~<=][\w.,$/%()+*<>= -]*(?<! )")
_WORD = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_DIGITS = 4
"""To how many digits a number that is no whole one is stated; its author adds the ones that matter."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the value is read.

    Attributes:
        evidence: The file, from the root.
        keys: The keys of `read`, each with its value as text: `path`, or `column` and `where`, or `match`;
            `take`, `unit`.
    """

    evidence: str
    keys: tuple[tuple[str, str], ...]


def new_claim(
    config: Config, name: str, *, page: str, source: Source, says: str = "", tags: tuple[str, ...] = ()
) -> Made:
    """Append a claim to a page that states what is found.

    Args:
        config: The project.
        name: Its id: lower-case letters, digits and hyphens.
        page: The page, from the root.
        source: Where the value is read.
        says: Its sentence, with `{value}`; empty: one made of its name.
        tags: Words to select it by.

    Raises:
        UsageError: `bad-name`, or the page is none of the project's.
        InputError: `taken`, `not-made`, or a file cannot be read or written.
    """
    named = read_name(name)
    sentence = says or f"{named.title} is {{value}}."
    refuse_tracked_workspace(config.root)
    recover(config.root)
    with held(config.root, (page,)):
        corpus = gather(config)
        if page not in corpus.pages:
            hint = "name a page that `pages` in the configuration names"
            raise UsageError(f"`{page}` is no page of this project", hint, code="bad-name", place=page)
        refuse_ids(corpus, (named.id,))
        refuse_unwritable(config.root, page)
        data = read_bytes(config.root, page, config.limits.bytes)
        _refuse_undecodable(data, page)
        value = _found(config, _claim(config, page, _body(named.id, sentence, "0", source, tags)))
        block = f"```claim\n{_body(named.id, sentence, _stated(value.value), source, tags)}```\n"
        new = appended(data, block)
        _verify(config, page, new, named.id, value)
        write_all(config.root, {page: new})
    return Made((), {page: "a claim was added at its end"}, _judged(config, named.id))


def _refuse_undecodable(data: bytes, page: str) -> None:
    """Refuse a page of another encoding: what is appended would not be read there."""
    try:
        decode(data)
    except InputError as error:
        raise InputError(error.code, error.message, error.hint, path=page, line=error.line) from None


def _judged(config: Config, name: str) -> tuple[Judgement, ...]:
    return tuple(each for each in check(config).judgements if each.claim.id == name)


# The block ---------------------------------------------------------------------------------------------


def _body(name: str, says: str, value: str, source: Source, tags: tuple[str, ...]) -> str:
    return "".join(f"{line}\n" for line in _lines(name, says, value, source, tags))


def _lines(name: str, says: str, value: str, source: Source, tags: tuple[str, ...]) -> Iterator[str]:
    yield f"id: {name}"
    yield f"says: {quoted(says)}"
    yield f"value: {_written(value)}"
    yield f"evidence: {_written(source.evidence)}"
    yield "read:"
    yield from (f"  {key}: {_written(text)}" for key, text in source.keys)
    if tags:
        yield f"tags: [{', '.join(tag if _WORD.fullmatch(tag) else quoted(tag) for tag in tags)}]"


def _written(text: str) -> str:
    """A text as YAML reads it back: bare where that is plain to see."""
    return text if _PLAIN.fullmatch(text) else quoted(text)


def _claim(config: Config, page: str, body: str) -> Claim:
    """The claim that a block's text would be.

    Raises:
        InputError: `not-made`: none.
    """
    block = Block("claim", body, Place(page, 1), body.count("\n") + 2)
    try:
        claim = read_block(block, config.units, page.rpartition("/")[0])
    except Malformed as wrong:
        raise InputError("not-made", wrong.problem.message, wrong.problem.hint) from None
    if not isinstance(claim, Claim):
        raise InputError("not-made", "its text would be read as the id of another claim")
    return claim


# The value ---------------------------------------------------------------------------------------------


def _found(config: Config, claim: Claim) -> Taken:
    """What the evidence says.

    Raises:
        InputError: It cannot be read so.
    """
    assert isinstance(claim.source, EvidenceSource)  # noqa: S101  # its text has `evidence`
    ((_, read),) = claim.source.reads
    return Library(config).take(claim.source.patterns, read)


def _stated(value: Value) -> str:
    """A value as the page states it: a whole number as it is, any other one to four digits.

    Without a unit to more digits where four would leave a whole number: that one agrees with itself alone.
    """
    if not isinstance(value, Quantity) or value.number.denominator == 1:
        return show_value(value)
    return show_value(replace(value, number=_rounded(value.number, whole=bool(value.unit.symbol))))


def _rounded(number: Fraction, *, whole: bool) -> Fraction:
    step = Fraction(1)
    size = abs(number)
    while size < 10 ** (_DIGITS - 1):
        size, step = size * 10, step / 10
    rounded = round(number / step) * step
    while not whole and rounded.denominator == 1:
        step /= 10
        rounded = round(number / step) * step
    return rounded


def _verify(config: Config, page: str, data: bytes, name: str, value: Taken) -> None:
    """See that the page is read as it was, with a claim more that holds.

    Raises:
        InputError: `not-made`: it is not.
    """
    claim = gather(config, {page: data}).claims.get(name)
    if claim is None:
        hint = "look for a fence or an HTML comment that is not closed at the end of the page"
        raise InputError("not-made", f"`{name}` would not be read at the end of the page", hint, path=page)
    judgement = compared(claim, Found(value.value, value.value, value.rounds), value.readings, value.notes)
    if judgement.verdict is not Verdict.HOLDS:
        raise InputError(
            "not-made", f"`{name}` would not hold: {judgement.message}", judgement.hint, path=page
        )
