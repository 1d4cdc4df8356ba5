from __future__ import annotations

import gzip
import os
import sys
import zlib
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_support import Project, quantity, text, tree
from stilltrue.config import Limits
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence import terminal, text_of
from stilltrue.evidence.lines import Lines
from stilltrue.evidence.unpack import unpack

LOSS = text(r"loss (\S+)")


def test_a_reading_of_text_knows_its_line(tmp_path: Path) -> None:
    project = Project(tmp_path).write("log.txt", "start\nloss 0.5\nend\n")
    taken = project.take("log.txt", LOSS)
    assert taken.value == quantity("0.5")
    assert [(r.path, r.line) for r in taken.readings] == [("log.txt", 2)]


@pytest.mark.parametrize("data", [b"a\r\nloss 0.5\r\n", b"\xef\xbb\xbfa\nloss 0.5\n", "é\nloss 0.5".encode()])
def test_line_ends_and_byte_order_marks_do_not_change_a_reading(tmp_path: Path, data: bytes) -> None:
    project = Project(tmp_path).write("log.txt", data)
    assert project.value("log.txt", text(r"^loss (\S+)$")) == quantity("0.5")
    assert project.lines("log.txt", LOSS) == [2]


@pytest.mark.parametrize(
    ("data", "code", "line", "words"),
    [
        (b"", "empty-file", 0, "is empty"),
        (b" \r\n\t", "empty-file", 0, "nothing but white space"),
        ("loss 1".encode("utf-16"), "not-text", 1, "UTF-16"),
        ("loss 1".encode("utf-16-le"), "not-text", 1, "looks like UTF-16"),
        ("loss 1".encode("utf-32"), "not-text", 1, "UTF-32"),
        (b"ab\ncd\n\x00\x01\x02", "not-text", 3, "binary: a NUL byte at offset 6"),
        (b"ok\nloss \xff1", "not-text", 2, "byte 0xff at offset 8"),
        (b"caf\xe9\n", "not-text", 1, "not UTF-8"),
        (gzip.compress(b"loss 1", mtime=0)[:-9], "bad-compression", 0, "no whole gzip file"),
        (b"\x1f\x8bnonsense", "bad-compression", 0, "no whole gzip file"),
        (gzip.compress(b"", mtime=0), "empty-file", 0, "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\n", "not-fetched", 1, "Git LFS"),
        (b"/annex/objects/SHA256E-s12--4d.json\n", "not-fetched", 1, "git-annex"),
    ],
)
def test_what_is_no_text_is_refused_with_its_place(
    tmp_path: Path, data: bytes, code: str, line: int, words: str
) -> None:
    error = Project(tmp_path).write("log.txt", data).error("log.txt", LOSS)
    assert (error.code, error.path, error.line) == (code, "log.txt", line)
    assert words in error.message
    assert error.hint


