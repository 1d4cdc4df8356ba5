"""The directive by which mkdocstrings shows a probe's docstring, where the site has mkdocstrings.

The handler for Python reads sources and imports nothing: what would make it import is switched off here,
whatever the site's own options say. It renders docstrings as Markdown, directives of its own in them too,
which can import what they like. Probes come from pull requests: a docstring that holds more than prose,
lists, code and links is shown as it is instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

_NAME = "mkdocstrings"
_HANDLER = "python"
_PART = re.compile(r"(?!__)[\w-]+")
_ACTIVE = re.compile(
    r"""
    :::                                  # a directive of mkdocstrings: it may import
    | --8<-- | \{[!%{]                   # snippets, and what other plugins fill in
    | <[A-Za-z/!?] | &(?:\#|\w+;)        # HTML
    | \{:?[^\S\n]*[.\#\w]               # attributes, event handlers among them
    | (?:`{3}|~{3})[^\w\n]*(?:claims?|chart)\b
    | \b(?:javascript|vbscript)\s*: | \]\(\s*data: | \]:\s*data:
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What in a docstring is more than text, and is not for a stranger to put on a site."""

_OPTIONS = """\
    handler: python
    options:
      allow_inspection: false
      force_inspection: false
      preload_modules: []
      members: false
      inherited_members: false
      show_root_heading: false
      show_root_toc_entry: false
      docstring_style: google
      docstring_options: {warnings: false}
"""
"""The docstring alone: what a probe settles, needs, costs and cannot settle stands there. A doubtful
docstring is shown as it is; it is no reason to stop a build."""


def search_folders(config: MkDocsConfig) -> tuple[Path, ...]:
    """Where mkdocstrings looks for Python modules, as mkdocs.yml says; empty where the site has it not."""
    plugin = config.plugins.get(_NAME)
    if plugin is None or not plugin.config.get("enabled"):
        return ()
    handlers = plugin.config.get("handlers")
    python = handlers.get(_HANDLER) if isinstance(handlers, Mapping) else None
    paths = python.get("paths") if isinstance(python, Mapping) else None
    base = Path(config.config_file_path or ".").parent
    names = paths if isinstance(paths, list) else []
    return tuple((base / str(name)).resolve() for name in names or ["."])


def directive(script: Path, docstring: str, folders: tuple[Path, ...]) -> str:
    """The Markdown that shows a module's docstring.

    Args:
        script: The module's file.
        docstring: What it says.
        folders: From `search_folders`.

    Returns:
        Empty where the docstring is not to be rendered, or mkdocstrings might not find or read the module.
    """
    if _ACTIVE.search(docstring):
        return ""
    for number, folder in enumerate(folders):
        if script.is_relative_to(folder):
            parts = script.relative_to(folder).with_suffix("").parts
            if all(map(_PART.fullmatch, parts)) and _is_alone(parts, folders[: number + 1]):
                return f"::: {'.'.join(parts)}\n{_OPTIONS}"
    return ""


def _is_alone(parts: Sequence[str], folders: Sequence[Path]) -> bool:
    """Whether the last of some folders holds a module, and nothing is read for it or in its place."""
    *packages, name = parts
    *earlier, own = folders
    if any(_candidates(folder, parts[0]) for folder in earlier):
        return False
    for package in packages:
        if _candidates(own, package) != {package} or any((own / package).glob("__init__.*")):
            return False
        own /= package
    return _candidates(own, name) == {f"{name}.py"}


def _candidates(folder: Path, name: str) -> set[str]:
    """The names of what in a folder may be the module of a name."""
    found = {name} if (folder / name).exists() else set()
    return found | {each.name for each in folder.glob(f"{name}.*") if each.suffix.startswith((".py", ".so"))}
