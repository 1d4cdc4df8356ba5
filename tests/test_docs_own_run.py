"""The page "Point the instruments at your own run", replayed in another's repository beside a clone."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import jsonpath_rfc9535
import pytest

import recording_support as support
from probe_support import said_by
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.model import Verdict
from stilltrue.probes import read_header

pytest.importorskip("transformers")
step_census = pytest.importorskip("step_census")
step_profile = pytest.importorskip("step_profile")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "throughput" / "own-run.md"

_FENCE = re.compile(
    r'^(?P<fence>`{3,})(?P<word>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^(?P=fence)$',
    re.MULTILINE | re.DOTALL,
)


QUICK = {"--rounds 5 --repeats 1": "--rounds 2 --repeats 1"}
"""What a replay does less often than a reader: how often a step is timed decides nothing that is tested."""


class Step(NamedTuple):
    """What the page has its reader do, or see.

    Attributes:
        kind: `run` a command, `write` a file, `replace` a part of one, `see` what a probe told.
        name: The command, the file or the probe.
        text: What goes there, or is told.
    """

    kind: str
    name: str
    text: str = ""


def quick(command: str) -> str:
    for shown, instead in QUICK.items():
        command = command.replace(shown, instead)
    return command


def steps() -> Iterator[Step]:
    """Everything on the page, in its order."""
    for match in _FENCE.finditer(PAGE.read_text(encoding="utf-8")):
        title = match["title"] or ""
        if match["word"] == "sh":
            yield from (Step("run", quick(line)) for line in match["body"].splitlines())
        elif match["word"] == "text" and title:
            yield Step("see", title, match["body"])
        elif title.startswith("part of "):
            yield Step("replace", title.removeprefix("part of "), match["body"])
        elif title:
            yield Step("write", title, match["body"])


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A repository with nothing in it, beside a clone that has the probes as git would have them."""
    listed = support.git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "probes")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / "stilltrue" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / "stilltrue" / name)
    root = tmp_path / "own"
    root.mkdir()
    support.git(root, "init", "-q")
    return root


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment whose programs are those under test, and in which nothing says that this is CI."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, module in (("stilltrue", " -m stilltrue"), ("python", "")):
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    passed = ("HOME", "TMPDIR", "LANG", "OMP_NUM_THREADS")
    kept = {name: os.environ[name] for name in passed if name in os.environ}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**kept, **support.GIT, "NO_COLOR": "1", "PATH": path}


def run(root: Path, command: str, shell: dict[str, str]) -> str:
    """What a command says; it must do what the page says, which is to end well."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=root, env=shell, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def replace(file: Path, text: str) -> None:
    """Put a claim's block, or a function, in the place of the one of its name."""
    old = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        name = text.splitlines()[1]
        part = re.compile(rf"^```claim\n{re.escape(name)}\n.*?^```\n", re.MULTILINE | re.DOTALL)
    else:
        name = text.partition("(")[0]
        part = re.compile(rf"^{re.escape(name)}\(.*?(?=\n\n\n)", re.MULTILINE | re.DOTALL)
        text = text.rstrip("\n")
    assert len(part.findall(old)) == 1
    file.write_text(part.sub(lambda _: text, old), encoding="utf-8")


def assert_told(shown: str, told: str) -> None:
    """Each line that the page shows was told, in that order; `…` stands for what differs."""
    place = 0
    lines = [" ".join(line.split()) for line in told.splitlines()]
    for line in shown.splitlines():
        pattern = re.compile(r".+".join(re.escape(part) for part in " ".join(line.split()).split("…")))
        found = next((at for at in range(place, len(lines)) if pattern.fullmatch(lines[at])), None)
        assert found is not None, f"{line!r} is not in\n{told}"
        place = found + 1


def verdicts(own: Path) -> dict[str, tuple[Verdict, str]]:
    return {each.claim.id: (each.verdict, each.claim.stated.text) for each in check(load(own)).judgements}


def paths() -> Iterator[tuple[str, str]]:
    """The page's table of paths: a file, by the page's word for it, and a path in it."""
    page = PAGE.read_text(encoding="utf-8")
    for row in re.finditer(r"^\| [^|]+ \| (\w+) \| `(\$.+)` \|$", page, re.MULTILINE):
        yield row[1], row[2]


