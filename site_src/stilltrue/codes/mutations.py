"""Codes of claims that could not fail, and of plants that nobody sees."""

from __future__ import annotations

from stilltrue.codes.code import Code

MUTATIONS: dict[str, Code] = {
    "stated-unmoved": Code(
        "A claim agrees with what was found, and would agree as well if it stated something else: ten times as "
        "much, or 0. Its `tolerance` is too wide to show anything.",
        "Narrow the `tolerance`, or state a bound such as `at most 8 ms`.",
    ),
    "link-unmoved": Code(
        "A bound number in prose agrees with its claim, and a very different number in its place would too.",
        "Write the number that was found, or narrow the `tolerance` of the claim.",
    ),
    "reading-unmoved": Code(
        "A claim holds whatever the evidence says: one of its readings or operands has no influence, its `column` "
        "names no column, or it agrees with a measurement of 0.",
        "State a value that another reading would not agree with, or leave out what has no influence.",
    ),
    "reads-itself": Code(
        "A claim reads its evidence from the very lines that state its value.",
        "Read it from what was measured.",
    ),
    "plant-unmoved": Code(
        "A probe ran with a fault that it put in itself, and every claim that is read from it held all the same.",
        "Let the plant change what the claims state, or claim what it changes.",
    ),
    "plant-failed": Code(
        "A probe that ran with a plant gave no evidence: it failed, printed nothing or took too long. That shows "
        "nothing about its claims.",
        "A plant changes what is measured; everything else about the run stays as it is.",
    ),
}
