"""The Markdown extension: blocks become cards in their places, links bound numbers, text stays text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import markdown
import pytest

import site_project
from stilltrue.check import check
from stilltrue.config import Config, load
from stilltrue.model import Page, Place, Report
from stilltrue.pages import scan
from stilltrue.site.markdown_extension import StilltrueExtension
from stilltrue.site.session import Session
from stilltrue.site.view import Layout, View

EXTENSIONS = [
    "admonition",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.critic",
    "pymdownx.details",
    "pymdownx.superfences",
    "pymdownx.tabbed",
    "pymdownx.tilde",
]
STEP = "docs/throughput/step.md"
PAGES = {"docs/index.md": "", STEP: "throughput/step/"}


class Site:
    """A checked project, and its pages as Markdown renders them."""

    def __init__(self, root: Path, source: str = "") -> None:
        self.root = root
        self.config = load(root)
        self.report: Report = check(self.config)
        evidence = {path: f"evidence/{path.rpartition('/')[2]}/" for path in self.report.files}
        layout = Layout(PAGES, evidence, source=source)
        self.session = Session(View(self.config, self.report, layout))

    def render(self, text: str, path: str = STEP, *, without: str = "") -> str:
        extension = StilltrueExtension()
        extension.use(self.session)
        self.session.turn_to(path, PAGES.get(path, "other/"))
        return markdown.markdown(
            text,
            extensions=[extension, *(name for name in EXTENSIONS if name != without)],
            extension_configs={"pymdownx.tabbed": {"alternate_style": True}},
        )

    def page(self, path: str = STEP) -> str:
        text = (self.root / path).read_text(encoding="utf-8")
        return self.render(re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL), path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return site_project.write(tmp_path)


@pytest.fixture
def site(root: Path) -> Site:
    return Site(root)


def block(site: Site, name: str) -> str:
    """The claim's block as it stands on its page."""
    judgement = next(j for j in site.report.judgements if j.claim.id == name)
    return f"```claim\n{judgement.claim.raw.strip()}\n```"


def cards(html: str) -> list[str]:
    return re.findall(r'<div class="st-card[^"]*"(?: id="([^"]*)")?', html)


# Cards -------------------------------------------------------------------------------------------------


def test_the_project_of_these_tests_is_sound(site: Site) -> None:
    assert site.report.problems == ()
    verdicts = {j.claim.id: str(j.verdict) for j in site.report.judgements}
    assert verdicts == {
        "attention-time": "holds",
        "step-time": "holds",
        "attention-share": "holds",
        "gemm-time": "reported",
        "encode-time": "superseded",
        "encode-rebuild": "holds",
        "unshown": "holds",
    }


def test_every_block_of_a_page_becomes_a_card_in_its_order(site: Site) -> None:
    html = site.page()
    assert cards(html) == [
        "attention-time",
        "step-time",
        "attention-share",
        "gemm-time",
        "encode-time",
        "encode-rebuild",
    ]
    assert site.session.unseen == []


def test_an_example_in_a_longer_fence_stays_code(site: Site) -> None:
    html = site.page()
    assert 'id="example"' not in html
    assert "id: example" in html


def test_a_card_shows_its_verdict_sentence_evidence_and_block(site: Site) -> None:
    html = site.render(block(site, "attention-time"))
    assert '<span class="st-verdict st-holds">holds</span>' in html
    assert 'take <strong class="st-value">22,835.8 ms</strong> of one step' in html
    assert 'href="../../evidence/step.csv/#L2"' in html
    fold = html.partition("<summary>Block and readings</summary>")[2]
    assert "step.csv:2</a></td><td>22,835.8 ms</td>" in fold
    assert "read: {column: time_ms, where: \"name = 'attention'\", unit: ms}" in html


def test_a_derived_card_leads_to_its_operands(site: Site) -> None:
    html = site.page()
    share = html[html.index('id="attention-share"') :]
    assert share.index('href="#attention-time"') < share.index('href="#step-time"')


