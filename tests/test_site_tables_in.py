"""Tables of a page of which a claims file binds cells, as the site shows them."""

from __future__ import annotations

import re
from pathlib import Path

import markdown
import pytest

import site_project
from recording_support import write
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.site.markdown_extension import StilltrueExtension
from stilltrue.site.session import Session
from stilltrue.site.view import Layout, View

PAGE = """\
---
title: Runs
---

# Runs

| Run | Loss | Time |
|---|--:|--:|
| a | 9 | 9 s |
| b | 9 | 9 s |

## Results

| Run | Loss | Time[^1] |
|---|--:|--:|
| a | **1.61** | [4 s](https://example.org) |
| b | 2.04[^1] | n/a |

| Run | Other |
|---|--:|
| a | 1.61 |

[^1]: Once.
"""
CLAIMS = """\
- id: runs
  says: "{Run} comes to {value}."
  table_in: {file: docs/runs.md, after: '^## Results'}
  key: Run
  evidence: "claims/evidence/{Run}.log"
  columns:
    Loss: {read: {match: 'loss (.*)'}}
    Time: {read: {match: 'time (.*)'}}
"""
FILES = {
    "stilltrue.toml": "",
    "docs/index.md": "# Home\n\nIt takes [4 s](claim:runs.a.time).\n",
    "docs/runs.md": PAGE,
    "claims/runs.yml": CLAIMS,
    "claims/evidence/a.log": "loss 1.612\ntime 4.2 s\n",
    "claims/evidence/b.log": "loss 2.24\n",
}
EXTENSIONS = ["attr_list", "footnotes", "md_in_html", "tables", "toc", "pymdownx.superfences"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def rendered(root: Path, text: str = "") -> list[str]:
    """The tables of the page, as the site shows them, or of a text that a plugin made of it."""
    config = load(root)
    session = Session(View(config, check(config), Layout({"docs/runs.md": "runs/"})))
    session.turn_to("docs/runs.md", "runs/")
    extension = StilltrueExtension()
    extension.use(session)
    page = text or (root / "docs/runs.md").read_text(encoding="utf-8")
    html = markdown.markdown(page.rpartition("---\n\n# ")[2], extensions=[extension, *EXTENSIONS])
    assert session.unseen == []
    return re.findall(r"<table>\n<thead>.*?</table>", html, re.DOTALL)


def test_each_bound_cell_of_the_named_table_leads_to_its_card_and_no_other_cell_does(root: Path) -> None:
    before, results, other = rendered(root)
    assert "st-bound" not in before + other
    assert re.findall(r'class="(st-bound[^"]*)" href="([^"]*)"', results) == [
        ("st-bound st-holds", "../claims/#runs.a.loss"),
        ("st-bound st-holds st-beside", "../claims/#runs.a.time"),
        ("st-bound st-drifted st-beside", "../claims/#runs.b.loss"),
    ]
    assert 'title="holds: a comes to 1.61."><strong>1.61</strong></a>' in results
    assert '<a href="https://example.org">4 s</a>' in results
    assert results.count("st-cell st-drifted") == 1


def test_a_card_that_the_page_shows_is_where_its_cell_leads(root: Path) -> None:
    shown = "```claim\nruns.a.loss\n```\n"
    write(root, {"docs/runs.md": PAGE.replace("## Results\n", f"## Results\n\n{shown}")})
    _, results, _ = rendered(root)
    assert 'href="#runs.a.loss"' in results


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("| b | 2.04[^1] | n/a |\n", ""),
        ("| Run | Loss | Time[^1] |", "| Run | Loss | Hours |"),
        (
            "## Results\n",
            "## Results\n\n| Run | Loss | Time |\n|---|--:|--:|\n| a | 9 | 9 s |\n| b | 9 | 9 s |\n",
        ),
        ("## Results\n\n", "## Results\nText:\n"),
    ],
    ids=["a row less", "another header", "a table more", "no table to the renderer"],
)
def test_a_table_that_is_shown_otherwise_than_its_file_holds_it_has_no_marks(
    old: str, new: str, root: Path
) -> None:
    assert PAGE.count(old) == 1
    assert "st-bound" not in "".join(rendered(root, PAGE.replace(old, new)))


def test_a_cell_that_is_bound_twice_has_both_marks(root: Path) -> None:
    block = (
        '```claims\nid: own\nsays: "It is {value}."\nkey: Run\nevidence: "claims/evidence/{Run}.log"\n'
        "columns: {Other: {read: {match: 'loss (.*)'}}}\n```\n"
    )
    other = CLAIMS.replace("id: runs", "id: too").replace("    Loss: {", "    Other: {").split("    Time")[0]
    third = other.replace("## Results", "[|] Run [|] Other")
    twice = CLAIMS.replace("id: runs", "id: again")
    write(root, {"docs/runs.md": PAGE.replace("| Run | Other |", f"{block}\n| Run | Other |")})
    write(root, {"claims/runs.yml": CLAIMS + third + twice})
    _, results, last = rendered(root)
    assert re.findall(r'href="([^"]*runs.a.loss|[^"]*again.a.loss)"', results) == [
        "../claims/#runs.a.loss",
        "../claims/#again.a.loss",
    ]
    assert sorted(re.findall(r'class="st-bound[^"]*" href="([^"]*)"', last)) == [
        "#own.a.other",
        "../claims/#too.a.other",
    ]


def test_a_site_with_such_a_page_builds_strictly(root: Path) -> None:
    write(root, {"mkdocs.yml": site_project.MKDOCS, "claims/evidence/b.log": "loss 2.0423\n"})
    done = site_project.mkdocs(root, "build", "--strict")
    assert done.returncode == 0, done.stderr
    page = (root / "site/runs/index.html").read_text(encoding="utf-8")
    links = re.findall(r'href="\.\./claims/#(runs\.[^"]*)"', page)
    assert links == ["runs.a.loss", "runs.a.time", "runs.b.loss"]
    index = (root / "site/claims/index.html").read_text(encoding="utf-8")
    assert [name for name in links if f'id="{name}"' not in index] == []
