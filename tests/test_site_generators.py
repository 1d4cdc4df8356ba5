"""Sites of other generators: pages written for them, and a built site compared with a check."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from markdown import Markdown
from markdown.preprocessors import Preprocessor

import site_project
from stilltrue.check import check
from stilltrue.config import Config, load
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError, UsageError
from stilltrue.model import Problem, Report
from stilltrue.report import to_json
from stilltrue.site import alone
from stilltrue.site.arrived import compare_site
from stilltrue.site.built import read_html
from stilltrue.site.generated import ASSETS, INDEX, JSON, PROBES, SUPERSEDED
from stilltrue.site.placing import place

ROOT = Path(__file__).resolve().parents[1]
STEP = "docs/throughput/step.md"
ENCODE = "claims/evidence/encode.json"
ZENSICAL = site_project.MKDOCS.replace(
    "markdown_extensions:\n",
    "extra_css: [assets/stilltrue/stilltrue.css]\nextra_javascript: [assets/stilltrue/stilltrue.js]\n"
    "markdown_extensions:\n  - stilltrue\n",
)
CHART = """
```chart
title: Parts of a step
kind: bars
evidence: claims/evidence/step.csv
x: {label: part, read: {column: name}}
y: {label: time, unit: ms}
series:
  measured: {column: time_ms, unit: ms}
```
"""
EVIL = "{{ 7 * 6 }} {% raw %} <script>alert(1)</script> --8<-- ``` [x](claim:y)"
HOSTILE = f'{{"seconds": 145.5, "said": "{EVIL}"}}\n```\n'
HOSTILE_CLAIM = """\
- id: hostile
  says: "It took {value}."
  value: 145.5 s
  evidence: claims/evidence/hostile.txt
  read: {match: '"seconds": ([\\d.]+)', unit: s}
