"""The schema for editors: it refuses no claim that a check accepts, and the commonest mistakes."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.claims import KEYS, READ_KEYS, Malformed, read_block, read_file
from stilltrue.claims.schema import schema
from stilltrue.claims.stated_in import Unstated
from stilltrue.claims.table_keys import COLUMN_KEYS, FILE_TABLE_KEYS, TABLE_KEYS
from stilltrue.cli.boundary import run
from stilltrue.config import load
from stilltrue.deadline import Deadline
from stilltrue.discover import find_pages
from stilltrue.matches import Source
from stilltrue.model import Block, Place
from stilltrue.pages import scan
from stilltrue.quantity import Units

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads(schema())
UNITS = Units.default()
CORE = (
    (re.compile("true|True|TRUE"), lambda _: True),
    (re.compile("false|False|FALSE"), lambda _: False),
    (re.compile("|~|null|Null|NULL"), lambda _: None),
    (re.compile("[-+]?[0-9]+"), int),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
)
"""What YAML's core schema, that of editors, makes of a bare word."""


def as_an_editor_reads(text: str) -> Any:
    return plain(yaml.compose(text, Loader=yaml.BaseLoader))


def plain(node: yaml.Node | None) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {plain_key(key): plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [plain(item) for item in node.value]
    assert isinstance(node, yaml.ScalarNode)
    made = (make(node.value) for found, make in CORE if not node.style and found.fullmatch(node.value))
    return next(made, node.value)


def plain_key(node: yaml.Node) -> str:
    return str(node.value)


def validator(name: str = "") -> jsonschema.Draft7Validator:
    """For a claims file, or for one definition."""
    if not name:
        return jsonschema.Draft7Validator(SCHEMA)
    return jsonschema.Draft7Validator({"$ref": f"#/definitions/{name}", "definitions": SCHEMA["definitions"]})


CLAIM = validator("claim")
STATED = Source("It takes 22,835.8 ms a step.")
"""What the file of every `stated_in` holds."""
SHOWN = re.compile(
    r'^```(?:yaml|json) title="(?P<title>[^"]+)"\n(?P<body>.*?)^```$', re.MULTILINE | re.DOTALL
)
SOURCE_KEYS = ("evidence", "read", "derive", "reported")


def accepted(body: str) -> bool:
    """Whether a check takes a block for a claim."""
    block = Block("claim", body, Place("docs/a.md", 1), 1 + body.count("\n"))
    try:
        claim = read_block(block, UNITS, "docs")
    except Malformed:
        return False
    return not isinstance(claim, Unstated) or not claim.read(STATED, Deadline(10)).problems


def test_it_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_the_command_prints_it_and_needs_no_project(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["schema"]) == 0
    assert capsys.readouterr() == (schema(), "")


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("claim", KEYS),
        ("claims", TABLE_KEYS),
        ("table", FILE_TABLE_KEYS),
        ("column", COLUMN_KEYS),
        ("one_read", READ_KEYS),
    ],
)
def test_it_knows_every_key_and_what_it_says(name: str, table: dict[str, Any]) -> None:
    made = SCHEMA["definitions"][name]
    assert list(made["properties"]) == list(table)
    assert made["required"] == [key.name for key in table.values() if key.required]
    for key in table.values():
        assert made["properties"][key.name]["description"].startswith(key.meaning)


def own_blocks() -> Iterator[tuple[str, str, str]]:
    """The blocks of this repository's own pages: kind, place, body."""
    config = load(ROOT)
    for path in find_pages(ROOT, config.pages, config.exclude):
        for block in scan(path, (ROOT / path).read_text(encoding="utf-8")).blocks:
            if block.kind in ("claim", "claims") and ":" in block.body:
                yield block.kind, str(block.place), block.body


def test_it_takes_every_claim_and_every_table_of_our_own_pages() -> None:
    known = {"claim": CLAIM, "claims": validator("claims")}
    seen = {"claim": 0, "claims": 0}
    for kind, place, body in own_blocks():
        seen[kind] += 1
        wrong = next(known[kind].iter_errors(as_an_editor_reads(body)), None)
        assert wrong is None, f"{place}: {wrong.message if wrong else ''}"
    assert seen["claim"] > 100
    assert seen["claims"] > 20


