from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes_support import EVIDENCE, WRITES, header, probe_in, write
from stilltrue.errors import InputError
from stilltrue.model import Probe
from stilltrue.probes import HEADER_KEYS, NEEDS, find_probes, read_header
from stilltrue.probes.block import decoded, find_block

SPEC = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
"""The pattern of PEP 723."""


def refusal(root: Path, text: str, name: str = "probes/p.py") -> InputError:
    write(root, {name: text})
    with pytest.raises(InputError) as caught:
        read_header(root, name, EVIDENCE)
    assert caught.value.path == name
    assert caught.value.message
    assert caught.value.hint
    return caught.value


def test_every_key_is_read(tmp_path: Path) -> None:
    lines = (
        f'writes = ["{EVIDENCE}/a.json", "{EVIDENCE}/deep/b.txt"]',
        'reads = ["data/*.csv", "./setup.cfg"]',
        'needs = ["cuda", "git"]',
        'cost = "cheap"',
        'timeout = "1.5 min"',
        'plant = ["off-by-one", "b"]',
    )
    top = 'requires-python = ">=3.11"\ndependencies = ["torch>=2", "numpy"]'
    assert probe_in(tmp_path, "", *lines, top=top) == Probe(
        path="probes/p.py",
        writes=(f"{EVIDENCE}/a.json", f"{EVIDENCE}/deep/b.txt"),
        reads=("data/*.csv", "setup.cfg"),
        needs=("cuda", "git"),
        cost="cheap",
        timeout_s=90.0,
        plants=("off-by-one", "b"),
        dependencies=("torch>=2", "numpy"),
        requires_python=">=3.11",
    )


def test_what_is_left_out_has_a_default(tmp_path: Path) -> None:
    assert probe_in(tmp_path, "") == Probe(
        "probes/p.py", (f"{EVIDENCE}/out.json",), cost="slow", timeout_s=600
    )


@pytest.mark.parametrize("key", ["reads", "needs", "plant"])
def test_one_text_stands_for_a_list_of_it(tmp_path: Path, key: str) -> None:
    field = {"plant": "plants"}.get(key, key)
    assert getattr(probe_in(tmp_path, "", f'{key} = "git"'), field) == ("git",)


@pytest.mark.parametrize("example", [key.example for key in HEADER_KEYS.values()])
def test_the_documented_example_of_each_key_is_accepted(tmp_path: Path, example: str) -> None:
    assert probe_in(tmp_path, "", example).writes


@pytest.mark.parametrize("word", sorted(NEEDS))
def test_each_documented_need_is_known(tmp_path: Path, word: str) -> None:
    assert probe_in(tmp_path, "", f'needs = "{word}"').needs == (word,)


def test_other_tools_tables_and_other_blocks_do_not_matter(tmp_path: Path) -> None:
    other = "# /// other\n# a = 1\n# ///\n\n"
    text = other + header(WRITES, "[tool.uv]", 'exclude-newer = "2026-01-01"')
    write(tmp_path, {"probes/p.py": text})
    assert read_header(tmp_path, "probes/p.py", EVIDENCE).writes


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path, ends: str) -> None:
    path = tmp_path / "probes/p.py"
    path.parent.mkdir()
    path.write_bytes(b"\xef\xbb\xbf" + header(WRITES).replace("\n", ends).encode())
    assert read_header(tmp_path, "probes/p.py", EVIDENCE).writes == (f"{EVIDENCE}/out.json",)


def test_the_block_may_stand_in_the_comments_of_other_languages(tmp_path: Path) -> None:
    write(tmp_path, {"probes/p.js": "#!/usr/bin/env node\n" + header(WRITES, mark="//") + "print()\n"})
    assert read_header(tmp_path, "probes/p.js", EVIDENCE).writes == (f"{EVIDENCE}/out.json",)


