"""Numbers that public documents state, written as claims over the raw files they came from.

The files belong to their projects and are not part of this repository: these tests run where the folder of
cases lies beside it, and pass where it does not.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stilltrue import config
from stilltrue.check import check
from stilltrue.model import Judgement, Verdict
from stilltrue.quantity import Quantity

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"
Row = dict[str, str]

EXPECTED = {
    "MATCH": Verdict.HOLDS,
    "DRIFT": Verdict.DRIFTED,
    "KEY-COLLISION": Verdict.BROKEN,
    "MISATTRIBUTED": Verdict.BROKEN,
}


def rows() -> list[Row]:
    if not CASES.is_dir():
        return []
    with (CASES / "claims.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def line_of(row: Row) -> str:
    text = (CASES / row["evidence"]).read_text(encoding="utf-8")
    return text.split("\n")[int(row["loc"][1:]) - 1]


# How each document's number is bound ---------------------------------------------------------------------


def summary(row: Row) -> dict[str, Any]:
    """A JSON object with one key a figure: the key is the one that the document's column names."""
    key = re.findall(r'"([^"]+)":', line_of(row))[0]
    unit = "s" if row["unit"].startswith("s ") else "tok/s"
    return {"value": f"{row['quoted']} {unit}", "read": {"path": f"$.{key}", "unit": unit}}


def _generation(stamp: str, field: str, unit: str) -> dict[str, str]:
    return {"match": rf"^{stamp}, .*?{field}= *(?P<value>[0-9.]+)", "unit": unit}


def llama(row: Row) -> dict[str, Any]:
    """A log with one line a run: which run by its time stamp, or by the label that the document gives."""
    stamp = line_of(row).split(",")[0]
    base = "20240831232535"
    if row["verdict"] == "MISATTRIBUTED":
        read = {"match": r"^.*tok/s= *(?P<value>[0-9.]+).* quant: int4wo-hqq,", "unit": "tok/s"}
        return {"value": f"{row['quoted']} tok/s", "read": read}
    if row["unit"] == "ratio":
        reads = {"after": _generation(stamp, "tok/s", "tok/s"), "before": _generation(base, "tok/s", "tok/s")}
        return {"value": row["quoted"], "read": reads, "derive": "after / before"}
    if row["unit"] == "%":
        reads = {"after": _generation(stamp, "peak_mem", "GB"), "before": _generation(base, "peak_mem", "GB")}
        return {"value": row["quoted"], "read": reads, "derive": "1 - after / before"}
    unit = row["unit"].removesuffix(" peak")
    field = {"tok/s": "tok/s", "GB/s": "mem/s", "GB": "peak_mem"}[unit]
    return {"value": f"{row['quoted']} {unit}", "read": _generation(stamp, field, unit)}


def segmentation(row: Row) -> dict[str, Any]:
    compress = line_of(row).split(",")[10]
    column, unit = ("memory_mib", "MiB") if row["unit"] == "MiB" else ("img_s_avg", "img/s")
    read = {"where": f"compress = '{compress}'", "column": column, "unit": unit}
    return {"value": f"{row['quoted']} {unit}", "read": read}


def fine_tuning(row: Row) -> dict[str, Any]:
    if row["unit"] == "params":
        path = "$.train_info.num_trainable_params"
    else:
        path = "$.train_info.metrics[?@['test accuracy'] > 0]['test accuracy']"
    return {"value": row["quoted"], "read": {"path": path}}


def search(row: Row) -> dict[str, Any]:
    found = re.search(r"\('([^']+)', '([^']+)'\)", row["unit"])
    assert found
    where = f"benchmark = '{found[1]}' and name = '{found[2]}'"
    read = {"where": where, "column": "duration", "unit": "s", "take": f"mean of {3}"}
    return {"value": f"{row['quoted']} s", "read": read}


def servers(row: Row) -> dict[str, Any]:
    items = json.loads((CASES / row["evidence"]).read_text(encoding="utf-8"))
    (name,) = (item["name"] for item in items if item["requests"] == row["raw"])
    read = {"path": f"$[?@.name == '{name}'].requests", "unit": "req/s"}
    return {"value": f"{row['quoted']} req/s", "read": read}