def operands(html: str, name: str) -> list[str]:
    """The text of each operand on a derived claim's card."""
    card = html[html.index(f'id="{name}"') :].partition("<details")[0]
    return [re.sub(r"<[^>]*>", "", found) for found in re.findall(r'st-operand">(.*?)</span>', card)]


def test_a_derived_card_gives_the_value_that_each_operand_was_found_to_have(site: Site) -> None:
    assert operands(site.page(), "attention-share") == ["attention-time 22,835.8 ms", "step-time 34.92 s"]


def test_a_quoted_operand_gives_what_is_stated(root: Path) -> None:
    site_project.edit(root, STEP, '"{attention-time} / {step-time}"', '"{gemm-time} / {step-time}"')
    site_project.edit(root, STEP, "value: 65.4 %", "value: 7.9 %")
    assert operands(Site(root).page(), "attention-share")[0] == "gemm-time 2,774.0 ms, as reported"


def test_an_operand_without_a_value_says_what_became_of_it(root: Path) -> None:
    site_project.edit(root, STEP, "name = 'attention'", "name = 'nothing'")
    assert operands(Site(root).page(), "attention-share")[0] == "attention-time is broken"


def test_a_fold_without_readings_does_not_promise_any(site: Site) -> None:
    for name in ("gemm-time", "attention-share"):
        assert "<summary>Block</summary>" in site.render(block(site, name))


def test_a_card_says_on_which_other_pages_its_number_is_read(site: Site) -> None:
    card = site.render(block(site, "attention-time"))
    assert '<dt>Read on</dt><dd><a href="../../"><code>docs/index.md</code></a></dd>' in card
    assert "Read on" not in site.render(block(site, "gemm-time"))
    assert "Read on" not in site.render(block(site, "encode-rebuild"))


def test_a_probe_is_a_path_and_leads_to_its_script_where_the_site_shows_sources(root: Path) -> None:
    site_project.edit(root, STEP, "owner: ada", "probe: probes/time it.py")
    plain = Site(root)
    assert "<dd><code>probes/time it.py</code></dd>" in plain.render(block(plain, "attention-time"))
    missing = Site(root, source="https://forge.test/a/b/blob/main/")
    assert "<dd><code>probes/time it.py</code></dd>" in missing.render(block(missing, "attention-time"))
    site_project.put(root, "probes/time it.py", "")
    linked = Site(root, source="https://forge.test/a/b/blob/main/")
    card = linked.render(block(linked, "attention-time"))
    assert 'href="https://forge.test/a/b/blob/main/probes/time%20it.py"' in card


def test_a_card_shows_what_was_found_in_the_unit_of_what_is_stated(site: Site) -> None:
    share = site.page().partition('id="attention-share"')[2]
    assert "Found: 65.3946162658 %." in share.partition("</details>")[0]


def test_a_quoted_card_says_by_whom(site: Site) -> None:
    html = site.render(block(site, "gemm-time"))
    link = '<a href="https://example.org/report?a=1&amp;b=2" rel="nofollow noopener">the first report</a>'
    assert link in html
    assert "2026-08-24" in html


def test_a_superseded_card_is_struck_and_leads_to_its_successor(site: Site) -> None:
    html = site.page()
    card = html[html.index('id="encode-time"') :]
    assert '<del>Encoding the corpus takes <strong class="st-value">4.3 h</strong>.</del>' in card
    assert 'href="#encode-rebuild"' in card
    assert "on 2026-08-26: measured at 145.5 s." in card


