"""On the site: claims that a file states, a card for each match, and the places that repeat a number."""

from __future__ import annotations

from pathlib import Path

import markdown
import pytest

import site_project
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.site.markdown_extension import StilltrueExtension
from stilltrue.site.session import Session
from stilltrue.site.view import Layout, View
from stilltrue.site.watch import watched

PAGE = """\
# Runs

Encoding took [145.5 s](claim:encode).

```claim
id: encode
says: "Encoding takes {value}."
stated_in: {file: runs/launch.sh, match: 'ENCODE_SECONDS=(\\S+)', unit: s}
evidence: claims/evidence/t.json
read: {path: $.t, unit: s}
copies: [{file: "runs/*.sh", match: 'about (.*) of encoding'}]
```

```claim
id: "share.{version}"
says: "v{version} wrote {value} of it."
stated_in: {file: ./HISTORY.txt, match: 'v(?P<version>\\S+) wrote (?P<value>\\d+%)'}
reported: {by: "A guess"}
```

```claim
retired
```

## Share 1.2
"""
FILES = {
    "docs/p.md": PAGE,
    "docs/HISTORY.txt": "v1.2 wrote 41%\nv1.1 wrote 33%\n",
    "runs/launch.sh": "# about 145 s of encoding\nENCODE_SECONDS=145.5\n",
    "runs/other.sh": "# about 2.4 min of encoding\n",
    "claims/evidence/t.json": '{"t": 145.49}',
    "claims/old.yml": "- id: retired\n  says: 'It is {value}.'\n"
    "  stated_in: {file: runs/launch.sh, match: 'about (.*) of'}\n  reported: {by: 'A guess'}\n",
    "stilltrue.toml": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def session(root: Path, source: str = "") -> Session:
    config = load(root)
    return Session(View(config, check(config), Layout({"docs/p.md": "p/"}, source=source)))


def rendered(shared: Session, text: str = PAGE) -> str:
    extension = StilltrueExtension()
    extension.use(shared)
    shared.turn_to("docs/p.md", "p/")
    return markdown.markdown(text, extensions=[extension, "toc", "pymdownx.superfences"])


def test_a_card_says_where_its_value_is_stated_and_repeated(root: Path) -> None:
    html = rendered(session(root))
    assert "<dt>Stated in</dt><dd><code>runs/launch.sh:2</code></dd>" in html
    assert "<dt>Also in</dt><dd><code>runs/launch.sh:1</code>, <code>runs/other.sh:1</code></dd>" in html
    assert "Encoding takes" in html
    assert "145.5 s</" in html.replace("&nbsp;", " ").replace("\u00a0", " ")


def test_its_places_lead_to_the_repository_where_the_site_says_where_that_is(root: Path) -> None:
    html = rendered(session(root, "https://example.org/repo/blob/main/"))
    assert 'href="https://example.org/repo/blob/main/runs/launch.sh#L2"' in html


def test_each_match_has_a_card_with_its_own_anchor(root: Path) -> None:
    shared = session(root)
    html = rendered(shared)
    assert not shared.unseen
    for name, says in (("share.1.2", "v1.2 wrote"), ("share.1.1", "v1.1 wrote"), ("retired", "It is")):
        assert html.count(f'id="{name}"') == 1
        assert html.count(f'<p class="st-says">{says}') == 1
    assert shared.view.homes["share.1.1"] == "p/#share.1.1"


def test_a_block_whose_file_is_gone_shows_what_is_wrong(root: Path) -> None:
    (root / "docs" / "HISTORY.txt").unlink()
    (root / "runs" / "launch.sh").unlink()
    shared = session(root)
    html = rendered(shared)
    assert not shared.unseen  # the check has reported it
    assert html.count('<span class="st-id">no-file</span>') == 3
    assert "share.{version}" in html


def test_a_served_site_watches_what_states_and_repeats(root: Path) -> None:
    config = load(root)
    assert "runs" in watched(config, check(config), "docs/")


def test_a_site_with_such_claims_builds_strictly(root: Path) -> None:
    (root / "mkdocs.yml").write_text(site_project.MKDOCS, encoding="utf-8")
    (root / "docs" / "index.md").write_text("# Home\n\nIn [41 %](claim:share.1.2).\n", encoding="utf-8")
    done = site_project.mkdocs(root, "build", "--strict")
    assert done.returncode == 0, done.stderr
    page = (root / "site" / "p" / "index.html").read_text(encoding="utf-8")
    assert page.count("Stated in") == 4
    assert '<div class="st-card st-reported" id="share.1.1">' in page