def learning_rate(row: Row) -> dict[str, Any]:
    return {"value": row["quoted"], "read": {"match": r"^learning_rate=(.*),$"}}


BINDINGS: dict[str, Callable[[Row], dict[str, Any]]] = {
    "BurntSushi+ripgrep": search,
    "fastify+benchmarks": servers,
    "huggingface+peft": fine_tuning,
    "lr-not-applied": learning_rate,
    "pytorch+ao/llama": llama,
    "pytorch+ao/sam": segmentation,
    "ray-project+llmperf-leaderboard": summary,
}


def binding(row: Row) -> dict[str, Any]:
    kind = row["evidence"].split("/")[-2]
    return (BINDINGS.get(row["repo"]) or BINDINGS[f"{row['repo']}/{kind}"])(row)


def block(number: int, row: Row) -> str:
    # JSON is YAML, and what an author would quote, it quotes.
    bound = binding(row)
    lines = [f"id: row-{number}", 'says: "It is {value}."', f"value: {json.dumps(bound['value'])}"]
    lines += [f"evidence: {json.dumps(row['evidence'])}"]
    lines += [f"{key}: {json.dumps(bound[key])}" for key in ("read", "derive") if key in bound]
    return "\n".join(["```claim", *lines, "```", ""])


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Judgement]:
    root = tmp_path_factory.mktemp("cases")
    shutil.copytree(CASES / "public", root / "public")
    (root / "stilltrue.toml").touch()
    (root / "README.md").write_text(
        "\n".join(block(n, row) for n, row in enumerate(rows())), encoding="utf-8"
    )
    report = check(config.load(root))
    assert not report.problems
    return {judgement.claim.id: judgement for judgement in report.judgements}


@pytest.mark.parametrize(
    ("number", "row"), list(enumerate(rows())), ids=[f"{row['doc']}={row['quoted']}" for row in rows()]
)
def test_a_public_number_gets_its_verdict(number: int, row: Row, judged: dict[str, Judgement]) -> None:
    judgement = judged[f"row-{number}"]
    assert judgement.verdict is EXPECTED[row["verdict"]], judgement.message
    if row["verdict"] == "KEY-COLLISION":
        assert "6" in judgement.message
    if judgement.verdict in (Verdict.HOLDS, Verdict.DRIFTED):
        assert found_number(judgement) == pytest.approx(right_answer(row), rel=1e-5)
        if row["readings"] == "1":
            assert {f"L{reading.line}" for reading in judgement.readings} >= {row["loc"]}


def right_answer(row: Row) -> float:
    """What the raw file comes to, in the unit of the stated number."""
    return float(row["computed"] or row["raw"]) / (100 if row["quoted"].endswith("%") else 1)


def found_number(judgement: Judgement) -> float:
    found = judgement.found.low if judgement.found is not None else None
    assert isinstance(found, Quantity)
    return float(found.base if found.unit.symbol == "%" else found.number)


# The same numbers in tables, as their documents state them -----------------------------------------------


def in_markdown(number: int, figure: str, evidence: str) -> str:
    header = "| Run | Figure | Raw |\n|---|--:|---|\n"
    return f"Case {number}:\n{header}| a | **{figure}**[^1] | [raw]({evidence}) |\n\n"


def in_html(number: int, figure: str, evidence: str) -> str:
    cells = f"<td>a<td><b>{figure}</b><sup>1</sup><td><a href='{evidence}'>raw</a>"
    return f"<h2>Case {number}:</h2>\n<table><tr><th>Run<th>Figure<th>Raw\n<tr>{cells}</table>\n"


def in_restructured_text(number: int, figure: str, evidence: str) -> str:
    cells = ("a", f"**{figure}** [1]_", f"`raw <{evidence}>`_")
    border = "  ".join("=" * max(6, len(cell)) for cell in cells)
    header, row = (
        "  ".join(text.ljust(max(6, len(cell))) for text, cell in zip(texts, cells, strict=True)).rstrip()
        for texts in (("Run", "Figure", "Raw"), cells)
    )
    return f"Case {number}:\n\n{border}\n{header}\n{border}\n{row}\n{border}\n\n"


