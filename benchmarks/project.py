"""Makes projects of any size to measure on: pages with claims and prose links, and the evidence behind them.

Everything is a function of the sizes, so that two runs measure the same bytes.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROWS = 50
"""Rows of an evidence file; a claim reads one of them."""

_PROSE = (
    "The run was repeated on an idle machine and the median of its steps was {link}, which is what the "
    "planning sheet should hold; the spread over the rounds stayed small enough not to matter here."
)


@dataclass(frozen=True, slots=True)
class Size:
    """How large a project is.

    Attributes:
        pages: How many pages.
        claims: How many claims, and as many prose links, on each page.
        files: How many evidence files; a quarter tables, a quarter JSON, half text.
    """

    pages: int
    claims: int
    files: int


def make_project(root: Path, size: Size) -> None:
    """Write a project whose every claim holds."""
    evidence = root / "claims" / "evidence"
    evidence.mkdir(parents=True)
    docs = root / "docs"
    docs.mkdir()
    (root / "stilltrue.toml").write_text('pages = ["docs/**/*.md"]\n', encoding="utf-8")
    for number in range(size.files):
        name, text = _evidence(number)
        (evidence / name).write_text(text, encoding="utf-8")
    for page in range(size.pages):
        (docs / f"page-{page:04}.md").write_text(_page(page, size), encoding="utf-8")


def drift(root: Path, values: int) -> dict[Path, str]:
    """Make so many claims of a project drift, spread over its pages, each by the first digit of its value.

    Returns:
        The pages that changed, with what they hold now.
    """
    pages = sorted((root / "docs").iterdir())
    each, more = divmod(values, len(pages))
    changed: dict[Path, str] = {}
    for at, page in enumerate(pages):
        count = each + (at < more)
        if count:
            text = _STATED.sub(
                lambda found: f"value: {int(found[1]) % 9 + 1}", page.read_text("utf-8"), count
            )
            page.write_text(text, encoding="utf-8")
            changed[page] = text
    return changed


def retire(root: Path, values: int, scripts: int) -> None:
    """Give a project superseded claims, whose values stand nowhere any more, and more files to search.

    It becomes a git repository, as projects are: git lists what is searched.
    """
    retired = "".join(_RETIRED.format(at=at, value=f"{at // 10 + 1}.{at % 10}1") for at in range(values))
    (root / "claims" / "retired.yml").write_text(retired, encoding="utf-8")
    (root / "scripts").mkdir()
    for at in range(scripts):
        lines = (f"run --step {line} --rows {(at * 31 + line) % 997}" for line in range(ROWS))
        (root / "scripts" / f"run-{at:04}.sh").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for command in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=root, check=True)


_RETIRED = """- id: retired-{at}
  says: "It took {{value}}."
  value: {value} h
  evidence: claims/evidence/run-0000.csv
  read: {{column: median, take: max, unit: h}}
  superseded: {{on: 2026-08-26, because: "measured anew"}}
"""
_STATED = re.compile(r"^value: ([0-9])", re.MULTILINE)


def _value(number: int, row: int) -> str:
    return f"{(number * 37 + row * 101) % 9000 + 1000}.{row % 10}"


def _evidence(number: int) -> tuple[str, str]:
    rows = [(f"row-{row:02}", _value(number, row)) for row in range(ROWS)]
    match number % 4:
        case 0:
            lines = ["name,median,count", *(f"{name},{value},{len(name)}" for name, value in rows)]
            return f"run-{number:04}.csv", "\n".join(lines) + "\n"
        case 1:
            items = ",\n".join(f'  {{"name": {json.dumps(name)}, "median": {value}}}' for name, value in rows)
            return f"run-{number:04}.json", f'{{"rows": [\n{items}\n]}}\n'
        case _:
            lines = [f"{name} median {value} ms" for name, value in rows]
            return f"run-{number:04}.txt", "\n".join(lines) + "\n"


def _page(page: int, size: Size) -> str:
    parts = [f"# Page {page}\n"]
    for at in range(size.claims):
        claim = page * size.claims + at
        parts.append(_claim(claim, size))
        link = f"[{_value(*_source(claim, size))} ms](claim:median-{claim})"
        parts.append(_PROSE.format(link=link) + "\n")
    return "\n".join(parts)


def _source(claim: int, size: Size) -> tuple[int, int]:
    """The evidence file and the row that a claim reads."""
    a_file = max(1, size.pages * size.claims // size.files)
    return claim // a_file % size.files, claim % ROWS


def _claim(claim: int, size: Size) -> str:
    number, row = _source(claim, size)
    name = f"row-{row:02}"
    match number % 4:
        case 0:
            file, read = f"run-{number:04}.csv", [f"where: name = '{name}'", "column: median", "unit: ms"]
        case 1:
            file, read = f"run-{number:04}.json", [f"path: $.rows[?@.name == '{name}'].median", "unit: ms"]
        case _:
            file, read = f"run-{number:04}.txt", [f"match: '^{name} median (?P<value>\\S+ ms)$'"]
    body = [
        "```claim",
        f"id: median-{claim}",
        f'says: "The median step of {name} in run {number} takes {{value}}."',
        f"value: {_value(number, row)} ms",
        f"evidence: claims/evidence/{file}",
        "read:",
        *(f"  {line}" for line in read),
        "tags: [benchmark]",
        "```",
        "",
    ]
    return "\n".join(body)
