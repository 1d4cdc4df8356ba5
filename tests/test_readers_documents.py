"""Result files of evaluations, plots, tests and servers, and lock files, read as tables."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import documents_support as documents
from documents_support import TABLES
from evidence_support import Project, quantity, take, tree
from stilltrue.errors import InputError
from stilltrue.evidence.readers import READERS
from stilltrue.evidence.tables.headings import column_name
from stilltrue.model import Read, Shape
from stilltrue.quantity import NonFinite, Quantity, Text, Value, show_value

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"


def reads(column: str, where: str = "", takes: str = "only", form: str = "", table: str = "") -> Read:
    return Read(Shape.TABLE, column=column, where=where, take=take(takes), format=form, table=table)


class Files:
    """A folder that each test writes one file into, and reads of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = Project(root)
        self.name = ""

    def write(self, name: str, text: str) -> Files:
        self.name, self.project = name, Project(self.root)
        self.project.write(name, text)
        return self

    def kind(self, kind: str) -> Files:
        name, text, _ = TABLES[kind]
        return self.write(name, text)

    def value(self, column: str, where: str = "", takes: str = "only", **keys: str) -> Value:
        return self.project.value(self.name, reads(column, where, takes, **keys))

    def number(self, column: str, where: str = "", takes: str = "only", **keys: str) -> str:
        """A reading as `number unit`."""
        value = self.value(column, where, takes, **keys)
        assert isinstance(value, Quantity)
        return f"{float(value.number):.12g} {value.unit.symbol}".strip()

    def text(self, column: str, where: str = "", **keys: str) -> str:
        value = self.value(column, where, **keys)
        assert isinstance(value, Text)
        return value.text

    def error(self, column: str, where: str = "", takes: str = "only", **keys: str) -> InputError:
        return self.project.error(self.name, reads(column, where, takes, **keys))

    def found(self, column: str, where: str = "", **keys: str) -> list[str]:
        """All readings that are not empty, as text; a broken row raises."""
        there = " and ".join(filter(None, [where, f"{column} is not null"]))
        (picks,) = self.project.library.groups((self.name,), reads(column, there, "count", **keys))
        return [show_value(pick.value) for pick in picks]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def keys_of(kind: str) -> dict[str, str]:
    return {"table": "tests"} if kind == "junit" else {}


def form_of(kind: str) -> str:
    return kind.split(maxsplit=1)[0]


@pytest.mark.parametrize("kind", TABLES)
def test_a_file_is_recognised_and_has_columns_that_the_docs_name(files: Files, kind: str) -> None:
    error = files.kind(kind).error("no_such", **keys_of(kind))
    assert error.code == "no-column"
    assert files.error("no_such", form=form_of(kind), **keys_of(kind)).hint == error.hint
    there = set(re.findall(r"`(\w+)`", error.hint))
    assert TABLES[kind][2] in there
    assert there & {column_name(name) for name in READERS[form_of(kind)].columns}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "a,b\n1,2\n",
        "[1, 2]\n",
        '{"results": 3}\n',
        '{"results": {"a": 1}}\n',
        "[{}]\n",
        "{}\n",
        "<html><body/></html>\n",
        "nothing of the kind\n",
    ],
    ids=["empty", "blank", "csv", "numbers", "an object", "nested", "no keys", "bare", "html", "words"],
)
def test_an_empty_file_or_another_format_is_an_error(files: Files, kind: str, text: str) -> None:
    error = files.write(TABLES[kind][0], text).error(
        TABLES[kind][2], takes="count", form=form_of(kind), **keys_of(kind)
    )
    assert error.code in {"empty-file", "bad-table", "malformed-evidence"}
    assert error.hint


@pytest.mark.parametrize("kind", TABLES)
def test_no_format_is_taken_for_another(files: Files, kind: str) -> None:
    for other, (_, text, _) in TABLES.items():
        if form_of(other) != form_of(kind):
            error = files.write(TABLES[kind][0], text).error("x", form=form_of(kind), **keys_of(kind))
            assert error.code in {"bad-table", "malformed-evidence"}, other


