"""YAML without surprises: text as written, mistakes named at their line, with the line that works."""

from __future__ import annotations

import re
import time

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stilltrue.claims import Malformed, plain, read_block
from stilltrue.claims.compose import compose
from stilltrue.claims.nodes import Mapping, Scalar
from stilltrue.codes import CODES
from stilltrue.errors import InputError
from stilltrue.model import Block, Claim, EvidenceSource, Place, Problem
from stilltrue.quantity import Units

UNITS = Units.default()
BEFORE = 'id: a\nsays: "It takes {value}."\nvalue: 5 ms\n'
AFTER = "evidence: x.txt\nread: {match: (.*) ms}\n"


def read(body: str) -> Claim:
    found = read_block(Block("claim", body, Place("p.md"), 99), UNITS, "")
    assert isinstance(found, Claim)
    return found


def problem(body: str) -> Problem:
    with pytest.raises(Malformed) as caught:
        read(body)
    assert caught.value.problem.code in CODES
    assert caught.value.problem.hint
    return caught.value.problem


def body_with(line: str) -> str:
    """A good claim in which one line stands in place of that of its key, or at the end."""
    key = line.lstrip().partition(":")[0]
    lines = [old for old in (BEFORE + AFTER).splitlines() if not old.startswith(f"{key}:")]
    if key == "derive":
        lines = [old for old in lines if not old.startswith(("evidence", "read"))]
    return "\n".join([*lines, line]) + "\n"


def pasted(body: str, found: Problem) -> str:
    """The body with the line of the hint in the place that the problem names."""
    line = re.fullmatch(r"write `(.*)`", found.hint)
    assert line, found
    lines = body.split("\n")
    lines[found.place.line - 1] = line[1]
    return "\n".join(lines)


# What people write first -------------------------------------------------------------------------------


FIRST = [
    ("value: > 5 ms", 'value: "> 5 ms"'),
    ("value: >= 5 ms", 'value: ">= 5 ms"'),
    ("value: >5 ms", 'value: ">5 ms"'),
    ("value: **81.93**", 'value: "**81.93**"'),
    ("value: *81.93*", 'value: "*81.93*"'),
    ("value: `5 ms`", 'value: "`5 ms`"'),
    ("value: - 5 ms", "value: -5 ms"),
    ("value: OOM: at once", 'value: "OOM: at once"'),
    ("value: [OOM] after 5", 'value: "[OOM] after 5"'),
    ("value: OOM #5", 'value: "OOM #5"'),
    ("value: [5, 11, 17]", 'value: "[5, 11, 17]"'),
    ('value: "5 ms', 'value: "5 ms"'),
    ("says: {value} of one step", 'says: "{value} of one step"'),
    ("says: {value}", 'says: "{value}"'),
    ("says: Speed: {value}", 'says: "Speed: {value}"'),
    ("says: @home it is {value}", 'says: "@home it is {value}"'),
    ("says: Issue #47639 cost {value}", 'says: "Issue #47639 cost {value}"'),
    ("says: [{value}](claim:b) it is", 'says: "[{value}](claim:b) it is"'),
    ('says: "Fast" is {value}', "says: '\"Fast\" is {value}'"),
    ("says: 'It's {value}'", 'says: "It\'s {value}"'),
    ("says: !important {value}", 'says: "!important {value}"'),
    ("says: & {value}", 'says: "& {value}"'),
    ("derive: {a} / {b}", 'derive: "{a} / {b}"'),
    ("derive: {a}", 'derive: "{a}"'),
    ("note: see #3", 'note: "see #3"'),
    ("owner: @training", 'owner: "@training"'),
    ("read: {match: a, unit: %}", 'read: {match: a, unit: "%"}'),
    ("read: {match: [0-9]+, unit: ms}", 'read: {match: "[0-9]+", unit: ms}'),
    ("read: {match: [a-z], unit: ms}", 'read: {match: "[a-z]", unit: ms}'),
    ("read: {path: $.rows[0].peak, unit: bytes}", 'read: {path: "$.rows[0].peak", unit: bytes}'),
    ("read: {column: a, where: b in (1, 2) or c}", 'read: {column: a, where: "b in (1, 2) or c"}'),
    ('read: {match: "(\\d+) ms"}', "read: {match: '(\\d+) ms'}"),
    ("tags: [a, b", "tags: [a, b]"),
    ("tags: [a, %b]", 'tags: [a, "%b"]'),
    ("value:5 ms", "value: 5 ms"),
    ("\tvalue: 5 ms", "value: 5 ms"),
    ("  value: 5 ms", "value: 5 ms"),
]
"""What people write first, and the line that works."""


