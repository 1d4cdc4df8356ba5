"""What listing a file costs: counted, not timed."""

from __future__ import annotations

import gc
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from stilltrue.binding.listing import readings
from stilltrue.config import load
from stilltrue.errors import InputError
from stilltrue.evidence.survey import of_tree, survey
from stilltrue.quantity import Quantity

MANY, KEYS = 1_000, ("step", "name", "worker", "loss")


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The members that were looked at for what names their object."""
    seen: list[Any] = []
    label = of_tree._label

    def counted(value: Any) -> str | int | None:
        seen.append(value)
        return label(value)

    monkeypatch.setattr(of_tree, "_label", counted)
    return seen


def rows(root: Path, count: int) -> str:
    every = [dict(zip(KEYS, (at, f"run-{at % 7}", at % 4, at + 0.5), strict=True)) for at in range(count)]
    (root / "stilltrue.toml").touch()
    (root / "rows.json").write_text(json.dumps(every), encoding="utf-8")
    return "rows.json"


def test_listing_looks_at_no_names_of_rows(tmp_path: Path, looked: list[Any]) -> None:
    listing = readings(load(tmp_path), rows(tmp_path, MANY))
    assert [group.count for group in listing.parts[0].groups] == [MANY] * len(KEYS)
    assert not looked


@pytest.mark.parametrize("count", [MANY, 2 * MANY])
def test_each_member_is_looked_at_once_for_all_that_stand_beside_it(
    tmp_path: Path, looked: list[Any], count: int
) -> None:
    path = rows(tmp_path, count)
    (part,) = survey(load(tmp_path), path).parts
    beside = [held.beside() for held in part.held]
    assert beside[:4] == [("run-0", "0"), ("0", "0"), ("0", "run-0"), ("0", "run-0", "0")]
    assert len(looked) == count * len(KEYS)


def test_numbers_of_one_unit_are_compared_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    converted: list[Quantity] = []

    def base(one: Quantity) -> Fraction:
        converted.append(one)
        return one.number

    monkeypatch.setattr(Quantity, "base", property(base))
    (group, *_) = readings(load(tmp_path), rows(tmp_path, MANY)).parts[0].groups
    assert (group.shown, group.spans) == (("0", "999"), True)
    assert len(converted) < 20


def test_the_collector_is_back_whatever_a_file_holds(tmp_path: Path) -> None:
    config = load(tmp_path)
    survey(config, rows(tmp_path, 2))
    assert gc.isenabled()
    with pytest.raises(InputError) as caught:
        survey(config, "missing.json")
    assert caught.value.code == "no-file"
    assert gc.isenabled()
