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
    "bad-match": Code(
        "A pattern of `stated_in` or `copies` does not say which part of a match is the value.",
        "Put the value in the pattern's only group, or name that group: `(?P<value>…)`.",
    ),
    "not-stated": Code(
        "The pattern of `stated_in` matches nothing in its file, so the claim has no stated value.",
        "Correct the pattern. It is matched against the whole text: `^` and `$` stand at lines, `.` matches no line "
        "end, and every line end is `\\n`.",
    ),
    "no-table-in": Code(
        "`table_in` finds no table: its file is of no format with tables, `after` matches nothing, no table stands on "
        "or after the match, or the one there cannot be read: viewers differ over where a row of it is cut, its cells "
        "span, or it is a directive that docutils refuses.",
        "Name the file that holds the table, and let `after` match above it or in it.",
    ),
    "stated-twice": Code(
        "The pattern of `stated_in` matches several times, and one value is wanted.",
        "Let it match one place alone, or give it a named group beside `value`: then each match is a claim of its own.",
    ),
    "empty-group": Code(
        "A group of a pattern took no part in one of its matches.",
        "Let every alternative of the pattern hold all of its groups, none of them behind a `?` or a `*`.",
    ),
    "too-many-matches": Code(
        "A pattern of `stated_in` or `copies` matches very often in one file.",
        "Let it match the places that are meant, and nothing else.",
    ),
}
