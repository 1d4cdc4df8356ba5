"""Tables of claims on a page: one element that counts them, a mark in each bound cell, nothing lost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import markdown
import pytest

import site_project
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.site.markdown_extension import StilltrueExtension
from stilltrue.site.session import Session
from stilltrue.site.view import Layout, View

EXTENSIONS = [
    "admonition",
    "attr_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.superfences",
    "pymdownx.tilde",
]
PATH = "docs/table.md"

BLOCK = """\
```claims
id: ce
says: "{Loss} over {Length} tokens takes {value}."
key: [Loss, Length]
evidence: claims/evidence/ce.json
columns:
  Peak: {unit: GiB, read: {path: "$[?@.loss == {Loss} && @.n == {Length}].peak", unit: GiB}}
  Time: {unit: s, reported: {by: me}, superseded: {on: 2026-08-26, because: "measured again"}}
```
"""
TABLE = """\
| Loss | Length | Peak | Time |
|---|---|---|---|
| naive | 8,192 | **81.93** | ~~5~~ |
| | 16 | [7](https://example.org)[^1] | 8 |
| o'brien | 16 | 2 | - |

[^1]: Note.
"""
ROWS = [
    {"loss": "naive", "n": 8192, "peak": 81.93},
    {"loss": "naive", "n": 16, "peak": 7},
    {"loss": "o'brien", "n": 16, "peak": 3},
]


def project(root: Path, text: str) -> Path:
    site_project.put(root, "stilltrue.toml", "")
    site_project.put(root, PATH, text)
    site_project.put(root, "claims/evidence/ce.json", json.dumps(ROWS))
    return root


def render(
    root: Path, text: str, *, without: str = "", holds: bool = False, shown: str = ""
) -> tuple[str, Session]:
    """A page as Markdown renders it, its cards put in; `shown` is rendered in place of what was checked."""
    config = load(project(root, text))
    layout = Layout({PATH: "table/"}, {"claims/evidence/ce.json": "evidence/ce.json/"})
    session = Session(View(config, check(config), layout), holds=holds)
    session.turn_to(PATH, "table/")
    extension = StilltrueExtension()
    extension.use(session)
    names = [name for name in EXTENSIONS if name != without]
    html = markdown.markdown(shown or text, extensions=[extension, *names])
    return session.release(html), session


def cells(html: str) -> list[list[ElementTree.Element]]:
    """The cells of the page's own table, the header left out."""
    table = next(t for t in re.findall(r"<table>.*?</table>", html, re.DOTALL) if "Length" in t)
    return [list(row) for row in ElementTree.fromstring(table).iter("tr")][1:]  # noqa: S314  # what this test rendered


def anchor(cell: ElementTree.Element) -> ElementTree.Element:
    (link,) = [a for a in cell.iter("a") if "st-bound" in (a.get("class") or "")]
    return link


def test_each_bound_cell_has_a_mark_a_tooltip_and_leads_to_its_card(tmp_path: Path) -> None:
    html, session = render(tmp_path, f"# T\n\n{BLOCK}\n{TABLE}")
    assert session.unseen == []
    first = cells(html)[0]
    link = anchor(first[2])
    assert link.get("href") == "#ce.naive.8192.peak"
    assert link.get("class") == "st-bound st-holds"
    assert link.get("title") == "holds: naive over 8,192 tokens takes 81.93 GiB."
    assert "".join(link.itertext()) == "81.93"
    assert next(link.iter("strong"), None) is not None
    assert html.count('id="ce.naive.8192.peak"') == 1
    assert [list(cell) for cell in first[:2]] == [[], []]


def test_a_cell_that_holds_a_link_keeps_it_and_has_its_mark_beside(tmp_path: Path) -> None:
    html, _ = render(tmp_path, f"# T\n\n{BLOCK}\n{TABLE}")
    cell = cells(html)[1][2]
    assert next(cell.iter("a")).get("href") == "https://example.org"
    link = anchor(cell)
    assert (link.get("class"), link.text) == ("st-bound st-holds st-beside", None)
    assert link.get("aria-label") == "Claim ce.naive.16.peak: holds"
    assert list(cell)[-1] is link


def test_a_failing_cell_is_red_and_its_card_is_in_the_open(tmp_path: Path) -> None:
    html, _ = render(tmp_path, f"# T\n\n{BLOCK}\n{TABLE}")
    cell = cells(html)[2][2]
    assert cell.get("class") == "st-cell st-drifted"
    assert anchor(cell).get("class") == "st-bound st-drifted"
    before, fold = html.split('<details class="st-fold st-cells"')
    assert 'id="ce.o-brien.16.peak"' in before
    assert 'id="ce.naive.8192.peak"' in fold
    assert "<summary>4 other cards</summary>" in fold


def test_superseded_cells_are_struck_once(tmp_path: Path) -> None:
    html, _ = render(tmp_path, f"# T\n\n{BLOCK}\n{TABLE}")
    rows = cells(html)
    for cell in (rows[0][3], rows[1][3]):
        assert len(list(cell.iter("del"))) == 1
        assert anchor(cell).get("class") == "st-bound st-superseded"
    assert list(rows[2][3]) == []
    assert "Correction to this page" in html


def test_the_element_counts_verdicts_and_is_an_anchor(tmp_path: Path) -> None:
    html, _ = render(tmp_path, f"# ce\n\n{BLOCK}\n{TABLE}")
    assert '<div class="st-card st-claims st-drifted" id="ce">' in html
    assert "5 claims: 2 hold, 1 has drifted, 2 are superseded" in html
    assert html.count('id="ce"') == 1


def test_what_search_sees_of_a_table_is_its_count(tmp_path: Path) -> None:
    root = project(tmp_path, f"# T\n\n{BLOCK}\n{TABLE}")
    config = load(root)
    session = Session(View(config, check(config), Layout({PATH: ""})), holds=True)
    extension = StilltrueExtension()
    extension.use(session)
    session.turn_to(PATH, "")
    held = markdown.markdown((root / PATH).read_text(encoding="utf-8"), extensions=[extension, "tables"])
    assert "5 claims: 2 hold" in held
    assert "st-facts" not in held
    assert session.release(held).count("st-facts") == 5
    assert session.unseen == []


@pytest.mark.parametrize("holds", [True, False])
def test_a_problem_of_a_cell_stands_in_the_element(tmp_path: Path, *, holds: bool) -> None:
    table = TABLE.replace("| 2 |", "| 3 |").replace("[7](https://example.org)[^1]", "7,1")
    html, session = render(tmp_path, f"# T\n\n{BLOCK}\n{table}", holds=holds)
    assert session.unseen == []
    assert '<div class="st-card st-claims st-problem" id="ce">' in html
    assert "docs/table.md:16" in html


def test_a_block_that_cannot_be_read_is_shown_with_what_is_wrong(tmp_path: Path) -> None:
    html, session = render(tmp_path, f"# T\n\n{BLOCK.replace('[Loss', '[Los')}\n{TABLE}")
    assert session.unseen == []
    assert "unknown-column" in html
    assert "st-bound" not in html


@pytest.mark.parametrize(
    "text",
    [
        "* item\n\n" + "".join(f"    {line}\n" for line in f"{BLOCK}{TABLE}".split("\n")),
        "!!! note\n\n" + "".join(f"    {line}\n" for line in f"{BLOCK}\n{TABLE}".split("\n")),
        "".join(f"> {line}".rstrip() + "\n" for line in f"{BLOCK}\n{TABLE}".split("[^1]:")[0].split("\n")),
        f"{BLOCK}{TABLE}",
        f"{BLOCK}\nWords between.\n\n{TABLE}",
    ],
    ids=["list", "box", "quote", "tight", "words"],
)
def test_tables_are_marked_wherever_they_stand(tmp_path: Path, text: str) -> None:
    html, session = render(tmp_path, f"# T\n\n{text}")
    assert session.unseen == []
    assert len(re.findall(r'class="st-bound[^"]*" href="#ce\.', html)) == 5


def test_two_tables_are_each_marked_by_their_own_block(tmp_path: Path) -> None:
    other = BLOCK.replace("id: ce", "id: other")
    text = f"# T\n\n{BLOCK}\n{TABLE}\n\n{other}\n{TABLE.partition('[^1]:')[0]}"
    html, session = render(tmp_path, text)
    assert session.unseen == []
    assert len(re.findall(r'class="st-bound[^"]*" href="#ce\.', html)) == 5
    assert len(re.findall(r'class="st-bound[^"]*" href="#other\.', html)) == 5


def test_a_table_that_the_page_does_not_show_is_reported(tmp_path: Path) -> None:
    html, session = render(tmp_path, f"# T\n\n{BLOCK}\n{TABLE}", without="tables")
    assert [problem.code for problem in session.unseen] == ["unseen-block"]
    assert "`ce`" in session.unseen[0].message
    assert 'id="ce"' in html


def test_a_table_that_changed_on_its_way_to_the_page_is_reported(tmp_path: Path) -> None:
    text = f"# T\n\n{BLOCK}\n{TABLE}"
    _, session = render(tmp_path, text, shown=text.replace("**81.93**", "81.94"))
    assert [problem.code for problem in session.unseen] == ["unseen-claim"]


def test_the_extension_alone_marks_cells_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path, f"# T\n\n{BLOCK}\n{TABLE}")
    monkeypatch.chdir(root)
    extension = StilltrueExtension(project=str(root))
    html = markdown.markdown((root / PATH).read_text(encoding="utf-8"), extensions=[extension, *EXTENSIONS])
    assert anchor(cells(html)[0][2]).get("href") == "#ce.naive.8192.peak"
    assert extension.session().unseen == []


