"""Codes of copies: other places that repeat a claim's number."""

from __future__ import annotations

from stilltrue.codes.code import Code

COPIES: dict[str, Code] = {
    "copy-missing": Code(
        "A pattern of `copies` matches nothing in the files that it names, or its glob names no file: the copy is "
        "gone, or written otherwise.",
        "Correct the pattern, or take the copy out of the claim. A glob needs a match in one of its files.",
    ),
    "copy-disagrees": Code(
        "A place that `copies` names says another number than its claim.",
        "Correct the copy, or let the pattern take the number that is meant, alone.",
    ),
    "stale-copy": Code(
        "A place still holds the value of a claim that is superseded.",
        "State the value of the claim that took its place, or strike the old one through. A place that keeps it on "
        "purpose is marked `stilltrue: keep`; one that means something else is kept so too, or left out by the "
        "claim's `search`.",
    ),
}