@pytest.mark.parametrize(
    ("before", "prefix", "inside"),
    [
        ("* item\n\n", "    ", r"<li>.*st-card.*</li>"),
        ("1. item\n\n    more\n\n", "    ", r"<li>.*st-card.*</li>"),
        ("!!! note\n\n", "    ", r'<div class="admonition note">.*st-card.*</div>'),
        ("??? note\n\n", "    ", r"<details.*st-card.*</details>"),
        ('=== "Tab"\n\n', "    ", r'<div class="tabbed-block">.*st-card.*</div>'),
        ("> quoted\n>\n", "> ", r"<blockquote>.*st-card.*</blockquote>"),
        ("text before\n", "", r"<p>text before</p>\s*<div class=\"st-card"),
    ],
)
def test_a_card_nests_as_its_block_did(site: Site, before: str, prefix: str, inside: str) -> None:
    lines = block(site, "gemm-time").split("\n")
    html = site.render(before + "".join(f"{prefix}{line}\n" for line in lines))
    assert cards(html) == ["gemm-time"]
    assert re.search(inside, html, re.DOTALL)
    assert "```" not in html
    assert "<p><div" not in html


def test_text_after_a_card_is_a_paragraph_of_its_own(site: Site) -> None:
    html = site.render(block(site, "gemm-time") + "\ntext after\n")
    assert re.search(r"</details></div>\s*<p>text after</p>", html)


def test_a_second_card_of_one_claim_has_no_anchor_of_its_own(site: Site) -> None:
    html = site.render(f"{block(site, 'gemm-time')}\n\n{block(site, 'gemm-time')}\n")
    assert cards(html) == ["gemm-time", ""]


def test_a_heading_gives_way_to_the_id_of_a_claim(site: Site) -> None:
    html = site.page()
    assert html.count('id="attention-time"') == 1
    assert '<h2 id="attention-time_1">' in html
    assert "st-reserved" not in html


# Blocks that show no claim -----------------------------------------------------------------------------


def test_a_malformed_block_is_a_red_card_with_its_message(root: Path) -> None:
    site_project.edit(root, STEP, "    value: 2,774.0 ms\n", "")
    html = Site(root).page()
    assert "st-card st-problem st-failing" in html
    assert "<code>value</code>" in html[html.index("st-problem") :]
    assert 'id="gemm-time"' not in html


def test_a_malformed_block_is_not_reported_a_second_time(root: Path) -> None:
    site_project.edit(root, STEP, "    value: 2,774.0 ms\n", "")
    site = Site(root)
    site.page()
    assert len(site.report.problems) == 1
    assert site.session.unseen == []


def test_a_claim_that_the_check_has_not_seen_is_an_error_and_a_red_card(site: Site) -> None:
    html = site.render(block(site, "gemm-time").replace("id: gemm-time", "id: from-a-plugin"))
    assert "st-card st-problem st-failing" in html
    assert [p.code for p in site.session.unseen] == ["unseen-claim"]
    assert "from-a-plugin" in site.session.unseen[0].message


def test_another_value_under_a_known_id_is_an_error(site: Site) -> None:
    html = site.render(block(site, "gemm-time").replace("2,774.0 ms", "2,775.0 ms"))
    assert cards(html) == [""]
    assert [p.code for p in site.session.unseen] == ["duplicate-id"]


def test_a_block_that_was_only_reindented_on_its_way_is_still_its_claim(site: Site) -> None:
    changed = block(site, "gemm-time").replace("says: ", "says:   ")
    assert cards(site.render(changed)) == ["gemm-time"]
    assert site.session.unseen == []


def test_an_embedded_id_that_nobody_has_is_a_red_card(site: Site) -> None:
    html = site.render("```claim\nno-such-claim\n```\n")
    assert cards(html) == [""]
    assert [p.code for p in site.session.unseen] == ["unseen-claim"]


# Bound numbers -----------------------------------------------------------------------------------------


def test_a_link_leads_to_the_card_and_carries_mark_and_tooltip(site: Site) -> None:
    html = site.page("docs/index.md")
    expected = (
        '<a class="st-bound st-holds" href="throughput/step/#attention-time" '
        'title="holds: Attention kernels take 22,835.8 ms of one step at width 16,384.">22,835.8 ms</a>'
    )
    assert expected in html


