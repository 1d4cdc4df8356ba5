"""`supersede`: write into a claim's own text that it no longer stands, and see what that leaves to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from stilltrue.check import check
from stilltrue.check.gather import Corpus, gather
from stilltrue.claims.blocks import one_newline
from stilltrue.claims.superseding import superseded_entry, superseding
from stilltrue.config import Config
from stilltrue.days import today
from stilltrue.derive import parse
from stilltrue.errors import InputError, UsageError
from stilltrue.files import read_bytes
from stilltrue.git import refuse_tracked_workspace
from stilltrue.model import Claim, DeriveSource, Problem, Superseded
from stilltrue.quantity import parse_stated
from stilltrue.retire.changing import with_changes
from stilltrue.retire.refusals import known, refuse_new, refuse_old, refuse_words
from stilltrue.transaction import held, recover, refuse_unwritable, write_all


@dataclass(frozen=True, slots=True)
class Retired:
    """A claim that was superseded.

    Attributes:
        claim: The claim as it was before.
        superseded: By what, when and why.
        left: What the check says about it now: links and copies that still state the old value, claims that
            are derived from it.
    """

    claim: Claim
    superseded: Superseded
    left: tuple[Problem, ...]


def supersede(config: Config, old: str, *, by: str = "", because: str, on: str = "") -> Retired:
    """Retire a claim: the key `superseded` is written into its block, or its item, and nothing else changes.

    A `stated_in` becomes the `value` that it stood for, as that file will state the successor's. The new text
    is read in memory first and must give the same claims.

    Args:
        config: The project.
        old: The claim's id.
        by: Its successor's id; empty: it is withdrawn.
        because: Why it no longer stands.
        on: The day, YYYY-MM-DD, in UTC; empty: today.

    Raises:
        UsageError: An id is unknown, the claim is superseded already, its successor is, it is a cell of a
            table, or the reason or the day cannot be used.
        InputError: The file cannot be read or written, or the key cannot be placed in it.
    """
    said = Superseded(" ".join(because.split()), on or today(), by)
    refuse_words(said.because, said.on)
    refuse_tracked_workspace(config.root)
    recover(config.root)
    claim = _chosen(gather(config), old, by)
    with held(config.root, (claim.block.path,)):
        corpus = gather(config)  # nobody changes the file from here on
        claim = _chosen(corpus, old, by)
        refuse_unwritable(config.root, claim.block.path)
        data = _written(config, corpus, claim, said)
        write_all(config.root, {claim.block.path: data})
    return Retired(claim, said, _left(config, corpus, claim))


def _chosen(corpus: Corpus, old: str, by: str) -> Claim:
    claim = known(corpus, old)
    refuse_old(claim)
    if by:
        refuse_new(claim, known(corpus, by))
    return claim


# The new text ------------------------------------------------------------------------------------------


def _written(config: Config, corpus: Corpus, claim: Claim, said: Superseded) -> bytes:
    """The file with the key in its place.

    Raises:
        InputError: `unplaced`: it cannot be put there so that it, and it alone, is read there.
    """
    path = claim.block.path
    entry = superseded_entry(said.by, said.on, said.because)
    try:
        text = read_bytes(config.root, path, config.limits.bytes).decode("utf-8")
        new = _placed(config, text, claim, entry).encode("utf-8")
        _verify(corpus, gather(config, {path: new}), claim, said)
    except InputError as error:
        if error.code != "unplaced":
            raise
        hint = f"write it into the block yourself: `{entry}`"
        raise InputError(
            "unplaced", f"`{claim.id}`: {error.message}", hint, path=path, line=claim.block.line
        ) from None
    return new


def _placed(config: Config, text: str, claim: Claim, entry: str) -> str:
    own = one_newline(claim.raw)
    first = claim.block.line + 1 if claim.page else claim.block.line
    return with_changes(text, own, first, superseding(own, entry, _stated(config, claim)))


def _stated(config: Config, claim: Claim) -> str:
    """What a claim states, with the unit where only `stated_in` gives it one."""
    text = claim.stated.text
    if claim.stated_in is None or claim.stated_in.unit is None:
        return text
    bare = parse_stated(text, config.units)
    return text if bare.unit == claim.stated.unit else f"{text} {claim.stated_in.unit.symbol}"


def _verify(before: Corpus, after: Corpus, claim: Claim, said: Superseded) -> None:
    """See that the new text says what the old one did, and that the claim is superseded.

    Raises:
        InputError: `unplaced`: it does not.
    """
    new = after.claims.get(claim.id)
    if new is None or new.superseded != said or not _says_the_same(new, claim):
        raise InputError("unplaced", "the key would not be read where it is written")
    if list(_statements(before, claim.id)) != list(_statements(after, claim.id)):
        raise InputError("unplaced", "something else would be read otherwise")


def _says_the_same(new: Claim, old: Claim) -> bool:
    """Whether both make one statement; a unit that only `stated_in` had stands in the sentence there."""
    same = replace(new.stated, text="") == replace(old.stated, text="")
    return same and _sentence(new) == _sentence(old)


def _sentence(claim: Claim) -> str:
    return claim.says.replace("{value}", claim.stated.text)


def _statements(corpus: Corpus, left_out: str) -> Iterator[object]:
    """All that is said, in order, whatever the line."""
    for claim in corpus.claims.values():
        yield claim.id if claim.id == left_out else (claim.id, claim.says, claim.stated.text, claim.raw)
    yield from ((link.place.path, link.target, link.text, link.struck) for link in corpus.links)
    yield from ((embed.place.path, embed.id) for embed in corpus.embeds)
    yield from ((problem.code, problem.place.path, problem.about) for problem in corpus.problems)


# What is left ------------------------------------------------------------------------------------------


def _left(config: Config, corpus: Corpus, claim: Claim) -> tuple[Problem, ...]:
    """The problems that superseding a claim leaves to be mended."""
    derived = {each.id for each in corpus.claims.values() if claim.id in _operands(config, each)}
    try:
        problems = check(config).problems
    except UsageError:  # somebody took the claims away meanwhile
        return ()
    return tuple(
        each
        for each in problems
        if claim.id in each.about
        or (each.code == "superseded-operand" and not derived.isdisjoint(each.about))
    )


def _operands(config: Config, claim: Claim) -> tuple[str, ...]:
    """What a standing claim is derived from; nothing where that cannot be read."""
    if not isinstance(claim.source, DeriveSource) or claim.superseded is not None:
        return ()
    try:
        return parse(claim.source.derive, config.units).operands
    except InputError:
        return ()
