"""`new landmine`: a page, its claims, a probe with plants, its evidence, and a test."""

from __future__ import annotations

import re

from stilltrue.check.gather import gather
from stilltrue.config import Config
from stilltrue.discover import find_pages
from stilltrue.errors import InputError
from stilltrue.files import PROVENANCE_SUFFIX, join, read_bytes
from stilltrue.git import refuse_tracked_workspace
from stilltrue.model import Judgement
from stilltrue.runs import Watch, silently
from stilltrue.scaffold.appending import appended
from stilltrue.scaffold.made import Made, refuse_files, refuse_ids
from stilltrue.scaffold.names import Name, probe_name
from stilltrue.scaffold.navigation import FILE, Site, has_nav, site_of, with_page
from stilltrue.scaffold.staging import judged, measured, put, staged
from stilltrue.scaffold.templates import filled
from stilltrue.transaction import held, recover, write_all

FOLDER = "integrity"
"""Where pages of landmines go, in the folder of pages."""

_PARTS = ("trap", "sound", "guard-stops", "guard-passes")


def new_landmine(config: Config, name: str, *, page: str = "", watch: Watch = silently) -> Made:
    """Make a landmine that holds from the start; its author replaces the example by a trap of their own.

    Nothing is overwritten. The probe is run and everything is checked on a stage before anything is written.

    Args:
        config: The project.
        name: Its name: lower-case letters, digits and hyphens.
        page: The page, from the root, at whose end its section goes; empty: a page of its own.
        watch: Entered while the probe runs.

    Raises:
        UsageError: `bad-name`.
        InputError: `taken`, `not-made`, or a file cannot be read or written.
    """
    landmine = _Landmine(config, probe_name(name), page)
    refuse_tracked_workspace(config.root)
    recover(config.root)
    refuse_ids(gather(config), landmine.ids)
    with held(config.root, (landmine.page, FILE, *landmine.new)):
        refuse_files(config.root, landmine.new)
        files, claims = landmine.made(watch)
        changed, notes = landmine.listed(files)
        write_all(config.root, files)
    return Made(landmine.new, changed, claims, (*notes, landmine.next))


class _Landmine:
    def __init__(self, config: Config, name: Name, page: str) -> None:
        self.config = config
        self.name = name
        self.site: Site = site_of(config.root)
        self.page = _inside(page or f"{self.site.docs}/{FOLDER}/{name.id}.md")
        self.is_new = not page or not (config.root / page).exists()
        self.probe = f"probes/{name.module}.py"
        self.evidence = f"{config.evidence}/{name.id}.json"
        self.test = f"tests/test_landmine_{name.module}.py"
        self.ids = tuple(f"{name.id}-{part}" for part in _PARTS)

    @property
    def new(self) -> tuple[str, ...]:
        """The files that must not be there."""
        own = (self.probe, self.evidence, f"{self.evidence}{PROVENANCE_SUFFIX}", self.test)
        return (self.page, *own) if self.is_new else own

    @property
    def next(self) -> str:
        """What its author does next."""
        commands = f"`stilltrue record {self.probe}` and `stilltrue update`"
        return f"an example stands in it: put your own trap into the probe, run {commands}, rewrite the page"

    def made(self, watch: Watch) -> tuple[dict[str, bytes], tuple[Judgement, ...]]:
        """All that is written, and the claims as they are judged on a stage.

        Raises:
            InputError: `not-made`: they would not hold.
        """
        values = {
            "id": self.name.id,
            "title": self.name.title,
            "probe": self.probe,
            "evidence": self.evidence,
        }
        files = {
            self.page: self._paged(filled("landmine_page.md", values)),
            self.probe: filled("landmine_probe.txt", values).encode(),
            self.test: filled("landmine_test.txt", values).encode(),
        }
        with staged(self.config, files) as stage:
            if self.page not in find_pages(stage.root, stage.pages, stage.exclude):
                message = f"`{self.page}` is no page of this project: nothing under `pages` names it"
                hint = (
                    f"name one that is: `--page {self._some_page()}`, or widen `pages` in the configuration"
                )
                raise InputError("not-made", message, hint)
            run = measured(self.config, stage, self.probe, watch)
            put(stage.root, run)
            return {**files, **run}, judged(stage, self.ids)

    def _some_page(self) -> str:
        pages = find_pages(self.config.root, self.config.pages, self.config.exclude)
        return pages[0] if pages else "README.md"

    def _paged(self, text: str) -> bytes:
        """The page's bytes: new ones, or what is there with a section at its end."""
        if self.is_new:
            return text.encode()
        data = read_bytes(self.config.root, self.page, self.config.limits.bytes)
        return appended(data, _deeper(text))

    def listed(self, files: dict[str, bytes]) -> tuple[dict[str, str], tuple[str, ...]]:
        """What becomes of files that are there; the list of the site's pages is put among those to write."""
        if not self.is_new:
            return {self.page: "a section was added at its end"}, ()
        inside = self.page.removeprefix(f"{self.site.docs}/")
        if not has_nav(self.site) or inside == self.page:
            return {}, ()
        text = with_page(self.config.root, self.site, inside, FOLDER.capitalize())
        if not text:
            return {}, (f"add `{inside}` to `nav` in `{FILE}`: it could not be put there",)
        files[FILE] = text.encode()
        return {FILE: f"`{inside}` was added to `nav`"}, ()


def _inside(page: str) -> str:
    """A page's path, which may come from `docs_dir`: what stands there first is a stage, no less than here.

    Raises:
        InputError: `bad-path`: it leads out of the repository, or into git's own folder.
    """
    try:
        return join("", page)
    except InputError as error:
        hint = f"name a page inside the repository by `--page`, or correct `docs_dir` in `{FILE}`"
        raise InputError(error.code, error.message, hint) from None


def _deeper(text: str) -> str:
    """A page's text as a section: each heading one level lower."""
    return re.sub(r"^(#+ )", r"#\1", text, flags=re.MULTILINE)