@pytest.mark.long
def test_its_commands_lead_from_an_empty_repository_to_numbers_that_are_bound(
    own: Path, shell: dict[str, str]
) -> None:
    said: dict[str, str] = {}
    first: dict[str, tuple[Verdict, str]] = {}
    assert all(shown in PAGE.read_text(encoding="utf-8") for shown in QUICK)
    for step in steps():
        if step.kind == "run":
            said[step.name] = run(own, step.name, shell)
            if step.name == "stilltrue check" and not first:
                first = verdicts(own)
        elif step.kind == "see":
            assert_told(step.text, next(text for command, text in said.items() if step.name in command))
        elif step.kind == "replace":
            replace(own / step.name, step.text)
        else:
            (own / step.name).parent.mkdir(parents=True, exist_ok=True)
            (own / step.name).write_text(step.text, encoding="utf-8")
    assert first == {"filler": (Verdict.HOLDS, "> 1.5"), "masked-calls": (Verdict.HOLDS, "2")}
    assert verdicts(own) == {"filler": (Verdict.HOLDS, "> 1.5"), "masked-calls": (Verdict.HOLDS, "0")}
    assert "masked-calls: 2 -> 0" in said["stilltrue record probes/step_census.py"]
    assert "takes [0](claim:masked-calls) calls" in (own / "docs/slow.md").read_text(encoding="utf-8")
    assert "not-committed" not in said["stilltrue check || test $? -eq 1"]
    assert "changed-probe" in said["stilltrue check || test $? -eq 1"]
    record = json.loads((own / "claims/evidence/step-census/census.json.provenance.json").read_text())
    code = {each["name"] for each in record["predicate"]["code"]}
    assert {
        "my_run.py",
        "train.py",
        "probes/probe_parts/step_watch.py",
        "probes/probe_parts/harness.py",
    } <= code
    padding = json.loads((own / "results/padding.json").read_text())
    assert padding["corpus"]["random"]["padding"] > 0.2
    census = json.loads((own / "claims/evidence/step-census/census.json").read_text())
    points = json.loads((own / "results/points.json").read_text())
    documents = {"points": points, "census": census, "padding": padding}
    found = {path: jsonpath_rfc9535.find(path, documents[file]).values() for file, path in paths()}
    assert len(found) == 6
    assert {path for path, values in found.items() if len(values) != 1} == set()


def test_the_command_that_records_a_profile_names_the_files_that_its_header_promises() -> None:
    page = PAGE.read_text(encoding="utf-8")
    texts = (match["body"] for match in _FENCE.finditer(page) if match["word"] == "text")
    (command,) = (text for text in texts if text.startswith("stilltrue record probes/step_profile.py -- "))
    _, _, arguments = command.replace("\\\n", " ").partition(" -- ")
    settings, files = step_profile.parse(shlex.split(arguments))
    assert settings.widths == (512, 1024, 2048, 4096)
    _, *promised = read_header(ROOT, "probes/step_profile.py", "claims/evidence").writes
    assert [str(files.table), str(files.trace)] == promised


@pytest.fixture
def trainer_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with the page's run and its harness by the Trainer; both are forgotten again."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names = ("train.py", "trainer_run.py")
    for step in steps():
        if step.name in names and step.kind == "write":
            (tmp_path / step.name).write_text(step.text, encoding="utf-8")
    yield tmp_path
    for name in names:
        sys.modules.pop(name.removesuffix(".py"), None)


def test_the_trainer_of_transformers_is_a_harness_as_the_page_writes_it(trainer_run: Path) -> None:
    arguments = ("--harness", "trainer_run:harness", "--widths", "8,16")
    document, told = said_by(step_census, arguments)
    assert "attention    2 is_causal, 0 mask, 0 neither" in told
    assert {row["attention"]["mask"] for row in document["census"] if row["series"] == "padded"} == {2}
    assert sorted(path.name for path in trainer_run.iterdir() if path.suffix) == [
        "train.py",
        "trainer_run.py",
    ]
