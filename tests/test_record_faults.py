"""`record` when things go wrong: a message, and the old evidence byte for byte as it was."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import recording_support as support
from killing_support import Killer, killing
from recording_support import COUNT, PROBE, process_in, recorded, stilltrue_in
from stilltrue import provenance
from stilltrue.transaction import recover, unfinished

RECORD = provenance.name_of(COUNT)
LINES = 5_000

LARGE = f"""\
import sys
for number in range({LINES}):
    print(sys.argv[1:], number)
print("end")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return recorded(support.project(tmp_path / "project"))


def replace_probe(root: Path, body: str, header: str = support.HEADER) -> None:
    support.write(root, {PROBE: header + body})
    support.commit_all(root)


def assert_consistent(root: Path) -> None:
    """The evidence is whole, its record is that of this evidence, and nothing lies beside them."""
    record = support.record_of(root)
    assert [each.sha256 for each in record.subjects] == [support.sha256(root / COUNT)]
    assert (root / COUNT).read_text().endswith(("end\n", "}\n"))
    names = {path.name for path in (root / COUNT).parent.iterdir() if path.is_file()}
    assert names == {"count.json", "count.json.provenance.json"}


# The probe ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("import sys\nprint('{')\nsys.exit('no luck')\n", "no luck"),
        ("pass\n", "printed nothing"),
        ("import os\nprint('half', flush=True)\nos.kill(os.getpid(), 9)\n", "killed"),
        ("import missing_module\n", "missing_module"),
        ("print(1)\nopen('elsewhere.txt', 'w').write('x')\n", "elsewhere.txt"),
    ],
    ids=["fails", "prints nothing", "dies half way", "imports what is not there", "writes elsewhere"],
)
def test_a_probe_that_fails_leaves_everything_as_it_was(root: Path, body: str, words: str) -> None:
    replace_probe(root, body)
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("probes/count.py: failed: ")
    assert words in done.err


def test_a_probe_that_hangs_and_ignores_its_end_leaves_everything_as_it_was(root: Path) -> None:
    hang = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint(1, flush=True)\ntime.sleep(60)\n"
    replace_probe(root, hang, support.HEADER.replace('"60 s"', '"0.5 s"'))
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE)
    assert done.code == 1
    assert "0.5 s" in done.err


# Killed -------------------------------------------------------------------------------------------------


@pytest.fixture
def killer(root: Path) -> Iterator[Killer]:
    with killing(root, "record") as told:
        yield told


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_record_killed_at_each_step_of_its_writing_is_mended_by_the_next(
    root: Path, killer: Killer, call: str
) -> None:
    replace_probe(root, LARGE)
    for step in range(40):
        support.backdate(root, f"2026-01-{step + 1:02}")
        earlier = dict(provenance.history(root, COUNT))
        code = killer(f"at {call} {step}")
        recover(root)
        assert_consistent(root)
        assert unfinished(root) == ""
        assert earlier.items() <= dict(provenance.history(root, COUNT)).items()
        if code == 0:
            break
        assert code == -signal.SIGKILL
    else:
        pytest.fail("it never came to its end")
    assert provenance.history(root, COUNT)


def test_record_killed_at_random_moments_never_leaves_half_of_anything(root: Path, killer: Killer) -> None:
    replace_probe(root, LARGE)
    started = time.monotonic()
    assert killer("run") == 0
    whole = time.monotonic() - started
    moments = random.Random(3)  # noqa: S311  # moments are no secret
    killed = sum(killer(f"after {moments.uniform(0, 1.1) * whole:.4f}") != 0 for _ in _checked(root, 50))
    assert killed
    assert killer("run") == 0
    assert_consistent(root)
    assert unfinished(root) == ""


def _checked(root: Path, times: int) -> Iterator[None]:
    """So many turns, after each of which the evidence is looked at."""
    for _ in range(times):
        yield
        if not unfinished(root):
            names = {path.name for path in (root / COUNT).parent.iterdir() if path.is_file()}
            assert names == {"count.json", "count.json.provenance.json"}
            assert_consistent(root)
        text = (root / COUNT).read_text()
        assert text.endswith(("end\n", "}\n"))
        support.record_of(root)


