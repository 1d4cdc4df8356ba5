"""Codes of coverage: quantities that no claim stands behind, and what leaves some of them out."""

from __future__ import annotations

from stilltrue.codes.code import Code

COVERAGE: dict[str, Code] = {
    "below-floor": Code(
        "Fewer of the quantities on the pages are bound than the floor of the configuration asks for.",
        "Bind those that are listed; mark a worked example, or except with a reason what needs no claim.",
    ),
    "floor-lowered": Code(
        "The floor of the configuration is lower than at the revision that `--since` names.",
        "Bind what is not bound, and write the old floor back: it only rises.",
    ),
    "idle-mark": Code(
        "A mark of worked examples covers no quantity that lacks a claim, or does not stand where marks do.",
        "Take it away, or put `<!-- stilltrue: example -->` on a line of its own right above a block, and "
        "`<!-- stilltrue: examples -->` right under a heading.",
    ),
    "idle-exception": Code(
        "An exception of `coverage.except` excepts nothing: no quantity on its pages lacks a claim, or its `match` "
        "touches none.",
        "Take it out of the configuration, or correct its `pages` and `match`.",
    ),
    "unknown-page": Code(
        "A page that the command line names is none of the project's.",
        "Name a page, or a folder of pages, that the `pages` globs of the configuration match.",
    ),
}
