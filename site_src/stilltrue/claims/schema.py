"""The JSON Schema of claims, for editors: made from the tables of keys that claims are held to.

It accepts whatever `check` accepts, and refuses less: an editor says while a claim is being written which
keys there are, which are missing and what each may be; whether the claim holds, only a check can say.
Draft 7, which is what language servers for YAML know best.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stilltrue.claims import keys, reads, table_keys
from stilltrue.claims.claim import ID
from stilltrue.claims.key_kinds import Key, Kind

Json = dict[str, Any]

_PLACEHOLDER: Json = {"type": "string", "pattern": r"\{"}
"""In a table, and beside `stated_in`, a text with a placeholder may stand for any text."""

_TEXT: Json = {"type": ["string", "number", "boolean"], "pattern": r"\S"}
"""A text as an editor's YAML reads it: `5` is a number to it. It is not empty."""

_LIST: Json = {"type": "array", "items": _TEXT, "minItems": 1}
_TAKE: Json = {
    "anyOf": [
        {"enum": list(reads.TAKES)},
        {"type": "string", "pattern": rf"^({'|'.join(reads.TAKES)}|p[0-9.]+)(\s+of\s+[0-9]+)?$"},
        _PLACEHOLDER,
    ]
}


def _matching(pattern: str) -> Json:
    return {"anyOf": [{"type": "string", "pattern": pattern}, _PLACEHOLDER]}


def _one_of(*words: str) -> Json:
    return {"anyOf": [{"enum": list(words)}, _PLACEHOLDER]}


_BY_KIND: dict[Kind, Json] = {
    Kind.ID: {"anyOf": [{"type": ["string", "number"], "pattern": f"^{ID.pattern}$"}, _PLACEHOLDER]},
    Kind.DATE: _matching("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
    Kind.URL: _matching("^[Hh][Tt][Tt][Pp][Ss]?://"),
    Kind.SWITCH: {"anyOf": [{"type": "boolean"}, *_one_of("yes", "no", "true", "false")["anyOf"]]},
    Kind.PATHS: {"anyOf": [_TEXT, _LIST]},
    Kind.HEADERS: {"anyOf": [_TEXT, _LIST]},
    Kind.TAKE: {"anyOf": [_TAKE, {"type": "array", "items": _TAKE, "minItems": 2, "maxItems": 2}]},
    Kind.PATTERNS: {**_LIST, "minItems": 2, "maxItems": 2},
    Kind.WORDS: _LIST,
    Kind.GLOBS: _LIST,
    Kind.MAPPING: {"type": "object"},
}
"""What a key's value may be; any other kind is a text."""

_BY_NAME: dict[str, Json] = {
    "read": {"$ref": "#/definitions/read"},
    "copies": {"type": "array", "items": {"$ref": "#/definitions/copy"}, "minItems": 1},
    "decimal": _one_of(".", ","),
    "level": _one_of("fail", "warn"),
    "with": {"type": "object", "additionalProperties": _TEXT, "minProperties": 1},
    "columns": {
        "type": "object",
        "additionalProperties": {"anyOf": [{"$ref": "#/definitions/column"}, {"type": "null"}]},
        "minProperties": 1,
    },
    "rows": {
        "type": "object",
        "additionalProperties": {"anyOf": [{"const": "skip"}, {"$ref": "#/definitions/row"}]},
    },
    **{
        name: {"$ref": f"#/definitions/{name}"}
        for name in ("stated_in", "reported", "superseded", "severity", "valid", "search", "table_in")
    },
}
"""What a key's value may be where its kind does not say enough."""


def schema() -> str:
    """The schema as text: of a claims file; of a block on a page, `#/definitions/claim` or `…/claims`."""
    whole = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Claims",
        "description": "A claims file of stilltrue, claims/*.yml: a list of claims, and of tables of claims.",
        "type": "array",
        "items": {
            "if": {"anyOf": [{"required": ["columns"]}, {"required": ["table_in"]}]},
            "then": {"$ref": "#/definitions/table"},
            "else": {"$ref": "#/definitions/claim"},
        },
        "definitions": _definitions(),
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _definitions() -> dict[str, Json]:
    return {
        "claim": {**_object(keys.KEYS, "A claim."), "allOf": [_value(), _source()]},
        "table": _object(table_keys.FILE_TABLE_KEYS, "A table of claims, which stands in another file."),
        "claims": _object(table_keys.TABLE_KEYS, "A table of claims: the one after the block."),
        "column": _object(table_keys.COLUMN_KEYS, "A column that is bound."),
        "row": {**_object(table_keys.ROW_KEYS, "A row."), "additionalProperties": _TEXT, "minProperties": 1},
        "read": _read(),
        "one_read": _one_read(),
        "stated_in": _object(keys.STATED_IN_KEYS, "Where the value is stated."),
        "table_in": _object(keys.TABLE_IN_KEYS, "Where the table stands."),
        "copy": _object(keys.COPY_KEYS, "Another place that repeats the number."),
        "reported": _object(keys.REPORTED_KEYS, "A figure quoted from elsewhere."),
        "superseded": _object(keys.SUPERSEDED_KEYS, "What took its place."),
        "severity": _object(keys.SEVERITY_KEYS, "Whether it fails a check."),
        "valid": _object(keys.VALID_KEYS, "How long, and with what, it is valid."),
        "search": _object(keys.SEARCH_KEYS, "How copies of its old value are looked for."),
    }


def _object(table: Mapping[str, Key], said: str) -> Json:
    """A mapping that is held to a table of keys."""
    return {
        "description": said,
        "type": "object",
        "properties": {name: _property(key) for name, key in table.items()},
        "required": [name for name, key in table.items() if key.required],
        "additionalProperties": False,
    }


def _property(key: Key) -> Json:
    """What one key may be, with what the docs say of it."""
    allowed = _BY_NAME.get(key.name) or _BY_KIND.get(key.kind) or _TEXT
    # Beside `$ref` draft 7 reads nothing else.
    return {"description": f"{key.meaning}\n\n{key.example}", "allOf": [allowed]}


def _value() -> Json:
    return {"oneOf": [{"required": ["value"]}, {"required": ["stated_in"]}]}


def _source() -> Json:
    """`reported` alone; else `evidence` with `read`, or `derive`, or all three."""
    rest = ("evidence", "read", "derive")
    return {
        "if": {"required": ["reported"]},
        "then": {"not": {"anyOf": [{"required": [name]} for name in rest]}},
        "else": {
            "anyOf": [{"required": ["evidence"]}, {"required": ["derive"]}],
            "dependencies": {"evidence": ["read"], "read": ["evidence"]},
        },
    }


def _read() -> Json:
    """One read, or several by name."""
    return {
        "type": "object",
        "if": {"additionalProperties": {"not": {"type": "object"}}},
        "then": {"$ref": "#/definitions/one_read"},
        "else": {
            "additionalProperties": {"$ref": "#/definitions/one_read"},
            "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
        },
    }


def _one_read() -> Json:
    return {
        **_object(keys.READ_KEYS, "How readings are taken out of the evidence."),
        "oneOf": [{"required": [name]} for name in reads.SHAPES],
        "dependencies": {name: [needed] for name, needed in reads.ONLY_WITH.items()},
    }
