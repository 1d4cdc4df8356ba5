"""The keys of a `claims` block and of its columns, in tables like those of a claim."""

from __future__ import annotations

from stilltrue.claims.key_kinds import Key, Kind, make_key, make_table
from stilltrue.claims.keys import KEYS

_OWN = ("id", "says", "value", "stated_in")

_TABLE_IN = make_key(
    "table_in",
    Kind.MAPPING,
    "In a claims file: which file holds the table, and after what it stands there.",
    "table_in: {file: README.md, after: '^## Results'}",
    required=True,
)

TABLE_KEYS: dict[str, Key] = make_table(
    make_key(
        "id",
        Kind.ID,
        "How the ids of its cells begin: `ce-memory` is followed by the row's key and the column.",
        "id: ce-memory",
        required=True,
    ),
    make_key(
        "says",
        Kind.SENTENCE,
        "One sentence for every cell; `{value}` is where it goes, `{Column}` is another cell of its row.",
        'says: "Peak memory with {Loss} is {value}."',
    ),
    make_key(
        "key",
        Kind.HEADERS,
        "The columns that tell rows apart.",
        "key: [Loss, Length]",
        required=True,
    ),
    make_key(
        "columns",
        Kind.MAPPING,
        "The columns that it binds, each with keys of its own in place of the block's.",
        "columns: {Peak: {unit: GiB}}",
        required=True,
    ),
    make_key(
        "rows",
        Kind.MAPPING,
        "Rows, by their key as written, that are read otherwise or not at all.",
        "rows: {chunked 4 16384: skip}",
    ),
    *(key for name, key in KEYS.items() if name not in _OWN),
)
"""The keys of a `claims` block, in the order of the docs."""

FILE_TABLE_KEYS: dict[str, Key] = make_table(_TABLE_IN, *TABLE_KEYS.values())
"""The keys of a table of claims in a claims file: it says which table it binds."""

COLUMN_KEYS: dict[str, Key] = make_table(
    make_key("unit", Kind.WORD, "The unit of the column's bare cells.", "unit: GiB"),
    *(key._replace(required=False) for name, key in KEYS.items() if name not in ("id", "value", "stated_in")),
)
"""The keys of one column of a `claims` block."""

ROW_KEYS: dict[str, Key] = make_table(
    make_key("skip", Kind.HEADERS, "Columns whose cells in this row are no claims.", "skip: [Peak]"),
    make_key("take", Kind.TAKE, "Another `take` for every read of the row.", "take: [last, mean of 3]"),
)
"""The keys of one row in `rows`, beside the headers whose placeholders it gives another value."""
