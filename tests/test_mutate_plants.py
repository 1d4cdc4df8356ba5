"""Faults that probes put in themselves: seen, not seen, not run, and the project untouched meanwhile."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from mutate_support import claim

PROBE = """\
#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = []
# [tool.stilltrue]
# writes = "claims/evidence/count.json"
# cost = "{cost}"
# timeout = "{timeout}"
# needs = {needs}
# plant = {plants}
# ///
import json, os, sys, time
from pathlib import Path

plant = sys.argv[sys.argv.index("--plant") + 1] if "--plant" in sys.argv else ""
layers = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 30
if plant == "crash":
    raise SystemExit("out of cheese")
if plant == "hang":
    time.sleep(60)
if plant == "slow":
    Path(os.environ["MARK"]).touch()
    time.sleep(15)
if plant == "silent":
    sys.exit()
noise = time.time_ns()
print(json.dumps({{"n": 5 + (plant == "off-by-one"), "layers": layers, "noise": noise}}))
"""

EVIDENCE = '{"n": 5, "layers": 30, "noise": 1}\n'
COUNT = claim(
    "count",
    "5",
    "read: {path: $.n}",
    "probe: probes/count.py",
    evidence="evidence: claims/evidence/count.json",
)
LAYERS = COUNT.replace("count\n", "layers\n", 1).replace('"5"', '"30 layers"').replace("$.n", "$.layers")
NOISE = COUNT.replace("count\n", "noise\n", 1).replace('"5"', '"1"').replace("$.n", "$.noise")


def project(
    root: Path,
    *plants: str,
    cost: str = "cheap",
    timeout: str = "20 s",
    needs: tuple[str, ...] = (),
    blocks: tuple[str, ...] = (COUNT, LAYERS),
) -> Path:
    """A project with one probe that has these plants, and claims on what it prints."""
    for folder in ("probes", "claims/evidence"):
        (root / folder).mkdir(parents=True)
    (root / "stilltrue.toml").touch()
    (root / "claims/evidence/count.json").write_text(EVIDENCE, encoding="utf-8")
    script = root / "probes/count.py"
    text = PROBE.format(
        cost=cost, timeout=timeout, needs=json.dumps(list(needs)), plants=json.dumps(list(plants))
    )
    script.write_text(text, encoding="utf-8")
    script.chmod(0o755)
    (root / "README.md").write_text("\n".join(blocks), encoding="utf-8")
    return root


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stilltrue", "mutate", "--only", "plants", *arguments]


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=root, capture_output=True, encoding="utf-8", timeout=60, check=False
    )


def digest(root: Path) -> dict[str, str]:
    """Every file of a project but what is remembered, with what it holds."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".stilltrue" not in path.parts
    }


def test_a_plant_that_makes_a_claim_fail_is_seen(tmp_path: Path) -> None:
    done = run(project(tmp_path, "off-by-one"))
    assert done.returncode == 0
    assert done.stdout == textwrap.dedent(
        """\
        probes/count.py --plant off-by-one: 1 claim fails: count
          not concerned: layers

        2 claims, 0 mutations, no survivor; plants: 1 seen
        """
    )
    assert done.stderr == ""


def test_a_plant_that_moves_nothing_is_listed_and_fails(tmp_path: Path) -> None:
    done = run(project(tmp_path, "off-by-one", "nothing"))
    assert done.returncode == 1
    assert done.stdout.startswith(
        "probes/count.py: with the plant `nothing` its 2 claims still hold: count, layers\n"
        "  let the plant change what they state, or state what it changes [plant-unmoved]\n"
    )
    assert done.stdout.endswith("plants: 1 seen, 1 at fault\n")


@pytest.mark.parametrize(
    ("plant", "why"),
    [
        ("crash", "the probe ended with exit code 1; its last words: out of cheese"),
        ("silent", "the probe printed nothing"),
        ("hang", "the probe ran longer than 4 s and was ended"),
    ],
)
def test_a_probe_that_fails_under_its_plant_shows_nothing(plant: str, why: str, tmp_path: Path) -> None:
    done = run(project(tmp_path, plant, timeout="4 s"))
    assert done.returncode == 1
    assert f"probes/count.py: with the plant `{plant}` it gives no evidence: {why}" in done.stdout
    assert "[plant-failed]" in done.stdout


