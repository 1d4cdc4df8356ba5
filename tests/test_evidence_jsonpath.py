from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from jsonpath_rfc9535 import JSONPathEnvironment

from evidence_support import Project, quantity, tree
from stilltrue.config import Limits
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.jsonpath import Query, compile_query, plain, strict
from stilltrue.evidence.jsonpath.nodes import location
from stilltrue.evidence.trees.json_tree import read_json

ROWS = """{"rows": [
  {"loss": "naive", "n": 1, "peak": 81.93},
  {"loss": "naive", "n": 2, "peak": 107.8},
  {"loss": "chunked", "n": 1, "peak": 61.1}
], "env": {"gpu": "H200"}}
"""

LIBRARY = JSONPathEnvironment()


def found(query: Query, value: Any) -> list[tuple[Any, Any]]:
    return [(location(node.trail), node.value) for node in query.find(value, Deadline(60))]


def expected(path: str, value: Any) -> list[tuple[Any, Any]]:
    return [(node.location, node.value) for node in LIBRARY.find(path, value)]


def same(left: list[tuple[Any, Any]], right: list[tuple[Any, Any]]) -> bool:
    """Equal in order, and 1 is not true."""
    return json.dumps(left) == json.dumps(right)


@pytest.fixture
def rows(tmp_path: Path) -> Project:
    return Project(tmp_path).write("rows.json", ROWS)


@pytest.mark.parametrize(
    ("path", "number", "line"),
    [
        ("$.rows[0].peak", "81.93", 2),
        ("$['rows'][-1][\"peak\"]", "61.1", 4),
        ("$.rows[?@.loss == 'naive' && @.n == 2].peak", "107.8", 3),
        ("$.rows[?@.loss=='chunked'].peak", "61.1", 4),
        ("$.rows[?@.peak > 100].peak", "107.8", 3),
        ("$.rows[?match(@.loss, 'chu.*')].peak", "61.1", 4),
        ("$.rows[?search(@.loss, 'unk')].peak", "61.1", 4),
        ("$.rows[?match(@.loss, '$?chunked')].peak", "61.1", 4),
        ("$.rows[?(@.n == '2' || @.n == 2)].peak", "107.8", 3),
        ("$.rows[?!(@.n == 1)].peak", "107.8", 3),
        ("$.rows[?count(@.*) == 3 && length(@.loss) == 7].peak", "61.1", 4),
        ("$..[?@.n == 2].peak", "107.8", 3),
        ("$.rows[1:2].peak", "107.8", 3),
        ("$.rows[?@.peak == 81.930].peak", "81.93", 2),
        ("$.rows[?@.peak == 8193e-2].peak", "81.93", 2),
    ],
)
def test_paths_select_by_the_rfc(rows: Project, path: str, number: str, line: int) -> None:
    taken = rows.take("rows.json", tree(path))
    assert taken.value == quantity(number)
    assert [reading.line for reading in taken.readings] == [line]


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("$.rowz[0].peak", "`$` has no key `rowz`", "did you mean `rows`?"),
        ("$.rows[*].peek", "`$.rows[*]` has no key `peek`", "did you mean `peak`?"),
        ("$.env.zzzz", "`$.env` has no key `zzzz`", "its keys are `gpu`"),
        ("$.rows.peak", "`$.rows` is a list of 3, which has no key `peak`", "`$.rows[*].peak`"),
        (
            "$.rows[7].peak",
            "`$.rows` is a list of 3, and `[7]` selects nothing of it",
            "its elements are `[0]` to `[2]`",
        ),
        ("$.env.gpu.x", "`$.env.gpu` is `H200`", "`$.env.gpu` does select"),
        ("$.rows[?@.loss == 'native'].peak", "no element of `$.rows` passes", "`'naive'`, `'chunked'`"),
        ("$.rows[?@.n == '1'].peak", "no element of `$.rows` passes", "values of `n` there are `1`, `2`"),
        ("$.rows[?(@.n == 3 || @.n == '3')].peak", "no element", "values of `n` there are `1`, `2`"),
        ("$.rows[?@.lose == 'naive'].peak", "no element", "none has a key `lose`; did you mean `loss`?"),
        ("$.rows[?@.loss == 'chunked' && @.n == 2].peak", "no element", "not all of them together"),
        ("$..missing", "selects nothing", "does select"),
    ],
)
def test_a_path_that_selects_nothing_says_how_far_it_came(
    rows: Project, path: str, message: str, hint: str
) -> None:
    error = rows.error("rows.json", tree(path))
    assert (error.code, error.path) == ("no-reading", "rows.json")
    assert message in error.message
    assert hint in error.hint


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("rows[0]", "begin with the root: `$.rows[0]`"),
        ("$.rows[?@.n = 1]", "RFC 9535"),
        ("$.rows[", "RFC 9535"),
        ("$.rows[?nope(@.n)]", "RFC 9535"),
        ("$.rows[?match(@.loss, '\\\\d+')]", "I-Regexp"),
        ("$" + "[?(" * 3000, "RFC 9535"),
        ("$" + ".a" * 50_000, ""),
        ("", "begin with the root"),
    ],
)
def test_a_path_that_is_none_is_refused(rows: Project, path: str, words: str) -> None:
    error = rows.error("rows.json", tree(path))
    assert error.code in ("bad-jsonpath", "no-reading")
    assert words in error.message + error.hint


