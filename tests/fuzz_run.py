"""Fuzz one kind of input, guided by coverage: `make fuzz KIND=trees SECONDS=600`.

atheris (libFuzzer for Python) keeps what reaches new code in a folder of its own and stops at the first
fault. What it stopped at belongs into `fuzz_seeds/KIND/` once it is mended: the test suite tries all of it.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

import atheris

ROOMS = ("stilltrue.check", "stilltrue.claims", "stilltrue.evidence", "stilltrue.pages", "stilltrue.quantity")
"""What guides it; most modules are imported only when they are needed, which would be too late."""

with atheris.instrument_imports(include=["stilltrue"]):
    import fuzz_targets
    from test_readers_tried import SAMPLES, form_of

    for room in ROOMS:
        package = importlib.import_module(room)
        for module in pkgutil.walk_packages(package.__path__, f"{room}."):
            importlib.import_module(module.name)

SEEDS = Path(__file__).with_name("fuzz_seeds")

SECONDS_EACH = 10
"""An input that takes longer hangs."""

MEBIBYTES = 2048
"""More memory than this is a fault."""


def begin_with_samples(kept: Path, kind: str) -> None:
    """Put the sample of each reader under the names of a kind: from nothing, none is found in ten minutes."""
    for name in fuzz_targets.KINDS[kind].names:
        form = name.partition(".")[0].removeprefix("as-")
        for number, (of, (_, sample)) in enumerate(SAMPLES.items()):
            if form == form_of(of):
                (kept / f"sample-{number}").write_bytes(name.encode() + b"\n" + sample)


def main() -> None:
    """Fuzz until the time is over, or to the first fault."""
    kind, seconds, kept = sys.argv[1:4]
    seeds = SEEDS / kind
    Path(kept).mkdir(parents=True, exist_ok=True)
    begin_with_samples(Path(kept), kind)
    arguments = [
        sys.argv[0],
        kept,
        str(seeds),
        f"-max_total_time={seconds}",
        f"-timeout={SECONDS_EACH}",
        f"-rss_limit_mb={MEBIBYTES}",
        "-max_len=20000",
        f"-dict={SEEDS / 'words.dict'}",
        f"-artifact_prefix={kept}/fault-",
        *sys.argv[4:],
    ]
    atheris.Setup(arguments, fuzz_targets.KINDS[kind])
    atheris.Fuzz()


main()
