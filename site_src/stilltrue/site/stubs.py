"""Generated pages in a docs folder: a few lines that the Markdown extension puts the page in the place of.

What a page is made of never stands in Markdown: evidence comes from pull requests, and a generator may take
signs in it for its own. The state that it was made from does, so that a generator which keeps pages by their
text renders it again when that changes.
"""

from __future__ import annotations

import re
from html import escape, unescape

from stilltrue.site.generated import front_matter

_LINE = re.compile(r'<div data-st-page="([^"]*)" data-st-state="([0-9a-f]*)">')


_BODY = (
    "Made by `stilltrue pages`; the Markdown extension `stilltrue` fills it in when the site is built.\n"
    "</div>\n"
)
_STUB = re.compile(rf"---\n[^<]*---\n\n{_LINE.pattern}\n{re.escape(_BODY)}".encode())


def stub(source: str, title: str, state: str, *, searched: bool) -> str:
    """The Markdown of a generated page.

    Args:
        source: Its name in the docs folder.
        title: What it is called.
        state: From `Plan.state`.
        searched: Whether search finds it.
    """
    return f"{front_matter(title, searched=searched)}\n{_open(source, state)}\n{_BODY}"


def stub_of(lines: list[str]) -> str | None:
    """Which generated page a page's text stands for, its front matter aside; None where it is no stub."""
    first = next((line for line in lines if line.strip()), "")
    match = _LINE.fullmatch(first.rstrip())
    return unescape(match[1]) if match else None


def is_stub(data: bytes) -> bool:
    """Whether a file is the Markdown of a generated page, as it was written."""
    return _STUB.fullmatch(data.replace(b"\r\n", b"\n")) is not None


def stamp(source: str, state: str) -> str:
    """What says on a built page which generated page it is, and what it was made from."""
    return f"{_open(source, state).removesuffix('>')} hidden></div>"


def _open(source: str, state: str) -> str:
    return f'<div data-st-page="{escape(source)}" data-st-state="{state}">'
