"""What a claim's evidence said on earlier days."""

from __future__ import annotations

from pathlib import Path

import pytest

import recording_support as support
from stilltrue.check import check
from stilltrue.check.series import series
from stilltrue.config import load
from stilltrue.model import Digested, Provenance
from stilltrue.provenance import name_of, to_json

PAGE = """\
```claim
id: total
says: "The mean is {value}."
value: 3.0 s
evidence: [e/a.txt, e/b.txt]
read: {match: 'took (\\S+ s)', take: [only, mean]}
```

```claim
id: quoted
says: "It is {value}."
value: "7"
reported: {by: somebody}
```
"""


def put(root: Path, path: str, seconds: str, day: str, commit: str = "") -> None:
    support.write(root, {path: f"took {seconds} s\n"})
    subjects = (Digested(path, support.sha256(root / path)),)
    record = Provenance(subjects=subjects, on=day, source="x", commit=commit)
    support.write(root, {name_of(path): to_json(record)})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    support.write(tmp_path, {"stilltrue.toml": "", "docs/a.md": PAGE})
    put(tmp_path, "e/a.txt", "3", "2026-03-03")
    put(tmp_path, "e/b.txt", "3", "2026-03-01")
    put(tmp_path, "e/2026-03-02/a.txt", "5", "2026-03-02", "c" * 40)
    put(tmp_path, "e/2026-02-01/a.txt", "7", "2026-02-01")
    put(tmp_path, "e/2026-02-02/b.txt", "1", "2026-02-02")
    return tmp_path.resolve()


def found(root: Path, name: str = "total") -> list[tuple[str, str, str]]:
    config = load(root)
    judgement = next(each for each in check(config).judgements if each.claim.id == name)
    return [(each.day, each.found, each.commit) for each in series(config, judgement.claim, judgement.files)]


def test_each_day_is_read_with_every_file_as_it_was_then(root: Path) -> None:
    assert found(root) == [("2026-03-02", "4.0 s", "c" * 40), ("2026-02-02", "4.0 s", "")]


def test_a_day_that_cannot_be_read_has_nothing_found(root: Path) -> None:
    support.write(root, {"e/2026-03-02/a.txt": "nothing here\n"})
    assert found(root)[0] == ("2026-03-02", "", "c" * 40)


def test_a_damaged_record_of_an_earlier_day_is_no_matter(root: Path) -> None:
    support.write(root, {name_of("e/2026-03-02/a.txt"): "{"})
    assert found(root)[0] == ("2026-03-02", "4.0 s", "")


def test_a_claim_without_evidence_has_no_history(root: Path) -> None:
    assert found(root, "quoted") == []
