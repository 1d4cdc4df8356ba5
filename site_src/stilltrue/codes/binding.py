"""Codes of `bind`: a number that could not be bound."""

from __future__ import annotations

from stilltrue.codes.code import Code

BINDING: dict[str, Code] = {
    "which-number": Code(
        "`bind` was asked for a number on a line that holds none, or several.",
        "Name the line of a number that a reader sees, with its column where there are several, or `--value`.",
    ),
    "not-bound": Code(
        "`bind` cannot bind that number so: it is bound already, nothing in the file agrees with it, the best "
        "candidate is not sure, or the claim would not hold. Nothing was written.",
        "Do what the message says; [what makes a candidate sure](bind.md#sure).",
    ),
}
"""What `bind` refuses."""
