"""`new landmine`, `new claim`, `new probe`: what they write holds at once, and nothing is overwritten."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recording_support as support
from recording_support import Done, stilltrue_in
from stilltrue import provenance
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.model import Judgement, Verdict

ROOT = Path(__file__).resolve().parents[1]
NAME = "lost-tail"
FILES = (
    "docs/integrity/lost-tail.md",
    "probes/lost_tail.py",
    "claims/evidence/lost-tail.json",
    "claims/evidence/lost-tail.json.provenance.json",
    "tests/test_landmine_lost_tail.py",
)
IDS = [f"lost-tail-{part}" for part in ("trap", "sound", "guard-stops", "guard-passes")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project without a site, without git, with nothing in it."""
    return support.write(tmp_path, {"stilltrue.toml": "require_provenance = true\n"}).resolve()


def made(root: Path, *arguments: str) -> Done:
    """`new`, which must work."""
    done = stilltrue_in(root, "new", *arguments)
    assert (done.code, done.err) == (0, ""), done.err
    return done


def refused(root: Path, *arguments: str) -> str:
    """What `new` says when it refuses: nothing is written, and nothing printed."""
    with support.unchanged(root):
        done = stilltrue_in(root, "new", *arguments)
    assert (done.code, done.out) == (2, "")
    return done.err


def judged(root: Path) -> dict[str, Judgement]:
    report = check(load(root))
    assert report.problems == ()
    return {each.claim.id: each for each in report.judgements}


def run(root: Path, *command: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


# A landmine ---------------------------------------------------------------------------------------------


def test_a_landmine_holds_at_once_in_a_project_of_nothing(root: Path) -> None:
    done = made(root, "landmine", NAME)
    assert set(support.everything(root)) == {"stilltrue.toml", *FILES}
    assert [line.partition(":")[0] for line in done.out.splitlines()[:5]] == list(FILES)
    assert "lost-tail-trap holds: Handed over as an iterator, 8 samples are lost" in done.out
    found = judged(root)
    assert list(found) == IDS
    assert {each.verdict for each in found.values()} == {Verdict.HOLDS}
    assert all(len(each.readings) == 1 for each in found.values())


def test_its_claims_fail_under_broken_guards_and_none_of_them_survives(root: Path) -> None:
    made(root, "landmine", NAME)
    done = stilltrue_in(root, "mutate")
    assert done.code == 0
    assert "--plant no-guard: 1 claim fails: lost-tail-guard-stops\n" in done.out
    assert "--plant refuse-all: 1 claim fails: lost-tail-guard-passes\n" in done.out
    assert "no survivor; plants: 2 seen\n" in done.out


def test_its_test_passes_and_fails_when_the_guard_is_broken(root: Path) -> None:
    made(root, "landmine", NAME)
    arguments = ("pytest", "-q", "-p", "no:cacheprovider", "tests")
    run(root, *arguments)
    probe = root / "probes/lost_tail.py"
    probe.write_text(probe.read_text().replace("if iter(samples) is samples:", "if False:"))
    with pytest.raises(AssertionError, match="test_the_guard_stops_the_trap"):
        run(root, *arguments)


def test_a_fresh_run_gives_what_the_evidence_says(root: Path) -> None:
    made(root, "landmine", NAME)
    done = stilltrue_in(root, "check", "--rerun", "all")
    assert (done.code, done.err) == (0, "")
    assert "probes/lost_tail.py: ran in" in done.out


def test_in_a_repository_it_holds_before_it_is_committed_and_after(root: Path) -> None:
    support.git(root, "init", "-q")
    commit = support.commit_all(root)
    made(root, "landmine", NAME)
    record = provenance.read(root, FILES[2])
    assert record is not None
    assert (record.commit, record.changed, record.probe) == (commit, (FILES[1],), FILES[1])
    assert stilltrue_in(root, "check").code == 0
    support.commit_all(root)
    assert stilltrue_in(root, "check").code == 0


def test_what_is_recorded_is_what_record_would_write(root: Path) -> None:
    made(root, "landmine", NAME)
    before = provenance.read(root, FILES[2])
    assert stilltrue_in(root, "record", FILES[1]).code == 0
    after = provenance.read(root, FILES[2])
    assert before is not None
    assert after is not None
    assert (before.subjects, before.code, before.machine) == (after.subjects, after.code, after.machine)
    assert (before.interpreter, before.packages) == (after.interpreter, after.packages)


@pytest.mark.parametrize("name", [NAME, "x", "a-name-" + "as-long-as-a-name-may-be-" * 2 + "x0"])
def test_what_it_writes_is_as_clean_as_this_repository(root: Path, name: str) -> None:
    made(root, "landmine", name)
    made(root, "probe", "words")
    config = str(ROOT / "pyproject.toml")
    run(root, "ruff", "check", "--no-cache", "--config", config, ".")
    run(root, "ruff", "format", "--no-cache", "--check", "--config", config, ".")
    if name == NAME:
        files = [str(path) for path in (*root.glob("probes/*.py"), *root.glob("tests/*.py"))]
        run(root, "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), *files)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Lost Tail", "is no name\n  use lower-case letters, digits and single hyphens, a letter"),
        ("lost--tail", "`lost-tail` [bad-name]"),
        ("2-tails", "is no name"),
        ("../x", "is no name"),
        ("x" * 61, "is no name"),
        ("", "is no name"),
        ("json", "a file `json.py` would hide Python's own `json`\x20"),
        ("class", "a file `class.py`"),
    ],
    ids=["title", "hyphens", "digit", "path", "long", "empty", "module", "keyword"],
)  # fmt: skip
def test_a_name_that_will_not_do_is_refused(root: Path, name: str, words: str) -> None:
    assert words in refused(root, "landmine", name)


