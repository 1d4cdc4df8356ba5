"""Tables of claims that stand in other files than their block, through every command that knows claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edit_support import checked, project, told, updated
from recording_support import commit_all, git, stilltrue_in
from stilltrue.config import load
from stilltrue.model import Verdict
from stilltrue.site.watch import watched

README = """\
# Loss

| Loss | Peak |
|------|-----:|
| old  | 1    |

## Results

Measured on one card:
| Loss      | Length | Peak      | Time            | Log                    |
|-----------|-------:|----------:|-----------------|------------------------|
| naive     |  8,192 | **81.93** | 411–413 ms[^1]  | [log](logs/naive.txt)  |
| *chunked* |  8,192 |       9.4 | 430 ± 10 ms     | [log](logs/chunk.txt)  |
|           | 16,384 |       OOM | —               | [log](logs/long.txt)   |

[^1]: Of three runs.
"""

CLAIMS = """\
- id: ce
  says: "{Loss} loss over {Length} tokens takes {value}."
  table_in: {file: bench/README.md, after: '^## Results'}
  key: [Loss, Length]
  evidence: ./{Log}
  columns:
    Peak: {unit: GiB, read: {match: 'peak: (\\S+)', unit: GiB}}
    Time: {read: {match: 'took (\\S+ ms)'}}
  rows:
    chunked 16,384: {Log: logs/long-run.txt}
"""

LOGS = {
    "bench/logs/naive.txt": "peak: 81.93\ntook 411.2 ms\ntook 412 ms\ntook 413.4 ms\n",
    "bench/logs/chunk.txt": "peak: 9.4\ntook 420 ms\ntook 430 ms\ntook 440 ms\n",
    "bench/logs/long-run.txt": "peak: OOM\n",
}
FILES = {
    "stilltrue.toml": 'pages = ["**/*.md"]\n',
    "bench/README.md": README,
    "claims/bench.yml": CLAIMS,
    **LOGS,
}
HOLDS = {
    "ce.naive.8192.peak": ("81.93", 12),
    "ce.naive.8192.time": ("411–413 ms", 12),
    "ce.chunked.8192.peak": ("9.4", 13),
    "ce.chunked.8192.time": ("430 ± 10 ms", 13),
    "ce.chunked.16384.peak": ("OOM", 14),
}

HTML = """\
<html><body>
<table><tr><th>x</table>
<h2>Results</h2>
<table>
<thead>
<tr><th rowspan="2">Loss</th><th colspan="2">Time</th></tr>
<tr><th>Mean</th><th>Max</th></tr>
</thead>
<tr>
  <td>naive</td>
  <td><b>1.5</b></td>
  <td> 2.5<sup>1</sup> </td>
</tr>
</table>
"""
HTML_CLAIMS = """\
- id: ce
  says: "{Loss} takes {value}."
  table_in: {file: site/r.html, after: 'Results'}
  key: Loss
  evidence: e.json
  columns:
    Time Mean: {unit: s, read: {path: "$.{Loss}.mean", unit: s}}
    Time Max: {unit: s, read: {path: "$.{Loss}.max", unit: s}}
