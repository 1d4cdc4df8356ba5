"""Every key of a claim: tables that mappings are held to and that the docs are made from."""

from __future__ import annotations

from stilltrue.claims.key_kinds import Kind
from stilltrue.claims.key_kinds import make_key as _key
from stilltrue.claims.key_kinds import make_table as _table

KEYS = _table(
    _key(
        "id",
        Kind.ID,
        "Its name for life: lower-case letters, digits, hyphens, dots; 200 of them at most.",
        "id: attention-time",
        required=True,
    ),
    _key(
        "says",
        Kind.SENTENCE,
        "One sentence; `{value}` is where the stated value goes (a yes/no claim may leave it out).",
        'says: "One training step takes {value}."',
        required=True,
    ),
    _key(
        "value",
        Kind.VALUE,
        "The value as the docs state it; or `stated_in`, where some file states it already.",
        "value: 22,835.8 ms",
    ),
    _key(
        "stated_in",
        Kind.MAPPING,
        "The file that states the value, and the pattern that finds it there; in place of `value`.",
        r"stated_in: {file: README.md, match: 'takes (\S+ ms) a step'}",
    ),
    _key(
        "evidence",
        Kind.PATHS,
        "The raw file it was read from, from the root or with `./` beside the page.",
        "evidence: claims/evidence/step-profile.txt",
    ),
    _key(
        "read",
        Kind.MAPPING,
        "How readings are taken out of the evidence; or several such reads by name, with `derive` over them.",
        "read: {column: self_device, take: sum}",
    ),
    _key(
        "derive",
        Kind.EXPRESSION,
        "Arithmetic over other claims' found values, or over the named reads.",
        'derive: "{attention-time} / {device-time}"',
    ),
    _key(
        "reported",
        Kind.MAPPING,
        "A figure quoted from elsewhere, with no raw evidence in hand: who reported it, when, where.",
        'reported: {by: "The vendor\'s data sheet", on: 2026-08-24, url: "https://example.org/sheet"}',
    ),
    _key(
        "tolerance",
        Kind.VALUE,
        "How far found may be from a plain stated number, in place of rounding; a percentage is relative.",
        "tolerance: 2 %",
    ),
    _key(
        "reproduces",
        Kind.VALUE,
        "How far a fresh run of the probe may be from what the evidence says; left out, it must be equal.",
        "reproduces: 10 %",
    ),
    _key(
        "valid",
        Kind.MAPPING,
        "Until which day, and with which versions of packages, the claim is valid.",
        'valid: {until: 2027-03-01, with: {transformers: ">=5.15,<6"}}',
    ),
    _key(
        "severity",
        Kind.MAPPING,
        "Whether the claim fails the check (`fail`) or only warns (`warn`), with the reason.",
        'severity: {level: warn, because: "the machine is being replaced"}',
    ),
    _key(
        "superseded",
        Kind.MAPPING,
        "That it was replaced or withdrawn: by which claim, when, why. It is kept and no longer read.",
        'superseded: {by: encode-rebuild, on: 2026-08-26, because: "measured at 145.5 s"}',
    ),
    _key(
        "copies",
        Kind.MAPPINGS,
        "Other places that repeat its number: each file and the pattern that finds the number there.",
        r"copies: [{file: runs/launch.sh, match: 'STEP_MS=(\S+)', unit: ms}]",
    ),
    _key(
        "search",
        Kind.MAPPING,
        "Once it is superseded: how copies of its old value are looked for.",
        "search: {ignore: [docs/history/**], words: [encode, cache]}",
    ),
    _key("tags", Kind.WORDS, "Words to select claims by.", "tags: [throughput, attention]"),
    _key("owner", Kind.TEXT, "Who answers for it.", "owner: the training team"),
    _key("note", Kind.TEXT, "What a reader of its card should know.", 'note: "taken on a warm cache"'),
    _key(
        "probe",
        Kind.TEXT,
        "The script that wrote the evidence.",
        "probe: probes/step_profile.py",
    ),
)
"""The keys of a claim, in the order of the docs."""

