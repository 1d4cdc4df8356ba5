"""The built site in a browser: from a number to its line, both schemes, wide and narrow, no other host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

import probe_project
import site_project
from browser_support import chromium, served

pytestmark = pytest.mark.browser

PAGES = (
    "",
    "throughput/step/",
    "claims/",
    "superseded/",
    "evidence/step.csv/",
    "evidence/encode.json/",
    "probes/",
    "probes/step/",
    "probes/encode.sh/",
)
LONG = "claims/evidence/long.csv"
LAST = f"""# Long

```claim
id: last
says: "In `long.csv` the last takes {{value}}."
value: 2,999.5 ms
evidence: {LONG}
read: {{where: "name = 'a2999'", column: time_ms, unit: ms}}
```
"""
TABLE = "| number |\n|---:|\n| [22,835.8 ms](claim:attention-time) |\n"
SCHEMES: tuple[Literal["default", "slate"], ...] = ("default", "slate")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a built site, one card of which is red."""
    root = probe_project.write(tmp_path_factory.mktemp("browser"))
    probe_project.record(root, probe_project.STEP, probe_project.accepted(root))
    site_project.put(root, "claims/evidence/2026-11-20/step.csv", "name,time_ms\nattention,22830.0\n")
    step = "docs/throughput/step.md"
    site_project.edit(root, step, "with the causal mask.", "with the causal mask, " + "over and over, " * 30)
    site_project.edit(root, step, "value: 34.9 s", "value: 35.9 s")
    site_project.put(root, LONG, "name,time_ms\n" + "".join(f"a{n},{n + 0.5}\n" for n in range(3000)))
    site_project.put(root, "docs/long.md", LAST)
    numbers = "It took [22,835.8 ms](claim:attention-time). " * 20
    words = "It took [attention a full 22,835.8 ms of it](claim:attention-time). " * 20
    site_project.put(root, "docs/numbers.md", f"# Numbers\n\n{numbers}\n\n{words}\n\n{TABLE}")
    result = site_project.mkdocs(root, "build", "--strict")
    assert "step-time drifted" in result.stderr
    with served(root / "site") as address:
        yield address


@pytest.fixture(scope="module")
def browser(browser_path: Path) -> Iterator[Any]:
    with chromium(browser_path) as browser:
        yield browser


