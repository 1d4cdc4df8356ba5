"""The MkDocs plugin: a thin door that checks before pages are rendered and fails once all of them are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from stilltrue.errors import UsageError
from stilltrue.model import Place, Problem, Report, RunState
from stilltrue.report import to_text
from stilltrue.rerun import CHEAP, recheck
from stilltrue.site.building import Additions
from stilltrue.site.docstrings import search_folders
from stilltrue.site.generated import ASSETS, INDEX
from stilltrue.site.markdown_extension import StilltrueExtension
from stilltrue.site.plan import Plan, plan
from stilltrue.site.repository import browse_url, commit_url
from stilltrue.site.session import Session
from stilltrue.site.stubs import stamp
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
        for kind, named in (("css", config.extra_css), ("js", config.extra_javascript)):
            if ASSETS[kind] not in map(str, named):  # named already where Zensical builds the site too
                named.append(ASSETS[kind])
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Check the project, and add the generated pages and files."""
        start = Path(config.config_file_path).parent if config.config_file_path else Path.cwd()
        project, report = self._check(start)
        self._project = project
        self._docs = _docs_folder(project, config)
        planned = plan(project, report, self._docs, search_folders(config))
        added = self._added = Additions(files, config, planned)
        layout = self._layout(added, planned, config)
        self._session = Session(View(project, report, layout), holds=True, state=planned.state())
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
        return render(self._session.spot(), html) + stamp(page.file.src_uri, self._session.state)

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

    def _layout(self, added: Additions, planned: Plan, config: MkDocsConfig) -> Layout:
        addresses = added.addresses()
        own = {uri: url for uri, url in addresses.items() if added.renders(uri) is None}
        source = browse_url(config.repo_url, config.edit_uri, self._docs)
        return Layout(
            pages={self._docs + uri: url for uri, url in own.items()},
            evidence={path: addresses[uri] for path, uri in planned.evidence.items()},
            probes={path: addresses[uri] for path, uri in planned.probes.items()},
            index=addresses[INDEX],
            source=source,
            commits=commit_url(config.repo_url, source),
        )


@contextmanager
def _told(path: str) -> Iterator[Callable[[str], None]]:
    """Says in the log that a probe is being run; what the probe itself says is not for a build's log."""
    _log.info("running %s again", path)
    yield lambda _line: None


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