def test_a_cell_with_html_in_it_stays_text(tmp_path: Path) -> None:
    hostile = TABLE.replace("naive", "&lt;img src=x onerror=alert(1)&gt;")
    html, _ = render(tmp_path, f"# T\n\n{BLOCK}\n{hostile}")
    assert "<img" not in html


def test_a_built_site_lists_cells_in_its_index_and_its_tables(tmp_path: Path) -> None:
    root = project(tmp_path, f"# T\n\n{BLOCK}\n{TABLE.replace('| 2 |', '| 3 |')}")
    site_project.put(
        root, "mkdocs.yml", "site_name: S\nplugins: [stilltrue]\nmarkdown_extensions: [tables, footnotes]\n"
    )
    site_project.put(root, "docs/index.md", "# Home\n\nIt is [81.93 GiB](claim:ce.naive.8192.peak).\n")
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    assert '<a href="../table/#ce.o-brien.16.peak">' in site_project.page(root, "claims/")
    assert "ce.naive.16.time" in site_project.page(root, "superseded/")
    assert 'href="table/#ce.naive.8192.peak"' in site_project.page(root, "")
    found = json.loads((root / "site/claims.json").read_text(encoding="utf-8"))
    claim = next(claim for claim in found["claims"] if claim["id"] == "ce.naive.8192.peak")
    assert (claim["line"], claim["block"]) == (15, {"path": PATH, "line": 3})
    assert claim["stated"] == {"text": "81.93", "value": "81.93", "unit": "GiB"}
