"""The text of an element, whose tags and entities Python-Markdown has laid aside until the page is whole."""

from __future__ import annotations

import html
import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.util import AMP_SUBSTITUTE, ETX, HTML_PLACEHOLDER_RE, STX

_TAG = re.compile(r"<[^<>]*>")
_OTHER = re.compile(f"{STX}[^{STX}{ETX}]*{ETX}")
"""What an extension keeps in a stash of its own: tags, and never text that a reader sees."""


def words_of(element: Element, md: Markdown) -> str:
    """What a reader will read in an element: entities as their signs, without tags."""
    words = "".join(element.itertext())
    if STX not in words:
        return words
    stash = md.htmlStash.rawHtmlBlocks

    def raw(found: re.Match[str]) -> str:
        held = stash[int(found[1])]
        return html.unescape(_TAG.sub("", held)) if isinstance(held, str) else ""

    return _OTHER.sub("", HTML_PLACEHOLDER_RE.sub(raw, words.replace(AMP_SUBSTITUTE, "&")))