def test_a_claim_that_fails_without_the_plant_too_does_not_show_it(tmp_path: Path) -> None:
    done = run(project(tmp_path, "nothing", blocks=(NOISE,)))
    assert done.returncode == 1
    assert "with the plant `nothing` noise fails, as on a fresh run without it" in done.stdout
    both = run(project(tmp_path / "both", "off-by-one", blocks=(COUNT, NOISE)), "--format", "json")
    (plant,) = json.loads(both.stdout)["plants"]
    assert (plant["moved"], plant["unmoved"], plant["unsteady"]) == (["count"], [], ["noise"])


def test_a_probe_that_cannot_run_here_is_told_of_and_not_passed(tmp_path: Path) -> None:
    elsewhere = "macos" if sys.platform == "linux" else "linux"
    done = run(project(tmp_path, "off-by-one", needs=(elsewhere,)))
    assert done.returncode == 0
    assert f"probes/count.py --plant off-by-one: not run: needs {elsewhere}\n" in done.stdout
    assert done.stdout.endswith("plants: 1 not run\n")


def test_a_slow_probe_is_run_where_that_is_asked_for(tmp_path: Path) -> None:
    root = project(tmp_path, "off-by-one", cost="slow")
    assert "not run: it is slow; `--slow` runs it" in run(root).stdout
    assert run(root, "--slow").stdout.endswith("plants: 1 seen\n")


def test_a_header_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    root = project(tmp_path, "off-by-one")
    script = root / "probes/count.py"
    script.write_text(script.read_text(encoding="utf-8").replace("# plant =", "# plants ="), encoding="utf-8")
    done = run(root)
    assert done.returncode == 1
    assert done.stdout.startswith("probes/count.py: its plants cannot be read: ")


def test_an_unchanged_probe_is_not_run_twice(tmp_path: Path) -> None:
    root = project(tmp_path, "off-by-one", "crash")
    assert "(remembered)" not in run(root).stdout
    again = json.loads(run(root, "--format", "json").stdout)
    assert [plant["state"] for plant in again["plants"]] == ["remembered", "failed"]
    script = root / "probes/count.py"
    script.write_text(script.read_text(encoding="utf-8") + "\nlayers = 1\n", encoding="utf-8")
    assert json.loads(run(root, "--format", "json").stdout)["plants"][0]["state"] == "ran"


def test_the_plants_of_one_claim_are_judged_by_all_claims_of_its_probe(tmp_path: Path) -> None:
    root = project(tmp_path, "off-by-one")
    (plant,) = json.loads(run(root, "layers", "--format", "json").stdout)["plants"]
    assert (plant["moved"], plant["unmoved"]) == (["count"], ["layers"])


def test_a_derived_claim_has_the_probes_of_its_operands_behind_it(tmp_path: Path) -> None:
    twice = claim("twice", "10", 'derive: "{count} * 2"')
    root = project(tmp_path, "off-by-one", blocks=(COUNT, twice))
    (plant,) = json.loads(run(root, "twice", "--format", "json").stdout)["plants"]
    assert plant["moved"] == ["count"]


def test_a_probe_runs_with_the_arguments_of_its_record(tmp_path: Path) -> None:
    root = project(tmp_path, "off-by-one")
    (root / "claims/evidence/count.json").unlink()
    recorded = subprocess.run(
        [sys.executable, "-m", "stilltrue", "record", "probes/count.py", "--", "12"],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert recorded.returncode == 0, recorded.stderr
    page = root / "README.md"
    page.write_text(page.read_text(encoding="utf-8").replace("30 layers", "12 layers"), encoding="utf-8")
    (plant,) = json.loads(run(root, "--format", "json").stdout)["plants"]
    assert (plant["moved"], plant["unmoved"], plant["unsteady"]) == (["count"], ["layers"], [])


def started(root: Path, mark: Path, folder: Path) -> subprocess.Popen[str]:
    """`mutate`, at the time when its probe sleeps with a fault in it."""
    folder.mkdir()
    environment = {**os.environ, "MARK": str(mark), "TMPDIR": str(folder)}
    process = subprocess.Popen(
        command(), cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    end = time.monotonic() + 30
    while not mark.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    assert mark.exists(), process.communicate(timeout=5)
    return process


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)], ids=["int", "kill"]
)
def test_the_project_is_untouched_while_it_runs_and_when_it_is_killed(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    root = project(tmp_path / "project", "off-by-one", "slow")
    before = digest(root)
    folder = tmp_path / "temporary"
    process = started(root, tmp_path / "mark", folder)
    assert digest(root) == before
    process.send_signal(number)
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (code, "")
    assert digest(root) == before
    end = time.monotonic() + 20
    while any(folder.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    assert list(folder.iterdir()) == []
