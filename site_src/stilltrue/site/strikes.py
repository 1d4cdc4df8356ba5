"""Strikes through bound numbers, which are part of the grammar of claims, for Markdown that knows no `~~`."""

from __future__ import annotations

from xml.etree.ElementTree import Element

_TILDES = "~~"


def strike(link: Element, root: Element) -> None:
    """Put `<del>` in place of the tildes that are left right inside or right around a link."""
    inner = _innermost(link)
    if inner.tag != "code" and _wrapped(inner):
        _strike_inside(inner)
    elif (link.tail or "").startswith(_TILDES):
        _strike_around(link, root)


def _innermost(link: Element) -> Element:
    """Where a link's text begins and ends: in the link, or in the emphasis that is all of it."""
    inner = link
    while len(inner) == 1 and not inner.text and not inner[0].tail:
        inner = inner[0]
    return inner


def _wrapped(inner: Element) -> bool:
    first = inner.text or ""
    if len(inner):
        return first.startswith(_TILDES) and (inner[-1].tail or "").endswith(_TILDES)
    return first.startswith(_TILDES) and first.endswith(_TILDES) and len(first) > 2 * len(_TILDES)


def _strike_inside(inner: Element) -> None:
    struck = Element("del")
    struck.text = (inner.text or "").removeprefix(_TILDES)
    struck.extend(list(inner))
    for child in struck:
        inner.remove(child)
    if len(struck):
        struck[-1].tail = (struck[-1].tail or "").removesuffix(_TILDES)
    else:
        struck.text = struck.text.removesuffix(_TILDES)
    inner.text = ""
    inner.append(struck)


def _strike_around(link: Element, root: Element) -> None:
    parent = next(element for element in root.iter() if link in list(element))
    at = list(parent).index(link)
    before = parent[at - 1].tail if at else parent.text
    if not (before or "").endswith(_TILDES):
        return
    if at:
        parent[at - 1].tail = (before or "").removesuffix(_TILDES)
    else:
        parent.text = (before or "").removesuffix(_TILDES)
    struck = Element("del")
    struck.tail = (link.tail or "").removeprefix(_TILDES)
    link.tail = ""
    parent.remove(link)
    parent.insert(at, struck)
    struck.append(link)
