from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import stilltrue.evidence
from evidence_support import Project, quantity, text, tree
from stilltrue import files
from stilltrue.codes import CODES
from stilltrue.errors import InputError
from stilltrue.evidence import FORMATS, library, tables, text_of
from stilltrue.model import Read, Shape

A = tree("$.a")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that were really read."""
    read: list[str] = []
    real = files.read_bytes

    def noted(root: Path, path: str, limit: int) -> bytes:
        read.append(path)
        return real(root, path, limit)

    monkeypatch.setattr(files, "read_bytes", noted)
    return read


def test_a_file_is_read_once_for_ten_claims(tmp_path: Path, opened: list[str]) -> None:
    project = Project(tmp_path).write("a.json", '{"a": 1, "b": 2}')
    for _ in range(10):
        assert project.value("a.json", A) == quantity("1")
        assert project.value("a.json", tree("$.b")) == quantity("2")
        assert project.value("a.json", text(r'"a": (\d)')) == quantity("1")
    assert opened == ["a.json"]


@pytest.mark.parametrize("data", ['{"a": ', "", "\0"])
def test_a_failure_is_remembered_and_each_claim_gets_its_message(
    tmp_path: Path, opened: list[str], data: str
) -> None:
    project = Project(tmp_path).write("a.json", data)
    errors = [project.error("a.json", A) for _ in range(10)]
    assert opened == ["a.json"]
    assert len({(e.code, e.message, e.hint, e.path, e.line) for e in errors}) == 1
    assert len({id(e) for e in errors}) == 10
    assert errors[0].path == "a.json"


def test_of_large_files_only_the_latest_are_kept(
    tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "_LARGE", 1)
    project = Project(tmp_path)
    for number in (1, 2, 3):
        project.write(f"{number}.json", f'{{"a": {number}}}')
    for _ in range(2):
        assert project.value("*.json", tree("$.a", "sum")) == quantity("6")
    assert opened == ["1.json", "2.json", "3.json"] * 2
    assert project.value("3.json", A) == quantity("3")
    assert len(opened) == 6


def test_one_bad_file_does_not_hide_others(tmp_path: Path) -> None:
    project = Project(tmp_path).write("bad.json", "{").write("good.json", '{"a": 1}')
    assert project.error("bad.json", A).code == "malformed-evidence"
    assert project.value("good.json", A) == quantity("1")
    assert project.error(("good.json", "bad.json"), tree("$.a", "sum")).path == "bad.json"


def test_globs_and_lists_name_files_each_once_in_order(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for number in (2, 1, 3):
        project.write(f"runs/{number}.json", f'{{"a": {number}}}')
    project.write("runs/1.json.provenance.json", '{"a": 99}')
    taken = project.take("runs/*.json", tree("$.a", "sum"))
    assert taken.value == quantity("6")
    assert [reading.path for reading in taken.readings] == ["runs/1.json", "runs/2.json", "runs/3.json"]
    assert project.value(("runs/3.json", "runs/*.json"), tree("$.a", "first")) == quantity("3")
    assert project.value(("runs/3.json", "runs/*.json"), tree("$.a", "count")) == quantity("3")
    assert project.value("runs/[12].json", tree("$.a", "sum")) == quantity("3")


def test_every_file_must_give_a_reading(tmp_path: Path) -> None:
    project = Project(tmp_path).write("1.json", '{"a": 1}').write("2.json", '{"b": 1}')
    error = project.error("*.json", tree("$.a", "sum"))
    assert (error.code, error.path) == ("no-reading", "2.json")
    assert project.value("*.json", tree("$.a", "count")) == quantity("1")


def test_a_glob_that_matches_nothing_is_an_error(tmp_path: Path) -> None:
    error = Project(tmp_path).error("runs/*.json", tree("$.a", "count"))
    assert error.code == "no-file"
    assert "`runs/*.json`" in error.message


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems take both forms for one name")
def test_a_name_with_accents_in_another_form_is_told_from_one_that_is_not_there(tmp_path: Path) -> None:
    project = Project(tmp_path).write("cafe\u0301.json", '{"a": 1}')
    error = project.error("caf\u00e9.json", A)
    assert (error.code, "accents in another form" in error.hint) == ("no-file", True)
    assert project.error("cafe.json", A).hint.startswith("did you mean")


def test_only_over_several_files_lists_them(tmp_path: Path) -> None:
    project = Project(tmp_path).write("1.json", '{"a": 1}').write("2.json", '{"a": 2}')
    error = project.error("*.json", A)
    assert error.code == "several-readings"
    assert "1.json:1 (1), 2.json:1 (2)" in error.message


def test_inputs_are_what_was_named_and_expanded(tmp_path: Path) -> None:
    project = Project(tmp_path).write("1.json", '{"a": 1}').write("2.json", '{"a": 2}')
    project.take("*.json", tree("$.a", "sum"))
    project.error("none.json", A)
    project.error("none/*.json", A)
    inputs = project.library.inputs()
    assert inputs.files == ("1.json", "2.json", "none.json")
    assert inputs.globs == (("*.json", ("1.json", "2.json")), ("none/*.json", ()))


def test_tables_are_read_through_the_library(tmp_path: Path, opened: list[str]) -> None:
    project = Project(tmp_path).write("a.csv", "name,time (ms)\nx,1\ny,2\nx,3\n")
    read = Read(Shape.TABLE, column="time_ms", where="name = 'y'")
    taken = project.take("a.csv", read)
    assert taken.value == quantity("2", "ms")
    assert [reading.line for reading in taken.readings] == [3]
    assert project.error("a.csv", Read(Shape.TABLE, column="time_ms")).code == "several-readings"
    assert opened == ["a.csv"]
    error = project.error("a.csv", Read(Shape.TABLE, column="time_ms", format="json"))
    assert (error.code, error.path) == ("unknown-format", "a.csv")


@pytest.mark.parametrize(
    ("name", "read", "hint"),
    [
        ("a.csv", tree("$.x"), "`where` and `column`"),
        ("a.json", Read(Shape.TABLE, column="x"), "`path`"),
        ("a.txt", tree("$.x"), "`format`"),
    ],
    ids=["a table by path", "a tree by column", "neither"],
)
def test_a_file_of_the_other_shape_is_told_by_what_it_is_read(
    tmp_path: Path, name: str, read: Read, hint: str
) -> None:
    error = Project(tmp_path).write(name, '{"x": 1}' if name == "a.json" else "x,y\n1,2\n").error(name, read)
    assert (error.code, hint in error.hint) == ("unknown-format", True)


def test_a_text_page_has_the_lines_of_the_readings(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.log", b"\xef\xbb\xbf1%\r2%\r\n\x1b[1mloss 5\x1b[0m\r\n")
    (line,) = project.lines("a.log", text(r"loss (\d)"))
    assert text_of(project.config, "a.log").split("\n")[line - 1] == "loss 5"
    with pytest.raises(InputError) as caught:
        text_of(project.config, "none.log")
    assert caught.value.code == "no-file"


def test_formats_are_described_and_their_suffixes_are_their_own() -> None:
    suffixes = [suffix for known in FORMATS.values() for suffix in known.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(known.means for known in FORMATS.values())


def test_formats_of_tables_are_those_of_their_readers() -> None:
    assert {name for name, known in FORMATS.items() if known.shape is Shape.TABLE} == set(tables.FORMATS)


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    program = "import sys, stilltrue.evidence; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"re2", "yaml", "sqlite3", "jsonpath_rfc9535", "difflib"} & set(done.stdout.split())


def test_every_code_of_the_room_is_catalogued() -> None:
    folder = Path(stilltrue.evidence.__file__).parent
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py")))
    raised = set(re.findall(r'InputError\(\s*"([a-z-]+)"', source))
    assert raised
    assert raised <= set(CODES)
