"""Pages of probes and of records through mkdocs itself: nothing of a probe is run, nothing is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest

import probe_project
import site_project
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.report import to_json
from stilltrue.site.generated import probe_sources

WITHOUT = site_project.MKDOCS


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return probe_project.write(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with mkdocstrings, built once for all tests that only look at it."""
    root = probe_project.write(tmp_path_factory.mktemp("probes"))
    site_project.put(root, "claims/evidence/2026-11-20/step.csv", "name,time_ms\nattention,22830.0\n")
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    return root


class Values(HTMLParser):
    """The values of one attribute on a page."""

    def __init__(self, html: str, name: str) -> None:
        super().__init__()
        self.name = name
        self.values: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.values.extend(value for name, value in attrs if name == self.name and value is not None)


def pages(root: Path) -> Iterator[tuple[str, str]]:
    for path in (root / "site").rglob("*.html"):
        yield path.relative_to(root / "site").as_posix(), path.read_text(encoding="utf-8")


def article(root: Path, address: str) -> str:
    """What the theme shows of a page's own content."""
    html = site_project.page(root, address)
    return html[html.index("<article") : html.index("</article>")]


# Nothing is run ----------------------------------------------------------------------------------------


def test_a_probe_is_documented_and_neither_run_nor_imported(built: Path) -> None:
    there = {p.relative_to(built).as_posix() for p in built.rglob("*") if p.is_file()}
    own = {name for name in there if not name.startswith(("site/", ".stilltrue/"))}
    assert "imported.txt" not in own
    assert not [name for name in own if "__pycache__" in name]
    html = article(built, "probes/step/")
    assert "Where a step's time goes." in html
    assert "<summary>Settles</summary>" in html
    assert "<summary>Cannot settle</summary>" in html


def test_options_of_the_site_cannot_make_it_import_a_probe(root: Path) -> None:
    text = probe_project.FILES["mkdocs.yml"].replace(
        "{paths: [probes]}",
        "{paths: [probes], options: {force_inspection: true, preload_modules: [step, clock]}}",
    )
    site_project.put(root, "mkdocs.yml", text)
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    assert not (root / "imported.txt").exists()


@pytest.mark.parametrize(
    "plugins",
    [
        "plugins: [search, stilltrue]\n",
        "plugins: [search, stilltrue, mkdocstrings: {handlers: {python: {paths: [elsewhere]}}}]\n",
    ],
    ids=["without", "looks-elsewhere"],
)
def test_without_mkdocstrings_the_docstring_is_shown_as_it_is(root: Path, plugins: str) -> None:
    text = WITHOUT.replace("plugins: [search, stilltrue]\n", plugins)
    site_project.put(root, "mkdocs.yml", text)
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    html = article(root, "probes/step/")
    assert '<pre class="st-said">Where a step\'s time goes.' in html
    assert "Anything about another machine." in html
    assert not (root / "imported.txt").exists()


@pytest.mark.parametrize("order", ["stilltrue first", "mkdocstrings first"])
def test_claims_are_bound_in_docstrings_whichever_plugin_comes_first(root: Path, order: str) -> None:
    text = probe_project.FILES["mkdocs.yml"]
    if order == "mkdocstrings first":
        text = text.replace("  - stilltrue\n", "").replace(
            "{python: {paths: [probes]}}\n", "{python: {paths: [probes]}}\n  - stilltrue\n"
        )
    site_project.put(root, "mkdocs.yml", text)
    assert site_project.mkdocs(root, "build", "--strict").returncode == 0
    link = '<a class="st-bound st-holds" href="../../throughput/step/#attention-time"'
    assert link in article(root, "probes/step/")


def test_by_default_mkdocstrings_looks_beside_the_configuration(root: Path) -> None:
    site_project.put(root, "mkdocs.yml", probe_project.FILES["mkdocs.yml"].replace("paths: [probes]", ""))
    assert site_project.mkdocs(root, "build", "--strict").returncode == 0
    assert "<summary>Settles</summary>" in article(root, "probes/step/")


FAULTY = {
    "no_python": probe_project.HEADER + "def (:\n",
    "doubtful-docstring": probe_project.HEADER + '"""A.\n\nArgs:\n    x: no such thing\n"""\n',
    "dots.in.name": probe_project.HEADER + '"""A."""\n',
    "no_docstring": probe_project.HEADER,
    "bad_value": probe_project.HEADER.replace('cost = "cheap"', 'cost = "dear"') + '"""A."""\n',
    "unknown_key": probe_project.HEADER.replace("timeout", "time-out") + '"""A."""\n',
}


