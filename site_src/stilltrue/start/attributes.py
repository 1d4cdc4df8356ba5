"""The line of `.gitattributes` that keeps evidence byte for byte, and whether one is there already."""

from __future__ import annotations

import re

_NEWLINE = re.compile(rb"\r?\n")
_KEEPS = frozenset({"-text", "binary"})
"""Attributes that let git convert no line end; `binary` is its own word for `-diff -merge -text`."""


def line_for(folder: str) -> str:
    """The line for a folder of evidence, from the root."""
    pattern = f"{folder}/**"
    return f"{_quoted(pattern)} -text"


def with_line(text: bytes, folder: str) -> bytes | None:
    """The file with the line behind all others, where the last word of those there is not the same.

    Args:
        text: What the file holds; empty where there is none.
        folder: The folder of evidence, from the root.

    Returns:
        None where the folder is kept byte for byte already.
    """
    if _is_kept(text, folder):
        return None
    found = _NEWLINE.search(text)
    newline = found[0] if found else b"\n"
    gap = newline if text.strip(b"\xef\xbb\xbf") and not text.endswith(b"\n") else b""
    comment = b"# Evidence is kept byte for byte: its line endings are part of its digest."
    return text + gap + comment + newline + line_for(folder).encode() + newline


def _is_kept(text: bytes, folder: str) -> bool:
    """Whether what is there keeps all files of the folder: the last line that fits a file decides."""
    kept = False
    covering = _covering(folder)
    for line in text.decode("utf-8", "replace").removeprefix("\ufeff").splitlines():
        pattern, attributes = _read(line)
        if not pattern or pattern.startswith("[attr]"):
            continue
        pattern = pattern.removeprefix("/")
        if not _KEEPS.isdisjoint(attributes):
            kept = kept or pattern in covering
        elif any(_converts(attribute) for attribute in attributes) and _may_fit(pattern, folder):
            kept = False
    return kept


def _covering(folder: str) -> frozenset[str]:
    """The patterns that fit every file in and below a folder; one that ends in `/` fits no file."""
    parts = folder.split("/")
    above = ("/".join(parts[:number]) for number in range(1, len(parts) + 1))
    return frozenset({"*", "**", *(f"{each}/**" for each in above)})


def _may_fit(pattern: str, folder: str) -> bool:
    """Whether a pattern may fit a file of the folder; in doubt it does, and the line is written again."""
    fixed = re.split(r"[*?\[\\]", pattern, maxsplit=1)[0]
    if "/" not in pattern or fixed != pattern:
        return "/" not in pattern or f"{folder}/".startswith(fixed) or fixed.startswith(f"{folder}/")
    return pattern.startswith(f"{folder}/")


def _converts(attribute: str) -> bool:
    """Whether an attribute may take `-text` back."""
    return attribute in ("text", "!text") or attribute.startswith("text=")


def _read(line: str) -> tuple[str, list[str]]:
    """The pattern of a line and its attributes; no pattern where it is blank or a comment."""
    line = line.strip()
    if line.startswith("#"):
        return "", []
    quoted = re.match(r'"((?:[^"\\]|\\.)*)"\s*(.*)', line)
    if quoted:
        return re.sub(r"\\(.)", r"\1", quoted[1]), quoted[2].split()
    pattern, *attributes = line.split() or [""]
    return pattern, attributes


def _quoted(pattern: str) -> str:
    """A pattern with blanks, quotes or a first `#` in quotes, as git reads it."""
    if not re.search(r'[\s"\\]|^[#!]', pattern):
        return pattern
    escaped = re.sub(r'(["\\])', r"\\\1", pattern)
    return f'"{escaped}"'
