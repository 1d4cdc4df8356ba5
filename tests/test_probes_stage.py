from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from probes_support import EVIDENCE, probe_in, write
from stilltrue.errors import InputError
from stilltrue.model import Probe
from stilltrue.probes import run
from stilltrue.probes.stage import Stage, fill

OUT = f"{EVIDENCE}/out.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root.resolve()


@pytest.fixture
def probe(root: Path) -> Probe:
    return probe_in(root, "print(1)\n")


def staged(tmp_path: Path, root: Path, probe: Probe, files: list[str] | None = None) -> Stage:
    tree = tmp_path / "stage"
    tree.mkdir()
    return fill(tree.resolve(), root, probe, files)


def test_a_project_without_git_is_copied_but_for_what_is_not_its_own(
    tmp_path: Path, root: Path, probe: Probe
) -> None:
    write(
        root,
        {
            "src/a.py": "a",
            "probes/deep/b.py": "b",
            ".hidden": "c",
            OUT: "old",
            ".git/config": "x",
            "node_modules/a.js": "x",
            "site/index.html": "x",
            "src/__pycache__/a.pyc": "x",
            "env-of-mine/pyvenv.cfg": "x",
            "env-of-mine/lib/a.py": "x",
        },
    )
    stage = staged(tmp_path, root, probe)
    assert sorted(stage.before) == [".hidden", "probes/deep/b.py", "probes/p.py", "src/a.py"]
    assert (stage.tree / "src/a.py").read_text(encoding="utf-8") == "a"
    assert (stage.tree / EVIDENCE).is_dir()


def test_a_list_of_files_is_copied_with_the_script_and_its_inputs(tmp_path: Path, root: Path) -> None:
    write(root, {"a.txt": "a", "b.txt": "b", "ignored/c.txt": "c", "inner/.git/x": "x", "inner/d.txt": "d"})
    probe = probe_in(root, "print(1)\n", 'reads = "ignored/*.txt"')
    stage = staged(tmp_path, root, probe, ["a.txt", "inner/", "gone.txt", "a.txt/below"])
    assert sorted(stage.before) == ["a.txt", "ignored/c.txt", "inner/d.txt", "probes/p.py"]


def test_an_input_through_links_is_there_too(tmp_path: Path, root: Path) -> None:
    write(root, {"ignored/a.txt": "a", "other/b.txt": "b"})
    (root / "link").symlink_to("ignored")
    (root / "b.txt").symlink_to("other/b.txt")
    probe = probe_in(root, "print(1)\n", 'reads = ["link/a.txt", "b.txt"]')
    stage = staged(tmp_path, root, probe, [])
    assert (stage.tree / "link/a.txt").read_text(encoding="utf-8") == "a"
    assert (stage.tree / "b.txt").read_text(encoding="utf-8") == "b"


def test_modes_and_times_are_kept(tmp_path: Path, root: Path, probe: Probe) -> None:
    write(root, {"run.sh": "#!/bin/sh\n", "locked": "x"})
    (root / "run.sh").chmod(0o755)
    (root / "locked").chmod(0o400)
    os.utime(root / "locked", (1, 1))
    stage = staged(tmp_path, root, probe)
    assert os.access(stage.tree / "run.sh", os.X_OK)
    state = (stage.tree / "locked").stat()
    assert (state.st_mode & 0o777, state.st_mtime) == (0o400, 1)


