"""The page for a README with a table and a folder of logs, replayed from its first line to its last."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from edit_support import checked, project
from replay_support import TOOL, fenced, followed, quickly, run, shell_in, steps
from stilltrue.model import Verdict

PAGE = "readme.md"
ROOT = TOOL.parents[1]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return shell_in(tmp_path_factory.mktemp("shell"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory, shell: dict[str, str]) -> Path:
    """A project in which the page was followed to its end."""
    root = tmp_path_factory.mktemp("readme")
    assert followed(PAGE, root, shell, quickly) > 12
    return root


def test_following_the_page_leaves_a_readme_that_is_checked(tree: Path, shell: dict[str, str]) -> None:
    before = next(step.text for step in steps(PAGE) if step.file == "README.md")
    after = (tree / "README.md").read_text(encoding="utf-8")
    assert after == before.replace("702 ms", "644 ms") != before
    cells = [each for each in checked(tree).judgements if each.claim.table == "results"]
    assert {each.verdict for each in cells} == {Verdict.HOLDS}
    assert len({each.claim.place.line for each in cells}) == 9
    assert run(tree, "git ls-files logs | wc -l", shell) == (0, "10\n")


def test_the_table_has_ten_rows_and_each_links_to_a_log(tree: Path) -> None:
    rows = re.findall(
        r"^\| \S.*\| \[log\]\((.*)\) *\|$", (tree / "README.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(set(rows)) == 10
    assert [row for row in rows if not (tree / row).is_file()] == []


def test_what_is_installed_is_what_the_readme_of_the_tool_says() -> None:
    (install,) = fenced(PAGE, "text")
    assert re.search(
        rf"^{re.escape(install.strip())} ", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE
    )


def test_the_lines_for_ci_are_those_of_the_workflow_and_pass(tree: Path, shell: dict[str, str]) -> None:
    lines = [each["run"] for text in fenced(PAGE, "yaml") for each in yaml.safe_load(text)]
    workflow = yaml.safe_load((tree / ".github/workflows/stilltrue.yml").read_bytes())
    assert set(lines) <= {step.get("run") for step in workflow["jobs"]["check"]["steps"]}
    (check,) = [line for line in lines if line.startswith("stilltrue")]
    assert quickly(tree, check, shell) == (0, "33 claims: 33 hold\n")


def test_what_was_committed_holds_in_a_clone(tree: Path, tmp_path: Path, shell: dict[str, str]) -> None:
    assert run(tree, f"git clone --quiet . {tmp_path / 'clone'}", shell) == (0, "")
    assert quickly(tmp_path / "clone", "stilltrue check", shell) == (0, "27 claims: 27 hold\n")


# With another table --------------------------------------------------------------------------------------

READ = r"{match: 'loss (\S+)'}"
COLUMN = f"columns: {{Loss: {{read: {READ}}}}}"
NAMED = 'evidence: "logs/{Run}.log"'
DERIVED = 'derive: "{results.full.step-time} / {results.{Run}.step-time}"'

OTHERS = {
    "another-place": (
        r"after: '^\| Run '",
        "| Runs | Loss |\n|---|--:|\n| base | 9 |\n\n| Run | Loss |\n|---|--:|\n| base | 2.31 |\n",
        ["key: Run", NAMED, COLUMN],
    ),
    "unit-in-header": (
        "Peak memory (GiB): {unit: GiB, read: …}",
        "| Run | Peak memory (GiB) |\n|---|--:|\n| base | 68.3 |\n",
        ["key: Run", NAMED, "columns: {Peak memory (GiB): {unit: GiB, read: {match: 'peak (.*)'}}}"],
    ),
    "two-columns": (
        "key: [Model, Batch]",
        "| Model | Batch | Loss |\n|---|---|--:|\n| base | 1 | 2.31 |\n| base | 32 | 3.5 |\n",
        ["key: [Model, Batch]", 'evidence: "logs/{Model}-{Batch}.log"', COLUMN],
    ),
    "linked-first": (
        'evidence: "{Run}"',
        "| Run | Loss |\n|---|--:|\n| [base](logs/base.log) | 2.31 |\n",
        ["key: Run", 'evidence: "{Run}"', COLUMN],
    ),
    "named": (
        NAMED,
        "| Run | Loss |\n|---|--:|\n| base | 2.31 |\n",
        ["key: Run", NAMED, COLUMN],
    ),
    "called-otherwise": (
        "rows: {Base (bf16): {Run: base}}",
        "| Run | Loss |\n|---|--:|\n| Base (bf16) | **2.31**[^1] |\n\n[^1]: Once.\n",
        ["key: Run", NAMED, COLUMN, "rows: {Base (bf16): {Run: base}}"],
    ),
    "several-logs": (
        "take: [last, mean of 3]",
        "| Run | Loss |\n|---|--:|\n| base | 4.3 |\n",
        [
            "key: Run",
            'evidence: "logs/{Run}-*.log"',
            f"columns: {{Loss: {{read: {{{READ[1:-1]}, take: [last, mean of 3]}}}}}}",
        ],
    ),
    "spread": (
        "2.31 ± 0.04",
        "| Run | Loss | Time |\n|---|--:|--:|\n| spread | 2.31 ± 0.04 | 410-430 ms |\n",
        ["key: Run", NAMED, f"columns: {{Loss: {{read: {READ}}}, Time: {{read: {{match: 'time (.*)'}}}}}}"],
    ),
    "of-another-row": (
        DERIVED,
        "| Run | Step time | Speed-up |\n|---|--:|--:|\n| Full | 3.2 s | 1x |\n| LoRA | 1.6 s | 2.0x |\n",
        [
            "key: Run",
            NAMED,
            f"columns: {{Step time: {{read: {{match: 'time (.*)'}}}}, Speed-up: {{{DERIVED}}}}}",
        ],
    ),
}
LOGS = {
    "logs/base.log": "loss 2.31\npeak 68.31 GiB\n",
    "logs/base-1.log": "loss 2.31\n",
    "logs/base-32.log": "loss 3.5\n",
    "logs/base-64.log": "loss 9.9\nloss 7.0\n",
    "logs/spread.log": "loss 2.27\nloss 2.31\nloss 2.35\ntime 410 ms\ntime 419 ms\ntime 430 ms\n",
    "logs/Full.log": "time 3.2 s\n",
    "logs/LoRA.log": "time 1.6 s\n",
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_said_of_other_tables_is_so(name: str, tmp_path: Path) -> None:
    advice, readme, keys = OTHERS[name]
    page = (TOOL / PAGE).read_text(encoding="utf-8").partition("## With your own table")[2]
    assert f"`{advice}`" in page
    after = f", {advice}" if advice.startswith("after") else ""
    lines = ["- id: results", '  says: "It is {value}."', f"  table_in: {{file: README.md{after}}}"]
    claims = "\n  ".join(["\n".join(lines), *keys]) + "\n"
    report = checked(project(tmp_path, {"README.md": readme, "claims/results.yml": claims, **LOGS}))
    assert report.problems == ()
    assert {each.verdict for each in report.judgements} == {Verdict.HOLDS}


@pytest.mark.parametrize("cell", ["41.0 %", "**41.0 %**", "0.410"])
def test_the_pattern_for_a_table_of_other_measurements_finds_one_row(cell: str, tmp_path: Path) -> None:
    (stated_in,) = re.findall(r"`(stated_in: \{.*\})`", (TOOL / PAGE).read_text(encoding="utf-8"))
    readme = f"| What | Value |\n|---|--:|\n| Loss | 2.3 |\n| MFU, best | {cell} |\n| Loss of MFU | 1 |\n"
    claims = f"""- id: mfu
  says: "The best MFU is {{value}}."
  {stated_in}
  evidence: logs/a.log
  read: {{match: 'MFU (\\S+)', take: max}}
"""
    files = {"README.md": readme, "claims/a.yml": claims, "logs/a.log": "MFU 40.2%\nMFU 41.0%\n"}
    (judged,) = checked(project(tmp_path, files)).judgements
    assert (judged.verdict, judged.claim.place.line) == (Verdict.HOLDS, 4)