"""
HTML_FILES = {
    "site/r.html": HTML,
    "claims/r.yml": HTML_CLAIMS,
    "e.json": '{"naive": {"mean": 1.5, "max": 2.61}}',
}


def problems(root: Path) -> list[tuple[str, str, str]]:
    return [(each.code, str(each.place), each.message) for each in checked(root).problems]


def changed(path: str, *pairs: tuple[str, str]) -> dict[str, str]:
    """The files with some texts of one exchanged."""
    text = FILES[path]
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return {**FILES, path: text}


# Check -------------------------------------------------------------------------------------------------


def test_each_cell_is_a_claim_that_is_stated_where_the_table_stands(tmp_path: Path) -> None:
    report = checked(project(tmp_path, FILES))
    assert report.problems == ()
    claims = {each.claim.id: each for each in report.judgements}
    assert {name: (each.claim.stated.text, each.claim.place.line) for name, each in claims.items()} == HOLDS
    assert {each.verdict for each in claims.values()} == {Verdict.HOLDS}
    assert {str(each.claim.block) for each in claims.values()} == {"claims/bench.yml:1"}
    assert {each.claim.place.path for each in claims.values()} == {"bench/README.md"}


def test_an_html_table_is_bound_likewise(tmp_path: Path) -> None:
    report = checked(project(tmp_path, HTML_FILES))
    assert report.problems == ()
    found = {each.claim.id: (each.verdict.value, each.claim.place.line) for each in report.judgements}
    assert found == {"ce.naive.time-mean": ("holds", 11), "ce.naive.time-max": ("drifted", 12)}


def test_without_after_it_is_the_first_table(tmp_path: Path) -> None:
    files = changed("claims/bench.yml", (", after: '^## Results'", ""))
    (found,) = problems(project(tmp_path, files))
    assert found[:2] == ("unknown-column", "claims/bench.yml:4")
    assert "no column of the table at bench/README.md:3" in found[2]


@pytest.mark.parametrize(
    "after", ["'^\\| Loss +\\| Length'", "'^\\| naive'", "'(?s).*## Results'", "'16,384'"]
)
def test_a_match_inside_a_table_means_that_table(tmp_path: Path, after: str) -> None:
    files = changed("claims/bench.yml", ("'^## Results'", after))
    assert len(checked(project(tmp_path, files)).judgements) == len(HOLDS)


def test_several_runs_make_one_reading(tmp_path: Path) -> None:
    files = {
        "README.md": "| Run | Loss |\n|---|---|\n| 1 | 2.5 |\n| mean | 2.0 |\n",
        "claims/a.yml": (
            '- id: run\n  says: "Run {Run} ended at {value}."\n  table_in: {file: README.md}\n'
            "  key: Run\n  evidence: runs/{Run}.log\n"
            "  columns: {Loss: {read: {match: 'loss=(\\S+)', take: last}}}\n"
            "  rows:\n    mean: {Run: '*', take: [last, mean of 2]}\n"
        ),
        "runs/1.log": "loss=9\nloss=2.5\n",
        "runs/2.log": "loss=8\nloss=1.5\n",
    }
    report = checked(project(tmp_path, files))
    assert report.problems == ()
    assert [each.verdict for each in report.judgements] == [Verdict.HOLDS] * 2


@pytest.mark.parametrize(
    ("file", "pairs", "code", "place", "says"),
    [
        (
            "claims/bench.yml",
            [("'^## Results'", "'^## Result$'")],
            "no-table-in",
            "claims/bench.yml:3",
            "matches nothing",
        ),
        (
            "claims/bench.yml",
            [("'^## Results'", "'Of three'")],
            "no-table-in",
            "claims/bench.yml:3",
            "no table follows line 16",
        ),
        ("claims/bench.yml", [("'^## Results'", "'(a'")], "bad-pattern", "claims/bench.yml:3", "RE2 refuses"),
        (
            "claims/bench.yml",
            [("README.md,", "READ.md,")],
            "no-file",
            "claims/bench.yml:3",
            "there is no file",
        ),
        (
            "claims/bench.yml",
            [("bench/README.md", "bench/logs/naive.txt")],
            "no-table-in",
            "claims/bench.yml:3",
            "not looked for",
        ),
        (
            "claims/bench.yml",
            [("bench/README.md", "bench/*.md")],
            "bad-path",
            "claims/bench.yml:3",
            "is a glob",
        ),
        ("claims/bench.yml", [("bench/README.md", "../README.md")], "bad-path", "claims/bench.yml:3", ""),
        (
            "claims/bench.yml",
            [("{file: bench/README.md, after", "{files: bench/README.md, after")],
            "unknown-key",
            "claims/bench.yml:3",
            "`files`",
        ),
        (
            "claims/bench.yml",
            [("    Time: {", "    Tme: {")],
            "unknown-column",
            "claims/bench.yml:8",
            "no column of the table at bench/README.md:10",
        ),
        (
            "claims/bench.yml",
            [("chunked 16,384:", "chunked 1:")],
            "unknown-row",
            "claims/bench.yml:10",
            "no row has that key",
        ),
        ("claims/bench.yml", [("Log: logs", "Lgo: logs")], "unknown-column", "claims/bench.yml:10", "`Lgo`"),
        ("bench/README.md", [("       9.4 ", "  9.4 GiBx ")], "bad-value", "bench/README.md:13", ""),
        (
            "bench/README.md",
            [("| naive ", "| —     ")],
            "bad-id",
            "bench/README.md:12",
            "gives no part of an id",
        ),
        (
            "bench/README.md",
            [("| 16,384 ", "|  8,192 "), ("OOM", "7.1")],
            "unknown-row",
            "claims/bench.yml:10",
            "",
        ),
        (
            "bench/README.md",
            [("| *chunked* |", "| `a|b`     |")],
            "no-table-in",
            "claims/bench.yml:3",
            "viewers of Markdown differ",
        ),
        (
            "bench/README.md",
            [("logs/chunk.txt", "../a.txt   ")],
            "bad-placeholder",
            "bench/README.md:13",
            "leads up by `..`",
        ),
        (
            "bench/README.md",
            [("logs/chunk.txt", "//e.org/a.txt ")],
            "bad-placeholder",
            "bench/README.md:13",
            "is an address: `//e.org/a.txt`",
        ),
        (
            "bench/README.md",
            [("logs/chunk.txt", "/logs/a.txt   ")],
            "bad-placeholder",
            "bench/README.md:13",
            "begins with `/`",
        ),
        (
            "bench/README.md",
            [("logs/chunk.txt", "#results      ")],
            "bad-placeholder",
            "bench/README.md:13",
            "to a place on the page",
        ),
        (
            "bench/README.md",
            [("[log](logs/chunk.txt)", "—                    ")],
            "bad-placeholder",
            "bench/README.md:13",
            "the cell `—` of `Log` names no file",
        ),
    ],
)
def test_what_is_wrong_is_told_where_it_can_be_mended(
    tmp_path: Path, file: str, pairs: list[tuple[str, str]], code: str, place: str, says: str
) -> None:
    root = project(tmp_path, changed(file, *pairs))
    found = problems(root)
    assert found
    for each in found:
        assert each[:2] == (code, place)
        assert says in each[2]
    assert stilltrue_in(root, "check").code == 1


LINKS = [
    "https://example.org/you/it/blob/main/bench/logs/chunk.txt",
    "HTTPS://example.org/chunk.txt",
    "../bench/logs/chunk.txt",
    "/bench/logs/chunk.txt",
    "logs%2f..%2flogs/chunk.txt",
]


@pytest.mark.parametrize("link", LINKS)
def test_a_link_that_cannot_name_evidence_is_told_once_for_its_row(tmp_path: Path, link: str) -> None:
    root = project(tmp_path, changed("bench/README.md", ("logs/chunk.txt", link)))
    (problem,) = checked(root).problems
    assert (str(problem.place), problem.about) == (
        "bench/README.md:13",
        ("ce.chunked.8192.peak", "ce.chunked.8192.time"),
    )
    assert problem.hint.endswith("name the file of this row under `rows`: `{Log: path/to/file}`")


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("named", ["logs/chunk.txt", "../bench/logs/chunk.txt", "logs/chu*.txt"])
def test_its_row_may_name_the_file_instead(tmp_path: Path, link: str, named: str) -> None:
    files = changed("bench/README.md", ("logs/chunk.txt", link))
    files["claims/bench.yml"] += f"    chunked 8,192: {{Log: '{named}'}}\n"
    report = checked(project(tmp_path, files))
    assert report.problems == ()
    assert {each.verdict for each in report.judgements} == {Verdict.HOLDS}


@pytest.mark.parametrize(
    "link", ["./logs/chunk.txt", "logs/chunk.txt#L2", "logs/chunk.txt?raw=true", "logs/ch%75nk.txt"]
)
def test_what_only_viewers_need_of_a_link_is_no_part_of_the_path(tmp_path: Path, link: str) -> None:
    report = checked(project(tmp_path, changed("bench/README.md", ("logs/chunk.txt", link))))
    assert report.problems == ()
    assert {each.verdict for each in report.judgements} == {Verdict.HOLDS}


def test_two_cells_with_one_id_are_told_in_the_table(tmp_path: Path) -> None:
    files = changed("bench/README.md", ("| 16,384 ", "|  8,192 "), ("OOM", "7.1"))
    files["claims/bench.yml"] = CLAIMS.partition("  rows:")[0]
    assert [each[:2] for each in problems(project(tmp_path, files))] == [
        ("duplicate-id", "bench/README.md:14")
    ]


def test_what_names_a_cell_that_cannot_be_read_is_not_told_again(tmp_path: Path) -> None:
    for wrong in ({"after": "'nowhere'"}, {"unknown": "1"}):
        files = changed("claims/bench.yml", ("'^## Results'", wrong.get("after", "'^## Results', x: 1")))
        files["docs.md"] = "It takes [81.93 GiB](claim:ce.naive.8192.peak).\n"
        root = project(tmp_path / "-".join(wrong), files)
        assert len(problems(root)) == 1


def test_a_table_is_refused_beside_a_claim_of_its_id(tmp_path: Path) -> None:
    other = '- id: ce\n  says: "{value}"\n  value: 5\n  reported: {by: me}\n'
    found = problems(project(tmp_path, {**FILES, "claims/other.yml": other}))
    assert [each[0] for each in found] == ["duplicate-id"]


def test_a_link_and_a_derived_claim_rest_on_a_cell(tmp_path: Path) -> None:
    page = (
        "The naive loss takes [82 GiB](claim:ce.naive.8192.peak).\n\n```claim\nid: ratio\n"
        'says: "That is {value} as much."\nvalue: 8.7×\n'
        'derive: "{ce.naive.8192.peak} / {ce.chunked.8192.peak}"\n```\n\n'
        "```claim\nce.chunked.8192.peak\n```\n"
    )
    report = checked(project(tmp_path, {**FILES, "page.md": page}))
    assert report.problems == ()
    assert {each.verdict for each in report.judgements} == {Verdict.HOLDS}
    assert [bound.agrees for bound in report.links] == [True]
    assert [embed.id for embed in report.embeds] == ["ce.chunked.8192.peak"]


def test_a_table_that_a_page_binds_too_is_bound_twice_under_two_ids(tmp_path: Path) -> None:
    block = CLAIMS.replace("- id: ce", "id: own").replace("\n  ", "\n")
    block = "".join(line for line in block.splitlines(keepends=True) if "table_in" not in line)
    readme = README.replace("Measured on one card:", f"```claims\n{block}```\n")
    report = checked(project(tmp_path, {**FILES, "bench/README.md": readme}))
    assert report.problems == ()
    assert len(report.judgements) == 2 * len(HOLDS)


# Other commands ----------------------------------------------------------------------------------------


def test_the_report_says_where_it_is_stated_and_where_it_is_written(tmp_path: Path) -> None:
    root = project(tmp_path, changed("bench/README.md", ("81.93", "81.90")))
    done = stilltrue_in(root, "check", "--format", "json")
    (claim,) = (each for each in json.loads(done.out)["claims"] if each["verdict"] != "holds")
    assert (claim["path"], claim["line"]) == ("bench/README.md", 12)
    assert claim["block"] == {"path": "claims/bench.yml", "line": 1}
    assert claim["message"].startswith("the file says `81.90`")
    shown = stilltrue_in(root, "show", "ce.naive.8192.peak").out
    assert "bench/README.md:12" in shown
    assert "claims/bench.yml:7" in shown or "claims/bench.yml:1" in shown


def test_a_change_to_the_file_is_seen_by_a_check_that_remembers(tmp_path: Path) -> None:
    root = project(tmp_path, FILES)
    assert stilltrue_in(root, "check").code == 0
    assert stilltrue_in(root, "check").code == 0
    readme = root / "bench/README.md"
    readme.write_text(README.replace("81.93", "81.95"), encoding="utf-8")
    assert "ce.naive.8192.peak drifted" in stilltrue_in(root, "check").out


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("bench/README.md", "Measured", "Taken", list(HOLDS)),
        ("claims/bench.yml", "loss over", "loss at", list(HOLDS)),
        ("bench/logs/chunk.txt", "9.4", "9.41", ["ce.chunked.8192.peak", "ce.chunked.8192.time"]),
        ("other.md", "Other", "Others", []),
    ],
)
def test_only_what_rests_on_a_change_is_told(
    tmp_path: Path, path: str, old: str, new: str, expected: list[str]
) -> None:
    root = project(tmp_path, {**FILES, "other.md": "Other\n"})
    git(root, "init", "-q", "-b", "main")
    commit_all(root)
    text = (root / path).read_text(encoding="utf-8")
    (root / path).write_text(text.replace(old, new), encoding="utf-8")
    done = stilltrue_in(root, "check", "--changed-since", "HEAD", "--format", "json")
    assert sorted(each["id"] for each in json.loads(done.out)["claims"]) == sorted(expected)


def test_a_table_that_went_is_told_where_only_its_file_changed(tmp_path: Path) -> None:
    root = project(tmp_path, FILES)
    git(root, "init", "-q", "-b", "main")
    commit_all(root)
    (root / "bench/README.md").write_text("# Loss\n", encoding="utf-8")
    done = stilltrue_in(root, "check", "--changed-since", "HEAD")
    assert done.code == 1
    assert "no-table-in" in done.out


def test_its_cells_and_their_keys_are_covered(tmp_path: Path) -> None:
    html = "\n<table><tr><th>Card<th>Power<tr><td>8 x<td>300 W</table>\n"
    claims = (
        '- id: power\n  says: "{value}"\n  table_in: {file: bench/README.md, after: <table>}\n  key: Card\n'
        "  evidence: p.txt\n  columns: {Power: {read: {match: '\\d+ W'}}}\n"
    )
    files = {**FILES, "bench/README.md": README + html, "claims/p.yml": claims, "p.txt": "300 W"}
    root = project(tmp_path, files)
    assert stilltrue_in(root, "check").code == 0
    done = stilltrue_in(root, "coverage", "bench/README.md", "--format", "json")
    (page,) = json.loads(done.out)["pages"]
    assert {each["text"] for each in page["unbound"]} == {"1"}  # that of the first table


def test_every_cell_could_fail(tmp_path: Path) -> None:
    done = stilltrue_in(project(tmp_path, FILES), "mutate")
    assert "no survivor" in done.out, done.out


def test_a_superseded_value_may_stand_in_a_bound_cell_and_nowhere_else_in_its_row(tmp_path: Path) -> None:
    old = (
        '- id: old\n  says: "It took {value}."\n  value: 5.5 s\n  reported: {by: a log}\n'
        "  superseded: {on: 2026-01-01, because: it was another}\n"
        '- id: t\n  says: "{value}"\n  table_in: {file: r.html}\n  key: a\n  evidence: e.txt\n'
        "  columns: {b: {read: {match: '\\S+ s'}}}\n"
    )
    html = "<table><tr><th>a<th>b<th>c<tr><td>x<td>5.5 s<td>5.5 s</table>"
    root = project(tmp_path, {"claims/a.yml": old, "r.html": html, "e.txt": "5.5 s\n"})
    git(root, "init", "-q", "-b", "main")
    commit_all(root)
    found = [(each.code, each.place.path) for each in checked(root).problems]
    assert found == [("stale-copy", "r.html")]


def test_a_cell_is_superseded_by_hand(tmp_path: Path) -> None:
    done = stilltrue_in(project(tmp_path, FILES), "supersede", "ce.naive.8192.peak", "--because", "x")
    assert done.code == 2
    assert "is a cell of the table `ce`" in done.err


def test_a_served_site_sees_its_file_change(tmp_path: Path) -> None:
    root = project(tmp_path, {**FILES, **HTML_FILES, "claims/r.yml": HTML_CLAIMS.replace("id: ce", "id: h")})
    assert {"bench", "site"} <= watched(load(root), checked(root), "docs/").keys()


# Update ------------------------------------------------------------------------------------------------


def test_update_rewrites_the_cells_where_they_stand(tmp_path: Path) -> None:
    files = {
        **FILES,
        "bench/logs/naive.txt": "peak: 101.5\ntook 411.2 ms\ntook 412 ms\ntook 420.4 ms\n",
        "bench/logs/chunk.txt": "peak: 19.26\ntook 420 ms\ntook 430 ms\ntook 440 ms\n",
        "page.md": "[81.9 GiB](claim:ce.naive.8192.peak)\n",
    }
    root = project(tmp_path, files)
    outcome = updated(root)
    assert outcome.left == ()
    assert told(outcome) == [
        ("bench/README.md:12", "81.93", "101.50"),
        ("bench/README.md:12", "411–413 ms", "411–420 ms"),
        ("bench/README.md:13", "9.4", "19.3"),
        ("page.md:1", "81.9 GiB", "101.5 GiB"),
    ]
    rows = (root / "bench/README.md").read_text(encoding="utf-8").splitlines()[11:13]
    assert [row.split("|")[3:5] for row in rows] == [
        [" **101.50** ", " 411–420 ms[^1]  "],
        ["      19.3 ", " 430 ± 10 ms     "],
    ]
    assert stilltrue_in(root, "check").code == 0
    assert updated(root).changed == ()


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_update_rewrites_html_and_keeps_its_marks(tmp_path: Path, ending: str) -> None:
    text = "\ufeff" + HTML.replace("\n", ending)
    root = project(tmp_path, {**HTML_FILES, "site/r.html": text})
    assert told(updated(root)) == [("site/r.html:12", "2.5", "2.6")]
    assert (root / "site/r.html").read_bytes() == text.replace("2.5<sup>", "2.6<sup>").encode()


def test_update_leaves_a_cell_that_its_pattern_would_lose(tmp_path: Path) -> None:
    files = changed("claims/bench.yml", ("'^## Results'", "'81\\.93'"))
    files["bench/logs/naive.txt"] = LOGS["bench/logs/naive.txt"].replace("81.93", "82.11")
    root = project(tmp_path, files)
    outcome = updated(root)
    assert outcome.changed == ()
    assert [each.code for each in outcome.left] == ["update-unplaced"]
    assert (root / "bench/README.md").read_text(encoding="utf-8") == files["bench/README.md"]


def test_update_of_a_link_changes_no_cell_beside_it(tmp_path: Path) -> None:
    readme = README + "\nThat is [81.5 GiB](claim:ce.naive.8192.peak).\n"
    root = project(tmp_path, {**FILES, "bench/README.md": readme})
    assert told(updated(root)) == [("bench/README.md:18", "81.5 GiB", "81.9 GiB")]
    assert checked(root).problems == ()


def test_a_row_spanning_value_is_rewritten_once(tmp_path: Path) -> None:
    html = "<table><tr><th>a<th>b<tr><td>x<td rowspan=2>5 s<tr><td>y</table>"
    claims = (
        '- id: t\n  says: "{value}"\n  table_in: {file: r.html}\n  key: a\n  evidence: e.json\n'
        '  columns: {b: {read: {path: "$.{a}", unit: s}}}\n'
    )
    root = project(tmp_path, {"claims/a.yml": claims, "r.html": html, "e.json": '{"x": 6, "y": 6}'})
    assert updated(root).left == ()
    assert (root / "r.html").read_text(encoding="utf-8") == html.replace("5 s", "6 s")


RST = """\
Results
=======