@pytest.mark.parametrize("path", FILES)
def test_nothing_that_is_there_is_overwritten(root: Path, path: str) -> None:
    support.write(root, {path: "mine\n"})
    error = refused(root, "landmine", NAME)
    if path == FILES[0]:
        assert "[taken]" in error
    assert path in error


def test_an_id_that_is_taken_is_refused_naming_the_place(root: Path) -> None:
    block = 'id: lost-tail-sound\nsays: "x {value}"\nvalue: 3\nreported: {by: me}\n'
    support.write(root, {"README.md": f"# A\n\n```claim\n{block}```\n"})
    assert refused(root, "landmine", NAME).startswith("README.md:3: the id `lost-tail-sound` is taken\n")


def test_a_folder_that_may_not_hold_it_leaves_nothing_behind(root: Path) -> None:
    support.write(root, {"tests": "a file\n"})
    assert "`tests` is not a folder" in refused(root, "landmine", NAME)


# On a page that is there --------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"], ids=["no end", "one end", "a blank line"])
def test_a_section_goes_to_the_end_of_a_page_which_stays_as_it_was(root: Path, ending: str, end: str) -> None:
    before = f"\ufeff# Traps\n\nTäxt{end}".replace("\n", ending).encode()
    (root / "traps.md").write_bytes(before)
    done = made(root, "landmine", NAME, "--page", "traps.md")
    assert "traps.md: a section was added at its end" in done.out
    after = (root / "traps.md").read_bytes()
    assert after.startswith(before)
    text = after.decode("utf-8-sig")
    assert f"Täxt{ending}{ending}## Lost tail{ending}" in text
    assert f"{ending}### The guard{ending}" in text
    assert text.replace(ending, "\n").count("\r") == 0
    assert [each.verdict for each in judged(root).values()] == [Verdict.HOLDS] * 4
    assert not (root / "docs").exists()


def test_a_page_that_swallows_what_follows_is_refused(root: Path) -> None:
    support.write(root, {"traps.md": "# Traps\n\n~~~text\n"})
    error = refused(root, "landmine", NAME, "--page", "traps.md")
    assert "[not-made]" in error
    assert "look for a fence or an HTML comment that is not closed" in error


