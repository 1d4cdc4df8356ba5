"""Codes of claims: their keys and values as written."""

from __future__ import annotations

from stilltrue.codes.code import Code

CLAIMS: dict[str, Code] = {
    "bad-yaml": Code(
        "A block or a claims file is not YAML, or not the YAML that its author meant.",
        "Take the corrected line from the message. Quotes never change what a value means, but a "
        "backslash in double quotes may only stand before another one or a quote: put patterns in single quotes.",
    ),
    "cut-sentence": Code(
        "An unquoted text holds ` #`, and YAML would drop the rest as a comment.",
        "Put the whole text in quotes. A comment goes on a line of its own.",
    ),
    "cut-value": Code(
        "An unquoted value inside braces holds a comma, which ends it there.",
        "Put the whole value in quotes.",
    ),
    "empty-block": Code(
        "A claim block holds nothing.",
        "Write a claim's keys in it, or the id of a claim from a claims file.",
    ),
    "not-a-claim": Code(
        "A block or an item of a claims file is no mapping of keys to values.",
        "Write `key: value` lines; in a claims file each claim begins with `- `.",
    ),
    "unknown-key": Code(
        "A key is not one that claims have, or stands in the wrong place.",
        "Correct its spelling or move it; the page of keys lists them all.",
    ),
    "unsupported-key": Code(
        "A key of the grammar stands where it has no meaning: keys of tables on a single claim, `table_in` on a page.",
        "Write a block marked `claims` above the table, or in a claims file `columns` with `table_in`.",
    ),
    "missing-key": Code(
        "A key that must be there is missing or has no value.",
        "Add it.",
    ),
    "repeated-key": Code(
        "A key is written twice in one mapping.",
        "Keep one of the two.",
    ),
    "wrong-type": Code(
        "A value is a list or a mapping where text is wanted, or the other way round, or not one of the few "
        "words allowed.",
        "Write it as the message shows. Text that begins with a bracket needs quotes.",
    ),
    "bad-id": Code(
        "An id holds something other than lower-case letters, digits, hyphens and dots, does not begin and end "
        "with a letter or a digit, or is longer than 200 characters; or a cell of a table's key, or a header, "
        "leaves nothing for one.",
        "Choose another id; it is for life.",
    ),
    "bad-says": Code(
        "A sentence has no place for its value, or a placeholder that means nothing.",
        "Write `{value}` once where the value goes, and no other word in braces but, for a table of claims, the "
        "headers of its columns.",
    ),
    "unknown-column": Code(
        "A `claims` block names a column that its table does not have, or that several columns are headed with.",
        "Write the header as a reader sees it, and give each column a header of its own.",
    ),
    "unknown-row": Code(
        "`rows` of a `claims` block names a row that its table does not have, has several times, or that it names "
        "already.",
        "Write the cells of the row's key as they read, with one blank between.",
    ),
    "bad-placeholder": Code(
        "A placeholder stands where no value can, or a cell cannot be what its place needs: a number behind `<`, a "
        "name without `/` in a path.",
        "Compare with it, quote it, or take it as a name; leave a row that has no such value out with `rows`.",
    ),
    "unused-placeholder": Code(
        "`rows` gives a placeholder another value or skips a column, and the block uses neither; or the cells of a "
        "column are all read alike.",
        "Correct the name. Choose the row of the evidence by the placeholders of the key.",
    ),
    "no-source": Code(
        "A claim does not say where its value comes from.",
        "Give it `evidence` and `read`, or `derive`, or `reported`.",
    ),
    "two-sources": Code(
        "A claim names two sources for its value.",
        "Keep one: evidence, a derivation, or a report from elsewhere.",
    ),
    "bad-read": Code(
        "The keys of `read` do not go together: exactly one of `path`, `column` and `match`, the others only "
        "with the shape they belong to; several reads have names and a `derive` over them.",
        "Leave out the key that the message names.",
    ),
    "bad-take": Code(
        "A `take` is not one of the known ones.",
        "Use `only`, `same`, `first`, `last`, `min`, `max`, `mean`, `median`, `sum`, `count`, `std`, `pstd` or "
        "`p` with a number up to 100, each with `of 3` if you like, or a list of two.",
    ),
    "bad-range": Code(
        "A stated range or `±` looks at all readings, so it can have neither a `take` nor a `derive`.",
        "Leave `take` out. For a derived range state its two ends as two claims.",
    ),
    "bad-date": Code(
        "A date is no day of the calendar, or is not written YYYY-MM-DD.",
        "Write it like 2026-08-24.",
    ),
    "bad-url": Code(
        "An address does not begin with `http://` or `https://`, or holds a blank.",
        "Give the whole address, or leave it out.",
    ),
    "bad-reproduces": Code(
        "A `reproduces` is no amount, has a unit that does not fit the stated value, or stands beside a value that "
        "is no number or a claim without evidence of its own.",
        "Write `10 %` (of what the evidence says), or an amount in a unit of the same dimension, such as `5 ms`.",
    ),
    "bad-valid": Code(
        "A `valid` says nothing, or its `with` holds a name that is no package's or a text that says no versions.",
        'Write `valid: {until: 2027-03-01, with: {transformers: ">=5.15,<6"}}`, the versions as pip writes them.',
    ),
    "bad-superseded": Code(
        "A claim names itself as its successor.",
        "Name the claim that replaces it, or leave `by` out: then it is withdrawn.",
    ),
    "bad-severity": Code(
        "A severity's level is neither `fail` nor `warn`.",
        'Write `severity: {level: warn, because: "…"}`.',
    ),
}