def test_a_record_that_was_cut_short_is_finished_by_the_next_command(root: Path, killer: Killer) -> None:
    support.write(root, {support.MODULE: "N = 206\n"})
    support.commit_all(root)
    assert killer("at replace 3") == -signal.SIGKILL
    assert support.sha256(root / COUNT) != support.record_of(root).subjects[0].sha256
    checked = stilltrue_in(root, "check")
    assert checked.code == 1
    assert f"{unfinished(root)}: files that belong together are being replaced" in checked.err
    stilltrue_in(root, "accept", "targets", "--because", "nothing, but it looks")
    assert_consistent(root)
    assert support.record_of(root).code[1].sha256 == support.sha256(root / support.MODULE)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_the_probe_and_leaves_the_tree_as_it_was(
    root: Path, tmp_path: Path, number: signal.Signals
) -> None:
    replace_probe(root, WAITS)
    stages = tmp_path / "stages"
    stages.mkdir()
    with support.unchanged(root):
        process = waiting(root, tmp_path, TMPDIR=str(stages))
        process.send_signal(number)
        assert process.wait(timeout=20) == 130
    assert list(stages.iterdir()) == []
    assert not _is_alive(int((tmp_path / "started").read_text()))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


# Two at once --------------------------------------------------------------------------------------------

WAITS = """\
import os, sys, time
started, go = sys.argv[1:3]
with open(started + ".new", "w") as file:
    file.write(str(os.getpid()))
os.replace(started + ".new", started)
while not os.path.exists(go):
    time.sleep(0.02)
print('{"n": 205}')
"""


def waiting(root: Path, folder: Path, **env: str) -> subprocess.Popen[bytes]:
    """`record` of a probe that waits until the file `go` is there."""
    arguments = ("record", PROBE, "--", str(folder / "started"), str(folder / "go"))
    process = subprocess.Popen(
        support.command(*arguments), cwd=root, env=support.environment(**env), stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 30
    while not (folder / "started").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


def test_of_two_at_once_the_second_is_refused_and_the_first_ends_well(root: Path, tmp_path: Path) -> None:
    replace_probe(root, WAITS)
    first = waiting(root, tmp_path)
    with support.unchanged(root):
        second = stilltrue_in(root, "record", PROBE, "--", "1", "2")
        adopting = stilltrue_in(root, "adopt", COUNT, "--again", "--source", "x", "--on", "2026-01-01")
    assert (second.code, second.out) == (1, "")
    assert f"refused: another run is writing `{COUNT}` (process {first.pid})" in second.err
    assert "[busy]" in adopting.err
    (tmp_path / "go").touch()
    assert first.wait(timeout=20) == 0
    assert support.record_of(root).argv[0] == str(tmp_path / "started")


def test_a_killed_one_holds_nothing(root: Path, tmp_path: Path) -> None:
    replace_probe(root, WAITS)
    first = waiting(root, tmp_path)
    first.kill()
    first.wait()
    (tmp_path / "go").touch()
    assert stilltrue_in(root, "record", PROBE, "--", str(tmp_path / "s"), str(tmp_path / "go")).code == 0


def test_two_probes_with_evidence_of_their_own_are_recorded_at_once(root: Path, tmp_path: Path) -> None:
    support.write(root, {"probes/other.py": support.HEADER.replace("count", "other") + "print('{}')\n"})
    replace_probe(root, WAITS)
    first = waiting(root, tmp_path)
    assert stilltrue_in(root, "record", "probes/other.py").code == 0
    (tmp_path / "go").touch()
    assert first.wait(timeout=20) == 0


# What cannot be written ---------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["file link", "folder link", "record link", "folder", "record folder"])
def test_what_is_no_plain_file_is_refused_before_the_probe_is_run(
    root: Path, tmp_path: Path, what: str
) -> None:
    replace_probe(root, f"open({str(tmp_path / 'ran')!r}, 'w')\nprint(1)\n")
    place = {"folder link": "claims/evidence", "record link": RECORD, "record folder": RECORD}.get(
        what, COUNT
    )
    if what.endswith("link"):
        (root / place).rename(root / "real")
        (root / place).symlink_to(root / "real")
    else:
        (root / place).unlink()
        (root / place).mkdir()
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE)
    assert done.code in (1, 2)
    assert place in done.err
    assert not (tmp_path / "ran").exists()


