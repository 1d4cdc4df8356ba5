"""Every key of a chart: the tables that validate and that the docs are made from."""

from __future__ import annotations

from stilltrue.claims.key_kinds import Kind, make_key, make_table

CHART_KEYS = make_table(
    make_key("title", Kind.SENTENCE, "What it shows.", "title: Padding by bucket size", required=True),
    make_key("kind", Kind.WORD, "`line`, `points` or `bars`.", "kind: line", required=True),
    make_key(
        "evidence",
        Kind.PATHS,
        "The raw file that its reads read, from the root or with `./` beside the page; left out where there "
        "is no read.",
        "evidence: claims/evidence/padding.json",
    ),
    make_key(
        "x",
        Kind.MAPPING,
        "The axis along the bottom, and the places along it.",
        'x: {label: bucket, read: {path: "$.rows[*].bucket"}}',
        required=True,
    ),
    make_key("y", Kind.MAPPING, "The axis up the side.", "y: {label: padding, unit: '%'}", required=True),
    make_key(
        "series",
        Kind.MAPPING,
        "What is drawn: a name for each, and what gives its heights, a read or claims.",
        'series: {padding: {path: "$.rows[*].padding"}}',
        required=True,
    ),
    make_key(
        "limit",
        Kind.MAPPING,
        "A height that is marked from side to side.",
        "limit: {label: the card, claim: card-memory}",
    ),
    make_key("note", Kind.TEXT, "What a reader of it should know.", 'note: "Both axes begin at 0."'),
)
"""The keys of a chart, in the order of the docs."""

_LABEL = make_key("label", Kind.TEXT, "What it counts, in words.", "label: padding", required=True)
_UNIT = make_key(
    "unit",
    Kind.WORD,
    "The unit to draw in; left out, that of the first reading.",
    "unit: '%'",
)
_SCALE = make_key("scale", Kind.WORD, "`linear` or `log`; bars have no `log`.", "scale: log")

X_KEYS = make_table(
    _LABEL,
    _UNIT,
    _SCALE,
    make_key(
        "read",
        Kind.MAPPING,
        "The read that gives the places: numbers; for bars also words.",
        'read: {path: "$.rows[*].bucket"}',
    ),
    make_key("names", Kind.WORDS, "The places themselves, in place of a read.", "names: [naive, chunked]"),
)
"""The keys of `x`, which has `read` or `names`."""

Y_KEYS = make_table(
    _LABEL,
    _UNIT,
    _SCALE,
    make_key("zero", Kind.SWITCH, "Whether it begins at 0: yes, unless `no` is written here.", "zero: no"),
)
"""The keys of `y`."""

_CLAIMS = make_key(
    "claims",
    Kind.WORDS,
    "The heights in place of a read: for each place the id of a claim, or `-` where there is none.",
    "claims: [peak-naive, -, peak-chunked]",
)
_SUPERSEDED = make_key(
    "superseded",
    Kind.SWITCH,
    "With `claims`: whether they may be superseded ones, drawn at their old values; no, unless `yes` is "
    "written here.",
    "superseded: yes",
)
DRAWN_KEYS = make_table(
    make_key(
        "as",
        Kind.WORD,
        "`line` or `points`, where that is not the chart's kind; bars have no such key.",
        "as: points",
    ),
    make_key(
        "x",
        Kind.MAPPING,
        "The read that gives its own places along the bottom; bars have no such key.",
        'x: {path: "$.curve[*].width"}',
    ),
)
"""The keys that a series has beside those of its read."""

SERIES_KEYS = {"claims": _CLAIMS, "superseded": _SUPERSEDED, **DRAWN_KEYS}
"""The keys of a series that is drawn from claims, and all that are not a read's."""

LIMIT_KEYS = make_table(
    make_key("label", Kind.TEXT, "What it is, in words.", "label: the card", required=True),
    make_key("claim", Kind.ID, "The id of the claim that states it.", "claim: card-memory"),
    make_key("value", Kind.VALUE, "The height itself, where no claim states it.", "value: 80 GiB"),
)
"""The keys of `limit`, which has `claim` or `value`."""
