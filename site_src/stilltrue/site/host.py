"""What the host of Python-Markdown says of the page that is being rendered.

Zensical hands each page to Python-Markdown with a processor of its own, `rendering_context`, which holds the
page and the site's configuration (`zensical/extensions/context.py`, the same from 0.0.73 to 0.1.3). It is
looked for by its name and its attributes, so that nothing of Zensical is imported; plain Python-Markdown has
none. Every relative address on a page, in HTML that an extension put in too, is taken by Zensical to be
relative to the source's folder, and rewritten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from markdown import Markdown

_CONTEXT = "rendering_context"


@dataclass(frozen=True, slots=True)
class Host:
    """A generator that names its pages.

    Attributes:
        docs: The folder of its pages, in the file system.
        folder: The folder of its configuration.
        directories: Whether each page has a folder of its own.
        repo_url: Where its repository is shown; empty where it does not say.
        edit_uri: What leads from there to the docs folder, for editing; empty likewise.
    """

    docs: Path
    folder: Path
    directories: bool = True
    repo_url: str = ""
    edit_uri: str = ""


@dataclass(frozen=True, slots=True)
class Rendered:
    """The page that is being rendered.

    Attributes:
        host: The generator.
        source: Its name in the docs folder.
    """

    host: Host
    source: str


def rendered(md: Markdown) -> Rendered | None:
    """The page that is being rendered; None where the host does not say."""
    if _CONTEXT not in md.preprocessors:
        return None
    context = md.preprocessors[_CONTEXT]
    page, config = getattr(context, "page", None), getattr(context, "config", None)
    source = getattr(page, "path", None)
    if not isinstance(source, str) or not isinstance(config, Mapping):
        return None
    return Rendered(_host(config), source)


def _host(config: Mapping[str, object]) -> Host:
    folder = Path(str(config.get("root_dir") or ".")).resolve()
    return Host(
        docs=(folder / str(config.get("docs_dir") or "docs")).resolve(),
        folder=folder,
        directories=config.get("use_directory_urls") is not False,
        repo_url=str(config.get("repo_url") or ""),
        edit_uri=str(config.get("edit_uri") or ""),
    )
