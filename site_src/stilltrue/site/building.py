"""What a build of MkDocs adds to a site: pages whose HTML is made when they are rendered, and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel

from stilltrue.site.generated import LISTING, front_matter
from stilltrue.site.placed import placed_names

if TYPE_CHECKING:
    from pathlib import Path

    from mkdocs.config.defaults import MkDocsConfig

    from stilltrue.site.plan import Generated, Plan, Render


class Additions:
    """The generated pages and files of one build.

    What `stilltrue pages` has written into the docs folder gives way to them.

    Args:
        files: All files of the site, to which they are added.
        config: The site's configuration.

    Raises:
        PluginError: The docs folder has a page of the name of a generated one, or of its address.
    """

    def __init__(self, files: Files, config: MkDocsConfig, plan: Plan) -> None:
        self._files = files
        self._config = config
        self._plan = plan
        for name in (*placed_names(config.docs_dir), LISTING):
            placed = files.get_file_from_path(name)
            if placed is not None:
                files.remove(placed)
        self._authors = {file.dest_uri: file.src_uri for file in files}
        for source, page in plan.pages.items():
            self._page(source, page)
        for name, content in plan.files.items():
            self._file(name, content)

    def _page(self, source: str, page: Generated) -> None:
        listed = page.listed and self._config.nav is None
        level = InclusionLevel.INCLUDED if listed else InclusionLevel.NOT_IN_NAV
        content = front_matter(page.title, searched=page.searched) + page.body
        file = File.generated(self._config, source, content=content, inclusion=level)
        taken = self._authors.get(file.dest_uri)
        if taken is not None:
            raise PluginError(
                f"`{taken}` of the docs folder has the name of a page that stilltrue generates, `{source}`"
            )
        self._files.append(file)

    def _file(self, name: str, content: bytes | Path) -> None:
        if isinstance(content, bytes):
            self._files.append(File.generated(self._config, name, content=content))
        else:
            self._files.append(File.generated(self._config, name, abs_src_path=str(content)))

    def addresses(self) -> Mapping[str, str]:
        """The address of every page from the site's root, which MkDocs calls `./`, by the page's source."""
        pages = self._files.documentation_pages()
        return {page.src_uri: "" if page.url == "./" else page.url for page in pages}

    def renders(self, source: str) -> Render | None:
        """What makes the HTML of a page; None for a page of the author's."""
        page = self._plan.pages.get(source)
        return None if page is None else page.render
