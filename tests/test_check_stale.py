"""When a claim is past its day or its versions, and the warning before."""

from __future__ import annotations

import datetime
import hashlib
import json
from pathlib import Path

import pytest

from stilltrue.check import Trail, check, select
from stilltrue.config import load
from stilltrue.model import Digested, Judgement, Provenance, Report, Verdict
from stilltrue.provenance import name_of, to_json
from stilltrue.report import to_text

EVIDENCE = "claims/evidence/time.txt"
TODAY = datetime.date(2026, 5, 10)


def project(root: Path, valid: str, *, packages: dict[str, str] | None = None, more: str = "") -> Path:
    """A claim on evidence that was taken with some packages; None: evidence without a record."""
    (root / "claims/evidence").mkdir(parents=True)
    (root / "stilltrue.toml").touch()
    (root / EVIDENCE).write_bytes(b"took 5 s\n")
    (root / "README.md").write_text(
        "```claim\nid: time\n"
        'says: "It takes {value}."\nvalue: 5 s\n'
        f"evidence: {EVIDENCE}\nread: {{match: 'took (.*)'}}\n"
        f"valid: {valid}\n```\n{more}",
        encoding="utf-8",
    )
    if packages is not None:
        record(root, packages)
    return root


def record(root: Path, packages: dict[str, str]) -> None:
    digest = hashlib.sha256((root / EVIDENCE).read_bytes()).hexdigest()
    kept = Provenance(
        subjects=(Digested(EVIDENCE, digest),),
        on="2026-01-01",
        source="a colleague",
        interpreter="CPython 3.11.7",
        packages=tuple(packages.items()),
    )
    (root / name_of(EVIDENCE)).write_text(to_json(kept), encoding="utf-8")


def checked(root: Path, today: datetime.date = TODAY) -> Report:
    return check(load(root), today=today)


def judged(report: Report, name: str = "time") -> Judgement:
    return next(judgement for judgement in report.judgements if judgement.claim.id == name)


# The day -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("until", "verdict", "warned"),
    [
        ("2026-05-09", Verdict.STALE, ""),
        ("2026-05-10", Verdict.HOLDS, "today"),
        ("2026-05-11", Verdict.HOLDS, "in 1 day"),
        ("2026-06-09", Verdict.HOLDS, "in 30 days"),
        ("2026-06-10", Verdict.HOLDS, ""),
    ],
)
def test_the_last_day_still_counts_and_is_announced(
    until: str, verdict: Verdict, warned: str, tmp_path: Path
) -> None:
    report = checked(project(tmp_path, f"{{until: {until}}}"))
    assert judged(report).verdict is verdict
    assert report.ok is (verdict is Verdict.HOLDS)
    assert [warning.code for warning in report.warnings] == (["ends-soon"] if warned else [])
    if warned:
        assert f"valid until {until}, which is {warned}" in report.warnings[0].message


def test_what_is_past_its_day_says_so(tmp_path: Path) -> None:
    judgement = judged(checked(project(tmp_path, "{until: 2020-01-01}")))
    assert (judgement.code, judgement.fails) == ("past-until", True)
    assert judgement.message == "it was valid until 2020-01-01"


def test_a_warning_is_shown_and_fails_nothing(tmp_path: Path) -> None:
    report = checked(project(tmp_path, "{until: 2026-05-20}"))
    assert report.ok
    assert to_text(report) == (
        "README.md:7: warning: `time` is valid until 2026-05-20, which is in 10 days\n"
        "  measure it again and move `valid.until`, or supersede it [ends-soon]\n\n"
        "1 claim: 1 holds; 1 warning\n"
    )
    assert select(report, ("time",)).warnings == report.warnings


DERIVED = '\n```claim\nid: twice\nsays: "Twice {value}."\nvalue: 10 s\nderive: "{time} * 2"\n```\n'


def test_a_derived_claim_inherits_and_is_not_announced_twice(tmp_path: Path) -> None:
    root = project(tmp_path, "{until: 2026-05-20}", more=DERIVED)
    assert len(checked(root).warnings) == 1
    report = checked(root, datetime.date(2026, 6, 1))
    twice = judged(report, "twice")
    assert (twice.verdict, twice.cause, twice.fails) == (Verdict.STALE, "time", False)


