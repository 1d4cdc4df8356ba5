"""`readings` and `bind`, through the command line: what a file holds, and the claim for a number."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidence_support import Project, quantity, take
from recording_support import Done, stilltrue_in
from stilltrue.binding.words import words
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.evidence import Library
from stilltrue.evidence.survey import survey
from stilltrue.model import Read, Shape, Verdict

MEMORY = """{"rows": [
 {"loss": "naive", "n": 1, "length": 8192, "peak_gib": 81.93, "seconds": 12.25},
 {"loss": "chunked", "n": 4, "length": 16384, "peak_gib": 12.31, "seconds": 14.5},
 {"loss": "chunked", "n": 1, "length": 8192, "peak_gib": 6.15, "seconds": 3.75}],
 "attention_share": 0.6523, "util_percent": 43.7, "mean_loss": 2.3147, "steps": 18250}
"""
LOG = """step 100 | loss 2.3141 | 22.81 ms
step 200 | loss 2.2711 | 22.75 ms
Throughput: 18,412 tokens/s
Total time: 2219.6 s
peak memory allocated: 61.42 GiB
"""
STEPS = "stage,time (ms),share (%)\nforward,412.25,31.5\nbackward,824.75,63.1\n"
PROFILE = """-------  ------------  ------------  ------------  ------------  ------------
   Name      Self CPU %      Self CPU   CPU total %     CPU total    # of Calls
-------  ------------  ------------  ------------  ------------  ------------
  aten::mm        71.25%      12.345ms        71.25%      12.345ms            10
 aten::add        28.75%       4.982ms        28.75%       4.982ms             3
