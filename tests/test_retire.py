"""`supersede`: the key stands where it is read, nothing else moves, and what is left to do is said."""

from __future__ import annotations

import json
import random
import re
import shlex
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recording_support as support
from killing_support import Killer, killing
from recording_support import stilltrue_in
from stilltrue.check.gather import gather
from stilltrue.claims.superseding import superseded_entry
from stilltrue.config import load
from stilltrue.days import today
from stilltrue.model import Superseded
from stilltrue.retire import supersede
from stilltrue.transaction import recover, unfinished

PAGE = "docs/a.md"
NEW = '```claim\nid: new\nsays: "It takes {value}."\nvalue: 145.5 s\nreported: {by: us}\n```\n'
OLD = '```claim\nid: old\nsays: "It takes {value}."\nvalue: 4.3 h\nreported: {by: us}\n```\n'
SAID = ("supersede", "old", "--by", "new", "--because", "measured anew", "--on", "2026-03-01")
ENTRY = 'superseded: {by: new, on: 2026-03-01, because: "measured anew"}'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return support.write(tmp_path, {"stilltrue.toml": "", PAGE: f"# A\n\n{OLD}\n{NEW}"}).resolve()


def put(root: Path, text: str | bytes, path: str = PAGE) -> None:
    data = text.encode() if isinstance(text, str) else text
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data)


def superseded_in(root: Path, name: str = "old") -> Superseded | None:
    return gather(load(root)).claims[name].superseded


# Where the key goes -------------------------------------------------------------------------------------


def test_the_key_is_the_blocks_last_line_and_the_claim_is_superseded(root: Path) -> None:
    done = stilltrue_in(root, *SAID)
    assert (done.code, done.err) == (0, "")
    assert (root / PAGE).read_text() == f"# A\n\n{OLD.replace('us}', 'us}' + chr(10) + ENTRY)}\n{NEW}"
    assert superseded_in(root) == Superseded("measured anew", "2026-03-01", "new")
    assert done.out == (
        "docs/a.md:3: `old` is superseded by `new`, on 2026-03-01: measured anew\n"
        "  nothing else states it, as far as `stilltrue check` sees\n"
    )


def test_without_a_successor_it_is_withdrawn_today(root: Path) -> None:
    done = stilltrue_in(root, "supersede", "old", "--because", "another process")
    assert "`old` is withdrawn, on " in done.out
    assert superseded_in(root) == Superseded("another process", today())


LINES = ("id: old", "says: 'It takes {value}.'", "value: 4.3 h", "reported: {by: us}")
ONE = f"{{{', '.join(LINES)}}}"


def fenced(*lines: str, before: str = "", inside: str = "") -> str:
    """A block, with what stands before each of its lines, and what before each line inside it."""
    body = [f"{before}{inside}{line}" if line else "" for line in lines]
    return "\n".join([f"{before}```claim", *body, f"{before}```", ""])


