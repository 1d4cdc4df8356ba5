"""The list of pages in `mkdocs.yml`: a new page gets its line, and every other character stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from stilltrue.errors import InputError
from stilltrue.files import read_bytes

FILE = "mkdocs.yml"

_LIMIT = 4 << 20
_DOCS = "docs"
_STEP = "    "


class Site(NamedTuple):
    """What `mkdocs.yml` says of pages.

    Attributes:
        text: Its text; empty where there is no such file, or none that can be read.
        docs: The folder of the pages, from the root.
    """

    text: str
    docs: str


def site_of(root: Path) -> Site:
    """The project's site, as far as it has one."""
    try:
        text = read_bytes(root, FILE, _LIMIT).decode("utf-8")
    except (InputError, UnicodeDecodeError):
        return Site("", _DOCS)
    folder = _value(_composed(text), "docs_dir")
    docs = str(folder.value) if type(folder).__name__ == "ScalarNode" else _DOCS
    return Site(text, docs.removeprefix("./").rstrip("/") or _DOCS)


def has_nav(site: Site) -> bool:
    """Whether the site lists its pages: one that is not in the list cannot be found."""
    return _value(_composed(site.text), "nav") is not None


def with_page(root: Path, site: Site, page: str, section: str) -> str:
    """The text of `mkdocs.yml` with a page in its list; empty where it cannot be put there.

    It goes to the end of the section that has a page of its folder; else a new section is made, before those
    whose pages are all generated.

    Args:
        root: The project's root.
        site: The site.
        page: The page, from the folder of pages.
        section: What a new section is called.
    """
    nav = _value(_composed(site.text), "nav")
    if type(nav).__name__ != "SequenceNode" or nav.flow_style or not nav.value:
        return ""
    lines = site.text.splitlines(keepends=True)
    folder = page.rpartition("/")[0]
    beside = [item for item in _leaves(nav) if folder and _page_of(item).rpartition("/")[0] == folder]
    if beside:
        at = _end(beside[-1])
        new = [f"{' ' * _margin(beside[-1], lines)}- {page}"]
    else:
        at = _after(root, site, nav)
        margin = " " * _margin(nav.value[0], lines)
        new = [f"{margin}- {section}:", f"{margin}{_STEP}- {page}"]
    ending = _ending(lines)
    before = lines[:at]
    if before and not before[-1].endswith(("\n", "\r")):
        before[-1] += ending
    text = "".join([*before, *(line + ending for line in new), *lines[at:]])
    return text if page in map(_page_of, _leaves(_value(_composed(text), "nav"))) else ""


def _after(root: Path, site: Site, nav: Any) -> int:
    """The line that a new section goes to: after the last one that has a page of its own on the disk."""
    for item in reversed(nav.value):
        if any((root / site.docs / _page_of(leaf)).is_file() for leaf in _leaves(item)):
            return _end(item)
    return _end(nav.value[-1])


def _composed(text: str) -> Any:
    """The file as nodes, of which nothing is made: it may name Python objects."""
    import yaml  # noqa: PLC0415  # only `new` needs it

    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None


def _value(node: Any, key: str) -> Any:
    if type(node).__name__ != "MappingNode":
        return None
    return next((value for name, value in node.value if name.value == key), None)


def _leaves(node: Any) -> Iterator[Any]:
    """Every page of a list or of a section, in order; what aliases repeat, or put into itself, once."""
    waiting = [node]
    known: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) in known:
            continue
        known.add(id(node))
        match type(node).__name__:
            case "ScalarNode":
                yield node
            case "SequenceNode":
                waiting += reversed(node.value)
            case "MappingNode":
                waiting += [value for _, value in reversed(node.value)]


def _page_of(node: Any) -> str:
    return str(node.value).removeprefix("./")


def _margin(node: Any, lines: list[str]) -> int:
    """How far the dash of an item is indented: the item's first line begins with it."""
    line: str = lines[node.start_mark.line]
    return len(line) - len(line.lstrip(" "))


def _end(node: Any) -> int:
    """The line, from 0, after the last page of an item."""
    lines: list[int] = [leaf.end_mark.line for leaf in _leaves(node)]
    return max(lines, default=int(node.start_mark.line)) + 1


def _ending(lines: list[str]) -> str:
    return "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
