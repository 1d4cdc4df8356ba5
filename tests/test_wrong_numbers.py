"""A thousand random wrong numbers of each class, in every place where a number can be bound: none passes.

Beside each wrong number stands a right one, which must hold: so that this can fail in both directions. One
project holds all numbers of a class. Every other one stands on the page, as a claim's value and in a link;
the rest in a file, where `stated_in` and `copies` find them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from stilltrue.check import check
from stilltrue.config import load
from stilltrue.model import Report, Verdict
from wrong_numbers_making import Case, decimal, made
from wrong_numbers_support import BARE, CLOCK, MEASURES, UNKNOWN, Form, Measure, Written, agrees, link_agrees

COUNT = 1_000
SEED = 20_261_129
CLASSES = list(MEASURES)


def generator(what: str) -> random.Random:
    seed = f"{SEED} {what}"
    print(f"seed: {seed!r}")  # noqa: T201  # pytest shows it where a test fails
    return random.Random(seed)  # noqa: S311  # repeatable, and no secret


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True)
class Judged:
    """What a check came to, asked about one claim, link or copy at a time."""

    report: Report
    verdicts: Mapping[str, Verdict]
    malformed: frozenset[str]

    @classmethod
    def of(cls, root: Path) -> Judged:
        report = check(load(root))
        verdicts = {judgement.claim.id: judgement.verdict for judgement in report.judgements}
        return cls(report, verdicts, frozenset(name for each in report.problems for name in each.about))

    def holds(self, name: str) -> bool:
        return self.verdicts.get(name) is Verdict.HOLDS

    def fails(self, name: str) -> bool:
        """Whether a claim has failed by its value, or was a problem before it could be judged."""
        if name in self.verdicts:
            return self.verdicts[name] in (Verdict.DRIFTED, Verdict.BROKEN)
        return name in self.malformed


def none_of(cases: Sequence[Case], wrong: Callable[[int], bool], what: str) -> None:
    """Assert that `wrong` is true of no case; show those of which it is."""
    some = [
        f"c{at}, {case.how}: right is {case.right.text!r}, wrong is {case.wrong.text!r}"
        for at, case in enumerate(cases)
        if wrong(at)
    ]
    assert not some, f"{len(some)} of {len(cases)} {what}:\n" + "\n".join(some[:40])


# A project of one class --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CLASSES)
def test_no_wrong_number_passes(kind: str, tmp_path: Path) -> None:
    rng = generator(kind)
    cases = [made(rng, kind) for _ in range(COUNT)]
    there = {at: there_of(rng, case) for at, case in enumerate(cases) if at % 2}
    evidence(tmp_path / "evidence.json", cases)
    page = "".join(in_file(at, case) if at % 2 else on_page(rng, at, case) for at, case in enumerate(cases))
    (tmp_path / "README.md").write_text(page, encoding="utf-8")
    lines = (f"c{at}: {each.right}\nc{at}.wrong: {each.wrong}\n" for at, each in there.items())
    (tmp_path / "places.txt").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "stilltrue.toml").touch()
    judged = Judged.of(tmp_path)

    none_of(cases, lambda at: not judged.holds(f"c{at}"), "right values do not hold")
    wrong = {at for at in range(COUNT) if at % 2 == 0 or not agrees(there[at].says, cases[at].truth)}
    assert len(wrong) > COUNT * 9 // 10
    none_of(cases, lambda at: at in wrong and not judged.fails(f"c{at}.wrong"), "wrong values pass")

    bound = [link.agrees for link in judged.report.links], [copy.agrees for copy in judged.report.copies]
    assert [len(each) for each in bound] == [COUNT, COUNT]
    read = {
        at for at, case in enumerate(cases) if read_in_prose(case, there[at].says if at % 2 else case.wrong)
    }
    assert len(read) > COUNT * 9 // 10
    none_of(cases, lambda at: not bound[at % 2][at // 2 * 2], "right links and copies disagree")
    none_of(cases, lambda at: bound[at % 2][at // 2 * 2 + 1] and at in read, "wrong links and copies agree")


def evidence(path: Path, cases: Sequence[Case]) -> None:
    """Exact decimals, so written by hand: a binary float would change them."""
    lines = []
    for at, case in enumerate(cases):
        numbers = [decimal(reading / case.evidence.scale) for reading in case.truth.readings]
        lines.append(f'"c{at}": {numbers[0] if len(numbers) == 1 else "[" + ", ".join(numbers) + "]"}')
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def on_page(rng: random.Random, at: int, case: Case) -> str:
    """A right claim and a wrong one, and two links to the right one."""
    blocks = (block(at, case, which, f"value: {quoted(value.text)}") for which, value in case.spellings)
    links = (rng.choice(CONTEXTS).format(value.text) for _, value in case.spellings)
    return "".join(blocks) + "".join(f"Here [{link}](claim:c{at}).\n\n" for link in links)


def in_file(at: int, case: Case) -> str:
    """The same where a file states both, and both are copies of the right one."""
    unit = f", unit: {quoted(unit_there(case))}" if unit_there(case) else ""
    right, wrong = (f"{{file: places.txt, match: '^c{at}{which}: (.*)$'{unit}}}" for which in ("", ".wrong"))
    more = f"stated_in: {right}\ncopies: [{right}, {wrong}]"
    return block(at, case, "", more) + block(at, case, ".wrong", f"stated_in: {wrong}")


def block(at: int, case: Case, which: str, more: str) -> str:
    source = f"evidence: evidence.json\nread: {read_of(f'c{at}', case)}\n"
    return f"```claim\nid: c{at}{which}\nsays: 'It is {{value}}.'\n{more}\n{source}```\n\n"


CONTEXTS = ("{}", "{}", "**{}**", "`{}`", "is {} in all", "took {} (median)", "{}, of two runs", "just {}.")
"""What may stand around a number in the text of a link."""


def read_of(name: str, case: Case) -> str:
    several = len(case.truth.readings) > 1
    parts = [f"path: '$.{name}{'[*]' if several else ''}'"]
    if unit_of(case):
        parts.append(f"unit: {quoted(unit_of(case))}")
    if case.truth.rounds:
        parts.append("take: mean")
    return f"{{{', '.join(parts)}}}"


def unit_of(case: Case) -> str:
    return "s" if case.evidence == CLOCK else case.evidence.symbol


# Numbers whose unit is said elsewhere ------------------------------------------------------------------


def unit_there(case: Case) -> str:
    """The unit of bare numbers in the file of a case, where its value is a single number with one."""
    own = case.right.measure
    return own.symbol if len(case.right.numbers) == 1 and own != UNKNOWN else ""


class There(NamedTuple):
    """A right and a wrong number as they stand in a file, and what the wrong one says there."""

    right: str
    wrong: str
    says: Written


def there_of(rng: random.Random, case: Case) -> There:
    """Numbers in a file: often bare, and then in the unit that the claim gives them."""
    own = case.right.measure
    if not unit_there(case):
        return There(case.right.text, case.wrong.text, case.wrong)
    right, _ = bare_in(rng, own, case.right)
    return There(right, *bare_in(rng, own, case.wrong))


def bare_in(rng: random.Random, own: Measure, value: Written) -> tuple[str, Written]:
    """A value where bare numbers are in the unit `own`."""
    single = len(value.numbers) == 1 and not value.numbers[0].colons
    if single and value.measure == own and own.after and rng.random() < 0.7:
        return value.text.removesuffix(own.after), value
    if single and not value.measure.symbol:
        return value.text, replace(value, measure=own)
    return value.text, value


VERSION = re.compile(r"[0-9]\.[0-9]+\.[0-9]")


def read_in_prose(case: Case, wrong: Written) -> bool:
    """Whether prose reads what is wrong: it reads the first quantity, and a version is none."""
    if wrong.form is not Form.NOTHING:
        return not link_agrees(wrong, case.right, case.truth)
    if case.how == "backwards":
        return " " not in wrong.text.removesuffix(wrong.measure.after)
    second = len(case.right.numbers) > 1 and wrong.text.startswith(case.right.numbers[0].text)
    return not second and not (VERSION.search(wrong.text) and wrong.measure.counts)


# Cells of a table --------------------------------------------------------------------------------------

COLUMNS = {
    "percent": Measure("one", Fraction(1, 100), " %"),
    "ratio": BARE,
    "time": Measure("time", Fraction(1, 1000), " ms"),
    "count": BARE,
    "size": Measure("bytes", Fraction(1024**3), " GiB"),
}
"""The unit of each column's bare cells."""

