"""A probe's script on the site: docstring and arguments, read from its text and never run."""

from __future__ import annotations

from pathlib import Path

import pytest

import site_project
from stilltrue.errors import InputError
from stilltrue.site.script import LARGEST, MOST_NODES, MOST_PARSED, Argument, read_script


def script(root: Path, content: str | bytes, name: str = "probes/a.py") -> Path:
    site_project.put(root, name, content)
    return root


def arguments(root: Path, content: str) -> tuple[Argument, ...]:
    return read_script(script(root, content), "probes/a.py").arguments


def test_the_docstring_is_read_and_nothing_is_run(tmp_path: Path) -> None:
    text = '"""What it\n    settles."""\nopen("imported", "w")\nraise SystemExit(3)\n'
    read = read_script(script(tmp_path, text), "probes/a.py")
    assert read.docstring == "What it\nsettles."
    assert read.parsed
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize(
    "content",
    ["def (:\n", "\0", "x = " + "(" * 5_000, "x = " + "-" * 50_000 + "1", b"# \xff\xfe\ndef f(:\n"],
    ids=["no-python", "nul", "parentheses", "deep", "no-utf-8"],
)
def test_what_cannot_be_parsed_is_shown_all_the_same(tmp_path: Path, content: str | bytes) -> None:
    read = read_script(script(tmp_path, content), "probes/a.py")
    assert not read.parsed
    assert read.text


def test_a_doubtful_escape_is_no_warning_of_ours(tmp_path: Path) -> None:
    assert read_script(script(tmp_path, '"""A."""\nx = "\\d"\n'), "probes/a.py").docstring == "A."


@pytest.mark.parametrize(
    ("content", "comment"),
    [
        ("#!/bin/sh\n# How long\n# it takes.\n\necho\n# not this\n", "How long\nit takes."),
        ("#!/bin/sh\n\n# How long.\n#\n# More.\necho\n", "How long.\n\nMore."),
        ("#!/bin/sh\n# /// script\n# x = 1\n# ///\n# How long.\n", "How long."),
        ("#!/bin/sh\n# How long.\n# /// script\n# x = 1\n# ///\necho\n", "How long."),
        ("// How long.\nint main() {}\n", "How long."),
        ("// /// script\n// x = 1\n// ///\n\n// How long.\nmain()\n", "How long."),
        ("-- How long.\nselect 1;\n", "How long."),
        ("echo\n# How long.\n", ""),
        ("", ""),
    ],
)
def test_other_languages_say_it_in_the_comment_they_begin_with(
    tmp_path: Path, content: str, comment: str
) -> None:
    assert read_script(script(tmp_path, content, "probes/a.sh"), "probes/a.sh").docstring == comment


def test_arguments_are_those_given_in_so_many_words(tmp_path: Path) -> None:
    text = (
        "p.add_argument('--width', '-w', type=int, default=4 * 2, help='100 %% of it')\n"
        "p.add_argument('target', default=None)\np.add_argument('--out', default='')\n"
        "p.add_argument(*names)\np.add_argument()\np.add_argument(f'--{x}', help=f'of {x!r} and {y}')\n"
        "other('--not-this')\n"
    )
    assert arguments(tmp_path, text) == (
        Argument("--width, -w", "4 * 2", "100 % of it"),
        Argument("target"),
        Argument("--out"),
        Argument("--{x}", "", "of {x!r} and {y}"),
    )


@pytest.mark.parametrize(
    "loop",
    [
        "for name, reader, default, meaning in TABLE:\n    {}\n",
        "def parser():\n    for name, _, default, meaning in TABLE:\n        if p:\n            {}\n",
    ],
    ids=["module", "function"],
)
@pytest.mark.parametrize("head", ["TABLE", "TABLE: tuple[object, ...]"])
def test_arguments_of_a_table_are_listed(tmp_path: Path, loop: str, head: str) -> None:
    table = f"{head} = (('--a', int, 1, 'the first'), ('--b', str, 'x', 'the other'))\n"
    adding = loop.format("p.add_argument(name, default=default, help=meaning)")
    assert arguments(tmp_path, table + adding) == (
        Argument("--a", "1", "the first"),
        Argument("--b", "'x'", "the other"),
    )


def test_a_parser_that_adds_under_another_name_is_understood(tmp_path: Path) -> None:
    text = "def parse():\n    add = parser.add_argument\n    add('--a', default=1)\nadd('--not-this')\n"
    assert arguments(tmp_path, text) == (Argument("--a", "1"),)


def test_a_table_of_names_alone_is_understood_too(tmp_path: Path) -> None:
    text = "NAMES = ['--a', '--b']\nfor name in NAMES:\n    p.add_argument(name)\n"
    assert arguments(tmp_path, text) == (Argument("--a"), Argument("--b"))


def test_a_default_is_shown_by_its_value_and_not_by_its_name(tmp_path: Path) -> None:
    text = (
        "MARGIN = 8\nROWS = ('a', 'b')\nWHERE = Path('x')\nTABLE = (('--margin', MARGIN), ('--rows', ROWS))\n"
        "for name, default in TABLE:\n    parser.add_argument(name, default=default)\n"
        "parser.add_argument('--where', default=WHERE)\n"
    )
    (tmp_path / "p.py").write_text(text, encoding="utf-8")
    found = read_script(tmp_path, "p.py").arguments
    assert {each.names: each.default for each in found} == {
        "--margin": "8",
        "--rows": "('a', 'b')",
        "--where": "WHERE",
    }


def test_a_loop_over_something_unknown_lists_nothing(tmp_path: Path) -> None:
    assert arguments(tmp_path, "for name in names():\n    p.add_argument(name)\n") == ()


def test_a_huge_script_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="larger than"):
        read_script(script(tmp_path, b"#" * (LARGEST + 1)), "probes/a.py")


def test_loops_in_loops_end(tmp_path: Path) -> None:
    loops = "".join(f"{' ' * depth}for row in ROWS:\n" for depth in range(8))
    text = f"p.add_argument('--first')\nROWS = ({'1, ' * 100})\n{loops}{' ' * 8}p.add_argument('--no')\n"
    given = arguments(tmp_path, text)
    assert given[0] == Argument("--first")
    assert len(given) <= MOST_NODES


def test_a_script_too_large_to_be_parsed_is_shown_all_the_same(tmp_path: Path) -> None:
    read = read_script(script(tmp_path, "# Times.\n" + "x = f'" + "{a}" * MOST_PARSED + "'\n"), "probes/a.py")
    assert (read.parsed, read.docstring) == (False, "Times.")
