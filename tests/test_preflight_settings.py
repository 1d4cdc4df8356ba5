"""The settings of `stilltrue preflight`: held to their tables before anything is looked at."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight_support import launch_of, look, refused
from recording_support import stilltrue_in, write
from stilltrue.claims.compose import compose
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence
from stilltrue.config import Config
from stilltrue.errors import UsageError
from stilltrue.preflight.keys import SOURCE, Key, Keys, Kind, table
from stilltrue.preflight.reading import read
from stilltrue.preflight.settings import Settings, held
from stilltrue.preflight.table import CHECKS
from stilltrue.quantity import Units

INNER = table(Key("a", Kind.TEXT, "", "a: x", required=True), Key("b", Kind.WHOLE, "", "b: 1"))
EVERY = table(
    Key("text", Kind.TEXT, "", "text: hello"),
    Key("command", Kind.COMMAND, "", "command: python x.py"),
    Key("path", Kind.PATH, "", "path: a/b"),
    Key("jsonpath", Kind.JSONPATH, "", "jsonpath: $.a"),
    Key("whole", Kind.WHOLE, "", "whole: 12"),
    Key("time", Kind.TIME, "", "time: 5 min"),
    Key("size", Kind.SIZE, "", "size: 80 GiB"),
    Key("share", Kind.SHARE, "", "share: 5 %"),
    Key("switch", Kind.SWITCH, "", "switch: yes"),
    Key("texts", Kind.TEXTS, "", "texts: [a]"),
    Key("globs", Kind.GLOBS, "", "globs: [a/*]"),
    Key("mapping", Kind.MAPPING, "", "mapping: {a: x}", inner=INNER),
    Key("named", Kind.NAMED, "", "named: {one: {a: x}}", inner=INNER),
)


def of(text: str, keys: Keys = EVERY, file: str = "runs/pre.yml") -> Settings:
    node = compose(text, 1)
    assert isinstance(node, Mapping)
    return held(file, "check", node, keys, Units.default())


def test_every_kind_of_value_is_read_as_it_is_meant() -> None:
    found = of(
        "text: 012\ncommand: 'python \"a b.py\" {data} x{data}'\npath: ./a/../b.json\njsonpath: $.a\n"
        "whole: 7,104\ntime: 1.5 min\nsize: 1 KiB\nshare: 5 %\nswitch: yes\n"
        "texts:\n  - no\n  - x\nglobs: ./*.sh\n"
        "mapping: {a: x, b: 2}\nnamed: {one: {a: z}, two: {a: w}}\n"
    )
    assert found.text("text") == "012"
    assert found.words("command", {"data": "/a b/$HOME"}) == (
        "python",
        "a b.py",
        "/a b/$HOME",
        "x/a b/$HOME",
    )
    assert (found.path("path"), found.whole("whole")) == ("runs/b.json", 7104)
    assert (found.seconds("time", 1.0), found.size("size"), found.share("share")) == (
        90.0,
        1024,
        Fraction(1, 20),
    )
    assert found.switch("switch")
    assert [(text, place.line) for text, place in found.placed("texts")] == [("no", 11), ("x", 12)]
    assert found.texts("globs") == ("runs/*.sh",)
    inner = found.inner("mapping")
    assert inner is not None
    assert (inner.text("a"), inner.whole("b"), inner.within) == ("x", 2, "check.mapping")
    named = found.named("named")
    assert {name: each.text("a") for name, each in named.items()} == {"one": "z", "two": "w"}
    assert named["two"].within == "check.named.two"


def test_what_is_left_out_has_its_default() -> None:
    found = of("text: x\n")
    assert "whole" not in found
    assert (found.whole("whole", 3), found.seconds("time", 9.0), found.texts("texts")) == (3, 9.0, ())
    assert (found.inner("mapping"), found.named("named")) == (None, {})
    assert found.place("whole").line == 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("text: x\ntxet: y", 2, "unknown key `txet` in `check`"),
        ("text: [a]", 1, "`text` must be a text, not a list"),
        ("text:", 1, "`text` has no value"),
        ("text: a #1", 1, "`text` is cut at ` #`"),
        ("command: 'python \"x'", 1, "`command`: this is no command: no closing quotation"),
        ("command: ''", 1, "`command` has no value"),
        ("path: /etc/passwd", 1, "`path`: `/etc/passwd` is an absolute path"),
        ("path: ../../x", 1, "`path`: `../../x` leads out of the repository"),
        ("globs: [a, ../../*]", 1, "`globs`: `../../*` leads out of the repository"),
        ("jsonpath: $.[", 1, "`jsonpath`: "),
        ("whole: 1.5", 1, "`whole` must be a whole number, not `1.5`"),
        ("whole: -1", 1, "`whole` must be a whole number, not `-1`"),
        ("whole: ²", 1, "`whole` must be a whole number"),
        ("time: 90", 1, "`time` must be a time with its unit, not `90`"),
        ("time: 0 s", 1, "`time` must be a time with its unit, not `0 s`"),
        ("size: 80 s", 1, "`size` must be a size with its unit, not `80 s`"),
        ("share: 0.05", 1, "`share` must be a percentage, not `0.05`"),
        ("switch: true", 1, "`switch` must be yes or no, not `true`"),
        ("texts: []", 1, "`texts` is an empty list"),
        ("texts:\n  - a\n  - [b]", 3, "an item of `texts` is a list, not text"),
        ("mapping: x", 1, "`mapping` must be a mapping, not text"),
        ("mapping:\n  b: 1", 1, "`a` is missing in `check.mapping`"),
        ("named:\n  one: x", 2, "`one` of `named` is text, not a mapping"),
        ("named:\n  one: {a: x, b: y}", 2, "`b` must be a whole number, not `y`"),
    ],
)
def test_what_fits_no_table_is_refused_at_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        of(f"{text}\n")
    assert caught.value.place == f"runs/pre.yml:{line}"
    assert message in caught.value.message
    assert caught.value.hint


NODES = st.recursive(
    st.builds(Scalar, st.text(max_size=8), st.integers(1, 99), st.booleans()),
    lambda inner: (
        st.builds(Sequence, st.lists(inner, max_size=3).map(tuple), st.integers(1, 99))
        | st.builds(
            Mapping,
            st.dictionaries(st.sampled_from([*EVERY, "a", "b", "x"]), inner, max_size=4),
            st.integers(1, 99),
        )
    ),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.sampled_from([*EVERY]), NODES, max_size=5))
def test_any_settings_are_read_or_refused_with_a_line(entries: dict[str, Node]) -> None:
    try:
        found = held("p.yml", "check", Mapping(entries, 1), EVERY, Units.default())
    except UsageError as error:
        assert error.code == "preflight-settings"
        assert error.place.startswith("p.yml:")
        return
    assert found.whole("whole") >= 0
    assert found.seconds("time", 1.0) > 0
    assert len(found.words("command", {})) == 0 or "command" in found
    for each in found.named("named").values():
        assert each.text("a")


def every_key(keys: Keys) -> list[Key]:
    return [inner for key in keys.values() for inner in (key, *every_key(key.inner))]


KEYS = {
    f"{name}.{key.name}": key
    for name, check in CHECKS.items()
    for key in every_key(check.keys)
    if key not in SOURCE.values()
}


@pytest.mark.parametrize("name", sorted(KEYS))
def test_the_example_of_every_key_fits_it(name: str) -> None:
    key = KEYS[name]
    assert key.meaning.endswith(".")
    assert key.example.startswith(f"{key.name}: ")
    of(f"{key.example}\n", {key.name: key}, "preflight.yml")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("tree: {}\ntre: {}\n", 2, "there is no check `tre`"),
        ("tree: {}\ntree: {}\n", 2, "`tree` is written twice"),
        ("tree: [{}]\n", 1, "`tree` must be a mapping, not a list"),
        ("tree: yes\n", 1, "`tree` must be a mapping"),
        ("copies: {}\n", 1, "`files` is missing in `copies`"),
        ("copies:\n", 1, "`copies` must be a mapping"),
        ("arguments: []\n", 1, "`arguments` is an empty list"),
        ("format: 2\ntree: {}\n", 1, "this is not format 1"),
        ("python: [a]\ntree: {}\n", 1, "`python` must be a text"),
        ("- tree\n", 1, "this is no mapping of checks"),
        ("tree: {\n", 2, "this is not valid YAML"),
        ("tree: &a {}\n", 1, "begins a YAML anchor"),
        ("tree: {a: \x07}\n", 1, "U+0007"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_at_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    done = refused(launch_of(tmp_path, text))
    assert done.err.startswith(f"preflight.yml:{line}: ")
    assert message in done.err


@pytest.mark.parametrize(
    ("text", "message"), [("", "no check is named"), ("# later\n", "no check"), ("format: 1\n", "no check")]
)
def test_a_file_that_names_no_check_is_refused(tmp_path: Path, text: str, message: str) -> None:
    done = refused(launch_of(tmp_path, text))
    assert message in done.err
    assert "[nothing-to-check]" in done.err


def test_a_mistake_in_the_last_check_keeps_the_first_from_being_looked_at(tmp_path: Path) -> None:
    root = launch_of(tmp_path, "tree: {}\nrelies_on: [{claim: a, allow: drifted}]\n")
    assert "`allow` cannot be `drifted`" in refused(root).err


def test_a_file_that_is_not_there_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    root = launch_of(tmp_path, "tree: {}\n")
    done = refused(root, "preflight.yaml")
    assert "there is no file `preflight.yaml`" in done.err
    assert "did you mean `preflight.yml`?" in done.err
    assert "leads out of the repository" in refused(root, "../elsewhere.yml").err
    (root / "preflight.yml").unlink()
    assert "write it: a mapping of checks to their settings" in refused(root).err
    (root / "latin.yml").write_bytes(b"# \xe9\ntree: {}\n")
    assert "this is not UTF-8" in refused(root, "latin.yml").err


def test_the_file_may_lie_elsewhere_and_be_named_from_the_current_folder(tmp_path: Path) -> None:
    root = launch_of(tmp_path, "")
    write(
        root,
        {
            "runs/pre.yml": "\ufeffcopies: {files: ./go.sh}\r\n",
            "runs/go.sh": "true\n",
            "README.md": "x [a](claim:b)\n",
        },
    )
    done = stilltrue_in(root / "runs", "preflight", "pre.yml")
    assert done.out.startswith("ok    copies: 1 file: no value of 0 superseded claims")
    assert done.code == 0


def test_only_narrows_to_checks_that_the_file_asks_for(tmp_path: Path) -> None:
    root = launch_of(tmp_path, "tree: {}\ncopies: {files: stilltrue.toml}\nrelies_on: a\n")
    seen = look(root, "--only", "relies_on", "--only", "tree")
    assert list(seen.checks) == ["tree", "relies_on"]
    done = refused(root, "--only", "masks")
    assert "this asks for no check `masks`" in done.err
    assert "did you mean `relies_on`?" in refused(root, "--only", "relies").err


def test_reading_the_file_starts_and_writes_nothing(tmp_path: Path) -> None:
    root = launch_of(tmp_path, "python: nowhere\narguments: {of: nothing.X, given: gone.yml}\n")
    found = read(Config(root), "preflight.yml")
    assert (found.python, [asked.name for asked in found.asked]) == ("nowhere", ["arguments"])


@pytest.mark.parametrize(
    "value",
    [
        "whole: 1,2",
        "whole: 1_0",
        "whole: ','",
        "whole: 1e3",
        f"whole: {'9' * 5000}",
        "size: 1e30 GiB",
        "share: 1e9 %",
    ],
    ids=["comma", "underscore", "comma alone", "exponent", "endless", "size", "share"],
)
def test_a_number_that_is_none_or_without_end_is_refused(value: str) -> None:
    with pytest.raises(UsageError, match="must be a"):
        of(f"{value}\n")


def test_a_time_has_an_end_and_what_a_command_is_given_is_not_read_again() -> None:
    found = of(f"time: {'9' * 400} h\nwhole: 1,048,576\ncommand: run {{a}} {{b}} {{c}}\n")
    assert found.seconds("time", 1.0) == 86_400
    assert found.whole("whole") == 1 << 20
    assert found.words("command", {"a": "{b}", "b": "{a}"}) == ("run", "{b}", "{a}", "{c}")


def test_settings_that_are_too_large_are_refused_in_words_that_help(tmp_path: Path) -> None:
    done = refused(launch_of(tmp_path, f"tree: {{}} # {'x' * (1 << 20)}\n"))
    assert "`preflight.yml` is larger than 1,048,576 bytes" in done.err
    assert "limits.bytes" not in done.err
