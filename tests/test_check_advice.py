"""The hints of a check that the claim's own keys give: what a pattern, a name or a unit leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from recording_support import stilltrue_in, write

README = "Training takes 42 minutes, peaks at 17.4 GiB and ends at an accuracy of 93.8 %.\n"
RESULTS = '{"miou": 0.9381, "train_seconds": 2524.9, "peak_mem": 18683107737, "peak_bytes": 18683107737}\n'
TABLE = "peak_mib,accuracy\n17818,0.9381\n"

MINUTES = r"takes (?P<value>\S+ minutes)"
SIZE = r"peaks at (?P<value>\S+ GiB)"
SHARE = r"accuracy of (?P<value>\S+ %)"


def hint(root: Path, match: str, read: str, evidence: str = "results.json") -> str:
    """What to do about the one claim, as the check says it."""
    claim = (
        "- id: a",
        '  says: "It is {value}."',
        f"  stated_in: {{file: README.md, match: '{match}'}}",
        f"  evidence: {evidence}",
        f"  read: {{{read}}}",
    )
    files = {"README.md": README, "results.json": RESULTS, "bench.csv": TABLE}
    write(root, {**files, "claims/a.yml": "\n".join(claim) + "\n", "stilltrue.toml": ""})
    done = stilltrue_in(root, "check")
    assert done.code == 1
    return done.out.splitlines()[1].strip()


@pytest.mark.parametrize(
    ("match", "read", "expected"),
    [
        (r"takes (\S+) minutes", "path: $.train_seconds, unit: s", "take the unit too"),
        (r"accuracy of (\S+) %", "path: $.miou", "take the `%` too, or give it `unit: '%'`"),
    ],
    ids=["minutes", "percent"],
)
def test_a_group_that_leaves_its_unit_out_is_told_of(
    tmp_path: Path, match: str, read: str, expected: str
) -> None:
    assert expected in hint(tmp_path, match, read)


@pytest.mark.parametrize(
    ("match", "read", "evidence", "unit"),
    [
        (MINUTES, "path: $.train_seconds", "results.json", "seconds"),
        (SIZE, """path: "$['peak_bytes']" """, "results.json", "bytes"),
        (SIZE, "column: peak_mib", "bench.csv", "mib"),
    ],
    ids=["key", "key in brackets", "column"],
)
def test_a_read_without_a_unit_is_given_the_one_in_the_name_of_what_it_reads(
    tmp_path: Path, match: str, read: str, evidence: str, unit: str
) -> None:
    assert f"give the read `unit: {unit}`" in hint(tmp_path, match, read, evidence)


@pytest.mark.parametrize(
    ("match", "read"),
    [(SIZE, "path: $.peak_mem"), (MINUTES, "path: $.peak_bytes")],
    ids=["names no unit", "names one of another kind"],
)
def test_a_name_without_a_fitting_unit_is_no_advice(tmp_path: Path, match: str, read: str) -> None:
    assert hint(tmp_path, match, read).startswith("give the read the unit that the evidence counts in")


def test_a_share_that_was_said_to_be_in_percent_needs_no_unit(tmp_path: Path) -> None:
    assert "leave `unit` out of the read" in hint(tmp_path, SHARE, "path: $.miou, unit: '%'")


def test_a_number_that_is_no_such_share_is_looked_for_where_it_moved(tmp_path: Path) -> None:
    assert "leave `unit` out" not in hint(tmp_path, SHARE, "path: $.train_seconds, unit: '%'")