def test_a_link_to_a_card_of_its_own_page_is_a_plain_anchor(site: Site) -> None:
    html = site.render(f"{block(site, 'gemm-time')}\n\nIt took [2.8 s](claim:gemm-time).\n")
    assert 'class="st-bound st-reported" href="#gemm-time"' in html


def test_a_struck_link_shows_that_its_claim_fell(site: Site) -> None:
    html = site.page("docs/index.md")
    assert re.search(r'<a class="st-bound st-superseded"[^>]*><del>4.3 h</del></a>', html)


def test_the_unit_of_a_number_in_a_long_link_stays_with_it(site: Site) -> None:
    html = site.render("[one *whole step is 34.9 s* long, 34.9 s](claim:step-time)")
    assert "one <em>whole step is 34.9\u00a0s</em> long, 34.9\u00a0s</a>" in html
    assert "st-problem" not in html


TILDE = "pymdownx.tilde"


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[~~4.3 h~~](claim:encode-time)", "<a><del>4.3 h</del></a>"),
        ("~~[4.3 h](claim:encode-time)~~", "<del><a>4.3 h</a></del>"),
        ("**~~[4.3 h](claim:encode-time)~~**", "<strong><del><a>4.3 h</a></del></strong>"),
        ("[**~~4.3 h~~**](claim:encode-time)", "<a><strong><del>4.3 h</del></strong></a>"),
        ("[~~**4.3 h**~~](claim:encode-time)", "<a><del><strong>4.3 h</strong></del></a>"),
        ("*before* ~~[4.3 h](claim:encode-time)~~", "<em>before</em> <del><a>4.3 h</a></del>"),
        ("[4.3 h](claim:encode-time)", "<a>4.3 h</a>"),
        ("[`~~4.3 h~~`](claim:encode-time)", "<a><code>~~4.3 h~~</code></a>"),
        ("[~~](claim:encode-time)", "<a>~~</a>"),
        ("[4.3 h](claim:encode-time)~~ after", "<a>4.3 h</a>~~ after"),
        ("~~[4.3 h](index.md)~~", "~~<a>4.3 h</a>~~"),
    ],
)
def test_a_strike_of_a_link_needs_no_extension_of_markdown(site: Site, link: str, expected: str) -> None:
    html = site.render(f"It took {link}, once.", without=TILDE)
    assert re.sub(r"<a [^>]*>", "<a>", html) == f"<p>It took {expected}, once.</p>"


def test_a_struck_link_agrees_with_and_without_the_extension(site: Site) -> None:
    text = "It took [~~4.3 h~~](claim:encode-time)."
    assert site.render(text) == site.render(text, without=TILDE)


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("<b>34.9 s</b>", "holds"),
        ("34.9&nbsp;s", "holds"),
        ("34.9&#160;s &amp; <i class='x'>more</i>", "holds"),
        ("{++34.9 s++}", "holds"),
        ("<b>34.8 s</b>", "problem"),
        ("{++34.8 s++}", "problem"),
    ],
)
def test_a_number_is_read_through_what_the_renderer_lays_aside(site: Site, words: str, verdict: str) -> None:
    html = site.render(f"It takes [{words}](claim:step-time).")
    assert f"st-bound st-{verdict}" in html
    number = re.findall(r"34[.]. ?s?", words)[0]
    told = [problem.message for problem in site.session.unseen]
    assert [message.split(",")[0] for message in told] == (
        [f"the text says `{number}`"] if verdict == "problem" else []
    )


def test_a_blank_in_the_address_of_a_claim_is_none(site: Site) -> None:
    assert "st-bound st-holds" in site.render("It takes [34.9 s](claim: step-time).")
    assert site.session.unseen == []


def test_only_a_long_link_may_wrap(site: Site) -> None:
    html = site.render("[34.9 s](claim:step-time), [a step of no less than 34.9 s](claim:step-time)")
    assert re.findall(r'class="(st-bound[^"]*)"', html) == ["st-bound st-holds", "st-bound st-holds st-long"]


