"""Coverage of small projects, through the operation and through the command line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.cli.app import app
from stilltrue.config import load
from stilltrue.coverage import Coverage, measure, to_text
from stilltrue.coverage.outcome import percent
from stilltrue.errors import UsageError

CLAIM = """```claim
id: a
says: "It is {value}."
value: 22 s
evidence: a.txt
read: {match: '^t=(.*)$'}
```
"""


def write(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in {"stilltrue.toml": "", "a.txt": "t=22 s\n", **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8", newline="")
    return root


def of(root: Path, page: str, *more: str, toml: str = "") -> Coverage:
    """The coverage of one page, with a claim `a` of 22 s on it."""
    return measure(load(write(root, {"README.md": f"{page}\n\n{CLAIM}", "stilltrue.toml": toml})), more)


def unbound(coverage: Coverage) -> list[str]:
    return [each.text for page in coverage.pages for each in page.unbound]


# What is bound -------------------------------------------------------------------------------------------


BOUND = {
    "a link": ("It takes [22 s](claim:a).", [], 1),
    "a link with words around the number": ("It [takes 22 s or so](claim:a).", [], 1),
    "only the first number of a link": ("It [takes 22 s of 40 s, 30 %](claim:a).", ["30 %"], 1),
    "a link to an unknown claim": ("It takes [22 s](claim:b).", ["22 s"], 0),
    "a link elsewhere": ("It takes [22 s](b.md).", ["22 s"], 0),
    "a prefix outside the link": ("It takes about [22 s](claim:a).", [], 1),
    "a link by reference": ("It takes [22 s][r].\n\n[r]: claim:a", [], 1),
    "a heading": ("## The [22 s](claim:a) and 23 s", ["23 s"], 1),
    "a cell of a plain table": ("| a | b |\n|---|---|\n| x | [22 s](claim:a) |\n| y | 7 |", ["7"], 1),
    "an alternative text": ("![It takes 22 s](a.png)", ["22 s"], 0),
    "a link in raw HTML, where it is none": ("<p>\n[22 s](claim:a)\n</p>", ["22 s"], 0),
    "code": ("`22 s`", [], 0),
}


@pytest.mark.parametrize("name", BOUND)
def test_what_stands_behind_a_number(name: str, tmp_path: Path) -> None:
    page, missed, bound = BOUND[name]
    coverage = of(tmp_path, page)
    assert (unbound(coverage), coverage.bound) == (missed, bound)


TABLE = """```claims
id: t
says: "At {Tokens}, {Kind}: {value}."
key: [Tokens, Kind]
evidence: t.json
columns:
  Peak: {unit: GiB, read: {path: "$[?@.n == {Tokens}].peak", unit: GiB}}
rows:
  2048 b: skip
```

| Tokens | Kind | Peak | Other |
|---|---|---:|---:|
| 1,024 | a | 81.93 | 5 |
| 2,048 | b | 92.11 | 6 |
"""


def test_the_cells_of_a_table_of_claims_are_bound_and_no_others(tmp_path: Path) -> None:
    evidence = json.dumps([{"n": 1024, "peak": 81.93}])
    coverage = measure(load(write(tmp_path, {"README.md": TABLE, "t.json": evidence})))
    assert unbound(coverage) == ["5", "92.11", "6"]
    assert coverage.bound == 1


def test_a_cell_is_not_bound_by_what_the_id_of_its_table_is_called(tmp_path: Path) -> None:
    evidence = json.dumps([{"n": 1024, "peak": 81.93}])
    page = TABLE.replace("id: t\n", "id: round.5.t\n")
    coverage = measure(load(write(tmp_path, {"README.md": page, "t.json": evidence})))
    assert unbound(coverage) == ["5", "92.11", "6"]


def test_a_key_that_is_no_label_of_its_row_is_bound_with_its_separators(tmp_path: Path) -> None:
    table = TABLE.replace("| Tokens | Kind |", "| Kind | Tokens |").replace("2048 b", "2048 32").splitlines()
    rows = ["| a | 1,024 | 81.93 | 5 |", "| 32 | 2,048 | 92.11 | 6 |"]
    evidence = json.dumps([{"n": 1024, "peak": 81.93}])
    page = "\n".join([*table[:-2], *rows]) + "\n"
    coverage = measure(load(write(tmp_path, {"README.md": page, "t.json": evidence})))
    assert unbound(coverage) == ["5", "2,048", "92.11", "6"]
    assert coverage.bound == 2


def test_copies_and_stated_values_are_bound_where_they_stand(tmp_path: Path) -> None:
    claims = r"""