def test_gzip_is_read_as_what_it_holds(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.json.gz", gzip.compress(b'{"a": 5}', mtime=0))
    project.write(
        "plainly_named", gzip.compress(b"loss 1\n", mtime=0) + gzip.compress(b"loss 2\n", mtime=0) + b"\0" * 9
    )
    assert project.value("a.json.gz", tree("$.a")) == quantity("5")
    assert project.lines("plainly_named", text("loss 2")) == [2]


def test_a_bomb_is_stopped_at_the_limit(tmp_path: Path) -> None:
    squeezed = gzip.compress(b"\x20" * 50_000_000, mtime=0)
    project = Project(tmp_path, Limits(bytes=1_000_000)).write("bomb", squeezed)
    error = project.error("bomb", LOSS)
    assert error.code == "too-large"
    assert "1,000,000 bytes" in error.message


def test_a_stream_of_many_pieces_is_whole() -> None:
    data = os.urandom(3_000_000) + b"a" * 40_000_000
    assert unpack(zlib.compress(data, 1, wbits=31), 1 << 30, Deadline(60)) == data


def test_unpacking_keeps_to_the_time_limit() -> None:
    with pytest.raises(InputError) as caught:
        unpack(gzip.compress(b"a" * 1000, mtime=0), 1 << 20, Deadline(-1))
    assert caught.value.code == "too-slow"


def test_much_padding_after_a_stream_is_passed_over_in_time() -> None:
    data = gzip.compress(b"loss 1", mtime=0) + bytes(50_000_000) + gzip.compress(b"\nloss 2", mtime=0)
    assert unpack(data, 1 << 30, Deadline(2)) == b"loss 1\nloss 2"


ZSTD = bytes.fromhex("28b52ffd2006310000") + b"loss 1"


def can_undo_zstd() -> bool:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            import_module(name)
        except ImportError:
            continue
        return True
    return False


@pytest.mark.skipif(not can_undo_zstd(), reason="nothing here can undo zstd")
def test_zstd_is_read_as_what_it_holds(tmp_path: Path) -> None:
    project = (
        Project(tmp_path).write("log.zst", ZSTD).write("two.zst", ZSTD + ZSTD).write("cut.zst", ZSTD[:-2])
    )
    assert project.value("log.zst", LOSS) == quantity("1")
    assert text_of(project.config, "two.zst") == "loss 1loss 1"
    assert project.error("cut.zst", LOSS).code == "bad-compression"


def test_zstd_that_cannot_be_undone_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    error = Project(tmp_path).write("log.zst", ZSTD).error("log.zst", LOSS)
    assert (error.code, error.path) == ("bad-compression", "log.zst")
    assert "`zstandard`" in error.hint


def test_paths_that_lead_out_break(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.txt").write_text("loss 1", encoding="utf-8")
    (tmp_path / "in" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "in" / "device").symlink_to("/dev/zero")
    project = Project(tmp_path / "in")
    assert project.error("link.txt", LOSS).code == "bad-path"
    assert project.error("device", LOSS).code == "bad-path"
    assert project.error("nowhere.txt", LOSS).code == "no-file"
    assert project.error("nowhere.txt", LOSS).path == "nowhere.txt"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    project = Project(tmp_path).write("log.txt", "loss 1")
    (tmp_path / "log.txt").chmod(0)
    assert project.error("log.txt", LOSS).code == "unreadable"


def test_colours_are_undone(tmp_path: Path) -> None:
    coded = "\x1b[1;36m(pid=7)\x1b[0;0m loss \x1b[31m0.5\x1b[m\n\x1b]0;title\x07loss 0.6\n"
    project = Project(tmp_path).write("log.txt", coded)
    assert project.lines("log.txt", text(r"^\(pid=7\) loss (\S+)$")) == [1]
    assert project.lines("log.txt", text(r"^loss (\S+)$")) == [2]
    assert text_of(project.config, "log.txt") == "(pid=7) loss 0.5\nloss 0.6\n"


def test_coloured_json_is_read(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.json", '{\n\x1b[34m"a"\x1b[0m: \x1b[32m5\x1b[0m}')
    assert project.value("a.json", tree("$.a")) == quantity("5")
    assert project.lines("a.json", tree("$.a")) == [2]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("10%\r50%\r100%\n", "100%\n"),
        ("loading 100%\rdone\n", "doneing 100%\n"),
        ("loading 100%\rdone\x1b[K\n", "done\n"),
        ("loading\r\x1b[2Kdone\n", "done\n"),
        ("done\r\r\nnext\n", "done\nnext\n"),
        ("a\rb", "b"),
        ("████ 1\r██ 2\n", "██ 2 1\n"),
        ("\x1b[31mabcdef\x1b[0m\rxy\n", "xycdef\n"),
        ("no return\n", "no return\n"),
    ],
)
def test_a_progress_bar_leaves_what_the_terminal_shows(written: str, seen: str) -> None:
    assert terminal.shown(written.replace("\r\n", "\n").encode()).decode() == seen


@settings(max_examples=200, deadline=None)
@given(st.text("ab█\r\n", max_size=40))
def test_returns_are_undone_as_a_terminal_does(written: str) -> None:
    seen = terminal.shown(written.encode()).decode()
    assert seen == "\n".join(_screen(line) for line in written.split("\n"))


def _screen(line: str) -> str:
    cells: list[str] = []
    column = 0
    for sign in line:
        if sign == "\r":
            column = 0
            continue
        cells[column : column + 1] = [sign]
        column += 1
    return "".join(cells)


@settings(max_examples=100, deadline=None)
@given(st.text("a\n", max_size=30).map(lambda part: part * 600), st.integers(0, 18_000))
def test_lines_are_counted_by_their_ends(whole: str, offset: int) -> None:
    offset = min(offset, len(whole))
    assert Lines(whole).at(offset) == whole[:offset].count("\n") + 1
    assert Lines(whole.encode()).at(offset) == whole[:offset].count("\n") + 1