@pytest.fixture
def page(browser: Any, base: str) -> Iterator[Any]:
    """A page that fails the test when anything is asked of another host, or a script fails."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    strangers: list[str] = []
    page.on("request", lambda request: _note(strangers, request.url, base))
    page.on("pageerror", lambda error: strangers.append(str(error)))
    yield page
    context.close()
    assert strangers == []


def _note(strangers: list[str], url: str, base: str) -> None:
    if not url.startswith((base, "data:", "blob:")):
        strangers.append(url)


def _scheme(page: Any, scheme: str) -> None:
    page.evaluate("name => document.body.setAttribute('data-md-color-scheme', name)", scheme)
    page.wait_for_timeout(400)  # Material fades colours


def test_a_number_leads_to_its_card_and_on_to_the_marked_line(page: Any, base: str) -> None:
    page.goto(base)
    page.get_by_role("link", name="22,835.8 ms").click()
    page.wait_for_url("**/throughput/step/#attention-time")
    card = page.locator("#attention-time")
    assert card.is_visible()
    assert "holds" in card.inner_text()
    card.get_by_role("link", name="claims/evidence/step.csv:2").first.click()
    page.wait_for_url("**/evidence/step.csv/#L2")
    line = page.locator("#L2")
    assert "attention,22835.8" in line.inner_text()
    assert line.locator("mark").is_visible()
    box = line.bounding_box()
    assert box is not None
    assert 0 < box["y"] < 900
    line.get_by_role("link", name="attention-time").click()
    page.wait_for_url("**/throughput/step/#attention-time")


def test_a_link_to_the_end_of_a_long_file_shows_that_line_and_the_others_are_not_laid_out(
    page: Any, base: str
) -> None:
    page.goto(f"{base}long/")
    card = page.locator("#last")
    assert card.locator(".st-says code").inner_text() == "long.csv"
    card.get_by_role("link", name=f"{LONG}:3001").first.click()
    page.wait_for_url("**/evidence/long.csv/#L3001")
    line = page.locator("#L3001")
    assert line.locator("mark").inner_text() == "2999.5"
    box = line.bounding_box()
    assert box is not None
    assert 0 < box["y"] < 900
    laid = "lines => lines.filter(e => e.firstChild.checkVisibility({contentVisibilityAuto: true})).length"
    assert 0 < page.locator(".st-lines span[id]").evaluate_all(laid) < 500


def test_a_card_leads_to_its_probe_and_back_and_to_the_record(page: Any, base: str) -> None:
    page.goto(f"{base}throughput/step/")
    card = page.locator("#attention-time")
    assert "2026-11-29 on A <fast> CPU, 2 cores, commit 0123456" in card.inner_text()
    card.get_by_role("link", name="probes/step.py").click()
    page.wait_for_url("**/probes/step/")
    assert page.get_by_role("heading", name="Running it").is_visible()
    assert page.locator(".st-doc").get_by_text("How long attention takes").is_visible()
    code = page.locator("#L1")
    assert not code.is_visible()
    page.locator("summary", has_text="probes/step.py").click()
    assert "#!/usr/bin/env python3" in code.inner_text()
    page.get_by_role("link", name="attention-time").first.click()
    page.wait_for_url("**/throughput/step/#attention-time")
    page.locator("#attention-time").get_by_role("link", name="2026-11-29").click()
    page.wait_for_url("**/evidence/step.csv/#record")
    assert page.get_by_role("heading", name="How it was measured").is_visible()
    assert page.locator(".st-facts-table").get_by_text(probe_project.COMMIT).is_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the record as it is").click()
    assert download.value.suggested_filename == "step.csv.provenance.json"


def test_the_fold_opens_on_the_block_and_its_readings(page: Any, base: str) -> None:
    page.goto(f"{base}throughput/step/")
    card = page.locator("#step-time")
    assert not card.locator("pre").is_visible()
    card.locator("summary").click()
    assert card.locator("pre").is_visible()
    assert "9,310.2" in card.locator("table").inner_text()


@pytest.mark.parametrize("width", [1400, 390])
def test_no_page_is_wider_than_its_window(page: Any, base: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for address in PAGES:
        page.goto(base + address)
        page.wait_for_timeout(150)
        sizes = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert sizes[0] <= sizes[1], address


def test_the_filters_narrow_the_index_and_are_kept_in_its_address(page: Any, base: str) -> None:
    page.goto(f"{base}claims/")
    rows = page.locator(".st-index tbody tr:visible")
    assert rows.count() == 8
    page.get_by_label("Verdict").select_option("reported")
    assert rows.count() == 1
    assert page.url.endswith("?verdict=reported")
    page.reload()
    assert rows.count() == 1
    page.get_by_label("Verdict").select_option("")
    page.get_by_label("Tag").select_option("attention")
    assert rows.count() == 1
    page.get_by_label("Tag").select_option("")
    page.get_by_label("Chapter").select_option("throughput")
    assert rows.count() == 5
    page.get_by_label("Chapter").select_option("")
    page.locator(".st-filters input").fill("corpus")
    assert rows.count() == 2
    page.locator(".st-filters input").fill("nothing like it")
    assert rows.count() == 0
    assert page.locator(".st-none").is_visible()


def test_the_filters_take_the_cards_below_the_list_with_them(page: Any, base: str) -> None:
    page.goto(f"{base}claims/")
    cards = page.locator(".st-elsewhere .st-card")
    heading = page.get_by_role("heading", name="Claims without a card on any page")
    assert cards.count() == 1
    assert cards.is_visible()
    page.get_by_label("Verdict").select_option("reported")
    assert not cards.is_visible()
    assert not heading.is_visible()
    page.get_by_label("Verdict").select_option("holds")
    assert cards.is_visible()
    assert heading.is_visible()


_TOPS = "links => links.map(a => Array.from(a.getClientRects(), r => r.top))"
"""Where the parts of each link stand, the mark last."""


def test_neither_unit_nor_mark_is_parted_from_its_number(page: Any, base: str) -> None:
    page.goto(f"{base}numbers/")
    wrapped = 0
    for width in range(300, 420, 7):
        page.set_viewport_size({"width": width, "height": 900})
        short = page.locator("p:nth-of-type(1) .st-bound, td .st-bound").evaluate_all(_TOPS)
        assert len(short) == 21
        assert {len(set(tops)) for tops in short} == {1}, width
        long = page.locator("p:nth-of-type(2) .st-bound").evaluate_all(_TOPS)
        wrapped += sum(len(set(tops)) > 1 for tops in long)
        assert all(tops[-1] == tops[-2] for tops in long), width
    assert wrapped, "a long text wraps"


def test_marks_are_of_one_size_of_whole_pixels(page: Any, base: str) -> None:
    page.goto(f"{base}numbers/")
    size = "links => links.map(a => (s => s.maskSize + s.paddingLeft)(getComputedStyle(a, '::after')))"
    assert set(page.locator(".st-bound").evaluate_all(size)) == {"12px 12px14px"}


@pytest.mark.parametrize("address", ["claims/", "superseded/", "evidence/step.csv/", "probes/"])
def test_tables_fit_or_scroll_inside_themselves_with_a_shadow(page: Any, base: str, address: str) -> None:
    page.goto(base + address)
    box = page.locator(".st-table .md-typeset__scrollwrap").first
    sizes = (
        "e => [e.scrollWidth, e.clientWidth, getComputedStyle(e).backgroundImage.split('gradient').length]"
    )
    content, room, gradients = box.evaluate(sizes)
    assert content <= room
    assert gradients == 5
    page.set_viewport_size({"width": 300, "height": 900})
    content, room, _ = box.evaluate(sizes)
    assert content > room


def test_without_scripts_the_index_is_complete_and_shows_no_filters(browser: Any, base: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{base}claims/")
    assert page.locator(".st-index tbody tr").count() == 8
    assert page.locator(".st-index tbody tr").last.is_visible()
    assert not page.locator(".st-filters").is_visible()
    context.close()


_CONTRAST = """selector => {
  const known = {};
  const parse = colour => known[colour] ??= read(colour);
  const read = colour => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] + under[i] * (1 - top[3]));
  const grounds = new Map([[null, [255, 255, 255]]]);
  const ground = element => {
    if (!grounds.has(element)) {
      const own = parse(getComputedStyle(element).backgroundColor);
      grounds.set(element, over(own, ground(element.parentElement)));
    }
    return grounds.get(element);
  };
  const luminance = rgb => {
    const [r, g, b] = rgb.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return Array.from(document.querySelectorAll(selector)).filter(e => e.offsetParent).map(element => {
    const under = ground(element);
    const text = luminance(over(parse(getComputedStyle(element).color), under));
    const back = luminance(under);
    return [(Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05), element.className];
  });
}"""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_text_of_cards_and_lists_can_be_read_in_both_schemes(page: Any, base: str, scheme: str) -> None:
    selector = (
        ".st-verdict, .st-says, .st-value, .st-id, .st-tag, .st-facts dt, .st-facts dd, "
        ".st-card summary, .st-message, .st-hint, .st-bound, del, mark, .st-table th, .st-table td, "
        ".st-digest, .st-doc p, .st-said, .st-back, [class^=st-] a code, article h2"
    )
    for address in PAGES[1:]:
        page.goto(base + address)
        _scheme(page, scheme)
        found = page.evaluate(_CONTRAST, selector)
        assert found, address
        assert [item for item in found if item[0] < 4.5] == []
