"""`stilltrue verify-site`: whether a built site shows what a check gives, whatever generator built it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from stilltrue.check import check
from stilltrue.config import Config
from stilltrue.errors import UsageError
from stilltrue.model import BoundLink, Judgement, Place, Problem, Report
from stilltrue.site.built import ELSEWHERE, BuiltPage, Card, built_pages, read_html
from stilltrue.site.card import card
from stilltrue.site.chart_block import chart
from stilltrue.site.forged import bound_of, forged
from stilltrue.site.generated import ASSETS, address_of
from stilltrue.site.placed import same_content
from stilltrue.site.plan import Plan, plan
from stilltrue.site.view import Layout, Spot, View
from stilltrue.wording import counted, named

_ANEW = "build the site anew from nothing: `mkdocs build`, `properdocs build` or `zensical build --clean`"
_PAGES = "run `stilltrue pages` for the docs folder before the build, or build with the MkDocs plugin"


@dataclass(frozen=True, slots=True)
class Site:
    """A built site.

    Attributes:
        folder: Where it lies.
        shown: What its folder is called in messages, with a `/` at its end.
        docs: The folder of the sources, from the repository's root with a `/` at its end; empty for the root.
        pages: Its pages, by their place in its folder.
    """

    folder: Path
    shown: str
    docs: str
    pages: Mapping[str, BuiltPage]

    def page_of(self, path: str) -> str:
        """Where the page with this source is built; empty where it is not."""
        source = path.removeprefix(self.docs)
        for name in (f"{address_of(source)}index.html", address_of(source, directories=False)):
            if name in self.pages:
                return name
        return ""

    def place(self, name: str) -> Place:
        """A built file, as messages name it."""
        return Place(self.shown + name)


@dataclass(frozen=True, slots=True)
class Arrived:
    """What became of a check on a built site.

    Attributes:
        report: The check, and as its problems too what the site does not show as it was checked.
        summary: What was compared, in words.
    """

    report: Report
    summary: str


def compare_site(project: Config, folder: Path, docs: str) -> Arrived:
    """Compare a built site with a check made now.

    Args:
        project: The project.
        folder: The built site.
        docs: The folder of the site's sources, from the repository's root; empty for the root.

    Raises:
        UsageError: There is no built page, no such docs folder, or nothing to check.
        InputError: A page cannot be read.
    """
    site = _site(project, folder, docs)
    report = check(_without(project, site))
    planned = plan(project, report, site.docs)
    view = View(project, report, Layout())
    told = [*_ignored(report, site)] or [
        *_cards(view, site),
        *_pages(view, site),
        *forged(view, ((site.place(name), page) for name, page in site.pages.items())),
        *_links(site),
        *_astray(site),
        *_generated(planned, site),
        *_files(planned, site),
        *_style(site),
        *(_unknown(site) if report.ok else ()),
    ]
    numbers = (
        counted(len(site.pages), "page"),
        counted(sum(len(page.cards) for page in site.pages.values()), "card"),
        counted(sum(len(page.bound) for page in site.pages.values()), "bound number"),
        counted(len(planned.pages), "generated page"),
    )
    summary = (
        f"{site.shown} {', '.join(numbers)}: {counted(len(told), 'difference') if told else 'as checked'}"
    )
    return Arrived(replace(report, problems=(*report.problems, *told)), summary)


def _site(project: Config, folder: Path, docs: str) -> Site:
    inside = docs.strip("/")
    if not (project.root / inside).is_dir():
        raise UsageError(
            f"there is no folder `{docs}`", "name the folder of the site's sources: `--docs DIR`"
        )
    real = Path(os.path.realpath(folder))
    shown = real.relative_to(project.root).as_posix() if real.is_relative_to(project.root) else str(folder)
    pages = dict(built_pages(real, project.limits))
    if not pages:
        raise UsageError(
            f"there is no built page in `{folder}`", "build the site first, then name its folder"
        )
    return Site(real, f"{shown}/", f"{inside}/" if inside not in ("", ".") else "", pages)


def _without(project: Config, site: Site) -> Config:
    """The project without the built site, whose pages may say what superseded claims once said."""
    search = replace(project.search, ignore=(*project.search.ignore, f"{site.shown}**"))
    return replace(project, search=search)


def _ignored(report: Report, site: Site) -> Iterator[Problem]:
    """That nothing of a check arrived: one problem says it better than one for each claim."""
    if report.judgements and not any(page.cards for page in site.pages.values()):
        yield Problem(
            "site-ignored",
            Place(site.shown.rstrip("/")),
            f"no page shows a card, and the check knows {counted(len(report.judgements), 'claim')}",
            "name `stilltrue` under `markdown_extensions` for Zensical, which leaves out plugins without a "
            "word; under `plugins` for MkDocs and ProperDocs",
        )


# Cards and links ---------------------------------------------------------------------------------------


def _cards(view: View, site: Site) -> Iterator[Problem]:
    """Claims whose card is not there, and cards that show something else than the check gives."""
    shown: dict[str, list[tuple[str, Card]]] = {}
    for name, page in site.pages.items():
        for each in page.cards:
            shown.setdefault(each.name, []).append((name, each))
    for judgement in view.report.judgements:
        there = shown.pop(judgement.claim.id, [])
        if not any(each.anchored for _, each in there):
            yield _missing(judgement, site)
        for name, each in there:
            if told := _difference(each, _expected(judgement, view)):
                yield _old(site.place(name), judgement.claim.id, told)
    for unknown, there in shown.items():
        for name, _ in there:
            yield _old(site.place(name), unknown, "is of a claim that the check does not know")


def _missing(judgement: Judgement, site: Site) -> Problem:
    claim = judgement.claim
    return Problem(
        "card-missing",
        claim.block,
        f"no page in `{site.shown}` has the card of `{claim.id}`",
        f"{_ANEW}; a claim on no page of the site has its card in the index, which `stilltrue pages` makes",
        about=(claim.id,),
    )


def _old(place: Place, name: str, told: str) -> Problem:
    return Problem("card-old", place, f"the card of `{name}` {told}", _ANEW, about=(name,))


def _expected(judgement: Judgement, view: View) -> Card:
    return read_html(card(judgement, Spot(view))).cards[0]


def _difference(there: Card, wanted: Card) -> str:
    """What a card shows, and what it should; empty where it is right."""
    for part in ("verdict", "says", "message", "found"):
        old, new = getattr(there, part), getattr(wanted, part)
        if old != new:
            return f"says `{old or 'nothing'}`, and the check `{new or 'nothing'}`"
    for fact in sorted({*there.facts, *wanted.facts} - _OF_THE_PAGE):
        old, new = there.facts.get(fact, "nothing"), wanted.facts.get(fact, "nothing")
        if old != new:
            return f"says for `{fact}` `{old}`, and the check `{new}`"
    return ""


_LEFT_OUT = "where the build leaves it out, `exclude` it in the configuration too"

_OF_THE_PAGE = {"Read on"}
"""Facts of a card that depend on where it stands."""


def _pages(view: View, site: Site) -> Iterator[Problem]:
    """Pages that were not built, and links and charts that are not on theirs as they were checked."""
    report = view.report
    links: dict[str, list[BoundLink]] = {}
    for each in report.links:
        links.setdefault(each.link.place.path, []).append(each)
    charts = Counter(plot.chart.block.path for plot in report.charts)
    own = {j.claim.block.path for j in report.judgements if j.claim.page}
    for path in sorted({*links, *charts, *own}):
        if not path.startswith(site.docs):
            continue
        name = site.page_of(path)
        if not name:
            message = f"`{site.shown}` has no page of this source"
            yield Problem("page-missing", Place(path), message, f"{_ANEW}; {_LEFT_OUT}")
            continue
        yield from _links_of(site.pages[name], site.place(name), links.get(path, ()), view)
        yield from _charts_of(site.pages[name], site.place(name), path, view)


def _links_of(page: BuiltPage, place: Place, links: Iterable[BoundLink], view: View) -> Iterator[Problem]:
    """Bound numbers that the page does not show as they were checked."""
    there = Counter(page.bound)
    for each in links:
        wanted = bound_of(each, view)
        if there[wanted]:
            there[wanted] -= 1
            continue
        near = next((b.kind for b in page.bound if (b.target, b.words) == (wanted.target, wanted.words)), "")
        told = (
            f"is marked `{near}` there, and the check says `{wanted.kind}`" if near else "is not bound there"
        )
        yield Problem(
            "link-old",
            each.link.place,
            f"`{wanted.words}` of `{wanted.target}` {told}, on {place}",
            _ANEW,
            about=(wanted.target,),
        )


def _charts_of(page: BuiltPage, place: Place, path: str, view: View) -> Iterator[Problem]:
    """Charts that the page does not draw as they were checked."""
    there = Counter(page.charts)
    plots = [plot for plot in view.report.charts if plot.chart.block.path == path]
    for number, plot in enumerate(plots, 1):
        (words,) = read_html(chart(plot, Spot(view), number)).charts
        if there[words]:
            there[words] -= 1
            continue
        yield Problem(
            "chart-old",
            plot.chart.block,
            f"the chart `{plot.chart.title}` is not drawn on {place} with the numbers that it has now",
            _ANEW,
        )


def _links(site: Site) -> Iterator[Problem]:
    """Links that no one bound: they lead nowhere."""
    for name, page in site.pages.items():
        if page.unbound:
            yield Problem(
                "link-unbound",
                site.place(name),
                f"{counted(len(page.unbound), 'link')} still {'reads' if len(page.unbound) == 1 else 'read'} "
                f"`claim:{page.unbound[0]}`",
                "name `stilltrue` under `markdown_extensions`, or the plugin under `plugins`, and build anew",
            )


def _astray(site: Site) -> Iterator[Problem]:
    """Bound numbers and links of cards that lead to nothing on the site."""
    for name, page in site.pages.items():
        lost = [href for href in page.links if not _leads(href, name, site)]
        if lost:
            yield Problem(
                "link-astray",
                site.place(name),
                f"{counted(len(lost), 'link')} of its cards and bound numbers "
                f"{'leads' if len(lost) == 1 else 'lead'} to nothing on the site: `{lost[0]}`",
                _PAGES,
            )


def _leads(href: str, name: str, site: Site) -> bool:
    """Whether an address on a page leads somewhere: to a file of the site, at an anchor that it has."""
    if ELSEWHERE.match(href):
        return True
    address, _, anchor = href.partition("#")
    parts = name.split("/")[:-1] if address else name.split("/")
    for part in filter(None, unquote(address).split("/")):
        if part == ".." and not parts:
            return False
        parts = parts[:-1] if part == ".." else [*parts, part] if part != "." else parts
    target = "/".join(parts)
    if target not in site.pages and (site.folder / target).is_dir():
        target = f"{target}/index.html".removeprefix("/")
    if target not in site.pages:
        return (site.folder / target).is_file()
    return not anchor or unquote(anchor) in site.pages[target].ids


# Generated pages and files -----------------------------------------------------------------------------


def _generated(planned: Plan, site: Site) -> Iterator[Problem]:
    """Generated pages that are not there, or were made from something else than there is now.

    One state is written into all of them, so those of an older one are told as one.
    """
    state = planned.state()
    old: dict[str, str] = {}
    for source, page in planned.pages.items():
        name = site.page_of(site.docs + source)
        made = site.pages[name].states.get(source) if name else None
        if not name or made is None:
            where = site.place(name or address_of(source) + "index.html")
            yield Problem("page-missing", where, f"the generated page `{page.title}` is not there", _PAGES)
        elif made != state:
            old[name] = page.title
    if old:
        noun, was = ("page", "was") if len(old) == 1 else ("pages", "were")
        which = f"the generated {noun} {named(old.values())}"
        message = f"{which} {was} made from something else than there is now"
        yield Problem("page-old", site.place(next(iter(old))), message, f"{_PAGES}; {_ANEW}")


def _files(planned: Plan, site: Site) -> Iterator[Problem]:
    """The report as JSON and the copies of evidence: whether they are there, and what they should be."""
    for name, content in planned.files.items():
        path = site.folder / name
        if not path.is_file():
            yield Problem("page-missing", site.place(name), "this generated file is not there", _PAGES)
        elif name not in ASSETS.values() and not same_content(path, content):
            message = "this generated file is not as it would be made now"
            yield Problem("page-old", site.place(name), message, f"{_PAGES}; {_ANEW}")


def _style(site: Site) -> Iterator[Problem]:
    bare = [name for name, page in site.pages.items() if (page.cards or page.bound) and not page.styled]
    if bare:
        yield Problem(
            "site-unstyled",
            site.place(bare[0]),
            f"{counted(len(bare), 'page')} with claims, this one first, {'does' if len(bare) == 1 else 'do'} "
            "not ask for the style sheet",
            f"name `{ASSETS['css']}` under `extra_css`",
        )


def _unknown(site: Site) -> Iterator[Problem]:
    """What a page shows as wrong although the check has found nothing wrong."""
    for name, page in site.pages.items():
        if page.unknown:
            yield Problem(
                "unseen-claim",
                site.place(name),
                "a block or a link of this page is shown as wrong, and the check knows nothing of it",
                "write claims on pages that `pages` of the configuration names, and not by a plugin",
            )
