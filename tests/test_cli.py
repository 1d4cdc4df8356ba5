"""The command line through its real entry: what it prints where, and its exit codes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from stilltrue.cli.app import app
from stilltrue.cli.boundary import run
from stilltrue.cli.group import PURPOSES

PAGE = """\
# Speed

A step takes [1.38 s](claim:step-time).

```claim
id: step-time
says: "One step takes {value} at width 4,096."
value: 1,381 ms
evidence: claims/evidence/bench.json
read:
  path: $.seconds
  unit: s
tags: [speed]
```

```claim
id: peak
says: "It needs {value} at most."
value: 14.2 GiB
evidence: claims/evidence/run.txt
read:
  match: 'peak (\\S+ GiB)'
tags: [memory]
owner: ml-team
```
"""

Project = Callable[..., Path]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Makes a project of files and goes there; by default two claims that hold."""

    def made(files: dict[str, str] | None = None, **more: str) -> Path:
        default = {
            "stilltrue.toml": "",
            "docs/speed.md": PAGE,
            "claims/evidence/bench.json": '{\n  "seconds": 1.3812\n}\n',
            "claims/evidence/run.txt": "epoch 1\npeak 14.23 GiB\n",
        }
        for name, text in {**(default if files is None else files), **more}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        return tmp_path

    return made


SEE_CHECK = "\n  see `stilltrue check --help` [usage]\n"
DRIFTED = {"claims/evidence/bench.json": '{\n  "seconds": 1.402\n}\n'}


# Exit codes --------------------------------------------------------------------------------------------


def test_all_claims_hold(project: Project, capsys: Capture) -> None:
    project()
    assert run(["check"]) == 0
    out, err = capsys.readouterr()
    assert out == "2 claims: 2 hold\n"
    assert err == ""


def test_a_drifted_claim_fails_and_names_both_sides(project: Project, capsys: Capture) -> None:
    project(**DRIFTED)
    assert run(["check"]) == 1
    out, err = capsys.readouterr()
    first, *_, last = out.splitlines()
    assert first.startswith("docs/speed.md:8: step-time drifted: ")
    assert "1,381 ms" in first
    assert "1,402 ms" in first
    assert "claims/evidence/bench.json:2" in first
    assert last == "2 claims: 1 holds, 1 drifted"
    assert err == ""


def test_a_malformed_block_fails(project: Project, capsys: Capture) -> None:
    project(**{"docs/speed.md": PAGE.replace("value: 1,381", "vlaue: 1,381")})
    assert run(["check"]) == 1
    assert re.search(r"^docs/speed\.md:8: .*vlaue", capsys.readouterr().out, re.MULTILINE)