PLACES = {
    "in a quote": (fenced(*LINES, before="> "), f"> reported: {{by: us}}\n> {ENTRY}\n> ```\n"),
    "in a list": (
        f"- item\n\n{fenced(*LINES, before='    ')}",
        f"    reported: {{by: us}}\n    {ENTRY}\n    ```\n",
    ),
    "in a box, indented by itself": (
        f"!!! note\n\n{fenced(*LINES, before='    ', inside='  ')}",
        f"      {ENTRY}\n    ```\n",
    ),
    "in braces": (fenced(ONE), f"reported: {{by: us}}, {ENTRY}}}\n"),
    "in braces over lines": (
        fenced("{", *(f"  {line}, # so" for line in LINES), "}"),
        f"  reported: {{by: us}}, {ENTRY}, # so\n}}\n",
    ),
    "with a long note at its end": (
        fenced(*LINES, "note: |", "  one", "", "  two", ""),
        f"  two\n{ENTRY}\n\n```\n",
    ),
    "with keys below each other": (
        fenced(*LINES[:-1], "reported:", "  by: us"),
        f"  by: us\n{ENTRY}\n```\n",
    ),
    "with a comment at its end": (fenced(*LINES, "# so it is"), f"# so it is\n{ENTRY}\n```\n"),
    "with quoted keys": (
        fenced('"id": old', "'says': 'It takes {value}.'", '"value": 4.3 h', '"reported": {by: us}'),
        f"{{by: us}}\n{ENTRY}\n```\n",
    ),
}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "BOM"])
@pytest.mark.parametrize("place", PLACES)
def test_every_other_byte_stays(root: Path, place: str, mark: str, ending: str) -> None:
    block, after = PLACES[place]
    before = f"{mark}# Ä\n\n{block}\ntext  \n\n{NEW}".replace("\n", ending).encode()
    put(root, before)
    done = stilltrue_in(root, *SAID)
    assert (done.code, done.err) == (0, "")
    now = (root / PAGE).read_bytes()
    assert after.replace("\n", ending).encode() in now
    lines = [line for line in now.decode().split(ending) if line.strip("> ") != ENTRY]
    assert ending.join(lines).replace(f", {ENTRY}", "").encode() == before
    assert superseded_in(root) is not None


def item(lead: str, margin: str) -> str:
    return lead + f"\n{margin}".join(LINES)


ITEMS = {
    "an item": f"{item('- ', '  ')}\n",
    "an item without an end": item("- ", "  "),
    "an item below its dash": f"-\n  {item('', '  ')}\n",
    "an indented item": f"{item('  -   ', '      ')}\n",
    "an item in braces": f"- {ONE}\n",
    "a comment below": f"{item('- ', '  ')}\n\n# the next one\n",
}


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("what", ITEMS)
def test_a_claim_of_a_claims_file_is_superseded_there(root: Path, what: str, ending: str) -> None:
    put(root, NEW)
    before = ITEMS[what].replace("\n", ending).encode()
    put(root, before, "claims/a.yml")
    done = stilltrue_in(root, *SAID)
    assert (done.code, done.err) == (0, "")
    now = (root / "claims/a.yml").read_bytes().decode()
    assert superseded_in(root) is not None
    kept = now.replace(f", {ENTRY}", "")
    lines = [line for line in kept.split(ending) if line.strip() != ENTRY]
    assert ending.join(lines).encode() == before


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    because=st.text(
        st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=40
    ).filter(lambda text: text.strip())
)
def test_any_reason_is_read_back_as_it_was_given(root: Path, because: str) -> None:
    put(root, f"# A\n\n{OLD}\n{NEW}")
    retired = supersede(load(root), "old", by="new", because=because, on="2026-03-01")
    assert retired.superseded.because == " ".join(because.split())
    assert superseded_in(root) == retired.superseded


def test_a_reason_with_a_sign_that_no_editor_shows_is_refused(root: Path) -> None:
    with support.unchanged(root):
        done = stilltrue_in(root, "supersede", "old", "--because", "a\x07b")
    assert (done.code, done.out) == (2, "")
    assert "a character that no editor shows" in done.err


def test_a_file_keeps_its_mode(root: Path) -> None:
    (root / PAGE).chmod(0o640)
    assert stilltrue_in(root, *SAID).code == 0
    assert (root / PAGE).stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_placed_is_refused_with_the_line_to_write(root: Path) -> None:
    put(root, f"{OLD.replace('reported', '...' + chr(10) + 'reported')}\n{NEW}")
    with support.unchanged(root):
        done = stilltrue_in(root, *SAID)
    assert done.code == 2
    assert "[not-superseded]" in done.err
    put(root, f"{OLD.replace(chr(10) + '```' + chr(10), chr(10) + '...' + chr(10) + '```' + chr(10))}\n{NEW}")
    with support.unchanged(root):
        done = stilltrue_in(root, *SAID)
    assert done.code == 2
    assert f"write it into the block yourself: `{ENTRY}` [unplaced]" in done.err