READ_KEYS = _table(
    _key(
        "path", Kind.EXPRESSION, "A tree (JSON, YAML, TOML): an RFC 9535 JSONPath.", 'path: "$.rows[0].peak"'
    ),
    _key(
        "column",
        Kind.EXPRESSION,
        "A table: a column, or an SQL expression of one row.",
        "column: self_device",
    ),
    _key("match", Kind.PATTERN, "Text: an RE2 pattern; `^` and `$` at lines.", r"match: 'loss: (\d\.\d+)'"),
    _key(
        "where",
        Kind.EXPRESSION,
        "With `column`: an SQL predicate that chooses the rows.",
        "where: name like 'fmha%' and device",
    ),
    _key(
        "table",
        Kind.WORD,
        "With `column`: which of several tables, by number from 1 or by the line of text above it.",
        "table: 2",
    ),
    _key("header", Kind.SWITCH, "With `column`: whether the first row names the columns.", "header: no"),
    _key(
        "between",
        Kind.PATTERNS,
        "With `match`: the text from the first pattern, which matches once, to the next match of the second.",
        "between: ['^## Run 3$', '^## ']",
    ),
    _key(
        "take", Kind.TAKE, "How several readings become one; per file, then across files.", "take: mean of 3"
    ),
    _key("unit", Kind.WORD, "The unit of bare numbers in the evidence.", "unit: '%'"),
    _key("decimal", Kind.WORD, "The decimal mark of the evidence: `.` or `,`.", "decimal: ','"),
    _key("format", Kind.WORD, "The evidence's format, where its name and content mislead.", "format: jsonl"),
)
"""The keys of `read`, and of each named read."""

REPORTED_KEYS = _table(
    _key("by", Kind.TEXT, "Who reported it.", 'by: "The vendor\'s data sheet"', required=True),
    _key("on", Kind.DATE, "The day it was reported, YYYY-MM-DD.", "on: 2026-08-24"),
    _key("url", Kind.URL, "Where, http or https.", 'url: "https://example.org/sheet"'),
)
"""The keys of `reported`."""

SUPERSEDED_KEYS = _table(
    _key("by", Kind.ID, "The claim that replaces it; left out, it was withdrawn.", "by: encode-rebuild"),
    _key("on", Kind.DATE, "The day, YYYY-MM-DD.", "on: 2026-08-26", required=True),
    _key("because", Kind.TEXT, "The reason.", 'because: "measured at 145.5 s"', required=True),
)
"""The keys of `superseded`."""

SEVERITY_KEYS = _table(
    _key("level", Kind.WORD, "`fail` or `warn`.", "level: warn", required=True),
    _key("because", Kind.TEXT, "The reason.", 'because: "the machine is being replaced"', required=True),
)
"""The keys of `severity`."""

VALID_KEYS = _table(
    _key("until", Kind.DATE, "The last day, YYYY-MM-DD, in UTC.", "until: 2027-03-01"),
    _key(
        "with",
        Kind.MAPPING,
        "Packages and the versions of each, as pip writes them, in quotes.",
        'with: {transformers: ">=5.15,<6"}',
    ),
)
"""The keys of `valid`."""

STATED_IN_KEYS = _table(
    _key(
        "file",
        Kind.TEXT,
        "The file, from the root or with `./` beside the page.",
        "file: README.md",
        required=True,
    ),
    _key(
        "match",
        Kind.PATTERN,
        "An RE2 pattern over the whole text, `^` and `$` at lines. Its group `value`, else its only group, "
        "is the value.",
        r"match: 'takes (\S+ ms) a step'",
        required=True,
    ),
    _key("unit", Kind.WORD, "The unit of a value that is bare there.", "unit: ms"),
)
"""The keys of `stated_in`."""

TABLE_IN_KEYS = _table(
    _key(
        "file",
        Kind.TEXT,
        "The file that holds the table, from the root or with `./` beside the claims file.",
        "file: README.md",
        required=True,
    ),
    _key(
        "after",
        Kind.PATTERN,
        "An RE2 pattern, `^` and `$` at lines: the table is the first on or after its first match; left out, "
        "the first of the file.",
        "after: '^## Results'",
    ),
)
"""The keys of `table_in`."""

COPY_KEYS = _table(
    _key(
        "file",
        Kind.TEXT,
        "A file or a glob, from the root or with `./` beside the page.",
        "file: runs/launch.sh",
        required=True,
    ),
    _key(
        "match",
        Kind.PATTERN,
        "An RE2 pattern, as in `stated_in`; every match is a copy.",
        r"match: 'STEP_MS=(\S+)'",
        required=True,
    ),
    STATED_IN_KEYS["unit"],
)
"""The keys of each item of `copies`."""

SEARCH_KEYS = _table(
    _key("ignore", Kind.GLOBS, "Files that are not searched.", "ignore: [docs/history/**]"),
    _key(
        "words",
        Kind.WORDS,
        "Only lines near one of these words count, and there a number without its unit counts too.",
        "words: [encode, cache]",
    ),
)
"""The keys of `search`."""