def test_a_link_to_a_claim_that_no_page_shows_leads_to_the_index(site: Site) -> None:
    assert 'href="../../claims/#unshown"' in site.render("It [saves](claim:unshown).")


def test_a_number_that_disagrees_is_marked(root: Path) -> None:
    site_project.edit(root, "docs/index.md", "[65 %]", "[66 %]")
    html = Site(root).page("docs/index.md")
    assert re.search(r'<a class="st-bound st-problem"[^>]* title="does not agree[^"]*">66 %</a>', html)


def test_a_link_to_an_unknown_claim_is_marked_and_leads_nowhere(site: Site) -> None:
    html = site.render("It took [2 s](claim:no-such).")
    assert '<a class="st-bound st-problem" title="no claim has the id no-such">2 s</a>' in html
    assert [p.code for p in site.session.unseen] == ["unseen-claim"]


def test_other_links_are_left_alone(site: Site) -> None:
    assert '<a href="claims/index.md">claim:x</a>' in site.render("[claim:x](claims/index.md)")


# The correction banner ---------------------------------------------------------------------------------


def test_a_page_with_a_superseded_claim_opens_with_a_correction(site: Site) -> None:
    html = site.page()
    start = html.index('<aside class="st-banner"')
    banner = html[start : html.index("</aside>")]
    assert html.index("</h1>") < start < html.index("<h2")
    assert "since 2026-08-26: measured at 145.5 s." in banner
    assert "Its 5 other claims still stand: 4 hold, 1 is reported." in banner
    assert 'href="#encode-time"' in banner


def test_the_banner_does_not_say_that_all_stand_when_one_fails(root: Path) -> None:
    site_project.edit(root, STEP, "value: 34.9 s", "value: 35.9 s")
    banner = Site(root).page().partition("</aside>")[0]
    assert "Of its 5 other claims, 3 hold, 1 has drifted, 1 is reported." in banner
    assert "still stand" not in banner


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((), ""),
        (("step-time",), "Its one other claim still holds."),
        (("gemm-time",), "Its one other claim still stands (reported)."),
        (("step-time", "attention-time"), "Its 2 other claims still hold."),
        (("gemm-time", "step-time"), "Its 2 other claims still stand: 1 holds, 1 is reported."),
        (("attention-share",), "Its one other claim has drifted."),
    ],
)
def test_the_banner_counts_the_other_claims_in_words(root: Path, names: tuple[str, ...], words: str) -> None:
    site_project.edit(root, STEP, "value: 65.4 %", "value: 65.5 %")
    site = Site(root)
    html = site.render("\n\n".join(block(site, name) for name in (*names, "encode-time")))
    banner = html.partition("</aside>")[0]
    assert re.findall(r"<p>([^<]*\bother [^<]*)</p>", banner) == ([words] if words else [])


def test_a_banner_tells_of_a_few_fallen_claims_and_folds_the_others(root: Path) -> None:
    fall = 'superseded: {on: 2026-08-26, because: "retired"}'
    blocks = [
        f'```claim\nid: old-{n}\nsays: "It took {{value}}."\nvalue: {n} s\n'
        f"reported: {{by: me}}\n{fall}\n```\n"
        for n in range(1, 6)
    ]
    site_project.put(root, "docs/old.md", "# Old\n\n" + "\n".join(blocks))
    banner = Site(root).page("docs/old.md").partition("</aside>")[0]
    seen, folded = banner.split("<summary>and 2 more</summary>")
    assert seen.count("No longer so") == 3
    assert folded.count("No longer so") == 2


def test_a_page_without_superseded_claims_has_no_banner(site: Site) -> None:
    assert "st-banner" not in site.render(block(site, "gemm-time"))


# Escaping ----------------------------------------------------------------------------------------------

PAYLOAD = '<script>alert(1)</script>" onmouseover="alert(2)'


