"""Codes of evidence: its files, the reads over them, and tables."""

from __future__ import annotations

from stilltrue.codes.code import Code

FILES: dict[str, Code] = {
    "no-file": Code(
        "A path names a file that is not there.",
        "Check the spelling; paths start at the repository's root, `./` ones beside the page.",
    ),
    "bad-path": Code(
        "A path is absolute, leads out of the repository (by `..` or through a link) or into `.git`, or is no regular file.",
        "Keep evidence inside the repository and name it from the root.",
    ),
    "ignored-evidence": Code(
        "git ignores an evidence file, so nobody who clones the repository has it, and a claim that holds here is "
        "broken there, in CI too. This is a warning: nothing fails here.",
        "Let git track it with `git add -f FILE`, or mend `.gitignore`; what is too large for git is left where it is, "
        "and what a claim needs of it printed into a file that git tracks.",
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
    "not-fetched": Code(
        "An evidence file is the pointer that Git LFS or git-annex leaves where the file itself was not fetched.",
        "Fetch it, with `git lfs pull` or `git annex get`; in CI, let the checkout do so (`lfs: true`).",
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
        "A file is not valid JSON, JSON Lines, YAML, TOML or XML, or no notebook: it is cut, has an error at the line that the "
        "message names, is nested too deeply, or one of its objects holds a key twice. Or a file that is no text is cut or damaged: "
        "a checksum is another, or parts of it contradict each other.",
        "Take the evidence again, or read the file as text with `match`.",
    ),
    "missing-library": Code(
        "A file is of a format that is read with a library, and it is not installed.",
        "Install what reads such formats: `pip install 'stilltrue[readers]'`.",
    ),
    "unknown-format": Code(
        "A file is not recognised as a tree or a table, or holds several formats of tools, or `read.format` names "
        "no format or one of another shape.",
        "Say what it is with `format`, or read it as text with `match`.",
    ),
    "outside-reader": Code(
        "A reader that `readers` of the configuration names is not installed, would be imported from a checkout, cannot "
        "be imported, raises something else than `UnreadableError`, prints, or gives something else than tables.",
        "Install the package that holds it, not in editable mode, beside stilltrue; `stilltrue.testing` shows what it does.",
    ),
}

READS: dict[str, Code] = {
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

TABLES: dict[str, Code] = {
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
