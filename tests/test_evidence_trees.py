from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_support import Project, quantity, tree
from stilltrue.config import Limits
from stilltrue.deadline import Deadline
from stilltrue.evidence.trees import Location, Number, Tree
from stilltrue.evidence.trees.json_tree import read_json
from stilltrue.evidence.trees.toml_tree import read_toml
from stilltrue.evidence.trees.yaml_tree import read_yaml
from stilltrue.quantity import Flag, Items, NonFinite, Text

RUNS = """{
  "runs": [
    {"name": "a", "loss": 0.1, "steps": 3},
    {"name": "b",
     "loss": 0.25, "steps": 4}
  ],
  "ok": true,
  "time": "22.836s",
  "big": "1,024",
  "nothing": null,
  "sizes": [1, 2.50, "3"],
  "nested": [[1], [2]],
  "empty": [],
  "bad": NaN,
  "worse": -Infinity
}
"""


@pytest.fixture
def runs(tmp_path: Path) -> Project:
    return Project(tmp_path).write("runs.json", RUNS)


def test_every_reading_knows_its_line(runs: Project) -> None:
    assert runs.lines("runs.json", tree("$.runs[*].loss", "sum")) == [3, 5]
    assert runs.lines("runs.json", tree("$.runs[-1].name")) == [4]
    assert runs.lines("runs.json", tree("$.ok")) == [7]
    assert runs.lines("runs.json", tree("$.runs", "count")) == [2]


def test_decimals_stay_decimals(runs: Project) -> None:
    runs.write("sum.json", "[0.1, 0.2]")
    assert runs.value("sum.json", tree("$[*]", "sum")) == quantity("0.3")


def test_numbers_keep_every_digit(runs: Project) -> None:
    runs.write("n.json", '{"a": 2.622408132654948111e-07, "b": 123456789012345678901234567890, "c": 1e400}')
    assert runs.value("n.json", tree("$.a")) == quantity("2.622408132654948111e-07")
    assert runs.value("n.json", tree("$.b")) == quantity("123456789012345678901234567890")
    assert runs.value("n.json", tree("$.c")) == quantity("1e400")


def test_scalars_are_read_as_what_they_are(runs: Project) -> None:
    assert runs.value("runs.json", tree("$.ok")) == Flag(yes=True)
    assert runs.value("runs.json", tree("$.time")) == quantity("22.836", "s")
    assert runs.value("runs.json", tree("$.big")) == quantity("1024")
    assert runs.value("runs.json", tree("$.runs[0].name")) == Text("a")
    assert runs.value("runs.json", tree("$.runs[0].loss", symbol="s")) == quantity("0.1", "s")
    assert runs.value("runs.json", tree("$.sizes")) == Items((quantity("1"), quantity("2.5"), quantity("3")))
    assert runs.value("runs.json", tree("$.bad")) == NonFinite("NaN")
    assert runs.value("runs.json", tree("$.worse")) == NonFinite("-Infinity")


@pytest.mark.parametrize(
    ("path", "line", "words"),
    [
        ("$.nothing", 10, "null"),
        ("$.runs[0]", 3, "an object with the keys `name`, `loss`, `steps`"),
        ("$.runs", 2, "a list of 2"),
        ("$.nested", 12, "a list of 2"),
        ("$.empty", 13, "an empty list"),
    ],
)
def test_what_is_no_value_breaks(runs: Project, path: str, line: int, words: str) -> None:
    error = runs.error("runs.json", tree(path))
    assert (error.code, error.path, error.line) == ("not-a-value", "runs.json", line)
    assert words in error.message


def test_a_unit_that_contradicts_breaks(runs: Project) -> None:
    error = runs.error("runs.json", tree("$.time", symbol="GiB"))
    assert (error.code, error.line) == ("unit-mismatch", 8)
    assert runs.error("runs.json", tree("$.time", symbol="ms")).code == "unit-mismatch"


