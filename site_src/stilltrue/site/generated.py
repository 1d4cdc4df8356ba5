"""Which pages and files the site generates, and where; no build writes any of them into the docs folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

INDEX = "claims.md"
SUPERSEDED = "superseded.md"
PROBES = "probes.md"
JSON = "claims.json"
LISTING = "assets/stilltrue/pages.json"
"""Which files `stilltrue pages` wrote into a docs folder."""

ASSETS = {"css": "assets/stilltrue/stilltrue.css", "js": "assets/stilltrue/stilltrue.js"}

_LONGEST = 240
"""How many bytes of a file's name are taken as they are; systems allow 255, suffixes included."""

_KEPT = 120
_EVIDENCE = "evidence/"
_PROBES = "probes/"
_PYTHON = ".py"
_TAKEN = frozenset({"index", "readme"})
"""Names under which MkDocs would put a page in the place of its folder's own."""

_RAW = "evidence-files/"
_AS_TEXT = "evidence-as-text/"

# A browser shows or saves these and runs nothing in them; everything else is copied with `.txt` at its end,
# for evidence comes from pull requests, and an HTML or SVG file would run its scripts as a part of the site.
_INERT = frozenset({"csv", "gz", "json", "jsonl", "log", "toml", "tsv", "txt", "yaml", "yml", "zst"})


def evidence_sources(paths: Iterable[str], folder: str) -> Mapping[str, str]:
    """The source name of each evidence file's page: short below the evidence folder, else its whole path."""
    inside = {path: path.removeprefix(f"{folder}/") for path in paths}
    taken = {short for path, short in inside.items() if short != path}
    sources = {}
    for path, short in inside.items():
        name = f"{short}_" if short == path and short in taken else short
        sources[path] = f"{_EVIDENCE}{_fitting(name)}.md"
    return sources


def probe_sources(paths: Iterable[str]) -> Mapping[str, str]:
    """The source name of each probe's page: short below `probes/`, without the suffix of Python."""
    sources: dict[str, str] = {}
    taken: set[str] = set()
    for path in sorted(paths, key=lambda path: not path.startswith(_PROBES)):
        name = path.removeprefix(_PROBES).removesuffix(_PYTHON)
        while name in taken or name.rpartition("/")[2].lower() in _TAKEN:
            name += "_"
        taken.add(name)
        sources[path] = f"{_PROBES}{_fitting(name)}.md"
    return sources


def raw_name(path: str) -> str:
    """Where the unedited copy of an evidence file lies, from the site's root."""
    suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
    fitting = _fitting(path)
    return f"{_RAW}{path}" if suffix in _INERT and fitting == path else f"{_AS_TEXT}{fitting}.txt"


def is_generated_name(name: str) -> bool:
    """Whether a file of a docs folder has the name of one that can be generated."""
    if name in (INDEX, SUPERSEDED, PROBES, JSON, *ASSETS.values()):
        return True
    page = name.startswith((_EVIDENCE, _PROBES)) and name.endswith(".md")
    return page or name.startswith((_RAW, _AS_TEXT))


def _fitting(path: str) -> str:
    """A path whose last name leaves room for a suffix: a long one is cut and made its own by a digest."""
    folder, slash, name = path.rpartition("/")
    written = name.encode("utf-8", "surrogateescape")
    if len(written) <= _LONGEST:
        return path
    digest = hashlib.sha256(written).hexdigest()[:16]
    return f"{folder}{slash}{written[:_KEPT].decode('utf-8', 'ignore')}-{digest}"


def address_of(source: str, *, directories: bool = True) -> str:
    """The address of a page from the site's root, by its source: `a/b.md` is at `a/b/`, `a/index.md` at `a/`.

    Args:
        source: The page's name in the docs folder.
        directories: Whether each page has a folder of its own (`use_directory_urls`).
    """
    folder, slash, name = source.removesuffix(".md").rpartition("/")
    if name in ("index", "README"):
        return f"{folder}{slash}" if directories else f"{folder}{slash}index.html"
    return f"{folder}{slash}{name}/" if directories else f"{folder}{slash}{name}.html"


def front_matter(title: str, *, searched: bool) -> str:
    """The source of a generated page, in the search index or not; its HTML is put in when it is rendered.

    In Material's search it comes after the pages that say as much: those were written to be read.
    """
    plain = "".join(sign if sign.isalnum() or sign in " ._-+=," else "_" for sign in title)
    search = "boost: 0.5" if searched else "exclude: true"
    return f'---\ntitle: "{plain}"\nhide: [toc]\nsearch:\n  {search}\n---\n'
