"""Bad input through the command line: a clear message with its place, and nothing else is lost.

Every project here holds one good claim beside the bad thing. The good one must hold whatever happens.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

GOOD = """```claim
id: good
says: "The step takes {value}."
value: 5.2 ms
evidence: runs/good.txt
read: {match: '^time (.+)$'}
```

"""


@dataclass(frozen=True)
class Outcome:
    code: int
    report: dict[str, Any]
    text: str
    error: str

    def claim(self, name: str = "bad") -> dict[str, Any]:
        found: list[dict[str, Any]] = [claim for claim in self.report["claims"] if claim["id"] == name]
        return found[0]

    @property
    def problems(self) -> list[dict[str, Any]]:
        problems: list[dict[str, Any]] = self.report["problems"]
        return problems


def run(root: Path, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stilltrue", "check", *arguments],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )


def checked(root: Path, timeout: float = 60) -> Outcome:
    as_json, as_text = run(root, "--format", "json", timeout=timeout), run(root, timeout=timeout)
    assert as_json.returncode == as_text.returncode
    for done in (as_json, as_text):
        assert "Traceback" not in done.stderr + done.stdout
        assert "bug in stilltrue" not in done.stderr
    outcome = Outcome(as_json.returncode, json.loads(as_json.stdout), as_text.stdout, as_text.stderr)
    assert outcome.claim("good")["verdict"] == "holds"
    return outcome


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "stilltrue.toml").touch()
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "good.txt").write_text("time 5.2 ms\n", encoding="utf-8")
    return tmp_path


def page(root: Path, text: str) -> None:
    (root / "README.md").write_text(GOOD + text, encoding="utf-8")


def bad_claim(evidence: str, read: str, value: str = "5.2 ms") -> str:
    return (
        "```claim\nid: bad\n"
        f'says: "The step takes {{value}}."\nvalue: {value}\nevidence: {json.dumps(evidence)}\nread: {read}\n'
        "```\n"
    )


TEXT = "{match: '^time (.+)$'}"
TREE = "{path: $.time, unit: ms}"
COLUMN = "{column: time, unit: ms}"


def write(text: str | bytes) -> Callable[[Path], object]:
    data = text.encode() if isinstance(text, str) else text
    return lambda path: path.write_bytes(data)


EVIDENCE: dict[str, tuple[str, Callable[[Path], object], str, str]] = {
    "missing": ("bad.txt", lambda _path: None, TEXT, "no-file"),
    "empty": ("bad.txt", write(""), TEXT, "empty"),
    "utf-16": ("bad.txt", write("time 5.2 ms\n".encode("utf-16")), TEXT, "UTF-16"),
    "binary": ("bad.txt", write(bytes(range(256)) * 20), TEXT, ""),
    "not utf-8": ("bad.txt", write(b"time 5.2 ms\ncaf\xe9\n"), TEXT, "bad.txt"),
    "truncated json": ("bad.json", write('{"time": 5.2, "rest": [1, 2'), TREE, "bad.json"),
    "truncated json lines": (
        "bad.jsonl",
        write('{"time": 5.2}\n{"time": 5'),
        "{path: '$[0].time', unit: ms}",
        ":2",
    ),
    "truncated gzip": (
        "bad.json.gz",
        write(gzip.compress(b'{"time": 5.2}' * 50, mtime=0)[:-20]),
        TREE,
        "bad.json.gz",
    ),
    "another format under that name": ("bad.json", write("time,5.2\n1,2\n"), TREE, "bad.json"),
    "nested deep": ("bad.json", write("[" * 100_000 + "]" * 100_000), TREE, "bad.json"),
    "nested deep objects": ("bad.json", write('{"a":' * 100_000 + "1" + "}" * 100_000), TREE, "bad.json"),
    "nested deep yaml": ("bad.yaml", write("[" * 100_000 + "]" * 100_000), TREE, "bad.yaml"),
    "nested deep toml": ("bad.toml", write("time = " + "[" * 100_000 + "]" * 100_000), TREE, "bad.toml"),
    "yaml aliases": (
        "bad.yaml",
        write("a: &a [1]\n" + "".join(f"b{n}: [*a, *a]\n" for n in range(10_000))),
        TREE,
        "",
    ),
    "yaml bomb": (
        "bad.yaml",
        write(
            "a0: &a0 [1]\n"
            + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
            + "time: *a59\n"
        ),
        TREE,
        "bad.yaml",
    ),
    "a repeated json key": ("bad.json", write('{"time": 5.2, "time": 5.3}'), TREE, "time"),
    "nan": ("bad.json", write('{"time": NaN}'), TREE, "NaN"),
    "infinity": ("bad.json", write('{"time": -Infinity}'), TREE, "nfinity"),
    "nan in text": ("bad.txt", write("time nan ms\n"), TEXT, "aN"),
    "a number of 10,000 digits": ("bad.json", write('{"time": ' + "9" * 10_000 + "}"), TREE, "bad.json"),
    "a huge exponent": ("bad.json", write('{"time": 1e999999999}'), TREE, "bad.json"),
    "null": ("bad.json", write('{"time": null}'), TREE, "null"),
    "an object": ("bad.json", write('{"time": {"ms": 5.2}}'), TREE, "object"),
    "a path that matches nothing": ("bad.json", write('{"tine": 5.2}'), TREE, "tine"),
    "a path that matches several": (
        "bad.json",
        write('{"a": {"time": 1}, "b": {"time": 2}}'),
        "{path: $..time, unit: ms}",
        "2 readings",
    ),
    "a pattern that matches nothing": ("bad.txt", write("tine 5.2 ms\n"), TEXT, "matches"),
    "a pattern that matches several": ("bad.txt", write("time 5.2 ms\ntime 5.3 ms\n"), TEXT, "2 readings"),
    "a column that is not there": ("bad.csv", write("name,tine\na,5.2\n"), COLUMN, "tine"),
    "several rows": ("bad.csv", write("name,time\na,5.2\nb,5.3\n"), COLUMN, "2 readings"),
    "a header and no rows": ("bad.csv", write("name,time\n"), COLUMN, "rows"),
    "a ragged row": ("bad.csv", write("name,time\na,5.2,9\n"), COLUMN, ":2"),
    "a unit of another dimension": ("bad.txt", write("time 5.2 MiB\n"), TEXT, "MiB"),
    "a unit that contradicts": ("bad.txt", write("time 5.2 s\n"), "{match: '^time (.+)$', unit: ms}", "ms"),
    "a pattern that re2 refuses": ("bad.txt", write("time 5.2 ms\n"), "{match: '(?<=time )(.+)$'}", "RE2"),
    "a pattern that is none": ("bad.txt", write("time 5.2 ms\n"), "{match: '(((('}", "bad"),
    "a path that is none": ("bad.json", write('{"time": 5.2}'), "{path: '$.[', unit: ms}", "$.["),
}


@pytest.mark.parametrize("what", EVIDENCE)
def test_bad_evidence_breaks_its_claim_alone(what: str, root: Path) -> None:
    name, make, read, said = EVIDENCE[what]
    make(root / "runs" / name)
    page(root, bad_claim(f"runs/{name}", read))
    outcome = checked(root)
    claim = outcome.claim()
    assert outcome.code == 1
    assert claim["verdict"] == "broken"
    assert claim["found"] is None or "nan" in what or what in ("infinity", "a unit of another dimension")
    assert said.lower() in outcome.text.lower()
    assert claim["hint"]
    assert "README.md:12:" in outcome.text
    # The message is for a person: it does not repeat the bad input at length.
    assert len(claim["message"]) < 800


def test_crlf_evidence_is_read_as_any_other(root: Path) -> None:
    (root / "runs" / "bad.txt").write_bytes(b"other 1\r\ntime 5.2 ms\r\n")
    page(root, bad_claim("runs/bad.txt", TEXT))
    outcome = checked(root)
    assert outcome.claim()["verdict"] == "holds"
    assert outcome.claim()["readings"][0]["line"] == 2


def test_a_line_of_200_megabytes_is_read_or_refused_in_time(root: Path) -> None:
    with (root / "runs" / "bad.txt").open("wb") as file:
        for _ in range(200):
            file.write(b"x" * (1 << 20))
        file.write(b"\ntime 5.2 ms\n")
    page(root, bad_claim("runs/bad.txt", TEXT))
    outcome = checked(root, timeout=120)
    assert outcome.claim()["verdict"] == "holds"
    assert outcome.claim()["readings"][0]["line"] == 2


SQL = {
    "attaches": "{column: time, where: \"1; attach database 'other.db' as other\"}",
    "writes": '{column: time, where: "1); delete from evidence; --"}',
    "loads": "{column: \"load_extension('x')\"}",
    "reads a file": "{column: \"readfile('/etc/passwd')\"}",
    "asks for settings": '{column: "(select * from pragma_database_list)"}',
    "never ends": (
        '{column: time, where: "(select count(*) from evidence a, evidence b, evidence c, evidence d, '
        'evidence e, evidence f, evidence g) > 0"}'
    ),
    "grows": "{column: \"replace(hex(zeroblob(100000000)), '0', 'aaaaaaaaaa')\"}",
    "is no expression": '{column: "time from"}',
    "smuggles": '{column: time, where: "1) union select 5.2 from (select 1"}',
}


@pytest.mark.parametrize("what", SQL)
def test_sql_that_does_more_than_read_is_refused(what: str, root: Path) -> None:
    rows = "".join(f"r{n},{n}.5\n" for n in range(300))
    (root / "runs" / "bad.csv").write_text(f"name,time\n{rows}", encoding="utf-8")
    (root / "stilltrue.toml").write_text("limits = {seconds = 2}\n", encoding="utf-8")
    page(root, bad_claim("runs/bad.csv", SQL[what]))
    outcome = checked(root)
    assert outcome.claim()["verdict"] == "broken"
    assert outcome.claim()["hint"]
    assert not (root / "other.db").exists()


@pytest.mark.parametrize(
    "path",
    [
        "$[?match(@.name, '(a|a)*b')].time",
        "$[?search(@.name, '(a+)+$')].time",
        "$..[?@..[?@..[?@..time]]].time",
        "$..*..*..*..*..time",
    ],
)
def test_a_path_that_would_backtrack_comes_to_an_end(path: str, root: Path) -> None:
    rows = [{"name": "a" * 5000 + "!", "time": n, "in": [{"time": m} for m in range(30)]} for n in range(60)]
    (root / "runs" / "bad.json").write_text(json.dumps(rows), encoding="utf-8")
    (root / "stilltrue.toml").write_text("limits = {seconds = 2}\n", encoding="utf-8")
    page(root, bad_claim("runs/bad.json", "{path: " + json.dumps(path) + ", unit: ms}"))
    assert checked(root).claim()["verdict"] == "broken"


PATHS = [
    "../outside.txt",
    "/etc/hostname",
    "runs/../../outside.txt",
    "runs/device",
    "runs/outside",
    "runs",
    "~/x",
]


@pytest.mark.parametrize("path", PATHS)
def test_evidence_outside_the_repository_is_not_read(path: str, root: Path) -> None:
    (root.parent / "outside.txt").write_text("time 5.2 ms\n", encoding="utf-8")
    (root / "runs" / "device").symlink_to("/dev/zero")
    (root / "runs" / "outside").symlink_to(root.parent / "outside.txt")
    page(root, bad_claim(path, TEXT))
    outcome = checked(root)
    assert outcome.code == 1
    assert "[bad-path]" in outcome.text
    assert not any(claim["verdict"] == "holds" for claim in outcome.report["claims"] if claim["id"] == "bad")


BLOCKS = {
    "a repeated key": ("id: bad\nsays: x {value}\nvalue: 1 s\nvalue: 2 s\nreported: {by: me}", ":13:"),
    "a tab": ("id: bad\n\tsays: x {value}\nvalue: 1 s\nreported: {by: me}", ":11:"),
    "a cut sentence": ("id: bad\nsays: Issue #1 takes {value} #2\nvalue: 1 s\nreported: {by: me}", ":11:"),
    "a brace first": ("id: bad\nsays: {value} of it\nvalue: 1 s\nreported: {by: me}", ":11:"),
    "an unknown key": ("id: bad\nsays: x {value}\nvalue: 1 s\nreportd: {by: me}", "did you mean `reported`"),
    "a wrong type": ("id: bad\nsays: x {value}\nvalue: [1 s]\nreported: {by: me}", ":12:"),
    "an empty block": ("", ":9:"),
    "a list": ("- 1\n- 2", ":10:"),
    "nested deep": ("id: bad\nnote: " + "[" * 100_000, ":11:"),
    "anchors": ("id: &a bad\nsays: *a", ":10:"),
    "a million aliases": ("a: &a x\n" + "b: [" + "*a, " * 1_000_000 + "]", ""),
    "a later key": ("id: bad\nsays: x {value}\nstated_in: {file: a}\nreported: {by: me}", "stated_in"),
    "two documents": ("id: bad\n---\nid: bad", "README.md:1"),
    "a control character": ("id: bad\nsays: x\x07 {value}\nvalue: 1 s\nreported: {by: me}", ""),
    "no source": ("id: bad\nsays: x {value}\nvalue: 1 s", "README.md:"),
    "two sources": (
        'id: bad\nsays: x {value}\nvalue: 1 s\nreported: {by: me}\nderive: "{good}"',
        "README.md:",
    ),
    "an id of other letters": ("id: Bad Id\nsays: x {value}\nvalue: 1 s\nreported: {by: me}", ":10:"),
    "a typing error in a unit": ("id: bad\nsays: x {value}\nvalue: 5 secnds\nreported: {by: me}", ":12:"),
    "a script as url": (
        'id: bad\nsays: x {value}\nvalue: 1 s\nreported: {by: me, url: "javascript:x"}',
        ":13:",
    ),
}


@pytest.mark.parametrize("what", BLOCKS)
def test_a_bad_block_is_one_problem(what: str, root: Path) -> None:
    body, said = BLOCKS[what]
    page(root, f"```claim\n{body}\n```\n" if body else "```claim\n```\n")
    outcome = checked(root)
    assert outcome.code == 1
    assert len(outcome.problems) == 1, outcome.problems
    assert outcome.problems[0]["path"] == "README.md"
    assert outcome.problems[0]["line"] >= 9
    assert outcome.problems[0]["hint"]
    assert said in outcome.text
    assert len(outcome.text) < 2_000


def test_an_unclosed_fence_names_its_opening(root: Path) -> None:
    page(root, "text\n\n```claim\nid: bad\n")
    outcome = checked(root)
    assert "README.md:11:" in outcome.text
    assert outcome.problems[0]["code"] == "unclosed-fence"


def test_duplicate_ids_name_both_places(root: Path) -> None:
    page(root, GOOD)
    assert "README.md:9:" in checked(root).text
    assert "README.md:1" in checked(root).problems[0]["message"]


def test_a_link_to_an_unknown_id_says_which_was_meant(root: Path) -> None:
    page(root, "It takes [5.2 ms](claim:goood).\n")
    outcome = checked(root)
    assert "README.md:9:" in outcome.text
    assert "did you mean `good`?" in outcome.text


def test_a_page_that_is_not_utf8_loses_only_itself(root: Path) -> None:
    page(root, "")
    (root / "OTHER.md").write_bytes(b"# one\n\ncaf\xe9\n")
    outcome = checked(root)
    assert outcome.problems[0]["path"] == "OTHER.md"
    assert outcome.problems[0]["line"] == 3


HOSTILE = "<script>alert(1)</script> \x1b[31mred\x1b[0m \u202emirrored\u2066 \x07 \r::error::x"


def test_nothing_from_a_file_reaches_the_terminal_or_a_ci_runner(root: Path) -> None:
    (root / "runs" / "bad.txt").write_text(
        f"time {HOSTILE}\n::error file=x::boo\n##[error]boo\n", encoding="utf-8"
    )
    page(
        root,
        bad_claim(
            "runs/bad.txt", "{match: 'time (.*)'}", value=json.dumps(f"text {HOSTILE}", ensure_ascii=False)
        )
        + f"\n[::error::x {HOSTILE} 7 s](claim:good)\n",
    )
    done = run(root)
    assert done.returncode == 1
    for forbidden in ("\x1b", "\u202e", "\u2066", "\x07", "\r"):
        assert forbidden not in done.stdout
    assert not any(line.lstrip().startswith(("::", "##[")) for line in done.stdout.splitlines())
    shown = subprocess.run(
        [sys.executable, "-m", "stilltrue", "show", "good"], cwd=root, capture_output=True, check=False
    )
    assert b"\x1b" not in shown.stdout


def test_a_gzip_that_unpacks_to_more_than_the_limit_is_refused(root: Path) -> None:
    (root / "stilltrue.toml").write_text('limits = {bytes = "1 MiB"}\n', encoding="utf-8")
    (root / "runs" / "bad.txt.gz").write_bytes(gzip.compress(b"0" * (64 << 20), mtime=0))
    page(root, bad_claim("runs/bad.txt.gz", TEXT))
    assert "[too-large]" in checked(root).text


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else to try it"
)
def test_evidence_and_pages_that_may_not_be_read_are_named(root: Path) -> None:
    for folder in (root, *root.parents):
        if folder != Path("/") and folder.stat().st_uid == 0:
            folder.chmod(folder.stat().st_mode | 0o055)
    (root / "runs" / "bad.txt").write_text("time 5.2 ms\n", encoding="utf-8")
    (root / "SECRET.md").write_text("# x\n", encoding="utf-8")
    page(root, bad_claim("runs/bad.txt", TEXT))
    for path in (root / "runs" / "bad.txt", root / "SECRET.md"):
        path.chmod(0)
    # Everything is imported while the interpreter's own files can still be reached.
    code = (
        "import contextlib, io, os\n"
        "from stilltrue.cli.boundary import run\n"
        "with contextlib.redirect_stdout(io.StringIO()): run(['check', '--format', 'json', '--no-cache'])\n"
        "os.setuid(65534)\n"
        "raise SystemExit(run(['check', '--format', 'json', '--no-cache']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    verdicts = {claim["id"]: claim["verdict"] for claim in report["claims"]}
    assert verdicts == {"good": "holds", "bad": "broken"}
    assert [problem["code"] for problem in report["problems"]] == ["unreadable"]
    assert report["problems"][0]["path"] == "SECRET.md"