@pytest.mark.parametrize(("line", "hint"), FIRST)
def test_what_people_write_first_is_given_back_quoted(line: str, hint: str) -> None:
    body = body_with(line)
    found = problem(body)
    assert found.place.line == body.count("\n")
    assert found.hint == f"write `{hint}`"
    cured = pasted(body, found)
    assert read(cured).id == "a"


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("  unit: %", '  unit: "%"'),
        ('  match: "\\d+ ms"', "  match: '\\d+ ms'"),
        ('  match: "\\bms"', "  match: '\\bms'"),
        ("  match: [0-9]+ ms", '  match: "[0-9]+ ms"'),
        ("  match: [0-9]", '  match: "[0-9]"'),
        ("  match: [", '  match: "["'),
        ("  match: a: (\\d+)", "  match: 'a: (\\d+)'"),
        ("  match: *.ms", '  match: "*.ms"'),
        ("  match: run #3", '  match: "run #3"'),
        ("  between: [^# A, ^# B: (.*)]", '  between: ["^# A", "^# B: (.*)"]'),
        ("\tmatch: a", "  match: a"),
        ("   format: text", "  format: text"),
    ],
)
def test_lines_inside_a_mapping_keep_their_margin(line: str, hint: str) -> None:
    first = "  decimal: ','\n" if "match" in line else "  match: a\n"
    body = BEFORE + "evidence: x.txt\nread:\n" + first + line + "\n"
    found = problem(body)
    assert found.place.line == 7
    assert found.hint == f"write `{hint}`"
    assert read(pasted(body, found)).id == "a"


def test_a_comma_inside_braces_is_named() -> None:
    body = '{id: a, says: "It is {value}.", value: 22,835.8 ms, evidence: x, read: {match: b}}\n'
    found = problem(body)
    assert found.code == "cut-value"
    assert "`value` is cut at a comma" in found.message
    assert read(pasted(body, found)).stated.text == "22,835.8 ms"


@pytest.mark.parametrize("line", ["value: #5", "value: >5", "value: |2"])
def test_a_value_that_yaml_swallows_whole_is_given_back(line: str) -> None:
    found = problem(body_with(line))
    assert found.code == "missing-key"
    assert found.hint == f'write `value: "{line.partition(": ")[2]}"`'


def test_a_quote_is_missed_where_it_was_opened() -> None:
    found = problem('id: a\nsays: "It takes {value}.\nvalue: "5 ms"\n' + AFTER)
    assert found.place.line == 2
    assert "is not closed" in found.message


def test_a_comment_may_follow_what_holds_none() -> None:
    body = 'id: a # for life\nsays: "It is {value}." # yes\nvalue: 5 ms # warm\n'
    claim = read(body + "evidence: x.txt  # raw\nread: {match: b, take: sum} # all\n# the end\n")
    assert (claim.id, claim.says, claim.stated.text) == ("a", "It is {value}.", "5 ms")


@pytest.mark.parametrize(
    "text", ["1e3", "012", "12:30", "no", "~", "0x1F", "1_000", "null", "2026-08-24", "=", "<<"]
)
def test_scalars_mean_what_was_written(text: str) -> None:
    for written in (text, f'"{text}"', f"'{text}'"):
        assert read(BEFORE + AFTER + f"note: {written}\n").note == text


def test_block_scalars_end_where_their_text_ends() -> None:
    claim = read(BEFORE + "evidence: x.txt\nread:\n  match: |\n    a # b: (.*)\n")
    assert isinstance(claim.source, EvidenceSource)
    assert claim.source.reads[0][1].match == "a # b: (.*)"


# What is refused ---------------------------------------------------------------------------------------