def test_a_probe_with_a_fault_has_a_page_all_the_same(root: Path) -> None:
    for name, content in FAULTY.items():
        site_project.put(root, f"probes/{name}.py", content)
    site_project.put(root, "probes/step.py", '"""A probe of old, without a header."""\n')
    result = site_project.mkdocs(root, "build")
    assert "Traceback" not in result.stderr
    index = article(root, "probes/")
    for name in (*FAULTY, "step"):
        assert '<h2 id="run">' in article(root, f"probes/{name}/"), name
        assert f"probes/{name}.py" in index
    assert "neither <code>cheap</code> nor <code>slow</code>" in article(root, "probes/bad_value/")
    assert "A probe of old" in article(root, "probes/step/")


# Pages of probes ---------------------------------------------------------------------------------------


def test_a_page_of_a_probe_holds_what_a_reader_needs(built: Path) -> None:
    html = article(built, "probes/step/")
    heads = re.findall(r'<h2 id="(\w+)"', html)
    assert heads == ["arguments", "run", "claims", "evidence", "code"]
    assert "stilltrue record probes/step.py -- --width 16384 'a b'" in html
    for name, value in {
        "Cost": "cheap",
        "Time-out": "1 min 30 s",
        "Needs": "linux",
        "Python": "&gt;=3.11",
        "Reads": "claims/evidence/encode.json",
        "Writes": "claims/evidence/step.csv",
        "Faults it can plant": "slow-attention",
    }.items():
        assert value in html.partition(f"<th>{name}</th>")[2].partition("</tr>")[0], name
    assert "<td><code>--rounds</code></td><td>how often</td><td><code>3</code></td>" in html
    assert "a &lt;b&gt;fault&lt;/b&gt;" in html


def test_it_lists_its_claims_with_their_verdicts_and_its_evidence(built: Path) -> None:
    html = article(built, "probes/step/")
    claims = html.partition('id="claims"')[2].partition('id="evidence"')[0]
    assert re.findall(r'st-verdict st-(\w+)"', claims) == ["holds", "holds"]
    assert 'href="../../throughput/step/#attention-time"' in claims
    evidence = html.partition('id="evidence"')[2].partition('id="code"')[0]
    assert '<a href="../../evidence/step.csv/"><code>claims/evidence/step.csv</code></a>' in evidence
    assert '<a href="../../evidence/step.csv/#record">2026-11-29</a>' in evidence


def test_it_shows_the_code_and_the_modules_of_the_repository_that_it_imports(built: Path) -> None:
    code = article(built, "probes/step/").partition('id="code"')[2]
    assert re.findall(r"<summary><code>([^<]*)</code>", code) == ["probes/step.py", "probes/clock.py"]
    assert '<span id="L1"><a href="#L1">1</a>#!/usr/bin/env python3\n</span>' in code
    assert '<span id="M1-L3"><a href="#M1-L3">3</a>raise SystemExit("imported")' in code


def test_a_probe_in_another_language_speaks_by_its_opening_comment(built: Path) -> None:
    html = article(built, "probes/encode.sh/")
    said = "How long the corpus takes to encode.\n\n&lt;img src=x onerror=alert(1)&gt;"
    assert said in html
    assert "<img" not in html
    assert "None." in html.partition('id="claims"')[2]


def test_the_list_of_probes_has_all_of_them(built: Path) -> None:
    html = article(built, "probes/")
    rows = re.findall(r"<tr><td><a[^>]*>([^<]*)</a><br>(.*?)</td><td>(.*?)</td><td>(.*?)</td>"
                      r"<td>(.*?)</td><td class=\"st-date\">(.*?)</td></tr>", html)  # fmt: skip
    assert rows == [
        (
            "probes/encode.sh",
            "How long the corpus takes to encode.",
            "slow",
            "nothing special",
            "none",
            "no record",
        ),
        ("probes/step.py", "Where a step&#x27;s time goes.", "cheap", "linux", "2 hold", "2026-11-29"),
    ]


def test_modules_that_are_no_probes_have_no_page(built: Path) -> None:
    assert not (built / "site/probes/clock").exists()


def test_a_project_without_probes_has_no_list_of_them(tmp_path: Path) -> None:
    site_project.write(tmp_path)
    assert site_project.mkdocs(tmp_path, "build", "--strict").returncode == 0
    assert not (tmp_path / "site/probes").exists()


