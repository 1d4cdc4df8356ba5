from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import stilltrue
from probes_support import EVIDENCE, header, probe_in, write
from stilltrue.errors import InputError
from stilltrue.model import Code
from stilltrue.probes import code_of, inputs_of
from stilltrue.probes.canonical import MOST_BYTES, canonical

ROOT = Path(__file__).resolve().parent.parent
SYNTAX = Path(__file__).parent / "probes_corpus" / "syntax.txt"
"""Every syntax of Python 3.11, most of it more than once. No `.py`: it is to be parsed, not formatted."""

HEADER = header(f'writes = "{EVIDENCE}/out.json"', 'timeout = "60 s"', top='dependencies = ["numpy>=2"]')
BODY = '''\
"""Doc.

    Indented.
"""
import json

def area(side: float, times=2) -> float:
    """Doc of area.

    More."""
    if side > 0.1:
        return side * times  # square
    return 1


@cache
def main():
    print(json.dumps({"area": area(3, 4), "text": f"{area(2):>{10}.2f}!r", "flag": True}))
'''


def digest(tmp_path: Path, text: str, *, script: bool = True) -> str:
    write(tmp_path, {"probes/p.py": text})
    return code_of(tmp_path, "probes/p.py", script=script).digest


SAME = {
    "a comment": ("# square", "# the square"),
    "a comment less": ("  # square", ""),
    "blank lines": ("import json\n", "import json\n\n\n\n"),
    "quotes": ('"area": area', "'area': area"),
    "a trailing comma": ("area(3, 4)", "area(3, 4,)"),
    "parentheses": ("return side * times", "return (side * times)"),
    "several lines": ("side: float, times=2", "\n    side: float,\n    times=2,\n"),
    "the same number": ("0.1", "0.10"),
    "another way to write the number": ("return 1", "return 0x1"),
    "spaces": ("area(3, 4)", "area( 3,4 )"),
    "a line continued": ("return side * times", "return side \\\n        * times"),
    "a semicolon": ("import json\n", "import json;\n"),
    "a string in two parts": ('"text"', '"te" "xt"'),
    "indentation of a docstring": (
        '    """Doc of area.\n\n    More."""',
        '    """Doc of area.\n\n      More.\n      """',
    ),
    "another first line": ("# /// script", "#!/usr/bin/env python3\n# /// script"),
    "a comment in the header": ("# ///\n", "# # why sixty\n# ///\n"),
    "layout of the header": ("# timeout = ", "#\n# timeout  =  "),
    "a u before a string": ('"text"', 'u"text"'),
    "CRLF": ("\n", "\r\n"),
}

OTHER = {
    "an integer turned float": ("return 1", "return 1.0"),
    "a flag turned integer": ("True", "1"),
    "a number": ("0.1", "0.11"),
    "a string": ('"area": area', '"areas": area'),
    "a blank in a string": ('"area": area', '"area ": area'),
    "bytes for text": ('"flag"', 'b"flag"'),
    "a name": ("side * times", "side * side"),
    "an operator": ("side > 0.1", "side >= 0.1"),
    "a decorator": ("@cache\n", ""),
    "a default": ("times=2", "times=3"),
    "an annotation": ("side: float", "side: int"),
    "the text of an f-string": ("!r", "!s"),
    "the format of an f-string": (".2f", ".3f"),
    "a format inside a format": ("{10}", "{11}"),
    "a conversion": ("{area(2):", "{area(2)!r:"),
    "a docstring": ("Doc of area", "Doc of an area"),
    "a module's docstring": ("Indented", "Idented"),
    "an order": ("area(3, 4)", "area(4, 3)"),
    "a keyword for a position": ("area(3, 4)", "area(3, times=4)"),
    "a return value less": ("return 1", "return"),
    "None for nothing": ("return 1", "return None"),
    "a tuple for a value": ("return 1", "return 1,"),
    "async": ("def main", "async def main"),
    "dependencies": ("numpy>=2", "numpy>=2.1"),
    "a timeout": ("60 s", "61 s"),
    "a key of the header": ("# timeout", "# cost = 'cheap'\n# timeout"),
    "a header that breaks": ("# [tool.stilltrue]", "# [tool.stilltrue"),
}


