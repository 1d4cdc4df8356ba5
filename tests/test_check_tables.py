"""Cells of tables are claims like all others: linked, derived from, superseded by, one id each."""

from __future__ import annotations

from pathlib import Path

from stilltrue.check import check, select
from stilltrue.config import load
from stilltrue.model import Report, Verdict

BLOCK = """\
```claims
id: {id}
says: "{{Loss}} takes {{value}}."
key: Loss
evidence: e.json
columns: {{Time: {{unit: s, read: {{path: "$.{{Loss}}", unit: s}}}}}}
```

| Loss | Time |
|---|---|
| naive | {time} |
| chunked | 3 |
"""


def block(name: str = "ce", time: str = "2") -> str:
    return BLOCK.format(id=name, time=time)


def report(root: Path, text: str) -> Report:
    (root / "stilltrue.toml").touch()
    (root / "e.json").write_text('{"naive": 2, "chunked": 3}\n', encoding="utf-8")
    (root / "README.md").write_text(text, encoding="utf-8")
    return check(load(root))


def verdicts(found: Report) -> dict[str, Verdict]:
    return {judgement.claim.id: judgement.verdict for judgement in found.judgements}


def test_cells_are_derived_from_and_superseded_by_like_all_claims(tmp_path: Path) -> None:
    others = """
```claim
id: ratio
says: "It is {value} as long."
value: 1.5x
derive: "{ce.chunked.time} / {ce.naive.time}"
```

```claim
id: old
says: "It once took {value}."
value: 9 s
reported: {by: me}
superseded: {by: ce.naive.time, on: 2026-08-26, because: measured}
```

It takes [2 s](claim:ce.naive.time) or [4 s](claim:ce.chunked.time).
"""
    found = report(tmp_path, block() + others)
    assert verdicts(found)["ratio"] is Verdict.HOLDS
    assert verdicts(found)["old"] is Verdict.SUPERSEDED
    assert [(problem.code, problem.about) for problem in found.problems] == [
        ("link-disagrees", ("ce.chunked.time",))
    ]
    assert [j.claim.id for j in select(found, ["ce.naive.time"]).judgements] == ["ce.naive.time"]


def test_what_names_a_cell_of_a_block_that_cannot_be_read_is_not_reported_again(tmp_path: Path) -> None:
    text = block().replace("key: Loss", "key: Lost") + "\nIt takes [2 s](claim:ce.naive.time).\n"
    found = report(tmp_path, text)
    assert [(problem.code, problem.place.line) for problem in found.problems] == [("unknown-column", 4)]
    assert select(found, ["ce"]).problems == found.problems


def test_what_names_a_cell_that_cannot_be_read_is_not_reported_again(tmp_path: Path) -> None:
    text = block(time="2,1") + "\nIt takes [2 s](claim:ce.naive.time), not [3 s](claim:ce.naiv.time).\n"
    found = report(tmp_path, text)
    assert [(problem.code, problem.place.line) for problem in found.problems] == [
        ("bad-value", 11),
        ("unknown-id", 14),
    ]


def test_two_tables_and_a_table_and_a_claim_cannot_have_one_id(tmp_path: Path) -> None:
    claim = '```claim\nid: ce\nsays: "It is {value}."\nvalue: 1 s\nreported: {by: me}\n```\n'
    found = report(tmp_path, f"{block()}\n{block().replace('chunked |', 'other |')}\n{claim}")
    twice = [problem for problem in found.problems if problem.code == "duplicate-id"]
    assert sorted(problem.place.line for problem in twice) == [1, 14, 24]
    assert {name for problem in twice for name in problem.about} == {"ce", "ce.naive.time"}


def test_a_drifted_cell_is_told_at_its_row(tmp_path: Path) -> None:
    found = report(tmp_path, block(time="2.5"))
    (drifted,) = [judgement for judgement in found.judgements if judgement.verdict is Verdict.DRIFTED]
    assert str(drifted.claim.place) == "README.md:11"
    assert drifted.message.startswith("the page says `2.5`, the evidence (e.json:1) says `2")