def test_a_project_without_claims_is_nothing_to_check(project: Project, capsys: Capture) -> None:
    project({"stilltrue.toml": "", "README.md": "# Nothing\n"})
    assert run(["check"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.rstrip().endswith("[nothing-to-check]")


def test_a_wrong_configuration_is_named(project: Project, capsys: Capture) -> None:
    project(**{"stilltrue.toml": "pagse = []\n"})
    assert run(["check"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert (
        err == "stilltrue.toml: unknown key `pagse` in the configuration\n  did you mean `pages`? [config]\n"
    )


@pytest.mark.parametrize("arguments", [["check", "stp-time"], ["show", "stp-time"]])
def test_an_unknown_id_is_usage_and_the_near_one_is_named(
    arguments: list[str], project: Project, capsys: Capture
) -> None:
    project()
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "`stp-time`" in err
    assert "  did you mean `step-time`? [" in err


def test_an_unknown_tag_is_usage_and_the_near_one_is_named(project: Project, capsys: Capture) -> None:
    project()
    assert run(["check", "--tag", "sped"]) == 2
    assert "  did you mean `speed`? [" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "stilltrue: missing command\n  see `stilltrue --help` [usage]\n"),
        (["chekc"], "stilltrue: there is no command `chekc`\n  did you mean `check`? [usage]\n"),
        (
            ["x"],
            (
                "stilltrue: there is no command `x`\n"
                "  the commands are `init`, `new`, `schema`, `check`, `show`, `readings`, `record`, "
                "`adopt`, `accept`, `bind`, `update`, `supersede`, `coverage`, `mutate`, `preflight`, "
                "`pages`, `verify-site` [usage]\n"
            ),
        ),
        (["--verison"], "stilltrue: there is no option `--verison`\n  did you mean `--version`? [usage]\n"),
        (
            ["check", "--fromat", "json"],
            "stilltrue check: there is no option `--fromat`\n  did you mean `--format`? [usage]\n",
        ),
        (
            ["check", "--format", "xml"],
            (
                "stilltrue check: invalid value for '--format': 'xml' is not one of "
                f"'text', 'json', 'sarif', 'github'{SEE_CHECK}"
            ),
        ),
        (["show"], "stilltrue show: missing argument 'ID'\n  see `stilltrue show --help` [usage]\n"),
        (
            ["check", "--project", "nowhere"],
            f"stilltrue check: invalid value for '--project': Directory 'nowhere' does not exist{SEE_CHECK}",
        ),
    ],
)
def test_a_usage_error_has_the_form_of_all_messages(
    arguments: list[str], message: str, project: Project, capsys: Capture
) -> None:
    project()
    assert run(arguments) == 2
    assert capsys.readouterr() == ("", message)


def test_an_argument_cannot_speak_to_a_terminal(project: Project, capsys: Capture) -> None:
    project()
    assert run(["\x1b[2J##[error]"]) == 2
    err = capsys.readouterr().err
    assert r"\x1b[2J\x23#[error]" in err
    assert "\x1b" not in err


def test_a_bug_of_ours_asks_for_a_report_and_keeps_the_traceback(
    project: Project, capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("STILLTRUE_TRACEBACK", raising=False)
    monkeypatch.setattr("stilltrue.cli.commands.check_claims", fail)
    assert run(["check"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(
        "stilltrue: this is a bug in stilltrue (ZeroDivisionError)\n  please report it with "
    )
    assert err.endswith(" [bug]\n")
    (kept,) = tmp_path.glob("stilltrue-*.txt")
    assert str(kept) in err
    assert "\nZeroDivisionError: " in kept.read_text(encoding="utf-8")
    assert "Traceback" not in err


def test_a_bugs_traceback_is_shown_when_asked_for(
    project: Project, capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("STILLTRUE_TRACEBACK", "1")
    monkeypatch.setattr("stilltrue.cli.commands.check_claims", fail)
    assert run(["check"]) == 3
    assert "Traceback (most recent call last):" in capsys.readouterr().err
    assert not list(tmp_path.glob("stilltrue-*.txt"))


def fail(*_: object, **__: object) -> int:
    return 1 // 0


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left on device", "/x/y"), "/x/y: the system says: No space left on device\n"),
        (MemoryError(), "stilltrue: there is not enough memory\n"),
    ],
)
def test_what_the_machine_refuses_is_no_bug(
    error: Exception, message: str, project: Project, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise error

    project()
    monkeypatch.setattr("stilltrue.cli.commands.check_claims", refuse)
    assert run(["check"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(message)
    assert err.endswith(" [system]\n")


def test_an_interrupt_is_130(project: Project, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    project()
    monkeypatch.setattr("stilltrue.cli.commands.check_claims", interrupt)
    assert run(["check"]) == 130
    assert capsys.readouterr() == ("", "")


# check -------------------------------------------------------------------------------------------------


def test_only_the_named_claims_are_judged(project: Project, capsys: Capture) -> None:
    project(**DRIFTED)
    assert run(["check", "peak"]) == 0
    assert run(["check", "step-time"]) == 1
    assert capsys.readouterr().out.startswith("1 claim: 1 holds\ndocs/speed.md:8: step-time drifted")


def test_only_the_claims_with_a_tag_are_judged(project: Project, capsys: Capture) -> None:
    project(**DRIFTED)
    assert run(["check", "--tag", "memory"]) == 0
    assert run(["check", "--tag", "memory", "--tag", "speed"]) == 1
    assert capsys.readouterr().out.endswith("2 claims: 1 holds, 1 drifted\n")


def test_the_json_holds_the_same_verdicts(project: Project, capsys: Capture) -> None:
    project(**DRIFTED)
    assert run(["check", "--format", "json"]) == 1
    whole = json.loads(capsys.readouterr().out)
    assert (whole["format"], whole["ok"]) == (1, False)
    assert [(c["id"], c["verdict"]) for c in whole["claims"]] == [("step-time", "drifted"), ("peak", "holds")]
    assert whole["claims"][0]["found"] == {"text": "1,402 ms", "value": "1402", "unit": "ms"}
    assert whole["claims"][0]["readings"] == [
        {"path": "claims/evidence/bench.json", "line": 2, "value": "1.402", "unit": "s"}
    ]


def test_the_project_is_found_from_a_folder_inside_it(
    project: Project, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project()
    monkeypatch.chdir(root / "docs")
    assert run(["check"]) == 0
    monkeypatch.chdir("/")
    assert run(["check", "--project", str(root)]) == 0
    assert run(["check", "--project", str(root / "claims" / "evidence")]) == 0
    assert capsys.readouterr().out == "2 claims: 2 hold\n" * 3


def test_a_second_check_says_the_same(project: Project, capsys: Capture) -> None:
    root = project()
    an_hour_ago = (root / "stilltrue.toml").stat().st_mtime - 3600
    for path in root.rglob("*"):
        os.utime(path, (an_hour_ago, an_hour_ago))
    assert [run(["check"]) for _ in range(3)] == [0, 0, 0]
    (root / "claims/evidence/bench.json").write_text('{"seconds": 2}', encoding="utf-8")
    assert run(["check"]) == 1
    assert capsys.readouterr().out.startswith("2 claims: 2 hold\n" * 3 + "docs/speed.md:8: step-time drifted")


def test_without_the_cache_nothing_is_remembered(project: Project, capsys: Capture) -> None:
    root = project()
    assert run(["check", "--no-cache"]) == 0
    assert capsys.readouterr().out == "2 claims: 2 hold\n"
    assert not (root / ".stilltrue").exists()


def snapshot(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and ".stilltrue" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def test_nothing_is_written_but_the_cache(project: Project) -> None:
    root = project()
    before = snapshot(root)
    run(["show", "step-time"])
    assert not (root / ".stilltrue").exists()
    run(["check"])
    run(["check", "--format", "json"])
    assert snapshot(root) == before


README = Path(__file__).parents[1] / "README.md"


def test_the_readmes_example_does_what_the_readme_says(project: Project, capsys: Capture) -> None:
    text = README.read_text(encoding="utf-8")
    (page,) = re.findall(r"^````markdown\n(.*?)^````$", text, re.MULTILINE | re.DOTALL)
    (report,) = re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (rows,) = re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (passed,) = re.findall(r"A check that passes prints `(.*?)`", text)
    project({"docs/speed.md": page, "claims/evidence/bench.json": rows})
    assert run(["check"]) == 0
    assert capsys.readouterr().out == f"{passed}\n"
    project({"claims/evidence/bench.json": rows.replace("1.3812", "1.402")})
    assert run(["check"]) == 1
    assert capsys.readouterr().out == report


# show --------------------------------------------------------------------------------------------------


def test_show_tells_all_about_one_claim(project: Project, capsys: Capture) -> None:
    project()
    assert run(["show", "peak"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(
        "peak: holds\n  It needs 14.2 GiB at most.\n\n  stated      14.2 GiB  docs/speed.md:19\n"
    )
    assert "\n  owner       ml-team\n" in out
    assert out.endswith("\n  claims/evidence/run.txt\n       2 | peak 14.23 GiB\n")


def test_show_names_the_links_that_bind_a_claim(project: Project, capsys: Capture) -> None:
    project()
    assert run(["show", "step-time"]) == 0
    assert "\n  linked      docs/speed.md:3  1.38 s\n" in capsys.readouterr().out


def test_show_of_a_failing_claim_is_no_failure(project: Project, capsys: Capture) -> None:
    project(**DRIFTED)
    assert run(["show", "step-time"]) == 0
    assert capsys.readouterr().out.startswith("step-time: drifted\n")


def test_show_of_a_claim_without_evidence_says_why(project: Project, capsys: Capture) -> None:
    root = project()
    (root / "claims/evidence/run.txt").unlink()
    assert run(["show", "peak"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("peak: broken\n")
    assert "\n  found       nothing\n" in out


def test_show_of_a_malformed_block_tells_its_problem(project: Project, capsys: Capture) -> None:
    project(**{"docs/speed.md": PAGE.replace("value: 1,381", "vlaue: 1,381")})
    assert run(["show", "step-time"]) == 1
    assert "vlaue" in capsys.readouterr().out


# Help --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["check", "--help"], ["show", "-h"]])
def test_help_goes_to_standard_output(arguments: list[str], capsys: Capture) -> None:
    assert run(arguments) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Usage: stilltrue ")
    assert err == ""


def test_help_lists_every_command_once_by_what_it_is_for(capsys: Capture) -> None:
    run(["--help"])
    lines = capsys.readouterr().out.partition("Options:")[2].splitlines()
    shown = [line.split()[0] for line in lines if line.startswith("  ") and line[2:3].strip()]
    headings = [line.rstrip(":") for line in lines if line[:1].strip()]
    assert headings == list(PURPOSES)
    assert [name for name in shown if not name.startswith("-")] == [
        n for names in PURPOSES.values() for n in names
    ]
    assert sorted(app.commands) == sorted(name for names in PURPOSES.values() for name in names)


@pytest.mark.parametrize("name", [[], ["new"]])
def test_each_command_is_listed_on_one_line_of_a_small_terminal(name: list[str], capsys: Capture) -> None:
    run([*name, "--help"])
    listed = capsys.readouterr().out.partition("Show this message.\n")[2]
    assert listed.count("\n  ") >= 3
    assert [
        line for line in listed.splitlines() if line.startswith("   ") or len(line) > 79 or "..." in line
    ] == []


def test_the_version_is_told(capsys: Capture) -> None:
    assert run(["--version"]) == 0
    assert re.fullmatch(r"stilltrue \d+\.\d+\.\d+\n", capsys.readouterr().out)
