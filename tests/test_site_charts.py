"""Charts on the built site: scales, drawings, what hostile text becomes, and a look in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import site_project
from browser_support import chromium, served
from stilltrue.site.chart_scale import linear, logarithmic
from stilltrue.site.chart_svg import number_text

EVIL = "<script>alert(1)</script> & \"quoted\" 'so'"
FENCE = "```"
ROWS = [
    {
        "n": 2**k,
        "a": 0.01 * k,
        "b": 0.3 - 0.03 * k,
        "name": f"{2**k:,}-{2 ** (k + 1) - 1:,}",
        "gib": 77.9 - k,
        "miss": (-1) ** k * 0.5,
        "curve": [{"x": 1 + 5 * at, "y": 0.3 - 0.001 * at} for at in range(120)],
    }
    for k in range(10)
]
SWEEP = f"""\
{FENCE}chart
title: A sweep
kind: line
evidence: claims/evidence/rows.json
x: {{label: bucket, scale: log, read: {{path: "$[*].n"}}}}
y: {{label: padding, unit: '%'}}
series:
  sorted first: {{path: "$[*].a"}}
  shuffled first: {{path: "$[*].b"}}
note: Smaller is better.
{FENCE}"""
PAGE = f"""\
# Charts

{SWEEP}

* In a list:

    {FENCE}chart
    title: Bars
    kind: bars
    evidence: claims/evidence/rows.json
    x: {{label: length, read: {{path: "$[*].name"}}}}
    y: {{label: share}}
    series: {{of all: {{path: "$[*].a"}}}}
    {FENCE}

{FENCE}chart
title: '{EVIL.replace("'", "''")}'
kind: points
evidence: claims/evidence/rows.json
x: {{label: '</svg><b>', read: {{path: "$[*].n"}}}}
y: {{label: '"><img src=x>', unit: '%'}}
series:
  '{EVIL.replace("'", "''")}': {{path: "$[*].a"}}
  other: {{path: "$[*].b"}}
note: '{EVIL.replace("'", "''")}'
{FENCE}

## Same again

{SWEEP}
"""


MORE = f"""\
# More charts

{FENCE}chart
title: From claims
kind: bars
x: {{label: run, names: [one, '</svg><b>two', three]}}
y: {{label: memory, unit: GiB}}
series:
  reported: {{claims: [quoted-peak, -, quoted-small]}}
  from evidence: {{path: "$[:3].gib", unit: GiB}}
