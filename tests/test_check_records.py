"""What a check makes of records: suspect claims, accepted changes, what operands pass on."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from recording_support import (
    COUNT,
    HEADER,
    MODULE,
    PROBE,
    SCRIPT,
    commit_all,
    environment,
    git,
    project,
    record_of,
    recorded,
    stilltrue_in,
    write,
)
from stilltrue.check import check, select
from stilltrue.codes import CODES
from stilltrue.config import load
from stilltrue.model import Judgement, Report, Verdict
from stilltrue.report import to_json, to_text

INPUT = "claims/evidence/lengths-1.csv"
READS = HEADER.replace(
    '# cost = "cheap"', '# reads = ["claims/evidence/lengths-*.csv"]\n# cost = "cheap"\n'.strip("\n")
)
PAGE = """\
```claim
id: targets
says: "There are {value}."
value: 205 modules
evidence: claims/evidence/count.json
read: {path: $.n}
```

```claim
id: again
says: "There are still {value}."
value: 205 modules
evidence: claims/evidence/count.json
read: {path: $.n}
```

```claim
id: twice
says: "Twice that is {value}."
value: "410"
derive: "{targets} * 2"
```

```claim
id: quoted
says: "Others count {value}."
value: 200 modules
reported: {by: them}
```
"""
RECORD = f"{COUNT}.provenance.json"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose evidence is recorded and committed."""
    root = project(tmp_path_factory.mktemp("base"), commit=False)
    write(root, {PROBE: READS + SCRIPT, INPUT: "7\n8\n", "docs/counts.md": PAGE})
    commit_all(root)
    recorded(root)
    commit_all(root)
    return root


