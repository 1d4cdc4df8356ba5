"""What has changed since evidence was recorded, what is no change, and what somebody accepted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

import recording_support as support
from stilltrue.errors import InputError
from stilltrue.model import Accepted, Code, Digested, Provenance
from stilltrue.probes import code_of
from stilltrue.provenance import Change, Current, Kind, changes, history, name_of, read, standing, to_json

EVIDENCE, INPUT, PROBE, MODULE = "claims/evidence/a.txt", "lengths.csv", "probes/p.py", "probes/m.py"
FILES = {
    EVIDENCE: "took 5 s\n",
    INPUT: "a,b\n1,2\n",
    PROBE: support.HEADER + "import m\nprint(m.N)\n",
    MODULE: "N = 5\n",
}
COMMIT = "0" * 40


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return support.write(tmp_path, FILES).resolve()


@pytest.fixture
def record(root: Path) -> Provenance:
    return Provenance(
        subjects=(digested(root, EVIDENCE), Digested("claims/evidence/b.txt", "1" * 64)),
        on="2026-03-01",
        code=(code_of(root, PROBE, script=True), code_of(root, MODULE)),
        commit=COMMIT,
        inputs=(digested(root, INPUT),),
    )


def digested(root: Path, path: str) -> Digested:
    return Digested(path, support.sha256(root / path))


def current(root: Path, uncommitted: Collection[str] = ()) -> Current:
    return Current(
        root,
        code_of=lambda path, script: code_of(root, path, script=script),
        uncommitted=lambda _paths: uncommitted,
    )


def found(root: Path, record: Provenance, path: str = EVIDENCE) -> tuple[Change, ...]:
    return changes(record, path, current(root))


def test_nothing_has_changed_where_every_file_is_as_it_was(root: Path, record: Provenance) -> None:
    assert found(root, record) == ()


def test_an_edited_byte_of_evidence_is_a_change(root: Path, record: Provenance) -> None:
    support.write(root, {EVIDENCE: "took 6 s\n"})
    before, after = record.subjects[0].sha256, support.sha256(root / EVIDENCE)
    assert found(root, record) == (Change(EVIDENCE, before, after, Kind.EVIDENCE),)


def test_other_line_ends_of_evidence_are_a_change(root: Path, record: Provenance) -> None:
    support.write(root, {EVIDENCE: "took 5 s\r\n"})
    assert [each.kind for each in found(root, record)] == [Kind.EVIDENCE]


def test_another_file_of_the_same_run_is_nobody_elses_concern(root: Path, record: Provenance) -> None:
    support.write(root, {"claims/evidence/b.txt": "edited"})
    assert found(root, record) == ()


def test_evidence_that_was_moved_with_its_record_is_known_by_its_digest(
    root: Path, record: Provenance
) -> None:
    support.write(root, {"results/c.txt": FILES[EVIDENCE]})
    assert found(root, record, "results/c.txt") == ()
    support.write(root, {"results/a.txt": "took 6 s\n"})
    (change,) = found(root, record, "results/a.txt")
    assert (change.kind, change.before) == (Kind.EVIDENCE, record.subjects[0].sha256)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (PROBE, support.HEADER + "# why\nimport m\n\n\nprint( m.N )\n"),
        (PROBE, FILES[PROBE].replace("\n", "\r\n")),
        (PROBE, FILES[PROBE].replace("# dependencies = []", "# dependencies   = [ ]")),
        (MODULE, "# five\nN = (\n    5\n)\n"),
        (INPUT, "a,b\r\n1,2\r\n"),
    ],
    ids=["comment and layout", "CRLF", "layout of the header", "layout of a module", "CRLF of an input"],
)
def test_what_does_the_same_is_no_change(root: Path, record: Provenance, path: str, text: str) -> None:
    support.write(root, {path: text})
    assert found(root, record) == ()


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        (PROBE, FILES[PROBE].replace("m.N", "m.N + 1"), Kind.CODE),
        (PROBE, FILES[PROBE].replace("dependencies = []", 'dependencies = ["numpy"]'), Kind.CODE),
        (MODULE, "N = 6\n", Kind.CODE),
        (INPUT, "a,b\n1,3\n", Kind.INPUT),
    ],
    ids=["a constant", "a dependency", "a module", "an input"],
)
def test_what_does_something_else_is_a_change(
    root: Path, record: Provenance, path: str, text: str, kind: Kind
) -> None:
    support.write(root, {path: text})
    (change,) = found(root, record)
    assert (change.path, change.kind) == (path, kind)
    assert change.before in {*(code.digest for code in record.code), record.inputs[0].sha256}
    assert len(change.after) == len(change.before)
    assert change.after != change.before


@pytest.mark.parametrize("path", [EVIDENCE, PROBE, MODULE, INPUT])
def test_a_file_that_is_gone_is_a_change_to_nothing(root: Path, record: Provenance, path: str) -> None:
    (root / path).unlink()
    (change,) = found(root, record)
    assert (change.path, change.after) == (path, "")


def test_an_input_with_line_ends_of_another_system_was_recorded_there(root: Path, record: Provenance) -> None:
    support.write(root, {INPUT: "a,b\r\n1,2\r\n"})
    windows = replace(record, inputs=(digested(root, INPUT),))
    support.write(root, {INPUT: "a,b\n1,2\n"})
    assert found(root, windows) == ()


def test_in_a_binary_input_every_byte_counts(root: Path, record: Provenance) -> None:
    (root / INPUT).write_bytes(b"\0a\r\n")
    binary = replace(record, inputs=(digested(root, INPUT),))
    (root / INPUT).write_bytes(b"\0a\n")
    assert [each.kind for each in found(root, binary)] == [Kind.INPUT]


# What is not committed ----------------------------------------------------------------------------------


def test_what_was_not_committed_is_a_change_until_it_is(root: Path, record: Provenance) -> None:
    dirty = replace(record, changed=(PROBE, INPUT))
    still = changes(dirty, EVIDENCE, current(root, uncommitted={PROBE}))
    assert still == (Change(PROBE, COMMIT, record.code[0].digest, Kind.UNCOMMITTED),)
    assert changes(dirty, EVIDENCE, current(root, uncommitted=())) == ()


def test_an_input_that_was_not_committed_is_known_by_its_digest(root: Path, record: Provenance) -> None:
    dirty = replace(record, changed=(INPUT,))
    (change,) = changes(dirty, EVIDENCE, current(root, uncommitted={INPUT}))
    assert (change.path, change.kind, change.after) == (INPUT, Kind.UNCOMMITTED, record.inputs[0].sha256)


def test_what_changed_again_is_told_once(root: Path, record: Provenance) -> None:
    support.write(root, {MODULE: "N = 6\n"})
    dirty = replace(record, changed=(MODULE,))
    assert [each.kind for each in changes(dirty, EVIDENCE, current(root, uncommitted={MODULE}))] == [
        Kind.CODE
    ]


def test_git_is_asked_only_where_something_was_not_committed(root: Path, record: Provenance) -> None:
    def ask(_paths: tuple[str, ...]) -> tuple[str, ...]:
        raise AssertionError

    now = Current(root, code_of=lambda path, script: code_of(root, path, script=script), uncommitted=ask)
    assert changes(record, EVIDENCE, now) == ()


def test_code_is_parsed_only_where_its_bytes_differ(root: Path, record: Provenance) -> None:
    def parsed(_path: str, _script: bool) -> Code:
        raise AssertionError

    assert changes(record, EVIDENCE, Current(root, code_of=parsed, uncommitted=lambda _paths: ())) == ()


# What somebody accepted ---------------------------------------------------------------------------------


def test_what_was_accepted_for_a_claim_is_cleared_for_it_alone_and_as_it_is(
    root: Path, record: Provenance
) -> None:
    support.write(root, {MODULE: "N = 6\n", INPUT: "a,b\n1,3\n"})
    module, other = found(root, record)
    accepted = Accepted("waste", "no matter", "2026-03-02", module.path, module.before, module.after)
    assert standing((module, other), (accepted,), "waste") == (other,)
    assert standing((module, other), (accepted,), "share") == (module, other)
    support.write(root, {MODULE: "N = 7\n"})
    assert [each.path for each in standing(found(root, record), (accepted,), "waste")] == [MODULE, INPUT]


# Beside evidence ----------------------------------------------------------------------------------------


def test_a_record_is_read_from_beside_its_evidence(root: Path, record: Provenance) -> None:
    assert read(root, EVIDENCE) is None
    assert name_of(EVIDENCE) == "claims/evidence/a.txt.provenance.json"
    support.write(root, {name_of(EVIDENCE): to_json(record)})
    assert read(root, EVIDENCE) == record


@pytest.mark.parametrize("kind", ["link", "folder", "loop", "text", "huge"])
def test_what_is_no_file_of_ours_is_no_record(root: Path, record: Provenance, kind: str) -> None:
    place = root / name_of(EVIDENCE)
    support.write(root, {"elsewhere.json": to_json(record)})
    match kind:
        case "link":
            place.symlink_to(root / "elsewhere.json")
        case "loop":
            place.symlink_to(place)
        case "folder":
            place.mkdir()
        case "text":
            place.write_text("hello")
        case _:
            with place.open("wb") as file:
                file.truncate((16 << 20) + 1)
    with pytest.raises(InputError) as caught:
        read(root, EVIDENCE)
    assert (caught.value.code, caught.value.path) == ("bad-provenance", name_of(EVIDENCE))
    assert caught.value.hint


def test_a_name_too_long_for_a_file_has_no_record(root: Path) -> None:
    assert read(root, "a" * 5000) is None


def test_the_evidence_of_earlier_days_is_found_newest_first(root: Path) -> None:
    days = ("2026-01-09", "2025-12-31", "2026-02-30", "2026-1-1", "old")
    support.write(root, {f"claims/evidence/{day}/a.txt": "" for day in days})
    support.write(root, {"claims/evidence/2026-01-10/b.txt": "", "2026-01-02/top.txt": "", "top.txt": ""})
    (root / "claims/evidence/2026-01-11/a.txt").mkdir(parents=True)
    assert history(root, EVIDENCE) == (
        ("2026-01-09", "claims/evidence/2026-01-09/a.txt"),
        ("2025-12-31", "claims/evidence/2025-12-31/a.txt"),
    )
    assert history(root, "top.txt") == (("2026-01-02", "2026-01-02/top.txt"),)
    assert history(root, "nowhere/a.txt") == ()


def test_thousands_of_files_that_are_gone_are_told_one_by_one(
    root: Path, record: Provenance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_search(*_: object) -> str:
        raise AssertionError("a name that is near was looked for")

    monkeypatch.setattr("stilltrue.files._near", no_search)
    code = tuple(Code(f"gone/{at}.py", "1" * 64, "2" * 64) for at in range(2000))
    inputs = tuple(Digested(f"gone/{at}.csv", "1" * 64) for at in range(2000))
    gone = found(root, replace(record, code=(*record.code, *code), inputs=inputs))
    assert len(gone) == 4000
    assert {each.after for each in gone} == {""}


@pytest.mark.parametrize(
    "text", ["a\r\n" * 700_000, "a\r\r\n\r" * 500_000, "\r" * 2_000_001, "\n" + "x" * 1_048_575 + "\r\n"]
)
def test_line_ends_are_told_apart_in_files_that_are_read_in_parts(
    root: Path, record: Provenance, text: str
) -> None:
    unix = text.replace("\r\n", "\n")
    for stored in (text, unix, unix.replace("\n", "\r\n")):
        (root / INPUT).write_bytes(unix.encode())
        was = replace(record, inputs=(digested(root, INPUT),))
        (root / INPUT).write_bytes(stored.encode())
        assert found(root, was) == ()
