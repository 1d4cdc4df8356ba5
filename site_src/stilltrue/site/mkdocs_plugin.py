"""The MkDocs plugin: a thin door that checks before pages are rendered and fails once all of them are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mkdocs.config.base import Config as PluginConfig
from mkdocs.config.base import ValidationError
from mkdocs.config.config_options import Type
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel

from stilltrue.check import check
from stilltrue.config import Config, load
from stilltrue.errors import InputError, UsageError
from stilltrue.files import resolve
from stilltrue.model import Place, Problem, Report
from stilltrue.report import to_json, to_text
from stilltrue.site.evidence_page import evidence_page
from stilltrue.site.generated import (
    ASSETS,
    INDEX,
    JSON,
    SUPERSEDED,
    evidence_sources,
    front_matter,
    raw_name,
)
from stilltrue.site.index_page import index_page
from stilltrue.site.markdown_extension import Session, StilltrueExtension
from stilltrue.site.repository import browse_url
from stilltrue.site.superseded_page import superseded_page
from stilltrue.site.view import Layout, Spot, View
from stilltrue.site.watch import watched

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.pages import Page

_NAME = "stilltrue"
_log = get_plugin_logger(_NAME)

Render = Callable[[Spot], str]


class _Rerun(Type[str]):
    """`rerun: never`, the one value of this version."""

    def __init__(self) -> None:
        super().__init__(str, default="never")

    def run_validation(self, value: object) -> str:
        if value != "never":
            message = (
                f"`rerun: {value}` is not supported by this version; write `rerun: never`, or leave it out"
            )
            raise ValidationError(message)
        return "never"


class StilltrueConfig(PluginConfig):  # type: ignore[no-untyped-call]  # MkDocs leaves its hook untyped
    """The plugin's options in mkdocs.yml."""

    rerun = _Rerun()


class StilltruePlugin(BasePlugin[StilltrueConfig]):  # type: ignore[no-untyped-call]  # as above
    """Checks the project's claims and shows them; a build with a failing claim fails."""

    def __init__(self) -> None:
        self._serving = False
        self._project: Config | None = None
        self._docs = ""
        self._extension = StilltrueExtension()
        self._session: Session | None = None
        self._generated: dict[str, Render] = {}
        self._server: LiveReloadServer | None = None

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Learn whether the site is being served; then nothing ever fails."""
        del dirty
        self._serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add the extension, the style sheet and the script."""
        self._extension = StilltrueExtension()
        others = [name for name in config.markdown_extensions if name != _NAME]
        # MkDocs hands the list on to Python-Markdown, which takes an extension itself as well as its name.
        config.markdown_extensions = [*others, self._extension]  # type: ignore[list-item]
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
        sources = evidence_sources(_readable(project, report), project.evidence)
        self._generated = {}
        self._page(files, config, INDEX, "Claims", lambda spot: index_page(spot, self._docs))
        self._page(files, config, SUPERSEDED, "Superseded claims", superseded_page)
        for path, source in sources.items():
            self._evidence(files, config, path, source)
        _add(files, config, JSON, content=to_json(report))
        for kind, name in ASSETS.items():
            _add(files, config, name, content=_asset(f"stilltrue.{kind}"))
        source = browse_url(config.repo_url, config.edit_uri, self._docs)
        layout = replace(self._layout(files, sources), source=source)
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
        render = self._generated.get(page.file.src_uri)
        if render is None or self._session is None:
            return html
        return render(self._session.spot())

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
            return project, check(project)
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

    def _page(self, files: Files, config: MkDocsConfig, source: str, title: str, render: Render) -> None:
        if files.get_file_from_path(source) is not None:
            raise PluginError(
                f"`{source}` of the docs folder has the name of a page that stilltrue generates"
            )
        in_nav = config.nav is None and source in (INDEX, SUPERSEDED)
        level = InclusionLevel.INCLUDED if in_nav else InclusionLevel.NOT_IN_NAV
        _add(
            files,
            config,
            source,
            content=front_matter(title, searched=source in (INDEX, SUPERSEDED)),
            inclusion=level,
        )
        self._generated[source] = render

    def _evidence(self, files: Files, config: MkDocsConfig, path: str, source: str) -> None:
        project = self._project
        assert project is not None  # noqa: S101  # set before the pages are made
        raw = raw_name(path)
        _add(files, config, raw, abs_src_path=str(resolve(project.root, path)))

        def render(spot: Spot) -> str:
            return evidence_page(project, path, spot, spot.raw_url(raw))

        self._page(files, config, source, path.rpartition("/")[2], render)

    def _layout(self, files: Files, sources: Mapping[str, str]) -> Layout:
        by_source = {file.src_uri: file.url for file in files.documentation_pages()}
        pages = {self._docs + uri: _url(url) for uri, url in by_source.items() if uri not in self._generated}
        evidence = {path: _url(by_source[source]) for path, source in sources.items()}
        return Layout(pages, evidence, _url(by_source[INDEX]))


def _url(url: str) -> str:
    """An address from the site's root; MkDocs calls the root itself `./`."""
    return "" if url == "./" else url


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


def _asset(name: str) -> bytes:
    return (resources("stilltrue.site") / "assets" / name).read_bytes()


def _add(
    files: Files,
    config: MkDocsConfig,
    name: str,
    *,
    content: str | bytes | None = None,
    abs_src_path: str | None = None,
    inclusion: InclusionLevel = InclusionLevel.INCLUDED,
) -> None:
    if abs_src_path is not None:
        file = File.generated(config, name, abs_src_path=abs_src_path, inclusion=inclusion)
    else:
        file = File.generated(config, name, content=content or "", inclusion=inclusion)
    files.append(file)
