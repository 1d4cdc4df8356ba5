"""The MkDocs plugin, through mkdocs itself: pages, failures, downloads, and what never leaves the build."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest

import site_project
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.report import to_json

STEP = "docs/throughput/step.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return site_project.write(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, built once for all tests that only look at it."""
    root = site_project.write(tmp_path_factory.mktemp("site"))
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    return root


class Tags(HTMLParser):
    """The tags of a page with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def values(self, name: str) -> Iterator[str]:
        for _, attributes in self.tags:
            value = attributes.get(name)
            if value is not None:
                yield value


def pages(root: Path) -> dict[str, Tags]:
    found = (root / "site").rglob("*.html")
    return {
        path.relative_to(root / "site").as_posix(): Tags(path.read_text(encoding="utf-8")) for path in found
    }


# What is built -----------------------------------------------------------------------------------------


def test_a_sound_project_builds_under_strict_with_all_its_generated_pages(built: Path) -> None:
    names = {
        "claims/index.html",
        "superseded/index.html",
        "evidence/step.csv/index.html",
        "evidence/encode.json/index.html",
        "evidence-files/claims/evidence/step.csv",
        "claims.json",
        "assets/stilltrue/stilltrue.css",
        "assets/stilltrue/stilltrue.js",
    }
    there = {p.relative_to(built / "site").as_posix() for p in (built / "site").rglob("*") if p.is_file()}
    assert names <= there


def test_a_build_writes_nothing_beside_the_site_and_the_cache(built: Path) -> None:
    there = {p.relative_to(built).as_posix() for p in built.rglob("*") if p.is_file()}
    own = {name for name in there if not name.startswith(("site/", ".stilltrue/"))}
    assert own == set(site_project.FILES)


def test_the_json_is_the_report(built: Path) -> None:
    expected = to_json(check(load(built)))
    assert json.loads(site_project.page(built, "claims.json")) == json.loads(expected)


def test_every_link_of_the_site_leads_somewhere(built: Path) -> None:
    site = pages(built)
    anchors = {name: set(tags.values("id")) for name, tags in site.items()}
    assert len(site) >= 6
    for name, tags in site.items():
        if name == "404.html":
            continue
        for link in tags.values("href"):
            if re.match(r"[a-z]+:", link):
                continue
            address, _, anchor = urljoin(name, link).partition("#")
            target = unquote(address or name)
            path = built / "site" / target
            assert path.exists(), f"{name} links to {link}"
            if anchor:
                page = f"{target}index.html" if path.is_dir() else target
                assert anchor in anchors[page.removeprefix("./")], f"{name} links to {link}"


def test_no_id_stands_twice_on_a_page(built: Path) -> None:
    for name, tags in pages(built).items():
        ids = list(tags.values("id"))
        assert len(ids) == len(set(ids)), name


def test_nothing_is_loaded_from_another_host(built: Path) -> None:
    loading = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
    for name, tags in pages(built).items():
        for tag, attributes in tags.tags:
            value = attributes.get(loading.get(tag, ""))
            assert value is None or not re.match(r"(https?:)?//", value), f"{name}: {tag} {value}"
    for path in (built / "site").rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", text), path


def test_the_search_finds_the_sentence_of_a_claim_and_not_the_rest_of_its_card(built: Path) -> None:
    entries = json.loads(site_project.page(built, "search/search_index.json"))["docs"]
    text = " ".join(f"{entry['title']} {entry['text']}" for entry in entries)
    assert "Attention kernels take 22,835.8 ms of one step" in text
    assert "Rank zero yes a checkpoint." in text
    assert "Written at" not in text
    for path in (built / "site").rglob("*.html"):
        assert "data-st-held" not in path.read_text(encoding="utf-8"), path


def test_plain_addresses_work_too(root: Path) -> None:
    site_project.put(root, "mkdocs.yml", site_project.MKDOCS + "use_directory_urls: false\n")
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    home = site_project.page(root, "index.html")
    assert 'href="throughput/step.html#attention-time"' in home
    step = site_project.page(root, "throughput/step.html")
    assert 'href="../evidence/step.csv.html#L2"' in step
    assert (root / "site/evidence/step.csv.html").is_file()


# The generated pages -----------------------------------------------------------------------------------


def test_the_index_lists_every_claim_and_holds_the_cards_that_no_page_shows(built: Path) -> None:
    html = site_project.page(built, "claims/")
    row = r'<tr data-claim="([^"]*)" data-verdict="(\w+)" data-chapter="([^"]*)" data-tags="([^"]*)">'
    rows = re.findall(row, html)
    assert ("attention-time", "holds", "throughput", "throughput attention") in rows
    assert len(rows) == 7
    assert re.findall(r'<div class="st-card[^"]*" id="([^"]*)"', html) == ["unshown"]
    assert "Claims without a card on any page</h2>" in html
    assert "5 hold, 1 is reported, 1 is superseded." in html


def test_verdicts_are_counted_and_offered_in_the_order_of_the_command_line(root: Path) -> None:
    site_project.edit(root, STEP, "value: 34.9 s", "value: 35.9 s")
    assert site_project.mkdocs(root, "build", "-q").returncode == 1
    html = site_project.page(root, "claims/")
    order = ["holds", "drifted", "reported", "superseded"]
    assert "4 hold, 1 has drifted, 1 is reported, 1 is superseded." in html
    choices = html[html.index('<select name="verdict">') :].partition("</select>")[0]
    assert re.findall(r"<option>(\w+)</option>", choices) == order


def test_a_card_in_the_index_leads_back_to_the_pages_that_it_is_read_on(root: Path) -> None:
    site_project.edit(root, "docs/index.md", "See [the card]", "It [saves](claim:unshown). See [the card]")
    site_project.put(
        root, "docs/more.md", "# More\n\nIt [saves](claim:unshown), it [saves](claim:unshown).\n"
    )
    assert site_project.mkdocs(root, "build", "--strict").returncode == 0
    card = site_project.page(root, "claims/").partition('id="unshown"')[2].partition("<details")[0]
    links = '<a href="../"><code>docs/index.md</code></a>, <a href="../more/"><code>docs/more.md</code></a>'
    assert f"<dt>Read on</dt><dd>{links}</dd>" in card


def test_a_probe_leads_to_its_script_in_the_repository(root: Path) -> None:
    site_project.put(root, "probes/step.py", "")
    site_project.edit(root, STEP, "owner: ada", "probe: probes/step.py")
    site_project.put(root, "mkdocs.yml", site_project.MKDOCS + "repo_url: https://github.com/a/b\n")
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    page = site_project.page(root, "throughput/step/")
    assert 'href="https://github.com/a/b/blob/master/probes/step.py"' in page


def test_the_superseded_table_tells_all_of_it(built: Path) -> None:
    html = site_project.page(built, "superseded/")
    row = html[html.index("<del>4.3 h</del>") :].partition("</tr>")[0]
    for part in (
        'href="../throughput/step/#encode-time"',
        'href="../throughput/step/#encode-rebuild"',
        "145.5 s",
        "measured at 145.5 s",
        "2026-08-26",
        "docs/throughput/step.md",
    ):
        assert part in row


def test_an_evidence_page_numbers_its_lines_and_marks_those_that_were_read(built: Path) -> None:
    html = site_project.page(built, "evidence/encode.json/")
    assert '<span id="L1"><a href="#L1">1</a>{\n</span>' in html
    read = html[html.index('<span id="L2" class="st-read">') :].partition("\n</span>")[0]
    assert '  "seconds": <mark>145.52</mark>,' in read
    assert 'href="../../throughput/step/#encode-rebuild"' in read
    assert 'download="encode.json"' in html


def read_from(root: Path, address: str) -> tuple[str, list[str]]:
    """The list of claims above an evidence file: the tag of its fold, and the text of its lines' cells."""
    html = site_project.page(root, address)
    fold = html[html.index('<details class="st-fold"') :].partition("</details>")[0]
    cells = re.findall(r"<td>([^|]*?)</td></tr>", fold)
    return fold.partition(">")[0], [re.sub(r"<[^>]*>", "", cell.rpartition("<td>")[2]) for cell in cells]