DOCUMENTS = {"README.md": in_markdown, "results.html": in_html, "results.rst": in_restructured_text}


def table_of_claims(number: int, row: Row, file: str) -> str:
    bound = binding(row)
    column = {key: bound[key] for key in ("read", "derive") if key in bound}
    mapping: dict[str, Any] = {
        "id": f"row-{number}",
        "says": "It is {value}.",
        "table_in": {"file": file, "after": f"Case {number}:"},
        "key": "Run",
        "evidence": "./{Raw}",
        "columns": {"Figure": column},
    }
    keys = (f"{key}: {json.dumps(value)}" for key, value in mapping.items())
    return "- " + "\n  ".join(keys) + "\n"


@pytest.mark.parametrize("file", DOCUMENTS)
def test_public_numbers_get_their_verdicts_where_a_table_states_them(file: str, tmp_path: Path) -> None:
    if not CASES.is_dir():
        pytest.skip("the folder of cases is not there")
    shutil.copytree(CASES / "public", tmp_path / "public")
    every = list(enumerate(rows()))
    write = DOCUMENTS[file]
    texts = [write(number, binding(row)["value"], row["evidence"]) for number, row in every]
    (tmp_path / "stilltrue.toml").touch()
    (tmp_path / file).write_text("".join(texts), encoding="utf-8")
    (tmp_path / "claims").mkdir()
    claims = "\n".join(table_of_claims(number, row, file) for number, row in every)
    (tmp_path / "claims" / "cases.yml").write_text(claims, encoding="utf-8")
    report = check(config.load(tmp_path))
    assert report.problems == ()
    found = {judgement.claim.table: judgement.verdict for judgement in report.judgements}
    assert found == {f"row-{number}": EXPECTED[row["verdict"]] for number, row in every}


# The same numbers in sentences, scripts and pages of HTML, found by a pattern -----------------------------


STATED = {
    "README.md": (
        "Case {number} comes to **{figure}**,\nas its log says.\n\n",
        r"Case {number} comes\s+to (\S.*),$",
    ),
    "run.sh": ('export CASE_{number}="{figure}"\n', r'^export CASE_{number}="(?P<value>.*)"$'),
    "site.html": ("<dt>case {number}<dd><b>{figure}</b>\n", r"<dt>case {number}<dd><b>(.*?)</b>"),
}


def stated_claim(number: int, row: Row, file: str) -> str:
    bound = binding(row)
    mapping: dict[str, Any] = {
        "id": f"row-{number}.{file.rpartition('.')[2]}",
        "says": "It is {value}.",
        "stated_in": {"file": file, "match": STATED[file][1].replace("{number}", str(number))},
        "evidence": row["evidence"],
        **{key: bound[key] for key in ("read", "derive") if key in bound},
    }
    keys = (f"{key}: {json.dumps(value)}" for key, value in mapping.items())
    return "- " + "\n  ".join(keys) + "\n"


def test_public_numbers_get_their_verdicts_where_a_file_states_them(tmp_path: Path) -> None:
    if not CASES.is_dir():
        pytest.skip("the folder of cases is not there")
    shutil.copytree(CASES / "public", tmp_path / "public")
    every = list(enumerate(rows()))
    (tmp_path / "claims").mkdir()
    (tmp_path / "stilltrue.toml").touch()
    for file, (sentence, _) in STATED.items():
        texts = [sentence.format(number=number, figure=binding(row)["value"]) for number, row in every]
        (tmp_path / file).write_text("".join(texts), encoding="utf-8")
        claims = "\n".join(stated_claim(number, row, file) for number, row in every)
        (tmp_path / "claims" / f"{file}.yml").write_text(claims, encoding="utf-8")
    report = check(config.load(tmp_path))
    assert report.problems == ()
    found = {judgement.claim.id: judgement.verdict for judgement in report.judgements}
    assert found == {
        f"row-{number}.{file.rpartition('.')[2]}": EXPECTED[row["verdict"]]
        for number, row in every
        for file in STATED
    }