def test_it_takes_our_own_claims_files() -> None:
    paths = sorted((ROOT / load(ROOT).claims).glob("*.yml"))
    assert len(paths) > 5
    for path in paths:
        whole = as_an_editor_reads(path.read_text(encoding="utf-8"))
        wrong = next(validator().iter_errors(whole), None)
        assert wrong is None, f"{path.name}: {wrong.message if wrong else ''}"


def test_the_file_that_its_page_shows_is_a_claims_file_to_both() -> None:
    page = (ROOT / "docs" / "tool" / "editors.md").read_text(encoding="utf-8")
    shown = {match["title"]: match["body"] for match in SHOWN.finditer(page)}
    ((path, pattern),) = json.loads(shown[".vscode/settings.json"])["yaml.schemas"].items()
    (name,) = [name for name in shown if PurePath(name).match(pattern)]
    claims, problems, _ = read_file(name, shown[name], UNITS)
    assert ([claim.id for claim in claims], problems) == (["step-time"], [])
    assert validator().is_valid(as_an_editor_reads(shown[name]))
    assert f"stilltrue schema > {path.removeprefix('./')}" in page


def test_a_bare_null_is_the_one_text_that_it_does_not_take() -> None:
    body = GOOD + "note: null\n"
    assert accepted(body)
    assert not CLAIM.is_valid(as_an_editor_reads(body))
    assert CLAIM.is_valid(as_an_editor_reads(body.replace("null", "'null'")))


TABLE = """\
- id: memory
  table_in: {file: README.md, after: '^## Results'}
  says: "{Loss} needs {value}."
  key: [Loss]
  columns: {Peak: {unit: GiB}, Mean: }
  evidence: results/{Loss}.csv
  read: {column: peak}
  rows: {naive: skip, chunked: {take: mean of 3, Seed: 7}}
"""


def test_an_item_with_columns_is_a_table_and_names_where_it_stands() -> None:
    assert validator().is_valid(as_an_editor_reads(TABLE))
    without = re.sub("  table_in.*\n", "", TABLE)
    errors = [error.message for error in validator().iter_errors(as_an_editor_reads(without))]
    assert errors == ["'table_in' is a required property"]


GOOD = """\
id: time
says: "A step takes {value}."
value: 5 ms
evidence: run.txt
read: {match: 'time (.*) ms', unit: ms}
"""
NAMED = "read: {before: {match: a}, after: {match: b}}\nderive: after / before"
REFUSED = {
    "an unknown key": (GOOD + "vlaue: 6 ms\n", "'vlaue' was unexpected"),
    "no sentence": (re.sub("says.*\n", "", GOOD), "'says' is a required property"),
    "no value": (GOOD.replace("value: 5 ms\n", ""), "is not valid under any"),
    "two values": (GOOD + "stated_in: {file: a.md, match: (.*)}\n", "is valid under each of"),
    "an empty value": (GOOD.replace("5 ms", '""'), "does not match"),
    "no source": (re.sub("(?s)evidence.*", "", GOOD), "is not valid under any"),
    "evidence alone": (re.sub("read.*\n", "", GOOD), "'read' is a dependency of 'evidence'"),
    "a figure quoted and read": (GOOD + "reported: {by: a sheet}\n", "should not be valid"),
    "two shapes": (GOOD.replace("{match", "{path: $.a, match"), "is valid under each of"),
    "a key of tables beside a pattern": (GOOD.replace("unit: ms", "where: x > 1"), "'column' is a depend"),
    "no such take": (GOOD.replace("unit: ms", "take: avg"), "is not valid under any"),
    "three takes": (GOOD.replace("unit: ms", "take: [last, mean, max]"), "is not valid under any"),
    "a tag that is no list": (GOOD + "tags: speed\n", "is not of type 'array'"),
    "no such severity": (GOOD + "severity: {level: ignore, because: x}\n", "is not valid under any"),
    "no reason": (GOOD + "severity: {level: warn}\n", "'because' is a required property"),
    "a day in words": (GOOD + "valid: {until: tomorrow}\n", "is not valid under any"),
    "copies that are one mapping": (GOOD + "copies: {file: a.sh, match: (.*)}\n", "is not of type 'array'"),
    "a list of two patterns that has three": (
        GOOD.replace("unit: ms", "between: [a, b, c]"),
        "is too long",
    ),
    "a read without a shape": (
        GOOD.replace("match", "take").replace("'time (.*) ms'", "sum"),
        "is not valid",
    ),
    "a bad name of a read": (
        re.sub("read.*\n", NAMED.replace("before:", "be-fore:"), GOOD),
        "does not match",
    ),
}


