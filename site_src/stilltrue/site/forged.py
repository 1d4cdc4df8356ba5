"""What a built page shows and no check has made: HTML that looks like a card or a bound number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stilltrue.model import BoundLink, Judgement, Place, Problem, Verdict
from stilltrue.site.built import Bound, BuiltPage, Card
from stilltrue.site.markup import counted
from stilltrue.site.view import View
from stilltrue.wording import counted as number_of

_HINT = "take HTML off the page that looks like a card or a bound number, or build the site anew"
_TARGET = re.compile(r"\]\([^)]*\)|<[^>]*>")
_NUMBER = re.compile(r"\d[\d.,_ ]*")
_NO_DIGIT = re.compile(r"\D+")


def forged(view: View, pages: Iterable[tuple[Place, BuiltPage]]) -> Iterator[Problem]:
    """What built pages show as bound, counted or anchored that is not so.

    Args:
        view: The check.
        pages: The pages, each with its place.
    """
    bound = {bound_of(each, view) for each in view.report.links}
    for place, page in pages:
        yield from _marks(page, place, bound, view)
        yield from _tables(page, place)
        yield from _anchors(page, place)


def bound_of(link: BoundLink, view: View) -> Bound:
    """What a page shows of a bound link."""
    target = link.link.target
    kind = str(view.judged[target].verdict) if link.agrees else "problem"
    return Bound(target, " ".join(link.link.text.split()), kind)


def _marks(page: BuiltPage, place: Place, bound: set[Bound], view: View) -> Iterator[Problem]:
    """Marks that no link and no cell of a table has put there."""
    for each in page.bound:
        if each in bound or not each.target:  # one that leads nowhere is shown as wrong
            continue
        judgement = view.judged.get(each.target)
        if judgement is None or each.kind != judgement.verdict or not _may_state(each.words, judgement):
            yield Problem(
                "link-old",
                place,
                f"`{each.words}` is marked `{each.kind}` for `{each.target}`, and no check has found that",
                _HINT,
                about=(each.target,) if judgement else (),
            )


def _may_state(words: str, judgement: Judgement) -> bool:
    """Whether a cell may say so: it has the digits of the stated number, or is a mark beside what says it."""
    number = _NUMBER.search(_TARGET.sub("", judgement.claim.stated.text))
    return not words or number is None or _digits(number[0]) in _digits(words)


def _digits(text: str) -> str:
    return _NO_DIGIT.sub("", text)


def _tables(page: BuiltPage, place: Place) -> Iterator[Problem]:
    """Cards of tables that say something else than the cards in them."""
    for table in page.tables:
        wanted = f"{number_of(len(table.cards), 'claim')}: {counted(_verdicts(table))}"
        first = table.cards[0].verdict if table.cards else ""
        if table.says or table.count != wanted or table.verdict not in (first, "problem"):
            shown = " ".join(filter(None, (table.verdict, table.count, table.says)))
            message = f"the card of the table `{table.name}` says `{shown}`, and its cards `{first} {wanted}`"
            yield Problem("card-old", place, message, _HINT)


def _verdicts(table: Card) -> Iterator[Verdict]:
    known = {str(verdict): verdict for verdict in Verdict}
    return (known[card.verdict] for card in table.cards if card.verdict in known)


def _anchors(page: BuiltPage, place: Place) -> Iterator[Problem]:
    """Cards whose anchor something else on the page has too: links may lead there."""
    for name in sorted({card.name for card in page.cards if card.anchored and page.ids[card.name] > 1}):
        message = f"{page.ids[name]} elements have the id `{name}`, which leads to the card of that claim"
        yield Problem("card-old", place, message, _HINT, about=(name,))
