"""What the search for stale copies costs beside ripgrep: text and values, the same on every machine.

    python benchmarks/copies.py make FOLDER
    python benchmarks/copies.py search FOLDER

`make` writes 1 GB of text in files of 1 MiB (64 of them differ, the others repeat them), 1,000 values and
three lists of patterns for ripgrep: the numbers alone, the values as stated, and in many spellings. `search`
looks for the values as `check` does, and prints how many places it found. `run.py` compares the two.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

DIFFERENT = 64
FILES = 1024
FILE_BYTES = 1 << 20
VALUES = 1_000
PATTERNS = {"numbers": "numbers.txt", "stated": "stated.txt", "spelled": "spelled.txt"}

_UNITS = {
    "h": ("h", "hours", "hrs", "HOURS"),
    "ms": ("ms", "milliseconds", "msec"),
    "s": ("s", "seconds", "sec"),
    "min": ("min", "minutes", "mins"),
    "GiB": ("GiB", "gibibytes"),
    "MB": ("MB", "megabytes"),
    "%": ("%", "percent"),
    "tok/s": ("tok/s", "tokens/s", "tokens per second"),
    "W": ("W", "watts"),
    "x": ("x", "×", "times"),
    "tokens": ("tokens", "tok"),
    "kWh": ("kWh",),
}
_PROSE = """
the run of a node loss step batch data shard cache encode token was is and for with each time memory kernel
model layer head width rank queue worker trace reads page table claim value measured again after before which
that holds between every first last machine idle night budget plan report update check window stream buffer
"""
_WORDS = _PROSE.split()
_CODE = (
    "    {a} = {b}({c}, {n})",
    "for {a} in {b}({n}):",
    "    return {a}.{b}[{n}]",
    "if {a} >= {n}: stop('{c}')",
    "# {a} {b} takes {n} {u}",
    "export {A}_{B}={n}",
    "  {a}_{b}: {n}",
    '  "{a}": {n},',
    "{a} --{b} {n} --{c}",
)


class _Text:
    """Makes lines of text: prose, code and configuration, and logs full of numbers."""

    def __init__(self, seed: int, values: list[tuple[str, str]]) -> None:
        self.random = random.Random(seed)  # noqa: S311  # made text, no secret
        self.values = values

    def value(self) -> tuple[str, str]:
        """A number and its unit, as a claim may state it."""
        kind = self.random.random()
        if kind < 0.6:
            number = f"{self.random.uniform(0.1, 999):.{self.random.choice((1, 2))}f}"
        elif kind < 0.9:
            number = f"{self.random.uniform(1_000, 99_999):,.{self.random.choice((0, 1))}f}"
        else:
            number = str(self.random.randrange(11, 999))
        return number, self.random.choice(tuple(_UNITS))

    def data(self, size: int) -> bytes:
        """So much text, some fifty lines of each kind in a row."""
        lines: list[str] = []
        length = 0
        while length < size:
            make = self.random.choice((self._prose, self._prose, self._code, self._log))
            some = "\n".join(make() for _ in range(50)) + "\n"
            lines.append(some)
            length += len(some)
        return "".join(lines).encode()[:size]

    def _number(self) -> str:
        kinds: tuple[Callable[[], str], ...] = (
            lambda: f"{self.random.uniform(0, 1000):.{self.random.randrange(1, 7)}f}",
            lambda: f"{self.random.randrange(100_000)}",
            lambda: f"{self.random.uniform(0, 100):.2f}",
            lambda: f"{self.random.random():.3e}",
        )
        return self.random.choice(kinds)()

    def _prose(self) -> str:
        words = self.random.choices(_WORDS, k=self.random.randrange(9, 17))
        chance = self.random.random()
        if chance < 0.15:
            words.insert(4, f"{self._number()} {self.random.choice(tuple(_UNITS))}")
        if chance < 0.0002:
            words.insert(2, " ".join(self.random.choice(self.values)))
        return " ".join(words)

    def _code(self) -> str:
        a, b, c = self.random.choices(_WORDS, k=3)
        unit = self.random.choice(tuple(_UNITS))
        line = self.random.choice(_CODE)
        return line.format(a=a, b=b, c=c, n=self._number(), u=unit, A=a.upper(), B=b.upper())

    def _log(self) -> str:
        pick = self.random.randrange
        moment = f"2026-08-{pick(1, 29):02} {pick(24):02}:{pick(60):02}:{pick(60):02}.{pick(1000):03}"
        figures = (
            f"loss={self._number()} time={self._number()} ms mem={self._number()} GiB rate={self._number()}"
        )
        return f"{moment} rank={pick(64)} step {pick(100_000)} {figures}"


def make(folder: Path, files: int = FILES) -> None:
    """Write the text, the values and the patterns."""
    made = _Text(1, [])
    values = [made.value() for _ in range(VALUES)]
    text = folder / "text"
    text.mkdir(parents=True)
    parts = [_Text(seed, values).data(FILE_BYTES) for seed in range(2, 2 + min(files, DIFFERENT))]
    for at in range(files):
        (text / f"part-{at:04}.txt").write_bytes(parts[at % len(parts)])
    (folder / "values.json").write_text(json.dumps(values), encoding="utf-8")
    lists = {
        "numbers": [number for number, _ in values],
        "stated": [f"{number} {unit}" for number, unit in values],
        "spelled": [spelling for number, unit in values for spelling in _spellings(number, unit)],
    }
    for name, patterns in lists.items():
        lines = "".join(f"{pattern}\n" for pattern in dict.fromkeys(patterns))
        (folder / PATTERNS[name]).write_text(lines, encoding="utf-8")


def _spellings(number: str, unit: str) -> list[str]:
    numbers = dict.fromkeys((number, number.replace(",", ""), number.replace(",", "_")))
    return [f"{n}{gap}{u}" for n in numbers for gap in (" ", "", "-", "\u00a0") for u in _UNITS[unit]]


def search(folder: Path) -> int:
    """How many places hold one of the values, as `check` looks for them."""
    from stilltrue.copies import Choice, needles_of, search  # noqa: PLC0415  # `make` needs nothing of it
    from stilltrue.model import Claim, Place, ReportedSource  # noqa: PLC0415
    from stilltrue.quantity import Units, parse_stated  # noqa: PLC0415

    units = Units.default()
    values: list[tuple[str, str]] = json.loads((folder / "values.json").read_text("utf-8"))
    place = Place("claims.yml", 1)
    claims = [
        Claim(f"value-{at}", "", parse_stated(f"{number} {unit}", units), ReportedSource(""), place, place)
        for at, (number, unit) in enumerate(values)
    ]
    needles = [needle for claim in claims for needle in needles_of(claim, units)]
    names = sorted(path.name for path in (folder / "text").iterdir())
    choice = Choice()
    chosen = [name for name in names if choice.wants(name)]
    found = search(folder / "text", chosen, needles, units, limit=1 << 30, seconds=60)
    assert not found.skipped
    return len(found.hits)


if __name__ == "__main__":
    action, place = sys.argv[1:]
    if action == "make":
        make(Path(place))
    else:
        print(search(Path(place)))