@pytest.mark.parametrize("kind", TABLES)
def test_a_file_that_is_cut_gives_an_error_or_only_readings_of_the_whole(files: Files, kind: str) -> None:
    """A list of lines can end after any of them; whatever ends in the middle of one is told."""
    name, whole, column = TABLES[kind]
    keys = keys_of(kind) | {"form": form_of(kind)}
    full = files.kind(kind).found(column, **keys)
    assert full
    told = 0
    for end in range(len(whole) // 4, len(whole.rstrip()), 11):
        try:
            found = files.write(name, whole[:end]).found(column, **keys)
        except InputError as error:
            assert error.code in {
                "bad-table",
                "malformed-evidence",
                "no-reading",
                "no-rows",
            }
            told += 1
        else:
            assert found == full[: len(found)]
    assert told


def test_lm_eval_names_metric_filter_shots_and_how_the_key_was_written(files: Files) -> None:
    files.kind("lm-eval")
    assert files.error("value", "task = 'gsm8k'").code == "several-readings"
    strict = "task = 'gsm8k' and metric = 'exact_match' and filter = 'strict-match'"
    assert files.number("value", strict) == "0.3836"
    assert files.number("stderr", strict) == "0.0134"
    assert (files.number("n_shot", strict), files.number("samples", strict)) == ("5", "100")
    assert (files.number("samples_of", strict), files.number("limit", strict)) == ("1319", "100")
    assert files.text("written", strict) == "exact_match,strict-match"
    assert files.error("stderr", "filter = 'flexible-extract'").code == "empty-cell"
    assert files.number("value", "task = 'hellaswag' and metric = 'acc_norm'") == "0.7612"
    assert files.text("lm_eval_version", "task = 'mean'") == "0.4.5"
    assert files.text("higher_is_better", "metric = 'acc_norm'") == "true"


def test_lm_eval_lists_a_group_once_and_a_task_without_metrics_not_at_all(files: Files) -> None:
    files.kind("lm-eval")
    assert files.text("kind", "task = 'mmlu'") == "group"
    assert files.text("kind", "task = 'hellaswag' and metric = 'acc'") == "task"
    assert files.number("value", "task = 'mean'") == "0.5962"
    assert files.found("task") == ["gsm8k"] * 2 + ["hellaswag"] * 2 + ["mmlu", "mean"]
    lines = files.project.lines(files.name, reads("value", "task = 'hellaswag'", "sum"))
    assert lines == [12, 14]


def test_lm_eval_before_filters_is_told_by_its_keys(files: Files) -> None:
    files.kind("lm-eval before 0.4")
    where = "task = 'hellaswag' and metric = 'acc'"
    assert files.number("value", where) == "0.5713"
    assert files.number("stderr", where) == "0.0049"
    assert (files.text("written", where), files.number("n_shot", where)) == ("acc", "5")
    assert files.error("filter", where).code == "empty-cell"
    assert files.number("value", "metric = 'word_perplexity'") == "10.81"


def test_a_wandb_export_has_a_row_for_each_point_that_a_run_logged(files: Files) -> None:
    files.kind("wandb-csv")
    assert files.number("value", "run = 'brisk-sun-3' and x = 20") == "1.5"
    assert files.number("value", "run = 'a - b' and metric = 'eval/loss'") == "1.625"
    assert files.number("min", "run = 'brisk-sun-3' and x < 30", "min") == "1.25"
    assert files.value("value", "x = 30") == NonFinite("NaN")
    assert files.error("value", "x = 20").code == "several-readings"
    assert set(files.found("x_axis")) == {"Step"}
    assert len(files.found("run")) == 4
    assert files.number("brisk_sun_3_train_loss", "step = 10", form="csv") == "2.5"


@pytest.mark.parametrize("more", ["", '"10","1","1","1","2","2","2"\n'], ids=["no rows", "both logged"])
def test_headings_alone_break_and_runs_of_one_name_stay_apart(files: Files, more: str) -> None:
    one = '"r - loss","r - loss__MIN","r - loss__MAX"'
    files.write("wandb.csv", f'"Step",{one},{one}\n{more}')
    if not more:
        assert files.error("value", "metric = 'loss'").code == "no-rows"
        assert files.error("value", "metric = 'loss'", "mean").code == "no-rows"
    else:
        assert files.error("value", "run = 'r'").code == "several-readings"
        assert files.number("value", "run = 'r'", "sum") == "3"


def test_a_plain_csv_with_such_names_is_no_export(files: Files) -> None:
    files.write("a.csv", "Step,loss__MIN,other\n1,2,3\n")
    assert files.number("other") == "3"
    files.write("b.csv", "Step,loss,loss__MIN,loss__MAX\n1,2,1,3\n")
    assert files.number("max", "metric = 'loss'") == "3"


def test_a_last_number_that_nothing_ends_may_be_cut(files: Files) -> None:
    files.write("w.csv", "Step,loss,loss__MIN,loss__MAX\n1,2,1,3\n2,4,4,4.")
    error = files.error("max", "x = 2")
    assert (error.code, error.line) == ("bad-table", 3)
    assert files.number("max", "line <> 3") == "3"


def test_junit_tells_how_a_test_ended_and_keeps_suites_apart(files: Files) -> None:
    files.kind("junit")
    assert files.error("time").code == "no-table"
    assert files.number("time", "classname = 'tests.test_a' and name = 'test_ok'", table="tests") == "0.125 s"
    assert files.error("time", "name = 'test_ok'", table="tests").code == "several-readings"
    assert files.found("status", table="tests") == [
        "passed",
        "failed",
        "error",
        "skipped",
        "passed",
        "skipped",
    ]
    assert files.number("reruns", "classname = 'tests.test_b'", table="tests") == "2"
    assert files.number("property_tokens_per_second", "line = 6", table="tests") == "4096.5"
    assert files.text("message", "status = 'failed'", table="tests") == "assert 1 == 2"
    assert files.number("status", "status = 'passed'", "count", table="tests") == "2"


def test_junit_suites_state_totals_with_thousands_and_say_what_they_are_inside(files: Files) -> None:
    files.kind("junit")
    whole = "inside is null"
    assert files.number("tests", whole, table="suites") == "6"
    assert files.number("time", whole, table="suites") == "1262.668 s"
    assert files.number("property_gpus", whole, table="suites") == "8"
    assert files.text("inside", "name = 'inner'", table="suites") == "pytest"
    assert files.project.lines(files.name, reads("time", "name = 'off'", table="tests")) == [17]


@pytest.mark.parametrize(
    ("case", "status"),
    [
        ('<testcase status="run" result="completed"/>', "passed"),
        ('<testcase status="run"><failure/></testcase>', "failed"),
        ('<testcase status="failed"/>', "failed"),
        ('<testcase status="notrun" result="suppressed"/>', "skipped"),
        ('<testcase status="Timeout"/>', "timeout"),
        ('<testcase status="timeout"><error/><failure/></testcase>', "error"),
        ('<testcase><skipped/><failure message="m"/></testcase>', "failed"),
    ],
)
def test_a_status_in_words_is_never_a_pass_unless_it_says_so(files: Files, case: str, status: str) -> None:
    files.write("r.xml", f"<testsuite>{case}</testsuite>")
    assert files.text("status", table="tests") == status


HOSTILE = {
    "laughs": '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;">]><testsuites name="&c;"/>',
    "outside": '<!DOCTYPE testsuites SYSTEM "file:///etc/passwd"><testsuites/>',
    "read in": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuites name="&x;"/>',
    "by parameter": '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x">%p;]><testsuites/>',
    "deep": "<testsuites>" + "<a>" * 100_000,
    "unknown": "<testsuites name='&b;'/>",
    "twice": "<testsuites a='1' a='2'/>",
    "nested test": "<testsuite><testcase><testcase/></testcase></testsuite>",
    "two roots": "<testsuite/><testsuite/>",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_xml_is_refused_before_anything_is_expanded(files: Files, text: str) -> None:
    error = files.write("junit.xml", text).error("time", table="tests", form="junit")
    assert error.code in {"malformed-evidence", "bad-table"}
    assert "root:" not in error.message + error.hint


def test_xml_beyond_its_limit_is_too_large(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stilltrue.evidence.readers.xml_events.LARGEST", 100)
    assert files.kind("junit").error("time", table="tests").code == "too-large"


def test_vllm_says_milliseconds_and_seconds_and_leaves_out_what_was_not_measured(files: Files) -> None:
    files.kind("serving-results")
    assert files.number("mean_ttft_ms") == "2111.51 ms"
    assert files.number("p99_9_ttft_ms") == "4100.5 ms"
    assert files.number("duration") == "46.96 s"
    assert files.number("output_throughput") == "212.9 tok/s"
    assert files.number("request_goodput") == "1.5 req/s"
    assert (files.text("benchmark"), files.number("completed")) == ("serving", "99")
    assert files.error("mean_itl_ms").code == "no-column"
    assert files.project.value(files.name, tree("$.ttfts[0]", symbol="s")) == quantity("0.5", "s")
    probed = documents.VLLM.replace('"completed"', '"probe_median_e2el_ms": 12.5, "completed"')
    assert files.write("result.json", probed).number("probe_median_e2el_ms") == "12.5 ms"


def test_sglang_adds_a_line_for_each_run(files: Files) -> None:
    files.kind("serving-results of sglang")
    assert files.error("output_throughput").code == "several-readings"
    assert files.number("output_throughput", "request_rate = 4") == "838.99 tok/s"
    assert files.value("mean_e2e_latency_ms", "request_rate = 4") == NonFinite("NaN")
    assert files.number("median_e2e_latency_ms", "line = 1") == "606.86 ms"


BENCHMARKS = {
    "pooling": (
        '{"duration": 12.5, "completed": 9, "request_throughput": 0.72, "total_token_throughput": 99.5}',
        "duration",
    ),
    "throughput": (
        '{"elapsed_time": 12.5, "num_requests": 100, "tokens_per_second": 4096.5}',
        "elapsed_time",
    ),
    "latency": ('{"avg_latency": 1.5, "latencies": [1, 2], "percentiles": {"99": 12.5}}', "p99_latency"),
    "one batch": (
        '{"run_name": "r", "prefill_latency": 12.5, "total_latency": 23.0, "overall_throughput": 356.6}',
        "prefill_latency",
    ),
    "served batch": (
        '{"run_name": "r", "latency": 23.0, "last_ttft": 12.5, "overall_throughput": 356.6}',
        "last_ttft",
    ),
    "offline": (
        '{"backend": "engine", "successful_requests": 9, "total_latency": 12.5, "total_throughput": 9.5}',
        "total_latency",
    ),
}


@pytest.mark.parametrize("kind", BENCHMARKS)
def test_other_benchmarks_are_told_by_their_keys(files: Files, kind: str) -> None:
    text, column = BENCHMARKS[kind]
    files.write("result.json", text)
    assert files.text("benchmark") == kind
    assert files.number(column) == "12.5 s"


def test_a_run_that_lacks_what_all_write_is_told_by_its_line(files: Files) -> None:
    error = files.write("s.jsonl", documents.SGLANG + '{"error": "x"}\n').error(
        "duration", form="serving-results"
    )
    assert (error.code, error.line) == ("bad-table", 3)


def test_llmperf_leaves_out_the_zeros_of_failed_requests(files: Files) -> None:
    files.kind("llmperf")
    assert files.number("ttft_s", "not failed", "mean") == "0.5 s"
    assert files.error("ttft_s", "", "mean").code == "empty-cell"
    assert files.number("error_code", "failed", "count") == "1"
    assert files.number("number_output_tokens", "failed") == "1"


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not there")
def test_the_cases_of_this_group_get_their_answers(tmp_path: Path) -> None:
    with (CASES / "readings.tsv").open(encoding="utf-8") as file:
        rows = {row["file"]: row for row in csv.DictReader(file, delimiter="\t")}
    cases = Project(CASES)
    name = "evidence/llmperf_individual_together_13b.json"
    mean = cases.value(name, reads("ttft_s", "not failed", "mean"))
    assert isinstance(mean, Quantity)
    assert (float(mean.number), mean.unit.symbol) == (float(rows[name]["answer"]), "s")
    export = Project(tmp_path)
    export.write("w.csv", (CASES / "evidence" / "wandb_csv_header_only.txt").read_bytes())
    for project, path in ((cases, "evidence/wandb_csv_header_only.txt"), (export, "w.csv")):
        assert project.error(path, reads("value", "metric = 'train/loss'", "last")).code == "no-rows"


def test_uv_keeps_forks_and_the_project_itself_apart(files: Files) -> None:
    files.kind("lock-file of uv")
    assert files.error("version", "name = 'numpy'").code == "several-readings"
    assert files.text("version", "name = 'numpy' and markers is null") == "2.10"
    assert files.text("'v' || version", "line = 16") == "v2.10"
    assert files.text("markers", "version = '2.2.6'") == "python_full_version < '3.11'"
    assert (files.text("source_kind", "name = 'own'"), files.text("source", "name = 'own'")) == (
        "editable",
        ".",
    )
    assert files.error("version", "name = 'own'").code == "empty-cell"
    assert files.project.lines(files.name, reads("version", "name = 'numpy'", "first")) == [5]


def test_toml_locks_say_where_a_package_is_from(files: Files) -> None:
    files.kind("lock-file of poetry")
    assert files.text("version", "lower(name) = 'pyyaml'") == "6.0.1"
    assert files.text("groups", "optional") == "main, dev"
    assert files.text("source") == "https://mirror.example/simple"
    assert "main: sys_platform" in files.text("markers")
    files.kind("lock-file of Cargo")
    assert files.text("source") == "https://github.com/rust-lang/crates.io-index"
    assert files.text("source_kind") == "registry"
    files.kind("lock-file of PEP 751")
    assert files.text("version", "name = 'torch'") == "2.6.0+cu124"
    assert files.text("source_kind", "name = 'fork'") == "vcs"


def test_npm_is_read_once_whatever_its_version(files: Files) -> None:
    files.kind("lock-file of npm")
    assert files.found("name") == ["site", "a", "@s/b"]
    assert files.text("path", "name = '@s/b'") == "node_modules/a/node_modules/@s/b"
    assert (files.text("version", "name = 'a'"), files.text("groups", "name = 'a'")) == ("1.5.0", "dev")
    assert files.text("source_kind", "name = 'site'") == "project"
    files.kind("lock-file of npm 6")
    assert files.error("version", "name = 'qs'").code == "several-readings"
    assert files.text("version", "path = 'node_modules/express/node_modules/qs'") == "6.11.0"
    assert files.project.lines(files.name, reads("version", "groups = 'dev'")) == [11]


LATER = {
    "lock-file of uv": ("version = 1\n", "version = 2\n"),
    "lock-file of poetry": ('lock-version = "2.1"', 'lock-version = "3.0"'),
    "lock-file of Cargo": ("version = 4", "version = 5"),
    "lock-file of PEP 751": ('lock-version = "1.0"', 'lock-version = "2.0"'),
    "lock-file of npm": ('"lockfileVersion": 2', '"lockfileVersion": 4'),
    "lock-file of pipenv": ('"pipfile-spec": 6', '"pipfile-spec": 7'),
}


@pytest.mark.parametrize("kind", LATER)
def test_a_lock_file_of_a_later_version_is_an_error_at_its_version(files: Files, kind: str) -> None:
    name, text, column = TABLES[kind]
    before, after = LATER[kind]
    assert before in text
    error = files.write(name, text.replace(before, after)).error(column, takes="first")
    line = text[: text.index(before)].count("\n") + 1
    assert (error.code, error.line, "is not known" in error.message) == ("bad-table", line, True)


def test_requirements_tell_pins_from_what_is_only_asked_for(files: Files) -> None:
    files.kind("lock-file of pip")
    assert files.text("version", "name = 'torch'") == "2.6.0"
    assert files.error("source", "name = 'torch'").code == "empty-cell"  # hashes are no place
    assert files.text("markers", "name = 'PyYAML'") == 'python_version >= "3.11"'
    assert files.error("version", "name = 'numpy'").code == "empty-cell"
    assert files.text("asked", "name = 'numpy'") == ">=2.0,<3"
    assert files.text("source", "name = 'own'") == "https://files.example/own-1.0.zip"
    assert files.text("source", "name = 'fork'") == "git+https://git.example/fork@ab12#egg=fork"
    assert files.project.lines(files.name, reads("version", "name = 'PyYAML'")) == [7]
    files.kind("lock-file of pipenv")
    assert (files.text("version", "name = 'requests'"), files.text("groups", "name = 'pytest'")) == (
        "2.31.0",
        "develop",
    )


def test_conda_lists_by_address_or_by_columns(files: Files) -> None:
    files.kind("lock-file of conda")
    assert files.text("version", "name = 'python-dateutil'") == "2.9.0"
    assert files.text("version", "name = 'xz'") == "5.2.6"
    files.kind("lock-file of conda list")
    assert files.text("source", "name = 'requests'") == "pypi"
    assert files.text("version", "name = 'numpy'") == "2.2.6"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n# last"], ids=["lf", "crlf", "a comment"])
def test_a_last_requirement_without_its_end_may_be_cut(files: Files, end: str) -> None:
    files.write("c.txt", "a==1.0\nb==2.0")
    assert files.error("version", "name = 'b'").code == "bad-table"
    files.write("c.txt", f"a==1.0\nb==2.0{end}")
    assert files.text("version", "name = 'b'") == "2.0"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(list(TABLES)), st.data())
def test_a_damaged_file_gives_an_error_with_a_hint_and_no_crash(
    tmp_path: Path, kind: str, data: st.DataObject
) -> None:
    name, whole, column = TABLES[kind]
    start = data.draw(st.integers(0, len(whole) - 1))
    length = data.draw(st.integers(0, 40))
    signs = st.text(alphabet='{}[]",:<>&=\n 0a\ud7ff', max_size=6)
    files = Files(tmp_path).write(name, whole[:start] + data.draw(signs) + whole[start + length :])
    try:
        files.found(column, form=form_of(kind), **keys_of(kind))
    except InputError as error:
        assert error.message and error.hint  # some damage leaves it readable