"""

needs_zensical = pytest.mark.skipif(importlib.util.find_spec("zensical") is None, reason="needs zensical")
needs_properdocs = pytest.mark.skipif(
    importlib.util.find_spec("properdocs") is None, reason="needs properdocs"
)


def write(root: Path) -> Path:
    """A project that each of the generators can build from the same configuration."""
    site_project.write(root)
    site_project.put(root, "mkdocs.yml", ZENSICAL)
    site_project.edit(
        root, STEP, "An example, which is no claim:", f"{CHART}\nAn example, which is no claim:"
    )
    return root


def run(root: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=root,
        env={**os.environ, "NO_COLOR": "1", "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def build(root: Path, module: str, *arguments: str) -> None:
    done = run(root, module, "build", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def told(root: Path, site: str = "site") -> tuple[Problem, ...]:
    return compare_site(load(root), root / site, "docs").report.problems


def codes(root: Path, site: str = "site") -> set[str]:
    return {problem.code for problem in told(root, site)}


def files(root: Path) -> set[str]:
    there = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    return {name for name in there if not name.startswith(".stilltrue/")}


@pytest.fixture(scope="module")
def by_mkdocs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("mkdocs"))
    build(root, "mkdocs", "--strict")
    return root


@pytest.fixture(scope="module")
def by_zensical(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("zensical"))
    site_project.put(root, "claims/evidence/hostile.txt", HOSTILE)
    site_project.put(root, "claims/shared.yml", site_project.SHARED + HOSTILE_CLAIM)
    place(load(root), "docs")
    build(root, "zensical", "--strict")
    return root


def copied(root: Path, to: Path) -> Path:
    shutil.copytree(root, to, dirs_exist_ok=True)
    return to


# What is built by whom ---------------------------------------------------------------------------------


def test_a_site_of_mkdocs_is_as_checked_and_comparing_writes_nothing(by_mkdocs: Path) -> None:
    before = files(by_mkdocs)
    done = run(by_mkdocs, "stilltrue", "verify-site", "site")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "7 claims: 5 hold, 1 reported, 1 superseded",
        "site/ 7 pages, 7 cards, 4 bound numbers, 4 generated pages: as checked",
    ]
    assert files(by_mkdocs) == before


@needs_properdocs
def test_a_site_of_properdocs_is_as_checked_and_pages_written_for_others_give_way(tmp_path: Path) -> None:
    root = write(tmp_path)
    place(load(root), "docs")
    site_project.edit(root, ENCODE, "145.52", "145.53")
    build(root, "properdocs", "--strict", "--config-file", "mkdocs.yml")
    assert told(root) == ()
    assert not (root / "site/assets/stilltrue/pages.json").exists()


@needs_zensical
def test_a_site_of_zensical_is_as_checked(by_zensical: Path) -> None:
    assert told(by_zensical) == ()
    home = site_project.page(by_zensical, "index.html")
    assert 'href="throughput/step/#attention-time"' in home
    step = site_project.page(by_zensical, "throughput/step/")
    assert 'href="../../evidence/step.csv/#L2"' in step
    assert "Written at docs/throughput/step.md:8" in step


@needs_zensical
def test_evidence_never_passes_through_markdown(by_zensical: Path) -> None:
    assert "alert" not in (by_zensical / "docs/evidence/hostile.txt.md").read_text(encoding="utf-8")
    html = site_project.page(by_zensical, "evidence/hostile.txt/")
    assert "{{ 7 * 6 }} {% raw %} &lt;script&gt;alert(1)&lt;/script&gt; --8&lt;-- ``` [x](claim:y)" in html
    assert "<script>alert" not in html


@needs_zensical
def test_cards_are_found_by_their_sentence_and_generated_evidence_is_not(by_zensical: Path) -> None:
    found = json.dumps(json.loads(site_project.page(by_zensical, "search.json")))
    assert "Attention kernels take 22,835.8 ms of one step" in found
    assert "Written at" not in found
    assert "evidence/hostile.txt" not in {
        item["location"].partition("#")[0].rstrip("/")
        for item in json.loads(site_project.page(by_zensical, "search.json"))["items"]
    }


class Context(Preprocessor):
    """What Zensical registers for each page: `zensical/extensions/context.py`."""

    def __init__(self, md: Markdown, root: Path, path: str) -> None:
        super().__init__(md)
        self.page = SimpleNamespace(path=path, url=path.replace(".md", "/"))
        self.config = {"root_dir": str(root), "docs_dir": "docs", "use_directory_urls": True}

    def run(self, lines: list[str]) -> list[str]:
        return lines


def rendered(root: Path, path: str) -> str:
    """A page as Zensical has it rendered, by an extension that is made for it alone."""
    md = Markdown(extensions=["stilltrue", "tables", "pymdownx.superfences"])
    md.preprocessors.register(Context(md, root, path), "rendering_context", 0)
    text = (root / "docs" / path).read_text(encoding="utf-8")
    return md.convert(re.sub(r"\A---\n.*?^---\n", "", text, flags=re.DOTALL | re.MULTILINE))


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets the pause go by after which a check is compared with the files that it rests on."""
    passed: list[float] = []
    monkeypatch.setattr(alone, "time", SimpleNamespace(monotonic=lambda: 100.0 + len(passed)))
    return lambda: passed.append(1.0)


