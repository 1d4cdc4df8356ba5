"""Claims over evidence that is no text, through every door: check, show, update, mutate, and the site."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import site_project
from binary_support import EVENTS, NSYS, SQLITE, database, tensors

PAGE = """\
# Runs

Run a took [9,007,199,254,740,993 tokens](claim:tokens).

```claim
id: tokens
says: "Run a saw {value}."
value: 9,007,199,254,740,993 tokens
evidence: claims/evidence/runs.sqlite
read: {table: runs, where: "name = 'a'", column: tokens}
```

```claim
id: kernels
says: "Kernels took {value}."
value: 2.5 us
evidence: claims/evidence/report.sqlite
read: {table: kernels, where: duration is not null, column: duration, take: sum}
```

```claim
id: loss
says: "The loss fell to {value}."
value: 0.1
evidence: claims/evidence/events.out.tfevents.1
read: {where: "tag = 'loss/train'", column: value, take: last}
```

```claim
id: parameters
says: "The head has {value}."
value: 13 parameters
evidence: claims/evidence/model.safetensors
read: {path: "$.tensors['head'].parameters"}
```

```claim
id: peak
says: "The peak was {value}."
value: 12.5 GiB
evidence: claims/evidence/metrics.parquet
read: {where: "gpu_name = 'b'", column: peak_gib}
```
"""


def metrics() -> bytes:
    pa: Any = pytest.importorskip("pyarrow")
    pq: Any = pytest.importorskip("pyarrow.parquet")
    buffer = io.BytesIO()
    gpus = [{"name": "a"}, {"name": "b"}]
    pq.write_table(pa.table({"gpu": gpus, "peak (GiB)": [3, 12.5]}), buffer)
    return buffer.getvalue()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put: dict[str, str | bytes] = {
        "mkdocs.yml": "site_name: S\ntheme: {name: material, font: false}\nplugins: [search, stilltrue]\n",
        "stilltrue.toml": "",
        "docs/index.md": PAGE,
        "claims/evidence/runs.sqlite": database(SQLITE),
        "claims/evidence/report.sqlite": database(NSYS),
        "claims/evidence/events.out.tfevents.1": EVENTS,
        "claims/evidence/metrics.parquet": metrics(),
        "claims/evidence/model.safetensors": tensors({"head": ("BF16", [4, 3], 24)}, {}),
    }
    for name, content in put.items():
        site_project.put(tmp_path, name, content)
    return tmp_path


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stilltrue", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env=os.environ | {"NO_COLOR": "1"},
    )


def test_they_are_judged_shown_corrected_and_shifted(root: Path) -> None:
    checked = json.loads(run(root, "check", "--format", "json").stdout)
    verdicts = {claim["id"]: claim["verdict"] for claim in checked["claims"]}
    held = dict.fromkeys(("tokens", "kernels", "loss", "peak"), "holds")
    assert verdicts == held | {"parameters": "drifted"}, checked["claims"]
    readings = {claim["id"]: [r["line"] for r in claim["readings"]] for claim in checked["claims"]}
    assert readings["tokens"] == [1]
    assert readings["loss"] == [3]

    shown = run(root, "show", "loss")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "claims/evidence/events.out.tfevents.1" in shown.stdout

    updated = run(root, "update", "parameters")
    assert (updated.returncode, updated.stderr) == (0, "")
    assert "value: 12 parameters" in (root / "docs/index.md").read_text(encoding="utf-8")

    mutated = run(root, "mutate")
    assert (mutated.returncode, "Traceback" in mutated.stderr) == (0, False), mutated.stdout + mutated.stderr


def test_a_page_says_what_was_read_in_place_of_lines(root: Path) -> None:
    site_project.edit(root, "docs/index.md", "13 parameters", "12 parameters")
    built = site_project.mkdocs(root, "build", "--strict")
    assert built.returncode == 0, built.stderr
    pages = {path.as_posix(): path.read_text(encoding="utf-8") for path in (root / "site").rglob("*.html")}
    (sqlite,) = (html for path, html in pages.items() if "runs.sqlite" in path)
    data = (root / "claims/evidence/runs.sqlite").read_bytes()
    assert f"{len(data):,} bytes" in sqlite
    assert hashlib.sha256(data).hexdigest() in sqlite
    assert '<tr id="L1"><td>1</td><td>' in sqlite
    (header,) = (html for path, html in pages.items() if "model.safetensors" in path)
    assert "<tr><td>all</td><td>12" in header


def test_a_flipped_bit_breaks_the_claim(root: Path) -> None:
    damaged = EVENTS[:-20] + bytes([EVENTS[-20] ^ 1]) + EVENTS[-19:]
    site_project.put(root, "claims/evidence/events.out.tfevents.1", damaged)
    checked = json.loads(run(root, "check", "--format", "json", "loss").stdout)
    (claim,) = checked["claims"]
    assert (claim["verdict"], claim["code"]) == ("broken", "malformed-evidence")
    assert claim["message"].startswith("record 7 is damaged")