@pytest.mark.parametrize(
    ("text", "code", "message", "line"),
    [
        ("print(1)\n", "no-header", "says nothing of what it writes", 0),
        ("\n#/// script\n# [tool.stilltrue]\n# ///\n", "no-header", "says nothing", 2),
        ("# /// script\n# dependencies = []\n# ///\n", "no-header", r"no `\[tool.stilltrue\]`", 2),
        (header(WRITES) + "x = 1\n" + header(WRITES), "bad-header", "two blocks", 6),
        ("# /// script\n# [tool.stilltrue]\nprint(1)\n", "bad-header", "empty or not closed", 1),
        ("# /// script\n# ///\n", "bad-header", "empty or not closed", 1),
        (header("writes = "), "bad-header", "not valid TOML", 3),
        (header("a = " + "9" * 5000), "bad-header", "not valid TOML", 2),
        (header("a = " + "[" * 5000), "bad-header", "nested too deep", 2),
        (header(".".join("a" * 300) + " = 1"), "bad-header", "nested too deep", 2),
        (header(".".join(['"!"'] * 5000) + " = 1"), "bad-header", "nested too deep", 2),
        (header("a = '" + "x" * 70_000 + "'"), "bad-header", "longer than 65,536 characters", 2),
        (
            header(WRITES, top=f'requires-python = ">={"9" * 5000}"'),
            "bad-header",
            "`requires-python` must be",
            2,
        ),
        (header(WRITES, top=f'dependencies = ["a>={"9" * 5000}"]'), "bad-header", "is no requirement", 2),
        (
            header(WRITES, top=f"""dependencies = ["a; python_version>'{"9" * 5000}'"]"""),
            "bad-header",
            "no requirement",
            2,
        ),
        (header(WRITES, top='requires-python = "[extra]>=3"'), "bad-header", "`requires-python` must be", 2),
        (header(WRITES, 'read = "a"'), "bad-header", "unknown key `read`", 4),
        (header(WRITES, top="dependancies = []"), "bad-header", "unknown key `dependancies`", 2),
        (header(WRITES, top='cost = "cheap"'), "bad-header", "unknown key `cost`", 2),
        (header('reads = "a"'), "bad-header", "`writes` is missing", 2),
        (header("writes = []"), "bad-header", "`writes` is an empty list", 3),
        (header("writes = 3"), "bad-header", "`writes` must be a path", 3),
        (header(WRITES, 'reads = ["a", 3]'), "bad-header", "`reads` must be", 4),
        (header(WRITES, 'needs = "cudda"'), "bad-header", "`cudda` is nothing that `needs` knows", 4),
        (header(WRITES, 'cost = "cheep"'), "bad-header", "neither `cheap` nor `slow`", 4),
        (header(WRITES, "cost = []"), "bad-header", "neither `cheap` nor `slow`", 4),
        (header(WRITES, "timeout = 60"), "bad-header", "a time with its unit", 4),
        (header(WRITES, 'timeout = "60"'), "bad-header", "a time with its unit", 4),
        (header(WRITES, 'timeout = "60 MiB"'), "bad-header", "a time with its unit", 4),
        (header(WRITES, 'timeout = "-1 s"'), "bad-header", "a time with its unit", 4),
        (header(WRITES, 'timeout = "soon"'), "bad-header", "a time with its unit", 4),
        (header(WRITES, 'plant = "--help"'), "bad-header", "no name for a plant", 4),
        (header(WRITES, top='dependencies = "numpy"'), "bad-header", "list of requirements", 2),
        (header(WRITES, top='dependencies = ["numpy >>= 1"]'), "bad-header", "is no requirement", 2),
        (header(WRITES, top='requires-python = "3.11+"'), "bad-header", "version specifier", 2),
        (header(WRITES, top="requires-python = 3.11"), "bad-header", "version specifier", 2),
        ("# /// script\n# tool = 1\n# ///\n", "bad-header", "`tool` must be a table", 2),
        ("# /// script\n# tool.stilltrue = 1\n# ///\n", "bad-header", "must be a table", 2),
    ],
)
def test_what_is_wrong_with_a_header_is_said_with_its_line(
    tmp_path: Path, text: str, code: str, message: str, line: int
) -> None:
    error = refusal(tmp_path, text)
    assert (error.code, error.line) == (code, line)
    assert re.search(message, error.message)


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ((WRITES, 'read = "a"'), "did you mean `reads`?"),
        ((WRITES, 'plants = "a"'), "did you mean `plant`?"),
        ((WRITES, 'needs = "cudda"'), "did you mean `cuda`?"),
        ((WRITES, 'cost = "cheep"'), "did you mean `cheap`?"),
    ],
)
def test_a_near_word_is_offered(tmp_path: Path, lines: tuple[str, ...], hint: str) -> None:
    assert refusal(tmp_path, header(*lines)).hint == hint


def test_a_key_above_its_table_is_sent_below_it(tmp_path: Path) -> None:
    assert "below `[tool.stilltrue]`" in refusal(tmp_path, header(WRITES, top='cost = "cheap"')).hint


@pytest.mark.parametrize(
    ("writes", "message"),
    [
        ('"out.json"', "not inside the evidence folder"),
        (f'"{EVIDENCE}"', "not inside the evidence folder"),
        (f'"{EVIDENCE}2/a"', "not inside the evidence folder"),
        (f'"{EVIDENCE}/../a"', "holds `..`"),
        (f'"{EVIDENCE}/../evidence/a"', "holds `..`"),
        (f'"/{EVIDENCE}/a"', "absolute path"),
        ('"~/a"', "absolute path"),
        (f'"{EVIDENCE}/a/"', "is a folder"),
        ('""', "is no path"),
        (f'"{EVIDENCE}/a\\\\b"', "backslash"),
        (f'"{EVIDENCE}/*.json"', "sign of globs"),
        (f'"{EVIDENCE}/a.provenance.json"', "record of provenance"),
        (f'["{EVIDENCE}/a", "{EVIDENCE}/./a"]', "twice"),
        (f'["{EVIDENCE}/a/b", "{EVIDENCE}/a"]', "a file and"),
        (f'"{EVIDENCE}/folder"', "no regular file"),
        (f'"{EVIDENCE}/file/a"', "no folder"),
    ],
)
def test_evidence_goes_to_plain_files_in_the_evidence_folder(
    tmp_path: Path, writes: str, message: str
) -> None:
    write(tmp_path, {f"{EVIDENCE}/folder/x": "", f"{EVIDENCE}/file": ""})
    error = refusal(tmp_path, header(f"writes = {writes}"))
    assert (error.code, error.line) == ("bad-writes", 3)
    assert message in error.message


