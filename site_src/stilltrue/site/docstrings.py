"""The directive by which mkdocstrings shows a probe's docstring, where the site has mkdocstrings.

The handler for Python reads sources and imports nothing: what would make it import is switched off here,
whatever the site's own options say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

_NAME = "mkdocstrings"
_HANDLER = "python"
_PART = re.compile(r"[\w-]+")

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


def directive(script: Path, folders: tuple[Path, ...]) -> str:
    """The Markdown that shows a module's docstring; empty where mkdocstrings would not find the module."""
    for folder in folders:
        if script.is_relative_to(folder):
            parts = script.relative_to(folder).with_suffix("").parts
            if all(_PART.fullmatch(part) for part in parts):
                return f"::: {'.'.join(parts)}\n{_OPTIONS}"
    return ""
