"""What a check does beyond its projects: selection, severity, consequences."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from stilltrue.check import check, select
from stilltrue.config import load
from stilltrue.errors import UsageError
from stilltrue.model import Judgement, Report, Verdict
from stilltrue.report import to_text


def claim(name: str, *lines: str, value: str = "5 s") -> str:
    return "\n".join(
        ["```claim", f"id: {name}", 'says: "It takes {value}."', f"value: {value}", *lines, "```", ""]
    )


READ = ("evidence: a.txt", "read: {match: '^v=(.*)$'}")
GONE = ("evidence: gone.txt", "read: {match: '^v=(.*)$'}")
WARN = "severity: {level: warn, because: the machine is shared}"


def checked(root: Path, *parts: str) -> Report:
    (root / "stilltrue.toml").touch()
    (root / "a.txt").write_text("v=5 s\n", encoding="utf-8")
    (root / "README.md").write_text("\n".join(parts), encoding="utf-8")
    return check(load(root))


def judged(report: Report, name: str) -> Judgement:
    return next(judgement for judgement in report.judgements if judgement.claim.id == name)


@pytest.mark.parametrize(
    ("link", "code"),
    [
        ("[~~4 s~~ 5 s](claim:good)", "struck-link"),
        ("[5 s ~~**4 s**~~](claim:good)", "struck-link"),
        ("[~~5 s~~ and more](claim:good)", "struck-link"),
        ("[<del>4 s</del> 5 s](claim:good)", "struck-link"),
        ("[<s>5 s</s>](claim:good)", "struck-link"),
        ("[~~about~~ 5 s](claim:good)", ""),
        ("~~4 s~~ [5 s](claim:good)", ""),
        ("[~~7 s~~](claim:old)", ""),
        ("[<del>7 s</del>](claim:old)", ""),
        ("[~~7 s~~ 6 s](claim:old)", "superseded-link"),
    ],
)
def test_a_struck_number_stands_for_nothing_but_a_claim_that_fell(
    tmp_path: Path, link: str, code: str
) -> None:
    fell = 'superseded: {on: 2026-08-26, because: "it was wrong"}'
    report = checked(tmp_path, claim("good", *READ), claim("old", *READ, fell, value="7 s"), link)
    assert [problem.code for problem in report.problems] == ([code] if code else [])


def test_a_warning_takes_its_links_with_it(tmp_path: Path) -> None:
    report = checked(tmp_path, claim("w", *READ, WARN, value="6 s"), "Takes [6 s](claim:w).")
    assert judged(report, "w").verdict is Verdict.DRIFTED
    assert [problem.claim for problem in report.problems] == ["w"]
    assert report.ok


def test_a_claim_derived_from_a_lowered_one_is_not_lowered_with_it(tmp_path: Path) -> None:
    report = checked(
        tmp_path,
        claim("w", *GONE, WARN),
        claim("wd", 'derive: "{w} * 2"'),
        claim("wdd", 'derive: "{wd} * 2"'),
        claim("low", 'derive: "{w} * 3"', WARN),
    )
    assert [j.claim.id for j in report.judgements if j.fails] == ["wd"]
    assert judged(report, "wdd").cause == "w"
    assert not report.ok
    assert to_text(report).startswith("README.md:13: wd broken"), "it is listed under a warning"


def test_one_cause_is_one_failure(tmp_path: Path) -> None:
    report = checked(tmp_path, claim("w", *GONE), claim("wd", 'derive: "{w} * 2"'))
    assert [j.claim.id for j in report.judgements if j.fails] == ["w"]
    assert judged(report, "wd").verdict is Verdict.BROKEN


def test_a_severity_of_fail_changes_nothing_for_what_fails(tmp_path: Path) -> None:
    report = checked(tmp_path, claim("w", *GONE, "severity: {level: fail, because: it matters}"))
    assert judged(report, "w").fails


def test_checking_a_consequence_shows_its_cause_and_fails(tmp_path: Path) -> None:
    report = checked(
        tmp_path, claim("w", *GONE), claim("wd", 'derive: "{w} * 2"'), claim("other", *READ, value="6 s")
    )
    part = select(report, ["wd"])
    assert [j.claim.id for j in part.judgements] == ["w", "wd"]
    assert not part.ok


def test_selecting_keeps_what_concerns_a_claim_alone(tmp_path: Path) -> None:
    report = checked(
        tmp_path,
        claim("a", *READ, "tags: [x]"),
        claim("b", *READ, value="6 s"),
        "[4 s](claim:a) and [4 s](claim:nobody)",
    )
    assert not select(report, ["a"]).ok
    assert [p.about for p in select(report, [], ["x"]).problems] == [("a",)]
    assert select(report) is report
    with pytest.raises(UsageError) as caught:
        select(report, ["aa"])
    assert "did you mean" in caught.value.hint
    with pytest.raises(UsageError):
        select(report, [], ["y"])


def test_a_malformed_claim_is_known_by_its_id(tmp_path: Path) -> None:
    report = checked(tmp_path, claim("bad", "nonsense: 1"), claim("good", *READ))
    part = select(report, ["bad"])
    assert part.judgements == ()
    assert [problem.code for problem in part.problems] == ["unknown-key"]
    assert not part.ok


@pytest.mark.parametrize("name", ["w", "wd", "wdd"])
def test_a_claim_is_shown_whatever_it_rests_on(name: str, tmp_path: Path) -> None:
    checked(tmp_path, claim("w", *GONE), claim("wd", 'derive: "{w} * 2"'), claim("wdd", 'derive: "{wd} * 2"'))
    done = subprocess.run(
        [sys.executable, "-m", "stilltrue", "show", name],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{name}: broken")


def test_a_provenance_record_is_no_evidence(tmp_path: Path) -> None:
    (tmp_path / "a.txt.provenance.json").write_text("v=5 s\n", encoding="utf-8")
    report = checked(tmp_path, claim("p", "evidence: a.txt.provenance.json", "read: {match: '^v=(.*)$'}"))
    assert judged(report, "p").code == "bad-path"


def test_a_count_of_no_rows_is_zero(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("x,y\n", encoding="utf-8")
    report = checked(tmp_path, claim("n", "evidence: empty.csv", "read: {column: x, take: count}", value="0"))
    assert judged(report, "n").verdict is Verdict.HOLDS


CUT = """\
------------  ------------  ------------  ------------  ------------  ------------  ------------
        Name      Self CPU     CPU total  CPU time avg     Self CUDA    CUDA total    # of Calls