def test_a_place_that_is_no_page_is_refused_with_one_that_is(root: Path) -> None:
    support.write(root, {"stilltrue.toml": 'pages = ["README.md"]\n', "README.md": "# A\n"})
    error = refused(root, "landmine", NAME)
    assert "`docs/integrity/lost-tail.md` is no page of this project" in error
    assert "`--page README.md`" in error
    made(root, "landmine", NAME, "--page", "README.md")


def test_evidence_goes_where_the_project_keeps_it(root: Path) -> None:
    support.write(root, {"stilltrue.toml": 'evidence = "results"\n'})
    made(root, "landmine", NAME)
    assert (root / "results/lost-tail.json.provenance.json").is_file()
    assert len(judged(root)) == 4


# A site -------------------------------------------------------------------------------------------------

SECTION = "  - Integrity:\n      - integrity/lost-tail.md\n"
PAGE = "      - integrity/lost-tail.md\n"
TRAPS = "  - Traps:\n      - integrity/index.md\n      - Odd: 'integrity/odd.md'\n"
GENERATED = "# made by the build\n  - Claims:\n      - claims.md\nplugins: [search]\n"

LAUGHS = "a0: &a0 [x.md, y.md]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 31))
"""Two to the power of 31 pages, by aliases."""

NAVS = {  # what stands before and after the new lines, and these
    "a new section": ("nav:\n  - Home: index.md\n  - Guide:\n      - guide/a.md\n", SECTION, ""),
    "before pages that are generated": ("nav:\n  - index.md\n", SECTION, GENERATED),
    "a section that has its like": (f"nav:\n  - index.md\n{TRAPS}", PAGE, "  - z.md\n"),
    "lists at the margin": (
        "nav:\n- index.md\n",
        "- Integrity:\n    - integrity/lost-tail.md\n",
        "# the end\n",
    ),
    "beside Python's objects": ("x: !!python/name:a.b\ny: !ENV [A, 1]\nnav:\n  - index.md\n", SECTION, ""),
}


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("what", NAVS)
def test_a_site_that_lists_its_pages_lists_the_new_one(root: Path, what: str, ending: str) -> None:
    before, new, after = (text.replace("\n", ending) for text in NAVS[what])
    support.write(root, {"docs/index.md": "# A\n", "docs/guide/a.md": "# A\n"})
    support.write(root, {"mkdocs.yml": before + after})
    done = made(root, "landmine", NAME)
    assert "mkdocs.yml: `integrity/lost-tail.md` was added to `nav`" in done.out
    assert (root / "mkdocs.yml").read_bytes().decode() == before + new + after


def test_a_list_of_pages_without_an_end_of_line_gets_one(root: Path) -> None:
    support.write(root, {"mkdocs.yml": "nav:\n  - index.md"})
    made(root, "landmine", NAME)
    assert (root / "mkdocs.yml").read_text() == f"nav:\n  - index.md\n{SECTION}"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("site_name: x\n", False),
        ("nav: [index.md]\n", True),
        ("nav:\n", True),
        ("[not closed\n", False),
        ("- a list\n", False),
        (f"nav: {'[' * 5_000}{']' * 5_000}\n", False),
        (f"{LAUGHS}nav: [x: *a30]\n", True),
        ("nav: &nav [index.md, x: *nav]\n", True),
    ],
    ids=["no nav", "in brackets", "empty", "not YAML", "a list", "too deep", "a bomb", "in itself"],
)
def test_a_site_whose_list_cannot_be_written_is_left_as_it_is(root: Path, text: str, note: bool) -> None:
    support.write(root, {"mkdocs.yml": text})
    done = made(root, "landmine", NAME)
    assert (root / "mkdocs.yml").read_text() == text
    assert ("add `integrity/lost-tail.md` to `nav`" in done.out) is note


