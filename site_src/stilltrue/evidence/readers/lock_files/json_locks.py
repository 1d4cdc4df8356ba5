"""Lock files in JSON: npm's in its three versions, and pipenv's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.evidence.readers.building import Row, cell
from stilltrue.evidence.readers.lock_files.versions import Versions, refuse_versions
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.trees.json_tree import read_json
from stilltrue.evidence.trees.tree import Location

_START = re.compile(rb'"lockfileVersion"\s*:\s*\d|"pipfile-spec"\s*:')
_NODE_MODULES = "node_modules/"
_FLAGS = ("dev", "optional", "peer", "devOptional")
_PACE = 1024
_VERSIONS: Versions = (
    (("lockfileVersion",), ("1", "2", "3")),
    (("_meta", "pipfile-spec"), ("1", "2", "3", "4", "5", "6")),
)


def recognises(head: bytes) -> bool:
    """Whether a file begins as one of these does."""
    return head.lstrip().startswith(b"{") and _START.search(head) is not None


def rows(text: str, deadline: Deadline, kind: str) -> Iterator[Row]:
    """One row for each package and place; raises as the reader."""
    tree = read_json(text, deadline)
    root = tree.value if isinstance(tree.value, dict) else {}
    refuse_versions(tree, _VERSIONS, kind)
    if "lockfileVersion" in root and isinstance(root.get("packages"), dict):
        found = _of_packages(root["packages"], root)
    elif "lockfileVersion" in root and isinstance(root.get("dependencies", {}), dict):
        found = _of_dependencies(root.get("dependencies", {}))
    elif "_meta" in root:
        found = _of_pipenv(root)
    else:
        raise other_format(kind, "it has neither `lockfileVersion` with its packages nor `_meta`")
    for count, (place, cells) in enumerate(found):
        if not count % _PACE:
            deadline.check()
        yield Row(cells, tree.line_of(place))


def _of_packages(
    packages: Mapping[str, Any], root: Mapping[str, Any]
) -> Iterator[tuple[Location, dict[str, str]]]:
    """Versions 2 and 3: by place in the tree of folders; the older list of version 2 says the same again."""
    for path, entry in packages.items():
        if isinstance(entry, dict):
            name = entry.get("name") or (path.rpartition(_NODE_MODULES)[2] if path else root.get("name"))
            kind = (
                {"source_kind": "project"}
                if not path
                else {"source_kind": "link"}
                if entry.get("link")
                else {}
            )
            yield ("packages", path), _npm(cell(name), path, entry) | kind


def _of_dependencies(
    dependencies: Mapping[str, Any], at: Location = (), path: str = ""
) -> Iterator[tuple[Location, dict[str, str]]]:
    """Version 1: nested as the folders are; the parser has bounded how deep."""
    for name, entry in dependencies.items():
        if isinstance(entry, dict):
            place = (*at, "dependencies", name)
            folder = f"{path}{_NODE_MODULES}{name}"
            yield place, _npm(name, folder, entry)
            inner = entry.get("dependencies")
            if isinstance(inner, dict):
                yield from _of_dependencies(inner, place, f"{folder}/")


def _npm(name: str, path: str, entry: Mapping[str, Any]) -> dict[str, str]:
    return {
        "name": name,
        "version": cell(entry.get("version")),
        "source": cell(entry.get("resolved")),
        "groups": ", ".join(flag for flag in _FLAGS if entry.get(flag) is True),
        "optional": "1" if entry.get("optional") is True else "",
        "path": path,
    }


def _of_pipenv(root: Mapping[str, Any]) -> Iterator[tuple[Location, dict[str, str]]]:
    """The sections of a `Pipfile.lock`, each by package."""
    for group, packages in root.items():
        if group == "_meta" or not isinstance(packages, dict):
            continue
        for name, entry in packages.items():
            if isinstance(entry, dict):
                asked = cell(entry.get("version"))
                version = asked.removeprefix("==")
                yield (
                    (group, name),
                    {
                        "name": name,
                        "version": version if asked != version else "",
                        "asked": asked,
                        "source": cell(entry.get("git") or entry.get("path") or entry.get("file")),
                        "groups": group,
                        "markers": cell(entry.get("markers")),
                    },
                )
