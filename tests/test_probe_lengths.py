"""The corpus that ships with Python: what counts as a sample, a root and a token."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

import lengths
from lengths import TOKEN, docstrings, samples, sources

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "claims" / "evidence" / "padding" / "lengths.csv"


def test_a_token_is_a_word_or_a_sign() -> None:
    assert TOKEN.findall("f(x_1) -> int…\n\tnaïve") == [
        "f", "(", "x_1", ")", "-", ">", "int", "…", "na", "ï", "ve",
    ]  # fmt: skip


def test_docstrings_of_all_that_can_have_one() -> None:
    text = '"""M."""\nclass C:\n    """C."""\n    async def f(self):\n        """F."""\n'
    text += 'def g():\n    x = """no"""\n'
    assert sorted(docstrings(text)) == [(0, "M."), (2, "C."), (4, "F.")]


def test_the_order_is_that_of_names_and_lines(tmp_path: Path) -> None:
    for name, text in {
        "b.py": 'def f():\n    """one two"""\n',
        "a/__init__.py": '"""three."""\ndef f():\n    """..."""\n',
        "test/t.py": '"""left out"""',
        "site-packages/s.py": '"""left out"""',
        "_sysconfigdata_linux.py": '"""left out"""',
        "c.py": 'def f():\n    """   """\n',
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert [name for name, _ in sources(tmp_path)] == ["a/__init__.py", "b.py", "c.py"]
    assert list(samples(tmp_path)) == [("a/__init__.py", 0, 2), ("a/__init__.py", 2, 3), ("b.py", 1, 2)]


def test_the_recorded_corpus_is_of_use() -> None:
    with RECORDED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    tokens = sorted(int(row["tokens"]) for row in rows)
    assert len(rows) > 5000
    assert len({row["root"] for row in rows}) > 300
    assert tokens[len(tokens) // 2] * 20 < tokens[-1]
    assert RECORDED.stat().st_size < 300 * 1024


def test_it_takes_no_arguments_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    for argument, where in (("--help", "Settles:"), ("--lengths", "unrecognized arguments")):
        with pytest.raises(SystemExit):
            lengths.main([argument])
        out, err = capsys.readouterr()
        assert where in (out if argument == "--help" else err)
        assert "root,line,tokens" not in out


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the probe's header holds it to Python 3.11")
def test_the_probe_prints_about_the_recorded_corpus() -> None:
    """Patch releases and distributions touch some docstrings, which is why it is about and not exactly."""
    done = subprocess.run(
        [sys.executable, ROOT / "probes" / "lengths.py"], capture_output=True, text=True, check=True
    )
    fresh, recorded = done.stdout.splitlines(), RECORDED.read_text(encoding="utf-8").splitlines()
    assert fresh[0] == recorded[0] == "root,line,tokens"
    assert abs(len(fresh) - len(recorded)) < 0.02 * len(recorded)
    assert done.stderr == ""