def test_markup_in_a_claim_stays_text(root: Path) -> None:
    quoted = PAYLOAD.replace('"', '\\"')
    claim = (
        f'```claim\nid: evil\nsays: "A {quoted} of {{value}}."\nvalue: "OOM {quoted}"\n'
        f'reported: {{by: "{quoted}"}}\nnote: "{quoted}"\nowner: "{quoted}"\ntags: ["{quoted}"]\n'
        f'superseded: {{on: 2026-01-01, because: "{quoted}"}}\n```\n'
    )
    site_project.put(root, STEP, f"# Page\n\n{claim}\nA link: [x](claim:evil).\n")
    site_project.put(root, "docs/index.md", "# Home\n")
    site = Site(root)
    html = site.page()
    assert cards(html) == ["evil"], site.report.problems
    assert "<script" not in html
    # What is left of it stands between quotes of an attribute, or outside of every tag.
    assert not any(" onmouseover=" in re.sub(r'"[^"]*"', "", tag) for tag in re.findall(r"<[^>]*>", html))


def test_hidden_characters_become_visible(root: Path) -> None:
    claim = '```claim\nid: odd\nsays: "A \u202eb {value}."\nvalue: 1 s\nreported: {by: "me\u200b"}\n```\n'
    site_project.put(root, STEP, f"# Page\n\n{claim}")
    site_project.put(root, "docs/index.md", "# Home\n")
    html = Site(root).page()
    assert "\u202e" not in html
    assert "A \\u202eb " in html


def test_what_looks_like_a_stashed_placeholder_in_a_claim_is_harmless(site: Site) -> None:
    text = "Some \x02wzxhzdk:0\x03 text.\n\n" + block(site, "gemm-time")
    assert cards(site.render(text)) == ["gemm-time"]


# Used alone --------------------------------------------------------------------------------------------


def test_alone_it_checks_the_project_once_and_shows_the_same_cards(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def counted(config: Config) -> Report:
        runs.append(config.root)
        return check(config)

    monkeypatch.setattr("stilltrue.site.markdown_extension.check", counted)
    extension = StilltrueExtension(project=str(root), index="/all/")
    renderer = markdown.Markdown(extensions=[extension, *EXTENSIONS])
    text = (root / STEP).read_text(encoding="utf-8").partition("---\n# ")[2]
    html = renderer.convert("# " + text)
    other = renderer.reset().convert("It took [34.9 s](claim:step-time).")
    assert len(cards(html)) == 6
    assert 'href="#step-time"' in html
    assert 'href="/all/#step-time"' in other
    assert runs == [root]


def test_a_card_that_the_renderer_shows_as_code_is_a_problem(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = block(site, "attention-time").splitlines()
    page = "- item\n\n" + "\n".join(f"            {line}" for line in lines) + "\n"
    scanned = scan(STEP, "\n".join(lines) + "\n").blocks[0]
    wrong = replace(scanned, place=Place(STEP, 3), end=2 + len(lines), indent=12)
    monkeypatch.setattr(
        "stilltrue.site.markdown_extension.scan", lambda *_, **__: Page(STEP, (wrong,), (), ())
    )
    site.render(page)
    assert [problem.code for problem in site.session.unseen] == ["unseen-block"]


def test_cards_that_are_seen_are_no_problem(site: Site) -> None:
    site.page()
    assert site.session.unseen == []


def test_no_tag_begins_in_a_tooltip_which_themes_show_as_html(root: Path) -> None:
    hostile = "<img src=x onerror=alert(1)> takes {value} </b> where 3 < 5 & 2 <1."
    site_project.edit(root, STEP, "Attention kernels take {value} of one step at width 16,384.", hostile)
    html = Site(root).render("[22,835.8 ms](claim:attention-time) [2 s](claim:<b>no)\n")
    titles = re.findall(r'title="([^"]*)"', html)
    assert len(titles) == 2
    assert titles[0].startswith("holds: ‹img src=x")
    assert "where 3 &lt; 5 &amp; 2 &lt;1." in titles[0]
    assert not any(re.search(r"&lt;[A-Za-z/!?]", title) for title in titles)
