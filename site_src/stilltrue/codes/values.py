"""Codes of stated values and units."""

from __future__ import annotations

from stilltrue.codes.code import Code

VALUES: dict[str, Code] = {
    "bad-value": Code(
        "A stated value is empty, a mistyped number, or a number with an unknown or misspelt unit.",
        "Write one number with a known unit, a bound, a range, a `±`, a list, yes or no, or a text.",
    ),
    "bad-tolerance": Code(
        "A tolerance is no amount, has a unit that does not fit the stated value, or stands beside a value that is "
        "no plain number.",
        "Write `2 %` (of the stated number), or an amount in a unit of the same dimension, such as `5 ms`.",
    ),
    "unknown-unit": Code(
        "A unit is not one of the known ones. Symbols are case-sensitive (`mW` is no `MW`), words are not.",
        "Correct it, or add the word to `[tool.stilltrue.units]`.",
    ),
    "bad-unit": Code(
        "A unit of the configuration is known already or has no meaning, or a power of a unit is no unit.",
        'Write `word = "noun"` for a thing that is counted, or an amount of a known unit.',
    ),
}