REFUSED = [
    ("id: &x a\nnote: *x\n", 1, "bad-yaml"),
    ("id: a\nnote: *x\n", 2, "bad-yaml"),
    ("id: a\nread: {match: *x}\n", 2, "bad-yaml"),
    ("id: !!str a\n", 1, "bad-yaml"),
    ("id: ! a\n", 1, "bad-yaml"),
    ("!x {id: a}\n", 1, "bad-yaml"),
    ("id: a\n---\nid: b\n", 2, "bad-yaml"),
    ("id: a\n? [b]\n: c\n", 2, "bad-yaml"),
    ("id: a\nnote: b\x00c\n", 2, "bad-yaml"),
    ("id: a\nnote: b\x1b[31mc\n", 2, "bad-yaml"),
    ("id: a\nnote: b\u2028c\n", 2, "bad-yaml"),
    ("id: a\nnote: b\x85c\n", 2, "bad-yaml"),
    ("id: a\nnote: b\udc80c\n", 2, "bad-yaml"),
    ("id: a\nnote: \ufeffb\n", 2, "bad-yaml"),
    ("id: a\n<<: {b: c}\n", 2, "unknown-key"),
    ("id = a\n", 1, "not-a-claim"),
    ("%YAML 3.0\n", 1, "bad-yaml"),
    ("}\n", 1, "bad-yaml"),
]
"""What claims do not use, with the line and the code of the problem."""


@pytest.mark.parametrize(("body", "line", "code"), REFUSED)
def test_what_claims_do_not_use_is_refused_at_its_line(body: str, line: int, code: str) -> None:
    found = problem(body)
    assert (found.code, found.place.line) == (code, line)


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        "{a: " * 100_000,
        "- " * 100_000,
        "? " * 100_000,
        "a: &x 1\nb: [" + "*x, " * 1_000_000 + "]",
        "a: [" + "*x, " * 1_000_000 + "]",
        "x" * 1_000_000,
        '"' * 100_000,
        "a: " + "b: " * 100_000,
        "a: " + '"' * 100_000,
        "a: {" + "b, " * 100_000,
        "\n".join("a: [" for _ in range(10_000)),
        "\n".join(f"a{n}: %" for n in range(10_000)),
        "\t" * 100_000,
        "a: '" + "\n" * 100_000,
        "id: a\n" * 100_000,
        "x" * 100_000 + ": 1",
        "id: " + "A" * 100_000,
        body_with("says: " + "{value" * 20_000 + "}"),
        body_with("read: {match: a, take: " + "sum" * 50_000 + "}"),
        body_with("read: {match: a, unit: " + "ms" * 50_000 + "}"),
        body_with("tags: " + "a " * 50_000),
        body_with("evidence: " + "../" * 50_000),
        body_with("evidence: " + "/" * 50_000),
        body_with("superseded: {on: " + "1" * 100_000 + ", because: b}"),
        body_with("tolerance: " + "1" * 100_000),
    ],
    ids=lambda body: repr(body[:12]),
)
def test_hostile_blocks_are_refused_soon(body: str) -> None:
    start = time.process_time()
    assert len(problem(body).message) < 500
    assert time.process_time() - start < 2


@pytest.mark.parametrize("text", ["[", "{a: ", "- ", "? "])
def test_nesting_is_named(text: str) -> None:
    assert "nested too deep" in problem(text * 100_000).message


# The two parsers, and the fast way ---------------------------------------------------------------------

_WORDS = st.text("abZ019 -:#'\"[]{},&*!|>%@`\\?.$/()+=~<_é\u00a0", max_size=12)
_VALUES = st.one_of(
    _WORDS,
    _WORDS.map(lambda text: f'"{text}"'),
    _WORDS.map(lambda text: f"'{text}'"),
    st.lists(_WORDS, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
    st.lists(_WORDS, max_size=3).map(
        lambda items: "{" + ", ".join(f"k{n}: {v}" for n, v in enumerate(items)) + "}"
    ),
    st.sampled_from(["", "plain words", "22,835.8 ms", "name like 'a%' and b", "[a, b]", "{a: b, c: 'd'}"]),
)
_LINES = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "", "  ", "  ", "    ", "\t", "- "]),
    st.sampled_from(["a", "b", "c", "read", "a_1", "é", "#", ""]),
    st.sampled_from([": ", ": ", ": ", ":", ":  ", " : ", ""]),
    _VALUES,
)
_BODIES = st.lists(_LINES, max_size=6).map("\n".join)


