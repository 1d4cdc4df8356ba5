"""`bind` and wrong numbers: chance finds most of them somewhere in a file, and none may be called sure."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from stilltrue.binding import Asked, Binding, Level, bind
from stilltrue.config import Config, load

MANY = 1_000
KINDS = ("forward", "backward", "optimizer", "allreduce", "dataloader", "checkpoint", "logging", "evaluation")
METRICS = ("latency", "throughput", "loss", "temperature", "allocated", "reserved", "occupancy", "stalls")


Values = dict[tuple[str, ...], str]


@dataclass(frozen=True, slots=True)
class Case:
    """A file, what it holds by the words that name it, and how a page speaks of one of its values.

    Attributes:
        name: The file's name.
        text: The file.
        values: Every value as the file writes it, by the words of its names.
        unit: The unit that the file itself gives all of them; empty for bare numbers.
    """

    name: str
    text: str
    values: Values
    unit: str = ""


def decimal(random: Random) -> str:
    return f"{random.uniform(1, 1000):.{random.choice((2, 3, 4))}f}"


def a_tree(random: Random) -> Case:
    rows = [{"kind": kind, **{name: decimal(random) for name in METRICS[:3]}} for kind in KINDS[:5]]
    whole = {name: decimal(random) for name in METRICS[4:]}
    values: Values = {(str(row["kind"]), name): str(row[name]) for row in rows for name in METRICS[:3]}
    values |= {(name,): value for name, value in whole.items()}
    numbers = [{k: v if k == "kind" else float(v) for k, v in row.items()} for row in rows]
    data = {"rows": numbers, **{name: float(value) for name, value in whole.items()}}
    return Case("run.json", json.dumps(data, indent=1), values)


def a_table(random: Random) -> Case:
    rows = [[kind, *(decimal(random) for _ in METRICS[:4])] for kind in KINDS]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [["kind", *(f"{name} (ms)" for name in METRICS[:4])], *rows]
    )
    values: Values = {(row[0], name): row[at] for row in rows for at, name in enumerate(METRICS[:4], 1)}
    return Case("run.csv", out.getvalue(), values, "ms")


def a_log(random: Random) -> Case:
    values: Values = {(kind, name): decimal(random) for kind in KINDS[:4] for name in METRICS[:3]}
    lines = [f"{kind} {name}: {value} MiB" for (kind, name), value in values.items()]
    return Case("run.log", "begin\n" + "\n".join(lines) + "\nend\n", values, "MiB")


def in_words(names: tuple[str, ...], number: str) -> str:
    return f"# A run\n\nThe {' '.join(names)} of this run was {number}, which we did not expect.\n"


def in_a_cell(names: tuple[str, ...], number: str) -> str:
    *row, column = names
    return f"# A run\n\n| What | {column} |\n|---|---|\n| {' '.join(row) or 'all'} | {number} |\n"


WAYS: tuple[tuple[Callable[[tuple[str, ...], str], str], int], ...] = ((in_words, 3), (in_a_cell, 5))


def wrong(random: Random, right: str, case: Case) -> tuple[str, str]:
    """Another number with as many digits, and what kind of wrong it is."""
    places = len(right.partition(".")[2])
    others = [f"{float(each):.{places}f}" for each in case.values.values()]
    kind = random.choice(("random", "random", "another", "slip"))
    for _ in range(1_000):
        if kind == "another":
            number = random.choice(others)
        elif kind == "slip":
            digits = list(right)
            at = random.choice(
                [at for at, sign in enumerate(digits) if sign.isdigit() and (at or sign != "0")]
            )
            digits[at] = random.choice("123456789")
            number = "".join(digits)
        else:
            size = len(right.partition(".")[0])
            number = f"{random.uniform(10 ** (size - 1), 10**size):.{places}f}"
        if abs(float(number) - float(right)) > 0.6 * 10**-places:
            return number, kind
    raise AssertionError(right)


def bound(
    root: Path, config: Config, case: Case, names: tuple[str, ...], number: str, random: Random
) -> Binding:
    write, line = random.choice(WAYS)
    page = write(names, f"{number} {case.unit}".strip())
    (root / case.name).write_text(case.text, encoding="utf-8")
    (root / "README.md").write_text(page, encoding="utf-8")
    return bind(config, Asked("README.md", line, 0, f"{number} {case.unit}".strip(), case.name))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "stilltrue.toml").touch()
    return tmp_path.resolve()


def drawn(random: Random) -> Iterator[tuple[Case, tuple[str, ...]]]:
    """Files of all shapes in turn, and the names of one value of each."""
    while True:
        for make in (a_tree, a_table, a_log):
            case = make(random)
            yield case, random.choice(sorted(case.values))


def test_of_a_thousand_wrong_numbers_none_is_sure_though_many_stand_in_the_file(root: Path) -> None:
    random = Random(7)  # noqa: S311  # a seed that any machine repeats
    config = load(root)
    met: Counter[tuple[str, str]] = Counter()
    cases = drawn(random)
    for _ in range(MANY):
        case, names = next(cases)
        number, kind = wrong(random, case.values[names], case)
        binding = bound(root, config, case, names, number, random)
        levels = {each.level for each in binding.candidates}
        assert Level.SURE not in levels, (kind, names, number, case.text)
        met[kind, "in the file" if levels else "nowhere"] += 1
    assert sum(met.values()) == MANY
    assert met["another", "nowhere"] == 0
    assert met["another", "in the file"] > 100


def test_the_right_number_is_sure_and_its_read_is_the_right_one(root: Path) -> None:
    random = Random(8)  # noqa: S311  # as above
    config = load(root)
    sure = 0
    cases = drawn(random)
    for _ in range(60):
        case, names = next(cases)
        binding = bound(root, config, case, names, case.values[names], random)
        first = binding.candidates[0]
        if first.level is Level.SURE:
            sure += 1
            keys = " ".join(text for _, text in first.keys)
            assert all(name in keys for name in names), (names, keys)
            assert binding.proposal is not None
    assert sure > 45
