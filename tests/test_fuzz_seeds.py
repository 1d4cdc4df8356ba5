"""What the fuzzer found, and what it starts from, tried once each: nothing raises, no zero is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

import fuzz_targets
from fuzz_targets import KINDS, Kind, SilentZeroError
from stilltrue.evidence.tables import parse_tables

SEEDS = Path(__file__).with_name("fuzz_seeds")


@pytest.mark.parametrize("kind", KINDS)
def test_no_seed_raises(kind: str) -> None:
    seeds = sorted((SEEDS / kind).iterdir())
    assert seeds, "there is nothing to try"
    for seed in seeds:
        try:
            KINDS[kind](seed.read_bytes())
        except Exception as error:  # a fault of any kind is what is looked for
            raise AssertionError(f"{seed.name} raises") from error


def test_a_zero_that_no_file_writes_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Kind(("a.csv",), fuzz_targets.tables)
    kind(b"a.csv\nname,ms\nx,1\n")
    monkeypatch.setattr(
        fuzz_targets, "parse_tables", lambda text, *rest: parse_tables(text.replace("1", "0"), *rest)
    )
    with pytest.raises(SilentZeroError):
        kind(b"a.csv\nname,ms\nx,1\n")