@pytest.fixture
def root(base: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "project"
    shutil.copytree(base, copy, symlinks=True)
    return copy.resolve()


def checked(root: Path) -> Report:
    return check(load(root))


def judged(report: Report, name: str) -> Judgement:
    return next(judgement for judgement in report.judgements if judgement.claim.id == name)


def edit(root: Path, path: str, change: Callable[[str], str]) -> None:
    file = root / path
    before = file.read_bytes().decode()
    after = change(before)
    assert after != before
    file.write_bytes(after.encode())


def configure(root: Path, text: str) -> None:
    (root / "stilltrue.toml").write_text(text, encoding="utf-8")


def test_evidence_as_it_was_recorded_is_trusted(root: Path) -> None:
    report = checked(root)
    assert report.ok
    assert {j.claim.id: j.verdict for j in report.judgements} == {
        "targets": Verdict.HOLDS,
        "again": Verdict.HOLDS,
        "twice": Verdict.HOLDS,
        "quoted": Verdict.REPORTED,
    }
    assert judged(report, "targets").files == (COUNT,)
    assert report.provenance[COUNT].probe == PROBE
    assert report.probe(judged(report, "targets")) == PROBE
    assert judged(report, "twice").files == ()


def _elsewhere(root: Path) -> None:
    """The record of another file is put beside the evidence."""
    record = json.loads((root / RECORD).read_text("utf-8"))
    record["subject"][0]["name"] = "claims/evidence/other.json"
    record["subject"][0]["digest"]["sha256"] = "0" * 64
    (root / RECORD).write_text(json.dumps(record), "utf-8")


CHANGES: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "a byte of the evidence": (
        "edited-evidence",
        COUNT,
        lambda root: edit(root, COUNT, lambda text: text.replace("}", " }")),
    ),
    "the record of another file": ("not-a-subject", "claims/evidence/other.json", _elsewhere),
    "half a record": (
        "bad-provenance",
        COUNT,
        lambda root: edit(root, RECORD, lambda text: text[: len(text) // 2]),
    ),
    "an empty record": ("bad-provenance", COUNT, lambda root: (root / RECORD).write_text("")),
    "a constant of the probe": (
        "changed-probe",
        PROBE,
        lambda root: edit(root, PROBE, lambda text: text.replace("helper.N +", "helper.N + 0 +")),
    ),
    "a dependency of the probe": (
        "changed-probe",
        PROBE,
        lambda root: edit(root, PROBE, lambda text: text.replace("= []", '= ["click"]')),
    ),
    "a module that it imports": (
        "changed-probe",
        MODULE,
        lambda root: edit(root, MODULE, lambda text: text.replace("205", "206")),
    ),
    "a module that it imports, gone": ("changed-probe", MODULE, lambda root: (root / MODULE).unlink()),
    "the probe, gone": ("no-probe", PROBE, lambda root: (root / PROBE).unlink()),
    "an input": ("changed-input", INPUT, lambda root: edit(root, INPUT, lambda text: text + "9\n")),
    "an input, gone": ("changed-input", INPUT, lambda root: (root / INPUT).unlink()),
    "a further input": (
        "changed-input",
        "lengths-2.csv",
        lambda root: (root / "claims/evidence/lengths-2.csv").write_text("1\n"),
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changed_makes_the_claims_suspect(what: str, root: Path) -> None:
    code, names, change = CHANGES[what]
    change(root)
    report = checked(root)
    judgement = judged(report, "targets")
    assert (judgement.verdict, judgement.code, judgement.fails) == (Verdict.SUSPECT, code, True)
    assert names in judgement.message
    assert judgement.hint
    assert code in CODES
    assert judged(report, "quoted").verdict is Verdict.REPORTED


HARMLESS: dict[str, Callable[[Path], object]] = {
    "a comment in the probe": lambda root: edit(root, PROBE, lambda text: f"{text}# counted\n"),
    "another layout": lambda root: edit(
        root, MODULE, lambda text: text.replace("N = 205", "N   =   205  # modules")
    ),
    "line ends": lambda root: edit(root, PROBE, lambda text: text.replace("\n", "\r\n")),
    "a comment in the header": lambda root: edit(
        root, PROBE, lambda text: text.replace("dependencies = []", "dependencies = [] # none")
    ),
    "a file beside it": lambda root: (root / "probes/other.py").write_text("1\n"),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_does_not_matter_leaves_the_claims_alone(what: str, root: Path) -> None:
    HARMLESS[what](root)
    assert checked(root).ok


def test_evidence_that_is_gone_is_broken_and_nothing_else(root: Path) -> None:
    (root / COUNT).unlink()
    judgement = judged(checked(root), "targets")
    assert (judgement.verdict, judgement.also, judgement.code) == (Verdict.BROKEN, (), "no-file")


def test_a_drifted_claim_whose_probe_changed_is_drifted_and_also_suspect(root: Path) -> None:
    edit(root, "docs/counts.md", lambda text: text.replace("205", "206", 1))
    edit(root, MODULE, lambda text: text.replace("205", "206"))
    report = checked(root)
    judgement = judged(report, "targets")
    assert (judgement.verdict, judgement.also) == (Verdict.DRIFTED, (Verdict.SUSPECT,))
    assert judgement.code == "drifted"
    text = to_text(report)
    assert "targets drifted (also suspect): the page says `206 modules`" in text
    assert f"  also suspect: `{MODULE}`, which `{PROBE}` imports, changed since" in text


def test_a_number_that_edited_evidence_gives_is_not_to_be_stated(root: Path) -> None:
    edit(root, COUNT, lambda text: text.replace("205", "206"))
    judgement = judged(checked(root), "targets")
    assert (judgement.verdict, judgement.also) == (Verdict.DRIFTED, (Verdict.SUSPECT,))
    assert judgement.hint.startswith(f"restore it, run `stilltrue record {PROBE}`")
    assert "update" not in judgement.hint


def test_evidence_edited_beyond_reading_is_broken_and_also_suspect(root: Path) -> None:
    edit(root, COUNT, lambda text: text.replace('"n"', '"m"'))
    judgement = judged(checked(root), "targets")
    assert (judgement.verdict, judgement.also) == (Verdict.BROKEN, (Verdict.SUSPECT,))


def test_every_further_reason_is_listed(root: Path) -> None:
    edit(root, MODULE, lambda text: text.replace("205", "206"))
    edit(root, INPUT, lambda text: text + "9\n")
    edit(root, COUNT, lambda text: text.replace("}", " }"))
    judgement = judged(checked(root), "targets")
    assert judgement.code == "edited-evidence"
    assert [reason.split("`")[1] for reason in judgement.reasons] == [MODULE, INPUT]


# What was not committed ----------------------------------------------------------------------------------


@pytest.fixture
def dirty(root: Path) -> Path:
    """Evidence taken with a module as git does not hold it."""
    edit(root, MODULE, lambda text: text + "M = 1\n")
    return recorded(root, "--allow-dirty")


def test_evidence_of_what_is_not_committed_is_suspect_until_it_is(dirty: Path) -> None:
    judgement = judged(checked(dirty), "targets")
    assert (judgement.verdict, judgement.code) == (Verdict.SUSPECT, "not-committed")
    assert MODULE in judgement.message
    assert f"commit `{MODULE}`" in judgement.hint
    commit_all(dirty)
    assert checked(dirty).ok


def test_without_git_the_digests_decide(dirty: Path) -> None:
    commit_all(dirty)
    shutil.rmtree(dirty / ".git")
    assert checked(dirty).ok
    edit(dirty, MODULE, lambda text: text.replace("M = 1", "M = 2"))
    assert judged(checked(dirty), "targets").code == "changed-probe"


def test_a_file_that_no_commit_holds_makes_nothing_suspect_while_it_is_there(root: Path) -> None:
    git(root, "rm", "-q", "--cached", PROBE)
    git(root, "commit", "-qm", "without the probe")
    recorded(root)
    assert record_of(root).changed == (PROBE,)
    assert checked(root).ok
    edit(root, PROBE, lambda text: text + "N = 1\n")
    assert judged(checked(root), "targets").code == "changed-probe"


def test_a_clone_without_the_new_probe_says_that_it_is_gone(root: Path, tmp_path: Path) -> None:
    git(root, "rm", "-q", "--cached", PROBE)
    git(root, "commit", "-qm", "without the probe")
    recorded(root)
    git(root, "add", "claims", "docs")
    git(root, "commit", "-qm", "the evidence alone")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    assert judged(checked(clone), "targets").code == "no-probe"


def test_what_is_committed_must_be_what_was_run(dirty: Path) -> None:
    edit(dirty, MODULE, lambda text: text.replace("M = 1", "M = 2"))
    commit_all(dirty)
    judgement = judged(checked(dirty), "targets")
    assert (judgement.verdict, judgement.code) == (Verdict.SUSPECT, "changed-probe")


def test_a_commit_that_was_lost_is_no_fault(dirty: Path) -> None:
    commit_all(dirty)
    shutil.rmtree(dirty / ".git")
    project(dirty, {path: (dirty / path).read_bytes().decode() for path in _files(dirty)}, commit=False)
    commit_all(dirty, "squashed")
    assert checked(dirty).ok


def _files(root: Path) -> list[str]:
    found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return [path.as_posix() for path in found if path.parts[0] not in (".git", ".stilltrue")]


# Accepting -----------------------------------------------------------------------------------------------


def test_accepting_clears_the_claim_and_the_change_that_it_names(root: Path) -> None:
    edit(root, MODULE, lambda text: text.replace("205", "206"))
    assert stilltrue_in(root, "accept", "targets", "--because", "it is counted elsewhere").code == 0
    report = checked(root)
    assert judged(report, "targets").verdict is Verdict.HOLDS
    assert judged(report, "twice").verdict is Verdict.HOLDS
    assert judged(report, "again").code == "changed-probe"
    edit(root, MODULE, lambda text: text.replace("206", "207"))
    assert judged(checked(root), "targets").code == "changed-probe"


# Operands, severity --------------------------------------------------------------------------------------


def test_a_derived_claim_inherits_and_is_counted_once(root: Path) -> None:
    edit(root, MODULE, lambda text: text.replace("205", "206"))
    report = checked(root)
    derived = judged(report, "twice")
    assert (derived.verdict, derived.cause, derived.fails) == (Verdict.SUSPECT, "targets", False)
    assert derived.message == "its operand `targets` is suspect"
    assert derived.found_text == "410"
    assert [j.claim.id for j in report.judgements if j.fails] == ["targets", "again"]
    text = to_text(report)
    assert "  and so:\n    docs/counts.md:20: twice suspect: its operand `targets` is suspect" in text


def test_asking_for_a_derived_claim_shows_its_cause(root: Path) -> None:
    edit(root, MODULE, lambda text: text.replace("205", "206"))
    report = select(checked(root), ("twice",))
    assert [j.claim.id for j in report.judgements] == ["targets", "twice"]
    assert not report.ok


def test_the_configuration_lowers_it_to_a_warning(root: Path) -> None:
    configure(root, 'severity = {suspect = "warn"}\n')
    edit(root, MODULE, lambda text: text.replace("205", "206"))
    report = checked(root)
    assert report.ok
    assert judged(report, "twice").verdict is Verdict.SUSPECT
    assert to_text(report).count("warning: ") == 2
    edit(root, "docs/counts.md", lambda text: text.replace("value: 205", "value: 206", 1))
    assert [j.claim.id for j in checked(root).judgements if j.fails] == ["targets"]


@pytest.mark.parametrize(("level", "fails"), [("fail", ["targets"]), ("warn", ["again"])])
def test_the_claims_own_severity_has_the_last_word(level: str, fails: list[str], root: Path) -> None:
    if level == "fail":
        configure(root, 'severity = {suspect = "warn"}\n')
    severity = f"severity: {{level: {level}, because: so}}\n"
    edit(root, "docs/counts.md", lambda text: text.replace("says:", f"{severity}says:", 1))
    edit(root, MODULE, lambda text: text.replace("205", "206"))
    failing = [j.claim.id for j in checked(root).judgements if j.fails and j.claim.id != "twice"]
    assert failing == fails


def test_nobody_lowered_what_is_derived_from_a_lowered_claim(root: Path) -> None:
    severity = "severity: {level: warn, because: so}\n"
    edit(root, "docs/counts.md", lambda text: text.replace("says:", f"{severity}says:", 1))
    edit(root, MODULE, lambda text: text.replace("205", "206"))
    assert judged(checked(root), "twice").fails


def test_a_link_that_disagrees_fails_beside_a_suspect_claim(root: Path) -> None:
    configure(root, 'severity = {suspect = "warn"}\n')
    edit(root, MODULE, lambda text: text.replace("205", "206"))
    edit(root, "docs/counts.md", lambda text: f"{text}\nThere are [204](claim:targets).\n")
    report = checked(root)
    assert [(problem.code, problem.claim) for problem in report.problems] == [("link-disagrees", None)]
    assert not report.ok


# Without a record ----------------------------------------------------------------------------------------


def test_without_a_record_a_claim_is_judged_and_marked_so(root: Path) -> None:
    (root / RECORD).unlink()
    report = checked(root)
    assert report.ok
    assert report.provenance == {}
    claims = {claim["id"]: claim for claim in json.loads(to_json(report))["claims"]}
    assert claims["targets"]["provenance"] is None
    assert claims["targets"]["probe"] is None


def test_json_says_which_probe_and_which_commit(root: Path) -> None:
    claims = {claim["id"]: claim for claim in json.loads(to_json(checked(root)))["claims"]}
    assert claims["targets"]["probe"] == PROBE
    ((record),) = claims["targets"]["provenance"]
    assert (record["path"], record["probe"], record["source"]) == (COUNT, PROBE, None)
    assert len(record["commit"]) == 40
    assert claims["twice"]["provenance"] is None


def test_a_project_may_require_records(root: Path) -> None:
    configure(root, "require_provenance = true\n")
    assert checked(root).ok
    (root / RECORD).unlink()
    superseded = 'superseded: {on: 2026-01-01, because: "it was wrong"}\n'
    edit(root, "docs/counts.md", lambda text: text.replace("id: again\n", f"id: again\n{superseded}"))
    report = checked(root)
    judgement = judged(report, "targets")
    assert (judgement.verdict, judgement.code) == (Verdict.SUSPECT, "no-provenance")
    assert COUNT in judgement.message
    assert "stilltrue record" in judgement.hint
    assert judged(report, "again").verdict is Verdict.SUPERSEDED
    assert judged(report, "quoted").verdict is Verdict.REPORTED
    assert judged(report, "twice").cause == "targets"


# What a check does not do --------------------------------------------------------------------------------

WATCHED = """\
import collections, json, os, sys
STARTS = {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "os.system", "pty.spawn"}
root = os.getcwd()
seen = {"processes": [], "imports": [], "opened": collections.Counter()}
def hook(event, args):
    if event in STARTS:
        seen["processes"].append([event, str(args[0])])
    elif event == "import" and args[1] and os.path.realpath(str(args[1])).startswith(root):
        seen["imports"].append(args[0])
    elif event == "open" and isinstance(args[0], (str, bytes, os.PathLike)):
        seen["opened"][os.path.relpath(os.fsdecode(args[0]), root)] += 1
sys.addaudithook(hook)
from stilltrue.cli.boundary import run
code = run(sys.argv[1:])
imported = [name for name, m in list(sys.modules.items())
            if (getattr(m, "__file__", None) or "").startswith(root)]
print(json.dumps({**seen, "imports": seen["imports"] + imported, "code": code}), file=sys.stderr)
"""


def watched(root: Path, *arguments: str) -> dict[str, object]:
    """What a check of a project did, as the interpreter itself saw it."""
    script = root.parent / "watched.py"  # outside, as the command is: its folder is where Python looks first
    script.write_text(WATCHED)
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    seen = json.loads(done.stderr.splitlines()[-1])
    assert isinstance(seen, dict)
    return seen


def test_a_check_starts_nothing_but_git_and_imports_nothing_of_the_project(dirty: Path) -> None:
    for name in ("json", "click", "packaging", "stilltrue", "conftest", "sitecustomize"):
        (dirty / f"{name}.py").write_text(f'raise SystemExit("{name} of the project was imported")\n')
    seen = watched(dirty, "check", "--no-cache")
    assert seen["code"] == 1
    assert seen["imports"] == []
    assert seen["processes"]
    assert {str(what) for _, what in seen["processes"]} == {"git"}  # type: ignore[attr-defined]  # JSON


def test_the_watch_sees_what_a_rerun_starts(root: Path) -> None:
    seen = watched(root, "check", "--rerun", "cheap")
    assert {str(what) for _, what in seen["processes"]} != {"git"}  # type: ignore[attr-defined]  # JSON


def test_every_file_is_read_once_however_many_claims_there_are(root: Path) -> None:
    claim = PAGE.split("```claim\n")[1]
    copies = (f"```claim\n{claim.replace('id: targets', f'id: copy-{n}')}" for n in range(50))
    edit(root, "docs/counts.md", lambda text: text + "".join(copies))
    opened = watched(root, "check", "--no-cache")["opened"]
    assert isinstance(opened, dict)
    assert {path: opened.get(path) for path in (RECORD, PROBE, MODULE)} == {RECORD: 1, PROBE: 2, MODULE: 1}
    assert opened[COUNT] == 2  # once for its readings, once for its digest