------------  ------------  ------------  ------------  ------------  ------------  ------------
     kernel_a       0.000us       0.000us       0.000us       3.000ms       3.000ms             1
     kernel_b       0.000us       0.000us       0.000us       2.000ms       2.000ms             1
     kernel_c       0.000us       0.000us       0.000us       1.000ms       1.000ms             1
------------  ------------  ------------  ------------  ------------  ------------  ------------
Self CPU time total: 0.000us
Self CUDA time total: 6.500ms
"""


NESTED = """read:
  column: (select sum(self_device) from evidence where device)
  where: name = 'kernel_a'
  unit: s"""


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("1-3 ms", "read: {column: self_device, where: device}"),
        ("2 ± 1 ms", "read: {column: self_device, where: device}"),
        ("6 ms", "read: {column: self_device, where: device, take: sum}"),
        (
            "6 ms",
            NESTED,
        ),
    ],
)
def test_a_cut_profiler_table_answers_for_no_whole(value: str, read: str, tmp_path: Path) -> None:
    (tmp_path / "cut.txt").write_text(CUT, encoding="utf-8")
    report = checked(tmp_path, claim("t", "evidence: cut.txt", read, value=value))
    assert judged(report, "t").code == "incomplete-table", judged(report, "t")


def test_a_cut_profiler_table_still_answers_for_one_row(tmp_path: Path) -> None:
    (tmp_path / "cut.txt").write_text(CUT, encoding="utf-8")
    read = "read: {column: self_device, where: name = 'kernel_a'}"
    report = checked(tmp_path, claim("t", "evidence: cut.txt", read, value="3 ms"))
    assert judged(report, "t").verdict is Verdict.HOLDS
    assert judged(report, "t").notes


def test_a_name_too_long_for_a_file_breaks_its_claim_alone(tmp_path: Path) -> None:
    long = f"evidence: {'a' * 4000}"
    report = checked(tmp_path, claim("good", *READ), claim("bad", long, READ[1]))
    assert judged(report, "good").verdict is Verdict.HOLDS
    assert judged(report, "bad").verdict is Verdict.BROKEN


def test_a_long_chain_of_successors_is_followed_once(tmp_path: Path) -> None:
    def superseded(number: int, by: int) -> str:
        fall = f"superseded: {{by: c{by}, on: 2026-08-26, because: again}}"
        return claim(f"c{number}", "reported: {by: me}", fall, value="OOM")

    chain = [superseded(n, n + 1) for n in range(1, 3000)]
    started = time.process_time()
    ring = checked(tmp_path, *chain, superseded(3000, 1))
    assert [problem.code for problem in ring.problems] == ["superseded-cycle"]
    assert "c1 → c2 → " in ring.problems[0].message
    assert len(ring.problems[0].message) < 300
    broken_off = checked(tmp_path, *chain)
    assert [problem.code for problem in broken_off.problems] == ["unknown-id"]
    assert time.process_time() - started < 10


def test_a_nearest_id_is_looked_for_a_number_of_times(tmp_path: Path) -> None:
    claims = [claim(f"g-{n}", "reported: {by: me}") for n in range(1500)]
    started = time.process_time()
    links = (f"[5 s](claim:goof{n})\n" for n in range(1500))
    report = checked(tmp_path, claim("good", *READ), *claims, *links)
    assert len(report.problems) == 1500
    assert "did you mean" in report.problems[0].hint
    assert time.process_time() - started < 10
