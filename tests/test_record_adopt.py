"""`adopt`: evidence from elsewhere gets a record that says so."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import recording_support as support
from recording_support import stilltrue_in
from stilltrue import provenance

LOG = "runs/a.log"
FROM = ("--source", "the cluster, job 4711", "--on", "2026-03-01")

PAGE = """\
```claim
id: loss
says: "The loss is {value}."
value: "0.25"
evidence: runs/a.log
read: {match: 'loss (\\S+)'}
```
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"stilltrue.toml": "require_provenance = true\n", "docs/a.md": PAGE, LOG: "loss 0.25\n"}
    return support.write(tmp_path / "project", files).resolve()


def test_a_file_from_elsewhere_gets_a_record_and_its_claim_holds(root: Path) -> None:
    assert stilltrue_in(root, "check").code == 1
    before = support.everything(root)
    done = stilltrue_in(root, "adopt", LOG, *FROM)
    assert done == (0, "runs/a.log.provenance.json: written\n", "")
    record = support.record_of(root, LOG)
    assert (record.on, record.source, record.probe) == ("2026-03-01", "the cluster, job 4711", "")
    assert [(each.path, each.sha256) for each in record.subjects] == [(LOG, before[LOG])]
    assert support.everything(root) == {
        **before,
        f"{LOG}.provenance.json": support.sha256(root / f"{LOG}.provenance.json"),
    }
    assert stilltrue_in(root, "check").code == 0
    assert (
        "  measured    2026-03-01, elsewhere: the cluster, job 4711\n"
        in stilltrue_in(root, "show", "loss").out
    )


def test_an_edited_file_is_suspect(root: Path) -> None:
    stilltrue_in(root, "adopt", LOG, *FROM)
    support.write(root, {LOG: "loss 0.250\n"})
    done = stilltrue_in(root, "check")
    assert done.code == 1
    assert "[edited-evidence]" in done.out


def test_several_files_of_one_measurement_share_a_record(root: Path) -> None:
    support.write(root, {"runs/b.log": "loss 0.3\n"})
    assert stilltrue_in(root, "adopt", LOG, "runs/b.log", LOG, *FROM).code == 0
    texts = {(root / f"runs/{name}.log.provenance.json").read_text() for name in "ab"}
    assert len(texts) == 1
    assert [each.path for each in support.record_of(root, LOG).subjects] == [LOG, "runs/b.log"]


def test_a_file_is_named_from_the_current_folder(root: Path) -> None:
    assert stilltrue_in(root / "runs", "adopt", "a.log", *FROM).code == 0
    assert support.record_of(root, LOG).subjects[0].path == LOG


def test_an_address_is_a_source_like_any_other(root: Path) -> None:
    url = "https://example.org/a?b=1&c=2#d"
    assert stilltrue_in(root, "adopt", LOG, "--source", url, "--on", "2026-03-01").code == 0
    assert support.record_of(root, LOG).source == url


def test_a_record_that_is_there_is_replaced_only_on_request(root: Path) -> None:
    stilltrue_in(root, "adopt", LOG, *FROM)
    with support.unchanged(root):
        done = stilltrue_in(root, "adopt", LOG, "--source", "other", "--on", "2026-03-02")
    assert done.code == 2
    assert "`runs/a.log` has a record: from the cluster, job 4711, on 2026-03-01" in done.err
    assert "`--again`" in done.err
    assert stilltrue_in(root, "adopt", LOG, "--again", "--source", "other", "--on", "2026-03-02").code == 0
    assert support.record_of(root, LOG).source == "other"


def test_what_a_probe_measured_is_not_adopted_by_accident(tmp_path: Path) -> None:
    root = support.recorded(support.project(tmp_path))
    with support.unchanged(root):
        done = stilltrue_in(root, "adopt", support.COUNT, *FROM)
    assert "has a record: by `probes/count.py`" in done.err


def test_a_damaged_record_can_be_replaced(root: Path) -> None:
    support.write(root, {provenance.name_of(LOG): "{"})
    assert "cannot be read" in stilltrue_in(root, "adopt", LOG, *FROM).err
    assert stilltrue_in(root, "adopt", LOG, "--again", *FROM).code == 0


@pytest.mark.parametrize(
    ("day", "words"),
    [
        ("2999-01-01", "lies in the future"),
        (time.strftime("%Y-%m-%d", time.gmtime(time.time() + 200_000)), "lies in the future"),
        ("2026-02-30", "is no day"),
        ("1.3.2026", "is no day"),
        ("", "is no day"),
    ],
    ids=["far", "near", "none", "form", "empty"],
)
def test_a_day_that_cannot_be_is_refused(root: Path, day: str, words: str) -> None:
    with support.unchanged(root):
        done = stilltrue_in(root, "adopt", LOG, "--source", "x", "--on", day)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_today_is_a_day(root: Path) -> None:
    today = time.strftime("%Y-%m-%d", time.gmtime())
    assert stilltrue_in(root, "adopt", LOG, "--source", "x", "--on", today).code == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("runs/b.log", "did you mean `a.log`?"),
        ("runs", "`runs` is a folder"),
        ("../outside.log", "leads out of the repository"),
        ("runs/a.log.provenance.json", "is a record of provenance"),
        ("runs/link.log", "is reached through a link"),
        ("through/a.log", "is reached through a link"),
        ("runs/pipe", "not a regular file"),
    ],
)
def test_what_is_no_plain_file_of_the_repository_is_refused(root: Path, name: str, words: str) -> None:
    support.write(root, {"runs/a.log.provenance.json": "{}", "../outside.log": "x"})
    (root / "runs/link.log").symlink_to("a.log")
    (root / "through").symlink_to("runs")

    os.mkfifo(root / "runs/pipe")
    with support.unchanged(root):
        done = stilltrue_in(root, "adopt", name, "--again", *FROM)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


@pytest.mark.parametrize("missing", ["--source", "--on"])
def test_where_and_when_must_be_said(root: Path, missing: str) -> None:
    at = FROM.index(missing)
    done = stilltrue_in(root, "adopt", LOG, *FROM[:at], *FROM[at + 2 :])
    assert done.code == 2
    assert missing in done.err


def test_an_empty_source_says_nothing(root: Path) -> None:
    done = stilltrue_in(root, "adopt", LOG, "--source", " ", "--on", "2026-03-01")
    assert (done.code, "the source is empty" in done.err) == (2, True)
