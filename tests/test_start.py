"""`stilltrue init`: what it writes, what it leaves alone, and what it says to do next."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from recording_support import Done, git, stilltrue_in, write
from stilltrue.config import load
from stilltrue.start import HOOKS, WORKFLOW
from stilltrue.start.attributes import line_for, with_line

README = "# quicksum\n\nAdds up a million numbers in 412 ms.\n"
FILES = {"README.md": README, "results/bench.json": '{"seconds": 0.41172}\n'}
WRITTEN = ["stilltrue.toml", "claims/results.yml", ".gitattributes"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository of a README and a results file."""
    write(tmp_path, FILES)
    git(tmp_path, "init", "-q", "-b", "main")
    return tmp_path.resolve()


def contents(root: Path) -> Mapping[str, bytes]:
    """Every file outside of git's folder and the cache, by its path."""
    paths = (path for path in root.rglob("*") if path.is_file())
    named = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    return {name: data for name, data in named.items() if not re.search(r"(^|/)\.(git|stilltrue)/", name)}


def init(root: Path, *options: str) -> Done:
    return stilltrue_in(root, "init", *options)


def claim_shown(text: str) -> str:
    """The claim that a claims file shows in comments, without their signs."""
    lines = text.rsplit("#\n", maxsplit=1)[-1].splitlines()
    return "".join(f"{line.removeprefix('# ')}\n" for line in lines)


# What is written ---------------------------------------------------------------------------------------


def test_a_readme_and_a_results_file_are_started_with_three_files(root: Path) -> None:
    done = init(root)
    assert (done.code, done.err) == (0, "")
    assert sorted(contents(root)) == sorted([*FILES, *WRITTEN])
    assert contents(root)["README.md"] == README.encode()
    assert "claims/evidence/** -text\n" in (root / ".gitattributes").read_text()
    assert load(root).source == "stilltrue.toml"
    assert (
        "in `claims/results.yml`: a number of `README.md`, as it stands in `results/bench.json`" in done.out
    )
    assert "`stilltrue readings results/bench.json` lists what that file holds" in done.out


def test_git_keeps_evidence_byte_for_byte_by_what_was_written(root: Path) -> None:
    init(root)
    said = git(root, "check-attr", "text", "--", "claims/evidence/deep/run.txt", "README.md")
    assert "run.txt: text: unset" in said
    assert "README.md: text: unspecified" in said


def test_a_check_after_it_says_that_there_is_no_claim_yet_and_where_to_write_one(root: Path) -> None:
    init(root)
    done = stilltrue_in(root, "check")
    assert (done.code, done.out) == (2, "")
    assert "there is no claim yet" in done.err
    assert "write the first in `claims/results.yml`" in done.err
    assert "[nothing-to-check]" in done.err


def test_a_check_before_it_says_that_init_starts_a_project(root: Path) -> None:
    done = stilltrue_in(root, "check")
    assert done.code == 2
    assert "`stilltrue init` starts a project" in done.err


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("results/bench.json", '{"step_seconds": 0.41172}\n'),
        ("results/bench.csv", "step,seconds\n1,0.5\n100,0.41172\n"),
        ("results/bench.log", "warm-up\nstep time: 411.72 ms\n"),
        ("results/it's 1: bench.json", '{"step_seconds": 0.41172}\n'),
    ],
)
def test_the_claim_that_is_shown_holds_once_the_names_in_it_are_right(
    tmp_path: Path, name: str, evidence: str
) -> None:
    write(tmp_path, {"README.md": "One step takes 412 ms.\n", name: evidence})
    git(tmp_path, "init", "-q")
    init(tmp_path)
    file = tmp_path / "claims/results.yml"
    file.write_text(claim_shown(file.read_text()))
    assert name in yaml.safe_load(file.read_text())[0]["evidence"]
    done = stilltrue_in(tmp_path, "check")
    assert (done.code, done.out) == (0, "1 claim: 1 holds\n"), done.err


# Twice, and over what is there -------------------------------------------------------------------------


def test_run_twice_it_changes_nothing_and_says_so(root: Path) -> None:
    init(root)
    before = contents(root)
    done = init(root)
    assert done.code == 0
    assert "nothing was written" in done.out
    assert contents(root) == before


