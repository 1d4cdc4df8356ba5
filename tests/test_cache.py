from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stilltrue import config
from stilltrue.cache import Cache
from stilltrue.check import Trail, check
from stilltrue.evidence import Library
from stilltrue.model import Digested, Provenance
from stilltrue.probes import code_of
from stilltrue.provenance import to_json
from stilltrue.workspace import FOLDER

pytestmark = pytest.mark.usefixtures("settled")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "stilltrue.toml").write_text('pages = ["docs/**/*.md"]\n', encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.log").write_text("loss 0.25\n", encoding="utf-8")
    (tmp_path / "docs" / "page.md").write_text(
        "```claim\n"
        'id: loss\nsays: "The loss is {value}."\nvalue: "0.25"\n'
        "evidence: runs/*.log\nread: {match: 'loss (\\S+)', take: [last, mean]}\n"
        "```\n",
        encoding="utf-8",
    )
    keep(tmp_path)
    return tmp_path


def keep(root: Path, *, started: float | None = None) -> None:
    settings = config.load(root)
    library = Library(settings)
    trail = Trail()
    assert check(settings, library=library, trail=trail).ok
    begun = time.time() if started is None else started
    Cache(root, "text").keep(settings, library.inputs(), trail, "the report", begun)


def found(root: Path) -> str | None:
    return Cache(root, "text").find()


def test_nothing_changed_gives_the_same_report(project: Path) -> None:
    assert found(project) == "the report"


def test_another_way_of_asking_is_another_report(project: Path) -> None:
    assert Cache(project, "json").find() is None


def _same_size_same_time(root: Path) -> None:
    path = root / "runs" / "a.log"
    status = path.stat()
    path.write_text("loss 0.35\n", encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _claims_file(root: Path) -> None:
    (root / "claims").mkdir()
    (root / "claims" / "a.yml").touch()


CHANGES: dict[str, Callable[[Path], object]] = {
    "evidence of the same size and time": _same_size_same_time,
    "evidence gone": lambda root: (root / "runs" / "a.log").unlink(),
    "another file that the glob matches": lambda root: (root / "runs" / "b.log").write_text("loss 9\n"),
    "a page": lambda root: (root / "docs" / "page.md").write_text("nothing\n"),
    "another page": lambda root: (root / "docs" / "other.md").write_text("nothing\n"),
    "a page gone": lambda root: (root / "docs" / "page.md").unlink(),
    "a claims file": _claims_file,
    "the configuration": lambda root: (root / "stilltrue.toml").write_text("pages = []\n"),
    "a second configuration": lambda root: (root / "pyproject.toml").touch(),
    "the cache itself": lambda root: (root / FOLDER / "check-text.json").write_text("{"),
    "the cache, of another form": lambda root: (root / FOLDER / "check-text.json").write_text("[]"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_is_noticed(change: str, project: Path) -> None:
    CHANGES[change](project)
    assert found(project) is None


PROBE = """\
# /// script
# [tool.stilltrue]
# writes = "claims/evidence/a.txt"
# reads = "inputs/*.csv"
# ///
import helper
"""


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A project with a record, in a repository; its probe and inputs were committed after the run."""
    texts = {
        "stilltrue.toml": "",
        "probes/a.py": PROBE,
        "probes/helper.py": "N = 5\n",
        "inputs/one.csv": "1\n",
        "claims/evidence/a.txt": "took 5 s\n",
        "claims/evidence/bare.txt": "took 5 s\n",
        "requirements.txt": "torch==2.6\n",
        "README.md": "".join(
            f'```claim\nid: {name}\nsays: "It takes {{value}}."\nvalue: 5 s\n'
            f"evidence: claims/evidence/{name}.txt\nread: {{match: 'took (.*)'}}\n"
            'valid: {with: {torch: ">=2"}}\n```\n\n'
            for name in ("a", "bare")
        ),
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    root = tmp_path.resolve()

    def digested(name: str) -> Digested:
        return Digested(name, hashlib.sha256((root / name).read_bytes()).hexdigest())

    record = Provenance(
        subjects=(digested("claims/evidence/a.txt"),),
        on="2026-01-01",
        code=(code_of(root, "probes/a.py", script=True), code_of(root, "probes/helper.py")),
        changed=("probes/helper.py",),
        inputs=(digested("inputs/one.csv"),),
    )
    (root / RECORD).write_text(to_json(record), encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    keep(root)
    return root


RECORD = "claims/evidence/a.txt.provenance.json"
_NAMED = ("-c", "user.name=a", "-c", "user.email=a@example.org")


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *_NAMED, *arguments], cwd=root, check=True, capture_output=True)


def _append(name: str) -> Callable[[Path], object]:
    return lambda root: (root / name).write_bytes((root / name).read_bytes() + b"\n")


BEHIND: dict[str, Callable[[Path], object]] = {
    "the record": _append(RECORD),
    "the record, gone": lambda root: (root / RECORD).unlink(),
    "a record where there was none": lambda root: shutil.copy(
        root / RECORD, root / "claims/evidence/bare.txt.provenance.json"
    ),
    "the probe": _append("probes/a.py"),
    "a module that it imports": _append("probes/helper.py"),
    "an input": _append("inputs/one.csv"),
    "a further input": lambda root: (root / "inputs/two.csv").write_text("2\n"),
    "a lock file": _append("requirements.txt"),
    "a further lock file": lambda root: (root / "uv.lock").write_text("version = 1\n"),
    "what is checked out": lambda root: git(root, "commit", "-q", "--allow-empty", "-m", "more"),
    "the repository": lambda root: shutil.rmtree(root / ".git"),
}


@pytest.mark.parametrize("change", BEHIND)
def test_whatever_changes_behind_the_evidence_is_noticed(change: str, recorded: Path) -> None:
    assert found(recorded) == "the report"
    BEHIND[change](recorded)
    assert found(recorded) is None


def test_the_day_is_the_one_on_which_the_check_began(project: Path) -> None:
    shutil.rmtree(project / FOLDER)
    keep(project, started=time.time() + 86_400)  # a check that ran past midnight judged by the day before
    assert found(project) is None


def test_another_program_or_interpreter_is_noticed(project: Path) -> None:
    file = project / FOLDER / "check-text.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    for at in range(len(kept["program"])):
        other = json.loads(json.dumps(kept))
        other["program"][at] = "other"
        file.write_text(json.dumps(other), encoding="utf-8")
        assert found(project) is None


def test_a_file_that_changed_within_the_tick_of_its_clock_is_not_trusted(project: Path) -> None:
    shutil.rmtree(project / FOLDER)
    keep(project, started=time.time() - 120)
    assert found(project) is None


def test_the_folder_ignores_itself(project: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    listed = subprocess.run(
        ["git", "status", "--porcelain"], cwd=project, check=True, capture_output=True, encoding="utf-8"
    )
    assert FOLDER not in listed.stdout


def test_a_tracked_cache_is_refused(project: Path) -> None:
    assert not Cache(project, "text").refused()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    assert not Cache(project, "text").refused()
    subprocess.run(["git", "add", "-f", FOLDER], cwd=project, check=True)
    assert Cache(project, "text").refused()


def test_a_cache_is_not_believed_where_git_cannot_tell(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    assert Cache(project, "text").refused() is False
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own switch for this
    assert Cache(project, "text").refused() is None


def test_a_link_in_place_of_the_folder_is_not_written_through(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.rmtree(project / FOLDER)
    (project / FOLDER).symlink_to(elsewhere)
    keep(project)
    assert list(elsewhere.iterdir()) == []


def test_a_cache_that_cannot_be_written_is_no_failure(project: Path) -> None:
    shutil.rmtree(project / FOLDER)
    (project / FOLDER).write_text("a file\n", encoding="utf-8")
    keep(project)
    assert found(project) is None


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _changed(**changes: object) -> Callable[[Path], object]:
    return lambda path: path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


SPOILT: dict[str, Callable[[Path], object]] = {
    "deep": lambda path: path.write_text("[" * 200_000, "utf-8"),
    "bytes": lambda path: path.write_bytes(b"\xff\xfe\x00"),
    "a list": lambda path: path.write_text("[1, 2]", "utf-8"),
    "a pipe": _pipe,
    "other lists": _changed(look=[1, 2, 3]),
    "names with NUL": _changed(stamps={"a\0": None}),
    "stamps of no kind": _changed(stamps=[1]),
    "globs that lead out": _changed(globs=[["/*\0*", []], ["/etc/*", []]]),
    "no text": _changed(report=5),
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_cache_that_somebody_spoilt_is_no_cache(project: Path, what: str) -> None:
    SPOILT[what](project / FOLDER / "check-text.json")
    assert found(project) is None


def test_no_link_of_the_cache_is_followed(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(project / FOLDER, elsewhere / "cache")
    shutil.rmtree(project / FOLDER)
    (project / FOLDER).symlink_to(elsewhere / "cache", target_is_directory=True)
    assert found(project) is None
    (project / FOLDER).unlink()
    (project / FOLDER).mkdir()
    (project / FOLDER / ".gitignore").symlink_to(elsewhere / "ignore")
    (project / FOLDER / "check-text.json").symlink_to(elsewhere / "report")
    keep(project)
    assert sorted(path.name for path in elsewhere.iterdir()) == ["cache"]
