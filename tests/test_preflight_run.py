"""`stilltrue preflight` as a whole: what it prints, its exit codes, and what it starts."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from preflight_support import launch_of, look
from recording_support import command, environment, process_in, stilltrue_in, unchanged, write
from stilltrue.cli import boundary
from stilltrue.errors import InputError
from stilltrue.model import Place
from stilltrue.preflight import (
    Finding,
    Launch,
    Preflight,
    Result,
    failed,
    launched,
    passed,
    reading,
    to_json,
    to_text,
)
from stilltrue.preflight.keys import Keys
from stilltrue.preflight.settings import Settings
from stilltrue.preflight.table import CHECKS, Check

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tool" / "preflight.md"


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a check of the test's own into the table, called `tree`."""

    def put(run: Callable[[Launch, Settings], Iterator[Finding]], keys: Keys = MappingProxyType({})) -> None:
        table = {**CHECKS, "tree": Check("It is.", keys, run)}
        monkeypatch.setattr(reading, "CHECKS", table)

    return put


def one(*findings: Finding) -> Preflight:
    return Preflight("preflight.yml", (Result("tree", findings), Result("copies", (passed("a", "b"),))))


def test_the_text_tells_each_finding_the_cure_of_what_fails_and_the_counts() -> None:
    text = to_text(
        one(
            passed("commit", "c0ffee", Place("run.json", 1)),
            failed("lr", "is no parameter", "did you mean `rate`?", Place("args.yml", 7)),
            failed("args.yml:9", "is stale", "mend it", Place("args.yml", 9)),
            failed("tree", "git is not there", "install it"),
        )
    )
    assert text == (
        "ok    tree: commit: c0ffee\n"
        "FAIL  tree: lr: is no parameter (args.yml:7)\n"
        "      did you mean `rate`?\n"
        "FAIL  tree: args.yml:9: is stale\n"
        "      mend it\n"
        "FAIL  tree: git is not there\n"
        "      install it\n"
        "ok    copies: a: b\n"
        "\n"
        "2 checks: 1 passed, 1 failed (tree)\n"
    )


def test_what_programs_said_cannot_speak_to_a_terminal_or_a_ci_runner() -> None:
    seen = one(failed("\x1b[31m", "::error::x\n##[group]\u202e", "::warning::", Place("a\nb", 1)))
    text = to_text(seen)
    assert not re.search(r"\x1b|\u202e|##\[|^\s*::", text, re.MULTILINE)
    assert text.count("\n") == 5
    assert "##" not in to_json(seen)
    assert json.loads(to_json(seen))["checks"][0]["findings"][0]["saw"] == "::error::x\n##[group]\u202e"


def test_marks_are_coloured_where_that_is_asked_for() -> None:
    text = to_text(one(failed("a", "b", "c")), colour=True)
    assert text.startswith("\x1b[31mFAIL\x1b[0m  tree")
    assert "\x1b[32mok  \x1b[0m  copies" in text


def test_the_json_is_that_of_the_page_and_its_counts_are_of_checks() -> None:
    report = json.loads(to_json(one(failed("a", "b", "c", Place("x.yml")))))
    assert report["counts"] == {"passed": 1, "failed": 1}
    assert report["checks"][0]["findings"] == [
        {"ok": False, "what": "a", "saw": "b", "hint": "c", "path": "x.yml", "line": None}
    ]
    shown = re.search(r'```json title="a report"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    page = json.loads(shown[1])
    assert (page.keys(), page["checks"][0].keys()) == (report.keys(), report["checks"][0].keys())
    assert page["checks"][0]["findings"][0].keys() == report["checks"][0]["findings"][0].keys()


def test_nothing_at_all_has_not_passed() -> None:
    assert not Preflight("a", ()).ok
    assert not Result("a", ()).ok
    with pytest.raises(ValueError, match="has a hint"):
        failed("a", "b", "")


def raising(error: Exception) -> Callable[[Launch, Settings], Iterator[Finding]]:
    def run(_launch: Launch, _settings: Settings) -> Iterator[Finding]:
        yield passed("first", "fine")
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "saw", "place"),
    [
        (
            InputError("no-file", "there is no file", "look", path="a.json", line=3),
            "there is no file",
            ("a.json", 3),
        ),
        (InputError("no-file", "there is no file"), "there is no file", ("preflight.yml", 1)),
        (KeyError("peak"), "the check itself broke: KeyError: 'peak'", ("preflight.yml", 1)),
        (MemoryError(), "the check itself broke: MemoryError", ("preflight.yml", 1)),
    ],
    ids=["with a place", "without", "bug", "memory"],
)
def test_what_a_check_raises_fails_it_and_the_others_go_on(
    tmp_path: Path, checked: Callable[..., None], error: Exception, saw: str, place: tuple[str, int]
) -> None:
    checked(raising(error))
    seen = look(launch_of(tmp_path, "tree: {}\nrelies_on: a\n"))
    assert [finding["what"] for finding in seen.checks["tree"]] == ["first", "tree"]
    last = seen.checks["tree"][-1]
    assert (last["saw"], (last["path"], last["line"])) == (saw, place)
    assert "relies_on" in seen.checks