def test_a_project_with_claims_is_refused_and_left_as_it_is(root: Path) -> None:
    init(root)
    write(root, {"docs/a.md": "```claim\nid: a\nsays: x {value}\nvalue: 1\nreported: {by: me}\n```\n"})
    before = contents(root)
    done = init(root)
    assert (done.code, done.out) == (2, "")
    assert "stilltrue.toml: this project has been started: it holds 1 claim" in done.err
    assert "[started]" in done.err
    assert contents(root) == before


def test_the_refusal_names_the_line_that_is_missing(root: Path) -> None:
    write(root, {"a.md": "```claim\nid: a\nsays: x {value}\nvalue: 1\nreported: {by: me}\n```\n"})
    done = init(root)
    assert done.code == 2
    assert "the line `claims/evidence/** -text` in `.gitattributes`" in done.err


@pytest.mark.parametrize(
    "files",
    [
        {"stilltrue.toml": "# mine\n"},
        {"pyproject.toml": '[tool.stilltrue]\nclaims = "facts"\nevidence = "facts/raw"\n'},
        {"claims/mine.yml": "# mine\n"},
        {".gitattributes": "* -text\n"},
    ],
    ids=["configuration", "pyproject", "claims", "attributes"],
)
def test_what_is_there_is_kept_byte_for_byte(root: Path, files: dict[str, str]) -> None:
    write(root, files)
    before = contents(root)
    assert init(root).code == 0
    after = contents(root)
    assert {name: after[name] for name in before} == before
    assert len(after) > len(before)


def test_a_configuration_says_where_claims_and_evidence_go(root: Path) -> None:
    write(root, {"pyproject.toml": '[tool.stilltrue]\nclaims = "facts"\nevidence = "facts/raw data"\n'})
    init(root)
    assert (root / "facts/results.yml").is_file()
    assert not (root / "stilltrue.toml").exists()
    assert "raw data/x.csv: text: unset" in git(root, "check-attr", "text", "--", "facts/raw data/x.csv")


def test_nothing_is_written_when_one_file_cannot_be(root: Path) -> None:
    (root / ".gitattributes").symlink_to(root / "README.md")
    before = contents(root)
    done = init(root)
    assert done.code == 2
    assert "[unwritable]" in done.err
    assert contents(root) == before


@pytest.mark.parametrize("path", ["claims", "stilltrue.toml/x", ".gitattributes/x"])
def test_a_file_where_a_folder_is_wanted_or_the_other_way_round_is_told(root: Path, path: str) -> None:
    write(root, {path: ""})
    before = contents(root)
    done = init(root)
    assert done.code == 2
    assert "[unwritable]" in done.err or "[bad-path]" in done.err
    assert contents(root) == before


def test_a_dry_run_shows_all_of_it_and_writes_nothing(root: Path) -> None:
    write(root, {".gitattributes": "*.png binary\n"})
    before = contents(root)
    shown = init(root, "--dry-run", "--workflow")
    assert shown.code == 0
    assert contents(root) == before
    assert not (root / ".stilltrue").exists()
    init(root, "--workflow")
    for name in [*WRITTEN, WORKFLOW]:
        text = (root / name).read_text().removeprefix("*.png binary\n")
        assert "".join(f"+ {line}\n" for line in text.splitlines()) in shown.out
        assert f"{name}: would be " in shown.out
    assert "+ *.png" not in shown.out


# Where ---------------------------------------------------------------------------------------------------


def test_below_the_top_of_a_repository_either_folder_may_be_meant(root: Path) -> None:
    write(root, {"team/model/README.md": README})
    folder = root / "team/model"
    before = contents(root)
    done = init(folder)
    assert done.code == 2
    assert f"`stilltrue init --project {root}` starts there" in done.err
    assert "[not-the-top]" in done.err
    assert contents(root) == before
    assert init(folder, "--here").code == 0
    assert sorted(set(contents(root)) - set(before)) == sorted(f"team/model/{name}" for name in WRITTEN)
    assert "x.txt: text: unset" in git(folder, "check-attr", "text", "--", "claims/evidence/x.txt")
    assert load(folder).root == folder


