"""The command line as a process: interrupts, closed pipes, full disks, encodings, terminals."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import stilltrue
from stilltrue.cli.progress import line

SOURCE = str(Path(stilltrue.__file__).parents[1])
PAGE = """\
```claim
id: ratio
says: "It is {value} – über 1 × faster."
value: 3×
reported: {by: "Müller – Söhne"}
```

```claim
id: time
says: "It takes {value}."
value: 4 s
evidence: claims/evidence/a.txt
read: {match: 'took (.*)'}
```
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {"stilltrue.toml": "", "a.md": PAGE, "claims/evidence/a.txt": "took 5 s\n"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


class Done(NamedTuple):
    """What a process came to."""

    code: int
    out: bytes
    err: bytes


def environment(*first: Path, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join((*map(str, first), SOURCE)), "TERM": "xterm", **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stilltrue", *arguments]


def ran(
    program: list[str],
    *,
    env: dict[str, str],
    folder: Path,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> Done:
    """A finished process, whatever its exit code."""
    done = subprocess.run(program, env=env, cwd=folder, stdout=stdout, stderr=stderr, check=False, timeout=60)
    return Done(done.returncode, done.stdout or b"", done.stderr or b"")


def test_no_module_of_the_current_folder_is_imported(project: Path) -> None:
    for name in ("click", "yaml", "json", "hashlib"):
        (project / f"{name}.py").write_text("raise SystemExit(9)\n")
    done = ran(command("check"), env=environment(), folder=project)
    assert (done.code, done.err) == (1, b"")


def test_the_exit_code_reaches_the_shell(project: Path) -> None:
    done = ran(command("check"), env=environment(), folder=project)
    assert done.code == 1
    assert done.out.startswith(b"a.md:11: time drifted: ")
    assert done.err == b""


@pytest.mark.parametrize("module", ["click", "re2"])
def test_an_interrupt_while_modules_load_is_quiet(module: str, project: Path) -> None:
    """A stand-in for the module interrupts the process in the middle of the import."""
    stand_in = project / "stand-in" / f"{module}.py"
    stand_in.parent.mkdir()
    stand_in.write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)\n", encoding="utf-8"
    )
    assert ran(command("check"), env=environment(stand_in.parent), folder=project) == (130, b"", b"")


IGNORED = """\
import signal, sys
from stilltrue.cli import main
signal.signal(signal.SIGINT, signal.SIG_IGN)
main()
sys.exit(signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)
"""


def test_an_interrupt_that_the_parent_ignores_stays_ignored(project: Path) -> None:
    assert ran([sys.executable, "-c", IGNORED, "check"], env=environment(), folder=project).code == 0


@pytest.mark.parametrize(
    "arguments", [("check",), ("check", "--format", "json"), ("show", "time"), ("--help",)]
)
def test_a_reader_that_has_gone_away_is_no_error(arguments: tuple[str, ...], project: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = ran(command(*arguments), env=environment(), folder=project, stdout=writer)
    finally:
        os.close(writer)
    assert done == (1 if arguments[0] == "check" else 0, b"", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [("check",), ("--help",), ("--version",)])
def test_a_full_disk_is_told(arguments: tuple[str, ...], project: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = ran(command(*arguments), env=environment(), folder=project, stdout=full.fileno())
    assert done.code == 2
    assert done.err.startswith(b"stilltrue: the report cannot be written to standard output: No space left")
    assert done.err.endswith(b" [output]\n")


def test_closed_streams_do_not_change_the_verdict(project: Path) -> None:
    shell = ["sh", "-c", f"exec {sys.executable} -m stilltrue check >&- 2>&-"]
    assert ran(shell, env=environment(), folder=project) == (1, b"", b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_text_that_the_encoding_lacks_is_written_as_an_escape(encoding: str, project: Path) -> None:
    env = environment(PYTHONIOENCODING=encoding, LC_ALL="C")
    done = ran(command("show", "ratio"), env=env, folder=project)
    assert (done.code, done.err) == (0, b"")
    assert "It is 3× – über 1 × faster.".encode(encoding, errors="backslashreplace") in done.out


@pytest.mark.parametrize(
    ("arguments", "code"), [(("check",), 1), (("show", "ratio"), 0), (("show", "rätio"), 2)]
)
def test_the_c_locale_is_no_error(arguments: tuple[str, ...], code: int, project: Path) -> None:
    env = environment(LC_ALL="C", LANG="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    done = ran(command(*arguments), env=env, folder=project)
    assert done.code == code
    assert b"Traceback" not in done.err
    assert b"UnicodeEncodeError" not in done.err


def on_terminal(project: Path, *arguments: str, **more: str) -> str:
    """What a command writes to a terminal that takes both streams."""
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        command(*arguments), cwd=project, env=environment(**more), stdout=secondary, stderr=secondary
    )
    os.close(secondary)
    chunks = []
    try:
        while chunk := os.read(primary, 65536):
            chunks.append(chunk)
    except OSError:  # Linux ends a terminal whose other side is closed with EIO
        pass
    finally:
        os.close(primary)
        process.wait()
    return b"".join(chunks).decode().replace("\r\n", "\n")


def test_colour_is_for_terminals_that_want_it(project: Path) -> None:
    red = "\x1b[31mdrifted\x1b[0m"
    assert red in on_terminal(project, "check")
    assert red not in on_terminal(project, "check", NO_COLOR="1")
    assert red not in on_terminal(project, "check", TERM="dumb")
    assert "\x1b" not in on_terminal(project, "check", "--format", "json", FORCE_COLOR="1")


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_a_pipe_gets_colour_only_by_force(variables: dict[str, str], coloured: bool, project: Path) -> None:
    done = ran(command("check"), env=environment(**variables), folder=project)
    assert (b"\x1b" in done.out) is coloured


def test_the_progress_line_counts() -> None:
    assert line(0, 10_000) == "checking [                        ] 0 of 10,000"
    assert line(5_012, 10_000) == "checking [############            ] 5,012 of 10,000"
    assert line(10_000, 10_000) == "checking [########################] 10,000 of 10,000"
    assert line(0, 0) == "checking [                        ] 0 of 0"


SLOW = """\
import stilltrue.cli.progress as progress
progress._FIRST_AFTER = progress._EVERY = 0.0
with progress.Progress() as shown:
    for done in range(4):
        shown(done, 3)
print("report")
"""


def test_progress_is_drawn_on_a_terminal_and_gone_afterwards(tmp_path: Path) -> None:
    primary, secondary = pty.openpty()
    done = ran([sys.executable, "-c", SLOW], env=environment(), folder=tmp_path, stderr=secondary)
    os.close(secondary)
    drawn = os.read(primary, 65536).decode()
    os.close(primary)
    assert "\rchecking [########                ] 1 of 3\x1b[K" in drawn
    assert drawn.endswith("\r\x1b[K")
    assert done.out == b"report\n"


def test_progress_is_silent_elsewhere(tmp_path: Path) -> None:
    assert ran([sys.executable, "-c", SLOW], env=environment(), folder=tmp_path) == (0, b"report\n", b"")