@pytest.mark.parametrize("name", ["probes/step.md", "probes/index.md"])
def test_a_page_of_the_authors_is_not_overwritten(root: Path, name: str) -> None:
    site_project.put(root, f"docs/{name}", "# Mine\n")
    result = site_project.mkdocs(root, "build", "-q")
    assert result.returncode == 1
    assert f"`{name}` of the docs folder has the name of a page that stilltrue generates" in result.stderr


def test_names_of_pages_are_short_and_never_the_same() -> None:
    paths = [
        "probes/a.py",
        "probes/a",
        "probes/deep/a.py",
        "probes/a.sh",
        "a.py",
        "probes/index.py",
        "probes/README",
    ]
    sources = probe_sources(paths)
    assert sources["probes/deep/a.py"] == "probes/deep/a.md"
    assert sources["probes/a.sh"] == "probes/a.sh.md"
    assert {sources["probes/a.py"], sources["probes/a"], sources["a.py"]} == {
        "probes/a.md", "probes/a_.md", "probes/a__.md"
    }  # fmt: skip
    assert sources["probes/index.py"] == "probes/index_.md"
    assert sources["probes/README"] == "probes/README_.md"
    assert len(set(sources.values())) == len(paths)


# Records, and the site as a whole ----------------------------------------------------------------------


def test_a_card_leads_to_its_probe_and_to_its_record(built: Path) -> None:
    card = article(built, "throughput/step/").partition('id="attention-time"')[2].partition("</dl>")[0]
    assert '<a class="st-path" href="../../probes/step/">probes/step.py</a>' in card
    assert '<a href="../../evidence/step.csv/#record">2026-11-29</a> on A &lt;fast&gt; CPU, 2 cores' in card


def test_an_evidence_page_holds_its_record_and_its_earlier_days(built: Path) -> None:
    html = article(built, "evidence/step.csv/")
    assert "2026-11-29T10:00:00Z to 2026-11-29T10:02:03Z (2 min 3 s)" in html
    earlier = html.partition('id="history"')[2]
    assert 'href="../../evidence-files/claims/evidence/2026-11-20/step.csv"' in earlier
    record = "evidence-files/claims/evidence/step.csv.provenance.json"
    assert json.loads(site_project.page(built, record))["predicate"]["on"] == "2026-11-29"


def test_every_link_leads_somewhere_and_no_id_stands_twice(built: Path) -> None:
    ids = {name: Values(html, "id").values for name, html in pages(built)}
    assert {"probes/index.html", "probes/step/index.html", "probes/encode.sh/index.html"} <= set(ids)
    for name, html in pages(built):
        assert len(ids[name]) == len(set(ids[name])), name
        if name == "404.html":
            continue
        for link in Values(html, "href").values:
            if re.match(r"[a-z]+:", link):
                continue
            address, _, anchor = urljoin(name, link).partition("#")
            path = built / "site" / unquote(address or name)
            assert path.exists(), f"{name} links to {link}"
            if anchor:
                page = path / "index.html" if path.is_dir() else path
                assert anchor in ids[page.relative_to(built / "site").as_posix()], f"{name} links to {link}"


def test_nothing_of_another_host_is_loaded(built: Path) -> None:
    for name, html in pages(built):
        assert [v for v in Values(html, "src").values if re.match(r"(https?:)?//", v)] == [], name
        for sheet in re.findall(r'<link rel="stylesheet"[^>]*href="([^"]*)"', html):
            assert not re.match(r"(https?:)?//", sheet), name
    for path in (built / "site").rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", path.read_text(encoding="utf-8")), path


def test_probes_are_found_by_the_search_and_their_code_is_not(built: Path) -> None:
    entries = json.loads(site_project.page(built, "search/search_index.json"))["docs"]
    text = " ".join(f"{entry['title']} {entry['text']}" for entry in entries)
    assert "How long attention takes" in text
    assert "argparse" not in text
    assert "raise SystemExit" not in text, "nor that of the modules below its first fold"
    assert {entry["location"].partition("/")[0] for entry in entries if entry.get("boost") == 0.5} == {
        "claims",
        "probes",
        "superseded",
    }


def test_the_json_is_the_report_of_a_check(built: Path) -> None:
    assert json.loads(site_project.page(built, "claims.json")) == json.loads(to_json(check(load(built))))