-------  ------------  ------------  ------------  ------------  ------------
Self CPU time total: 17.327ms
"""
TABLE = """| Loss | Sequences | Length | Seconds |
|---|---|---|---|
| naive | 1 | 8,192 | 12.25 |
| chunked | 4 | 16,384 | **14.50** |
"""


def write(root: Path, files: Mapping[str, str]) -> Path:
    fixed = {"stilltrue.toml": "", "e/memory.json": MEMORY, "e/run.log": LOG, "e/steps.csv": STEPS}
    for name, text in {**fixed, "e/profile.txt": PROFILE, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8", newline="")
    return root


def bind(root: Path, page: str, *args: str) -> Done:
    """`bind` of a number on the third line of a page."""
    write(root, {"README.md": f"# A\n\n{page}\n"})
    return stilltrue_in(root, "bind", "README.md:3", *args)


def bound(root: Path, page: str, *args: str) -> dict[str, Any]:
    return dict(json.loads(bind(root, page, *args, "--format", "json").out))


def files_of(root: Path) -> dict[str, bytes]:
    kept = (path for path in root.rglob("*") if path.is_file() and ".stilltrue" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in kept}


def verdicts(root: Path) -> dict[str, Verdict]:
    report = check(load(root))
    assert not report.problems, report.problems
    return {each.claim.id: each.verdict for each in report.judgements}


# What makes a candidate sure ---------------------------------------------------------------------------


LEVELS = {
    "a key that the sentence names": ("The mean loss was 2.3147 after all.", "e/memory.json", "sure"),
    "a noun behind the number": ("It took 18,250 steps.", "e/memory.json", "sure"),
    "a label of a log with its unit": ("The peak memory allocated was 61.42 GiB.", "e/run.log", "sure"),
    "another unit of the same kind": ("The total time was 36.99 min.", "e/run.log", "sure"),
    "a row and its column": ("The backward time was 824.8 ms.", "e/steps.csv", "sure"),
    "a row of a profiler table": ("Self CPU of `x`, aten mm, was 12.345 ms.", "e/profile.txt", "likely"),
    "no word that names it": ("It was 2.3147 in the end.", "e/memory.json", "likely"),
    "the words of another key": ("The attention share was 2.3147.", "e/memory.json", "likely"),
    "the row of another": ("The forward time was 824.8 ms.", "e/steps.csv", "likely"),
    "words of two rows": ("Backward, unlike forward, time was 824.8 ms.", "e/steps.csv", "likely"),
    "too few digits for chance": ("The mean loss was 2.3.", "e/memory.json", "likely"),
    "a bound": ("The mean loss was > 2.0147.", "e/memory.json", "likely"),
    "a unit that only a name says": ("The chunked peak was 12.31 GiB.", "e/memory.json", "likely"),
    "a percentage that only a name says": ("The util was 43.7 %.", "e/memory.json", "likely"),
    "a fraction for a percentage": ("The attention share was 65.2 %.", "e/memory.json", "conversion"),
    "a unit that nothing says": ("The mean loss was 2.3147 ms.", "e/memory.json", "conversion"),
}


@pytest.mark.parametrize("name", LEVELS)
def test_how_much_speaks_for_the_best_candidate(name: str, tmp_path: Path) -> None:
    page, evidence, level = LEVELS[name]
    binding = bound(write(tmp_path, {}), page, evidence)
    assert binding["candidates"][0]["level"] == level, binding["candidates"][0]
    assert (binding["proposal"] is None) == (level == "conversion")


def test_of_two_values_that_agree_neither_is_sure(tmp_path: Path) -> None:
    root = write(tmp_path, {"e/twice.json": '{"mean_loss": 2.3147, "last": {"mean_loss": 2.3147}}'})
    binding = bound(root, "The mean loss was 2.3147.", "e/twice.json")
    assert [each["level"] for each in binding["candidates"]] == ["possible", "possible"]
    assert binding["candidates"][0]["why"] == "1 more of the file's values agree"


def test_chance_is_the_share_of_numbers_with_these_digits_that_would_agree(tmp_path: Path) -> None:
    root = write(tmp_path, {"e/few.json": '{"a": 12.31, "b": 15.02, "c": 15.04, "d": 3.1, "e": "text"}'})
    binding = bound(root, "The a was 12.3 here.", "e/few.json")
    assert binding["chance"] == "0.00222222222222"  # two different tenths of 900


# Percent and units are not guessed ---------------------------------------------------------------------


def test_percent_is_never_guessed_from_a_fraction(tmp_path: Path) -> None:
    done = bind(write(tmp_path, {}), "The attention share was 65.2 %.", "e/memory.json")
    assert done.code == 1
    assert "1. needs a conversion: e/memory.json:5: 0.6523" in done.out
    assert "only if `0.6523` is a share of 1: the file does not say so" in done.out
    assert "nothing is proposed" in done.out
    assert "```claim" not in done.out
    refused = bind(tmp_path, "The attention share was 65.2 %.", "e/memory.json", "--write")
    assert refused.code == 2
    assert "would need a conversion" in refused.err
    assert "claim:" not in (tmp_path / "README.md").read_text()


def test_a_conversion_that_its_author_vouches_for_is_written_into_the_block(tmp_path: Path) -> None:
    root = write(tmp_path, {"e/u.json": '{"busy": 65.3, "idle": 0.653}'})
    page = "The device was busy 65.3 % of the time."
    binding = bound(root, page, "e/u.json")
    assert [(each["level"], each["read"]) for each in binding["candidates"]] == [
        ("conversion", {"path": "$.busy", "unit": "%"}),
        ("conversion", {"path": "$.idle"}),
    ]
    done = bind(root, page, "e/u.json", "--pick", "1", "--write", "--id", "busy")
    assert (done.code, done.err) == (0, "")
    assert '  unit: "%"\n' in (root / "README.md").read_text()
    assert verdicts(root) == {"busy": Verdict.HOLDS}


# The block ---------------------------------------------------------------------------------------------


READS = {
    "a key": ("The mean loss was 2.3147.", "e/memory.json", {"path": "$.mean_loss"}),
    "an object of an array": (
        "It took 14.5 s.",
        "e/memory.json",
        {"path": "$.rows[?@.loss == 'chunked' && @.n == 4].seconds", "unit": "s"},
    ),
    "a cell": ("It took 824.75 ms.", "e/steps.csv", {"where": "stage == 'backward'", "column": "time_ms"}),
    "a label": ("It took 2219.6 s.", "e/run.log", {"match": r"\bTotal time: (\S+ s)"}),
    "one of several lines": ("It was 2.2711.", "e/run.log", {"match": r"^step 200 \| loss (\S+)"}),
    "a profiler's row": (
        "It took 4.982 ms.",
        "e/profile.txt",
        {"where": "name == 'aten::add'", "column": "self_cpu"},
    ),
}


@pytest.mark.parametrize("name", READS)
def test_the_read_is_exact_readable_and_judged_before_it_is_shown(name: str, tmp_path: Path) -> None:
    page, evidence, read = READS[name]
    binding = bound(write(tmp_path, {}), page, evidence)
    reads = [each["read"] for each in binding["candidates"]]
    assert read in reads
    number = reads.index(read) + 1
    picked = bound(tmp_path, page, evidence, "--pick", str(number))
    assert picked["proposal"]["verdict"] == "holds"
    assert picked["proposal"]["candidate"] == number


def test_an_index_picks_what_nothing_names_and_is_not_sure(tmp_path: Path) -> None:
    root = write(tmp_path, {"e/list.json": '{"loss": [2.5011, 2.4127, 2.3038]}'})
    binding = bound(root, "The loss was 2.4127.", "e/list.json")
    (candidate,) = binding["candidates"]
    assert (candidate["level"], candidate["read"]) == ("likely", {"path": "$.loss[1]"})


# Writing -----------------------------------------------------------------------------------------------


def test_a_sure_number_is_written_as_a_block_behind_its_paragraph_and_as_a_link(tmp_path: Path) -> None:
    root = write(tmp_path, {})
    page = "The mean loss was **2.3147** in\nall of it.\n\nNext."
    done = bind(root, page, "e/memory.json", "--write")
    assert (done.code, done.err) == (0, "")
    assert "README.md:5: written, of candidate 1:" in done.out
    assert (root / "README.md").read_text() == (
        "# A\n\nThe mean loss was **[2.3147](claim:mean-loss)** in\nall of it.\n\n"
        '```claim\nid: mean-loss\nsays: "The mean loss was {value} in all of it."\nvalue: 2.3147\n'
        "evidence: e/memory.json\nread:\n  path: $.mean_loss\n```\n\nNext.\n"
    )
    assert verdicts(root) == {"mean-loss": Verdict.HOLDS}


def test_a_cell_becomes_a_link_and_the_block_goes_behind_its_table(tmp_path: Path) -> None:
    root = write(tmp_path, {"README.md": f"# A\n\n{TABLE}\nEnd.\n"})
    done = stilltrue_in(root, "bind", "README.md:6", "e/memory.json", "--value", "14.50", "--write")
    assert (done.code, done.err) == (0, "")
    text = (root / "README.md").read_text()
    assert "| chunked | 4 | 16,384 | **[14.50](claim:chunked-4-seconds)** |\n\n```claim\n" in text
    assert text.endswith("```\n\nEnd.\n")
    assert verdicts(root) == {"chunked-4-seconds": Verdict.HOLDS}


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.html", "<p>The mean loss was <b>2.3147</b>.</p>\n", 1),
        ("config.yml", "run:\n  mean_loss: 2.3147\n", 2),
        ("run.sh", "# mean loss 2.3147\nMEAN_LOSS=2.3147\n", 2),
        ("notes.rst", "Notes\n=====\n\nThe mean loss was 2.3147.\n", 4),
    ],
    ids=["html", "yaml", "shell", "rst"],
)
def test_a_file_that_is_no_page_is_left_and_a_claims_file_finds_its_number(
    path: str, text: str, line: int, tmp_path: Path
) -> None:
    root = write(tmp_path, {path: text})
    done = stilltrue_in(
        root, "bind", f"{path}:{line}", "e/memory.json", "--pick", "1", "--write", "--id", "l"
    )
    assert (done.code, done.err) == (0, "")
    assert (root / path).read_text() == text
    assert verdicts(root) == {"l": Verdict.HOLDS}
    (root / path).write_text(text.replace("2.3147", "2.3148"))
    assert check(load(root)).judgements[0].verdict is Verdict.DRIFTED


def test_line_ends_and_a_byte_order_mark_stay(tmp_path: Path) -> None:
    root = write(tmp_path, {"README.md": "\ufeffThe mean loss was 2.3147.\r\n\r\nNext.\r\n"})
    assert stilltrue_in(root, "bind", "README.md:1", "e/memory.json", "--write").code == 0
    data = (root / "README.md").read_bytes()
    assert data.startswith("\ufeffThe mean loss was [2.3147](claim:mean-loss).\r\n\r\n```claim\r\n".encode())
    assert data.endswith(b"```\r\n\r\nNext.\r\n")
    assert data.count(b"\n") == data.count(b"\r\n")


def test_nothing_is_written_unless_asked(tmp_path: Path) -> None:
    root = write(tmp_path, {"README.md": "# A\n\nThe mean loss was 2.3147.\n"})
    before = files_of(root)
    assert stilltrue_in(root, "bind", "README.md:3", "e/memory.json").code == 0
    assert stilltrue_in(root, "readings", "e/memory.json").code == 0
    assert files_of(root) == before


# A whole column ----------------------------------------------------------------------------------------


def test_a_column_of_a_page_becomes_a_block_above_its_table(tmp_path: Path) -> None:
    root = write(tmp_path, {"README.md": f"# A\n\nSeconds:\n\n{TABLE}\nEnd.\n"})
    args = ("README.md:8", "e/memory.json", "--value", "14.50", "--whole-column", "--write")
    done = stilltrue_in(root, "bind", *args)
    assert (done.code, done.err) == (0, "")
    assert "memory holds: 2 claims" in done.out
    assert (root / "README.md").read_text() == (
        '# A\n\nSeconds:\n\n```claims\nid: memory\nsays: "Seconds ({Loss}, {Sequences}) is {value}."\n'
        "key: [Loss, Sequences]\nevidence: e/memory.json\ncolumns:\n  Seconds:\n    read:\n"
        """      path: "$.rows[?@.loss == {Loss} && @.n == {Sequences}].seconds"\n```\n\n"""
        f"{TABLE}\nEnd.\n"
    )
    assert set(verdicts(root)) == {"memory.naive.1.seconds", "memory.chunked.4.seconds"}
    again = stilltrue_in(root, "bind", "README.md:19", "e/memory.json", "--value", "14.50")
    assert (again.code, "bound already" in again.err) == (2, True)


ROWS = "<tr><th>Stage</th><th>Took</th></tr><tr><td>x</td><td>1 s</td></tr>"


@pytest.mark.parametrize(
    ("path", "text", "line", "where"),
    [
        (
            "a.html",
            (
                "<table><tr><th>Stage</th><th>Took</th></tr>\n<tr><td>forward</td><td>412.25 ms</td></tr>\n"
                "<tr><td>backward</td><td>824.75 ms</td></tr></table>\n"
            ),
            2,
            "{file: 'a.html'}",
        ),
        (
            "b.html",
            (
                f"<table>{ROWS}</table>\n<h2>Mine (b)</h2>\n<table>\n<tr><th>Stage</th><th>Took</th></tr>\n"
                "<tr><td>forward</td><td>412.25 ms</td></tr>\n</table>\n"
            ),
            5,
            r"{file: 'b.html', after: '^<table>$'}",
        ),
        (
            "c.rst",
            (
                "========  =========\nStage     Took\n========  =========\nforward   412.25 ms\n"
                "backward  824.75 ms\n========  =========\n"
            ),
            4,
            "{file: 'c.rst'}",
        ),
        (
            "d.rst",
            (
                ".. list-table::\n\n   * - Stage\n     - Took\n   * - forward\n     - 412.25 ms\n"
                "   * - backward\n     - 824.75 ms\n"
            ),
            6,
            "{file: 'd.rst'}",
        ),
    ],
    ids=["html", "the second of a file", "rst", "a row of several lines"],
)
def test_a_column_elsewhere_becomes_an_item_that_names_its_table(
    path: str, text: str, line: int, where: str, tmp_path: Path
) -> None:
    root = write(tmp_path, {path: text})
    args = ("--value", "412.25 ms", "--pick", "1", "--whole-column", "--write")
    done = stilltrue_in(root, "bind", f"{path}:{line}", "e/steps.csv", *args)
    assert (done.code, done.err) == (0, "")
    assert (root / path).read_text() == text
    (written,) = (root / "claims").iterdir()
    assert f"  table_in: {where}\n" in written.read_text()
    assert 'where: "stage == {Stage}"\n' in written.read_text()
    assert set(verdicts(root).values()) == {Verdict.HOLDS}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("12.25", "12.52", "`memory.naive.1.seconds` would be drifted: the page says `12.52`"),
        ("| chunked |", "| in parts |", "no cell of its row says `chunked`, which names the row in the file"),
    ],
    ids=["a cell that drifted", "a row of another name"],
)
def test_a_column_that_would_not_hold_as_a_whole_is_not_written(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    page = f"# A\n\n{TABLE.replace(old, new)}"
    root = write(tmp_path, {"README.md": page})
    args = ("README.md:6", "e/memory.json", "--value", "14.50", "--whole-column", "--pick", "1", "--write")
    done = stilltrue_in(root, "bind", *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert (root / "README.md").read_text() == page


# What is refused ---------------------------------------------------------------------------------------

REFUSED = {
    "a candidate that is not sure": (
        "It was 2.3147 in the end.",
        ("--write",),
        "the best candidate is likely",
    ),
    "no candidate": ("It was 9.8765.", ("--write",), "nothing in `e/memory.json` agrees with `9.8765`"),
    "a bound number": (
        "The [2.3147](claim:x).\n\n```claim\nid: x\nsays: '{value}'\nvalue: 2.3147\nreported: {by: me}\n```",
        (),
        "`2.3147` is bound already, to `x`",
    ),
    "several numbers": ("It was 2.3147 of 18,250.", (), "the line holds 2 numbers"),
    "another number": ("It was 2.3147.", ("--value", "7"), "that is none of the line's numbers"),
    "no number": ("It was `2.3147`.", (), "the line holds no number"),
    "an id that is none": ("It was 2.3147.", ("--id", "A b"), "`A b` is no id"),
    "a candidate that is none": ("It was 2.3147.", ("--pick", "9"), "there is no candidate 9"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_bound_is_refused_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    page, args, said = REFUSED[name]
    done = bind(write(tmp_path, {}), page, "e/memory.json", *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert (tmp_path / "README.md").read_text() == f"# A\n\n{page}\n"


def test_a_claim_that_would_fail_is_not_proposed(tmp_path: Path) -> None:
    root = write(tmp_path, {"stilltrue.toml": "require_provenance = true\n", "README.md": ""})
    (root / "README.md").write_text("The mean loss was 2.3147.\n")
    done = stilltrue_in(root, "bind", "README.md:1", "e/memory.json")
    assert done.code == 1
    assert "the block would not hold: it would be suspect" in done.out
    assert stilltrue_in(root, "bind", "README.md:1", "e/memory.json", "--write").code == 2
    assert (root / "README.md").read_text() == "The mean loss was 2.3147.\n"


def test_a_column_picks_one_of_several_numbers(tmp_path: Path) -> None:
    root = write(tmp_path, {"README.md": "After 18,250 steps the mean loss was 2.3147.\n"})
    done = stilltrue_in(root, "bind", "README.md:1:38", "e/memory.json", "--format", "json")
    assert json.loads(done.out)["number"] == {"path": "README.md", "line": 1, "column": 38, "text": "2.3147"}


@pytest.mark.parametrize("place", ["README.md", "README.md:", "README.md:0", "README.md:x", ":3"])
def test_a_place_that_is_none_is_a_usage_error(place: str, tmp_path: Path) -> None:
    done = stilltrue_in(write(tmp_path, {}), "bind", place, "e/memory.json")
    assert (done.code, done.out) == (2, "")
    assert "is no place on a page" in done.err


# What a file holds -------------------------------------------------------------------------------------


def test_readings_lists_columns_paths_labels_units_and_repeated_keys(tmp_path: Path) -> None:
    root = write(tmp_path, {"e/two.json": '{"train": {"loss": 2.5}, "eval": {"loss": 2.25, "name": "x"}}'})
    out = stilltrue_in(root, "readings", "e/two.json").out
    assert out == (
        "e/two.json: tree, read as `json`\n"
        "  path: $.train.loss  1 value  2.5\n"
        "  path: $.eval.loss   1 value  2.25\n"
        "  path: $.eval.name   1 value  x\n"
        "the same name in several places, so a page must say which is meant:\n"
        "  loss: $.eval.loss, $.train.loss\n"
    )
    out = stilltrue_in(root, "readings", "e/steps.csv").out
    assert "table 1, 2 rows, read as `csv`, from line 1" in out
    assert "  column: time_ms        2 values  412.25 ms, 824.75 ms" in out
    out = stilltrue_in(root, "readings", "e/run.log").out
    assert re.search(r"^  match: \(\[0-9\.\]\+ ms\) +2 values  22\.81 ms, 22\.75 ms$", out, re.MULTILINE)


def test_readings_of_a_folder_say_what_to_name(tmp_path: Path) -> None:
    done = stilltrue_in(write(tmp_path, {}), "readings", "e")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("e: `e` is a folder\n  name a file in it")


def test_a_number_is_not_named_by_words_behind_a_separator(tmp_path: Path) -> None:
    root = write(
        tmp_path, {"e/a.log": "iter 1 | 411.1 ms/iter | MFU 40.1%\niter 2 | 412.2 ms/iter | MFU 40.2%\n"}
    )
    out = stilltrue_in(root, "readings", "e/a.log").out
    assert "  match: ([0-9.]+ ms/iter)  2 values" in out
    assert "the same name" not in out


def test_a_pattern_that_is_listed_for_words_reads_as_many_values_as_it_says(tmp_path: Path) -> None:
    log = (
        "loss 9 | eval_loss 0.5\nloss 0.125 | eval_loss 1e-3\n"
        "rate (tok/s): 1,024.5\n  rate (tok/s): 980\nat 5.\n"
    )
    root = write(tmp_path, {"e/a.log": log + LOG})
    done = stilltrue_in(root, "readings", "e/a.log", "--format", "json")
    groups = json.loads(done.out)["parts"][0]["groups"]
    assert {group["read"]["match"] for group in groups} >= {
        r"\bloss ([0-9.]+)",
        r"\beval_loss ([0-9.eE+-]+)",
        r"\brate \(tok/s\): ([0-9.,]+)",
        r"^at ([0-9]*[0-9])",
    }
    project = Project(root)
    for group in groups:
        read = Read(Shape.TEXT, match=group["read"]["match"], take=take("count"))
        assert project.value("e/a.log", read) == quantity(str(group["count"])), group


def test_columns_of_yes_and_no_are_listed_since_conditions_ask_for_them(tmp_path: Path) -> None:
    event = '{"ph": "X", "name": "k", "cat": "kernel", "ts": 1, "dur": 2.5, "pid": 0, "tid": 7}'
    root = write(tmp_path, {"e/trace.json": f'{{"traceEvents": [{event}]}}'})
    out = stilltrue_in(root, "readings", "e/trace.json").out
    assert re.search(r"^  column: device +1 value  yes$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("like", "lines"),
    [
        ("824.8 ms", ["e/steps.csv:3: 824.75 ms  where: stage == 'backward', column: time_ms"]),
        ("share forward", ["e/steps.csv:2: 31.5 %  where: stage == 'forward', column: share_percent"]),
        ("nothing such", ["e/steps.csv: nothing in it is like `nothing such`"]),
    ],
)
def test_readings_that_are_like_a_number_or_words(like: str, lines: list[str], tmp_path: Path) -> None:
    done = stilltrue_in(write(tmp_path, {}), "readings", "e/steps.csv", "--like", like)
    assert done.out.splitlines() == lines
    assert done.code == (1 if "nothing" in like else 0)


def test_readings_as_json_hold_the_exact_reads(tmp_path: Path) -> None:
    root = write(tmp_path, {})
    done = stilltrue_in(root, "readings", "e/memory.json", "--like", "12.31", "--format", "json")
    found = json.loads(done.out)["found"]
    assert found == [
        {
            "read": {"path": "$.rows[?@.loss == 'chunked' && @.n == 4].peak_gib"},
            "line": 3,
            "text": "12.31",
            "value": "12.31",
            "unit": None,
        }
    ]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.json", b""),
        ("cut.json", b'{"a": 1, '),
        ("twice.json", b'{"a": 1, "a": 2}'),
        ("deep.json", b"[" * 100_000),
        ("broken.csv", b'a,b\n1,"2\n'),
        ("binary.bin", bytes(range(256)) * 8),
        ("not-packed.gz", b"\x1f\x8b" + b"x" * 40),
    ],
    ids=["empty", "cut", "twice", "deep", "broken", "binary", "packed"],
)
def test_a_file_that_cannot_be_read_is_told_as_such(name: str, data: bytes, tmp_path: Path) -> None:
    root = write(tmp_path, {"README.md": "It was 2.3147.\n"})
    (root / name).write_bytes(data)
    done = stilltrue_in(root, "readings", name)
    assert "Traceback" not in done.err
    assert (done.code, done.out) == (2, "") or "no value was found" in done.out
    assert stilltrue_in(root, "bind", "README.md:1", name).code in (1, 2)


def test_a_packed_file_is_listed_as_what_it_holds(tmp_path: Path) -> None:
    root = write(tmp_path, {})
    (root / "m.json.gz").write_bytes(gzip.compress(MEMORY.encode()))
    assert "path: $.mean_loss" in stilltrue_in(root, "readings", "m.json.gz").out


# The page about it -------------------------------------------------------------------------------------

_SHOWN = re.compile(
    r'^(?P<fence>`{3,})\w+(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^(?P=fence)$', re.MULTILINE | re.DOTALL
)


