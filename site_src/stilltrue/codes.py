"""The catalogue of codes: what each message's code means and what cures it; the docs are made from it."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """One code of the catalogue.

    Attributes:
        means: What has happened, in one or two sentences.
        cure: What to do, in one or two sentences.
    """

    means: str
    cure: str


_PAGES: dict[str, Code] = {
    "not-utf8": Code(
        "A page or a claims file is not UTF-8.",
        "Save it as UTF-8.",
    ),
    "unclosed-fence": Code(
        "A claim block is not closed, or stands after a fence that is not closed and so is hidden by it.",
        "Close the fence with the same marks on a line of their own, indented like its opening.",
    ),
    "unseen-block": Code(
        "A fence looks like a claim block, and the site or a plain Markdown viewer does not show it as one.",
        "Start it on a line of its own, indented by four spaces for each list item or box that it belongs to. "
        "An example belongs into a longer fence.",
    ),
    "unclosed-link": Code(
        "A link to a claim has no closing parenthesis, so no viewer shows it as one.",
        "Write it as `[65.2 %](claim:the-id)`.",
    ),
    "claims-table": Code(
        "A table of claims (a block marked `claims`) is not supported by this version.",
        "Write one `claim` block for each value.",
    ),
    "embedded-twice": Code(
        "A block shows a claim that is written on a page already.",
        "Link to the claim, or move it to a claims file.",
    ),
}

_CLAIMS: dict[str, Code] = {
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
        "A key is part of the grammar of claims, and this version cannot check it yet.",
        "Leave it out, or use a version that knows it. It is never ignored.",
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
        "with a letter or a digit, or is longer than 200 characters.",
        "Choose another id; it is for life.",
    ),
    "bad-says": Code(
        "A sentence has no place for its value, or a placeholder that means nothing.",
        "Write `{value}` once where the value goes, and no other word in braces.",
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
    "bad-superseded": Code(
        "A claim names itself as its successor.",
        "Name the claim that replaces it, or leave `by` out: then it is withdrawn.",
    ),
    "bad-severity": Code(
        "A severity's level is neither `fail` nor `warn`.",
        'Write `severity: {level: warn, because: "…"}`.',
    ),
}

_VALUES: dict[str, Code] = {
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

_FILES: dict[str, Code] = {
    "no-file": Code(
        "A path names a file that is not there.",
        "Check the spelling; paths start at the repository's root, `./` ones beside the page.",
    ),
    "bad-path": Code(
        "A path is absolute, leads out of the repository (by `..` or through a link), or is no regular file.",
        "Keep evidence inside the repository and name it from the root.",
    ),
    "unreadable": Code(
        "A file is there and cannot be read.",
        "Check its permissions.",
    ),
    "too-large": Code(
        "A file, or what it holds when unpacked, is larger than the limit.",
        "Raise `limits.bytes` in the configuration if it should be read.",
    ),
    "empty-file": Code(
        "An evidence file is empty, or holds nothing but white space.",
        "Take the evidence again; nothing was measured into this file.",
    ),
    "not-text": Code(
        "An evidence file is binary, UTF-16 or UTF-32, or holds bytes that are not UTF-8.",
        "Convert it to UTF-8, or print what it holds as text and keep that as evidence.",
    ),
    "bad-compression": Code(
        "A gzip or zstd file is cut or damaged, or this Python cannot undo zstd.",
        "Take the evidence again; for zstd install the package `zstandard`.",
    ),
    "malformed-evidence": Code(
        "A file is not valid JSON, JSON Lines, YAML or TOML: it is cut, has an error at the line that the "
        "message names, is nested too deeply, or one of its objects holds a key twice.",
        "Take the evidence again, or read the file as text with `match`.",
    ),
    "unknown-format": Code(
        "A file is not recognised as a tree or a table, or `read.format` names no format or one of another shape.",
        "Say what it is with `format`, or read it as text with `match`.",
    ),
}

_READS: dict[str, Code] = {
    "too-slow": Code(
        "Reading one value takes longer than the limit, or visits too many nodes.",
        "Narrow the read or the file, or raise `limits.seconds` in the configuration.",
    ),
    "bad-jsonpath": Code(
        "A `path` is no JSONPath as RFC 9535 defines it.",
        "Begin at the root and compare with `==`: `$.rows[?@.name == 'a'].time`.",
    ),
    "bad-pattern": Code(
        "RE2 refuses a pattern, or it has several groups and none is named `value`.",
        "RE2 has no look-around and no back-references; name the group that is the reading `(?P<value>…)`.",
    ),
    "bad-between": Code(
        "The first pattern of `between` matches nothing, or more than once.",
        "Let it match the one line at which the part begins.",
    ),
    "no-reading": Code(
        "A read selects nothing in a file: its path, pattern or filter fits nothing there.",
        "Mend the read by what the message says is there, or name another file.",
    ),
    "several-readings": Code(
        "A read selects several readings where one is wanted; the message lists their places.",
        "Narrow the read to the one that is meant, or say with `take` how they become one.",
    ),
    "unequal-readings": Code(
        "Readings that are taken with `same` are not all equal.",
        "Narrow the read, or take `min`, `max` or `mean`.",
    ),
    "reading-count": Code(
        "A take says `of N`, and there is another number of readings.",
        "Narrow or widen the read, or mend the number.",
    ),
    "one-reading": Code(
        "A range, a `±` or a sample standard deviation needs two readings or more, and there is one.",
        "Widen the read, or state a single number.",
    ),
    "not-a-value": Code(
        "What a read selects is null, an object, an empty or nested array, or too long to be a value.",
        "Let the path end at one value, or leave such places out with a filter.",
    ),
    "not-a-number": Code(
        "A take such as `mean` needs numbers, and a reading is text, a flag or a list.",
        "Narrow the read to what holds numbers.",
    ),
}

_TABLES: dict[str, Code] = {
    "bad-table": Code(
        "A file is no table of its format: it is cut off, a quote does not close, or a line does not fit the "
        "columns.",
        "Restore the file as its tool wrote it, or read it as text with `match`.",
    ),
    "no-table": Code(
        "A file holds several tables and the read names none of them, or one that is not there.",
        "Give `table` a number from the message, or the line of text above the table.",
    ),
    "no-column": Code(
        "A table has no column of that name, or several that are headed so.",
        "Take a name from the message: headings in lower case, `%` as `percent`, other signs as `_`.",
    ),
    "no-rows": Code(
        "A table has headings and no rows.",
        "Record the evidence anew.",
    ),
    "empty-cell": Code(
        "The cell that was to be read is empty, or an expression over the row has no value.",
        "Leave such rows out: `where: peak is not null`.",
    ),
    "bad-sql": Code(
        "A `where` or `column` is no single SQLite expression over one row, folds several rows into one, or "
        "reaches for more than the table; or a subquery finds several rows where one is wanted.",
        "Mend the expression. Text goes in single quotes; taking one value from several is what `take` does.",
    ),
    "incomplete-table": Code(
        "The kernels of a profiler table do not add up to the total below it, and a `take` runs over several.",
        "Print the table with `row_limit=-1` and record it anew.",
    ),
}

_AGREEMENT: dict[str, Code] = {
    "drifted": Code(
        "The evidence was read and says something else than the page.",
        "Correct the page where the evidence is right.",
    ),
    "unit-mismatch": Code(
        "Two units cannot be brought together: the evidence has a unit that contradicts `unit`, or stated and "
        "found are of different dimensions, such as a time and a count.",
        "Give the read the unit that the evidence counts in. A bare number in evidence has none until then.",
    ),
    "not-finite": Code(
        "The evidence holds a NaN or an infinity, which agrees with nothing.",
        "Find out what went wrong in the run, or read another number.",
    ),
}

_BONDS: dict[str, Code] = {
    "duplicate-id": Code(
        "Two claims have one id. The first keeps it; the second is not judged.",
        "Give the second an id of its own. Ids are never reused, not even that of a superseded claim.",
    ),
    "unknown-id": Code(
        "A link, a block, a `derive` or a `superseded` names an id that no claim has.",
        "Correct the id, or write the claim.",
    ),
    "derive-cycle": Code(
        "A claim is derived from itself, by way of the claims that the message lists.",
        "Take one of them from evidence.",
    ),
    "bad-derive": Code(
        "A `derive` cannot be read or cannot be computed: syntax, dimensions that do not fit, a division "
        "by zero, or an operand that is no quantity.",
        "Mend the expression. Claims are written `{id}`, a claim's own reads by their names.",
    ),
    "open-interval": Code(
        "The digits of quoted operands leave open whether a comparison is true.",
        "Compare values that differ by more than their rounding, or find more digits.",
    ),
    "superseded-operand": Code(
        "A claim that still stands is derived from one that is superseded.",
        "Derive it from the successor, or supersede it too.",
    ),
    "superseded-cycle": Code(
        "Following `superseded.by` from a claim leads back to it.",
        "Name a claim that still stands, or leave `by` out: then it is withdrawn.",
    ),
    "superseded-link": Code(
        "Prose still states the number of a superseded claim.",
        "State the successor's, or strike the old number through: `[~~4.3 h~~](claim:old-id)`.",
    ),
    "struck-link": Code(
        "A number is struck through in prose, but its claim is not superseded.",
        "Take the strike away, or supersede the claim.",
    ),
    "link-disagrees": Code(
        "A number in prose and the claim that it is bound to disagree.",
        "Correct the number. When another number of the text was meant, link that number alone.",
    ),
}

_SITE: dict[str, Code] = {
    "unseen-claim": Code(
        "A rendered page shows a claim or a link of which the check knows nothing: something made it on the "
        "way from the file to the page.",
        "Write the claim in the page's own file; what another plugin makes is not checked.",
    ),
}

_COMMANDS: dict[str, Code] = {
    "usage": Code(
        "The command line cannot be understood.",
        "See `stilltrue COMMAND --help`.",
    ),
    "config": Code(
        "The configuration has an unknown key, a value of the wrong type, or stands in two files.",
        "Mend the named line of `pyproject.toml` or `stilltrue.toml`.",
    ),
    "tracked-cache": Code(
        "git tracks the cache below `.stilltrue/`, so it came with the project and is not used.",
        "Take it out of the repository: `git rm -r --cached .stilltrue`.",
    ),
    "nothing-to-check": Code(
        "No claim was found, or none that the command line asked for.",
        "Check the ids and tags, and the `pages` globs of the configuration.",
    ),
    "output": Code(
        "The report cannot be written to standard output.",
        "Make room on the disk, or send it elsewhere.",
    ),
    "system": Code(
        "The operating system refused something that the check needs: a folder is gone, a disk is full.",
        "Look at the named file or folder; check that it is there, may be read and has room.",
    ),
    "bug": Code(
        "Something happened that stilltrue does not expect: its own mistake, whatever the input was.",
        "Report it with the traceback; `STILLTRUE_TRACEBACK=1` shows it, a file in the temporary folder keeps it.",
    ),
}

STAGES: dict[str, dict[str, Code]] = {
    "Pages": _PAGES,
    "Claims": _CLAIMS,
    "Stated values and units": _VALUES,
    "Evidence files": _FILES,
    "Reads": _READS,
    "Tables": _TABLES,
    "Agreement": _AGREEMENT,
    "Ids, links and derivation": _BONDS,
    "The site": _SITE,
    "Commands and configuration": _COMMANDS,
}
"""The codes by the stage of a check that they come from, in the order of the stages."""

CODES: dict[str, Code] = {name: code for stage in STAGES.values() for name, code in stage.items()}
"""Every code by its name."""
