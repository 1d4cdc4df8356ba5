"""Results of the LM Evaluation Harness: one row for each metric of a task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build, cell
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.evidence.trees import Tree
from stilltrue.evidence.trees.json_tree import read_json
from stilltrue.quantity import Units

_KIND = "a result file of lm-eval"
_COLUMNS: dict[str, str | Kind] = {
    **dict.fromkeys(("task", "metric", "filter", "kind"), Kind.TEXT),
    **dict.fromkeys(("value", "stderr", "n_shot", "samples", "samples_of", "limit"), ""),
    **dict.fromkeys(("higher_is_better", "task_version", "model", "written", "lm_eval_version"), Kind.TEXT),
}
_RESULTS = re.compile(rb'"results"\s*:\s*\{\s*"[^"\n]*"\s*:\s*\{')
_SIGNS = re.compile(rb'"\w+_stderr(?:,[\w-]+)?"\s*:|"n-shot"\s*:|"lm_eval_version"\s*:|"bootstrap_iters"\s*:')
_STDERR = "_stderr"
_NOT_METRICS = {"alias", "name", "sample_len", "sample_count", "samples", "task_version", " "}
_PACE = 256


class _Key(NamedTuple):
    """A metric's key: `exact_match,strict-match` since 0.4, `acc` before."""

    metric: str
    filter: str
    written: str

    def stderr(self) -> str:
        """The key of its standard error."""
        return f"{self.metric}{_STDERR}" + (f",{self.filter}" if "," in self.written else "")


def _recognises(head: bytes) -> bool:
    return (
        head.lstrip().startswith(b"{")
        and _RESULTS.search(head) is not None
        and _SIGNS.search(head) is not None
    )


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    tree = read_json(content.text, deadline)
    root = tree.value
    if not isinstance(root, dict) or not isinstance(root.get("results"), dict):
        raise other_format(_KIND, "it has no object `results` at its root")
    rows: list[Row] = []
    for count, (section, task, entry) in enumerate(_entries(root, tree)):
        if not count % _PACE:
            deadline.check()
        shared = _of_task(root, section, task)
        rows += [
            Row(shared | cells, tree.line_of((section, task, cells["written"])))
            for cells in _metrics(entry, task, root)
        ]
    if not rows:
        raise other_format(_KIND, "no task in `results` has a metric", tree.line_of(("results",)))
    return (build(rows, _COLUMNS, units, line=tree.line_of(("results",))),)


def _entries(root: Mapping[str, Any], tree: Tree) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each task and group once: `groups` repeats what `results` holds, in some versions in part."""
    groups = root.get("groups")
    for section in ("results", "groups") if isinstance(groups, dict) else ("results",):
        for task, entry in root[section].items():
            if not isinstance(entry, dict):
                raise other_format(_KIND, f"`{task[:80]}` is no object", tree.line_of((section, task)))
            if section == "results" or task not in root["results"]:
                yield section, task, entry


def _of_task(root: Mapping[str, Any], section: str, task: str) -> dict[str, str]:
    """What is known of a task besides its metrics."""
    config = _object(root, "config")
    shots = _object(root, "n-shot").get(task, config.get("num_fewshot"))
    samples = _object(_object(root, "n-samples"), task)
    is_group = section == "groups" or task in _object(root, "groups")
    return {
        "task": task,
        "kind": "group" if is_group else "task",
        "n_shot": cell(shots),
        "samples": cell(samples.get("effective")),
        "samples_of": cell(samples.get("original")),
        "limit": cell(config.get("limit")),
        "task_version": cell(_object(root, "versions").get(task)),
        "model": cell(root.get("model_name") or config.get("model_args") or config.get("model")),
        "lm_eval_version": cell(root.get("lm_eval_version")),
    }


def _metrics(entry: Mapping[str, Any], task: str, root: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    better = _object(_object(root, "higher_is_better"), task)
    for key in _keys(entry):
        yield {
            "metric": key.metric,
            "filter": key.filter,
            "written": key.written,
            "value": _number(entry[key.written]),
            "stderr": _number(entry.get(key.stderr())),
            "higher_is_better": cell(better.get(key.metric)),
        }


def _keys(entry: Mapping[str, Any]) -> Iterator[_Key]:
    """The keys that hold metrics; where some name a filter, those that name none are no metrics."""
    filtered = any("," in key for key in entry)
    for written, value in entry.items():
        metric, _, name = written.partition(",")
        if isinstance(value, dict | list) or written in _NOT_METRICS or filtered is not ("," in written):
            continue
        stem = metric.removesuffix(_STDERR)
        if stem != metric and any(key.partition(",")[0] == stem for key in entry):
            continue
        yield _Key(metric, name, written)


def _number(value: Any) -> str:
    """A metric's cell; what the harness writes where it reckoned none is left empty."""
    return "" if isinstance(value, str) and value.strip() in {"", "N/A"} else cell(value)


def _object(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = values.get(key)
    return found if isinstance(found, dict) else {}


LM_EVAL = Reader(
    means="results of the LM Evaluation Harness (`lm_eval --output_path`)",
    content="is an object with `results` by task, and their metrics with `…_stderr`",
    rows="one metric of one task or group, under one filter",
    columns=_COLUMNS,
    traps=(
        (
            "Keys are `acc,none` since version 0.4 and `acc` before: `metric` is `acc` in both, `filter` is "
            "`none` or empty, and `written` is the key as it stands."
        ),
        (
            "A task has several metrics (`acc`, `acc_norm`), and one metric several filters (`strict-match`,"
            " `flexible-extract`): `take: only` refuses until `where` names both."
        ),
        (
            "Accuracies are fractions, so 0.653 agrees with `65.3 %`; some metrics (`bleu`, `chrf`, the F1 "
            "of SQuAD) run to 100, and need `unit: '%'`. The file does not say which."
        ),
        (
            "`samples` fewer than `samples_of`, or a `limit`, mean that a part of the task was run. "
            "`stderr` is empty where the harness wrote `N/A`."
        ),
        "`kind` is `group` for a mean over tasks, which stands beside them; a group is listed once.",
        "`task_version` tells scores that cannot be compared. Versions before 0.4 name shots for all tasks.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    suffixes=(".json",),
)