def test_the_claims_of_an_evidence_page_name_runs_of_lines(built: Path) -> None:
    fold, lines = read_from(built, "evidence/step.csv/")
    assert fold == '<details class="st-fold" open'
    assert lines == ["2", "2–4"]


def test_a_long_list_of_claims_lies_under_a_fold_above_the_lines(root: Path) -> None:
    extra = "".join(
        f'- id: seconds-{n}\n  says: "It took {{value}}."\n  value: 145.5 s\n'
        '  evidence: claims/evidence/encode.json\n  read: {path: "$.seconds", unit: s}\n'
        for n in range(9)
    )
    site_project.put(root, "claims/more.yml", extra)
    assert site_project.mkdocs(root, "build", "-q").returncode == 0
    fold, lines = read_from(root, "evidence/encode.json/")
    assert fold == '<details class="st-fold"'
    assert len(lines) == 11


def test_a_large_evidence_file_is_shown_around_its_read_lines(root: Path) -> None:
    lines = [f"row {n} {'x' * 40}" for n in range(1, 40_001)]
    lines[19_999] = "seconds=145.52"
    site_project.put(root, "claims/evidence/big.log", "\n".join(lines) + "\n")
    shared = site_project.SHARED.replace(
        'encode.json\n  read: {path: "$.seconds", unit: s}',
        ("big.log\n  read: {match: 'seconds=(\\S+)', unit: s}"),
    )
    site_project.put(root, "claims/shared.yml", shared)
    assert site_project.mkdocs(root, "build", "-q").returncode == 0
    html = site_project.page(root, "evidence/big.log/")
    numbers = [int(n) for n in re.findall(r'<span id="L(\d+)"', html)]
    assert numbers == list(range(19_995, 20_006))
    assert '<span id="L20000" class="st-read">' in html
    assert "in 40,000 lines" in html
    assert (root / "site/evidence-files/claims/evidence/big.log").stat().st_size > 1_000_000


