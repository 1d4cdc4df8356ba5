"""`accept`: what somebody looked at is cleared for one claim, and nothing more is."""

from __future__ import annotations

from pathlib import Path

import pytest

import recording_support as support
from recording_support import COUNT, MODULE, PROBE, Done, recorded, stilltrue_in
from stilltrue import provenance
from stilltrue.check import check
from stilltrue.config import load

OTHER = """
```claim
id: other
says: "There are {value} of them."
value: "205"
evidence: claims/evidence/count.json
read: {path: $.n}
```
"""

QUOTED = """
```claim
id: quoted
says: "Somebody says {value}."
value: "7"
reported: {by: somebody}
```
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    page = support.PAGE + OTHER + QUOTED
    root = support.project(tmp_path / "project", {"docs/counts.md": page})
    recorded(root)
    support.commit_all(root)
    return root


def accept(root: Path, claim: str = "targets", because: str = "only a name") -> Done:
    return stilltrue_in(root, "accept", claim, "--because", because)


def verdicts(root: Path) -> dict[str, str]:
    return {each.claim.id: str(each.verdict) for each in check(load(root)).judgements}


def test_a_change_is_accepted_for_one_claim_with_both_digests(root: Path) -> None:
    before = support.record_of(root).code[1].digest
    support.write(root, {MODULE: "N = 206\n"})
    assert verdicts(root) == {
        "targets": "suspect",
        "twice": "suspect",
        "other": "suspect",
        "quoted": "reported",
    }
    done = accept(root)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "claims/evidence/count.json: accepted for `targets`: `probes/helper.py` does something else\n"
        "targets: suspect -> holds\n"
    )
    (accepted,) = support.record_of(root).accepted
    assert (accepted.claim, accepted.because, accepted.path) == ("targets", "only a name", MODULE)
    assert (accepted.before, len(accepted.after)) == (before, 64)
    assert verdicts(root) == {"targets": "holds", "twice": "holds", "other": "suspect", "quoted": "reported"}
    assert "a change of probes/helper.py: only a name\n" in stilltrue_in(root, "show", "targets").out
    assert "only a name" not in stilltrue_in(root, "show", "other").out


def test_a_further_change_is_a_new_one(root: Path) -> None:
    support.write(root, {MODULE: "N = 206\n"})
    accept(root)
    support.write(root, {MODULE: "N = 207\n"})
    assert verdicts(root)["targets"] == "suspect"
    assert accept(root, because="this neither").code == 0
    assert verdicts(root)["targets"] == "holds"
    support.write(root, {MODULE: "N = 206\n"})
    assert verdicts(root)["targets"] == "holds"
    assert [each.because for each in support.record_of(root).accepted] == ["only a name", "this neither"]


def test_every_change_is_accepted_that_there_is_by_then(root: Path) -> None:
    support.write(root, {MODULE: "N = 206\n", COUNT: '{"n": 205 }\n'})
    (root / PROBE).unlink()
    done = accept(root)
    assert [line.rpartition(": ")[2] for line in done.out.splitlines()] == [
        "`claims/evidence/count.json` was edited",
        "`probes/count.py` is gone",
        "`probes/helper.py` does something else",
        "suspect -> holds",
    ]
    assert [each.after for each in support.record_of(root).accepted if each.path == PROBE] == [""]


def test_what_was_recorded_uncommitted_can_be_accepted(root: Path) -> None:
    support.write(root, {MODULE: "N = 205  # five\nM = 1\n"})
    recorded(root, "--allow-dirty")
    assert "`probes/helper.py` is not committed as it was run" in accept(root).out
    assert verdicts(root)["targets"] == "holds"


def test_recording_anew_starts_without_what_was_accepted(root: Path) -> None:
    support.write(root, {MODULE: "N = 205 + 0\n"})
    accept(root)
    support.commit_all(root)
    recorded(root)
    assert support.record_of(root).accepted == ()


@pytest.mark.parametrize(
    ("claim", "words", "code"),
    [
        ("targets", "nothing of `targets` has changed since it was recorded", "nothing-to-accept"),
        ("twice", "`twice` is derived from other claims and has no evidence", "nothing-to-accept"),
        ("quoted", "`quoted` is quoted and has no evidence", "nothing-to-accept"),
        ("tragets", "did you mean `targets`?", "nothing-to-check"),
    ],
)
def test_where_there_is_nothing_to_accept_nothing_is_written(
    root: Path, claim: str, words: str, code: str
) -> None:
    with support.unchanged(root):
        done = accept(root, claim)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert f"[{code}]" in done.err


def test_what_was_accepted_already_is_nothing_to_accept(root: Path) -> None:
    support.write(root, {MODULE: "N = 206\n"})
    accept(root)
    with support.unchanged(root):
        assert "[nothing-to-accept]" in accept(root).err


def test_a_derived_claim_says_for_which_one_to_accept(root: Path) -> None:
    support.write(root, {MODULE: "N = 206\n"})
    assert "accept the change for `targets`" in accept(root, "twice").err


def test_evidence_without_a_record_has_no_change_that_could_be_told(root: Path) -> None:
    (root / provenance.name_of(COUNT)).unlink()
    done = accept(root)
    assert (done.code, "`claims/evidence/count.json` has no record" in done.err) == (2, True)


def test_a_record_that_cannot_be_read_is_named(root: Path) -> None:
    support.write(root, {provenance.name_of(COUNT): "[]"})
    with support.unchanged(root):
        done = accept(root)
    assert done.code == 2
    assert done.err.startswith(f"{provenance.name_of(COUNT)}: the record must be an object")


def test_a_reason_must_be_given(root: Path) -> None:
    support.write(root, {MODULE: "N = 206\n"})
    assert accept(root, because="  ").code == 2
    assert stilltrue_in(root, "accept", "targets").code == 2


def test_a_claim_of_several_files_is_cleared_in_each_record(tmp_path: Path) -> None:
    page = support.PAGE.replace("count.json", "*.json").replace(
        "{path: $.n}", "{path: $.n, take: [only, same]}"
    )
    twin = support.HEADER.replace("count", "twin") + support.SCRIPT
    root = support.project(tmp_path, {"docs/counts.md": page, "probes/twin.py": twin})
    assert stilltrue_in(root, "record", PROBE, "probes/twin.py").code == 0
    support.write(root, {MODULE: "N = 206\n"})
    done = accept(root)
    assert [line.split(":")[0] for line in done.out.splitlines()] == [
        "claims/evidence/count.json",
        "claims/evidence/twin.json",
        "targets",
    ]
    assert verdicts(root)["targets"] == "holds"