def test_a_decimal_comma_is_for_strings(runs: Project) -> None:
    runs.write("c.json", '{"a": "1,5", "b": 1.5}')
    assert runs.value("c.json", tree("$.a", decimal=",")) == quantity("1.5")
    assert runs.value("c.json", tree("$.b", decimal=",")) == quantity("1.5")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{"a": 1,\n "b": ', 2, "ends in the middle"),
        ('{"a": 1,\n "b": "x', 2, "ends in the middle"),
        ('{"a": 1\n "b": 2}', 2, "expecting ',' delimiter"),
        ('{"a":\n1} }', 2, "more follows"),
        ('{"a": 1}\n}', 2, "expecting value"),
        ('{\n"a": 1,\n"b": {"c": 1},\n"a": 2}', 4, "key `a` twice"),
        ("[1,\n" + "7" * 5000 + "]", 2, "4,300 digits"),
        ("[" * 100_000, 0, "nested too deeply"),
        ("[" * 100_000 + "]" * 100_000, 0, "nested too deeply"),
        ('{"a":' * 100_000, 0, "nested too deeply"),
    ],
)
def test_broken_json_names_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    error = Project(tmp_path).write("a.json", text).error("a.json", tree("$.a"))
    assert (error.code, error.path, error.line) == ("malformed-evidence", "a.json", line)
    assert words in error.message