def test_what_its_page_shows_is_what_the_commands_say(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "tool" / "bind.md").read_text(encoding="utf-8")
    shown = list(_SHOWN.finditer(page))
    root = write(tmp_path, {each["title"]: each["body"] for each in shown if each["title"]})
    consoles = [each["body"].partition("\n") for each in shown if each["body"].startswith("$ stilltrue ")]
    assert len(consoles) == 4
    for command, _, output in consoles:
        assert stilltrue_in(root, *shlex.split(command)[2:]).out == output, command


# Every read that is listed is exact --------------------------------------------------------------------

_KEYS = st.text(st.sampled_from("ab_é '\"\\.-[]\n1"), min_size=1, max_size=4)
_SCALARS = st.one_of(st.integers(0, 99), st.sampled_from([1.5, 2.25, "x", "y z", "it's", True]))
_TREES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_TREES)
def test_each_path_gives_its_own_value_and_no_other(tmp_path: Path, tree: Any) -> None:
    root = write(tmp_path, {"t.json": json.dumps([tree])})
    config = load(root)
    for part in survey(config, "t.json").parts:
        for held in part.held:
            if part.shape is Shape.TREE:
                ((_, path),) = held.keys()
                taken = Library(config).take(("t.json",), Read(Shape.TREE, path=path))
                assert taken.value == held.value


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b'c", "d e"]), st.integers(0, 3), st.sampled_from(["1.5", "2.25 ms"])
        ),
        min_size=1,
        max_size=6,
    )
)
def test_each_where_picks_its_own_row_and_no_other(tmp_path: Path, rows: list[tuple[str, int, str]]) -> None:
    text = "name,order,it took\n" + "".join(f"{name},{order},{value}\n" for name, order, value in rows)
    root = write(tmp_path, {"t.csv": text})
    config = load(root)
    (part,) = survey(config, "t.csv").parts
    for held in part.held:
        keys = dict(held.keys())
        read = Read(Shape.TABLE, column=keys["column"], where=keys.get("where", ""))
        (reading,) = Library(config).take(("t.csv",), read).readings
        assert (reading.value, reading.line) == (held.value, held.line())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("peakMemory_GiB", {"peak", "memory", "gib"}),
        ("the losses of 16,384 tokens", {"losse", "16384", "token"}),
        ("p99 latency, 0.5", {"p99", "latency", "0.5"}),
    ],
)
def test_words(text: str, found: set[str]) -> None:
    assert words(text) == found


