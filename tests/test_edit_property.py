"""Whatever a page looks like: after `update` everything holds, and nothing but the numbers has changed."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edit_support import EVIDENCE, checked, project, updated

SYMBOLS = ["", " ms", " %", "%", "x", " GiB", " tok/s", " s/token^2", " hours", " pp", " target modules"]
UNITS = {"%": "'%'", "x": "", "target modules": "", "hours": "h"}
PREFIXES = ["", "", "", "", "~", "about ", "exactly ", "at least ", "> ", "≤ ", "less than "]


@dataclass(frozen=True)
class Number:
    """A stated number, and what is read for it: a JSON value and the keys of its read."""

    stated: str
    found: object
    read: str


@st.composite
def numbers(draw: st.DrawFn) -> Number:
    symbol = draw(st.sampled_from(SYMBOLS))
    prefix = draw(st.sampled_from(PREFIXES))
    noun = symbol.endswith("modules")
    places = 0 if noun else draw(st.integers(0, 3))
    size = draw(st.sampled_from([10, 1_000, 10**6]))
    stated = draw(st.integers(1, size * 10**places)) / 10**places
    grouped = draw(st.sampled_from([",", "", "_"]))
    text = f"{stated:{grouped if grouped != '_' else '_'}.{places}f}"
    found = draw(st.integers(1, size * 10**3))
    value: object = found if noun or not places else found / 1000
    unit = UNITS.get(symbol.strip(), symbol.strip())
    return Number(f"{prefix}{text}{symbol}", value, f"unit: {unit}" if unit else "")


def pair(low: float, high: float, text: Callable[[float, float], str]) -> Number:
    low, high = sorted((low, high))
    return Number(text(round(low), round(high) + 1), [low, high, (low + high) / 2], "unit: ms, all: yes")


PAIRS = st.builds(
    pair,
    st.integers(1, 9_000).map(lambda n: n / 10),
    st.integers(9_001, 99_000).map(lambda n: n / 10),
    st.sampled_from(
        [
            lambda a, b: f"{a}-{b} ms",
            lambda a, b: f"{a} ms to {b} ms",
            lambda a, b: f"{a + b}.0 ± 0.1 ms",
            lambda a, b: f"{a:,}–{b:,} ms",
        ]
    ),
)
ODD = st.sampled_from(
    [
        Number("1:32:21", 3725.4, "unit: s"),
        Number("15:00", 61, "unit: s"),
        Number("1.28e18", 3.3e17, ""),
        Number("1.28 × 10^18", 9.996e18, ""),
        Number("10^6", 2_000_000, ""),
        Number("7.1k", 12_345, ""),
        Number("$39.60", 41.305, "unit: $"),
        Number("yes", False, ""),
        Number("No", True, ""),
        Number("5/11/17", [5, 12, 17], ""),
        Number("5, 11, 17 ms", [1, 2.5, 3], "unit: ms"),
        Number("OOM", "SIGKILL", ""),
        Number("AttributeError", "it: fails # here", ""),
        Number("0.0 ms", 0.004, "unit: ms"),
        Number("65.2 %", 1.5e-05, ""),
        Number("−3 pp", 0.021, ""),
    ]
)
ANY = st.one_of(numbers(), numbers(), PAIRS, ODD)

# How it is written -------------------------------------------------------------------------------------


def plain(value: str) -> str:
    return value if re.match(r"[\w$.−~]", value) and not re.search(r": |\s#|^\d+, ", value) else single(value)


def single(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def double(value: str) -> str:
    return f'"{value}"'


def literal(value: str) -> str:
    return f"|\n  {value}"


def folded(value: str) -> str:
    return f">-\n    {value}"


def commented(value: str) -> str:
    return f"{single(value)}   # as of spring"


def below(value: str) -> str:
    return f"\n  {plain(value)}"


QUOTING = st.sampled_from([plain, plain, single, double, literal, folded, commented, below])
MARKS = st.sampled_from(["{}", "{}", "**{}**", "`{}`", "_{}_", "{}[^1]"])


def block(name: str, number: Number, quoting: Callable[[str], str], marks: str) -> list[str]:
    value = marks.format(number.stated) if number.stated[0].isdigit() else number.stated
    path = f"$.{name}[*]" if "all: yes" in number.read else f"$.{name}"
    unit = number.read.replace(", all: yes", "")
    read = f"read: {{path: '{path}'{', ' + unit if unit else ''}}}"
    return [
        f"id: {name}",
        'says: "Größe: {value}."',
        *f"value: {quoting(value)}".split("\n"),
        f"evidence: {EVIDENCE}",
        read,
    ]


def fenced(lines: list[str]) -> list[str]:
    return ["```claim", *lines, "```", ""]


def quote(lines: list[str]) -> list[str]:
    return ["", *(f"> {line}".rstrip() for line in fenced(lines)), ""]


def item(lines: list[str]) -> list[str]:
    return ["- item", "", *(f"    {line}".rstrip() for line in fenced(lines)), ""]


HOLDERS = st.sampled_from([fenced, fenced, quote, item])
LINKS = st.sampled_from(
    [
        "[{}](claim:{})",
        "**[{}](claim:{})** of 35 %",
        "*so [{} of it](claim:{}) is*",
        "| a | [{}](claim:{}) |\n|---|---|\n| [**{}**](claim:{}) | 7 |",
        "## [{}](claim:{}) ##",
        "> - [it takes {} on H100](claim:{}),\n>   as ever",
        '[{}, that is 3 times 12 ms](<claim:{}> "t")',
        "[{}\nin all](claim:{})",
        '!!! note "[{}](claim:{})"',
        "[`{}`](claim:{}) and [none](claim:{})",
        "ünïcode \U0001d11e\t[{}](claim:{})",
    ]
)


def linked(template: str, name: str, text: str) -> str:
    fields = [name if template[:at].endswith("claim:") else text for at in _places(template)]
    return template.format(*fields)


def _places(template: str) -> list[int]:
    return [found.start() for found in re.finditer(r"\{\}", template)]


@st.composite
def projects(draw: st.DrawFn) -> tuple[dict[str, bytes], dict[str, object]]:
    values: dict[str, object] = {}
    page: list[str] = ["# Größen", ""]
    items: list[str] = []
    for at in range(draw(st.integers(1, 4))):
        name, number = f"c{at}", draw(ANY)
        values[name] = number.found
        lines = block(name, number, draw(QUOTING), draw(MARKS))
        if draw(st.integers(0, 3)):
            page += draw(HOLDERS)(lines)
        else:
            items += [f"- {lines[0]}", *(f"  {line}" for line in lines[1:]), ""]
        if not (isinstance(number.found, str | bool) or ", " in number.stated):
            page += [linked(draw(LINKS), name, number.stated), ""]
    ending = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    bom = draw(st.sampled_from(["", "\ufeff"]))
    files = {"docs/a.md": bom + ending.join(page), "claims/x.yml": bom + ending.join(items)}
    return {name: text.encode() for name, text in files.items() if text.strip("\ufeff")}, values


# What must be true -------------------------------------------------------------------------------------

_NUMBER = re.compile(
    rb"[0-9.,:eE+\-_' \"]|\xe2\x88\x92|\xc2\xa0|\xc3\x97|SIGKILL|OOM|AttributeError|it: fails # here"
)
_WORD = re.compile(rb"\b(?:yes|no)\b", re.IGNORECASE)


def skeleton(line: bytes) -> bytes:
    """A line without its numbers, and what may come and go with them."""
    return _NUMBER.sub(b"", _WORD.sub(b"", line))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(projects())
def test_after_an_update_everything_holds_and_nothing_else_has_changed(
    made: tuple[dict[str, bytes], dict[str, object]],
) -> None:
    files, values = made
    with tempfile.TemporaryDirectory() as folder:
        root = project(Path(folder), files, values)
        before = checked(root)
        assert not [p for p in before.problems if p.code != "link-disagrees"], before.problems
        outcome = updated(root)
        assert outcome.left == ()
        after = checked(root)
        assert after.ok, [(j.claim.id, j.message) for j in after.judgements if j.message] + [*after.problems]
        assert [j.found for j in after.judgements] == [j.found for j in before.judgements]
        assert updated(root).changed == ()
        places = {each.place for each in outcome.changed}
        for name, data in files.items():
            old, new = data.splitlines(keepends=True), (root / name).read_bytes().splitlines(keepends=True)
            assert len(old) == len(new)
            lines = {place.line for place in places if place.path == name}
            if not lines:
                assert old == new
            assert list(map(skeleton, old)) == list(map(skeleton, new))


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, dict[str, object], bool]:
    """A table of claims, its cells aligned or not; what is found; and whether its columns may widen."""
    count = draw(st.integers(1, 4))
    cells = draw(
        st.lists(numbers().filter(lambda n: n.stated[0] not in "<>"), min_size=count, max_size=count)
    )
    marks = [draw(MARKS) if cell.stated[0].isdigit() else "{}" for cell in cells]
    texts = [mark.format(cell.stated) for mark, cell in zip(marks, cells, strict=True)]
    right, aligned = draw(st.booleans()), draw(st.booleans())
    room = draw(st.sampled_from([0, 12]))
    width = max(map(len, [*texts, "Value"])) + room if aligned else 0
    pad = str.rjust if right else str.ljust
    rule = "-" * max(width - right, 3) + (":" if right else "")
    rows = [f"| r{at} | {pad(text, width)} |" for at, text in enumerate(texts)]
    reads = [
        "```claims",
        "id: t",
        'says: "{Key} is {value}."',
        "key: Key",
        f"evidence: {EVIDENCE}",
        "columns: {Value: {read: {path: '$.{Key}'}}}",
        "```",
        "",
        f"| Key | {pad('Value', width)} |",
        f"|---|{'-' if aligned else ''}{rule}{'-' if aligned and not right else ''}|",
        *rows,
        "",
    ]
    found = {f"r{at}": _with_unit(cell) for at, cell in enumerate(cells)}
    return "\n".join(reads), found, not aligned or room == 0


def _with_unit(number: Number) -> object:
    """What is found for a cell, as text with its unit: the columns of a table have one read."""
    unit = number.read.removeprefix("unit: ").strip("'")
    return f"{number.found} {unit}" if unit else number.found


@settings(max_examples=80, deadline=None)
@given(tables(), st.sampled_from(["\n", "\r\n"]))
def test_tables_keep_the_width_of_their_columns(made: tuple[str, dict[str, object], bool], end: str) -> None:
    text, values, widens = made
    with tempfile.TemporaryDirectory() as folder:
        root = project(Path(folder), {"docs/a.md": text.replace("\n", end)}, values)
        outcome = updated(root)
        assert outcome.left == ()
        assert checked(root).ok
        new = (root / "docs/a.md").read_bytes().decode()
        old = text.replace("\n", end)
        assert skeleton(old.encode()) == skeleton(new.encode())
        if not widens:
            assert list(map(len, old.split(end))) == list(map(len, new.split(end)))
        assert updated(root).changed == ()
