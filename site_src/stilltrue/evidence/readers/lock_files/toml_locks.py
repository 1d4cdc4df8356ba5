"""Lock files in TOML: uv, poetry, pdm, Cargo, and `pylock.toml` of PEP 751."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.evidence.readers.building import Row, cell
from stilltrue.evidence.readers.lock_files.versions import Versions, refuse_versions
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.trees.toml_tree import read_toml

_START = re.compile(rb"^\[\[packages?\]\][ \t]*\r?\n(?:#[^\n]*\n)*name[ \t]*=", re.MULTILINE)
_PLACES = ("registry", "git", "url", "path", "directory", "editable", "virtual")
_VERSIONS: Versions = (
    (("lock-version",), ("1",)),  # PEP 751
    (("metadata", "lock-version"), ("1", "2")),  # poetry
    (("metadata", "lock_version"), ("1", "2", "3", "4")),  # pdm
    (("version",), ("1", "3", "4")),  # uv has 1, Cargo 3 and 4; its first two had none
)


def recognises(head: bytes) -> bool:
    """Whether a file begins as one of these does."""
    return _START.search(head) is not None


def rows(text: str, deadline: Deadline, kind: str) -> Iterator[Row]:
    """One row for each package; raises as the reader."""
    tree = read_toml(text, deadline)
    refuse_versions(tree, _VERSIONS, kind)
    key = "packages" if "lock-version" in tree.value else "package"  # PEP 751; all others
    packages = tree.value.get(key)
    if not isinstance(packages, list):
        raise other_format(kind, f"it has no array of tables `{key}`")
    headers = _headers(text, key)
    for index, package in enumerate(packages):
        line = headers[index] if len(headers) == len(packages) else tree.line_of((key, index))
        if not isinstance(package, dict) or not isinstance(package.get("name"), str):
            raise other_format(kind, f"element {index} of `{key}` has no name", line)
        yield Row(_cells(package), line)


def _headers(text: str, key: str) -> list[int]:
    """The lines that read `[[package]]`: as many as there are packages, or a long text holds one of them."""
    found, line, counted = [], 1, 0
    for header in re.finditer(rf"^\[\[{key}\]\]", text, re.MULTILINE):
        line += text.count("\n", counted, header.start())
        counted = header.start()
        found.append(line)
    return found


def _cells(package: Mapping[str, Any]) -> dict[str, str]:
    return {
        "name": package["name"],
        "version": cell(package.get("version")),
        **_source(package),
        "groups": ", ".join(map(str, _listed(package.get("groups", package.get("category"))))),
        "markers": _markers(package),
        "optional": "1" if package.get("optional") is True else "",
    }


def _source(package: Mapping[str, Any]) -> dict[str, str]:
    """Where a package comes from: a string with Cargo, a table of one key with uv, of `type` with poetry."""
    source = package.get("source")
    if isinstance(source, str):
        kind, _, place = source.partition("+")
        return {"source": place, "source_kind": kind} if place else {"source": source}
    if isinstance(source, dict) and "type" in source:
        return {"source": cell(source.get("url")), "source_kind": cell(source["type"])}
    if isinstance(source, dict):
        kind = next((key for key in _PLACES if key in source), "")
        return {"source": cell(source.get(kind)), "source_kind": kind}
    for kind in ("vcs", "archive", "directory"):
        inner = package.get(kind)
        if isinstance(inner, dict):
            return {"source": cell(inner.get("url", inner.get("path"))), "source_kind": kind}
    index = package.get("index")
    return {"source": cell(index), "source_kind": "registry"} if index else {}


def _markers(package: Mapping[str, Any]) -> str:
    """On which machines the package is meant; several conditions are alternatives."""
    found = package.get("resolution-markers", package.get("markers", package.get("marker")))
    if isinstance(found, dict):  # poetry: one for each group
        return "; ".join(f"{group}: {cell(marker)}" for group, marker in found.items())
    return " or ".join(map(str, _listed(found)))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