def test_a_commit_leads_to_the_repository(root: Path) -> None:
    text = (
        probe_project.FILES["mkdocs.yml"] + "repo_url: https://example.org/a/b\nedit_uri: edit/main/docs/\n"
    )
    site_project.put(root, "mkdocs.yml", text)
    assert site_project.mkdocs(root, "build", "--strict").returncode == 0
    link = f'href="https://example.org/a/b/commit/{probe_project.COMMIT}"'
    assert link in article(root, "throughput/step/")
    assert link in article(root, "evidence/step.csv/")
    assert 'href="https://example.org/a/b/blob/main/probes/step.py"' in article(root, "probes/step/")


INSPECTED = """\
::: evil
    handler: python
    options:
      allow_inspection: true
      force_inspection: true
"""

ACTIVE = (
    INSPECTED,
    f"> ## {INSPECTED}",
    "::: odd2\n",
    "A shape <n>.",
    "<script>alert(1)</script>",
    "[x](java&#115;cript:alert(1))",
    "[x](JavaScript:alert(1))",
    "A.\n{: onclick='alert(1)' }",
    '--8<-- "mkdocs.yml"',
    "```claim\nid: x\n```",
)


def test_a_docstring_that_is_more_than_text_is_shown_as_it_is(root: Path) -> None:
    site_project.put(root, "probes/evil.py", 'open("imported.txt", "w").write("imported")\n')
    for number, docstring in enumerate(ACTIVE):
        text = f'{probe_project.HEADER}"""Times.\n\n{docstring}\n"""\n'
        site_project.put(root, f"probes/odd{number}.py", text)
    result = site_project.mkdocs(root, "build")
    assert result.returncode == 0, result.stderr
    for number, docstring in enumerate(ACTIVE):
        html = article(root, f"probes/odd{number}/")
        assert '<pre class="st-said">Times.' in html, docstring
        assert escape(docstring.strip().splitlines()[-1], quote=False) in html
    assert not (root / "imported.txt").exists()


INSTEAD = {
    "stubs": ("probes/step.pyi", "def (:\n"),
    "package": ("probes/step/__init__.py", f'"""{INSPECTED}"""\n'),
    "compiled": ("probes/step.so", ""),
}


@pytest.mark.parametrize(("path", "content"), INSTEAD.values(), ids=INSTEAD)
def test_nothing_is_read_in_the_place_of_a_probe(root: Path, path: str, content: str) -> None:
    site_project.put(root, "probes/evil.py", 'open("imported.txt", "w").write("imported")\n')
    site_project.put(root, path, content)
    result = site_project.mkdocs(root, "build")
    assert result.returncode == 0, result.stderr
    assert '<pre class="st-said">Where a step\'s time goes.' in article(root, "probes/step/")
    assert not (root / "imported.txt").exists()


def test_an_earlier_folder_does_not_speak_for_a_probe(root: Path) -> None:
    site_project.put(root, "src/step.py", '"""Somebody else."""\n')
    text = probe_project.FILES["mkdocs.yml"].replace("paths: [probes]", "paths: [src, probes]")
    site_project.put(root, "mkdocs.yml", text)
    assert site_project.mkdocs(root, "build").returncode == 0
    assert "Somebody else" not in article(root, "probes/step/")


def test_a_broken_package_around_a_probe_stops_no_build(root: Path) -> None:
    site_project.put(root, "probes/deep/__init__.py", "def (:\n")
    site_project.put(root, "probes/deep/inner.py", f'{probe_project.HEADER}"""Inner."""\n')
    assert site_project.mkdocs(root, "build").returncode == 0
    assert '<pre class="st-said">Inner.</pre>' in article(root, "probes/deep/inner/")


def test_a_number_in_a_docstring_is_held_against_its_claim(root: Path) -> None:
    text = probe_project.STEP_PROBE.replace("[22,835.8 ms]", "[99,999.9 ms]")
    site_project.put(root, "probes/step.py", text)
    result = site_project.mkdocs(root, "build")
    assert result.returncode == 1
    assert "the text says `99,999.9 ms`" in result.stderr
    assert "link-disagrees" in result.stderr
    assert 'class="st-bound st-problem"' in article(root, "probes/step/")


def test_a_header_that_is_no_table_stops_no_build(root: Path) -> None:
    site_project.put(root, "probes/odd.py", "# /// script\n# tool = 5\n# ///\n# stilltrue\n")
    assert site_project.mkdocs(root, "build").returncode == 0
