"""A table of claims in a browser: its cards lie in a closed fold that opens for whoever is sent to one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import site_project
import test_site_tables as tables
from browser_support import chromium, served

pytestmark = pytest.mark.browser

CARD = "ce.naive.8192.peak"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a built site with a table, one cell of which is red."""
    root = tables.project(tmp_path_factory.mktemp("browser"), f"# T\n\n{tables.BLOCK}\n{tables.TABLE}")
    site_project.put(root, "mkdocs.yml", site_project.MKDOCS)
    site_project.put(root, "docs/index.md", f"# Home\n\nIt is [81.93 GiB](claim:{CARD}).\n")
    result = site_project.mkdocs(root, "build")
    assert "ce.o-brien.16.peak drifted" in result.stderr
    with served(root / "site") as address:
        yield address


@pytest.fixture(scope="module")
def browser(browser_path: Path) -> Iterator[Any]:
    with chromium(browser_path) as browser:
        yield browser


@pytest.mark.parametrize("width", [1400, 390])
def test_a_fold_opens_for_a_link_to_a_card_inside(base: str, browser: Any, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{base}table/")
    card = page.locator(f'[id="{CARD}"]')
    fold = page.locator("details.st-cells")
    mark = page.locator(f'td a[href="#{CARD}"]')
    assert not card.is_visible()
    assert page.locator('[id="ce.o-brien.16.peak"]').is_visible()
    mark.click()
    card.wait_for(state="visible")
    assert card.evaluate("card => card.getBoundingClientRect().top") < 900
    fold.evaluate("fold => { fold.open = false }")
    mark.click()  # to the same address once more
    card.wait_for(state="visible")
    page.goto(base)
    page.locator(f'a[href="table/#{CARD}"]').click()
    card.wait_for(state="visible")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert errors == []
    context.close()


def test_a_failing_cell_stands_out_in_both_schemes(base: str, browser: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{base}table/")
    for scheme in ("default", "slate"):
        page.evaluate("name => document.body.setAttribute('data-md-color-scheme', name)", scheme)
        page.wait_for_timeout(400)  # Material fades colours
        fill = "cell => getComputedStyle(cell).backgroundColor"
        assert page.locator("td.st-drifted").evaluate(fill) != page.locator("td").first.evaluate(fill)
        colour = "link => getComputedStyle(link).color"
        drifted = page.locator("td .st-bound.st-drifted").evaluate(colour)
        assert drifted != page.locator("td .st-bound.st-holds").first.evaluate(colour)
    context.close()
