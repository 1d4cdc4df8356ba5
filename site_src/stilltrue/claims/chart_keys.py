"""Every key of a chart: the tables that validate and that the docs are made from."""

from __future__ import annotations

from stilltrue.claims.key_kinds import Kind, make_key, make_table

CHART_KEYS = make_table(
    make_key("title", Kind.SENTENCE, "What it shows.", "title: Padding by bucket size", required=True),
    make_key("kind", Kind.WORD, "`line`, `points` or `bars`.", "kind: line", required=True),
    make_key(
        "evidence",
        Kind.PATHS,
        "The raw file that it is drawn from, from the root or with `./` beside the page.",
        "evidence: claims/evidence/padding.json",
        required=True,
    ),
    make_key(
        "x",
        Kind.MAPPING,
        "The axis along the bottom, and the read that gives the places along it.",
        'x: {label: bucket, read: {path: "$.rows[*].bucket"}}',
        required=True,
    ),
    make_key("y", Kind.MAPPING, "The axis up the side.", "y: {label: padding, unit: '%'}", required=True),
    make_key(
        "series",
        Kind.MAPPING,
        "What is drawn: a name for each, and the read that gives its heights.",
        'series: {padding: {path: "$.rows[*].padding"}}',
        required=True,
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
        required=True,
    ),
)
"""The keys of `x`."""

Y_KEYS = make_table(
    _LABEL,
    _UNIT,
    _SCALE,
    make_key("zero", Kind.SWITCH, "Whether it begins at 0: yes, unless `no` is written here.", "zero: no"),
)
"""The keys of `y`."""