def test_the_configuration_lowers_it(tmp_path: Path) -> None:
    root = project(tmp_path, "{until: 2020-01-01}", more=DERIVED)
    (root / "stilltrue.toml").write_text('severity = {stale = "warn"}\n')
    report = checked(root)
    assert report.ok
    assert judged(report, "twice").verdict is Verdict.STALE
    assert to_text(report).endswith("2 claims: 2 stale; 1 warning\n")


QUOTED = (
    '\n```claim\nid: price\nsays: "It costs {value}."\nvalue: 3 USD/h\nreported: {by: them}\n'
    "valid: {until: 2026-01-31}\n```\n"
    '\n```claim\nid: old\nsays: "It cost {value}."\nvalue: 4 USD/h\nreported: {by: them}\n'
    "valid: {until: 2026-01-31}\nsuperseded: {on: 2026-02-01, because: so}\n```\n"
)


def test_a_quoted_claim_may_end_and_a_superseded_one_has_ended(tmp_path: Path) -> None:
    report = checked(project(tmp_path, "{until: 2030-01-01}", more=QUOTED))
    price = judged(report, "price")
    assert (price.verdict, price.also) == (Verdict.STALE, (Verdict.REPORTED,))
    assert judged(report, "old").verdict is Verdict.SUPERSEDED


def test_of_several_verdicts_the_first_is_told_and_the_others_listed(tmp_path: Path) -> None:
    root = project(tmp_path, "{until: 2020-01-01}", packages={})
    (root / EVIDENCE).write_bytes(b"took 5 s \n")
    judgement = judged(checked(root))
    assert (judgement.verdict, judgement.also) == (Verdict.SUSPECT, (Verdict.STALE,))
    assert judgement.reasons == ("stale: it was valid until 2020-01-01",)
    (root / "stilltrue.toml").write_text('severity = {suspect = "warn"}\n')
    assert judged(checked(root)).fails
    (root / "stilltrue.toml").write_text('severity = {suspect = "warn", stale = "warn"}\n')
    assert not judged(checked(root)).fails


# Versions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("specifier", "version", "fits"),
    [
        (">=5.15,<6", "5.24.0", True),
        (">=5.15,<6", "5.14.9", False),
        (">=5.15,<6", "6.0", False),
        (">=5.15,<6", "5.16.0.dev0", True),
        (">=2.6", "2.6.0+cpu", True),
        ("==2.6.0", "2.6.0+cpu", True),
        ("~=2.6", "2.7", True),
        ("!=2.6.1", "2.6.1", False),
        (">=1", "unknown", False),
        (">=1", "9" * 5000, False),
    ],
    ids=lambda part: part[:12] if isinstance(part, str) else "",
)
def test_versions_are_those_of_the_record(specifier: str, version: str, fits: bool, tmp_path: Path) -> None:
    root = project(tmp_path, f'{{with: {{Some_Package: "{specifier}"}}}}', packages={"some.package": version})
    judgement = judged(checked(root))
    assert (judgement.verdict is Verdict.HOLDS) is fits
    if not fits:
        assert judgement.code == "other-version"
        assert judgement.message == (
            f"`{EVIDENCE}` was taken with `some-package` {version}, which is not `{specifier}`"
        )


def test_the_interpreter_is_the_version_of_python(tmp_path: Path) -> None:
    root = project(tmp_path, '{with: {python: ">=3.12"}}', packages={})
    assert judged(checked(root)).code == "other-version"


LOCKS = {
    "uv.lock": 'version = 1\n[[package]]\nname = "torch"\nversion = "{}"\n',
    "poetry.lock": '[[package]]\nname = "torch"\nversion = "{}"\n',
    "pylock.toml": 'lock-version = "1.0"\n[[packages]]\nname = "torch"\nversion = "{}"\n',
    "requirements.txt": "torch=={}\n",
    "constraints.txt": "torch=={}  # the CPU's\n",
}


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("packages", [None, {}, {"torch": "2.6"}], ids=["no record", "none", "recorded"])
def test_a_lock_file_counts_beside_the_record(
    lock: str, packages: dict[str, str] | None, tmp_path: Path
) -> None:
    root = project(tmp_path, '{with: {torch: ">=2,<3"}}', packages=packages)
    (root / lock).write_text(LOCKS[lock].format("2.7"))
    assert checked(root).ok
    (root / lock).write_text(LOCKS[lock].format("3.0"))
    judgement = judged(checked(root))
    assert (judgement.verdict, judgement.code) == (Verdict.STALE, "other-version")
    assert judgement.message == f"`{lock}` pins `torch` 3.0, which is not `>=2,<3`"