def test_patterns_in_paths_cannot_backtrack(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.json", json.dumps([{"name": "a" * 50_000 + "!", "v": 1}]))
    start = time.process_time()
    error = project.error("a.json", tree("$[?match(@.name, '(a+)+')].v"))
    assert error.code == "no-reading"
    assert time.process_time() - start < 5


def test_a_path_that_never_ends_is_stopped(tmp_path: Path) -> None:
    project = Project(tmp_path, Limits(seconds=0.3))
    project.write("a.json", json.dumps([[i] for i in range(3000)]))
    start = time.process_time()
    error = project.error("a.json", tree("$..[?count($..[?count($..*) == 0]) == 1]"))
    assert error.code == "too-slow"
    assert "`limits.seconds`" in error.hint
    assert time.process_time() - start < 5


def test_a_plain_path_is_known_without_the_library() -> None:
    for path in (
        "$",
        "$.a.b[3]['c'].d",
        "$[*].x",
        "$.rows[?@.a == 'naive' && @.n == 1 && @.b.c == null].peak",
        "$.rows[?(@.a == 1 || @.a == '1') && @['b'] == 2].peak",
    ):
        assert plain.parse(path) is not None
    for path in (
        "$..a",
        "$.a[?@.b < 1]",
        "$.a[1:2]",
        "$[?@.a == 1 || @.b == 2]",
        "$[?(@.a == 1 || @.b == 2)]",
        "$.é",
        "a",
        "$.a[01]",
    ):
        assert plain.parse(path) is None


# Properties: plain and strict paths agree with the library ---------------------------------------------

_NAMES = st.sampled_from(["a", "b", "c"])
_SCALARS = st.sampled_from([0, 1, 2, True, False, None, "a", "1", "", 1.0, 1.5, -1])
_TREES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=20,
)
_LITERALS = st.sampled_from(
    ["0", "1", "true", "false", "null", "'a'", '"1"', "''", "1.0", "1.5", "15e-1", "-1", "-0"]
)
_MEMBERS = st.lists(
    st.one_of(
        _NAMES.map(lambda n: f".{n}"), _NAMES.map(lambda n: f"['{n}']"), _NAMES.map(lambda n: f'["{n}"]')
    ),
    min_size=1,
    max_size=2,
).map("".join)
_EITHER = st.tuples(_MEMBERS, st.lists(_LITERALS, min_size=2, max_size=3)).map(
    lambda t: f"({' || '.join(f'@{t[0]} == {literal}' for literal in t[1])})"
)
_EQUALITIES = st.lists(
    st.one_of(
        st.tuples(_MEMBERS, st.sampled_from(["==", " == "]), _LITERALS).map(lambda t: f"@{t[0]}{t[1]}{t[2]}"),
        _EITHER,
    ),
    min_size=1,
    max_size=2,
).map(lambda tests: f"[?{' && '.join(tests)}]")
_STEPS = st.one_of(
    _NAMES.map(lambda n: f".{n}"),
    _NAMES.map(lambda n: f"['{n}']"),
    st.integers(-3, 3).map(lambda i: f"[{i}]"),
    st.sampled_from(["[*]", ".*"]),
    _EQUALITIES,
)
_PLAIN = st.lists(_STEPS, max_size=4).map(lambda steps: "$" + "".join(steps))

