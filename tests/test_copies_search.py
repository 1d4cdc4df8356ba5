"""The search for superseded values: every spelling is found, what only looks like one is not."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copies_support import UNITS, hits_in, lines_of, superseded
from stilltrue.copies import needles_of, search

SPELLED = {
    "4.3 h": (
        "4.3 h",
        "4.3h",
        "4.3 hours",
        "4.3 HOURS",
        "4.3 Hrs",
        "~4.3 h",
        "≈4.3 h",
        "**4.3** h",
        "`4.3` h",
        "_4.3 h_",
        "4.3-hour",
        "4.3&nbsp;h",
        "4.3\u00a0h",
        "4.3\u202fh",
        "<b>4.3</b> hours",
        "$4.3$ h",
        "4.3~h",
        "ENCODE_HOURS=4.3",
        '"encode_h": 4.3',
        "encodeHours: 4.3",
        "--max-hours 4.3",
        "4.3\nhours",
        "4.3\u200bhours",
        "4.3\u2060 h",
        "4.3<!-- measured --> hours",
        "4.3 <!-- --> hours",
        "4.3&shy;h",
        "# takes 4.3\n# hours",
    ),
    "22,835.8 ms": (
        "22835.8 ms",
        "22_835.8 ms",
        "22 835.8 ms",
        "22\u202f835.8 ms",
        "22'835.8 ms",
        "22,835.8 milliseconds",
    ),
    "65.2 %": ("65.2%", "65.2 %", "65.2 percent", "65.2\\%", "65.2 per cent", "share_percent: 65.2"),
    "0.5 pp": ("0.5 pp", ".5 pp", "0.5 percentage points", "+0.5 pp"),
    "$103.20": ("$103.20", "US$103.20", "103.20 USD", "USD 103.20", "103.20 dollars", "price_usd = 103.20"),
    "$24/h": ("$24/h", "$24 per hour", "24 USD/h", "$24 an hour"),
    "1,234.5 tok/s": ("1234.5 tok/s", "1,234.5 tokens per second", "TOK_PER_S=1234.5", "1,234.5 tokens/sec"),
    "1:32:21": ("1:32:21", "01:32:21", '"1:32:21"'),
    "22-43 %": ("22–43 %", "22 to 43 %", "between 22 and 43 percent", "22 % to 43 %"),
    "0.120 ± 0.020 s": ("0.120 +/- 0.020 s", "(0.120 ± 0.020) s", "0.120 s"),
    "1.28e18 FLOPs": (
        "1.28E18 FLOPs",
        "1.28 × 10^18 FLOPs",
        "1.28×10¹⁸ FLOPs",
        "$1.28 \\times 10^{18}$ FLOPs",
    ),
    "205 target modules": ("205 target modules", "205 Target-Modules", "205 target module"),
    "7B tokens": ("7B tokens", "7 B tokens", "7 billion tokens"),
    "2.4x": ("2.4x", "2.4×", "2.4X", "2.4 times"),
    "> 35.5 GiB": ("> 35.5 GiB", "more than 35.5 GiB", "35.5 gib"),
    "-0.7 pp": ("-0.7 pp", "−0.7 pp"),
    "1; 2; 3 MiB": ("1; 2; 3 MiB", "1;2;3 MiB"),
    "12 kWh": ("12 kWh", "12 kilowatt-hours"),
}  # fmt: skip

OTHERWISE = {
    "4.3 h": (
        "14.3 h",
        "v4.3",
        "v4.3 h",
        "4.30 hours",
        "4.3.1",
        "4.3.1 h",
        "1.4.3 h",
        "4.3 H",
        "4.3 hats",
        "4.3 h/epoch",
        "-4.3 h",
        "2-4.3 h",
        "4.3-5 h",
        "between 2 and 4.3 h",
        "encode-4.3h.tar",
        "4.3",
        "4.3 ms",
        "12:4.3 h",
        "timeout_s: 4.3",
        "4.3\nhats",
        "%4.3h",
        "a4.3 h",
    ),
    "22,835.8 ms": ("835.8 ms", "122,835.8 ms", "1 22835.8", "22,835.81 ms", "22835 ms"),
    "835.8 ms": ("22,835.8 ms", "22 835.8 ms"),
    "65.2 %": ("65.2 pp", "65.2 %d", "65.2", "165.2 %"),
    "0.5 pp": ("0.5 %", "-0.5 pp"),
    "$103.20": ("$103.20/h", "$103.20 per hour", "€103.20", "$1,103.20", "$103.205", "103.20"),
    "1,234.5 tok/s": ("1,234.5 tok", "1,234.5 samples/s", "1,234.5 s"),
    "1:32:21": ("11:32:21", "1:32:21.5", "2026-03-02 01:32:21", "1:32:21Z", "1:32:21 pm"),
    "15:00": ("15:00",),
    "22-43 %": ("22 %", "43 %", "22-435 %"),
    "0.120 ± 0.020 s": ("0.120 ± 0.030 s", "0.020 s"),
    "1.28e18 FLOPs": ("1.28e19 FLOPs", "1.28e18 FLOP/s", "1.28e18"),
    "205 target modules": ("205 modules", "1,205 target modules", "205 target layers"),
    "2.4x": ("2.4 x 10", "2.4x4"),
    "> 35.5 GiB": ("at most 35.5 GiB", "< 35.5 GiB"),
    "OOM": ("OOM",),
    "yes": ("yes",),
    "1,024": ("1,024", "1024 B"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"), [(value, text) for value, texts in SPELLED.items() for text in texts], ids=ascii
)
def test_a_value_is_found_however_it_is_spelled(value: str, text: str) -> None:
    claim = superseded(value)
    assert len(lines_of(f"It takes\n{text}\nor so.", claim)) == 1
    assert hits_in(text, claim) != ()


@pytest.mark.parametrize(
    ("value", "text"), [(value, text) for value, texts in OTHERWISE.items() for text in texts], ids=ascii
)
def test_what_only_looks_like_a_value_is_not_found(value: str, text: str) -> None:
    assert lines_of(f"It takes\n{text}\nor so.", superseded(value)) == []


def test_a_column_whose_header_has_the_unit_holds_the_value() -> None:
    table = "| Step | Time (h) | Peak |\n|---|---|---|\n| a | **4.3** | 1 |\n| b | 1 | 4.3 |\n"
    assert lines_of(table, superseded("4.3 h")) == [3]


def test_every_number_of_a_line_is_looked_at() -> None:
    found = hits_in("from 4.3 h, 4.3h and 14.3 h to 4.3 hours", superseded("4.3 h"))
    assert [(hit.column, hit.text) for hit in found] == [(5, "4.3 h"), (12, "4.3h"), (31, "4.3 hours")]


def test_one_place_may_be_the_value_of_two_claims() -> None:
    (hit,) = hits_in("4.3 h", superseded("4.3 h", name="one"), superseded("~4.3 hours", name="two"))
    assert hit.claims == ("one", "two")


# Words -------------------------------------------------------------------------------------------------


def test_words_narrow_to_lines_near_them() -> None:
    claim = superseded("4.3 h", words=("encode",))
    assert lines_of("encode\n\n4.3 h\n", claim) == [3]
    assert lines_of("encode\n\n\n4.3 h\n", claim) == []
    assert lines_of("4.3 h\n\nmaxEncodeTime\n", claim) == [1]
    assert lines_of("4.3 h\n\nrecoded\n", claim) == []


def test_words_opt_in_bare_numbers() -> None:
    claim = superseded("1,024", words=("batch",))
    assert lines_of("batch_size: 1024\nBATCH=1_024\n1,024 sequences a batch\n", claim) == [1, 2, 3]
    assert (
        lines_of("batch: 1024 MiB\nbatch 1,024.5\nbatch v1024\nbatch of 11,024\nbatch, section 1024\n", claim)
        == []
    )
    assert lines_of("encode 4.3\n", superseded("4.3 h", words=("encode",))) == [1]
    assert lines_of("encode 4.3 GiB\n", superseded("4.3 h", words=("encode",))) == []


def test_words_beyond_ascii_are_found_in_any_case() -> None:
    assert lines_of("ÜBERTRAGUNG 17\n", superseded("17 min", words=("übertragung",))) == [1]


def test_ignored_files_are_left_out_for_their_claim_alone() -> None:
    old = superseded("4.3 h", name="old", ignore=("archive/", "*.sh"))
    other = superseded("4.3 h", name="other")
    for path in ("archive/deep/a.md", "run.sh"):
        assert [hit.claims for hit in hits_in("4.3 h", old, other, path=path)] == [("other",)]
    assert [hit.claims for hit in hits_in("4.3 h", old, other, path="runs/run.sh")] == [("old", "other")]


# Files -------------------------------------------------------------------------------------------------


def find(
    root: Path, *names: str, limit: int = 1 << 30, seconds: float = 30
) -> tuple[list[tuple[str, int]], list[str]]:
    needles = needles_of(superseded("4.3 h"), UNITS)
    found = search(root, names, needles, UNITS, limit=limit, seconds=seconds)
    return [(hit.path, hit.line) for hit in found.hits], [error.code for _, error in found.skipped]


def test_files_that_are_no_text_of_an_author_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"4.3 h\0")
    (tmp_path / "made.ts").write_text("// Code generated by a tool. DO NOT EDIT.\n4.3 h\n", encoding="utf-8")
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    assert find(tmp_path, "binary", "made.ts", "empty", "folder", "loop", "pipe", "gone", "a\0b") == ([], [])


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("4.3 h\n", encoding="utf-8")
    root = tmp_path / "project"
    root.mkdir()
    (root / "link").symlink_to("../outside")
    assert find(root, "link") == ([], [])


def test_text_in_another_encoding_is_searched(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("Gr\xf6\xdfe: 4.3 h\r\n\xff 4.3 h\r\n".encode("latin-1"))
    (tmp_path / "bom").write_bytes(b"\xef\xbb\xbf4.3 h\n")
    assert find(tmp_path, "latin", "bom") == ([("latin", 1), ("latin", 2), ("bom", 1)], [])


def test_a_file_beyond_the_limit_is_told(tmp_path: Path) -> None:
    (tmp_path / "large").write_text("4.3 h\n" * 10, encoding="utf-8")
    assert find(tmp_path, "large", limit=30) == ([], ["too-large"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("4.3 h\n", encoding="utf-8")
    (tmp_path / "secret").chmod(stat.S_IWUSR)
    assert find(tmp_path, "secret") == ([], ["unreadable"])


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_places_on_the_borders_of_pieces_are_found_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr("stilltrue.copies.reading._PIECE", 100)
    monkeypatch.setattr("stilltrue.copies.reading._AROUND", 60)
    for shift in range(40):
        lines = ["x" * shift, *(f"{'y' * (at % 7)} 4.3 h" if at % 3 else "14.3 h" for at in range(60))]
        (tmp_path / "text").write_bytes(ending.join(lines).encode())
        wanted = [("text", at + 1) for at, line in enumerate(lines) if " 4.3 h" in line]
        assert find(tmp_path, "text") == (wanted, [])


def test_hostile_text_is_searched_to_its_end(tmp_path: Path) -> None:
    texts = {
        "digits": "4.3" * 100_000,
        "numbers": "4.3 " * 80_000,
        "tags": "4.3<b" * 60_000,
        "strikes": "~~4.3 h " * 5_000,
        "quotes": "4.3\n# " * 50_000,
        "rows": "| Time (min) |\n|---|\n" + "| 4.3 |\n" * 10_000,
        "keys": "h: " * 100_000 + "4.3",
        "line": "4.3 h " * 50_000,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        found, skipped = find(tmp_path, name)
        assert (len(found), skipped) == (1_000 if name in {"line", "strikes"} else 0, []), name


# In general --------------------------------------------------------------------------------------------

NUMBERS = st.one_of(
    st.integers(1, 10**7).map(lambda n: f"{n:,}"),
    st.tuples(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 999)).map(
        lambda t: f"{t[0]:,}.{t[2] % 10 ** t[1]:0{t[1]}}"
    ),
)
UNIT_NAMES = {
    "h": ["h", "hours", "Hr"],
    "GiB": ["GiB", "gibibytes"],
    "%": ["%", "percent"],
    "tok/s": ["tok/s", "tokens per second"],
}


@settings(max_examples=150, deadline=None)
@given(NUMBERS, st.sampled_from(sorted(UNIT_NAMES)), st.data())
def test_any_number_is_found_in_any_of_its_spellings(number: str, unit: str, data: st.DataObject) -> None:
    separator = data.draw(st.sampled_from([",", "", "_", "\u202f"]))
    gap = data.draw(st.sampled_from([" ", "\u00a0", "&nbsp;", "** "]))
    name = data.draw(st.sampled_from(UNIT_NAMES[unit]))
    before, behind = data.draw(st.sampled_from([("", ""), ("It takes ", "."), ("(", ")"), ("x: ", ", y")]))
    text = f"{before}{number.replace(',', separator)}{gap}{name}{behind}"
    assert len(hits_in(text, superseded(f"{number} {unit}"))) == 1, text


@settings(max_examples=150, deadline=None)
@given(NUMBERS, NUMBERS, st.sampled_from(sorted(UNIT_NAMES)))
def test_another_number_is_never_found(number: str, other: str, unit: str) -> None:
    found = hits_in(f"It takes {other} {unit} or more", superseded(f"{number} {unit}"))
    assert bool(found) == (number == other)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60), st.binary(max_size=60))
def test_no_bytes_make_the_search_fail(before: bytes, behind: bytes) -> None:
    claims = [superseded(value, name=value) for value in SPELLED] + [superseded("17", words=("a",))]
    hits_in(before + b"4.3" + behind, *claims)
