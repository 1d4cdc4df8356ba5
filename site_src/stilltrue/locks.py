"""Lock files: which versions of which packages a project pins, for pip, uv and poetry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stilltrue import files
from stilltrue.errors import InputError
from stilltrue.requirements import logical_lines, names_no_package, normal, requirement
from stilltrue.toml import TomlError, parse

USUAL = ("pylock.toml", "uv.lock", "poetry.lock", "requirements.txt", "constraints.txt")
"""The lock files that are looked at where they are there and none is named in the configuration."""

_LARGEST = 8 << 20
"""No lock file that people use is larger, and TOML of this size is read within seconds."""

_INCLUDES = re.compile(r"(?:-r|-c|--requirement|--constraint)(?:\s+|\s*=\s*)?(?P<path>\S+)")

Pins = dict[str, tuple[str, ...]]
"""Versions by package, the names in their normal form."""


@dataclass(frozen=True, slots=True)
class Lock:
    """What a lock file pins.

    Attributes:
        path: The file, from the root.
        pins: Versions by package; a package has several where the file is for several machines.
        files: All files that were read: it, and those that it includes.
    """

    path: str
    pins: Mapping[str, tuple[str, ...]]
    files: tuple[str, ...]


def find_locks(root: Path, named: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The lock files that a project names; where it names none, those of the usual names that are there."""
    return tuple(name for name in USUAL if (root / name).is_file()) if named is None else named


def read_lock(root: Path, path: str) -> Lock:
    """What a lock file pins.

    TOML is `pylock.toml` (PEP 751), `uv.lock` or `poetry.lock`, all other files are pip's requirements: only
    `==` and `===` are pins there, and files that `-r` and `-c` include are read too.

    Raises:
        InputError: The file cannot be read (as `files.read_bytes`), or `bad-lock`: it is malformed.
    """
    if path.endswith((".toml", ".lock")):
        return Lock(path, _toml_pins(path, _text(root, path)), (path,))
    requirements = _Requirements(root)
    requirements.read(path)
    pins = {name: tuple(sorted(versions)) for name, versions in requirements.pins.items()}
    return Lock(path, pins, tuple(requirements.seen))


def _text(root: Path, path: str) -> str:
    try:
        return files.read_bytes(root, path, _LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _bad(path, f"it is not UTF-8 (byte {error.start:,})") from None


def _bad(path: str, why: str, line: int = 0) -> InputError:
    hint = "make it anew with the tool that wrote it"
    return InputError("bad-lock", f"`{path}` is no lock file: {why}", hint, path=path, line=line)


# TOML --------------------------------------------------------------------------------------------------


def _toml_pins(path: str, text: str) -> Pins:
    try:
        table = parse(text)
    except TomlError as error:
        why = "it is nested too deep" if error.fault == "deep" else "it is not valid TOML"
        raise _bad(path, why, error.line) from None
    found: dict[str, set[str]] = {}
    for name, version in _packages(path, table):
        found.setdefault(normal(name), set()).add(version)
    return {name: tuple(sorted(versions)) for name, versions in found.items()}


def _packages(path: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and version of each package; one from a folder or a repository may have no version."""
    key = "packages" if "lock-version" in table else "package"  # PEP 751; uv and poetry
    packages = table.get(key, [])
    if not isinstance(packages, list) or not ("lock-version" in table or "version" in table or packages):
        raise _bad(path, f"it holds no list `{key}`")
    for package in packages:
        name = package.get("name") if isinstance(package, dict) else None
        if not isinstance(name, str):
            raise _bad(path, f"an item of `{key}` has no name")
        version = package.get("version", "")
        if not isinstance(version, str):
            raise _bad(path, f"the version of `{name[:80]}` is no text")
        if version:
            yield name, version


# Requirements ------------------------------------------------------------------------------------------


class _Requirements:
    """Reads pip's requirements and what they include, each file once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.pins: dict[str, set[str]] = {}
        self.seen: list[str] = []

    def read(self, path: str) -> None:
        """Take in what a file pins, and what the files pin that it includes."""
        waiting = [path]
        while waiting:
            current = waiting.pop()
            if current in self.seen:
                continue
            self.seen.append(current)
            for line, text in logical_lines(_text(self.root, current)):
                included = _INCLUDES.fullmatch(text)
                if included:
                    waiting += self._included(current, line, included["path"])
                elif not text.startswith("-") and not names_no_package(text):
                    self._pin(current, line, text)

    def _included(self, path: str, line: int, name: str) -> list[str]:
        if "://" in name:
            return []
        try:
            beside = name if name.startswith("/") else f"./{name}"
            return [files.join(path.rpartition("/")[0], beside)]
        except InputError as error:
            raise _bad(path, f"it includes a file that cannot be read: {error.message}", line) from None

    def _pin(self, path: str, line: int, text: str) -> None:
        asked = requirement(text)
        if asked is None:
            raise _bad(path, "a line is no requirement", line)
        for version in asked.pins:
            self.pins.setdefault(normal(asked.name), set()).add(version)