def test_a_very_long_line_is_cut_with_a_note(root: Path) -> None:
    text = '{"seconds": 145.52, "saved": true, "padding": "' + "x" * 9_000 + '"}'
    site_project.put(root, "claims/evidence/encode.json", text)
    assert site_project.mkdocs(root, "build", "-q").returncode == 0
    html = site_project.page(root, "evidence/encode.json/")
    assert f"{len(text) - 2_000:,} more characters" in html
    assert "x" * 2_001 not in html


def test_evidence_that_a_browser_would_run_is_copied_as_text(root: Path) -> None:
    page = "<html><script>alert(1)</script><b>145.52</b></html>\n"
    site_project.put(root, "claims/evidence/encode.html", page)
    shared = site_project.SHARED.replace(
        'encode.json\n  read: {path: "$.seconds", unit: s}',
        ("encode.html\n  read: {match: '<b>(.*)</b>', unit: s}"),
    )
    site_project.put(root, "claims/shared.yml", shared)
    assert site_project.mkdocs(root, "build", "-q").returncode == 0
    assert not (root / "site/evidence-files/claims/evidence/encode.html").exists()
    assert (root / "site/evidence-as-text/claims/evidence/encode.html.txt").read_text() == page
    html = site_project.page(root, "evidence/encode.html/")
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_no_copy_of_an_evidence_file_takes_the_place_of_another(root: Path) -> None:
    value = '{"seconds": 145.5, "saved": true, "of": "%s"}'
    for name in ("a.html", "a.html.txt"):
        site_project.put(root, f"claims/evidence/{name}", value % name)
    site_project.edit(root, "claims/shared.yml", "claims/evidence/encode.json", "claims/evidence/a.html*")
    for path in ('"$.seconds"', '"$.saved"'):
        site_project.edit(
            root, "claims/shared.yml", f"path: {path}", f"path: {path}, format: json, take: same"
        )
    result = site_project.mkdocs(root, "build", "-q")
    assert result.returncode == 0, result.stderr
    for name in ("a.html", "a.html.txt"):
        page = site_project.page(root, f"evidence/{name}/")
        address = re.search(r'href="([^"]*)" download', page)
        assert address is not None
        assert name in (root / "site/evidence" / name / address[1]).resolve().read_text(encoding="utf-8")


def test_a_name_that_is_long_or_no_utf_8_costs_no_more_than_its_address(root: Path) -> None:
    value = site_project.FILES["claims/evidence/encode.json"]
    long = "n" * 253
    for name in (f"{long}.j", f"{long}.k"):
        site_project.put(root, f"claims/evidence/{name}", value)
    (root / os.fsdecode(b"claims/evidence/odd\xff.json")).write_text(value, encoding="utf-8")
    site_project.edit(
        root, "claims/shared.yml", "claims/evidence/encode.json", "[claims/evidence/n*, claims/evidence/odd*]"
    )
    for path in ('"$.seconds"', '"$.saved"'):
        site_project.edit(
            root, "claims/shared.yml", f"path: {path}", f"path: {path}, format: json, take: same"
        )
    result = site_project.mkdocs(root, "build", "-q")
    assert result.returncode == 0, result.stderr
    assert len(list((root / "site/evidence").glob("nnn*/index.html"))) == 2
    assert len(list((root / "site/evidence-as-text/claims/evidence").glob("nnn*.txt"))) == 2
    assert not list((root / "site/evidence").glob("odd*"))
    assert "odd\\udcff.json" in site_project.page(root, "throughput/step/")


def test_markup_in_the_name_of_an_evidence_file_stays_text(root: Path) -> None:
    name = "<img src=x onerror=alert(1)>&'.json"
    site_project.put(root, f"claims/evidence/{name}", site_project.FILES["claims/evidence/encode.json"])
    shared = site_project.SHARED.replace(
        "evidence: claims/evidence/encode.json", "evidence: claims/evidence/<*"
    )
    site_project.put(root, "claims/shared.yml", shared)
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    assert (root / "site/evidence-files/claims/evidence" / name).is_file()
    for page, tags in pages(root).items():
        assert not any(tag == "img" and attributes.get("src") == "x" for tag, attributes in tags.tags), page
    address = next((root / "site/evidence").glob("<img*"))
    assert "&lt;img src=x onerror=alert(1)&gt;" in (address / "index.html").read_text(encoding="utf-8")


