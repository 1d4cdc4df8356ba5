"""The MkDocs plugin: a thin door that checks before pages are rendered and fails once all of them are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mkdocs.config.base import Config as PluginConfig
from mkdocs.config.config_options import Choice
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import Files

from stilltrue.check import check
from stilltrue.config import Config, load
from stilltrue.errors import InputError, UsageError
from stilltrue.files import resolve
from stilltrue.model import Place, Problem, Report, RunState
from stilltrue.provenance import name_of
from stilltrue.report import to_json, to_text
from stilltrue.rerun import CHEAP, recheck
from stilltrue.site.bench import Entry, entries
from stilltrue.site.building import Additions, Render
from stilltrue.site.docstrings import directive, search_folders
from stilltrue.site.evidence_page import evidence_page
from stilltrue.site.generated import (
    ASSETS,
    INDEX,
    JSON,
    PROBES,
    SUPERSEDED,
    evidence_sources,
    probe_sources,
)
from stilltrue.site.history_section import Kept, kept_days
from stilltrue.site.index_page import index_page
from stilltrue.site.markdown_extension import StilltrueExtension
from stilltrue.site.probe_index import probe_index
from stilltrue.site.probe_page import probe_page
from stilltrue.site.repository import browse_url, commit_url
from stilltrue.site.session import Session
from stilltrue.site.superseded_page import superseded_page
from stilltrue.site.view import Layout, View
from stilltrue.site.watch import watched

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.pages import Page

_NAME = "stilltrue"
_log = get_plugin_logger(_NAME)


class StilltrueConfig(PluginConfig):  # type: ignore[no-untyped-call]  # MkDocs leaves its hook untyped
    """The plugin's options in mkdocs.yml."""

    rerun = Choice(("never", CHEAP), default="never")


