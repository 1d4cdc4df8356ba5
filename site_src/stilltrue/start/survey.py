"""What is there: the configuration, claims, pages, a README, files that look like results."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stilltrue.check.gather import gather
from stilltrue.config import Config, load
from stilltrue.discover import BUILT
from stilltrue.errors import InputError, UsageError
from stilltrue.files import claims_files, read_bytes
from stilltrue.git import known_files
from stilltrue.root import find_root

SMALL = 1 << 20
"""How many bytes of a file are looked at that somebody wrote by hand."""

_DEEPEST = 4
_MOST = 20_000
"""How many entries are looked at: enough for any repository of text, and no wait in a data lake."""

_SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".log", ".txt", ".out", ".parquet")
_WORDS = ("result", "bench", "run", "eval", "metric", "report", "log", "output", "out", "data", "measure")
"""What the names of folders and files of results begin with, the likelier the earlier."""

_NO_RESULTS = re.compile(
    r"(package(-lock)?|composer|tsconfig|jsconfig|manifest|renovate|deno|launch|settings|devcontainer)\.json"
    r"|(\w+[-_])*(requirements|constraints)([-_]\w+)*\.txt|(cmakelists|license|licence|notice|robots|readme"
    r"|authors|contributors|copying|todo|changelog|humans|llms)\.txt|.*[-_.](lock|schema|provenance|config)\.json"
)
_SKIPPED = BUILT | {"env", "vendor"}
_README = ("README.md", "README.rst", "README.txt", "README.adoc", "README")
_MKDOCS = ("mkdocs.yml", "mkdocs.yaml")
_DOCS_DIR = re.compile(rb"^docs_dir:[ \t]*['\"]?(?P<folder>[\w./-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Survey:
    """What a project holds before it is started.

    Attributes:
        config: Its configuration; the defaults where none is written.
        claims: How many claims there are, tables of claims, charts and malformed blocks with an id included.
        sources: The claims files, sorted.
        pages: The pages, sorted.
        in_git: Whether it lies in a git repository.
        readme: The README in the root, empty where there is none.
        mkdocs: The configuration of MkDocs in the root, empty where there is none.
        plugin: Whether that names this tool's plugin.
        docs: The folder of MkDocs' pages, from the root.
        results: Files that look like results, the likeliest first.
    """

    config: Config
    claims: int
    sources: tuple[str, ...]
    pages: tuple[str, ...]
    in_git: bool
    readme: str
    mkdocs: str
    plugin: bool
    docs: str
    results: tuple[str, ...]


def survey(start: Path, *, here: bool = False) -> Survey:
    """Look at the project that `start` lies in, or is to become.

    Args:
        start: A folder.
        here: Whether the folder is to be a project of its own, wherever it lies.

    Raises:
        UsageError: The configuration cannot be used, or `not-the-top`: nothing is configured and the folder
            lies in a repository, of which either may be meant.
    """
    config = _config(start.resolve(), here=here)
    root = config.root
    corpus = gather(config)
    names = {entry.name for entry in root.iterdir()}
    mkdocs = next((name for name in _MKDOCS if name in names), "")
    site = _written(root, mkdocs)
    return Survey(
        config=config,
        claims=len(corpus.claims) + len(corpus.tables) + len(corpus.charts) + len(corpus.malformed),
        sources=claims_files(root, config.claims),
        pages=corpus.pages,
        in_git=any((folder / ".git").exists() for folder in (root, *root.parents)),
        readme=_readme(names),
        mkdocs=mkdocs,
        plugin=b"stilltrue" in site,
        docs=_docs(site),
        results=_results(root),
    )


def _config(start: Path, *, here: bool) -> Config:
    root = find_root(start)
    if root == start:
        return load(start)
    if here:
        return Config(start)
    found = load(start)
    if found.source:
        return found
    raise UsageError(
        f"this folder lies in the repository {root}",
        f"`stilltrue init --project {_shell(root)}` starts there, as is usual; "
        "`stilltrue init --here` makes this folder a project of its own",
        code="not-the-top",
        place=str(start),
    )


def _shell(path: Path) -> str:
    import shlex  # noqa: PLC0415  # only this refusal needs it

    return shlex.quote(str(path))


def read(root: Path, path: str) -> bytes:
    """What a small file holds; nothing where it is not there.

    Raises:
        InputError: It is there and cannot be read, or is no small file.
    """
    if not os.path.lexists(root / path):
        return b""
    return read_bytes(root, path, SMALL)


def _readme(names: set[str]) -> str:
    by_lower = {name.lower(): name for name in sorted(names)}
    return next((by_lower[name.lower()] for name in _README if name.lower() in by_lower), "")


def _written(root: Path, path: str) -> bytes:
    """What a small file holds; nothing where there is no path, or it cannot be read."""
    try:
        return read(root, path) if path else b""
    except InputError:
        return b""


def _docs(site: bytes) -> str:
    """The folder of MkDocs' pages, as far as a line of its configuration says."""
    found = _DOCS_DIR.search(site)
    folder = found["folder"].decode().removeprefix("./").rstrip("/") if found else "docs"
    return "docs" if not folder or folder.startswith(("/", "..")) or "/.." in folder else folder


# Results -----------------------------------------------------------------------------------------------


def _results(root: Path) -> tuple[str, ...]:
    """Files that look like results; those that git ignores would be missing in a clone."""
    known = known_files(root)
    names = _walked(root) if known is None else known
    return tuple(sorted((name for name in names if _is_near(name) and _is_result(name)), key=_likelihood))


def _walked(root: Path) -> Iterator[str]:
    """The files in a folder and not far below it, where git cannot tell them."""
    left = _MOST
    for folder, folders, files in os.walk(root):
        inner = os.path.relpath(folder, root)
        prefix = "" if inner == "." else f"{inner}/"
        folders[:] = [name for name in folders if _is_near(f"{prefix}{name}/x")]
        for name in files:
            yield prefix + name
        left -= len(files) + len(folders)
        if left < 0:
            return


def _is_near(path: str) -> bool:
    *folders, _ = path.split("/")
    return len(folders) <= _DEEPEST and not any(f in _SKIPPED or f.startswith(".") for f in folders)


def _is_result(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name.endswith(_SUFFIXES) and not name.startswith(".") and not _NO_RESULTS.fullmatch(name)


def _likelihood(path: str) -> tuple[int, int, str]:
    """Sorts by what the names say, then by depth: the smaller the likelier."""
    parts = path.lower().split("/")
    says = [at for at, word in enumerate(_WORDS) if any(part.startswith(word) for part in parts)]
    return (min(says, default=len(_WORDS)), len(parts), path)