def test_a_name_that_is_taken_stops_the_build(root: Path) -> None:
    site_project.put(root, "docs/claims.md", "# Mine\n")
    result = site_project.mkdocs(root, "build", "-q")
    assert result.returncode == 1
    assert "`claims.md`" in result.stderr


# Failing -----------------------------------------------------------------------------------------------

CHANGES: dict[str, tuple[tuple[str, str, str], tuple[str, ...]]] = {
    "block": (
        (STEP, "value: 22,835.8 ms", "value: 22,836.8 ms"),
        (f"{STEP}:", "attention-time", "22,836.8 ms", "22,835.8", "claims/evidence/step.csv:2"),
    ),
    "link": (
        ("docs/index.md", "[65 %]", "[66 %]"),
        ("docs/index.md:3", "attention-share", "66 %", "65.4 %", STEP),
    ),
    "evidence": (
        ("claims/evidence/encode.json", "145.52", "146.52"),
        ("claims/shared.yml:", "encode-rebuild", "145.5 s", "146.5", "claims/evidence/encode.json:2"),
    ),
}


@pytest.mark.parametrize("flags", [(), ("--strict", "--quiet")], ids=["plain", "strict-quiet"])
@pytest.mark.parametrize("change", CHANGES)
def test_one_changed_digit_fails_the_build_and_names_both_sides(
    root: Path, change: str, flags: tuple[str, ...]
) -> None:
    (name, old, new), sides = CHANGES[change]
    site_project.edit(root, name, old, new)
    result = site_project.mkdocs(root, "build", *flags)
    assert result.returncode == 1
    for side in sides:
        assert side in result.stderr
    assert "Traceback" not in result.stderr


def test_every_failure_is_listed_once_after_all_pages_are_rendered(root: Path) -> None:
    site_project.edit(root, STEP, "value: 34.9 s", "value: 35.9 s")
    site_project.edit(root, STEP, "    value: 2,774.0 ms\n", "")
    result = site_project.mkdocs(root, "build", "-q")
    assert result.returncode == 1
    assert result.stderr.count("step-time drifted") == 1
    assert result.stderr.count("[missing-key]") == 1
    step = site_project.page(root, "throughput/step/")
    assert 'class="st-card st-drifted st-failing" id="step-time"' in step
    assert "st-card st-problem st-failing" in step
    assert (root / "site/claims/index.html").is_file()


def test_a_claim_that_only_a_plugin_put_on_a_page_fails_the_build(root: Path) -> None:
    hook = (
        "def on_page_markdown(markdown, page, config, files):\n"
        '    return markdown + \'\\n\\n```claim\\nid: smuggled\\nsays: "{value}"\\nvalue: 1 s\\n'
        "reported: {by: me}\\n```\\n'\n"
    )
    site_project.put(root, "hook.py", hook)
    site_project.put(root, "mkdocs.yml", site_project.MKDOCS + "hooks: [hook.py]\n")
    result = site_project.mkdocs(root, "build", "-q")
    assert result.returncode == 1
    assert "[unseen-claim]" in result.stderr
    assert "smuggled" in result.stderr


def test_a_project_without_claims_builds(tmp_path: Path) -> None:
    site_project.put(tmp_path, "stilltrue.toml", "")
    site_project.put(tmp_path, "mkdocs.yml", site_project.MKDOCS)
    site_project.put(tmp_path, "docs/index.md", "# Home\n")
    result = site_project.mkdocs(tmp_path, "build", "--strict")
    assert result.returncode == 0, result.stderr
    assert "There are none yet." in site_project.page(tmp_path, "claims/")


def test_a_configuration_that_cannot_be_read_stops_the_build_with_its_place(root: Path) -> None:
    site_project.put(root, "stilltrue.toml", 'pagse = ["x"]\n')
    result = site_project.mkdocs(root, "build", "-q")
    assert result.returncode == 1
    assert "stilltrue.toml: unknown key `pagse`" in result.stderr
    assert "Traceback" not in result.stderr


def test_probes_are_run_again_never_or_when_they_are_cheap(root: Path) -> None:
    text = site_project.MKDOCS.replace("[search, stilltrue]", "[search, stilltrue: {rerun: always}]")
    site_project.put(root, "mkdocs.yml", text)
    result = site_project.mkdocs(root, "build", "-q")
    assert result.returncode == 1
    assert "Expected one of: ('never', 'cheap')" in result.stderr


def test_rerun_never_is_accepted(root: Path) -> None:
    text = site_project.MKDOCS.replace("[search, stilltrue]", "[search, stilltrue: {rerun: never}]")
    site_project.put(root, "mkdocs.yml", text)
    assert site_project.mkdocs(root, "build", "-q").returncode == 0