class StilltruePlugin(BasePlugin[StilltrueConfig]):  # type: ignore[no-untyped-call]  # as above
    """Checks the project's claims and shows them; a build with a failing claim fails."""

    def __init__(self) -> None:
        self._serving = False
        self._project: Config | None = None
        self._docs = ""
        self._extension = StilltrueExtension()
        self._session: Session | None = None
        self._added: Additions | None = None
        self._server: LiveReloadServer | None = None

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Learn whether the site is being served; then nothing ever fails."""
        del dirty
        self._serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add the extension, the style sheet and the script."""
        self._extension = StilltrueExtension()
        others = [name for name in config.markdown_extensions if name != _NAME]
        # MkDocs hands the list on to Python-Markdown, which takes an extension itself as well as its name. It
        # stays the same list: mkdocstrings may have taken it already, for the docstrings that it renders.
        config.markdown_extensions[:] = [*others, self._extension]  # type: ignore[list-item]
        config.mdx_configs.pop(_NAME, None)
        config.extra_css.append(ASSETS["css"])
        config.extra_javascript.append(ASSETS["js"])
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Check the project, and add the generated pages and files."""
        start = Path(config.config_file_path).parent if config.config_file_path else Path.cwd()
        project, report = self._check(start)
        self._project = project
        self._docs = _docs_folder(project, config)
        added = self._added = Additions(files, config)
        added.page(INDEX, "Claims", lambda spot, _: index_page(spot, self._docs), listed=True, searched=True)
        added.page(
            SUPERSEDED, "Superseded claims", lambda spot, _: superseded_page(spot), listed=True, searched=True
        )
        evidence = self._evidence(added, project, report)
        probes = self._probes(added, project, report, search_folders(config))
        # What a check says without running anything: how long probes took makes no two builds differ.
        added.file(JSON, to_json(replace(report, probes=())))
        added.assets()
        layout = self._layout(added, evidence, probes, config)
        self._session = Session(View(project, report, layout), holds=True)
        self._extension.use(self._session)
        self._watch()
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Tell the extension which page is rendered next."""
        del config, files
        if self._session is not None:
            self._session.turn_to(self._docs + page.file.src_uri, page.file.url)
        return markdown

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Put the HTML of a generated page in the place of its empty source."""
        del config, files
        render = self._added.renders(page.file.src_uri) if self._added is not None else None
        if render is None or self._session is None:
            return html
        return render(self._session.spot(), html)

    @event_priority(100)  # before plugins that rewrite finished pages, such as those that minify them
    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Put the cards in."""
        del page, config
        return output if self._session is None else self._session.release(output)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """List what failed, once, when all pages are there; then fail, unless the site is being served."""
        if self._session is None:
            return
        checked = self._session.view.report
        report = replace(checked, problems=(*checked.problems, *self._session.unseen))
        for warning in report.warnings if report.ok else ():  # a warning of MkDocs would stop `--strict`
            _log.info("%s: %s", warning.place, warning.message)
        if report.ok:
            return
        text = f"claims have come loose\n\n{to_text(report, colour=False)}"
        if not self._serving:
            raise PluginError(text)
        # A warning would stop `mkdocs serve --strict`.
        (_log.info if config.strict else _log.warning)("%s", text)

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Callable[..., None]
    ) -> LiveReloadServer:
        """Watch what claims depend on beside the pages; whatever later builds depend on is added to it."""
        del config, builder
        self._server = server
        self._watch()
        return server

    def _watch(self) -> None:
        if self._server is None or self._project is None or self._session is None:
            return
        paths = watched(self._project, self._session.view.report, self._docs)
        for path, recursive in paths.items():
            self._server.watch(str(self._project.root / path), recursive=recursive)

    # -------------------------------------------------------------------------------------------------------

    def _check(self, start: Path) -> tuple[Config, Report]:
        """The project and what checking it came to; under `serve`, a project that cannot be checked too."""
        project = Config(start.resolve())
        try:
            project = load(start)
            return project, self._report(project)
        except UsageError as error:
            if error.code == "nothing-to-check":
                _log.info("%s", error.message)
                return project, Report((), ())
            if self._serving:
                return project, Report(
                    (), (Problem(error.code, Place(error.place), error.message, error.hint),)
                )
            place = f"{error.place}: " if error.place else ""
            raise PluginError(f"{place}{error.message}\n  {error.hint} [{error.code}]") from None

    def _report(self, project: Config) -> Report:
        """What checking the project comes to, with cheap probes run again where the site asks for it."""
        if self.config.rerun != CHEAP:
            return check(project)
        report = recheck(project, [CHEAP], watch=_told)
        for run in report.probes:
            if run.state is RunState.NOT_RUN:
                _log.info("%s was not run again: %s", run.path, run.why)
        return report

    def _evidence(self, added: Additions, project: Config, report: Report) -> Mapping[str, str]:
        """Add a page for each evidence file, and the copies that it leads to; their sources by path."""
        sources = evidence_sources(_readable(project, report), project.evidence)
        for path, source in sources.items():
            kept = kept_days(project.root, path)
            for each in (path, *(day.path for day in kept)):
                added.copy(project.root, each)
                added.copy(project.root, name_of(each))
            added.page(source, path.rpartition("/")[2], _evidence_render(project, path, kept))
        return sources

    def _probes(
        self, added: Additions, project: Config, report: Report, folders: tuple[Path, ...]
    ) -> Mapping[str, str]:
        """Add a page for each probe, and their list; their sources by path."""
        probes = entries(project, report)
        sources = probe_sources(probes)
        for path, source in sources.items():
            entry = probes[path]
            body = directive(entry.real, entry.script.docstring, folders) if entry.script.parsed else ""
            added.page(
                source, path.rpartition("/")[2], _probe_render(project, entry), searched=True, body=body
            )
        if probes:
            added.page(
                PROBES, "Probes", lambda spot, _: probe_index(probes, spot), listed=True, searched=True
            )
        return sources

    def _layout(
        self, added: Additions, evidence: Mapping[str, str], probes: Mapping[str, str], config: MkDocsConfig
    ) -> Layout:
        addresses = added.addresses()
        own = {uri: url for uri, url in addresses.items() if added.renders(uri) is None}
        source = browse_url(config.repo_url, config.edit_uri, self._docs)
        return Layout(
            pages={self._docs + uri: url for uri, url in own.items()},
            evidence={path: addresses[uri] for path, uri in evidence.items()},
            probes={path: addresses[uri] for path, uri in probes.items()},
            index=addresses[INDEX],
            source=source,
            commits=commit_url(config.repo_url, source),
        )


@contextmanager
def _told(path: str) -> Iterator[Callable[[str], None]]:
    """Says in the log that a probe is being run; what the probe itself says is not for a build's log."""
    _log.info("running %s again", path)
    yield lambda _line: None


def _evidence_render(project: Config, path: str, kept: Sequence[Kept]) -> Render:
    return lambda spot, _: evidence_page(project, path, spot, kept)


def _probe_render(project: Config, entry: Entry) -> Render:
    return lambda spot, docstring: probe_page(project, entry, spot, docstring)


def _docs_folder(project: Config, config: MkDocsConfig) -> str:
    """The docs folder from the repository's root, with a `/` at its end.

    Raises:
        PluginError: It lies outside, so that its pages cannot be checked.
    """
    folder = Path(config.docs_dir).resolve()
    if not folder.is_relative_to(project.root):
        raise PluginError(f"the docs folder lies outside the project that is checked, {project.root}")
    inside = folder.relative_to(project.root).as_posix()
    return "" if inside == "." else f"{inside}/"


def _readable(project: Config, report: Report) -> list[str]:
    """The evidence files that are there; what is wrong with the others, their claims say.

    A file whose name is no UTF-8 has no address, and so no page.
    """
    there = []
    for path in report.files:
        try:
            path.encode()
            resolve(project.root, path)
        except (InputError, UnicodeEncodeError):
            continue
        there.append(path)
    return there