+---------+----------+-------+
| Loss    |     Time | Note  |
+=========+==========+=======+
| naive   |  **1.5** | first |
+---------+----------+-------+
| chunked | 2.5 [1]_ |       |
+---------+----------+-------+

=======  =====  =======
Loss     Time   Max
=======  =====  =======
naive    1.5    **2.5**
=======  =====  =======
"""
RST_CLAIMS = """\
- id: grid
  says: "{Loss} takes {value}."
  table_in: {file: r.rst, after: '^Results'}
  key: Loss
  evidence: e.json
  columns: {Time: {unit: s, read: {path: "$.{Loss}", unit: s}}}
- id: simple
  says: "{Loss} takes {value}."
  table_in: {file: r.rst, after: '^=+  '}
  key: Loss
  evidence: e.json
  columns:
    Time: {unit: s, read: {path: "$.{Loss}", unit: s}}
    Max: {unit: s, read: {path: "$.max.{Loss}", unit: s}}
"""


def test_update_keeps_the_borders_of_restructured_text(tmp_path: Path) -> None:
    files = {"r.rst": RST, "claims/r.yml": RST_CLAIMS}
    files["e.json"] = '{"naive": 11.25, "chunked": 2.75, "max": {"naive": 123456.75}}'
    root = project(tmp_path, files)
    outcome = updated(root)
    assert outcome.left == ()
    assert len(outcome.changed) == 4
    expected = (
        RST.replace("|  **1.5** |", "| **11.2** |")
        .replace("| 2.5 [1]_ |", "| 2.8 [1]_ |")
        .replace("naive    1.5    **2.5**", "naive    11.2   **123,456.8**")
    )
    assert (root / "r.rst").read_text(encoding="utf-8") == expected
    assert stilltrue_in(root, "check").code == 0


def test_update_leaves_a_cell_that_has_no_room(tmp_path: Path) -> None:
    files = {"r.rst": RST, "claims/r.yml": RST_CLAIMS}
    files["e.json"] = '{"naive": 1.5, "chunked": 123456.75, "max": {"naive": 2.5}}'
    root = project(tmp_path, files)
    outcome = updated(root)
    assert [(each.claim, each.code) for each in outcome.left] == [("grid.chunked.time", "update-unplaced")]
    assert (root / "r.rst").read_text(encoding="utf-8") == RST