def test_a_line_that_says_nan_is_not_passed_over(tmp_path: Path) -> None:
    log = "loss 2.5134\nloss 2.3147\n"
    page = "The last loss was 2.3147."
    root = write(tmp_path, {"e/own.log": log})
    assert bind(root, page, "e/own.log", "--pick", "1", "--write").code == 0
    assert set(verdicts(root).values()) == {Verdict.HOLDS}
    (root / "e/own.log").write_text(f"{log}loss nan\n", encoding="utf-8")
    assert set(verdicts(root).values()) == {Verdict.BROKEN}
    done = bind(root, page, "e/own.log", "--pick", "1", "--write")
    assert (done.code, "would not hold" in done.err) == (2, True)


def test_aside_leaves_a_page_as_it_is(tmp_path: Path) -> None:
    page = f"# A\n\nThe mean loss was 2.3147.\n\n{TABLE}"
    root = write(tmp_path, {"README.md": page})
    aside = ("e/memory.json", "--aside", "--pick", "1", "--write")
    one = stilltrue_in(root, "bind", "README.md:3", *aside)
    column = stilltrue_in(root, "bind", "README.md:8", "--value", "14.50", "--whole-column", *aside)
    assert (one.code, column.code) == (0, 0), one.err + column.err
    assert (root / "README.md").read_text(encoding="utf-8") == page
    assert list(verdicts(root).values()) == [Verdict.HOLDS] * 3