CELLS = ("{}", "{}", "{}", "**{}**", "`{}`", "{}\\*")


def test_no_wrong_number_passes_in_a_cell_of_a_table(tmp_path: Path) -> None:
    columns = {kind: cells(generator(f"cells {kind}"), kind) for kind in CLASSES}
    rows = [
        f'{{"row": "r{at}", ' + ", ".join(f'"{kind}": {reading(columns[kind][at][0])}' for kind in CLASSES)
        for at in range(COUNT // len(CLASSES))
    ]
    (tmp_path / "rows.json").write_text('{"rows": [' + "},\n".join(rows) + "}]}\n", encoding="utf-8")
    (tmp_path / "stilltrue.toml").touch()
    right = table("right", {kind: [cell for _, cell, _ in columns[kind]] for kind in CLASSES})
    wrong = table("wrong", {kind: [cell for _, _, cell in columns[kind]] for kind in CLASSES})
    (tmp_path / "README.md").write_text(right + wrong, encoding="utf-8")
    judged = Judged.of(tmp_path)
    for kind in CLASSES:
        no_cell(judged, kind, [case for case, _, _ in columns[kind]])


def no_cell(judged: Judged, kind: str, cases: Sequence[Case]) -> None:
    none_of(cases, lambda at: not judged.holds(f"right.r{at}.{kind}"), "right cells do not hold")
    none_of(cases, lambda at: not judged.fails(f"wrong.r{at}.{kind}"), "wrong cells pass")


def cells(rng: random.Random, kind: str) -> list[tuple[Case, str, str]]:
    """Cases, each with its right and its wrong cell: a fifth of all for each column."""
    rows: list[tuple[Case, str, str]] = []
    while len(rows) < COUNT // len(CLASSES):
        case = made(rng, kind, plain=True)
        (right, means), (wrong, says) = (
            bare_in(rng, COLUMNS[kind], each) for each in (case.right, case.wrong)
        )
        if agrees(means, case.truth) and not agrees(says, case.truth):
            style = rng.choice(CELLS)
            rows.append((case, style.format(right), style.format(wrong)))
    return rows


def table(name: str, columns: dict[str, list[str]]) -> str:
    head = ["```claims", f"id: {name}", "says: 'Row {Row} has {value}.'", "key: [Row]", "evidence: rows.json"]
    keys = [*head, "columns:"]
    for kind in columns:
        unit = f", unit: {quoted(COLUMNS[kind].symbol)}" if COLUMNS[kind].symbol else ""
        keys.append(f"  {kind}: {{read: {{path: '$.rows[?@.row == {{Row}}].{kind}'}}{unit}}}")
    rows = enumerate(zip(*columns.values(), strict=True))
    lines = [
        *keys,
        "```\n",
        f"| Row | {' | '.join(columns)} |",
        "|---" * (len(columns) + 1) + "|",
        *(f"| r{at} | {' | '.join(texts)} |" for at, texts in rows),
    ]
    return "\n".join(lines) + "\n\n"


def reading(case: Case) -> str:
    """What evidence says, as a text with its unit; a bare number as a number."""
    number = decimal(case.truth.readings[0] / case.evidence.scale)
    symbol = unit_of(case).replace("$", "USD")
    return f'"{number} {symbol}"' if symbol else number
