from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_support import Project, quantity, text
from stilltrue.config import Limits
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.patterns import compiled
from stilltrue.quantity import NonFinite, Text

LOG = """## Run 1
loss 0.9 at 12 ms
## Run 2
loss 0.8 at 22.836s
café loss 0.7
## Run 3
loss 0.6 at 1,024 KiB
result OOM
loss NaN
"""


@pytest.fixture
def journal(tmp_path: Path) -> Project:
    return Project(tmp_path).write("log.txt", LOG)


def test_the_reading_is_the_value_group_or_the_only_group_or_the_match(journal: Project) -> None:
    assert journal.value("log.txt", text(r"(loss) (?P<value>\S+) (at) 12")) == quantity("0.9")
    assert journal.value("log.txt", text(r"loss (?P<number>\S+) at 12")) == quantity("0.9")
    assert journal.value("log.txt", text(r"loss (\S+) at 12")) == quantity("0.9")
    assert journal.value("log.txt", text(r"0\.9")) == quantity("0.9")
    assert journal.value("log.txt", text(r"result (\w+)")) == Text("OOM")
    assert journal.value("log.txt", text(r"^loss (N\w+)$")) == NonFinite("NaN")


def test_a_reading_may_carry_its_unit(journal: Project) -> None:
    assert journal.value("log.txt", text(r"at (22\S+)")) == quantity("22.836", "s")
    assert journal.value("log.txt", text(r"at ([\d,]+ KiB)")) == quantity("1024", "KiB")
    assert journal.value("log.txt", text(r"at ([\d,]+) KiB", symbol="KiB")) == quantity("1024", "KiB")
    error = journal.error("log.txt", text(r"at (22\S+)", symbol="MiB"))
    assert (error.code, error.path, error.line) == ("unit-mismatch", "log.txt", 4)


def test_lines_are_right_after_other_scripts(journal: Project) -> None:
    assert journal.lines("log.txt", text(r"^café loss (\S+)$")) == [5]
    assert journal.lines("log.txt", text(r"loss (\S+) at 1,024")) == [7]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(a)(b)", "2 groups, and none is named `value`"),
        (r"loss (?=\d)", "look-around"),
        (r"(\w)\1", "no back-references"),
        (r"loss (", "missing )"),
        (r"a{2000}", "at most 1,000 times"),
        (r"((a{100}){100}){100}", "RE2 refuses"),
        (r"*a", r"write `\*`"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused(
    journal: Project, pattern: str, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    error = journal.error("log.txt", text(pattern))
    assert error.code == "bad-pattern"
    assert words in error.message + error.hint
    assert capfd.readouterr().err == ""


def test_nothing_matched_is_an_error_and_so_is_an_absent_group(journal: Project) -> None:
    error = journal.error("log.txt", text(r"perplexity (\S+)"))
    assert (error.code, error.path) == ("no-reading", "log.txt")
    error = journal.error("log.txt", text(r"result OOM|loss (0.9)", "last"))
    assert (error.code, error.line) == ("no-reading", 8)
    assert "took no part" in error.message
    error = journal.error("log.txt", text(r"result(\d*)"))
    assert (error.code, error.line) == ("no-reading", 8)
    assert "is empty" in error.message


def test_several_matches_list_their_places(journal: Project) -> None:
    error = journal.error("log.txt", text(r"^loss (\S+) at"))
    assert (error.code, error.path, error.line) == ("several-readings", "log.txt", 2)
    assert "lines 2 (0.9), 4 (0.8), 7 (0.6)" in error.message
    assert "`take`" in error.hint


def test_between_bounds_the_text(journal: Project) -> None:
    assert journal.value("log.txt", text(r"loss (\S+) at", between=("^## Run 2$", "^## "))) == quantity("0.8")
    assert journal.lines("log.txt", text(r"loss (0\S+)", between=("^## Run 3$", "^## "))) == [7]
    error = journal.error("log.txt", text(r"loss (0.9)", between=("^## Run 2$", "^## ")))
    assert (error.code, error.message.count("between its bounds")) == ("no-reading", 1)


def test_the_first_bound_must_match_exactly_once(journal: Project) -> None:
    error = journal.error("log.txt", text(r"loss (\S+)", between=("^## Run", "^## ")))
    assert (error.code, error.line) == ("bad-between", 1)
    assert "3 times: lines 1, 3, 6" in error.message
    error = journal.error("log.txt", text(r"loss (\S+)", between=("^## Run 9$", "^## ")))
    assert (error.code, error.line) == ("bad-between", 0)
    assert "matches nothing" in error.message


def test_bounds_see_the_lines_around_them(tmp_path: Path) -> None:
    project = Project(tmp_path).write("log.txt", "begin 1 end 2\n3\n")
    assert project.error("log.txt", text(r"^ ?(\d)", between=("begin", "end"))).code == "no-reading"
    assert project.error("log.txt", text(r"(\d) ?$", between=("begin", "end"))).code == "no-reading"
    assert project.value("log.txt", text(r"\d", between=("begin", "end"))) == quantity("1")


def test_a_decimal_comma_and_dots_of_thousands(tmp_path: Path) -> None:
    project = Project(tmp_path).write("perf.txt", "  2,00 msec task-clock\n 1.801.175 cycles\n")
    assert project.value("perf.txt", text(r"([\d.,]+) msec", symbol="ms", decimal=",")) == quantity("2", "ms")
    assert project.value("perf.txt", text(r"([\d.,]+)\s+cycles", decimal=",")) == quantity("1801175")


def test_a_text_of_one_long_line_is_read_in_linear_time(tmp_path: Path) -> None:
    project = Project(tmp_path).write("log.txt", "x 1 " * 2_000_000 + "loss 5")
    start = time.process_time()
    assert project.value("log.txt", text(r"(?:x|1| )*loss (\d)")) == quantity("5")
    assert project.value("log.txt", text(r"loss (\d)$")) == quantity("5")
    assert time.process_time() - start < 10


def test_a_pattern_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    project = Project(tmp_path, Limits(seconds=0.05)).write("log.txt", "step " * 60_000)
    start = time.process_time()
    error = project.error("log.txt", text(r"(?s).*s.{900}.(.*)s"))
    assert (error.code, error.path) == ("too-slow", "log.txt")
    assert time.process_time() - start < 5


def test_matches_that_are_quadratic_are_given_up(tmp_path: Path) -> None:
    project = Project(tmp_path, Limits(seconds=0.3)).write("log.txt", "a" * 1_000_000)
    error = project.error("log.txt", text(r"(?s)a(?:.*z)?", "count"))
    assert error.code == "too-slow"


@settings(max_examples=200, deadline=None)
@given(st.text("aé\n1", max_size=20), st.sampled_from(["a*", "^", "$", "[a1]*", "é?", r"\b", "(?:)"]))
def test_matches_of_nothing_come_once_at_each_character(whole: str, pattern: str) -> None:
    data = whole.encode()
    spans = [match.span() for match in compiled(pattern).matches(data, 0, len(data), Deadline(60))]
    assert len(set(spans)) == len(spans)
    for start, end in spans:
        data[:start].decode()
        data[start:end].decode()


def test_a_half_character_in_a_pattern_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        compiled("\ud800")
    assert caught.value.code == "bad-pattern"
