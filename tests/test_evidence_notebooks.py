"""Notebooks as text: patterns match what cells printed, with the lines of the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents_support import NOTEBOOK, NOTEBOOK_3
from evidence_support import Project, quantity, take, text, tree
from stilltrue.evidence.survey import survey
from stilltrue.model import Read, Shape
from stilltrue.quantity import Text, show_value


def line_of(words: str, source: str = NOTEBOOK) -> int:
    """The one line of the file that holds some words."""
    (line,) = [number for number, line in enumerate(source.split("\n"), 1) if words in line]
    return line


@pytest.fixture
def notebook(tmp_path: Path) -> Project:
    return Project(tmp_path).write("a.ipynb", NOTEBOOK)


def test_a_pattern_matches_printed_lines_across_strings_and_ends_of_lines(notebook: Project) -> None:
    read = text(r"^Test accuracy: (\S+)$", "first")
    assert notebook.value("a.ipynb", read) == quantity("0.9130")
    assert notebook.lines("a.ipynb", read) == [line_of('"Test ",')]
    read = text(r"accuracy: \S+\npeak (?P<value>.* MiB)$")
    assert notebook.value("a.ipynb", read) == quantity("12288", "MiB")
    assert notebook.lines("a.ipynb", read) == [line_of("peak 12,288")]


def test_sources_are_no_readings_but_bound_them(notebook: Project) -> None:
    error = notebook.error("a.ipynb", text(r"accuracy: (\S+)"))
    assert error.code == "several-readings"
    first, second = line_of('"Test ",'), line_of("accuracy: 0.8875")
    assert f"lines {first} (0.913), {second} (0.8875)" in error.message
    under_a = text(r"accuracy: (\S+)", between=("^## Model A$", "^## "))
    assert notebook.value("a.ipynb", under_a) == quantity("0.9130")
    under_b = text(r"accuracy: (\S+)", between=("^## Model B$", "^## "))
    assert notebook.value("a.ipynb", under_b) == quantity("0.8875")
    after_code = text(r"accuracy: (\S+)", between=(r"^print\(", "^## "))
    assert notebook.value("a.ipynb", after_code) == quantity("0.9130")


def test_a_progress_bar_shows_its_last_state(notebook: Project) -> None:
    read = text(r"([\d.]+)it/s")
    assert notebook.value("a.ipynb", read) == quantity("9.75")
    assert notebook.error("a.ipynb", text("10%")).code == "no-reading"


def test_a_display_is_read_in_its_plainest_form_that_says_something(notebook: Project) -> None:
    read = text(r"<td>(.*)</td>")
    assert notebook.value("a.ipynb", read) == quantity("1.625")
    assert notebook.lines("a.ipynb", read) == [line_of("<td>")]
    assert notebook.error("a.ipynb", text("IPython")).code == "no-reading"
    assert notebook.lines("a.ipynb", text(r"^second line (\d)$")) == [line_of("second line")]
    assert notebook.value("a.ipynb", text(r"^ValueError: (\d+) of")) == quantity("42")
    assert notebook.value("a.ipynb", text(r"^(Traceback)$")) == Text("Traceback")


def test_no_match_runs_over_the_end_of_an_output(notebook: Project) -> None:
    assert notebook.error("a.ipynb", text(r"MiB\s+## Model")).code == "no-reading"
    assert notebook.error("a.ipynb", text(r"7\s+Traceback")).code == "no-reading"


def test_the_file_itself_is_matched_where_the_format_is_text(notebook: Project) -> None:
    read = Read(Shape.TEXT, match=r'"nbformat": (\d+)', take=take("only"), format="text")
    assert notebook.value("a.ipynb", read) == quantity("4")
    error = notebook.error("a.ipynb", text(r'"nbformat": (\d+)'))
    assert error.code == "no-reading"
    assert "`format: text`" in error.hint
    assert notebook.value("a.ipynb", tree("$.nbformat")) == quantity("4")
    error = notebook.error("a.ipynb", Read(Shape.TABLE, column="x", take=take("only")))
    assert error.code == "unknown-format"
    assert "read it as text with `match`" in error.hint


def test_a_notebook_under_another_name_needs_its_format(tmp_path: Path) -> None:
    project = Project(tmp_path).write("a.json", NOTEBOOK)
    read = Read(Shape.TEXT, match=r"peak (.*)$", take=take("only"), format="notebook")
    assert project.value("a.json", read) == quantity("12288", "MiB")
    assert project.error("a.json", text(r"^peak (.*)$")).code == "no-reading"


def test_version_3_is_read_too(tmp_path: Path) -> None:
    project = Project(tmp_path).write("old.ipynb", NOTEBOOK_3)
    assert project.value("old.ipynb", text(r"([\d.]+)")) == quantity("19.6796452999115")
    assert project.lines("old.ipynb", text(r"([\d.]+)")) == [line_of("19.6796", NOTEBOOK_3)]


def test_cells_that_ran_out_of_order_are_noted(tmp_path: Path, notebook: Project) -> None:
    read = text(r"peak (.*)$")
    assert notebook.take("a.ipynb", read).notes == ()
    project = Project(tmp_path).write(
        "a.ipynb", NOTEBOOK.replace('"execution_count": 1', '"execution_count": 7')
    )
    (note,) = project.take("a.ipynb", read).notes
    assert "not run from top to bottom" in note


BROKEN = {
    "no JSON": ("{", "malformed-evidence"),
    "no object": ("[1]", "malformed-evidence"),
    "no version": ('{"cells": []}', "malformed-evidence"),
    "a later version": ('{"nbformat": 5, "cells": []}', "malformed-evidence"),
    "a version of words": ('{"nbformat": "4", "cells": []}', "malformed-evidence"),
    "no cells": ('{"nbformat": 4}', "malformed-evidence"),
    "odd cells": ('{"nbformat": 4, "cells": [3]}', "malformed-evidence"),
    "no outputs": ('{"nbformat": 4, "cells": [{"source": "1", "outputs": []}]}', "no-reading"),
    "odd outputs": ('{"nbformat": 4, "cells": [{"source": 1, "outputs": [1, {"data": 3}]}]}', "no-reading"),
    "cut": (NOTEBOOK[:900], "malformed-evidence"),
    "another format": ("a,b\n1,2\n", "malformed-evidence"),
    "empty": ("\n", "empty-file"),
}


@pytest.mark.parametrize(("source", "code"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_notebook_is_an_error_with_a_way_out(tmp_path: Path, source: str, code: str) -> None:
    error = Project(tmp_path).write("a.ipynb", source).error("a.ipynb", text("1", "count"))
    assert error.code == code
    assert error.hint


def test_half_a_character_in_an_output_is_no_crash(tmp_path: Path) -> None:
    outputs = '[{"output_type": "stream", "text": "a \\ud800 7\\r\\nb\\r\\n"}]'
    source = f'{{"nbformat": 4, "cells": [{{"source": "", "outputs": {outputs}}}]}}'
    project = Project(tmp_path).write("a.ipynb", source)
    assert project.value("a.ipynb", text(r"^a . (\d)$")) == quantity("7")


STREAMS = st.lists(
    st.lists(st.text(alphabet="ab\n7é ", max_size=6), min_size=1, max_size=4), min_size=1, max_size=4
)


def places(streams: list[list[str]], rows: list[str]) -> list[int]:
    """The row of the string that the line of each 7 begins in."""
    found: list[int] = []
    row = 0
    for pieces in streams:
        row = rows.index('     "text": [', row)
        begun = 0
        for number, piece in enumerate(pieces, row + 2):
            for sign in piece:
                begun = begun or number
                found += [begun] * (sign == "7")
                begun = 0 if sign == "\n" else begun
        row += 1
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STREAMS)
def test_every_reading_is_on_the_line_of_the_string_that_its_line_begins_in(
    tmp_path: Path, streams: list[list[str]]
) -> None:
    cell = {"source": ["7\n"], "outputs": [{"output_type": "stream", "text": pieces} for pieces in streams]}
    source = json.dumps({"nbformat": 4, "cells": [cell]}, indent=1, ensure_ascii=False)
    project = Project(tmp_path).write("a.ipynb", source)
    if any("".join(pieces) for pieces in streams):
        (picks,) = project.library.groups(("a.ipynb",), text("7", "count"))
        assert [pick.place.line for pick in picks] == places(streams, source.split("\n"))
    else:
        assert project.error("a.ipynb", text("7", "count")).code == "no-reading"


def test_a_survey_lists_what_was_printed_and_its_reads_find_it(notebook: Project) -> None:
    (part,) = survey(notebook.config, "a.ipynb").parts
    found = {show_value(held.value): held for held in part.held}
    assert {"0.913", "0.8875", "12,288 MiB", "42"} <= set(found)
    assert "0.99" not in found  # in a sentence above the cell
    assert "0.5" not in found  # in its code
    alone = [held for held in part.held if held.alone()]
    assert len(alone) > 3
    for held in alone:
        ((key, pattern),) = held.keys()
        assert key == "match"
        assert notebook.take("a.ipynb", text(pattern)).value == held.value
        assert notebook.lines("a.ipynb", text(pattern)) == [held.line()]