def test_links_stay_links_inside_the_project_and_are_left_out_otherwise(
    tmp_path: Path, root: Path, probe: Probe
) -> None:
    write(root, {"folder/a.txt": "a", "top.txt": "t"})
    (tmp_path / "secret").write_text("s", encoding="utf-8")
    links = {
        "inside": "folder/a.txt",
        "folder/up": "../top.txt",
        "folder/absolute": str(root / "top.txt"),
        "to-folder": "folder",
        "loop": "loop",
        "dangling": "folder/none",
        "outside": str(tmp_path / "secret"),
        "outside-by-steps": "../secret",
        "to-device": "/dev/zero",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    stage = staged(tmp_path, root, probe)
    found = {name for name in stage.before if name in links or name == "pipe"}
    assert found == {"inside", "folder/up", "folder/absolute", "to-folder", "loop", "dangling"}
    shutil.rmtree(root)
    assert (stage.tree / "folder/absolute").read_text(encoding="utf-8") == "t"
    assert (stage.tree / "folder/up").read_text(encoding="utf-8") == "t"
    assert (stage.tree / "to-folder/a.txt").read_text(encoding="utf-8") == "a"


def test_a_file_below_a_link_to_a_folder_elsewhere_is_not_written_through_it(
    tmp_path: Path, root: Path, probe: Probe
) -> None:
    """A list may name `link` and, from another time, `link/a.txt`."""
    outside = write(tmp_path / "outside", {"a.txt": "mine"})
    write(root, {"folder/a.txt": "a"})
    (root / "link").symlink_to("folder")
    (root / "away").symlink_to(outside)
    stage = staged(tmp_path, root, probe, ["link", "link/a.txt", "away", "away/a.txt"])
    assert sorted(stage.before) == ["folder/a.txt", "link", "probes/p.py"]
    assert (stage.tree / "link/a.txt").read_text(encoding="utf-8") == "a"
    assert (outside / "a.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, root: Path, probe: Probe) -> None:
    write(root, {"locked": "x"})
    (root / "locked").chmod(0)
    with pytest.raises(InputError, match=r"`locked` cannot be read") as caught:
        staged(tmp_path, root, probe)
    assert caught.value.code == "unreadable"


def test_a_file_that_the_system_cannot_read_is_named(
    tmp_path: Path, root: Path, probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As above for root, who may read everything: an input error of the disk."""

    def broken(source: Path, *_: object, **__: object) -> None:
        if source.name == "data.bin":
            raise OSError(5, "Input/output error", str(source))

    write(root, {"data.bin": "x"})
    monkeypatch.setattr(shutil, "copy2", broken)
    with pytest.raises(InputError, match=r"`data\.bin` cannot be read: Input/output error") as caught:
        staged(tmp_path, root, probe)
    assert (caught.value.code, caught.value.path) == ("unreadable", "data.bin")


def test_what_was_written_is_seen(tmp_path: Path, root: Path, probe: Probe) -> None:
    write(root, {"same": "a", "touched": "a", "longer": "a", "gone": "a", "moded": "a", "folder/linked": "a"})
    stage = staged(tmp_path, root, probe)
    assert stage.written() == ()
    (stage.tree / "touched").write_text("b", encoding="utf-8")
    (stage.tree / "longer").write_text("ab", encoding="utf-8")
    (stage.tree / "gone").unlink()
    (stage.tree / "moded").chmod(0o600)
    (stage.tree / "folder/linked").unlink()
    (stage.tree / "folder/linked").symlink_to("/dev/null")
    write(stage.tree, {"new": "", "deep/er/new": "", "__pycache__/x.pyc": "", "deep/.pytest_cache/v/x": ""})
    expected = ["deep/er/new", "folder/linked", "gone", "longer", "moded", "new", "touched"]
    assert list(stage.written()) == expected


def test_a_stage_inside_the_project_does_not_copy_itself(
    root: Path, probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"tmp/keep.txt": "x"})
    monkeypatch.setattr(tempfile, "tempdir", str(root / "tmp"))
    with run(root, probe) as done:
        stage = done.files[OUT].parent
        assert list((stage / "project/tmp").iterdir()) == [stage / "project/tmp/keep.txt"]
    assert list((root / "tmp").iterdir()) == [root / "tmp/keep.txt"]


def test_a_temporary_folder_that_is_not_there_is_said(
    root: Path, probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(root / "none"))
    with pytest.raises(InputError, match="cannot be copied") as caught, run(root, probe):
        pass
    assert (caught.value.code, caught.value.path) == ("no-stage", "probes/p.py")


ON_A_SMALL_DISK = """
import sys, tempfile
from pathlib import Path
from stilltrue.errors import InputError
from stilltrue.probes import read_header, run
root = Path(sys.argv[1])
try:
    with run(root, read_header(root, sys.argv[2], "claims/evidence")):
        print("went well")
except InputError as error:
    print(error.code, error.message)
print(list(Path(tempfile.gettempdir()).iterdir()))
"""

MOUNT = ["unshare", "--mount", "--map-root-user", "sh", "-c"]


def small_disk() -> bool:
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        mount = f"mount -t tmpfs -o size=1m none {folder}"
        return subprocess.run([*MOUNT, mount], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("size", "script", "outcome"),
    [
        ("64k", "print(1)", r"no-stage the project cannot be copied .*: No space left on device"),
        ("2m", "print('x' * 5_000_000)", "no-stage the disk"),
        ("2m", "import subprocess; subprocess.run('yes | head -c 5000000', shell=True)", "no-stage the disk"),
        ("2m", "print(1)", "went well"),
    ],
    ids=["copying", "printing", "unnoticed", "room enough"],
)
def test_a_full_disk_is_said(tmp_path: Path, root: Path, size: str, script: str, outcome: str) -> None:
    if not small_disk():
        pytest.skip("no small disk can be mounted here")
    probe_in(root, f"{script}\n")
    write(root, {"data.bin": "x" * 200_000})
    disk = tmp_path / "disk"
    disk.mkdir()
    command = f'mount -t tmpfs -o size={size} none "{disk}" && TMPDIR="{disk}" exec "$@"'
    program = [sys.executable, "-c", ON_A_SMALL_DISK, str(root), "probes/p.py"]
    done = subprocess.run([*MOUNT, command, "sh", *program], capture_output=True, text=True, check=False)
    assert re.match(outcome, done.stdout), done.stdout + done.stderr
    assert done.stdout.splitlines()[1] == "[]"