_SINGULAR = st.one_of(
    _MEMBERS.map(lambda m: f"@{m}"), _MEMBERS.map(lambda m: f"$[0]{m}"), st.just("@[0]"), st.just("@")
)
_OPERANDS = st.one_of(
    _SINGULAR,
    _LITERALS,
    _SINGULAR.map(lambda s: f"length({s})"),
    st.sampled_from(["count(@.*)", "value(@..a)"]),
)
_BASIC = st.one_of(
    st.tuples(_OPERANDS, st.sampled_from(["==", "!=", "<", ">", "<=", ">="]), _OPERANDS).map(" ".join),
    st.sampled_from(
        ["@.a", "!@.b", "@.*", "@..c", "$.a", "match(@.a, 'a|1')", "!search(@.b, '[a1].?')", "@[?@.a == 1]"]
    ),
)
_LOGIC = st.recursive(
    _BASIC,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" && ", " || "]), inner).map("".join),
        inner.map(lambda test: f"!({test})"),
        inner.map(lambda test: f"({test})"),
    ),
    max_leaves=4,
)
_SELECTORS = st.one_of(
    _NAMES.map(lambda n: f"'{n}'"),
    st.integers(-3, 3).map(str),
    st.sampled_from(["*", "1:", ":-1", "::2", "::-1", "2:0:-1", "::0"]),
    _LOGIC.map(lambda test: f"?{test}"),
)
_ANY_STEPS = st.one_of(
    _STEPS,
    st.sampled_from(["..a", "..*", "..[0]"]),
    st.lists(_SELECTORS, min_size=1, max_size=2).map(lambda several: f"[{', '.join(several)}]"),
    _LOGIC.map(lambda test: f"..[?{test}]"),
)
_ANY = st.lists(_ANY_STEPS, min_size=1, max_size=3).map(lambda steps: "$" + "".join(steps))


@settings(max_examples=400, deadline=None)
@given(_PLAIN, _TREES)
@example("$[?@.a == 1]", [{"a": True}, {"a": 1.0}, {"a": 1}])
@example("$[?@.a == true]", [{"a": True}, {"a": 1}])
@example("$[?@.a.b == null]", [{"a": {"b": None}}, {"a": None}, {}])
def test_plain_paths_select_what_the_library_selects(path: str, value: Any) -> None:
    segments = plain.parse(path)
    assume(segments is not None)
    tree_ = read_json(json.dumps(value), Deadline(60)).value
    assert same(found(compile_query(path), tree_), expected(path, value)), path
    assert same(found(Query(path, strict.parse(path)), tree_), expected(path, value)), path


@settings(max_examples=400, deadline=None)
@given(_ANY, _TREES)
def test_any_path_selects_what_the_library_selects(path: str, value: Any) -> None:
    tree_ = read_json(json.dumps(value), Deadline(60)).value
    assert same(found(Query(path, strict.parse(path)), tree_), expected(path, value)), path


@settings(max_examples=300, deadline=None)
@given(st.text("$.[]?@='\"ab01 &*", max_size=14).map(lambda rest: "$" + rest))
def test_what_is_plain_is_valid_for_the_library(path: str) -> None:
    if plain.parse(path) is not None:
        LIBRARY.compile(path)
    else:
        try:
            compile_query(path)
        except InputError as error:
            assert error.code == "bad-jsonpath"