limit: {{label: '{EVIL.replace("'", "''")}', claim: quoted-card}}
evidence: claims/evidence/rows.json
{FENCE}

{FENCE}chart
title: Points and a curve
kind: points
evidence: claims/evidence/rows.json
x: {{label: width, scale: log, read: {{path: "$[*].n"}}}}
y: {{label: time}}
series:
  measured: {{path: "$[*].b"}}
  fitted: {{path: "$[0].curve[*].y", as: line, x: {{path: "$[0].curve[*].x"}}}}
{FENCE}

{FENCE}chart
title: Residuals
kind: bars
evidence: claims/evidence/rows.json
x: {{label: width, read: {{path: "$[*].n"}}}}
y: {{label: miss}}
series: {{miss: {{path: "$[*].miss"}}}}
{FENCE}

{FENCE}chart
title: A line with gaps
kind: line
x: {{label: width, names: [1, 2, 3, 4]}}
y: {{label: memory, unit: GiB}}
series: {{reported: {{claims: [quoted-peak, -, quoted-small, quoted-card]}}}}
{FENCE}
"""
MANY = f"""\
# Many claims

{FENCE}chart
title: One line of four claims
kind: line
x: {{label: n, names: [1, 2, 3, 4]}}
y: {{label: s}}
series: {{a: {{claims: [q0, q1, q2, q3]}}}}
{FENCE}
"""


def quoted(**values: str) -> str:
    """Claims that only quote; `_` in a name is `-` in the id."""
    return "".join(
        f"- id: {name.replace('_', '-')}\n  says: 'It is {{value}}.'\n  value: {value}\n"
        "  reported: {by: someone}\n"
        for name, value in values.items()
    )


QUOTED = quoted(quoted_peak="81.93 GiB", quoted_small="65.66 GiB", quoted_card="95.6 GiB")


def project(root: Path) -> Path:
    site_project.write(root)
    site_project.put(root, "docs/charts.md", PAGE)
    site_project.put(root, "docs/more.md", MORE)
    site_project.put(root, "docs/many.md", MANY)
    site_project.put(root, "claims/quoted.yml", QUOTED)
    site_project.put(root, "claims/many.yml", quoted(**{f"q{at}": f"{at} s" for at in range(4)}))
    site_project.put(root, "claims/evidence/rows.json", json.dumps(ROWS, indent=1))
    return root


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = project(tmp_path_factory.mktemp("charts"))
    result = site_project.mkdocs(root, "build", "--strict")
    assert result.returncode == 0, result.stderr
    return root


@pytest.fixture(scope="module")
def html(built: Path) -> str:
    return site_project.page(built, "charts/")


def figures(html: str) -> list[str]:
    return re.findall(r'<figure class="st-chart">.*?</figure>', html, re.DOTALL)


def svgs(figure: str) -> list[ElementTree.Element]:
    """The drawings of a chart; they are well-formed XML."""
    found = re.findall(r'<svg class="st-plot.*?</svg>', figure, re.DOTALL)
    return [ElementTree.fromstring(svg) for svg in found]  # noqa: S314  # made by the build under test


NS = "{http://www.w3.org/2000/svg}"


# Scales ------------------------------------------------------------------------------------------------


def test_equal_steps_begin_and_end_at_ticks() -> None:
    scale = linear([Fraction(3), Fraction(97)], zero=True)
    assert [int(tick) for tick in scale.ticks] == [0, 20, 40, 60, 80, 100]
    assert (scale.at(Fraction(0)), scale.at(Fraction(25)), scale.at(Fraction(100))) == (0.0, 0.25, 1.0)
    assert [int(tick) for tick in linear([Fraction(95), Fraction(97)], zero=False).ticks][:2] == [95, 95]


def test_equal_ratios_write_the_numbers_themselves_where_they_are_few() -> None:
    scale = logarithmic([Fraction(2**k) for k in range(1, 10)], own=True)
    assert [int(tick) for tick in scale.ticks] == [2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert scale.at(Fraction(32)) == pytest.approx(0.5)
    many = logarithmic([Fraction(n) for n in range(1, 1000)], own=True)
    assert [int(tick) for tick in many.ticks] == [1, 10, 100]


numbers = st.lists(
    st.fractions(min_value=Fraction(1, 10**6), max_value=10**9, max_denominator=10**6),
    min_size=1,
    max_size=20,
)


@settings(max_examples=80, deadline=None)
@example([Fraction(1), 1 + Fraction(1, 10**30)], True, True)
@example([Fraction(1), 1 + Fraction(1, 10**150)], True, False)
@given(numbers, st.booleans(), st.booleans())
def test_every_number_lies_on_its_scale(values: list[Fraction], flag: bool, is_log: bool) -> None:
    scale = logarithmic(values, own=flag) if is_log else linear(values, zero=flag)
    assert all(-1e-9 <= scale.at(value) <= 1 + 1e-9 for value in values)
    assert all(-1e-9 <= scale.at(tick) <= 1 + 1e-9 for tick in scale.ticks)
    assert list(scale.ticks) == sorted(set(scale.ticks))
    assert 1 <= len(scale.ticks) <= 40


@pytest.mark.parametrize(
    ("number", "text"),
    [("0", "0"), ("0.3820924004", "0.38209"), ("1492", "1,492"), ("123456.7", "123,457"), ("-2.5", "-2.5"),
     ("1e-7", "1e-7"), ("99999.96", "100,000"), ("1e20", "1e20")],
)  # fmt: skip
def test_numbers_are_written_to_five_digits(number: str, text: str) -> None:
    assert number_text(Fraction(number)) == text


# The page ----------------------------------------------------------------------------------------------


def test_each_chart_is_drawn_wide_and_narrow_with_a_title_and_a_description(html: str) -> None:
    found = figures(html)
    assert len(found) == 4
    for figure in found:
        wide, narrow = svgs(figure)
        assert "st-wide" in wide.get("class", "")
        assert "st-narrow" in narrow.get("class", "")
        for svg in (wide, narrow):
            names = str(svg.get("aria-labelledby")).split()
            assert svg.get("role") == "img"
            assert [svg[0].get("id"), svg[1].get("id")] == names
            assert svg[0].text
            assert "table below" in str(svg[1].text)


def test_no_id_stands_twice(html: str) -> None:
    ids = re.findall(r'\sid="([^"]*)"', html)
    assert len(ids) == len(set(ids))


def test_points_stand_where_their_numbers_are(html: str) -> None:
    """The first series rises in equal steps over equal ratios: a straight line upwards."""
    line = svgs(figures(html)[0])[0].find(f"{NS}g/{NS}path[@class='st-line']")
    assert line is not None
    places = [tuple(map(float, pair.split())) for pair in str(line.get("d"))[1:].split("L")]
    assert len(places) == 10
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(places)]
    assert all(dx == pytest.approx(steps[0][0], abs=0.2) for dx, _ in steps)
    assert all(dy == pytest.approx(steps[0][1], abs=0.2) and dy < 0 for _, dy in steps)


def test_bars_stand_on_zero(html: str) -> None:
    bars = svgs(figures(html)[1])[0].findall(f".//{NS}rect")
    feet = {round(float(str(bar.get("y"))) + float(str(bar.get("height")))) for bar in bars}
    assert (len(bars), len(feet)) == (10, 1)


def test_lines_differ_by_more_than_colour(html: str) -> None:
    marks = svgs(figures(html)[0])[0].findall(f".//{NS}path[@class='st-mark']")
    shapes = {re.sub(r"^M\S+ \S+?(?=[a-z])", "", str(mark.get("d"))) for mark in marks}
    assert (len(marks), len(shapes)) == (20, 2)


def test_the_numbers_stand_in_a_table(html: str) -> None:
    table = figures(html)[0].partition("<table>")[2]
    assert re.findall(r'<th scope="col">(.*?)</th>', table) == [
        "bucket",
        "sorted first (%)",
        "shuffled first (%)",
    ]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td></tr>', table)
    assert rows[0] == ("1", "0", "30")
    assert rows[9] == ("512", "9", "3")


def test_a_chart_names_its_evidence_which_has_a_page(built: Path, html: str) -> None:
    assert 'href="../evidence/rows.json/"' in figures(html)[0]
    assert "claims/evidence/rows.json" in site_project.page(built, "evidence/rows.json/")


def test_hostile_text_stays_text(html: str) -> None:
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "<b>" not in figures(html)[2]
    assert len(svgs(figures(html)[2])) == 2


def test_the_search_finds_the_title_and_not_the_drawing(built: Path) -> None:
    index = json.loads(site_project.page(built, "search/search_index.json"))
    text = " ".join(doc["text"] for doc in index["docs"] if doc["location"].startswith("charts/"))
    assert "A sweep" in text
    assert "viewBox" not in text
    assert "sorted first" not in text


def test_nothing_is_loaded(html: str) -> None:
    figure = "".join(figures(html))
    assert "url(" not in figure
    assert not re.search(r"<(?:image|use|script|style|link|iframe|foreignObject)\b", figure)
    assert set(re.findall(r"https?://[^\"'\s<]+", figure)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("rows.json", "gone.json", "gone.json"),
        ('"$[*].b"', '"$[0].b"', "readings and `shuffled first` has 1"),
        ("kind: line", "kind: pie", "`pie` is no kind of chart"),
    ],
    ids=["no file", "another count", "no kind"],
)
def test_a_chart_that_cannot_be_drawn_fails_the_build_and_says_so_in_its_place(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    root = project(tmp_path)
    assert old in PAGE
    site_project.put(root, "docs/charts.md", PAGE.replace(old, new, 1))
    result = site_project.mkdocs(root, "build")
    assert result.returncode == 1
    assert "docs/charts.md:" in result.stderr
    assert says in result.stderr
    shown = site_project.page(root, "charts/")
    assert len(figures(shown)) == 3
    assert shown.count('class="st-card st-problem st-failing"') == 1


# More than evidence at the chart's places ------------------------------------------------------------


@pytest.fixture(scope="module")
def more(built: Path) -> str:
    return site_project.page(built, "more/")


def numbers_of(shape: ElementTree.Element, *names: str) -> list[float]:
    return [float(str(shape.get(name))) for name in names]


def test_a_bar_without_a_number_is_a_dash_and_no_bar(more: str) -> None:
    first, second = svgs(figures(more)[0])[0].findall(f"{NS}g")
    assert (len(first.findall(f"{NS}rect")), len(second.findall(f"{NS}rect"))) == (2, 3)
    (dash,) = first.findall(f"{NS}text[@class='st-none']")
    assert dash.text == "–"
    assert str(dash[0].text) == "reported: no number at </svg><b>two"
    left, right = (numbers_of(bar, "x")[0] for bar in first.findall(f"{NS}rect"))
    assert left < numbers_of(dash, "x")[0] < right


def test_a_limit_is_a_line_across_at_its_height(more: str) -> None:
    svg = svgs(figures(more)[0])[0]
    (limit,) = svg.findall(f"{NS}path[@class='st-limit']")
    height = float(str(limit.get("d")).split()[1].partition("H")[0])
    tops = [numbers_of(bar, "y")[0] for bar in svg.findall(f".//{NS}rect")]
    assert height < min(tops), "the card is larger than what was measured"
    assert str(limit[0].text) == f"{EVIL}: 95.6 GiB"
    assert f"{EVIL}: 95.6 GiB, marked from side to side" in str(svg[1].text)
    legend = figures(more)[0].partition('<p class="st-legend"')[2].partition("</p>")[0]
    assert legend.count("<span>") == 3
    assert escape(f"{EVIL}: 95.6 GiB") in legend


def test_a_chart_links_to_the_cards_of_its_claims_and_they_to_it(built: Path, more: str) -> None:
    source = figures(more)[0].partition('<p class="st-source">')[2].partition("</p>")[0]
    assert re.findall(r'href="([^"]*)"', source) == [
        "../evidence/rows.json/",
        *(f"../claims/#quoted-{name}" for name in ("peak", "small", "card")),
    ]
    index = site_project.page(built, "claims/")
    card = index[index.index('id="quoted-peak"') :].partition("</details>")[0]
    assert 'href="../more/"' in card


def test_the_numbers_of_a_chart_link_to_the_claims_that_they_are(more: str) -> None:
    table = figures(more)[3].partition("<table>")[2]
    assert re.findall(r'<td>(?:<a href="../claims/#(.*?)">)?(.*?)(?:</a>)?</td>', table) == [
        ("quoted-peak", "81.93"), ("", "–"), ("quoted-small", "65.66"), ("quoted-card", "95.6"),
    ]  # fmt: skip


def test_many_claims_are_counted_below_the_drawing(built: Path) -> None:
    (figure,) = figures(site_project.page(built, "many/"))
    assert "Drawn from 4 claims, to which its numbers lead</p>" in figure
    assert re.findall(r'<a href="../claims/#(q\d)">', figure) == ["q0", "q1", "q2", "q3"]


def test_a_curve_has_places_of_its_own_and_no_marks_beside_points(more: str) -> None:
    measured, fitted = svgs(figures(more)[1])[0].findall(f"{NS}g")
    assert (len(measured.findall(f"{NS}path")), measured.find(f"{NS}path[@class='st-line']")) == (10, None)
    (curve,) = fitted.findall(f"{NS}path")
    assert curve.get("class") == "st-line"
    places = [tuple(map(float, pair.split())) for pair in str(curve.get("d"))[1:].split("L")]
    assert len(places) == 120
    assert all(a[0] < b[0] for a, b in pairwise(places))
    heads = re.findall(r'<th scope="col">(.*?)</th>', figures(more)[1])
    assert heads == ["width", "measured", "width", "fitted"]
    ticks = [text.text for text in svgs(figures(more)[1])[0].findall(f"{NS}text[@text-anchor='middle']")]
    assert ticks[:3] == ["width", "1", "2"], "what is written along the bottom is the chart's own places"


def test_bars_below_zero_hang_from_it(more: str) -> None:
    svg = svgs(figures(more)[2])[0]
    bars = [numbers_of(bar, "y", "height") for bar in svg.findall(f".//{NS}rect")]
    (axis,) = [path for path in svg.findall(f"{NS}path[@class='st-axis']") if "H" in str(path.get("d"))]
    zero = float(str(axis.get("d")).split()[1].partition("H")[0])
    assert [round(y + height, 1) == zero for y, height in bars] == [True, False] * 5
    assert [round(y, 1) == zero for y, _ in bars] == [False, True] * 5
    assert [text.text for text in svg.findall(f"{NS}text")][:7:3] == ["-0.6", "0", "0.6"]


def test_a_line_is_parted_where_there_is_no_number(more: str) -> None:
    group = svgs(figures(more)[3])[0].find(f"{NS}g")
    assert group is not None
    line = group.find(f"{NS}path[@class='st-line']")
    assert line is not None
    assert (str(line.get("d")).count("M"), str(line.get("d")).count("L")) == (1, 1)
    assert len(group.findall(f"{NS}path[@class='st-mark']")) == 3
    assert "none at 2" in str(svgs(figures(more)[3])[0][1].text)


def test_hostile_names_of_places_and_limits_stay_text(more: str) -> None:
    assert "<script>alert" not in more
    assert "<b>" not in "".join(figures(more))
    assert [len(svgs(figure)) for figure in figures(more)] == [2, 2, 2, 2]


@pytest.mark.parametrize(
    ("old", "new", "says", "told"),
    [
        (
            "95.6 GiB\n",
            "95.6 GiB\n  superseded: {on: 2026-08-26, because: no}\n",
            "`quoted-card` is superseded",
            2,
        ),
        ("- id: quoted-card\n", "- id: quoted-card\n  colour: red\n", "unknown key `colour`", 1),
    ],
    ids=["superseded", "malformed"],
)
def test_a_chart_without_its_claim_says_so_in_its_place(
    tmp_path: Path, old: str, new: str, says: str, told: int
) -> None:
    root = project(tmp_path)
    assert old in QUOTED
    site_project.put(root, "claims/quoted.yml", QUOTED.replace(old, new))
    result = site_project.mkdocs(root, "build")
    assert result.returncode == 1
    assert result.stderr.count(says) == told
    shown = site_project.page(root, "more/")
    assert len(figures(shown)) == 2
    assert shown.count('class="st-card st-problem st-failing"') == 2


# In a browser ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def opened(built: Path, browser_path: Path) -> Iterator[Callable[[str], Any]]:
    """Opens a page of the site in a new window of one browser."""
    with served(built / "site") as address, chromium(browser_path) as browser:

        def window(name: str) -> Any:
            page = browser.new_page()
            page.goto(f"{address}{name}")
            return page

        yield window


SIZES = """() => [...document.querySelectorAll('.st-plot')].filter(e => e.checkVisibility()).map(svg => {
  const box = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')];
  return [box.left, box.right, Math.min(...texts.map(t => t.getBoundingClientRect().height)),
          Math.min(...texts.map(t => t.getBoundingClientRect().left)),
          Math.max(...texts.map(t => t.getBoundingClientRect().right)),
          getComputedStyle(texts[0]).fill, getComputedStyle(svg.querySelector('.st-s1 *')).stroke];
})"""


LIMITS = """() => [...document.querySelectorAll('path.st-limit')].filter(e => e.checkVisibility()).map(e =>
  [getComputedStyle(e).stroke, getComputedStyle(document.body).backgroundColor])"""


def fits(page: Any) -> set[tuple[Any, ...]]:
    """That every drawing lies in its window, wide or narrow, light or dark; the colours that were seen."""
    colours = set()
    for width in (1400, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("default", "slate"):
            page.evaluate("name => document.body.setAttribute('data-md-color-scheme', name)", scheme)
            page.wait_for_timeout(300)
            found = page.evaluate(SIZES)
            assert len(found) == 4, "one drawing of each chart, the wide or the narrow one"
            for left, right, height, text_left, text_right, *_ in found:
                assert 0 <= left < right <= width
                assert height >= 10
                assert text_left >= -1
                assert text_right <= width + 1
            colours.add((scheme, found[0][5], found[0][6]))
            sizes = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert sizes[0] <= sizes[1]
    return colours


@pytest.mark.browser
def test_a_chart_fits_its_window_and_follows_the_scheme(opened: Callable[[str], Any]) -> None:
    colours = fits(opened("charts/"))
    assert len(colours) == len({colour[1:] for colour in colours}) == 2


@pytest.mark.browser
def test_limits_curves_and_gaps_fit_their_window_too(opened: Callable[[str], Any]) -> None:
    page = opened("more/")
    fits(page)
    for scheme in ("default", "slate"):
        page.evaluate("name => document.body.setAttribute('data-md-color-scheme', name)", scheme)
        seen = page.evaluate(LIMITS)
        assert len(seen) == 2, "the line, wide or narrow, and its swatch"
        assert all(stroke not in ("none", background) for stroke, background in seen)