@pytest.mark.parametrize("name", SAME)
def test_what_changes_nothing_that_is_done_keeps_the_digest(tmp_path: Path, name: str) -> None:
    before, after = SAME[name]
    assert before in HEADER + BODY
    assert digest(tmp_path, (HEADER + BODY).replace(before, after)) == digest(tmp_path, HEADER + BODY)


@pytest.mark.parametrize("name", OTHER)
def test_what_may_change_what_is_done_changes_the_digest(tmp_path: Path, name: str) -> None:
    before, after = OTHER[name]
    assert before in HEADER + BODY
    assert digest(tmp_path, (HEADER + BODY).replace(before, after)) != digest(tmp_path, HEADER + BODY)


def test_no_two_of_the_changes_have_one_digest(tmp_path: Path) -> None:
    whole = HEADER + BODY
    assert len({digest(tmp_path, whole.replace(*change)) for change in OTHER.values()}) == len(OTHER)


def test_indentation_as_a_whole_does_not_count(tmp_path: Path) -> None:
    lines = [line.replace("    ", "\t") for line in BODY.split("\n")]
    assert digest(tmp_path, HEADER + "\n".join(lines)) == digest(tmp_path, HEADER + BODY)
    inside = 'if True:\n    def f():\n        """A.\n\n        B\n          C\n        """\n'
    moved = 'if True:\n  def f():\n      """A.\n\n      B\n        C\n      """\n'
    other = 'if True:\n  def f():\n      """A.\n\n      B\n      C\n      """\n'
    assert canonical(inside.encode()) == canonical(moved.encode()) != canonical(other.encode())


def test_a_formatter_changes_no_digest() -> None:
    ruff = shutil.which("ruff", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if ruff is None:
        pytest.skip("ruff is not installed")
    for line_length in ("40", "200"):
        source = SYNTAX.read_bytes()
        options = ["--isolated", "--line-length", line_length, "--stdin-filename", "a.py", "-"]
        done = subprocess.run([ruff, "format", *options], input=source, capture_output=True, check=True)
        assert done.stdout != source
        assert canonical(done.stdout) == canonical(source)


def test_the_header_counts_for_the_script_alone(tmp_path: Path) -> None:
    changed = HEADER.replace("60 s", "61 s") + BODY
    assert digest(tmp_path, changed, script=False) == digest(tmp_path, HEADER + BODY, script=False)
    assert digest(tmp_path, BODY, script=False) == digest(tmp_path, HEADER + BODY, script=False)


def test_what_the_header_holds_is_told_apart_by_type(tmp_path: Path) -> None:
    values = ("1", "1.0", "true", '"1"', "2026-01-01", '"2026-01-01"', "[1]")
    found = {digest(tmp_path, header("x = " + value) + BODY) for value in values}
    assert len(found) == len(values)


def test_the_plain_digest_is_of_bytes_with_lf(tmp_path: Path) -> None:
    (tmp_path / "p.sh").write_bytes(b"#!/bin/sh\r\necho 1\r\n")
    plain = hashlib.sha256(b"#!/bin/sh\necho 1\n").hexdigest()
    assert code_of(tmp_path, "p.sh", script=True) == Code("p.sh", plain, plain)


@pytest.mark.parametrize(
    ("name", "first", "counts"),
    [
        ("p.py", "", False),
        ("p", "#!/usr/bin/env python3", False),
        ("p", "#!/bin/sh", True),
        ("p", "", True),
        ("p.sh", "#!/usr/bin/env python3", True),
    ],
)
def test_a_comment_counts_where_the_language_is_another(
    tmp_path: Path, name: str, first: str, counts: bool
) -> None:
    found = set()
    for comment in ("# a", "# b"):
        write(tmp_path, {name: f"{first}\n{comment}\n"})
        found.add(code_of(tmp_path, name).digest)
    assert len(found) == (2 if counts else 1)


@pytest.mark.parametrize(
    "source",
    [
        b"(" * 100_000 + b")" * 100_000,
        b"-" * 100_000 + b"1",
        b"1" + b"+1" * 100_000,
        b"a" + b".b" * 100_000,
        b"if a:\n pass\n" + b"elif b:\n pass\n" * 5_000,
        b"a\0b",
        b"def (",
        b"# coding: nope\n",
        b"x = '\xff'",
        b"9" * 5_000,
        b'f"' + b"{x:" * 1_000 + b"}" * 1_000 + b'"',
        b"\xff\xfex\x00",
    ],
    ids=range(12),
)
def test_what_cannot_be_parsed_is_taken_by_its_bytes(tmp_path: Path, source: bytes) -> None:
    (tmp_path / "p.py").write_bytes(source)
    code = code_of(tmp_path, "p.py", script=True)
    assert len(code.sha256) == 64
    if canonical(source) is None:
        assert code.digest == code.sha256


def test_a_file_of_50_000_lines_is_taken_by_its_bytes(tmp_path: Path) -> None:
    source = b"x = call(1, 'two')  # and why\n" * 50_000
    assert len(source) > MOST_BYTES
    (tmp_path / "p.py").write_bytes(source)
    code = code_of(tmp_path, "p.py")
    assert code.digest == code.sha256 == hashlib.sha256(source).hexdigest()


def test_a_warning_about_the_code_is_not_ours_to_give(tmp_path: Path) -> None:
    write(tmp_path, {"p.py": "x = '\\d' is 3\n"})
    assert code_of(tmp_path, "p.py").digest != code_of(tmp_path, "p.py").sha256


@pytest.mark.parametrize("name", ["gone.py", "folder", "../p.py"])
def test_code_that_is_not_there_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError):
        code_of(tmp_path, name)