def test_pages_lie_where_the_site_has_them(root: Path) -> None:
    support.write(
        root,
        {
            "mkdocs.yml": "docs_dir: ./pages/\nnav:\n  - index.md\n",
            "stilltrue.toml": 'pages = ["pages/**/*.md"]\n',
        },
    )
    made(root, "landmine", NAME)
    assert (root / "pages/integrity/lost-tail.md").is_file()
    assert "- integrity/lost-tail.md" in (root / "mkdocs.yml").read_text()


@pytest.mark.parametrize("folder", ["../beside", "OUTSIDE/docs", ".git"])
def test_pages_that_the_site_has_elsewhere_are_refused_and_nothing_is_written(
    root: Path, folder: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    monkeypatch.setattr("tempfile.tempdir", str(outside))  # where stages are made
    site = f"docs_dir: {folder.replace('OUTSIDE', str(outside))}\n"
    support.write(root, {"mkdocs.yml": site, "stilltrue.toml": 'pages = ["**/*.md"]\n'})
    with support.unchanged(root):
        done = stilltrue_in(root, "new", "landmine", NAME)
    assert (done.code, done.out) == (2, "")
    assert "correct `docs_dir` in `mkdocs.yml` [bad-path]" in done.err
    assert list(outside.iterdir()) == []


# A probe ------------------------------------------------------------------------------------------------


def test_a_probe_is_recorded_and_a_claim_on_it_fails_under_its_plant(root: Path) -> None:
    support.write(root, {"README.md": "# A\n"})
    done = made(root, "probe", "words")
    assert "claims/evidence/words.json: written" in done.out
    evidence = "claims/evidence/words.json"
    assert "`stilltrue new claim words-count --page PAGE" in done.out
    made(root, "claim", "words-count", "--page", "README.md", "--evidence", evidence, "--path", "$.words")
    found = judged(root)["words-count"]
    assert (found.verdict, found.claim.stated.text) == (Verdict.HOLDS, "9")
    assert "--plant count-twice: 1 claim fails: words-count" in stilltrue_in(root, "mutate").out
    assert "[taken]" in refused(root, "probe", "words")


# A claim ------------------------------------------------------------------------------------------------

TEXT = 'it\'s "so": # x'
EVIDENCE = {
    "README.md": "# A\n",
    "a.json": json.dumps({"n": 205, "t": 22835.81234, "share": 0.65312, "ok": True, "text": TEXT}),
    "a.csv": "name,ms\nfast,1.5\nslow,2.25\n",
    "a.log": "loss 0.25\nloss 1e-7\n> 12 steps\n",
}  # fmt: skip

READS: dict[str, tuple[tuple[str, ...], str]] = {
    "a count": (("a.json", "--path", "$.n"), "205"),
    "with a unit": (("a.json", "--path", "$.t", "--unit", "ms"), "22,836 ms"),
    "a share": (("a.json", "--path", "$.share"), "0.6531"),
    "yes or no": (("a.json", "--path", "$.ok"), "yes"),
    "a text": (("a.json", "--path", "$['text']"), 'it\'s "so": # x'),
    "a cell": (("a.csv", "--column", "ms", "--where", "name = 'slow'", "--unit", "ms"), "2.25 ms"),
    "a take": (("a.csv", "--column", "ms", "--take", "max"), "2.25"),
    "a line": (("a.log", "--match", r"loss (1e-\d)"), "1e-7"),
    "a quoted line": (("a.log", "--match", "> (12)"), "12"),
}


@pytest.mark.parametrize("what", READS)
def test_a_claim_states_what_its_evidence_says(root: Path, what: str) -> None:
    arguments, stated = READS[what]
    support.write(root, {**EVIDENCE, "stilltrue.toml": ""})
    done = made(root, "claim", "it", "--page", "README.md", "--evidence", *arguments)
    found = judged(root)["it"]
    assert (found.verdict, found.claim.stated.text) == (Verdict.HOLDS, stated)
    assert f"it holds: It is {stated}." in done.out
    assert (root / "README.md").read_text().startswith("# A\n\n```claim\nid: it\n")


@pytest.mark.parametrize("tags", [("lost-tail",), ("a", "b c"), ("x, y]: #", "null", "12", "Yes", "ä")])
def test_a_claim_has_the_tags_that_it_was_given(root: Path, tags: tuple[str, ...]) -> None:
    support.write(root, {**EVIDENCE, "stilltrue.toml": ""})
    where = ("--page", "README.md", "--evidence", "a.json", "--path", "$.n")
    made(root, "claim", "it", *where, *(part for tag in tags for part in ("--tag", tag)))
    assert judged(root)["it"].claim.tags == tags
    assert stilltrue_in(root, "check", "--tag", tags[-1]).out.startswith("1 claim: 1 holds")


FOUR_DIGITS_WOULD_BE_WHOLE = {
    "1.00001": "1.00001",
    "-0.99999": "-0.99999",
    "12345.678": "12,345.7",
    "9999.96": "9,999.96",
    "1.0000000000000002": "1.0000000000000002",
}


@pytest.mark.parametrize("number", FOUR_DIGITS_WOULD_BE_WHOLE)
def test_a_fraction_without_a_unit_is_not_stated_as_a_whole_number(root: Path, number: str) -> None:
    support.write(root, {"README.md": "# A\n", "a.json": f'{{"n": {number}}}', "stilltrue.toml": ""})
    made(root, "claim", "it", "--page", "README.md", "--evidence", "a.json", "--path", "$.n")
    found = judged(root)["it"]
    assert (found.verdict, found.claim.stated.text) == (Verdict.HOLDS, FOUR_DIGITS_WOULD_BE_WHOLE[number])


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    number=st.one_of(st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False)),
    unit=st.sampled_from(["", "ms", "GiB", "%", "tok/s", "x"]),
)
def test_a_claim_of_any_number_holds(root: Path, number: float, unit: str) -> None:
    support.write(root, {"README.md": "# A\n", "a.json": json.dumps({"n": number}), "stilltrue.toml": ""})
    where = ("--page", "README.md", "--evidence", "a.json", "--path", "$.n", "--unit", unit)
    made(root, "claim", "it", *where)
    assert judged(root)["it"].verdict is Verdict.HOLDS