def test_inside_a_project_its_root_is_meant(root: Path) -> None:
    write(root, {"stilltrue.toml": "", "src/a.py": ""})
    assert init(root / "src").code == 0
    assert (root / "claims/results.yml").is_file()


def test_without_git_it_says_to_make_a_repository_first(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    done = init(tmp_path)
    assert done.code == 0
    assert "1. `git init`" in done.out
    assert sorted(contents(tmp_path)) == sorted([*FILES, *WRITTEN])


def test_a_folder_with_nothing_in_it_says_to_keep_evidence_first(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    done = init(tmp_path)
    assert done.code == 0
    assert "1. keep what a number was read from" in done.out


def test_results_that_git_ignores_are_not_proposed(root: Path) -> None:
    write(root, {".gitignore": "results/\n", "package.json": "{}\n", "out/scores.csv": "a\n1\n"})
    done = init(root)
    assert "as it stands in `out/scores.csv`" in done.out


@pytest.mark.parametrize(
    "name",
    [
        "package.json",
        "requirements.txt",
        "requirements-dev.txt",
        "CMakeLists.txt",
        "LICENSE.txt",
        "uv.lock.json",
    ],
)
def test_files_of_other_tools_are_no_results(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"README.md": README, name: "{}\n"})
    assert name not in init(tmp_path).out


def test_pages_of_a_site_are_searched_where_its_configuration_says(root: Path) -> None:
    write(root, {"mkdocs.yml": "site_name: x\ndocs_dir: 'pages'\n", "pages/a.md": "# A\n"})
    done = init(root)
    assert tomllib.loads((root / "stilltrue.toml").read_text())["pages"] == ["*.md", "pages/**/*.md"]
    assert "`stilltrue` under `plugins` of `mkdocs.yml`" in done.out
    write(root, {"mkdocs.yml": "site_name: x\nplugins: [search, stilltrue]\n"})
    assert "under `plugins`" not in init(root).out


HOSTILE: dict[str, dict[str, bytes]] = {
    "readme": {"README.md": b"\xff\xfe 4 ms\n"},
    "site": {"mkdocs.yml": b"docs_dir: ../../out\n\xff: [\n"},
    "attributes": {".gitattributes": b"\xef\xbb\xbf*.png binary\r\n\xff\xfe"},
    "results": {"results/\xff.json".encode("utf-8", "surrogateescape").decode(): b"\x00" * 100},
    "pages": {"docs/a.md": b"```claim\n\x00\n```\n"},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_others_wrote_badly_stops_nothing(root: Path, name: str) -> None:
    for path, data in HOSTILE[name].items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    before = contents(root)
    done = init(root)
    assert (done.code, done.err) == (0, "")
    after = contents(root)
    assert all(after[path].startswith(data) for path, data in before.items())
    assert tomllib.loads((root / "stilltrue.toml").read_text())["pages"] == ["*.md", "docs/**/*.md"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("stilltrue.toml", "pages = 3\n"),
        ("stilltrue.toml", "pages = [\n"),
        ("pyproject.toml", "[tool.stilltrue\n"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_told_and_nothing_is_written(
    root: Path, path: str, text: str
) -> None:
    write(root, {path: text})
    before = contents(root)
    done = init(root)
    assert (done.code, done.out) == (2, "")
    assert "[config]" in done.err
    assert contents(root) == before


def test_names_of_files_cannot_speak_to_a_terminal(tmp_path: Path) -> None:
    write(tmp_path, {"README.md": README, "results/\x1b[31m::error.json": "{}\n"})
    out = init(tmp_path).out
    assert "\x1b" not in out
    assert not re.search(r"^::", out, re.MULTILINE)


# The hook and the workflow -------------------------------------------------------------------------------


def test_the_hook_and_the_workflow_are_written_only_where_there_is_none(root: Path) -> None:
    write(root, {HOOKS: "repos: []\n"})
    done = init(root, "--pre-commit", "--workflow")
    assert done.code == 0
    assert (root / HOOKS).read_text() == "repos: []\n"
    assert "entry: stilltrue check" in done.out
    assert yaml.safe_load((root / WORKFLOW).read_text())["name"] == "stilltrue"
    before = contents(root)
    assert init(root, "--pre-commit", "--workflow").code == 0
    assert contents(root) == before


def test_they_are_added_to_a_project_that_has_claims_too(root: Path) -> None:
    write(root, {"a.md": "```claim\nid: a\nsays: x {value}\nvalue: 1\nreported: {by: me}\n```\n"})
    before = contents(root)
    assert init(root, "--pre-commit").code == 0
    assert set(contents(root)) - set(before) == {HOOKS}
    (hook,) = yaml.safe_load((root / HOOKS).read_text())["repos"][0]["hooks"]
    assert hook["entry"] == "stilltrue check"
    assert stilltrue_in(root, *hook["entry"].split()[1:]).code == 0


# `.gitattributes` ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "claims/evidence/** -text\n",
        "/claims/evidence/** -text\n",
        "claims/** -text",
        "* -text\n",
        "* text=auto\nclaims/evidence/** -text diff\n",
        "claims/evidence/** binary\r\n/docs/** text\r\nbuild/*.py text\r\n",
        '"claims/evidence/**" -text\n',
    ],
)
def test_a_line_that_covers_the_evidence_is_enough(text: str) -> None:
    assert with_line(text.encode(), "claims/evidence") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "* text=auto\n",
        "# claims/evidence/** -text\n",
        "claims/evidence/* -text\n",
        "claims/evidence -text\n",
        "claims/evidence/run.txt -text\n",
        "claims/evidence/** -text\n* text=auto\n",
        "claims/evidence/** -text\n*.csv text\n",
        "* binary\nclaims/*/*.csv text\n",
        "claims/evidence/** -text\nclaims/evidence/a.txt !text\n",
        "claims/evidence/** -diff\n",
    ],
)
def test_else_the_line_is_added_behind_all_others(text: str) -> None:
    added = with_line(text.encode(), "claims/evidence")
    assert added is not None
    assert added.startswith(text.encode())
    assert added.endswith(b"\nclaims/evidence/** -text\n")
    assert with_line(added, "claims/evidence") is None