def test_a_version_that_nothing_knows_is_no_pass(tmp_path: Path) -> None:
    root = project(tmp_path, '{with: {torhc: ">=2"}}', packages={"torch": "2.6"})
    judgement = judged(checked(root))
    assert (judgement.verdict, judgement.code) == (Verdict.STALE, "no-version")
    assert "`torhc`" in judgement.message


def test_a_derived_claim_rests_on_the_versions_of_its_operands(tmp_path: Path) -> None:
    valid = 'valid: {with: {torch: ">=3"}}\n```\n'
    root = project(
        tmp_path,
        "{until: 2030-01-01}",
        packages={"torch": "2.6"},
        more=DERIVED.replace("```\n", valid) if DERIVED.endswith(valid) else DERIVED[:-4] + valid,
    )
    report = checked(root)
    assert judged(report).verdict is Verdict.HOLDS
    assert (judged(report, "twice").code, judged(report, "twice").fails) == ("other-version", True)


def test_the_configuration_names_the_lock_files(tmp_path: Path) -> None:
    root = project(tmp_path, '{with: {torch: ">=2"}}', packages={"torch": "2.6"})
    (root / "requirements.txt").write_text("torch==1.0\n")
    (root / "deps").mkdir()
    (root / "deps/gpu.txt").write_text("torch==1.5\n")
    assert "`requirements.txt`" in judged(checked(root)).message
    (root / "stilltrue.toml").write_text('locks = ["deps/gpu.txt"]\n')
    assert "`deps/gpu.txt`" in judged(checked(root)).message
    (root / "stilltrue.toml").write_text("locks = []\n")
    assert checked(root).ok


@pytest.mark.parametrize(("text", "code"), [("torch==\n", "bad-lock"), (None, "no-file")])
def test_a_lock_file_that_cannot_be_read_is_a_problem(text: str | None, code: str, tmp_path: Path) -> None:
    root = project(tmp_path, '{with: {torch: ">=2"}}', packages={"torch": "2.6"})
    (root / "stilltrue.toml").write_text('locks = ["deps.txt"]\n')
    if text is not None:
        (root / "deps.txt").write_text(text)
    report = checked(root)
    assert judged(report).verdict is Verdict.HOLDS
    assert [(problem.code, problem.place.path) for problem in report.problems] == [(code, "deps.txt")]
    assert not report.ok
    assert select(report, ("time",)).problems == report.problems


def test_a_version_that_may_stand_in_a_lock_file_that_cannot_be_read_is_one_problem(tmp_path: Path) -> None:
    root = project(tmp_path, '{with: {torch: ">=2", numpy: ">=2"}}', packages={"torch": "1.9"})
    (root / "requirements.txt").write_text("numpy=2\n")
    report = checked(root)
    assert (judged(report).code, judged(report).reasons) == ("other-version", ())
    assert [problem.code for problem in report.problems] == ["bad-lock"]
    assert not report.ok


def test_lock_files_are_not_looked_at_for_nothing(tmp_path: Path) -> None:
    root = project(tmp_path, "{until: 2030-01-01}")
    (root / "uv.lock").write_text("not TOML")
    trail = Trail()
    assert check(load(root), trail=trail).ok
    assert "uv.lock" not in trail.files


def test_a_check_says_what_it_depended_on(tmp_path: Path) -> None:
    root = project(tmp_path, '{with: {torch: ">=2"}}', packages={"torch": "2.6"})
    (root / "requirements.txt").write_text("-r more.txt\n")
    (root / "more.txt").write_text("torch==2.6\n")
    trail = Trail()
    assert check(load(root), trail=trail).ok
    assert trail.files >= {name_of(EVIDENCE), "requirements.txt", "more.txt", "uv.lock", "poetry.lock"}
    assert trail.head is None


def test_the_record_may_be_json_that_somebody_wrote(tmp_path: Path) -> None:
    root = project(tmp_path, '{with: {torch: ">=2"}}', packages={"torch": "2.6"})
    file = root / name_of(EVIDENCE)
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")), indent=7))
    assert checked(root).ok