def _without_leave() -> None:
    """Lets a process of root be one that permissions hold for; others are it already."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        if os.geteuid() == 0 and libc.prctl(24, capability, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
            os._exit(77)


@pytest.fixture
def leave_is_needed(tmp_path: Path) -> None:
    place = tmp_path / "closed"
    place.mkdir(mode=0o555)
    program = f"open({str(place / 'x')!r}, 'w')"
    done = subprocess.run(
        [sys.executable, "-c", program], preexec_fn=_without_leave, check=False, capture_output=True
    )
    if done.returncode == 0 or b"PermissionError" not in done.stderr:
        pytest.skip("this user may write everywhere")


@pytest.mark.usefixtures("leave_is_needed")
@pytest.mark.parametrize(
    ("place", "mode"),
    [("claims/evidence", 0o555), (COUNT, 0o444), (RECORD, 0o444)],
    ids=["folder", "evidence", "record"],
)
def test_evidence_that_may_not_be_written_is_refused_before_the_probe_is_run(
    root: Path, tmp_path: Path, place: str, mode: int
) -> None:
    replace_probe(root, f"open({str(tmp_path / 'ran')!r}, 'w')\nprint(1)\n")
    before = (root / place).stat().st_mode
    (root / place).chmod(mode)
    try:
        with support.unchanged(root):
            done = process_in(root, "record", PROBE, preexec=_without_leave)
    finally:
        (root / place).chmod(before)
    assert (done.code, done.out) == (1, "")
    assert "[unwritable]" in done.err
    assert "check the permissions" in done.err
    assert not (tmp_path / "ran").exists()


@pytest.fixture(params=["claims/evidence", ".stilltrue"])
def small_disk(root: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A disk of 64 KiB where evidence lies, or what is kept between runs."""
    place = root / str(request.param)
    kept = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("this user may mount nothing")
    try:
        for name, data in kept.items():
            (place / name).write_bytes(data)
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_leaves_everything_as_it_was(root: Path, small_disk: Path) -> None:
    replace_probe(root, LARGE)
    filler = small_disk / ".filler"
    with filler.open("wb") as file:
        file.write(b"x" * os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_bsize)
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE)
    assert done.out == ""
    assert done.code in (1, 2)
    assert "No space left on device" in done.err
    filler.unlink()
    assert_consistent(root)
    if small_disk.name == ".stilltrue":
        assert stilltrue_in(root, "record", PROBE).code == 0
        assert_consistent(root)


def test_a_full_temporary_folder_is_told_as_that(root: Path, tmp_path: Path) -> None:
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("this user may mount nothing")
    try:
        replace_probe(root, "print('x' * 1_000_000)\n")
        done = process_in(root, "record", PROBE, TMPDIR=str(place))
        assert (done.code, done.out) == (1, "")
        assert "[no-stage]" in done.err
        assert_consistent(root)
        assert list(place.iterdir()) == []
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_an_evidence_folder_that_is_not_there_is_made(tmp_path: Path) -> None:
    root = support.project(tmp_path / "project")
    script = support.HEADER.replace("evidence/count", "evidence/deep/er/count") + support.SCRIPT
    support.write(root, {PROBE: script})
    support.commit_all(root)
    recorded(root)
    assert (root / "claims/evidence/deep/er/count.json.provenance.json").is_file()