def test_deep_json_is_searched_without_a_crash(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.json", "[" * 800 + "5" + "]" * 800)
    assert project.value("a.json", tree("$" + "[0]" * 800)) == quantity("5")
    assert project.error("a.json", tree("$..a")).code == "no-reading"


def test_half_a_character_is_no_value(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.json", '{"a": "\\ud800", "\\udc00": 1}')
    assert project.error("a.json", tree("$.a")).code == "not-a-value"
    error = project.error("a.json", tree("$.b"))
    (error.message + error.hint).encode("utf-8")


def test_json_lines_are_the_array_of_their_lines(tmp_path: Path) -> None:
    lines = '{"step": 1, "loss": 0.5}\n\n{"step": 2, "loss": 0.25}\n'
    project = Project(tmp_path).write("a.jsonl", lines).write("b.json", lines).write("c.log", lines)
    for name in ("a.jsonl", "b.json", "c.log"):
        assert project.value(name, tree("$[-1].loss")) == quantity("0.25")
        assert project.lines(name, tree("$[*].loss", "sum")) == [1, 3]


def test_a_truncated_last_line_is_an_error(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.jsonl", '{"a": 1}\n{"a": 2}\n{"a": ')
    error = project.error("a.jsonl", tree("$[0].a"))
    assert (error.code, error.line) == ("malformed-evidence", 3)
    assert "ends in the middle" in error.message
    project.write("b.jsonl", '{"a": 1}\n{"a": 2, "a": 3}')
    assert project.error("b.jsonl", tree("$[0].a")).line == 2


def test_format_overrides_the_suffix(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.txt", "loss: 1.50\nwhen: 2026-03-01\n")
    error = project.error("a.txt", tree("$.loss"))
    assert error.code == "unknown-format"
    assert "`yaml`" in error.hint
    assert project.value("a.txt", tree("$.loss", form="yaml")) == quantity("1.5")
    assert project.value("a.txt", tree("$.when", form="yaml")) == Text("2026-03-01")
    assert "did you mean `yaml`?" in project.error("a.txt", tree("$.loss", form="yml1")).hint
    assert "read it with `column`" in project.error("a.txt", tree("$.loss", form="csv")).hint


YAML = """# a comment
runs:
- name: a
  loss: 1e3
  octal: 012
  clock: 12:30
  word: no
- name: 'b'
  loss: .25
  text: "7"
  nan: .nan
empty:
base: &base {x: 1, y: 2}
derived:
  <<: *base
  y: 3
again: *base
"""


def test_yaml_means_what_it_says(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.yml", YAML)
    assert project.value("a.yml", tree("$.runs[0].loss")) == quantity("1000")
    assert project.value("a.yml", tree("$.runs[0].octal")) == quantity("12")
    assert project.value("a.yml", tree("$.runs[0].word")) == Flag(yes=False)
    assert project.value("a.yml", tree("$.runs[1].nan")) == NonFinite("NaN")
    assert project.value("a.yml", tree("$.runs[?@.name == 'b'].loss")) == quantity("0.25")
    assert project.value("a.yml", tree("$.derived.x")) == quantity("1")
    assert project.value("a.yml", tree("$.derived.y")) == quantity("3")
    assert project.value("a.yml", tree("$.again.y")) == quantity("2")
    assert project.error("a.yml", tree("$.empty")).code == "not-a-value"


def test_yaml_readings_know_their_lines(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.yml", YAML)
    assert project.lines("a.yml", tree("$.runs[*].loss", "sum")) == [4, 9]
    assert project.lines("a.yml", tree("$.derived.x")) == [13]
    assert project.lines("a.yml", tree("$.derived.y")) == [16]


def test_several_yaml_documents_are_the_array_of_them(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.yaml", "a: 1\n---\na: 2\n")
    assert project.value("a.yaml", tree("$[1].a")) == quantity("2")
    assert project.lines("a.yaml", tree("$[1].a")) == [3]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\na: 2\n", 2, "key `a` twice"),
        ("a: [1, 2\nb: 3\n", 2, ""),
        ("a:\n\t- 1\n", 2, "cannot start any token"),
        ("a: &x [1, *x]\n", 1, "a value that holds it"),
        ("a: *y\n", 1, "names no anchor"),
        ("? [1]\n: 2\n", 1, "a list or a mapping"),
        ("<<: 5\n", 1, "no mapping"),
        ("[" * 100_000, 0, "nest"),  # libyaml gives up itself, by its version with a line or without
        ("a: " + "7" * 5000, 1, "4,300 digits"),
    ],
)
def test_broken_yaml_names_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    error = Project(tmp_path).write("a.yml", text).error("a.yml", tree("$.a"))
    assert (error.code, error.path) == ("malformed-evidence", "a.yml")
    assert error.line == line or not line
    assert words in error.message


def test_a_million_aliases_cost_no_memory(tmp_path: Path) -> None:
    levels = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    project = Project(tmp_path, Limits(seconds=0.5)).write("a.yml", "\n".join([*levels, "b: 5"]))
    assert project.value("a.yml", tree("$.b")) == quantity("5")
    error = project.error("a.yml", tree("$..[?@ == 2]"))
    assert error.code == "too-slow"


TOML = """title = "x"
[run]
loss = 1.50   # kept as written
steps = 1_000
when = 2026-03-01
nan = nan
"quoted.key" = 5
sizes = [
  1,
  2, # two
]
inline = { a = 1, b = { c = 2 } }
text = \"\"\"
[not]
a = "header" ""\"""

[run.env]
gpu = "H200"

[[step]]
time = 1.0
[step.detail]
peak = 3
[[step]]
time = 2.0
  [[step.part]]
  x = 9
  a.b = 10
"""


def test_toml_is_read(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.toml", TOML).write("b.cfg", TOML)
    assert project.value("a.toml", tree("$.run.loss")) == quantity("1.5")
    assert project.value("b.cfg", tree("$.run.steps")) == quantity("1000")
    assert project.value("a.toml", tree("$.run.when")) == Text("2026-03-01")
    assert project.value("a.toml", tree("$.run.nan")) == NonFinite("NaN")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("$.title", 1),
        ("$.run.loss", 3),
        ("$.run['quoted.key']", 7),
        ("$.run.sizes[1]", 10),
        ("$.run.inline.b.c", 12),
        ("$.run.env.gpu", 18),
        ("$.step[0].time", 21),
        ("$.step[0].detail.peak", 23),
        ("$.step[1].time", 25),
        ("$.step[1].part[0].x", 27),
        ("$.step[1].part[0].a.b", 28),
    ],
)
def test_toml_readings_know_their_lines(tmp_path: Path, path: str, line: int) -> None:
    project = Project(tmp_path).write("a.toml", TOML)
    assert project.lines("a.toml", tree(path)) == [line]


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\na = 2\n", 2), ("a = \n", 1), ("a = [1,\n\n", 1), ("x = '''\n", 1)]
)
def test_broken_toml_names_its_line(tmp_path: Path, text: str, line: int) -> None:
    error = Project(tmp_path).write("a.toml", text).error("a.toml", tree("$.a"))
    assert (error.code, error.line) == ("malformed-evidence", line)


def test_deep_toml_is_refused(tmp_path: Path) -> None:
    error = Project(tmp_path).write("a.toml", "a = " + "[" * 100_000).error("a.toml", tree("$.a"))
    assert error.code == "malformed-evidence"


def test_a_dotted_key_of_toml_may_be_long_but_not_endless(tmp_path: Path) -> None:
    # The standard library takes memory and time by the square of its parts: gigabytes for these.
    project = Project(tmp_path).write("a.toml", ".".join("a" * 100_000) + " = 1\n")
    assert project.error("a.toml", tree("$.a")).code == "malformed-evidence"
    short = project.write("b.toml", "a.b.c = 1.5 # www.a.b\n")
    assert short.value("b.toml", tree("$.a.b.c")) == quantity("1.5")


# Properties --------------------------------------------------------------------------------------------

_KEYS = st.text("ab.\"'# é", min_size=1, max_size=4)
_SCALARS = st.one_of(st.integers(-99, 99), st.booleans(), st.text('ab\\"#é\n', max_size=5))
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=12,
)


def locations(value: Any, here: Location = ()) -> Iterator[tuple[Location, Any]]:
    yield here, value
    if isinstance(value, dict):
        for key, member in value.items():
            yield from locations(member, (*here, key))
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from locations(element, (*here, index))


def marked(value: Any) -> tuple[Any, dict[int, Location]]:
    """The same value, each scalar replaced by a number of its own that can be found again in the text."""
    marks: dict[int, Location] = {}

    def put(item: Any, here: Location) -> Any:
        if isinstance(item, dict):
            return {key: put(member, (*here, key)) for key, member in item.items()}
        if isinstance(item, list):
            return [put(element, (*here, index)) for index, element in enumerate(item)]
        number = 7_000_000 + len(marks)
        marks[number] = here
        return number

    return put(value, ()), marks


def check_lines(text: str, tree_: Tree, marks: dict[int, Location]) -> None:
    for number, where in marks.items():
        assert tree_.line_of(where) == text[: text.index(str(number))].count("\n") + 1, (text, where)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_lines_of_json_are_those_of_the_text(value: dict[str, Any]) -> None:
    numbered, marks = marked(value)
    for indent in (None, 1):
        text = json.dumps(numbered, indent=indent)
        check_lines(text, read_json(text, Deadline(60)), marks)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_lines_of_toml_are_those_of_the_text(value: dict[str, Any]) -> None:
    numbered, marks = marked(value)
    text = tomli_w.dumps(numbered)
    parsed = read_toml(text, Deadline(60))
    assert parsed.value == tomllib.loads(text)
    check_lines(text, parsed, marks)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(_KEYS, _VALUES, max_size=4), st.booleans())
def test_lines_of_yaml_are_those_of_the_text(value: dict[str, Any], flow: bool) -> None:
    numbered, marks = marked(value)
    text = yaml.safe_dump(numbered, default_flow_style=flow, allow_unicode=True)
    parsed = read_yaml(text, Deadline(60))
    assert parsed.value == yaml.safe_load(text)
    check_lines(text, parsed, marks)


@settings(max_examples=100, deadline=None)
@given(_VALUES)
def test_json_is_parsed_as_the_standard_library_does(value: Any) -> None:
    parsed = read_json(json.dumps(value), Deadline(60))
    assert parsed.value == value
    assert all(parsed.line_of(where) == 1 for where, _ in locations(value))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_compares_as_its_float_and_keeps_its_text(number: float) -> None:
    (parsed,) = read_json(f"[{number!r}]", Deadline(60)).value
    assert parsed == number
    assert isinstance(parsed, Number)
    assert parsed.text == repr(number)


@pytest.mark.parametrize("white", ["\x1f", "\x0b", "\u00a0", "\u2028"])
def test_a_line_of_white_space_that_json_does_not_know_is_no_value(tmp_path: Path, white: str) -> None:
    project = Project(tmp_path).write("a.jsonl", f"{white}x\n").write("b.jsonl", f'{{"a": 1}}\n{white}\n')
    assert project.error("a.jsonl", tree("$")).code == "malformed-evidence"
    error = project.error("b.jsonl", tree("$[0].a"))
    assert (error.code, error.line) == ("malformed-evidence", 2)


def test_lines_that_hold_no_value_at_all_are_refused(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.jsonl", "\x1b[0m\n").write("b.jsonl", "\ufeff\n")
    assert project.error("a.jsonl", tree("$", "count")).code == "malformed-evidence"
    assert project.error("b.jsonl", tree("$", "count")).code == "empty-file"
