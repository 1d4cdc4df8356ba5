"""The record as text and back: in-toto's form, the schema, and everything that is no record."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.errors import InputError
from stilltrue.model import Accepted, Code, Digested, Provenance
from stilltrue.provenance import PREDICATE_TYPE, STATEMENT_TYPE, parse, schema, to_json

A, B = "a" * 64, "b" * 64
FILE = Digested("claims/evidence/x.json", A)
CODE = Code("probes/x.py", A, B)
MEASURED = Provenance(
    subjects=(FILE, Digested("claims/evidence/y.csv", B)),
    on="2026-03-01",
    code=(CODE, Code("probes/helper.py", B, B)),
    argv=("--cap", "4096", "", "ü \u2028"),
    commit="0" * 40,
    changed=("probes/helper.py",),
    started="2026-03-01T09:30:00Z",
    ended="2026-03-01T09:30:07.25Z",
    machine=(("system", "Linux"), ("cores", "2")),
    accelerator="NVIDIA H200",
    interpreter="CPython 3.11.7",
    packages=(("torch", "2.9.0"), ("numpy", "2.4.6")),
    inputs=(Digested("claims/evidence/lengths.csv", A),),
    environment=(("OMP_NUM_THREADS", "1"), ("PYTHONHASHSEED", "")),
    accepted=(
        Accepted("waste", "a comment", "2026-03-02", "probes/x.py", B, A),
        Accepted("waste", "it is gone", "2026-03-02", "probes/helper.py", B, ""),
    ),
)
ADOPTED = Provenance(subjects=(FILE,), on="2026-03-01", source="a cluster elsewhere")

VALIDATOR = jsonschema.Draft202012Validator(json.loads(schema()))

Statement = dict[str, Any]


def statement(record: Provenance = MEASURED) -> Statement:
    made: Statement = json.loads(to_json(record))
    return made


def refused(data: bytes | Statement) -> InputError:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    with pytest.raises(InputError) as caught:
        parse(raw)
    assert caught.value.code == "bad-provenance"
    assert caught.value.hint
    return caught.value


# Writing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", [MEASURED, ADOPTED], ids=["measured", "adopted"])
def test_a_record_is_an_in_toto_statement_and_comes_back_as_it_was(record: Provenance) -> None:
    text = to_json(record)
    made = json.loads(text)
    assert list(made) == ["_type", "subject", "predicateType", "predicate"]
    assert (made["_type"], made["predicateType"]) == (STATEMENT_TYPE, PREDICATE_TYPE)
    assert made["subject"][0] == {"name": FILE.path, "digest": {"sha256": A}}
    assert parse(text.encode()) == record
    VALIDATOR.validate(made)


def test_the_type_of_the_predicate_is_a_uri_in_normal_form_with_a_version() -> None:
    assert re.fullmatch(r"tag:[a-z]+,2026:[a-z]+/v1", PREDICATE_TYPE)


def test_a_record_is_ascii_on_many_lines_and_says_nothing_of_what_is_empty() -> None:
    assert to_json(MEASURED).isascii()
    assert to_json(ADOPTED) == (
        "{\n"
        '  "_type": "https://in-toto.io/Statement/v1",\n'
        '  "subject": [\n'
        "    {\n"
        '      "name": "claims/evidence/x.json",\n'
        '      "digest": {\n'
        f'        "sha256": "{A}"\n'
        "      }\n"
        "    }\n"
        "  ],\n"
        '  "predicateType": "tag:stilltrue,2026:measurement/v1",\n'
        '  "predicate": {\n'
        '    "on": "2026-03-01",\n'
        '    "source": "a cluster elsewhere"\n'
        "  }\n"
        "}\n"
    )


DIGESTS = st.text("0123456789abcdef", min_size=64, max_size=64)
TEXTS = st.text(max_size=20)
WORDS = st.text(min_size=1, max_size=20)
PATHS = st.lists(st.text("aZ09-_é \U0001f600:*", min_size=2, max_size=5), min_size=1, max_size=3).map(
    "/".join
)
PLAIN_PATHS = PATHS.filter(lambda path: not path.startswith("~") and path[1] != ":")
FILES = st.builds(Digested, PLAIN_PATHS, DIGESTS)
CODES = st.builds(Code, PLAIN_PATHS, DIGESTS, DIGESTS)
DAYS = st.dates().map(lambda day: day.isoformat())
TIMES = st.datetimes().map(lambda time: f"{time.isoformat()}Z")
PAIRS = st.dictionaries(TEXTS, TEXTS, max_size=3).map(lambda made: tuple(made.items()))
ACCEPTED = st.builds(Accepted, WORDS, WORDS, DAYS, PLAIN_PATHS, TEXTS, st.one_of(st.just(""), DIGESTS))
RECORDS = st.builds(
    Provenance,
    subjects=st.lists(FILES, min_size=1, max_size=3, unique_by=lambda each: each.path).map(tuple),
    on=DAYS,
    code=st.lists(CODES, min_size=1, max_size=3, unique_by=lambda each: each.path).map(tuple),
    argv=st.lists(TEXTS, max_size=3).map(tuple),
    commit=st.one_of(st.just(""), st.text("0123456789abcdef", min_size=40, max_size=40)),
    changed=st.lists(PLAIN_PATHS, max_size=2).map(tuple),
    started=TIMES,
    ended=TIMES,
    machine=PAIRS,
    accelerator=TEXTS,
    interpreter=TEXTS,
    packages=PAIRS,
    inputs=st.lists(FILES, max_size=2, unique_by=lambda each: each.path).map(tuple),
    environment=PAIRS,
    accepted=st.lists(ACCEPTED, max_size=2).map(tuple),
)


@settings(max_examples=120, deadline=None)
@given(RECORDS)
def test_every_record_comes_back_as_it_was_and_fits_the_schema(record: Provenance) -> None:
    text = to_json(record)
    assert text.isascii()
    assert text.endswith("\n}\n")
    assert parse(text.encode()) == record
    assert to_json(parse(text.encode())) == text
    VALIDATOR.validate(json.loads(text))


@settings(max_examples=60, deadline=None)
@given(RECORDS, WORDS)
def test_evidence_from_elsewhere_comes_back_as_it_was(record: Provenance, source: str) -> None:
    adopted = replace(record, code=(), source=source)
    assert parse(to_json(adopted).encode()) == adopted


# Reading ------------------------------------------------------------------------------------------------


def test_fields_that_nobody_knows_are_passed_over_as_in_toto_asks() -> None:
    made = statement()
    for place in (made, made["subject"][0], made["predicate"], made["predicate"]["code"][0]["digest"]):
        place["x-other"] = {"deep": [1, None]}
    assert parse(json.dumps(made).encode()) == MEASURED
    VALIDATOR.validate(made)


def _at(made: Statement, path: str) -> tuple[Any, Any]:
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
    place: Any = made
    for step in steps:
        place = place[step]
    return place, last


def put(path: str, value: Any) -> Callable[[Statement], None]:
    def change(made: Statement) -> None:
        place, last = _at(made, path)
        place[last] = value

    return change


def drop(path: str) -> Callable[[Statement], None]:
    def change(made: Statement) -> None:
        place, last = _at(made, path)
        del place[last]

    return change


WRONG = {
    "no type": (drop("_type"), "`_type` must be a string, not left out"),
    "another type": (put("_type", "https://in-toto.io/Statement/v0.1"), "`_type` is not"),
    "another predicate": (put("predicateType", "https://slsa.dev/provenance/v1"), "`predicateType` is not"),
    "predicate of a later version": (
        put("predicateType", PREDICATE_TYPE[:-1] + "2"),
        "`predicateType` is not",
    ),
    "no subject": (drop("subject"), "`subject` names no evidence"),
    "empty subject": (put("subject", []), "`subject` names no evidence"),
    "subject is an object": (put("subject", {}), "`subject` must be an array, not an object"),
    "subject holds text": (put("subject.0", "x"), "`subject[0]` must be an object, not a string"),
    "subject without a name": (drop("subject.0.name"), "`subject[0].name` must be a string, not left out"),
    "subject without a digest": (drop("subject.0.digest"), "`subject[0].digest.sha256` must be a string"),
    "digest is a number": (put("subject.0.digest.sha256", 7), "must be a string, not a number"),
    "digest in capitals": (put("subject.0.digest.sha256", "A" * 64), "no SHA-256 in lower-case hexadecimal"),
    "digest too short": (put("subject.1.digest.sha256", "ab"), "`subject[1].digest.sha256` is `ab`"),
    "digest with a newline": (put("subject.0.digest.sha256", A + "\n"), "no SHA-256"),
    "predicate is null": (put("predicate", None), "`predicate` must be an object, not null"),
    "no predicate": (drop("predicate"), "`predicate.on` must be a string, not left out"),
    "no day": (drop("predicate.on"), "`predicate.on` must be a string, not left out"),
    "a day of no month": (put("predicate.on", "March 1"), "no day such as"),
    "a day in other digits": (put("predicate.on", "２026-03-01"), "no day such as"),
    "neither code nor source": (drop("predicate.code"), "neither `code` nor `source`"),
    "code and source": (put("predicate.source", "x"), "both `code` and `source`"),
    "empty source": (put("predicate.source", ""), "`predicate.source` is empty"),
    "code without its digest": (drop("predicate.code.0.digest.stilltrueCode1"), "stilltrueCode1` must be"),
    "argument is a number": (put("predicate.argv.1", 4096), "`predicate.argv[1]` must be a string"),
    "arguments are text": (put("predicate.argv", "--cap 1"), "`predicate.argv` must be an array"),
    "a short commit": (put("predicate.commit", "abc123"), "no commit in hexadecimal"),
    "time with an offset": (put("predicate.started", "2026-03-01T09:30:00+01:00"), "no time in UTC"),
    "time of day alone": (put("predicate.ended", "09:30"), "no time in UTC"),
    "packages are a list": (put("predicate.packages", ["torch"]), "`predicate.packages` must be an object"),
    "version is a number": (
        put("predicate.packages.torch", 2.9),
        "`predicate.packages.torch` must be a string",
    ),
    "machine nested": (put("predicate.machine.cpu", {"a": "b"}), "`predicate.machine.cpu` must be a string"),
    "accepted without a reason": (drop("predicate.accepted.0.because"), "`predicate.accepted[0].because`"),
    "accepted with an empty reason": (put("predicate.accepted.0.because", ""), "because` is empty"),
    "accepted no digest": (put("predicate.accepted.0.after", "x"), "no SHA-256"),
    "interpreter is true": (put("predicate.interpreter", True), "must be a string, not true or false"),
    **{
        f"path {path!r}": (put("subject.0.name", path), "no plain path from the repository's root")
        for path in ("/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", "a\\b", "a\0b", "~/x", "C:/x")
    },
    "empty path": (put("subject.0.name", ""), "`subject[0].name` is empty"),
    "code outside": (put("predicate.code.0.name", "../x.py"), "`predicate.code[0].name` is `../x.py`"),
    "changed outside": (put("predicate.changed.0", "/x.py"), "`predicate.changed[0]` is `/x.py`"),
    "input outside": (put("predicate.inputs.0.name", "a/../b"), "`predicate.inputs[0].name`"),
    "accepted outside": (put("predicate.accepted.0.path", ".."), "`predicate.accepted[0].path`"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_field_is_named_and_the_schema_refuses_it_too(name: str) -> None:
    change, message = WRONG[name]
    made = copy.deepcopy(statement())
    change(made)
    assert message in refused(made).message
    assert not VALIDATOR.is_valid(made)


@pytest.mark.parametrize(
    ("path", "value"),
    [("predicate.on", "2026-02-30"), ("predicate.started", "2026-03-01T25:00:00Z")],
    ids=["day", "time"],
)
def test_what_the_calendar_lacks_is_no_day_and_no_time(path: str, value: str) -> None:
    made = statement()
    put(path, value)(made)
    assert value in refused(made).message


@pytest.mark.parametrize("key", ["subject", "predicate.code", "predicate.inputs"])
def test_a_file_that_is_named_twice_is_refused(key: str) -> None:
    made = statement()
    place, last = _at(made, key)
    place[last] = [place[last][0], place[last][0]]
    assert f"`{key}` names" in refused(made).message


TEXT = to_json(MEASURED)
NO_JSON = {
    "nothing": (b"", "the record is no JSON"),
    "blanks": (b" \n", "the record is no JSON"),
    "cut short": (TEXT.encode()[:300], "the record is no JSON"),
    "more behind it": (TEXT.encode() + b"{}", "the record is no JSON"),
    "a comma at the end": (TEXT.replace('"2026-03-01",', '"2026-03-01",,').encode(), "the record is no JSON"),
    "bytes": (b"\x93NUMPY\x01\x00", "the record is not UTF-8"),
    "Latin-1": (TEXT.replace("torch", "t\u00f6rch").encode("latin-1"), "the record is not UTF-8"),
    "UTF-16": (TEXT.encode("utf-16"), "the record is not UTF-8"),
    "a byte order mark": (b"\xef\xbb\xbf" + TEXT.encode(), "the record is no JSON"),
    "an array": (b"[]", "the record must be an object, not an array"),
    "a number": (b"1", "the record must be an object, not a number"),
    "NaN": (TEXT.replace('"2026-03-01"', "NaN").encode(), "`NaN` is no JSON number"),
    "infinity": (TEXT.replace('"NVIDIA H200"', "-Infinity").encode(), "`-Infinity` is no JSON number"),
    "a key twice": (
        TEXT.replace('"argv"', '"on": "2020-01-01", "argv"').encode(),
        "the key `on` stands twice",
    ),
    "nested": (b'{"_type": ' + b"[" * 200_000, "the record is nested too deep"),
    "objects nested": (b'{"a":' * 200_000, "the record is nested too deep"),
    "a long number": (b'{"_type": ' + b"9" * 5_000 + b"}", "the record holds a number that is too long"),
    "huge": (b" " * (16 << 20) + b"{}", "the record is larger than 16,777,216 bytes"),
}


@pytest.mark.parametrize("name", NO_JSON)
def test_what_is_no_json_of_ours_is_refused(name: str) -> None:
    data, message = NO_JSON[name]
    assert refused(data).message.startswith(message)


def test_the_line_of_a_fault_in_the_json_is_known() -> None:
    assert refused(TEXT.replace('"predicate":', 'junk "predicate":').encode()).line == 18


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_statement_that_was_tampered_with_crashes_the_reader(data: st.DataObject) -> None:
    made = statement()
    leaves = [path for path in _paths(made) if path]
    path = data.draw(st.sampled_from(leaves))
    junk = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
        max_leaves=4,
    )
    put(path, data.draw(junk))(made)
    raw = json.dumps(made).encode()
    try:
        record = parse(raw)
    except InputError as error:
        assert error.code == "bad-provenance"
    else:
        assert parse(to_json(record).encode()) == record


def _paths(value: Any, path: str = "") -> list[str]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [path]
    for key, each in inner:
        found += _paths(each, f"{path}.{key}" if path else str(key))
    return found


def test_the_schema_is_a_valid_one_and_every_field_of_it_is_written() -> None:
    made = json.loads(schema())
    jsonschema.Draft202012Validator.check_schema(made)
    assert set(made["$defs"]["measurement"]["properties"]) == {*statement()["predicate"], "source"}
