"""The single requests that LLMPerf saves (`…_individual_responses.json`): one row for each."""

from __future__ import annotations

from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build, scalars
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.evidence.trees.json_tree import read_json
from stilltrue.quantity import Units

_KIND = "what LLMPerf saves of single requests"
_MEASURED: dict[str, str | Kind] = {
    **dict.fromkeys(("ttft_s", "end_to_end_latency_s", "inter_token_latency_s"), "s"),
    "request_output_throughput_token_per_s": "tok/s",
}
_COLUMNS: dict[str, str | Kind] = {
    **_MEASURED,
    **dict.fromkeys(("number_input_tokens", "number_output_tokens", "number_total_tokens"), ""),
    "failed": Kind.FLAG,
    "error_code": Kind.TEXT,
    "error_msg": Kind.TEXT,
}
_PACE = 1024


def _recognises(head: bytes) -> bool:
    return head.lstrip().startswith(b"[") and b'"ttft_s"' in head and b'"error_code"' in head


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    tree = read_json(content.text, deadline)
    if not isinstance(tree.value, list):
        raise other_format(_KIND, "its root is no array")
    rows: list[Row] = []
    for index, entry in enumerate(tree.value):
        if not index % _PACE:
            deadline.check()
        line = tree.line_of((index,))
        if not isinstance(entry, dict) or not {"error_code", "ttft_s"} <= entry.keys():
            raise other_format(_KIND, f"element {index} has no `error_code` or no `ttft_s`", line)
        rows.append(Row(_cells(entry), line))
    return (build(rows, _COLUMNS, units),)


def _cells(entry: dict[str, Any]) -> dict[str, str]:
    """The cells of one request; of one that failed, the zeros that stand for its times are left out."""
    cells = scalars(entry)
    if entry["error_code"] is None:
        return cells | {"failed": ""}
    return {name: cell for name, cell in cells.items() if name not in _MEASURED} | {"failed": "1"}


LLMPERF = Reader(
    means="the single requests that LLMPerf saves (`…_individual_responses.json`)",
    content="is an array of objects with `ttft_s` and `error_code`",
    rows="one request",
    columns=_COLUMNS,
    traps=(
        (
            "LLMPerf writes 0 for every time of a request that failed, and a mean over all requests is too "
            "low. Their times are empty here, so a mean over them is an error: `where: not failed`."
        ),
        "`inter_token_latency_s` is a mean within the request that counts the wait for the first token.",
        "The summary beside it (`…_summary.json`) is read as a tree.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    suffixes=(".json",),
)