@pytest.mark.parametrize(("body", "said"), REFUSED.values(), ids=REFUSED)
def test_it_refuses_what_a_check_refuses(body: str, said: str) -> None:
    assert accepted(GOOD)
    assert not accepted(body)
    errors = list(CLAIM.iter_errors(as_an_editor_reads(body)))
    assert any(said in error.message for error in errors), [error.message for error in errors]


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        re.sub("read.*\n", NAMED, GOOD),
        GOOD.replace("unit: ms", "take: p99.9"),
        GOOD.replace("unit: ms", "take: [last, mean of 7]"),
        GOOD.replace("5 ms", "5"),
        GOOD.replace("{match: 'time (.*) ms', unit: ms}", "{column: a, header: no, table: 2}"),
        GOOD.replace("{match: 'time (.*) ms', unit: ms}", "{column: a, header: false}"),
        GOOD.replace("evidence: run.txt", "evidence: [a.txt, b.txt]"),
        re.sub("(?s)evidence.*", "reported: {by: a sheet, on: 2026-08-24, url: HTTPS://example.org}", GOOD),
    ],
)
def test_it_takes_what_a_check_takes(body: str) -> None:
    assert accepted(body)
    assert list(CLAIM.iter_errors(as_an_editor_reads(body))) == []


BESIDE = {"path": (), "column": ("where", "table", "header"), "match": ("between",)}
FREE = [name for name in KEYS if name not in ("id", "says", "value", "stated_in", *SOURCE_KEYS)]


@st.composite
def one_read(draw: st.DrawFn) -> str:
    """The keys of a read, most of which go together."""
    shape = draw(st.sampled_from(sorted(BESIDE)))
    fitting = draw(st.sets(st.sampled_from(["take", "unit", "decimal", *BESIDE[shape]])))
    odd = draw(st.sampled_from([None, None, None, *READ_KEYS]))
    return "\n".join(READ_KEYS[name].example for name in sorted({shape, *fitting, *filter(None, [odd])}))


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Where a value comes from, in each of the ways that there are."""
    way = draw(st.sampled_from(["read", "named", "derive", "reported"]))
    if way in ("derive", "reported"):
        return KEYS[way].example
    evidence = draw(st.sampled_from([KEYS["evidence"].example, "evidence: [./a.json, ./b.json]"]))
    if way == "read":
        return f"{evidence}\nread:\n{textwrap.indent(draw(one_read()), '  ')}"
    reads = [f"  {name}:\n{textwrap.indent(draw(one_read()), '    ')}" for name in ("after", "before")]
    return "\n".join([evidence, "read:", *reads, "derive: after / before"])


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Claims of keys as their examples write them; most of them are sound."""
    stated = draw(st.sampled_from(["value", "stated_in"]))
    names = ["id", "says", stated, *sorted(draw(st.sets(st.sampled_from(FREE), max_size=4)))]
    return "\n".join([*(KEYS[name].example for name in names), draw(sources())]) + "\n"


@settings(max_examples=300, deadline=None)
@given(bodies())
def test_it_refuses_no_claim_that_a_check_takes(body: str) -> None:
    if accepted(body):
        assert list(CLAIM.iter_errors(as_an_editor_reads(body))) == []