def pythons() -> list[Path]:
    """Other Pythons of the versions that are supported, where they are installed."""
    found: dict[str, Path] = {}
    for minor in (11, 12, 13):
        version = f"3.{minor}"
        named = [*Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}")]
        named += [Path(path) for path in [shutil.which(f"python{version}")] if path]
        if works := next((path for path in named if runs(path, version)), None):
            found[version] = works
    return [path for version, path in found.items() if version != "{}.{}".format(*sys.version_info)]


def runs(path: Path, version: str) -> bool:
    program = "import sys; print('{}.{}'.format(*sys.version_info))"
    done = subprocess.run([path, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


FORMS = """
import hashlib, json, sys
from pathlib import Path
from stilltrue.probes import code_of
print(json.dumps([code_of(Path("/"), path[1:], script=True).digest for path in json.load(sys.stdin)]))
"""


def digests_by(python: Path | str, paths: list[str]) -> list[str]:
    environment = {"PYTHONPATH": str(Path(stilltrue.__file__).parent.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, "-S", "-c", FORMS]
    done = subprocess.run(
        command, input=json.dumps(paths), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [str(digest) for digest in json.loads(done.stdout)]


def test_every_python_comes_to_the_same_digests(tmp_path: Path) -> None:
    """Without any package installed there: `-S` leaves all of them out."""
    others = pythons()
    if not others:
        pytest.skip("no other Python of 3.11 to 3.13 is installed")
    folders = ("site_src", "probes", "benchmarks")
    copied = tmp_path / "corpus"
    for number, path in enumerate(p for f in folders for p in sorted((ROOT / f).rglob("*.py"))):
        write(copied, {f"{number}.py": path.read_text(encoding="utf-8")})
    shutil.copy(SYNTAX, copied / "syntax.py")
    paths = sorted(map(str, copied.iterdir()))
    assert len(paths) > 100
    expected = digests_by(sys.executable, paths)
    assert expected == [code_of(Path("/"), path[1:], script=True).digest for path in paths]
    plain = hashlib.sha256(SYNTAX.read_bytes()).hexdigest()
    assert plain not in expected, "the corpus cannot be parsed"
    for python in others:
        assert digests_by(python, paths) == expected, python


def test_inputs_are_digested_by_their_bytes_sorted(tmp_path: Path) -> None:
    probe = probe_in(tmp_path, "", 'reads = ["data/*.csv", "a.txt", "data/1.csv"]')
    write(tmp_path, {"data/2.csv": "2", "data/1.csv": "1", "a.txt": "a"})
    found = [(each.path, each.sha256) for each in inputs_of(tmp_path, probe)]
    expected = {"a.txt": b"a", "data/1.csv": b"1", "data/2.csv": b"2"}
    assert found == [(name, hashlib.sha256(data).hexdigest()) for name, data in expected.items()]


@pytest.mark.parametrize("read", ["gone.csv", "data/*.csv", "folder"])
def test_an_input_that_is_not_there_is_an_error(tmp_path: Path, read: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError) as caught:
        inputs_of(tmp_path, probe_in(tmp_path, "", f'reads = "{read}"'))
    assert caught.value.code in ("no-file", "bad-path")
    assert read in caught.value.message