@settings(max_examples=500, deadline=None)
@given(_BODIES)
@example("a: b\n  c")
@example("a:\n\nb: c")
@example("a: b # c")
@example("a:\n  b: c\n   # d\n  e: f\ng: h\n")
@example("a: {b: c, b: d}")
@example("a: [b , c]")
@example("a: [b c, 'd']")
@example("a: b:c")
@example("a: -5")
@example("a: ---")
def test_the_fast_way_says_what_the_parser_says(body: str) -> None:
    fast = plain.read(body, 7)
    if fast is not None:
        composed = compose(body, 7)
        assert isinstance(composed, Mapping)
        assert repr(fast) == repr(composed)


_PLAIN_VALUES = st.sampled_from(
    [
        "5 ms",
        "'a # b'",
        '"c: d"',
        "[e, 'f g']",
        '{h: i, j: "k, l"}',
        "name like 'm%'",
        "{n: [o]}",
        "x: y",
        "é ± 1",
    ]
)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdef"), _PLAIN_VALUES, min_size=1),
    st.dictionaries(st.sampled_from("abc"), _PLAIN_VALUES),
)
def test_common_blocks_go_the_fast_way(top: dict[str, str], inner: dict[str, str]) -> None:
    lines = [f"{key}: {value}" for key, value in top.items()]
    if inner:
        lines += ["read:", *(f"  {key}: {value}" for key, value in inner.items())]
    body = "\n".join(lines)
    fast = plain.read(body)
    unusual = {"{n: [o]}", "x: y"} & {*top.values(), *inner.values()}
    assert (fast is None) == bool(unusual)
    assert fast is None or repr(fast) == repr(compose(body))


def outcome(body: str) -> object:
    try:
        return read_block(Block("claim", body, Place("p.md", 3), 99), UNITS, "")
    except Malformed as error:
        return error.problem, error.id


def by_python(body: str) -> object:
    """The outcome by the parser that is there where libyaml is not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "__with_libyaml__", False)
        return outcome(body)


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="libyaml is not there to compare with")
@pytest.mark.parametrize(
    "body",
    [*(body_with(line) for line, _ in FIRST), *(body for body, _, _ in REFUSED), "[" * 2000, "- " * 2000],
)
def test_the_two_parsers_give_one_message(body: str) -> None:
    assert outcome(body) == by_python(body)


@settings(max_examples=100, deadline=None)
@given(_BODIES)
@example("a\n\ta")
@example("a: [0:]")
@example("b: !,")
def test_the_two_parsers_read_one_claim(body: str) -> None:
    fast, slow = outcome(BEFORE + AFTER + body), by_python(BEFORE + AFTER + body)
    if isinstance(fast, Claim) and isinstance(slow, Claim):
        assert fast == slow
    assert isinstance(slow, Claim | tuple)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | _BODIES)
def test_no_text_gets_past_as_another_exception(body: str) -> None:
    try:
        compose(body)
    except InputError as error:
        assert error.code in CODES
    outcome(body)


_SENTENCES = st.text("abZ019 -:#'\"[]{},&*!|>%@`\\?.$/()+=~<_é", min_size=1, max_size=20)


@settings(max_examples=1000, deadline=None)
@given(_SENTENCES, _SENTENCES)
@example("", " of {b}")
@example("- ", "")
@example("# ", "")
def test_a_sentence_is_kept_as_written_or_given_back_whole(before: str, after: str) -> None:
    sentence = f"{before}V{after}".strip()
    if sentence[0] in "\"'":
        return  # there the quotes are the author's
    body = BEFORE + AFTER + f"note: {sentence}\n"
    try:
        assert read(body).note == sentence
    except Malformed as error:
        found = error.problem
    else:
        return
    assert found.place.line == body.count("\n")
    assert read(pasted(body, found)).note == sentence


def test_nodes_know_the_line_of_their_key() -> None:
    node = compose("a:\n  b:\n    c\nd: |\n  e\n", 5)
    assert node == Mapping({"a": Mapping({"b": Scalar("c", 6)}, 5), "d": Scalar("e", 8)}, 5)
