"""A cell of reStructuredText as a reader sees it: without marks, roles, links and footnotes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stilltrue.pages.superscripts import subscript, superscript

_TARGET = re.compile(r"^[ \t]*\.\. _(?:`([^`]+)`|([^:\n]+)): *(\S+)[ \t]*$", re.MULTILINE)
_NOTE = re.compile(r"[ \t]*\[(?:\d+|#[\w-]*|\*)\]_(?!\w)")
_RAISED = re.compile(r"(?:\\ )?:sup(?:erscript)?:`([^`]*)`(?:\\ )?")
_LOWERED = re.compile(r"(?:\\ )?:sub(?:script)?:`([^`]*)`(?:\\ )?")
_PARTS = re.compile(
    r"``(?P<code>.+?)``|:[\w:.+-]+:`(?P<role>[^`]+)`|`(?P<link>[^`]+)`__?(?!\w)|`(?P<title>[^`]+)`(?!_)"
    r"|(?<![\w.])(?P<name>[A-Za-z][\w.-]*?)__?(?![\w`])|\*\*(?P<bold>[^*]+)\*\*|\*(?P<slanted>[^*\s][^*]*)\*"
    r"|\\(?P<escaped>.|\Z)"
)
_EMBEDDED = re.compile(r"(.*?)\s*<([^<>]+)>\Z", re.DOTALL)


def references_of(text: str) -> dict[str, str]:
    """The targets of a file's named links, by their names in lower case."""
    return {_key(found[1] or found[2]): found[3] for found in _TARGET.finditer(text)}


def inline(text: str, references: Mapping[str, str]) -> tuple[str, str]:
    """What a reader sees of a text, and where the link leads that it begins with; empty where none does.

    Args:
        text: The text of a cell, on one line.
        references: The targets of the file's named links.
    """
    text = _NOTE.sub("", text)
    text = _RAISED.sub(lambda found: superscript(text[: found.start()], found[1]), text)
    text = _LOWERED.sub(lambda found: subscript(text[: found.start()], found[1]), text)
    targets: list[str] = []

    def shown(found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        own = found[kind]
        if kind == "escaped":
            return "" if own.isspace() else own
        if kind not in ("role", "link", "name"):
            return own
        words, target = _parted(own)
        target = target or ("" if kind == "role" else references.get(_key(words), ""))
        if kind == "name" and not target:
            return found[0]
        if target and not text[: found.start()].strip():
            targets.append(target)
        return words

    bare = _PARTS.sub(shown, text)
    return " ".join(bare.split()), targets[0] if targets else ""


def _parted(own: str) -> tuple[str, str]:
    """A link's words and the target that stands in it."""
    embedded = _EMBEDDED.match(own)
    return (embedded[1] or embedded[2], embedded[2]) if embedded else (own, "")


def _key(name: str) -> str:
    return " ".join(name.lower().split())