@pytest.mark.parametrize("text", ["*.png binary\r\n", "*.png binary\r\n*.sh text eol=lf", "\r\n"])
def test_the_line_has_the_ends_of_the_file(text: str) -> None:
    added = with_line(text.encode(), "claims/evidence")
    assert added is not None
    assert added.startswith(text.encode())
    assert added.count(b"\n") == added.count(b"\r\n")
    assert b"\r\nclaims/evidence/** -text\r\n" in added


PATTERNS = [
    "*",
    "*.txt",
    "/claims/**",
    "claims/evidence/**",
    "claims/evidence/x.txt",
    "claims",
    "docs/**",
    "c*/**",
]
ATTRIBUTES = ["-text", "text", "text=auto", "binary", "!text", "eol=lf", "diff", "-diff"]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PATTERNS), st.sampled_from(ATTRIBUTES)), max_size=5))
def test_git_agrees_that_the_evidence_is_kept(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, str]]
) -> None:
    root = tmp_path_factory.mktemp("attributes")
    text = "".join(f"{pattern} {attribute}\n" for pattern, attribute in lines).encode()
    added = with_line(text, "claims/evidence")
    (root / ".gitattributes").write_bytes(text if added is None else added)
    git(root, "init", "-q")
    files = ["claims/evidence/x.txt", "claims/evidence/deep/y.csv"]
    said = git(root, "check-attr", "text", "--", *files)
    assert said == "".join(f"{name}: text: unset\n" for name in files)


def test_a_folder_with_a_blank_or_a_quote_is_written_as_git_reads_it() -> None:
    assert line_for("raw data") == '"raw data/**" -text'
    assert line_for('a"b') == '"a\\"b/**" -text'
    assert with_line(f"{line_for('raw data')}\n".encode(), "raw data") is None


def test_the_help_says_what_it_does() -> None:
    assert "Nothing is overwritten" in init(Path.cwd(), "--help").out