@pytest.mark.parametrize("link", [f"{EVIDENCE}/out.json", EVIDENCE, "claims", f"{EVIDENCE}/sub"])
def test_no_write_leads_through_a_link(tmp_path: Path, link: str) -> None:
    root = tmp_path / "project"
    target = tmp_path / "elsewhere"
    (target / "evidence/sub").mkdir(parents=True)
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(target)
    path = f"{EVIDENCE}/sub/a" if link.endswith("sub") else f"{EVIDENCE}/out.json"
    error = refusal(root, header(f'writes = "{path}"'))
    assert error.code == "bad-writes"
    assert f"`{link}` in `writes` is a link" in error.message


def test_a_dangling_link_is_a_link(tmp_path: Path) -> None:
    (tmp_path / EVIDENCE).mkdir(parents=True)
    (tmp_path / EVIDENCE / "out.json").symlink_to(tmp_path / "nowhere")
    assert refusal(tmp_path, header(WRITES)).code == "bad-writes"


@pytest.mark.parametrize("read", [f"{EVIDENCE}/out.json", f"{EVIDENCE}/*.json", "claims/**"])
def test_a_probe_does_not_read_what_it_writes(tmp_path: Path, read: str) -> None:
    error = refusal(tmp_path, header(WRITES, f'reads = "{read}"'))
    assert (error.code, error.line) == ("bad-writes", 4)
    assert "reads it too" in error.message


@pytest.mark.parametrize("read", ["../a", "/etc/passwd", "https://example.org/a", "a/"])
def test_inputs_lie_in_the_repository(tmp_path: Path, read: str) -> None:
    error = refusal(tmp_path, header(WRITES, f'reads = "{read}"'))
    assert (error.code, error.line) == ("bad-path", 4)


def test_a_script_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "probes").mkdir()
    (tmp_path / "probes/latin.py").write_bytes(b"# a\n# \xe9\n" + header(WRITES).encode())
    (tmp_path / "probes/huge.py").write_bytes(b"#\n" * (3 << 20))
    os.mkfifo(tmp_path / "probes/pipe.py")
    codes = {}
    for name in ("latin.py", "huge.py", "pipe.py", "none.py", ""):
        with pytest.raises(InputError) as caught:
            read_header(tmp_path, f"probes/{name}".rstrip("/"), EVIDENCE)
        codes[name] = (caught.value.code, caught.value.line)
    assert codes == {
        "latin.py": ("bad-header", 2),
        "huge.py": ("too-large", 0),
        "pipe.py": ("bad-path", 0),
        "none.py": ("no-file", 0),
        "": ("bad-path", 0),
    }


def test_probes_are_found_whole_or_broken(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "probes/b.py": header(WRITES),
            "probes/deep/a.sh": "#!/bin/sh\n" + header(WRITES),
            "probes/broken.py": header("writes = "),
            "probes/unclosed.py": "# /// script\n# [tool.stilltrue]\n",
            "probes/helper.py": "x = 1\n",
            "probes/other.py": "# /// script\n# dependencies = []  # stilltrue\n# ///\n",
            "probes/quoting.py": 'TEXT = """\n# no /// script of stilltrue\n"""\n',
            "probes/.hidden.py": header(WRITES),
            "probes/__pycache__/b.py": header(WRITES),
            "elsewhere/c.py": header(WRITES),
        },
    )
    (tmp_path / "probes/link.py").symlink_to(tmp_path / "probes/b.py")
    (tmp_path / "probes/binary").write_bytes(b"\xff\x00/// script stilltrue")
    os.mkfifo(tmp_path / "probes/pipe")
    assert find_probes(tmp_path) == (
        "probes/b.py",
        "probes/broken.py",
        "probes/deep/a.sh",
        "probes/unclosed.py",
    )
    assert find_probes(tmp_path / "elsewhere") == ()


LINES = st.sampled_from(
    ["# /// script", "# /// other", "# ///", "#", "# a = 1", "#a", "", "x = 1", "# /// script ", "  # ///"]
)


@given(st.lists(LINES, max_size=14))
@settings(max_examples=300, deadline=None)
def test_a_block_is_what_the_pattern_of_pep_723_finds(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    found = [match for match in SPEC.finditer(text) if match["type"] == "script"]
    if len(found) == 1:
        block = find_block(decoded(text.encode()))
        content = [
            line[2:] if line.startswith("# ") else line[1:] for line in found[0]["content"].split("\n")
        ]
        assert block is not None
        assert block.toml == "\n".join(content)
        assert block.line == text.count("\n", 0, found[0].start()) + 2
    elif found or "# /// script" in lines:
        with pytest.raises(InputError):
            find_block(text)
    else:
        assert find_block(text) is None
