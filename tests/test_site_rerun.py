"""`rerun: cheap` of the MkDocs plugin: what cheap probes say today, beside the evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import probe_project
import site_project

CHEAP = site_project.MKDOCS.replace("[search, stilltrue]", "[search, stilltrue: {rerun: cheap}]")
PROBE = (
    probe_project.HEADER
    + '''\
"""Where a step's time goes."""

import sys
from pathlib import Path

NAMES = ("attention", "products", "others")
TIMES = (22835.8, 2774.0, 9310.2)
print("name,time_ms")
for name, time in zip(NAMES, TIMES):
    print(f"{name},{time}")
print("measuring", file=sys.stderr)
'''
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project whose cheap probe says what its evidence says; its other probe is slow."""
    probe_project.write(tmp_path)
    site_project.put(tmp_path, "mkdocs.yml", CHEAP)
    put_probe(tmp_path, PROBE)
    return tmp_path


def put_probe(root: Path, content: str) -> None:
    """Write the probe, and the record of a run of it."""
    site_project.put(root, "probes/step.py", content)
    probe_project.record(root, probe_project.STEP, probe_project.step_record(root))


def test_a_cheap_probe_is_run_again_and_an_unchanged_one_not_twice(root: Path) -> None:
    first = site_project.mkdocs(root, "build", "--strict")
    assert first.returncode == 0, first.stderr
    assert "running probes/step.py again" in first.stderr
    assert "measuring" not in first.stderr
    report = json.loads(site_project.page(root, "claims.json"))
    assert report["ok"]
    assert not report.get("probes")
    second = site_project.mkdocs(root, "build", "--strict")
    assert second.returncode == 0, second.stderr
    assert "running" not in second.stderr


def test_a_probe_that_now_says_otherwise_fails_the_build(root: Path) -> None:
    put_probe(root, PROBE.replace("22835.8, 2774.0", "22900.8, 2774.0"))
    result = site_project.mkdocs(root, "build", "-q")
    assert result.returncode == 1
    assert "attention-time refuted" in result.stderr
    assert "Traceback" not in result.stderr
    card = 'class="st-card st-refuted st-failing" id="attention-time"'
    assert card in site_project.page(root, "throughput/step/")


def test_a_probe_that_cannot_run_here_is_said_not_to_have_run(root: Path) -> None:
    put_probe(root, PROBE.replace("dependencies = []", 'dependencies = ["no-such-package-anywhere"]'))
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    assert "probes/step.py was not run again: no-such-package-anywhere" in result.stderr


def test_a_probe_that_fails_fails_the_build(root: Path) -> None:
    put_probe(root, PROBE + "sys.exit(3)\n")
    result = site_project.mkdocs(root, "build", "-q")
    assert result.returncode == 1
    assert "probes/step.py" in result.stderr
    assert "Traceback" not in result.stderr


def test_nothing_is_run_unless_the_site_asks_for_it(root: Path) -> None:
    site_project.put(root, "mkdocs.yml", site_project.MKDOCS)
    put_probe(root, PROBE.replace("22835.8, 2774.0", "22900.8, 2774.0"))
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    assert not (root / ".stilltrue/runs").exists()
