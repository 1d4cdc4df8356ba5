"""Every key of a claim: one table that validates and that the docs are made from."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from stilltrue.claims.compose import QuotingError
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, clip
from stilltrue.errors import InputError
from stilltrue.suggest import did_you_mean


class Kind(StrEnum):
    """What a key's value is, in the words of the docs."""

    ID = "id"
    SENTENCE = "sentence"
    VALUE = "value"
    TEXT = "text"
    WORD = "word"
    EXPRESSION = "expression"
    PATTERN = "pattern"
    DATE = "date"
    URL = "URL"
    SWITCH = "yes or no"
    PATHS = "path, glob, or a list of them"
    TAKE = "take, or a list of two"
    PATTERNS = "list of two patterns"
    WORDS = "list of words"
    HEADERS = "header, or a list of them"
    GLOBS = "list of globs"
    MAPPINGS = "list of mappings"
    MAPPING = "mapping"


_SHAPES: dict[Kind, tuple[type[Node], ...]] = {
    Kind.MAPPING: (Mapping,),
    Kind.PATTERNS: (Sequence,),
    Kind.WORDS: (Sequence,),
    Kind.PATHS: (Scalar, Sequence),
    Kind.TAKE: (Scalar, Sequence),
    Kind.HEADERS: (Scalar, Sequence),
    Kind.GLOBS: (Sequence,),
    Kind.MAPPINGS: (Sequence,),
}
_SENTENCES = frozenset({Kind.SENTENCE, Kind.TEXT, Kind.PATTERN, Kind.PATTERNS, Kind.EXPRESSION, Kind.URL})


class Key(NamedTuple):
    """One key.

    Attributes:
        name: The key.
        kind: What its value is.
        required: Whether it must be there.
        meaning: What it says, in one line.
        example: One line of a claim.
        shapes: What its value may be in YAML.
        sentence: Whether ` #` may be meant in it: there a comment after an unquoted value is refused.
    """

    name: str
    kind: Kind
    required: bool
    meaning: str
    example: str
    shapes: tuple[type[Node], ...]
    sentence: bool


def _key(name: str, kind: Kind, meaning: str, example: str, *, required: bool = False) -> Key:
    return Key(name, kind, required, meaning, example, _SHAPES.get(kind, (Scalar,)), kind in _SENTENCES)


def _table(*keys: Key) -> dict[str, Key]:
    return {key.name: key for key in keys}


make_key, make_table = _key, _table
"""The makers of keys and of tables of them, for tables that stand elsewhere."""


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

LATER = frozenset({"table_in"})
"""Keys of the grammar that this version refuses by name: none is ignored, none called unknown."""

_OF_TABLES = frozenset({"columns", "key", "rows"})
"""Keys that only a block marked `claims` has."""

_SHAPE_NAMES: dict[type[Node], str] = {Scalar: "text", Sequence: "a list", Mapping: "a mapping"}


def check(mapping: Mapping, table: dict[str, Key], within: str = "") -> None:
    """Hold a mapping to its table: known keys of the right shape, none empty, all that are required.

    Args:
        mapping: The mapping.
        table: One of the tables of this module.
        within: The key that holds the mapping, for messages; empty for the claim itself.

    Raises:
        InputError: The first thing that is wrong, with its line.
    """
    entries = mapping.entries
    for name, node in entries.items():
        key = table.get(name)
        if key is None:
            raise _unknown(name, node, mapping, table, within)
        if type(node) not in key.shapes:
            raise _wrong_type(node, key)
        if type(node) is Scalar:
            _text(node, key)
        elif type(node) is Sequence:
            _items(node, key)
    for key in table.values():
        if key.required and key.name not in entries:
            where = f" in `{within}`" if within else ""
            raise InputError(
                "missing-key", f"`{key.name}` is missing{where}", f"add `{key.example}`", line=mapping.line
            )


def _text(node: Scalar, key: Key) -> None:
    if not node.text or node.text.isspace():
        message = f"`{key.name}` has no value"
        raise QuotingError("missing-key", message, "write one, or leave the key out", node.line, key.name)
    if node.cut and key.sentence:
        raise cut(key.name, node)


