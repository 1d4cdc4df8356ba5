"""Tables in the shapes that public READMEs have, in each format: checked cell by cell, and updated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from edit_support import checked, project, told, updated
from stilltrue.model import Verdict

MARKDOWN = """\
# Results

| Run           | Loss                      | Time             | Rate          | Log                     |
|---------------|---------------------------|------------------|---------------|-------------------------|
| **Base** (bf) | [2.31](logs/base-1.txt)[^1] | 411–413 ms     | ~990 tok/s    | [raw](logs/base-1.txt)  |
| *LoRA*        | **1.61** ± 0.02           | 430 ± 10 ms [^1] | > 900 tok/s   | [raw](logs/lora.txt)    |
| Mean          | 2.33                      | —                | `1,022` tok/s | [all](logs/)            |

[^1]: Of one card.
"""
HTML = """\
<h1>Results</h1>
<table>
<tr><th>Run<th>Loss<th>Time<th>Rate<th>Log
<tr><td><b>Base</b> (bf)<td><a href="logs/base-1.txt">2.31</a><sup>1</sup><td>411–413 ms<td>~990 tok/s
  <td><a href="logs/base-1.txt">raw</a>
<tr><td><i>LoRA</i><td><b>1.61</b> ± 0.02<td>430 &plusmn; 10 ms<sup>1</sup><td>&gt; 900 tok/s
  <td><a href="logs/lora.txt">raw</a>
<tr><td>Mean<td>2.33<td>—<td><code>1,022</code> tok/s<td><a href="logs/">all</a>
</table>
"""
RST = """\
Results
=======

=============  ===========================  ================  ===============  ============================
Run            Loss                         Time              Rate             Log
=============  ===========================  ================  ===============  ============================
**Base** (bf)  `2.31 <logs/base-1.txt>`_    411–413 ms        ~990 tok/s       `raw <logs/base-1.txt>`_
*LoRA*         **1.61** ± 0.02              430 ± 10 ms [1]_  > 900 tok/s      `raw <logs/lora.txt>`_
Mean           2.33                         —                 ``1,022`` tok/s  `all <logs/>`_
=============  ===========================  ================  ===============  ============================
"""
LIST = """\
Results
=======

.. list-table:: Of one card
   :header-rows: 1
   :widths: auto

   * - Run
     - Loss
     - Time
     - Rate
     - Log
   * - **Base** (bf)
     - `2.31 <logs/base-1.txt>`_
     - 411–413 ms
     - ~990 tok/s
     - `raw <logs/base-1.txt>`__
   * - *LoRA*
     - **1.61**
       ± 0.02
     - 430 ± 10 ms [1]_

       .. of three runs
     - > 900 tok/s
     - `raw <logs/lora.txt>`__

   * - Mean
     - 2.33
     -
     - ``1,022`` tok/s
     - `all <logs/>`__

.. [1] Of one card.
"""
CSV = """\
Results
=======

.. csv-table:: Of one card
   :header: Run, "Loss", Time, Rate, Log

   **Base** (bf),`2.31 <logs/base-1.txt>`_, 411–413 ms, ~990 tok/s,`raw <logs/base-1.txt>`__
   *LoRA*, "**1.61** ± 0.02", "430 ± 10 ms [1]_", > 900 tok/s, `raw <logs/lora.txt>`__

   Mean, 2.33, —, "``1,022`` tok/s", `all <logs/>`__

.. [1] Of one card.
"""
DOCUMENTS = {
    "README.md": MARKDOWN,
    "results.html": HTML,
    "results.rst": RST,
    "list.rst": LIST,
    "csv.rst": CSV,
}
CLAIMS = """\
- id: runs
  says: "{Run} comes to {value}."
  table_in: {file: FILE, after: Results}
  key: Run
  evidence: ./{Log}
  columns:
    Loss: {read: {match: 'loss (\\S+)'}}
    Time: {read: {match: 'time (\\S+ ms)'}}
    Rate: {read: {match: 'rate (\\S+)', unit: tok/s, take: last}}
  rows:
    Mean: {Log: 'logs/base-*.txt', take: [last, mean of 3]}
"""
LOGS = {
    "logs/base-1.txt": "time 411 ms\nloss 2.312\ntime 412 ms\ntime 413.3 ms\nrate 988\n",
    "logs/base-2.txt": "loss 2.9\nloss 2.334\nrate 1050\n",
    "logs/base-3.txt": "loss 2.344\nrate 1028\n",
    "logs/lora.txt": "loss 1.59\nloss 1.61\nloss 1.63\ntime 420 ms\ntime 430 ms\ntime 440 ms\nrate 901\n",
}
MOVED = {
    "logs/base-1.txt": "time 391 ms\nloss 2.4\ntime 412 ms\ntime 413.3 ms\nrate 871\n",
    "logs/lora.txt": "loss 1.49\nloss 1.51\nloss 1.53\ntime 400 ms\ntime 430 ms\ntime 460 ms\nrate 901\n",
}
STATED = {
    "runs.base-bf.loss": "2.31",
    "runs.base-bf.time": "411–413 ms",
    "runs.base-bf.rate": "~990 tok/s",
    "runs.lora.loss": "1.61 ± 0.02",
    "runs.lora.time": "430 ± 10 ms",
    "runs.lora.rate": "> 900 tok/s",
    "runs.mean.loss": "2.33",
    "runs.mean.rate": "1,022 tok/s",
}
UPDATED = {
    "2.31": "2.40",
    "411–413 ms": "391–413 ms",
    "~990 tok/s": "~870 tok/s",
    "1.61 ± 0.02": "1.51 ± 0.02",
    "430 ± 10 ms": "430 ± 30 ms",
    "2.33": "2.36",
    "1,022 tok/s": "983 tok/s",
}


@pytest.fixture(params=DOCUMENTS)
def file(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def root(file: str, tmp_path: Path) -> Path:
    return project(tmp_path, {file: DOCUMENTS[file], "claims/r.yml": CLAIMS.replace("FILE", file), **LOGS})


def test_every_cell_is_read_as_its_reader_sees_it_and_holds(root: Path) -> None:
    report = checked(root)
    assert report.problems == ()
    assert {each.claim.id: each.claim.stated.text for each in report.judgements} == STATED
    assert {each.verdict for each in report.judgements} == {Verdict.HOLDS}


def test_every_cell_drifts_with_its_logs_but_for_the_bound(root: Path) -> None:
    project(root, MOVED)
    drifted = [each.claim.id for each in checked(root).judgements if each.verdict is Verdict.DRIFTED]
    assert drifted == [name for name in STATED if name != "runs.lora.rate"]


def test_a_log_too_few_breaks_the_mean(root: Path) -> None:
    (root / "logs/base-3.txt").unlink()
    broken = [each.claim.id for each in checked(root).judgements if each.verdict is Verdict.BROKEN]
    assert broken == ["runs.mean.loss", "runs.mean.rate"]


def test_update_rewrites_the_numbers_and_keeps_links_marks_and_footnotes(file: str, root: Path) -> None:
    project(root, MOVED)
    outcome = updated(root)
    assert ({old: new for _, old, new in told(outcome)}, outcome.left) == (UPDATED, ())
    assert {each.verdict for each in checked(root).judgements} == {Verdict.HOLDS}
    before, after = DOCUMENTS[file], (root / file).read_text(encoding="utf-8")
    assert re.sub(r"[\d, ]+", "", after) == re.sub(r"[\d, ]+", "", before)
