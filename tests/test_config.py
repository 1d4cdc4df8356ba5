from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest

from stilltrue.config import Config, SearchedFiles, load
from stilltrue.errors import UsageError
from stilltrue.quantity import Quantity, parse_value
from stilltrue.root import find_root


def written(folder: Path, text: str, name: str = "stilltrue.toml") -> Config:
    (folder / name).write_text(text, encoding="utf-8")
    return load(folder)


def refusal(folder: Path, text: str, name: str = "stilltrue.toml") -> UsageError:
    with pytest.raises(UsageError) as caught:
        written(folder, text, name)
    assert caught.value.code == "config"
    assert caught.value.hint
    assert caught.value.place.startswith(name)
    return caught.value


def test_without_a_configuration_the_defaults_hold(tmp_path: Path) -> None:
    assert load(tmp_path) == Config(tmp_path.resolve())


def test_both_files_configure_in_the_same_words(tmp_path: Path) -> None:
    own, shared = tmp_path / "own", tmp_path / "shared"
    own.mkdir()
    shared.mkdir()
    a = written(own, 'pages = ["a.md"]\n[limits]\nseconds = 2.5\nbytes = "2 MiB"\n')
    b = written(
        shared,
        '[tool.stilltrue]\npages = ["a.md"]\nlimits = {seconds = "2500 ms", bytes = 2097152}\n',
        "pyproject.toml",
    )
    assert (a.pages, a.limits) == (b.pages, b.limits)
    assert a.limits.seconds == 2.5
    assert a.limits.bytes == 2 << 20


def test_two_configurations_are_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.stilltrue]\n", encoding="utf-8")
    assert "both" in refusal(tmp_path, "").message


def test_the_nearest_configuration_upwards_is_the_root(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_root(inner) == inner.resolve()
    (tmp_path / ".git").mkdir()
    assert find_root(inner) == tmp_path.resolve()
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'stilltrue'\n", encoding="utf-8")
    assert find_root(inner) == tmp_path.resolve()
    (tmp_path / "a" / "stilltrue.toml").touch()
    assert find_root(inner) == (tmp_path / "a").resolve()


def test_a_projects_own_units_are_known(tmp_path: Path) -> None:
    config = written(tmp_path, '[units]\nfortnight = "14 days"\nbucket = "noun"\n')
    value = parse_value("2 fortnight", config.units)
    assert isinstance(value, Quantity)
    assert value.base == Fraction(28 * 24 * 3600)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("page = []\n", "did you mean `pages`?"),
        ("pages = 'a.md'\n", "list of strings"),
        ("pages = [1]\n", "list of strings"),
        ("pages = ['../a.md']\n", "out of the repository"),
        ("claims = '/etc'\n", "out of the repository"),
        ("claims = ''\n", "name of a folder"),
        ("limits = 3\n", "must be a table"),
        ("[limits]\nsecond = 1\n", "did you mean `seconds`?"),
        ("[limits]\nseconds = -1\n", "positive"),
        ("[limits]\nseconds = true\n", "positive"),
        ("[limits]\nseconds = '5 MiB'\n", "positive"),
        ("[limits]\nbytes = 'many'\n", "positive"),
        ("[limits]\nbytes = 0.1\n", "positive"),
        ("[limits]\nseconds = nan\n", "positive"),
        ("units = 3\n", "table of words"),
        ("[units]\nx = 3\n", "table of words"),
        ("[units]\nms = '3 s'\n", "units"),
        ("[units]\nblip = '3 blops'\n", "units"),
        ("pages = [\n", "TOML"),
        ("require_provenance = 1\n", "true or false"),
        ("require_provenance = 'yes'\n", "true or false"),
        ("require_provenence = true\n", "did you mean `require_provenance`?"),
        ("severity = 'warn'\n", "table of verdicts"),
        ("severity = {suspect = 'low'}\n", "`fail` or `warn`"),
        ("severity = {suspect = ['warn']}\n", "`fail` or `warn`"),
        ("severity = {stail = 'warn'}\n", "did you mean `stale`?"),
        ("severity = {drifted = 'warn'}\n", "unknown key `severity.drifted`"),
        ("locks = 'uv.lock'\n", "requirements.txt"),
        ("locks = ['/etc/uv.lock']\n", "out of the repository"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(text: str, said: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, text)
    assert said in f"{error.message} {error.hint}"


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stilltrue.toml").write_bytes(b"pages = ['\xff']\n")
    with pytest.raises(UsageError):
        load(tmp_path)


def test_a_pyproject_that_is_no_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    assert refusal(tmp_path, "[tool.stilltrue]\npages = 1 2\n", "pyproject.toml").place.startswith(
        "pyproject.toml:"
    )


@pytest.mark.parametrize(
    "text",
    [
        'pages = ["a\\u0000b/*.md"]\n',
        'claims = "a\\u0000b"\n',
        'pages = ["docs**/a.md"]\n',
        'exclude = ["a**b"]\n',
        "a = " + "[" * 50_000,
        ".".join("a" * 100_000) + " = 1\n",
        f"limits = {{seconds = {'9' * 5000}}}\n",
    ],
    ids=["nul", "nul in a folder", "stars behind", "stars within", "deep", "dotted", "digits"],
)
def test_what_is_no_pattern_and_what_no_parser_stands_is_refused(text: str, tmp_path: Path) -> None:
    refusal(tmp_path, text)


def test_records_severity_and_lock_files_are_read(tmp_path: Path) -> None:
    config = written(
        tmp_path,
        'require_provenance = true\nseverity = {suspect = "warn", stale = "fail"}\nlocks = ["a/uv.lock"]\n',
    )
    assert config.require_provenance
    assert config.severity == {"suspect"}
    assert config.locks == ("a/uv.lock",)


def test_no_lock_files_are_another_thing_than_the_usual_ones(tmp_path: Path) -> None:
    assert written(tmp_path, "locks = []\n").locks == ()
    assert written(tmp_path, "").locks is None


def test_a_limit_beyond_all_bounds_is_none(tmp_path: Path) -> None:
    limits = written(tmp_path, 'limits = {seconds = "1e400", bytes = "1e400"}\n').limits
    assert limits.seconds >= 10**9
    assert limits.bytes == 10**400


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_or_a_device_named_like_a_configuration_is_none(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    os.mkfifo(inner / "pyproject.toml")
    (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
    assert load(inner) == Config(inner.resolve())


def test_searched_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "stilltrue.toml").write_text(
        'search = {files = ["docs/**", "run.sh"], ignore = ["docs/old/**"]}\n', encoding="utf-8"
    )
    assert load(tmp_path).search == SearchedFiles(("docs/**", "run.sh"), ("docs/old/**",))
    assert SearchedFiles() == SearchedFiles(("**",), ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("search = 3\n", "`search` must be a table"),
        ("search = {file = []}\n", "unknown key `search.file` in the configuration"),
        ('search = {files = "docs"}\n', "`search.files` must be a list of strings"),
        ('search = {ignore = ["../x"]}\n', "`search.ignore` leads out of the repository: `../x`"),
    ],
)
def test_what_cannot_be_searched_files_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "stilltrue.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load(tmp_path)
    assert caught.value.message == message