def cut(name: str, node: Scalar) -> QuotingError:
    """The problem of a text that ` #` cuts short."""
    return QuotingError(
        "cut-sentence",
        f"`{name}` is cut at ` #`, where a YAML comment begins",
        "put the whole value in quotes, or the comment on a line of its own",
        node.line,
        name,
    )


def _items(node: Sequence, key: Key) -> None:
    if not node.items:
        hint = f"write `{key.example}`"
        raise InputError("missing-key", f"`{key.name}` is an empty list", hint, line=node.line)
    for item in node.items:
        if key.kind is Kind.MAPPINGS:
            if type(item) is Mapping:
                continue
            message = f"an item of `{key.name}` is {_SHAPE_NAMES[type(item)]}, not a mapping"
            raise InputError("wrong-type", message, f"write `{key.example}`", line=item.line)
        if type(item) is not Scalar:
            message = f"an item of `{key.name}` is {_SHAPE_NAMES[type(item)]}, not text"
            raise QuotingError("wrong-type", message, "put the item in quotes", item.line)
        _text(item, key)


def _wrong_type(node: Node, key: Key) -> InputError:
    message = f"`{key.name}` must be {_article(key.kind)}, not {_SHAPE_NAMES[type(node)]}"
    hint = f"write `{key.example}`"
    if isinstance(node, Scalar) and not node.text:
        return InputError("missing-key", f"`{key.name}` has no value", hint, line=node.line)
    if Scalar in key.shapes:
        return QuotingError("wrong-type", message, hint, node.line, key.name)
    if key.kind is Kind.WORDS and isinstance(node, Scalar):
        hint = f"write `{key.name}: [{clip(node.text)}]`"
    return InputError("wrong-type", message, hint, line=node.line)


def _article(kind: Kind) -> str:
    if kind in (Kind.SWITCH, Kind.TEXT):
        return kind.value
    return f"{'an' if kind in (Kind.ID, Kind.EXPRESSION) else 'a'} {kind.value}"


def _unknown(name: str, node: Node, mapping: Mapping, table: dict[str, Key], within: str) -> InputError:
    """What is wrong with a key that the table does not hold."""
    if table is KEYS and name in _OF_TABLES:
        message = f"`{name}` belongs to a block marked `claims`, which binds the table after it"
        hint = "write such a block on the table's page; claims files bind no tables in this version"
        return InputError("unsupported-key", message, hint, line=node.line)
    if "evidence" in table and name in LATER:
        hint = "leave the key out, or check with a version that knows it"
        return InputError(
            "unsupported-key", f"`{name}` is not supported by this version", hint, line=node.line
        )
    before = _before(name, node, mapping)
    if before:
        message = f"`{clip(before)}` is cut at a comma, which ends a value inside braces"
        return QuotingError("cut-value", message, "put the whole value in quotes", node.line, before)
    where = f" in `{within}`" if within else ""
    return InputError("unknown-key", f"unknown key `{clip(name)}`{where}", _near(name, table), line=node.line)


def _before(name: str, node: Node, mapping: Mapping) -> str:
    """The key that a word without a value follows on its line: what a comma inside braces leaves behind."""
    if isinstance(node, Scalar) and not node.text:
        names = list(mapping.entries)
        before = names[names.index(name) - 1] if names[0] != name else ""
        if before and mapping.entries[before].line == node.line:
            return before
    return ""


def _near(name: str, table: dict[str, Key]) -> str:
    """What to do about an unknown key: the nearest known one, or the place where this one belongs."""
    if "evidence" in table and name in READ_KEYS:
        return f"`{name}` belongs inside `read`"
    if name in ("value", "stated_in") and "evidence" in table:
        return f"leave `{name}` out: the cells of the table are the values"
    if "evidence" not in table and name in KEYS:
        return f"`{name}` stands beside the claim's other keys, not in here"
    return did_you_mean(name, table) or "known keys are " + ", ".join(f"`{key}`" for key in table)