def test_a_list_in_brackets_is_refused_too(root: Path) -> None:
    put(root, NEW)
    put(root, f"[{ONE}]\n", "claims/a.yml")
    with support.unchanged(root):
        done = stilltrue_in(root, *SAID)
    assert "[unplaced]" in done.err


def test_the_entry_is_what_the_documentation_shows() -> None:
    assert superseded_entry("", "2026-03-01", 'a "b"') == "superseded: {on: 2026-03-01, because: 'a \"b\"'}"


# What is refused ----------------------------------------------------------------------------------------

MORE = '```claim\nid: {name}\nsays: "It takes {{value}}."\nvalue: 1 h\nreported: {{by: us}}\n{more}```\n'

REFUSED: dict[str, tuple[str, tuple[str, ...], str]] = {
    "an unknown claim": ("", ("odl",), "did you mean `old`?"),
    "an unknown successor": ("", ("old", "--by", "nwe"), "did you mean `new`?"),
    "itself": ("", ("old", "--by", "old"), "`old` cannot supersede itself"),
    "twice": (
        MORE.format(name="gone", more="superseded: {by: new, on: 2026-01-01, because: x}\n"),
        ("gone",),
        "`gone` is superseded already by `new`, since 2026-01-01",
    ),
    "by what fell itself": (
        MORE.format(name="gone", more="superseded: {by: new, on: 2026-01-01, because: x}\n"),
        ("old", "--by", "gone"),
        "name what stands now: `--by new`",
    ),
    "in a circle": (
        MORE.format(name="gone", more="superseded: {by: old, on: 2026-01-01, because: x}\n"),
        ("old", "--by", "gone"),
        "name a claim that stands",
    ),
    "a malformed one": ("```claim\nid: bad\nvalue: 3\n```\n", ("bad",), "the block of `bad` cannot be read"),
    "a malformed successor": ("```claim\nid: bad\nvalue: 3\n```\n", ("old", "--by", "bad"), "cannot be read"),
    "a day that is none": ("", ("old", "--on", "2026-02-30"), "`2026-02-30` is no day"),
    "a day to come": ("", ("old", "--on", "2999-01-01"), "lies in the future"),
    "no reason": ("", ("old", "--because", " "), "the reason is empty"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_superseded_is_refused_and_nothing_written(root: Path, what: str) -> None:
    more, arguments, words = REFUSED[what]
    put(root, f"{OLD}\n{NEW}\n{more}")
    with support.unchanged(root):
        done = stilltrue_in(root, "supersede", "--because", "x", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


TABLE = """\
```claims
id: memory
says: "It needs {value}."
key: [Loss]
evidence: a.json
columns:
  Peak: {read: {path: "$[?@.loss == {Loss}].peak", unit: GiB}}
```

| Loss | Peak |
|---|---|
| naive | 81.93 GiB |
"""


def test_a_cell_of_a_table_is_refused_with_what_to_do(root: Path) -> None:
    put(root, f"{TABLE}\n{NEW}")
    put(root, json.dumps([{"loss": "naive", "peak": 81.93}]), "a.json")
    with support.unchanged(root):
        done = stilltrue_in(root, "supersede", "memory.naive.peak", "--because", "x")
    assert done.code == 2
    assert "is a cell of the table `memory`" in done.err
    assert "`skip` under `rows`" in done.err


def test_doing_what_the_refusal_of_a_cell_says_retires_it(root: Path) -> None:
    skipped = TABLE.replace("key: [Loss]\n", "key: [Loss]\nrows: {naive: {skip: [Peak]}}\n")
    put(root, f"{skipped.replace('81.93 GiB', '~~81.93 GiB~~')}| chunked | 9 GiB |\n\n{NEW}")
    put(root, json.dumps([{"loss": "naive", "peak": 81.93}, {"loss": "chunked", "peak": 9}]), "a.json")
    item = "- id: memory.naive.peak\n  says: 'It needs {value}.'\n  value: 81.93 GiB\n  reported: {by: us}"
    put(root, f"{item}\n  {ENTRY}\n", "claims/retired.yml")
    done = stilltrue_in(root, "check")
    assert (done.code, done.out) == (0, "3 claims: 1 holds, 1 reported, 1 superseded\n"), done.out


@pytest.mark.parametrize("what", ["a link", "a folder with a link"])
def test_nothing_is_written_through_a_link(root: Path, what: str) -> None:
    place = root / (PAGE if what == "a link" else "docs")
    place.rename(root / "real")
    place.symlink_to(root / "real")
    with support.unchanged(root):
        done = stilltrue_in(root, *SAID)
    assert done.code == 2


# Stated in another file ---------------------------------------------------------------------------------

STATED_IN = """\
- id: old
  says: "It takes {value}."
  stated_in: {file: README.md, match: 'took (.*?),'}
  reported: {by: me}
- id: bare
  says: "It takes {value}."
  stated_in:
    file: README.md
    match: 'HOURS=(\\S+)'
    unit: h
  reported: {by: me}
- {id: "share.{v}", says: "v{v}: {value}", stated_in: {file: README.md, match: '^v(?P<v>\\d) (?P<value>.*)$'},
   reported: {by: me}}
"""


@pytest.mark.parametrize("name", ["old", "bare"])
def test_what_another_file_states_becomes_the_value_that_it_stated(root: Path, name: str) -> None:
    readme = "# A\n\nIt took 4.3 h, as\n\nHOURS=4.3\n\nv1 5 %\nv2 7 %\n"
    support.write(root, {"README.md": readme, "claims/a.yml": STATED_IN, PAGE: NEW})
    done = stilltrue_in(root, "supersede", name, "--by", "new", "--because", "measured anew")
    assert (done.code, done.err) == (0, "")
    claim = gather(load(root)).claims[name]
    assert (claim.stated.text, claim.stated_in) == ("4.3 h", None)
    support.write(root, {"README.md": readme.replace("4.3", "145.5")})
    after = gather(load(root)).claims
    assert after[name].stated.text == "4.3 h"
    assert [name for name in after if name.startswith("share.")] == ["share.1", "share.2"]
    text = (root / "claims/a.yml").read_text()
    assert 'value: "4.3 h"\n  reported' in text


def test_one_of_several_claims_of_one_pattern_is_refused(root: Path) -> None:
    readme = "# A\n\nIt took 4.3 h,\n\nHOURS=4.3\n\nv1 5 %\nv2 7 %\n"
    support.write(root, {"README.md": readme, "claims/a.yml": STATED_IN})
    with support.unchanged(root):
        done = stilltrue_in(root, "supersede", "share.1", "--because", "x")
    assert done.code == 2
    assert "`share.1` is one of several claims that one pattern finds" in done.err


def test_copies_in_other_files_are_among_what_is_left(root: Path) -> None:
    support.write(root, {"run.sh": "# encoding takes 4.3 hours\n"})
    support.git(root, "init", "-q")
    support.git(root, "add", "-A")
    done = stilltrue_in(root, *SAID)
    assert "run.sh:1: " in done.out
    assert "[stale-copy]" in done.out
    assert "  where it means something else: `search: {words: […]}` in the claim" in done.out


def test_a_claim_that_says_how_its_copies_are_looked_for_is_told_nothing_of_that(root: Path) -> None:
    put(root, OLD.replace("reported", "search: {words: [encoding]}\nreported") + NEW)
    support.write(root, {"run.sh": "# encoding takes 4.3 hours\n"})
    done = stilltrue_in(root, *SAID)
    assert "[stale-copy]" in done.out
    assert "search:" not in done.out


# What is left -------------------------------------------------------------------------------------------


def test_what_still_states_the_old_value_is_said(root: Path) -> None:
    derived = '```claim\nid: day\nsays: "x {value}"\nvalue: 8.6 h\nderive: "{old} * 2"\n```\n'
    put(root, f"It takes [4.3 h](claim:old), once [~~4.3 h~~](claim:old).\n\n{OLD}\n{NEW}\n{derived}")
    done = stilltrue_in(root, *SAID)
    assert done.code == 0
    assert "  left to mend: 2 places\n" in done.out
    assert "docs/a.md:1: `4.3 h` repeats `old`, which is superseded" in done.out
    assert "`day` is derived from `old`, which is superseded\n  derive it from `new`" in done.out
    assert stilltrue_in(root, "check").code == 1


def test_what_fails_beside_it_is_not_its_business(root: Path) -> None:
    put(root, f"[x](claim:nothing-of-it)\n\n{OLD}\n{NEW}")
    assert "left to mend" not in stilltrue_in(root, *SAID).out


# Killed -------------------------------------------------------------------------------------------------


@pytest.fixture
def killer(root: Path) -> Iterator[Killer]:
    with killing(root, "supersede") as told:
        yield told


MUCH = "more text, line by line\n" * 2_000


def restored(root: Path) -> tuple[bytes, bytes]:
    """The page as it was, and as it is to become; a long one, so that writing it takes a moment."""
    before = f"# A\n\n{OLD}\n{NEW}\n{MUCH}".encode()
    put(root, before)
    return before, before.replace(
        b"us}\n", f"us}}\n{superseded_entry('new', today(), 'measured anew')}\n".encode(), 1
    )


def assert_whole(root: Path, states: tuple[bytes, bytes]) -> None:
    """The page is the old one or the new one, to the byte, and nothing lies beside it."""
    assert (root / PAGE).read_bytes() in states
    if not unfinished(root):
        assert [path.name for path in (root / "docs").iterdir()] == ["a.md"]


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_killed_at_each_step_of_its_writing_the_page_is_whole(root: Path, killer: Killer, call: str) -> None:
    for step in range(40):
        states = restored(root)
        code = killer(f"at {call} {step}")
        assert_whole(root, states)
        recover(root)
        assert unfinished(root) == ""
        assert_whole(root, states)
        if code == 0:
            break
        assert code == -signal.SIGKILL
    else:
        pytest.fail("it never came to its end")
    assert (root / PAGE).read_bytes() == states[1]


def test_killed_at_fifty_random_moments_no_file_is_half_written_and_none_lost(
    root: Path, killer: Killer
) -> None:
    states = restored(root)
    started = time.monotonic()
    assert killer("run") == 0
    whole = time.monotonic() - started
    moments = random.Random(5)  # noqa: S311  # moments are no secret
    killed = 0
    for _ in range(50):
        states = restored(root)
        killed += killer(f"after {moments.uniform(0, 1.1) * whole:.4f}") != 0
        assert_whole(root, states)
        recover(root)
        assert_whole(root, states)
    assert killed
    restored(root)
    assert killer("run") == 0
    assert (root / PAGE).read_bytes() == states[1]


# The documentation --------------------------------------------------------------------------------------


def test_the_page_on_it_shows_what_it_prints(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / "docs/tool/supersede.md").read_text(encoding="utf-8")
    page = re.search(r'^````markdown title="(.*?)"\n(.*?)^````$', text, re.MULTILINE | re.DOTALL)
    shown = re.search(r"^```console\n\$ stilltrue (.*?)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    line = re.search(r'^```yaml title="the block\'s last line"\n(.*?\n)```$', text, re.MULTILINE)
    assert page and shown and line
    root = support.write(tmp_path, {"stilltrue.toml": "", page[1]: page[2]})
    done = stilltrue_in(root, *shlex.split(shown[1]))
    assert (done.code, done.out, done.err) == (0, shown[2], "")
    assert (root / page[1]).read_text() == page[2].replace('March"}\n', f'March"}}\n{line[1]}')
