"""The small site project with probes, records beside its evidence, and mkdocstrings."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import site_project
from stilltrue.model import Accepted, Code, Digested, Provenance
from stilltrue.probes import code_of
from stilltrue.provenance import name_of, to_json

PLUGINS = """\
plugins:
  - search
  - stilltrue
  - mkdocstrings:
      handlers: {python: {paths: [probes]}}
"""

HEADER = """\
#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = []
# [tool.stilltrue]
# writes = "claims/evidence/step.csv"
# reads = ["claims/evidence/encode.json"]
# needs = ["linux"]
# cost = "cheap"
# timeout = "90 s"
# plant = ["slow-attention"]
# ///
"""

STEP_PROBE = (
    HEADER
    + '''\
"""Where a step's time goes.

Settles:
    How long attention takes, see [22,835.8 ms](claim:attention-time).

Cannot settle:
    Anything about another machine.
"""

import argparse
import clock

open("imported.txt", "w").write("imported")
raise SystemExit("imported")

ROWS = (("--width", int, 16384, "tokens in a step"), ("--rounds", int, 3, "how often"))


def main():
    """Measure."""
    parser = argparse.ArgumentParser()
    for name, kind, default, meaning in ROWS:
        parser.add_argument(name, type=kind, default=default, help=meaning)
    parser.add_argument("--plant", "-p", help="a <b>fault</b>")
'''
)

SHELL_PROBE = """\
#!/bin/sh
# How long the corpus takes to encode.
#
# <img src=x onerror=alert(1)>

# /// script
# [tool.stilltrue]
# writes = "claims/evidence/encode.json"
# ///
echo '{}'
"""

CLOCK = '"""A clock."""\n\nraise SystemExit("imported")\n'

FILES = {
    "mkdocs.yml": site_project.MKDOCS.replace("plugins: [search, stilltrue]\n", PLUGINS),
    "probes/step.py": STEP_PROBE,
    "probes/encode.sh": SHELL_PROBE,
    "probes/clock.py": CLOCK,
}

COMMIT = "0123456789abcdef0123456789abcdef01234567"
STEP = "claims/evidence/step.csv"
ENCODE = "claims/evidence/encode.json"


def write(root: Path) -> Path:
    """Write the project: one file is recorded, one is adopted."""
    site_project.write(root)
    for name, content in FILES.items():
        site_project.put(root, name, content)
    record(root, STEP, step_record(root))
    adopted = Provenance((digested(root, ENCODE),), on="2026-08-24", source="https://example.org/run?a=1&b=2")
    record(root, ENCODE, adopted)
    return root


def step_record(root: Path) -> Provenance:
    """What a run of the step's probe would leave, with one change accepted."""
    script = code_of(root, "probes/step.py", script=True)
    module = code_of(root, "probes/clock.py")
    return Provenance(
        subjects=(digested(root, STEP),),
        on="2026-11-29",
        code=(script, module),
        argv=("--width", "16384", "a b"),
        commit=COMMIT,
        started="2026-11-29T10:00:00Z",
        ended="2026-11-29T10:02:03Z",
        machine=(("system", "Linux 6.1"), ("cpu", "A <fast> CPU"), ("cores", "2"), ("memory", "8 GiB")),
        accelerator="",
        interpreter="CPython 3.11.7",
        packages=(("numpy", "2.4.6"),),
        inputs=(digested(root, ENCODE),),
        environment=(("OMP_NUM_THREADS", "1"),),
    )


def accepted(root: Path) -> Provenance:
    """The step's record with a change of its module accepted for one claim."""
    because = "a <comment> only"
    now = code_of(root, "probes/clock.py").digest
    change = Accepted("attention-time", because, "2026-12-01", "probes/clock.py", "0" * 64, now)
    return replace(step_record(root), accepted=(change,))


def digested(root: Path, path: str) -> Digested:
    return Digested(path, hashlib.sha256((root / path).read_bytes()).hexdigest())


def record(root: Path, path: str, provenance: Provenance) -> None:
    """Write a record beside an evidence file."""
    site_project.put(root, name_of(path), to_json(provenance))


def changed(code: Code) -> Code:
    """The code of a probe that has changed since."""
    return replace(code, sha256="0" * 64, digest="1" * 64)