def test_a_check_that_saw_nothing_has_not_passed(tmp_path: Path, checked: Callable[..., None]) -> None:
    checked(lambda _launch, _settings: iter(()))
    assert look(launch_of(tmp_path, "tree: {}\n")).wrong("tree") == ["tree: there was nothing to look at"]


def test_the_claims_are_judged_once_however_many_checks_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []
    monkeypatch.setattr("stilltrue.preflight.run.check_claims", lambda config: asked.append(config.root))
    launch_of(tmp_path, "relies_on: [a, b]\ncopies: {files: stilltrue.toml}\n")
    look(tmp_path)
    assert len(asked) == 1


def shown(page: str) -> tuple[dict[str, str], str]:
    """The files and the output of the example that the page opens with."""
    first = page.partition("In a launcher")[0]
    files = dict(re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', first, re.MULTILINE | re.DOTALL))
    (output,) = re.findall(r"^\$ stilltrue preflight\n(.*?)^```$", first, re.MULTILINE | re.DOTALL)
    return files, output


def test_the_example_of_the_page_goes_as_shown_and_nothing_is_written(tmp_path: Path) -> None:
    files, output = shown(PAGE.read_text(encoding="utf-8"))
    root = launch_of(tmp_path, files.pop("preflight.yml"), files, commit=True)
    head = subprocess.run(
        ["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    write(root, {"runs/run.json": json.dumps({"commit": head})})
    with unchanged(root):
        done = process_in(root, "preflight")
    assert not (root / ".stilltrue").exists()
    assert re.sub(r"[0-9a-f]{40}", "COMMIT", done.out) == re.sub(r"[0-9a-f]{40}", "COMMIT", output)
    assert (done.code, done.err) == (1, "")


def test_an_interrupt_ends_what_was_started_and_the_command_and_what_was_seen_stays(tmp_path: Path) -> None:
    root = launch_of(
        tmp_path,
        "tree: {}\narguments: {of: slow.Any, given: a.json}\n",
        {
            "a.json": '{"a": 1}',
            "slow.py": "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)\n",
        },
    )
    process = subprocess.Popen(
        command("preflight"), cwd=root, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    started = wait_for(lambda: (root / "pid").exists() and (root / "pid").read_text(encoding="utf-8"))
    assert process.stdout
    seen = process.stdout.readline() + process.stdout.readline()  # while the second check looks
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert seen.startswith(b"FAIL  tree: commit: git is not there")
    assert seen.endswith(b"\n      commit what will run\n")
    assert (process.returncode, out, err) == (130, b"", b"")
    wait_for(lambda: not alive(int(started)))


def wait_for(look: Callable[[], object], seconds: float = 60.0) -> str:
    """What `look` gives as soon as that is something."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := look():
            return str(found)
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{number}/stat")
    return not (state.exists() and state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z")


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_a_program_tells_how_it_ended_and_what_it_said(tmp_path: Path) -> None:
    program = "import os, sys; print(os.getcwd(), os.environ['A'], sys.stdin.read()); sys.exit('bad\\nworse')"
    ran = launched.run(python(program), folder=tmp_path, timeout_s=60, environment={"A": "b c"})
    assert (ran.status, ran.out, ran.err) == (1, f"{tmp_path} b c \n", "bad\nworse")
    assert (ran.ok, ran.fault) == (False, "exit code 1: worse")
    fine = launched.run(python("print('no line end', end='')"), folder=tmp_path, timeout_s=60)
    assert (fine.ok, fine.out, fine.fault) == (True, "no line end", "")


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["no-such-program-here"], "`no-such-program-here` cannot be started: No such file or directory"),
        (python("import os; os.kill(os.getpid(), 9)"), "it was ended by signal 9"),
        (python("while True: print('x' * 9999)"), "it printed more than 100,000 bytes, and was ended"),
    ],
    ids=["missing", "signal", "output"],
)
def test_a_program_that_gives_nothing_says_why(tmp_path: Path, words: list[str], fault: str) -> None:
    ran = launched.run(words, folder=tmp_path, timeout_s=60, most_bytes=100_000)
    assert not ran.ok
    assert ran.fault.startswith(fault)
    assert len(ran.out) <= 100_000


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    program = (
        "import subprocess, sys, time\n"
        "words = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "child = subprocess.Popen(words, start_new_session=True)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    ran = launched.run(python(program), folder=tmp_path, timeout_s=2)
    assert (ran.ok, ran.fault) == (False, "it took longer than 2 s, and was ended")
    if ran.out:  # on a machine that is busy it may not have come so far
        wait_for(lambda: not alive(int(ran.out)))


def test_a_standing_program_lives_as_long_as_its_block(tmp_path: Path) -> None:
    with launched.standing(python("import time; time.sleep(60)"), folder=tmp_path) as number:
        assert alive(number)
    wait_for(lambda: not alive(number))
    with (
        pytest.raises(InputError, match="cannot be started") as caught,
        launched.standing(["no-such-program-here"], folder=tmp_path),
    ):
        pass
    assert caught.value.code == "launch-failed"


def test_where_no_program_can_be_run_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stilltrue.probes.process.POSIX", False)
    assert "Linux and macOS" in launched.run(["true"], folder=tmp_path, timeout_s=1).fault


def test_the_command_shows_itself(tmp_path: Path) -> None:
    done = stilltrue_in(tmp_path, "preflight", "--help")
    assert "Look at what a launch relies on" in done.out
    assert done.code == 0


def test_a_finding_is_frozen() -> None:
    finding = passed("a", "b")
    with pytest.raises(AttributeError):
        finding.ok = False  # type: ignore[misc]  # that it cannot be set is what is tested
    assert replace(finding, saw="c").saw == "c"


@pytest.mark.parametrize(
    "error",
    [SystemExit(0), GeneratorExit(), BaseExceptionGroup("of several", [KeyboardInterrupt()])],
    ids=["exit", "generator", "group"],
)
def test_a_check_that_would_end_the_command_has_not_passed(
    tmp_path: Path, checked: Callable[..., None], error: BaseException
) -> None:
    def run(_launch: Launch, _settings: Settings) -> Iterator[Finding]:
        yield passed("first", "fine")
        raise error

    checked(run)
    seen = look(launch_of(tmp_path, "tree: {}\nrelies_on: a\n"))
    assert seen.wrong("tree")[0].startswith(f"tree: the check itself broke: {type(error).__name__}")
    assert "relies_on" in seen.checks


def test_an_interrupt_is_no_failure_of_a_check(
    tmp_path: Path, checked: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_launch: Launch, _settings: Settings) -> Iterator[Finding]:
        raise KeyboardInterrupt

    checked(run)
    monkeypatch.chdir(launch_of(tmp_path, "tree: {}\n"))
    assert boundary.run(["preflight"]) == 130


def test_a_value_of_any_length_is_shown_in_part_and_kept_whole_for_programs() -> None:
    seen = one(failed("a", "x" * 10_000, "y" * 10_000))
    assert max(map(len, to_text(seen).split("\n"))) < 2100
    assert json.loads(to_json(seen))["checks"][0]["findings"][0]["saw"] == "x" * 10_000


def test_of_what_a_program_says_the_last_lines_are_kept(tmp_path: Path) -> None:
    program = "import sys\nfor number in range(200): print(number, file=sys.stderr)"
    ran = launched.run(python(program), folder=tmp_path, timeout_s=60)
    assert ran.err.split("\n") == [str(number) for number in range(150, 200)]


def test_bytes_that_are_no_text_stay_apart(tmp_path: Path) -> None:
    ran = launched.run(python(r"import os; os.write(1, b'\xff\xfe')"), folder=tmp_path, timeout_s=60)
    assert ran.out == r"\xff\xfe"