def test_pages_that_follow_one_another_share_a_check_and_a_later_one_sees_what_changed(
    root: Path, later: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []

    def counted(config: Config) -> Report:
        made.append(config.root)
        return check(config)

    monkeypatch.setattr(alone, "check", counted)
    for path in ("index.md", "throughput/step.md"):
        assert "st-holds" in rendered(root, path)
    site_project.edit(root, "claims/evidence/step.csv", "22835.8", "22935.8")
    assert "st-drifted" not in rendered(root, "throughput/step.md")
    assert len(made) == 1
    later()
    assert "st-card st-drifted" in rendered(root, "throughput/step.md")
    later()
    rendered(root, "index.md")
    assert len(made) == 2


def test_a_page_of_a_generator_leads_from_its_source_to_cards_and_to_evidence_that_has_a_page(
    root: Path, later: Callable[[], None]
) -> None:
    assert 'href="../evidence/' not in rendered(root, "throughput/step.md")
    place(load(root), "docs")
    later()
    assert 'href="../evidence/step.csv/#L2"' in rendered(root, "throughput/step.md")
    assert 'href="throughput/step/#attention-time"' in rendered(root, "index.md")
    assert 'href="../throughput/step/#attention-time"' in rendered(root, "evidence/step.csv.md")


def test_only_a_generated_page_of_this_project_takes_the_place_of_a_stub(root: Path) -> None:
    place(load(root), "docs")
    stub = (root / "docs/claims.md").read_text(encoding="utf-8")
    site_project.put(root, "docs/other.md", stub.replace("claims.md", "nothing.md"))
    assert "st-index" not in rendered(root, "other.md")
    assert "st-index" in rendered(root, "claims.md")


# What goes wrong in a generator ------------------------------------------------------------------------


@needs_zensical
def test_an_ignored_plugin_is_one_problem_that_names_the_cure(tmp_path: Path) -> None:
    root = site_project.write(tmp_path)
    build(root, "zensical")
    (problem,) = told(root)
    assert (problem.code, str(problem.place)) == ("site-ignored", "site")
    assert problem.message == "no page shows a card, and the check knows 7 claims"
    assert "name `stilltrue` under `markdown_extensions` for Zensical" in problem.hint


@needs_zensical
def test_generated_pages_and_the_style_sheet_are_missed(tmp_path: Path) -> None:
    root = site_project.write(tmp_path)
    site_project.put(
        root, "mkdocs.yml", ZENSICAL.replace("extra_css: [assets/stilltrue/stilltrue.css]\n", "")
    )
    build(root, "zensical")
    problems = told(root)
    assert {"site-unstyled", "page-missing", "card-missing"} == {p.code for p in problems}
    # The card of a claim that no page shows has its place in the list of claims alone.
    assert [p.about for p in problems if p.code == "card-missing"] == [("unshown",)]
    assert {str(p.place) for p in problems if p.code == "page-missing"} >= {
        "site/claims/index.html",
        "site/superseded/index.html",
        "site/evidence/step.csv/index.html",
        "site/claims.json",
    }


@needs_zensical
def test_a_card_that_zensical_kept_from_an_earlier_build_is_seen(by_zensical: Path, tmp_path: Path) -> None:
    root = copied(by_zensical, tmp_path)
    build(root, "zensical")
    # Within its rounding: the claim holds as before, and only the page is old.
    site_project.edit(root, "claims/evidence/step.csv", "22835.8", "22835.82")
    place(load(root), "docs")
    build(root, "zensical")
    problems = told(root)
    assert {p.code for p in problems} >= {"card-old"}
    old = next(p for p in problems if p.about == ("attention-time",))
    assert old.place.path == "site/throughput/step/index.html"
    assert "says `Found: 22,835.8 ms. " in old.message
    assert "and the check `Found: 22,835.82 ms. " in old.message


@needs_zensical
def test_watching_evidence_keeps_zensical_from_keeping_old_cards(by_zensical: Path, tmp_path: Path) -> None:
    root = copied(by_zensical, tmp_path)
    site_project.put(root, "mkdocs.yml", f"{ZENSICAL}watch: [claims, docs]\n")
    build(root, "zensical")
    site_project.edit(root, "claims/evidence/step.csv", "22835.8", "22835.82")
    later = (root / "claims/evidence/step.csv").stat().st_mtime + 5  # Zensical compares whole seconds
    os.utime(root / "claims/evidence/step.csv", (later, later))
    place(load(root), "docs")
    build(root, "zensical")
    assert told(root) == ()


@needs_zensical
def test_a_claim_that_drifted_after_the_pages_were_written_fails_twice(
    by_zensical: Path, tmp_path: Path
) -> None:
    root = copied(by_zensical, tmp_path)
    site_project.edit(root, ENCODE, "145.52", "146.52")
    build(root, "zensical", "--clean")
    assert 'class="st-card st-drifted' in site_project.page(root, "throughput/step/")
    arrived = compare_site(load(root), root / "site", "docs")
    assert [j.claim.id for j in arrived.report.judgements if j.fails] == ["encode-rebuild"]
    assert {str(problem.place) for problem in arrived.report.problems} == {
        "site/evidence-files/claims/evidence/encode.json",
        "site/claims.json",
    }


# What a built site can lack ----------------------------------------------------------------------------


def alter(name: str, old: str, new: str) -> Callable[[Path], None]:
    return lambda root: site_project.edit(root, f"site/{name}", old, new)


def remove(name: str) -> Callable[[Path], None]:
    return lambda root: (root / "site" / name).unlink()


def without_style(root: Path) -> None:
    for name in ("index.html", STEP_HTML):
        site_project.edit(root, f"site/{name}", "stilltrue.css", "other.css")


HOME_HTML = "index.html"
STEP_HTML = "throughput/step/index.html"
CARD = 'class="st-card st-holds" id="attention-time"'
END = "</article>"
UNBOUND = f'<a href="claim:step-time">x</a>{END}'
UNKNOWN = f'<div class="st-card st-problem"></div>{END}'
STAMP = 'data-st-state="'
COPY = "evidence-files/claims/evidence/step.csv"

SAYS = '<p class="st-says">Attention kernels'
STEP_LINK = 'href="throughput/step/#step-time"'
FORGED = (
    '<div class="st-card st-holds"><p class="st-head"><a class="st-id">attention-time</a>'
    f'<p class="st-says">It is free.</p></div>{END}'
)
FORGED_TABLE = (
    '<div class="st-card st-claims st-holds" id="all"><span class="st-count">9 claims: 9 hold</span>'
    f'<a class="st-id" href="#all">all</a></div>{END}'
)

PLANTS: dict[str, tuple[str, str, Callable[[Path], None]]] = {
    "value": ("card-old", "Attention kernels take 1 ms", alter(STEP_HTML, ">22,835.8 ms<", ">1 ms<")),
    "verdict": ("card-old", "says `drifted`", alter(STEP_HTML, CARD, CARD.replace("holds", "drifted"))),
    "found": ("card-old", "Found: 9 ms", alter(STEP_HTML, "Found: 22,835.8 ms", "Found: 9 ms")),
    "card": ("card-missing", "of `step-time`", alter(STEP_HTML, 'id="step-time"', 'data-id="x"')),
    "no claim": ("card-old", "check does not know", alter(STEP_HTML, ">step-time</a>", ">gone</a>")),
    "chart": ("chart-old", "`Parts of a step`", alter(STEP_HTML, "<figcaption>Parts", "<figcaption>Sums")),
    "number": ("link-old", "is not bound there", alter(HOME_HTML, ">65 %</a>", ">64 %</a>")),
    "mark": ("link-old", "is marked `stale`", alter(HOME_HTML, "st-bound st-holds", "st-bound st-stale")),
    "raw link": ("link-unbound", "1 link still reads `claim:step-time`", alter(HOME_HTML, END, UNBOUND)),
    "lost link": (
        "link-astray",
        "`../evidence/step.csv/#L2`",
        alter(STEP_HTML, "../../evidence", "../evidence"),
    ),
    "lost anchor": ("link-astray", "step.csv/#L2`", alter("evidence/step.csv/index.html", 'id="L2"', "")),
    "unknown block": ("unseen-claim", "shown as wrong", alter(HOME_HTML, END, UNKNOWN)),
    "style sheet": ("site-unstyled", "2 pages with claims", without_style),
    "page": ("page-missing", "has no page of this source", remove(STEP_HTML)),
    "index": ("page-missing", "`Claims` is not there", remove("claims/index.html")),
    "old page": (
        "page-old",
        "`step.csv` was made",
        alter("evidence/step.csv/index.html", STAMP, f"{STAMP}0"),
    ),
    "report": ("page-old", "not as it would be made now", alter("claims.json", "145.5", "145.6")),
    "copy": ("page-missing", "is not there", remove(COPY)),
    "day": ("card-old", "says for `Evidence`", alter(STEP_HTML, "csv:2</a>", "csv:3</a>")),
    "two verdicts": (
        "card-old",
        "`drifted holds`",
        alter(STEP_HTML, CARD, CARD.replace("-holds", "-holds st-drifted")),
    ),
    "two sentences": (
        "card-old",
        "says `Free. Att",
        alter(STEP_HTML, SAYS, f'<p class="st-says">Free.</p>{SAYS}'),
    ),
    "forged card": ("card-old", "says `It is free.`", alter(HOME_HTML, END, FORGED)),
    "section": ("card-old", "`<section>`", alter(HOME_HTML, END, FORGED.replace("div", "section"))),
    "in a template": (
        "card-missing",
        "`attention-time`",
        alter(STEP_HTML, f"<div {CARD}", f"<template><div {CARD}"),
    ),
    "hidden": ("card-missing", "`attention-time`", alter(STEP_HTML, CARD, f"hidden {CARD}")),
    "in a comment": (
        "card-missing",
        "`attention-time`",
        alter(STEP_HTML, f"<div {CARD}", f"<!-- <div {CARD}"),
    ),
    "behind a comment": ("card-old", "free", alter(HOME_HTML, END, f"<!-- <pre> --!>{FORGED}<pre></pre>")),
    "in a <pre>": ("card-old", "free", alter(HOME_HTML, END, f"<pre>{FORGED}</pre>")),
    "anchor": ("card-old", "2 elements", alter(STEP_HTML, "<h1", '<a id="step-time"></a><h1')),
    "other id": ("card-missing", "`attention-time`", alter(STEP_HTML, 'id="attention-time"', 'id="x"')),
    "forged mark": (
        "link-old",
        "`9 %` is marked `holds` for `step-time`",
        alter(HOME_HTML, END, f'<a class="st-bound st-holds" {STEP_LINK}>9 %</a>{END}'),
    ),
    "mark for nothing": (
        "link-old",
        "for `none`",
        alter(HOME_HTML, END, f'<a class="st-bound st-holds" href="#none">9 %</a>{END}'),
    ),
    "mark that leads away": (
        "link-old",
        "is not bound there",
        alter(HOME_HTML, STEP_LINK, 'href="http://a.b/#step-time"'),
    ),
    "forged table": (
        "card-old",
        "the card of the table `all` says `holds 9 claims: 9 hold`",
        alter(HOME_HTML, END, FORGED_TABLE),
    ),
}


@pytest.mark.parametrize("plant", PLANTS)
def test_a_site_that_lacks_something_is_told_from_one_that_does_not(
    plant: str, by_mkdocs: Path, tmp_path: Path
) -> None:
    code, words, spoil = PLANTS[plant]
    root = copied(by_mkdocs, tmp_path)
    spoil(root)
    found = [problem for problem in told(root) if problem.code == code]
    assert any(words in problem.message for problem in found), told(root)


def test_generated_pages_of_an_older_build_are_told_as_one(by_mkdocs: Path, tmp_path: Path) -> None:
    root = copied(by_mkdocs, tmp_path)
    site_project.edit(root, STEP, "One step takes {value}.", "A step takes {value}.")
    (old,) = (each for each in told(root) if each.code == "page-old" and "pages" in each.message)
    assert old.place.path == "site/claims/index.html"
    assert re.fullmatch(r"the generated pages `Claims`, .* and \d+ more were made from .*", old.message)


def test_a_page_that_was_changed_and_not_built_again_is_seen(by_mkdocs: Path, tmp_path: Path) -> None:
    root = copied(by_mkdocs, tmp_path)
    site_project.edit(
        root, "docs/index.md", "# Home\n", "# Home\n\nIt takes [34.9 s](claim:step-time) in all.\n"
    )
    assert codes(root) == {"link-old"}
    site_project.edit(root, STEP, "One step takes {value}.", "A step takes {value}.")
    assert "card-old" in codes(root)


def test_html_is_read_whatever_a_minifier_leaves_of_it() -> None:
    page = read_html(
        '<DIV class="st-card st-holds" id=a><p class=st-head><a class=st-id href=#a>a</a>'
        "<p class=st-says>It took <b>1&nbsp;s</b>.</p>"
        "<details><p>Found: 1 s. Written at a.md:1:</p></details></DIV>"
        "<pre>&lt;div class=&quot;st-card st-holds&quot; id=&quot;b&quot;&gt;</pre><a href=claim:c>c</a>"
    )
    assert [(card.name, card.anchored, card.verdict, card.says, card.found) for card in page.cards] == [
        ("a", True, "holds", "It took 1 s.", "Found: 1 s. Written at a.md:1:")
    ]
    assert page.unbound == ["c"]


def test_a_folder_of_a_built_page_may_be_called_as_a_page(by_mkdocs: Path, tmp_path: Path) -> None:
    root = copied(by_mkdocs, tmp_path)
    site_project.put(root, "site/v1.html/index.html", "<p>1")
    assert told(root) == ()


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
@pytest.mark.parametrize("target", ["/dev/zero", "/etc/passwd", "nothing"])
def test_a_built_page_that_is_a_link_out_of_the_site_is_not_read(
    target: str, by_mkdocs: Path, tmp_path: Path
) -> None:
    root = copied(by_mkdocs, tmp_path)
    (root / "site/a.html").symlink_to(target)
    with pytest.raises(InputError, match="it cannot be read"):
        told(root)


@pytest.mark.parametrize("html", ["<!--", "<a "])
def test_a_built_page_that_would_take_for_ever_is_given_up(html: str) -> None:
    with pytest.raises(InputError, match=r"longer than 0\.05 s"):
        read_html(html * 100_000, Deadline(0.05))


def test_lines_of_evidence_that_are_never_closed_are_read_in_time() -> None:
    assert read_html("<pre>" * 100_000 + '<i id="a">', Deadline(5)).ids == {"a": 1}


def test_a_folder_that_holds_no_site_is_refused(by_mkdocs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no built page"):
        compare_site(load(by_mkdocs), tmp_path, "docs")
    with pytest.raises(UsageError, match="no folder `pages`"):
        compare_site(load(by_mkdocs), by_mkdocs / "site", "pages")
    done = run(by_mkdocs, "stilltrue", "verify-site", "nowhere")
    assert (done.returncode, done.stdout) == (2, "")


# Writing the pages -------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return site_project.write(tmp_path)


def test_pages_are_written_once_and_left_while_nothing_changes(root: Path) -> None:
    done = run(root, "stilltrue", "pages", "docs")
    assert done.returncode == 0, done.stderr
    assert "docs/evidence/step.csv.md: written\n" in done.stdout
    assert done.stdout.endswith("10 files written, 0 as they were\n")
    before = {path: path.stat().st_mtime_ns for path in (root / "docs").rglob("*")}
    assert place(load(root), "docs").written == ()
    assert {path: path.stat().st_mtime_ns for path in (root / "docs").rglob("*")} == before


def test_pages_that_are_written_change_nothing_that_a_check_says(root: Path) -> None:
    before = to_json(check(load(root)))
    place(load(root), "docs")
    assert to_json(check(load(root))) == before


def test_pages_are_written_when_claims_have_come_loose_and_the_command_says_so(root: Path) -> None:
    site_project.edit(root, ENCODE, "145.52", "146.52")
    done = run(root, "stilltrue", "pages", "docs")
    assert done.returncode == 0
    assert done.stderr == "claims have come loose, and the pages say so: `stilltrue check` lists them\n"
    assert (root / "docs/claims.md").is_file()


def test_the_report_of_a_site_has_the_forms_of_a_check(by_mkdocs: Path, tmp_path: Path) -> None:
    root = copied(by_mkdocs, tmp_path)
    remove(STEP_HTML)(root)
    done = run(root, "stilltrue", "verify-site", "site", "--format", "json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"], report["counts"]["holds"]) == (1, False, 5)
    assert {problem["code"] for problem in report["problems"]} >= {"card-missing", "page-missing"}


def test_pages_of_evidence_that_is_gone_go_too(root: Path) -> None:
    place(load(root), "docs")
    site_project.put(root, "claims/shared.yml", "")
    site_project.edit(root, STEP, "```claim\nencode-rebuild\n```\n", "")
    site_project.edit(
        root, STEP, "superseded: {by: encode-rebuild, on: 2026-08-26,", "superseded: {on: 2026-08-26,"
    )
    placed = place(load(root), "docs")
    assert placed.removed == (
        "docs/evidence-files/claims/evidence/encode.json",
        "docs/evidence/encode.json.md",
    )
    assert not (root / "docs/evidence/encode.json.md").exists()
    assert (root / "docs/evidence/step.csv.md").exists()


@pytest.mark.parametrize("name", ["claims.md", "claims.json", "evidence/step.csv.md"])
def test_a_file_of_the_author_is_never_written_over(name: str, root: Path) -> None:
    site_project.put(root, f"docs/{name}", "Mine.\n")
    before = files(root)
    with pytest.raises(InputError, match="has the name of a generated one") as refused:
        place(load(root), "docs")
    assert (refused.value.code, refused.value.path) == ("page-taken", f"docs/{name}")
    assert files(root) == before
    assert (root / "docs" / name).read_text() == "Mine.\n"


def test_a_listing_that_came_with_the_project_removes_nothing_of_the_author(root: Path) -> None:
    names = ["index.md", "throughput/step.md", "../claims/shared.yml", "evidence/../index.md", 7]
    site_project.put(root, "docs/assets/stilltrue/pages.json", json.dumps({"format": 1, "files": names}))
    assert place(load(root), "docs").removed == ()
    assert files(root) >= set(site_project.FILES)


def test_a_generated_page_that_was_made_ones_own_is_neither_written_over_nor_removed(root: Path) -> None:
    place(load(root), "docs")
    listed = ["claims.md", "evidence/notes.md"]
    site_project.put(root, "docs/assets/stilltrue/pages.json", json.dumps({"format": 1, "files": listed}))
    site_project.put(root, "docs/evidence/notes.md", "Mine.\n")
    assert place(load(root), "docs").removed == ()
    site_project.put(root, "docs/claims.md", "Mine.\n")
    with pytest.raises(InputError, match="has the name of a generated one"):
        place(load(root), "docs")
    assert (root / "docs/claims.md").read_text() == (root / "docs/evidence/notes.md").read_text() == "Mine.\n"


@pytest.mark.parametrize("folder", ["claims", "claims/evidence", ".stilltrue"])
def test_nothing_is_written_where_claims_and_evidence_lie(folder: str, root: Path) -> None:
    (root / ".stilltrue").mkdir(exist_ok=True)
    before = files(root)
    with pytest.raises(UsageError, match=f"would be written into the folder `{folder}`"):
        place(load(root), folder)
    assert files(root) == before


def test_nothing_is_written_into_an_evidence_folder_among_the_pages(root: Path) -> None:
    (root / "claims/evidence").rename(root / "docs/evidence")
    for name in ("claims/shared.yml", STEP):
        text = (root / name).read_text(encoding="utf-8")
        site_project.put(root, name, text.replace("claims/evidence/", "docs/evidence/"))
    site_project.put(root, "stilltrue.toml", 'evidence = "docs/evidence"\n')
    with pytest.raises(UsageError, match="would be written into the folder `docs/evidence`"):
        place(load(root), "docs")


def test_nothing_is_written_through_a_link_or_outside_the_project(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (root / "docs/evidence").symlink_to(outside)
    with pytest.raises(InputError, match="is a link"):
        place(load(root), "docs")
    assert list(outside.iterdir()) == []
    for folder in (os.path.relpath(outside, root), "nowhere", "mkdocs.yml"):
        with pytest.raises(UsageError, match=r"lies outside|there is no folder"):
            place(load(root), folder)


def test_the_commands_load_neither_mkdocs_nor_markdown() -> None:
    program = (
        "import sys, stilltrue.cli.publishing, stilltrue.site.placing, stilltrue.site.arrived; "
        "print(*(name for name in ('mkdocs', 'markdown', 'zensical') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_configuration_of_this_repository_serves_generators_that_leave_plugins_out() -> None:
    site = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    assert "stilltrue" in site["markdown_extensions"]
    assert set(ASSETS.values()) <= {*site["extra_css"], *site["extra_javascript"]}
    assert {"claims", "docs"} <= set(site["watch"])
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    page = (ROOT / "docs/tool/generators.md").read_text(encoding="utf-8")
    shown = page.partition('```text title=".gitignore"\n')[2].partition("```")[0].splitlines()
    assert set(shown) <= set(ignored)
    for name in (
        INDEX,
        SUPERSEDED,
        PROBES,
        JSON,
        *(asset.rpartition("/")[0] + "/" for asset in ASSETS.values()),
    ):
        assert f"/docs/{name}" in shown
