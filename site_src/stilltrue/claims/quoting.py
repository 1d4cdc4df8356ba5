"""Text in the quotes of YAML, in which it is read back as it is."""

from __future__ import annotations


def quoted(text: str) -> str:
    """A text in quotes that change nothing in it: double ones, or single ones where those would."""
    return quoted_singly(text) if '"' in text or "\\" in text else f'"{text}"'


def quoted_singly(text: str) -> str:
    """A text in single quotes, in which nothing but their own sign is special."""
    return "'" + text.replace("'", "''") + "'"