def test_without_a_record_where_one_is_required_it_is_said(root: Path) -> None:
    support.write(root, EVIDENCE)
    done = stilltrue_in(
        root, "new", "claim", "it", "--page", "README.md", "--evidence", "a.json", "--path", "$.n"
    )
    assert done.code == 1
    assert "it: suspect: `a.json` has no record of where it came from\n" in done.out


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "no way to read": (("--evidence", "a.json"), "must be said in one way"),
    "two ways": (("--evidence", "a.json", "--path", "$.n", "--match", "x"), "must be said in one way"),
    "nothing there": (("--evidence", "a.json", "--path", "$.m"), "[no-reading]"),
    "several": (("--evidence", "a.csv", "--column", "ms"), "[several-readings]"),
    "no file": (("--evidence", "b.json", "--path", "$.n"), "[no-file]"),
    "no pattern": (("--evidence", "a.log", "--match", "("), "[bad-pattern]"),
    "no take": (("--evidence", "a.csv", "--column", "ms", "--take", "most"), "`most`"),
    "no place for the value": (("--evidence", "a.json", "--path", "$.n", "--says", "so"), "[not-made]"),
    "no page": (("--page", "b.md", "--evidence", "a.json", "--path", "$.n"), "is no page of this project"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read_or_written_is_refused(root: Path, what: str) -> None:
    arguments, words = REFUSED[what]
    support.write(root, EVIDENCE)
    assert words in refused(root, "claim", "it", "--page", "README.md", *arguments)


def test_a_claim_below_an_open_fence_is_refused(root: Path) -> None:
    support.write(root, {**EVIDENCE, "README.md": "# A\n\n```text\nnot closed\n"})
    error = refused(root, "claim", "it", "--page", "README.md", "--evidence", "a.json", "--path", "$.n")
    assert "[not-made]" in error
