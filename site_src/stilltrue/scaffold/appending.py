"""Text at the end of a page, in the page's own line ends."""

from __future__ import annotations


def appended(data: bytes, text: str) -> bytes:
    """The bytes of a page with a text at its end, a blank line before it; all others as they were.

    Args:
        data: The page.
        text: What is added; its lines end in a line feed.
    """
    ending = b"\r\n" if b"\r\n" in data else b"\n"
    gap = b"" if not data.strip() else ending if data.endswith(b"\n") else ending * 2
    if data.endswith(ending * 2):
        gap = b""
    return data + gap + text.encode().replace(b"\n", ending)