- id: b
  says: "It is {value}."
  stated_in: {file: README.md, match: 'takes ([\d.]+ s)'}
  evidence: a.txt
  read: {match: '^t=(.*)$'}
  copies: [{file: docs/*.md, match: 'again: ([\d.]+ s)'}]
"""
    pages = {"README.md": "It takes 22 s, not 23 s.\n", "docs/a.md": "é again: 22 s, 24 s and ![22 s](a)\r\n"}
    coverage = measure(load(write(tmp_path, {**pages, "claims/c.yml": claims})))
    assert unbound(coverage) == ["23 s", "24 s", "22 s"]
    assert coverage.bound == 2


def test_each_unbound_number_has_its_line_its_column_and_its_surroundings(tmp_path: Path) -> None:
    (page,) = of(tmp_path, "# T\n\nIt is\n\tat é **33 s** now").pages
    (each,) = page.unbound
    assert (str(each.place), each.column, each.text) == ("README.md:4", 9, "33 s")
    assert (each.before.split(), each.after.split()) == (["It", "is", "at", "é"], ["now"])


def test_a_number_of_endless_digits_is_cut_in_the_report(tmp_path: Path) -> None:
    text = to_text(of(tmp_path, f"It took {'5/' * 400}5 ms.\n"))
    assert ":1:9: `5/5/5/" in text
    assert max(map(len, text.splitlines())) < 400


def test_a_page_without_quantities_is_no_problem(tmp_path: Path) -> None:
    coverage = measure(
        load(write(tmp_path, {"README.md": "Nothing.\n", "stilltrue.toml": FLOOR.format(100)}))
    )
    assert coverage.share == 1
    assert coverage.ok


# Examples and exceptions ---------------------------------------------------------------------------------


def test_examples_are_left_out_and_counted(tmp_path: Path) -> None:
    page = "<!-- stilltrue: example -->\nSay 33 s, [22 s](claim:a).\n\n34 s.\n\n"
    page += "## B\n<!-- stilltrue: examples -->\n\n35 s"
    coverage = of(tmp_path, page)
    assert (unbound(coverage), coverage.examples, coverage.bound) == (["34 s"], 2, 1)
    assert not coverage.problems


@pytest.mark.parametrize(
    "page",
    [
        "<!-- stilltrue: example -->\nIt takes [22 s](claim:a).",
        "<!-- stilltrue: example -->\nNothing.\n\n33 s",
        "33 s <!-- stilltrue: example -->",
        "<!-- stilltrue: examples -->\n33 s",
    ],
    ids=["all is bound", "no number", "not alone", "no heading"],
)
def test_a_mark_that_covers_nothing_is_a_problem(page: str, tmp_path: Path) -> None:
    coverage = of(tmp_path, page)
    assert [problem.code for problem in coverage.problems] == ["idle-mark"]
    assert coverage.examples == 0
    assert not coverage.ok


HINT = "bind it: `[65.2 %](claim:the-id)`; a worked example is marked, an exception is configured"
FLOOR = 'coverage = {{floor = "{} %"}}\n'
EXCEPT = "[coverage]\nexcept = [{{pages = ['{}'], match = '{}', because = 'a setting'}}]\n"


def test_an_exception_takes_what_its_pattern_touches_on_its_pages(tmp_path: Path) -> None:
    page = "At width 256 é it takes 33 s, at width 512 34 s."
    coverage = of(tmp_path, page, toml=EXCEPT.format("*.md", r"width [\d,]+|é it takes 3"))
    assert (unbound(coverage), coverage.excepted, coverage.problems) == (["34 s"], 3, ())


@pytest.mark.parametrize(
    ("pages", "match"),
    [("docs/**", ""), ("*.md", "^nothing$"), ("*.md", "22 s")],
    ids=["page", "match", "bound"],
)
def test_an_exception_that_excepts_nothing_is_a_problem(pages: str, match: str, tmp_path: Path) -> None:
    coverage = of(tmp_path, "It takes 33 s, [22 s](claim:a).", toml=EXCEPT.format(pages, match))
    assert [(each.code, str(each.place)) for each in coverage.problems] == [
        ("idle-exception", "stilltrue.toml")
    ]


def test_a_pattern_that_re2_refuses_is_an_error_of_the_configuration(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        of(tmp_path, "33 s", toml=EXCEPT.format("*.md", "(?=a)"))
    assert (caught.value.code, caught.value.place) == ("config", "stilltrue.toml")


# The share and the floor ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        ((0, 1), "0.0 %"),
        ((1, 1), "100 %"),
        ((1999, 2000), "99.9 %"),
        ((924, 1000), "92.4 %"),
        ((2, 3), "66.6 %"),
    ],
    ids=["none", "all", "nearly all", "exact", "cut"],
)
def test_a_share_is_rounded_down(share: tuple[int, int], shown: str) -> None:
    assert percent(Fraction(*share)) == shown


@pytest.mark.parametrize(("floor", "ok"), [("50", True), ("50.1", False), ("0", True), ("100", False)])
def test_the_floor_is_the_least_share(floor: str, ok: bool, tmp_path: Path) -> None:
    coverage = of(tmp_path, "It takes [22 s](claim:a) or 33 s.", toml=FLOOR.format(floor))
    assert (coverage.share, coverage.ok) == (Fraction(1, 2), ok)


def test_some_pages_are_compared_with_no_floor(tmp_path: Path) -> None:
    coverage = of(tmp_path, "33 s", "README.md", toml=FLOOR.format(100) + "")
    assert (coverage.floor, coverage.ok, unbound(coverage)) == (None, True, ["33 s"])


def test_a_folder_stands_for_its_pages_and_an_unknown_page_is_an_error(tmp_path: Path) -> None:
    root = write(tmp_path, {"docs/a.md": "33 s", "docs/b.md": "34 s", "docs2.md": "35 s"})
    assert unbound(measure(load(root), ["docs/"])) == ["33 s", "34 s"]
    with pytest.raises(UsageError, match=r"`docs/c\.md` is no page"):
        measure(load(root), ["docs/c.md"])


# The command ---------------------------------------------------------------------------------------------


def run(root: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["coverage", "--project", str(root), *arguments], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.return_value, done.stdout


def test_the_text_names_each_place_and_ends_in_the_share(tmp_path: Path) -> None:
    of(tmp_path, "# T\n\nIt takes [22 s](claim:a) or 33 s.", toml=FLOOR.format(80))
    code, text = run(tmp_path)
    assert code == 1
    assert text.splitlines() == [
        "README.md: 1 of 2 quantities not bound",
        "  README.md:3:29: `33 s`  It takes 22 s or 33 s.",
        "",
        "2 quantities on 1 page, 1 bound: 50.0 %; that is below the floor of 80.0 %",
        f"  {HINT} [below-floor]",
    ]


def test_the_json_says_the_same(tmp_path: Path) -> None:
    of(tmp_path, "It takes [22 s](claim:a) or 33 s.\n\n<!-- stilltrue: example -->\nx", toml=FLOOR.format(80))
    code, text = run(tmp_path, "--format", "json")
    data = json.loads(text)
    assert (code, data["ok"], data["share"], data["floor"]) == (1, False, "50.0 %", "80.0 %")
    assert data["counts"] == {"bound": 1, "unbound": 1, "examples": 0, "excepted": 0}
    assert data["pages"][0]["unbound"] == [{"line": 1, "column": 29, "text": "33 s"}]
    assert [each["code"] for each in data["problems"]] == ["idle-mark"]


def test_text_from_pages_cannot_speak_to_a_terminal_or_a_runner(tmp_path: Path) -> None:
    of(tmp_path, "::error::x \x1b[31m 33 s \u202e and ##[error]")
    _, text = run(tmp_path)
    assert "33 s" in text
    assert not {"\x1b", "\u202e"} & set(text)
    assert "##[" not in text


def test_a_page_that_is_no_text_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    root = write(tmp_path, {"README.md": "33 s"})
    (root / "docs").mkdir()
    (root / "docs/a.md").write_bytes(b"22 s\n\xff\n")
    code, text = run(root)
    assert code == 1
    assert "docs/a.md:2: the file is not UTF-8" in text
    assert "README.md:1:1: `33 s`" in text


def test_nothing_is_written(tmp_path: Path) -> None:
    of(tmp_path, "33 s")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    run(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


PIECES = [
    "22 s", "[22 s](claim:a)", "|", "\n", "\n\n", "<!-- stilltrue: example -->",
    "<!-- stilltrue: examples -->", "<!--", "-->", "```", "## ", "# A\n", "> ", "- ", "    ", "<div>",
    "</div>", "`", "[", "](", "---", "\r\n", "| a | b |\n|---|---|\n| 3 | [22 s](claim:a) |\n",
    '!!! note "7,104 of 8"\n', "\t", "\x00", "9" * 1200, "\ufeff",
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_no_page_is_too_odd_to_be_read(tmp_path_factory: pytest.TempPathFactory, page: str) -> None:
    coverage = of(tmp_path_factory.mktemp("odd"), page)
    lines = f"{page}\n\n{CLAIM}".replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for each in coverage.pages[0].unbound:
        assert 1 <= each.place.line <= len(lines)
        assert 1 <= each.column <= len(lines[each.place.line - 1]) + 1


# The floor raised ----------------------------------------------------------------------------------------


HALF = "It takes [22 s](claim:a) or 33 s."

RAISED = {
    "inline": (
        "coverage = {floor = '10 %', except = []} # c\n",
        "coverage = {floor = '50.0 %', except = []} # c\n",
    ),
    "a table": ('[coverage]\nfloor="10 %"   # c\n', '[coverage]\nfloor="50.0 %"   # c\n'),
    "a dotted key": ('coverage.floor = "10 %"\n', 'coverage.floor = "50.0 %"\n'),
    "a table without a floor": (
        "[coverage] # c\nexcept = []\n",
        '[coverage] # c\nfloor = "50.0 %"\nexcept = []\n',
    ),
    "inline without a floor": (
        "coverage = {except = []}\n",
        'coverage = {floor = "50.0 %", except = []}\n',
    ),
    "an empty table": ("coverage = {}\n", 'coverage = {floor = "50.0 %"}\n'),
    "nothing": ("", 'coverage = {floor = "50.0 %"}\n'),
    "other keys": ("# c\npages = ['*.md']\n", "coverage = {floor = \"50.0 %\"}\n# c\npages = ['*.md']\n"),
    "carriage returns": (
        "[coverage]\r\n\r\n[limits]\r\n",
        '[coverage]\r\nfloor = "50.0 %"\r\n\r\n[limits]\r\n',
    ),
    "another floor before it": (
        "[units]\nfloor = 'noun'\n[coverage]\nfloor = '10 %'\n",
        "[units]\nfloor = 'noun'\n[coverage]\nfloor = '50.0 %'\n",
    ),
}


@pytest.mark.parametrize("name", RAISED)
def test_the_floor_is_raised_and_every_other_byte_kept(name: str, tmp_path: Path) -> None:
    before, after = RAISED[name]
    of(tmp_path, HALF, toml=before)
    code, _ = run(tmp_path, "--raise")
    assert code == 0
    assert (tmp_path / "stilltrue.toml").read_bytes().decode() == after
    run(tmp_path, "--raise")
    assert (tmp_path / "stilltrue.toml").read_bytes().decode() == after


@pytest.mark.parametrize(
    "section", ["[tool.stilltrue]\nclaims = 'c'\n", "[tool.stilltrue]"], ids=["keys", "last line"]
)
def test_in_a_shared_file_the_floor_goes_into_our_table(section: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(HALF + "\n\n" + CLAIM, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(f"[project]\nname = 'x'\n{section}", encoding="utf-8")
    assert run(tmp_path, "--raise")[0] == 0
    text = (tmp_path / "pyproject.toml").read_text(encoding="utf-8")
    assert load(tmp_path).coverage.floor == Fraction(1, 2)
    assert text.startswith("[project]\nname = 'x'\n[tool.stilltrue]\n")


def test_without_a_configuration_one_is_written(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(HALF + "\n\n" + CLAIM, encoding="utf-8")
    (tmp_path / ".git").mkdir()
    assert run(tmp_path, "--raise")[0] == 0
    assert (tmp_path / "stilltrue.toml").read_text(encoding="utf-8") == 'coverage = {floor = "50.0 %"}\n'


@pytest.mark.parametrize("floor", ["50", "50.0", "40"], ids=["equal", "equal otherwise", "below"])
def test_the_floor_is_never_lowered(floor: str, tmp_path: Path) -> None:
    of(tmp_path, "It takes [22 s](claim:a) or 33 s.", toml=FLOOR.format(floor))
    before = (tmp_path / "stilltrue.toml").read_bytes()
    run(tmp_path, "--raise")
    kept = (tmp_path / "stilltrue.toml").read_bytes() == before
    assert kept is (floor != "40")


def test_below_the_floor_nothing_is_raised(tmp_path: Path) -> None:
    of(tmp_path, HALF, toml=FLOOR.format(60))
    before = (tmp_path / "stilltrue.toml").read_bytes()
    assert run(tmp_path, "--raise")[0] == 1
    assert (tmp_path / "stilltrue.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("page", "floor", "why"),
    [
        (HALF, "60", "mend what is listed first"),
        (HALF, "50", "as high as today's share already"),
        ("No number here.", "0", "there are no quantities"),
    ],
    ids=["below", "equal", "none"],
)
def test_why_the_floor_is_not_raised_is_said(page: str, floor: str, why: str, tmp_path: Path) -> None:
    of(tmp_path, page, toml=FLOOR.format(floor))
    before = (tmp_path / "stilltrue.toml").read_bytes()
    done = CliRunner().invoke(app, ["coverage", "--project", str(tmp_path), "--raise"], standalone_mode=False)
    assert why in done.stderr
    assert (tmp_path / "stilltrue.toml").read_bytes() == before


def test_raising_is_for_all_pages(tmp_path: Path) -> None:
    of(tmp_path, HALF)
    with pytest.raises(UsageError):
        run(tmp_path, "--raise", "README.md")


# The floor since a revision ------------------------------------------------------------------------------


def git(root: Path, *arguments: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(root), *names, *arguments], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("then", "now", "lowered"),
    [
        (FLOOR.format(40), FLOOR.format(40), False),
        (FLOOR.format(40), FLOOR.format(50), False),
        (FLOOR.format(40), FLOOR.format(39.9), True),
        (FLOOR.format(40), "", True),
        ("", FLOOR.format(40), False),
        ("not TOML [", "", False),
    ],
    ids=["kept", "raised", "lowered", "gone", "new", "unreadable then"],
)
def test_a_floor_that_was_lowered_since_is_a_problem(
    then: str, now: str, lowered: bool, tmp_path: Path
) -> None:
    write(tmp_path, {"README.md": f"{HALF}\n\n{CLAIM}", "stilltrue.toml": then})
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "a")
    (tmp_path / "stilltrue.toml").write_text(now, encoding="utf-8")
    code, text = run(tmp_path, "--since", "main")
    assert (code, "[floor-lowered]" in text) == (int(lowered), lowered)


def test_an_unknown_revision_is_an_error(tmp_path: Path) -> None:
    of(tmp_path, HALF)
    git(tmp_path, "init", "-q")
    for revision in ("nowhere", "--output=x"):
        with pytest.raises(UsageError, match="no commit by the name"):
            run(tmp_path, "--since", revision)


@pytest.mark.parametrize(
    "toml",
    [
        "coverage = 1",
        "coverage = {flor = '1 %'}",
        "coverage = {floor = 0.9}",
        "coverage = {floor = '0.9'}",
        "coverage = {floor = '101 %'}",
        "coverage = {floor = '-1 %'}",
        "coverage = {floor = 'much'}",
        "coverage = {except = {}}",
        "coverage = {except = [1]}",
        "coverage = {except = [{pages = ['a']}]}",
        "coverage = {except = [{pages = ['a'], because = ' '}]}",
        "coverage = {except = [{pages = 'a', because = 'b'}]}",
        "coverage = {except = [{pages = [], because = 'b'}]}",
        "coverage = {except = [{pages = ['../a'], because = 'b'}]}",
        "coverage = {except = [{because = 'b'}]}",
        "coverage = {except = [{pages = ['a'], because = 'b', match = 1}]}",
        "coverage = {except = [{pages = ['a'], because = 'b', mach = ''}]}",
    ],
)
def test_a_configuration_that_cannot_be_meant_is_an_error(toml: str, tmp_path: Path) -> None:
    (tmp_path / "stilltrue.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load(tmp_path)
    assert (caught.value.code, caught.value.place) == ("config", "stilltrue.toml")
    assert caught.value.hint


# The page about it ---------------------------------------------------------------------------------------


def test_the_page_about_coverage_shows_what_it_prints(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs/tool/coverage.md").read_text(encoding="utf-8")
    readme = page.split('````markdown title="README.md"\n')[1].split("````")[0]
    toml = page.split('```toml title="stilltrue.toml"\n')[1].split("```")[0]
    output = page.split("$ stilltrue coverage\n")[1].split("```")[0]
    root = write(
        tmp_path, {"README.md": readme, "stilltrue.toml": toml, "bench.json": '{"step_seconds": 1.3812}'}
    )
    assert run(root) == (1, output)
