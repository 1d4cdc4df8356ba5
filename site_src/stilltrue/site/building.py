"""What a build adds to a site: pages whose HTML is made when they are rendered, and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files as resources
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel

from stilltrue.errors import InputError
from stilltrue.files import resolve
from stilltrue.site.generated import ASSETS, front_matter, raw_name

if TYPE_CHECKING:
    from pathlib import Path

    from mkdocs.config.defaults import MkDocsConfig

    from stilltrue.site.view import Spot

Render = Callable[["Spot", str], str]
"""The HTML of a generated page, from the page itself and what Markdown made of its body."""


class Additions:
    """The generated pages and files of one build.

    Args:
        files: All files of the site, to which they are added.
        config: The site's configuration.
    """

    def __init__(self, files: Files, config: MkDocsConfig) -> None:
        self._files = files
        self._config = config
        self._authors = {file.dest_uri: file.src_uri for file in files}
        self._pages: dict[str, Render] = {}
        self._names: set[str] = set()

    def page(
        self,
        source: str,
        title: str,
        render: Render,
        *,
        listed: bool = False,
        searched: bool = False,
        body: str = "",
    ) -> None:
        """Add a page.

        Args:
            source: The name of its source in the docs folder.
            title: What it is called in the browser's title and in search.
            render: Makes its HTML.
            listed: Whether it appears in a navigation that the site does not write itself.
            searched: Whether search finds it.
            body: Its Markdown.

        Raises:
            PluginError: The docs folder has a page of that name, or of that address.
        """
        listed = listed and self._config.nav is None
        level = InclusionLevel.INCLUDED if listed else InclusionLevel.NOT_IN_NAV
        content = front_matter(title, searched=searched) + body
        file = File.generated(self._config, source, content=content, inclusion=level)
        taken = self._authors.get(file.dest_uri)
        if taken is not None:
            raise PluginError(
                f"`{taken}` of the docs folder has the name of a page that stilltrue generates, `{source}`"
            )
        self._files.append(file)
        self._pages[source] = render

    def file(self, name: str, content: str | bytes) -> None:
        """Add a file."""
        self._files.append(File.generated(self._config, name, content=content))

    def copy(self, root: Path, path: str) -> None:
        """Add the unedited copy of a file of the repository, once; one that is not there is left out."""
        name = raw_name(path)
        if name in self._names:
            return
        self._names.add(name)
        try:
            real = resolve(root, path)
        except InputError:
            return
        self._files.append(File.generated(self._config, name, abs_src_path=str(real)))

    def assets(self) -> None:
        """Add the style sheet and the script."""
        for kind, name in ASSETS.items():
            self.file(name, (resources("stilltrue.site") / "assets" / f"stilltrue.{kind}").read_bytes())

    def addresses(self) -> Mapping[str, str]:
        """The address of every page from the site's root, which MkDocs calls `./`, by the page's source."""
        pages = self._files.documentation_pages()
        return {page.src_uri: "" if page.url == "./" else page.url for page in pages}

    def renders(self, source: str) -> Render | None:
        """What makes the HTML of a page; None for a page of the author's."""
        return self._pages.get(source)
