"""The JSON that the benchmarks of vLLM and SGLang save: one row for each run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build, scalars
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.evidence.trees.json_tree import read_json, read_jsonl
from stilltrue.quantity import NonFinite, Units

_KIND = "a result that a benchmark of vLLM or SGLang saves"

_RUNS: dict[str, frozenset[str]] = {
    "serving": frozenset({"duration", "completed", "output_throughput"}),
    "pooling": frozenset({"duration", "completed", "total_token_throughput"}),
    "throughput": frozenset({"elapsed_time", "num_requests", "tokens_per_second"}),
    "latency": frozenset({"avg_latency", "latencies", "percentiles"}),
    "one batch": frozenset({"prefill_latency", "total_latency", "overall_throughput"}),
    "served batch": frozenset({"latency", "overall_throughput", "last_ttft"}),
    "offline": frozenset({"successful_requests", "total_latency", "total_throughput"}),
}
"""What each kind of benchmark always writes, by which it is known."""

_SECONDS = (
    "duration",
    "elapsed_time",
    "avg_latency",
    "prefill_latency",
    "median_decode_latency",
    "total_latency",
    "latency",
    "ttft",
    "last_ttft",
)
_TOKEN_RATES = (
    "input_throughput",
    "output_throughput",
    "total_throughput",
    "total_token_throughput",
    "max_output_tokens_per_s",
    "tokens_per_second",
    "prefill_throughput",
    "median_decode_throughput",
    "overall_throughput",
    "last_gen_throughput",
)
_COUNTS = (
    "completed",
    "failed",
    "successful_requests",
    "num_prompts",
    "num_requests",
    "total_input_tokens",
    "total_output_tokens",
    "total_num_tokens",
)
_COLUMNS: dict[str, str | Kind] = {
    "benchmark": Kind.TEXT,
    **dict.fromkeys(("backend", "model_id"), Kind.TEXT),
    **dict.fromkeys(_COUNTS, ""),
    **dict.fromkeys(_SECONDS, "s"),
    **dict.fromkeys(("request_throughput", "request_goodput", "requests_per_second"), "req/s"),
    **dict.fromkeys(_TOKEN_RATES, "tok/s"),
    **{
        f"{statistic}_{name}_ms": "ms"
        for name in ("ttft", "tpot", "itl", "e2el", "e2e_latency")
        for statistic in ("mean", "median", "std", "p99")
    },
    "date": Kind.TEXT,
}
_KEYS = re.compile(
    rb'"(' + b"|".join(key.encode() for key in sorted(set().union(*_RUNS.values()))) + rb')"\s*:'
)
_MILLISECONDS = re.compile(r"(?:mean|median|std|min|max|p[0-9.]+)_(\w+)_ms$")
_PACE = 256


def _recognises(head: bytes) -> bool:
    if not head.lstrip().startswith((b"{", b"[{", b"[\n")):
        return False
    keys = {found.decode() for found in _KEYS.findall(head)}
    return any(needed <= keys for needed in _RUNS.values())


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    rows = [Row(_cells(run, line), line) for run, line in _runs(content, deadline)]
    if not rows:
        raise other_format(_KIND, "it holds no run")
    columns = _COLUMNS | {name: "ms" for row in rows for name in row.cells if name.endswith("_ms")}
    return (build(rows, columns, units, line=rows[0].line),)


def _runs(content: Content, deadline: Deadline) -> Iterator[tuple[Mapping[str, Any], int]]:
    """The runs of a file: an object, or several, in an array or a line each."""
    is_lines = content.name.endswith((".jsonl", ".ndjson"))
    tree = (read_jsonl if is_lines else read_json)(content.text, deadline)
    if isinstance(tree.value, dict):
        yield tree.value, tree.line_of(())
        return
    if not isinstance(tree.value, list):
        raise other_format(_KIND, "its root is no object and no array")
    for index, run in enumerate(tree.value):
        if not index % _PACE:
            deadline.check()
        line = tree.line_of((index,))
        if not isinstance(run, dict):
            raise other_format(_KIND, f"element {index} is no object", line)
        yield run, line


def _cells(run: Mapping[str, Any], line: int) -> dict[str, str]:
    kind = next((kind for kind, needed in _RUNS.items() if needed <= run.keys()), "")
    if not kind:
        raise other_format(
            _KIND, f"the run in line {line} lacks what each benchmark writes, {_needed()}", line
        )
    cells = {_name(key): cell for key, cell in scalars(run).items()} | {"benchmark": kind}
    percentiles = run.get("percentiles")
    if isinstance(percentiles, dict):
        seconds = scalars(percentiles, "p")
        cells |= {f"{name}_latency": f"{cell} s" for name, cell in seconds.items() if cell}
    for name in _unmeasured(run):
        cells.pop(name, None)
    return cells


def _needed() -> str:
    return " or ".join("`" + "`, `".join(sorted(keys)) + "`" for keys in list(_RUNS.values())[:2])


def _name(key: str) -> str:
    """A key as its column is called; vLLM of 2024 wrote `request_goodput:`."""
    return key.removesuffix(":")


def _unmeasured(run: Mapping[str, Any]) -> Iterator[str]:
    """Times that are all 0: what both tools write where nothing was streamed, or no request succeeded."""
    groups: dict[str, list[str]] = {}
    for key in run:
        found = _MILLISECONDS.match(key)
        if found is not None:
            groups.setdefault(found[1], []).append(key)
    for keys in groups.values():
        values = [run[key] for key in keys]
        if all(not isinstance(value, NonFinite) and value == 0 for value in values):
            yield from keys


SERVING_RESULTS = Reader(
    means=(
        "the JSON that benchmarks of vLLM (`vllm bench serve --save-result`, `latency`, `throughput`) and "
        "SGLang (`bench_serving`, `bench_one_batch`, `bench_offline_throughput`) save"
    ),
    content="is an object, or one a line, with `duration`, `completed` and `output_throughput`, or the like",
    rows="one run; `benchmark` says of which kind: " + ", ".join(f"`{kind}`" for kind in _RUNS),
    columns=_COLUMNS,
    traps=(
        (
            "Summaries that end in `_ms` are milliseconds; `duration`, `avg_latency` and `ttft`, and the "
            "lists of single requests (`ttfts`, `itls`), are seconds. Each reading says which."
        ),
        (
            "Both tools write 0 for a time that they did not measure: without streaming, or when every "
            "request failed. Where all statistics of one time are 0 its cells are empty here."
        ),
        (
            "`total_token_throughput` (vLLM), `total_throughput` (SGLang) and `tokens_per_second` count the "
            "prompt's tokens too; `output_throughput` does not."
        ),
        "End to end is `…_e2el_ms` with vLLM and `…_e2e_latency_ms` with SGLang.",
        (
            "`completed` may be fewer than `num_prompts`: the rest is in no mean. SGLang, and vLLM with "
            "`--append-result`, add to the file that is there: `take: only` refuses, and says where."
        ),
        (
            "`request_goodput` is a column where objectives were given. Single requests are read as a tree: "
            "`path: $.ttfts[*]`, `unit: s`."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    suffixes=(".json", ".jsonl"),
)
