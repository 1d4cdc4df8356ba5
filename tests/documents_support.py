"""Documents that tools write their results into, small, and each with the traps of its format."""

from __future__ import annotations

LM_EVAL = """{
  "results": {
    "gsm8k": {
      "alias": "gsm8k",
      "exact_match,strict-match": 0.3836,
      "exact_match_stderr,strict-match": 0.0134,
      "exact_match,flexible-extract": 0.4117,
      "exact_match_stderr,flexible-extract": "N/A"
    },
    "hellaswag": {
      "alias": "hellaswag",
      "acc,none": 0.5713,
      "acc_stderr,none": 0.0049,
      "acc_norm,none": 0.7612,
      "acc_norm_stderr,none": 0.0043
    },
    "mmlu": {"alias": "mmlu", "acc,none": 0.6211, "acc_stderr,none": 0.0038},
    "wmt16": {" ": " ", "alias": "wmt16"}
  },
  "groups": {
    "mmlu": {"alias": "mmlu", "acc,none": 0.6211, "acc_stderr,none": 0.0038},
    "mean": {"alias": "mean", "acc,none": 0.5962, "acc_stderr,none": "N/A"}
  },
  "versions": {"gsm8k": 3.0, "hellaswag": 1.0, "mmlu": 2},
  "n-shot": {"gsm8k": 5, "hellaswag": 0},
  "higher_is_better": {"hellaswag": {"acc": true, "acc_norm": true}},
  "n-samples": {"gsm8k": {"original": 1319, "effective": 100}},
  "config": {"model": "hf", "model_args": "pretrained=x/y", "limit": 100.0, "bootstrap_iters": 100000},
  "model_name": "x/y",
  "lm_eval_version": "0.4.5"
}
"""
LM_EVAL_OLD = """{
  "results": {
    "hellaswag": {"acc": 0.5713, "acc_stderr": 0.0049, "acc_norm": 0.7612, "acc_norm_stderr": 0.0043},
    "wikitext": {"word_perplexity": 10.81, "byte_perplexity": 1.56}
  },
  "versions": {"hellaswag": 0, "wikitext": 1},
  "config": {"model": "hf-causal", "num_fewshot": 5, "limit": null, "bootstrap_iters": 100000}
}
"""
WANDB = """\
"Step","brisk-sun-3 - train/loss","brisk-sun-3 - train/loss__MIN","brisk-sun-3 - train/loss__MAX",\
"a - b - eval/loss","a - b - eval/loss__MIN","a - b - eval/loss__MAX"
"10","2.5","2.25","2.75","","",""
"20","1.5","1.25","1.75","1.625","1.625","1.625"
"30","NaN","NaN","NaN","","",""
"""
JUNIT = """<?xml version="1.0" encoding="utf-8"?>
<!-- made - by hand -->
<testsuites name="pytest tests">
  <testsuite name="pytest" errors="1" failures="1" skipped="2" tests="6" time="1,262.668" hostname="box">
    <properties><property name="gpus" value="8"/></properties>
    <testcase classname="tests.test_a" name="test_ok" time="0.125" file="tests/test_a.py" line="3">
      <properties><property name="tokens_per_second" value="4096.5"/></properties>
    </testcase>
    <testcase classname="tests.test_a" name="test_bad[1]" time="2.5">
      <failure type="AssertionError" message="assert 1 == 2">E  assert 1 == 2 &lt;b&gt;</failure>
    </testcase>
    <testcase classname="tests.test_a" name="test_bad[2]" time="0.5"><error message="boom"/></testcase>
    <testcase classname="tests.test_a" name="test_later" time="0.0"><skipped type="pytest.xfail"/></testcase>
    <testcase classname="tests.test_b" name="test_ok" time="1.0">
      <flakyFailure message="once"/><rerunFailure/>
    </testcase>
    <testsuite name="inner" tests="1"><testcase name="off" status="notrun" time="0"/></testsuite>
  </testsuite>
</testsuites>
"""
VLLM = """{
  "date": "20260824-101500",
  "backend": "vllm",
  "model_id": "x/y",
  "num_prompts": 100,
  "request_rate": "inf",
  "max_concurrency": 8,
  "duration": 46.96,
  "completed": 99,
  "total_input_tokens": 20000,
  "total_output_tokens": 10000,
  "request_throughput": 2.108,
  "request_goodput:": 1.5,
  "output_throughput": 212.9,
  "total_token_throughput": 638.8,
  "ttfts": [0.5, 2.25],
  "itls": [[0.01]],
  "mean_ttft_ms": 2111.51,
  "median_ttft_ms": 2098.25,
  "p99_ttft_ms": 4096.5,
  "p99.9_ttft_ms": 4100.5,
  "mean_itl_ms": 0.0,
  "median_itl_ms": 0,
  "std_itl_ms": 0.0
}
"""
SGLANG = (
    '{"backend": "sglang", "dataset_name": "random", "request_rate": Infinity, "duration": 264.25,'
    ' "completed": 996, "total_output_tokens": 218257, "output_throughput": 825.94,'
    ' "total_throughput": 2121.89, "mean_e2e_latency_ms": 2098.07, "median_e2e_latency_ms": 606.86}\n'
    '{"backend": "sglang", "dataset_name": "random", "request_rate": 4.0, "duration": 260.14,'
    ' "completed": 996, "total_output_tokens": 218257, "output_throughput": 838.99,'
    ' "total_throughput": 2155.38, "mean_e2e_latency_ms": NaN, "median_e2e_latency_ms": 700.5}\n'
)
LLMPERF = """[
  {"error_code": null, "error_msg": "", "inter_token_latency_s": 0.0107, "ttft_s": 0.75,
   "end_to_end_latency_s": 1.686, "request_output_throughput_token_per_s": 88.4,
   "number_total_tokens": 707, "number_output_tokens": 157, "number_input_tokens": 550},
  {"error_code": -1, "error_msg": "timed out", "inter_token_latency_s": 0.0, "ttft_s": 0,
   "end_to_end_latency_s": 0, "request_output_throughput_token_per_s": 0,
   "number_total_tokens": 551, "number_output_tokens": 1, "number_input_tokens": 550},
  {"error_code": null, "error_msg": "", "inter_token_latency_s": 0.0095, "ttft_s": 0.25,
   "end_to_end_latency_s": 1.583, "request_output_throughput_token_per_s": 94.1,
   "number_total_tokens": 715, "number_output_tokens": 165, "number_input_tokens": 550}
]
"""
UV_LOCK = """version = 1
revision = 3
requires-python = ">=3.11"

[[package]]
name = "numpy"
version = "2.2.6"
source = { registry = "https://pypi.example/simple" }
resolution-markers = [
    "python_full_version < '3.11'",
]
wheels = [
    { url = "https://files.example/numpy-2.2.6.whl", hash = "sha256:00", size = 21165245 },
]

[[package]]
name = "numpy"
version = "2.10"
source = { registry = "https://pypi.example/simple" }

[[package]]
name = "own"
source = { editable = "." }
dependencies = [
    { name = "numpy" },
]
"""
POETRY_LOCK = """# This file is automatically @generated by Poetry 2.1.1 and should not be changed by hand.

[[package]]
name = "PyYAML"
version = "6.0.1"
description = "YAML"
optional = true
groups = ["main", "dev"]
markers = {main = "sys_platform == 'linux'", dev = "extra == 'x'"}

[package.source]
type = "legacy"
url = "https://mirror.example/simple"

[metadata]
lock-version = "2.1"
"""
CARGO_LOCK = """# This file is automatically @generated by Cargo.
version = 4

[[package]]
name = "serde"
version = "1.0.219"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "00"
"""
PYLOCK = """lock-version = "1.0"
created-by = "a tool"

[[packages]]
name = "torch"
version = "2.6.0+cu124"
marker = "sys_platform == 'linux'"
index = "https://pypi.example/simple"

[[packages]]
name = "fork"
vcs = {type = "git", url = "https://git.example/fork", commit-id = "ab12"}
"""
NPM_LOCK = """{
  "name": "site",
  "version": "1.2.0",
  "lockfileVersion": 2,
  "packages": {
    "": {"name": "site", "version": "1.2.0", "devDependencies": {"a": "^1.0.0"}},
    "node_modules/a": {"version": "1.5.0", "resolved": "https://npm.example/a-1.5.0.tgz", "dev": true},
    "node_modules/a/node_modules/@s/b": {"version": "2.0.0", "optional": true}
  },
  "dependencies": {"a": {"version": "1.5.0", "dependencies": {"@s/b": {"version": "2.0.0"}}}}
}
"""
NPM_LOCK_1 = """{
  "name": "site",
  "lockfileVersion": 1,
  "dependencies": {
    "express": {
      "version": "4.18.2",
      "dependencies": {
        "qs": {"version": "6.11.0"}
      }
    },
    "qs": {"version": "6.5.0", "dev": true}
  }
}
"""
PIPFILE_LOCK = """{
  "_meta": {"hash": {"sha256": "00"}, "pipfile-spec": 6, "requires": {"python_version": "3.11"}},
  "default": {
    "requests": {"hashes": ["sha256:00"], "markers": "python_version >= '3.8'", "version": "==2.31.0"},
    "own": {"editable": true, "path": "."}
  },
  "develop": {"pytest": {"version": "==7.4.0"}}
}
"""
REQUIREMENTS = """# made by a tool
--index-url https://pypi.example/simple
-r other.txt
torch==2.6.0 \\
    --hash=sha256:00 \\
    --hash=sha256:01
PyYAML==6.0.1 ; python_version >= "3.11"  # as ever
numpy>=2.0, <3
own[x] @ https://files.example/own-1.0.zip
-e git+https://git.example/fork@ab12#egg=fork
"""
CONDA_EXPLICIT = """# platform: linux-64
@EXPLICIT
https://conda.example/conda-forge/linux-64/python-dateutil-2.9.0-py311_1.conda#00
https://conda.example/conda-forge/linux-64/xz-5.2.6-h166bdaf_0.tar.bz2
"""
CONDA_LIST = """# packages in environment at /opt/conda:
#
# Name                    Version                   Build  Channel
_libgcc_mutex             0.1                 conda_forge    conda-forge
numpy                     2.2.6           py311h64a7726_0
requests                  2.31.0                   pypi_0    pypi
"""
NOTEBOOK = r"""{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "## Model A\n",
    "It should reach 0.99."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [
    {
     "name": "stderr",
     "output_type": "stream",
     "text": [
      " 10%|#   | 1/10 [00:01]\r100%|####| 10/10 [00:10, 9.75it/s]\n"
     ]
    },
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "Test ",
      "accuracy: \u001b[1m0.9130\u001b[0m\n",
      "peak 12,288 MiB\n"
     ]
    }
   ],
   "source": [
    "print(f'Test accuracy: {0.5}')"
   ]
  },
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": "## Model B"
  },
  {
   "cell_type": "code",
   "execution_count": 2,
   "metadata": {},
   "outputs": [
    {
     "data": {
      "text/html": [
       "<td>1.625</td>"
      ],
      "text/plain": [
       "<IPython.core.display.HTML object>"
      ]
     },
     "metadata": {},
     "output_type": "display_data"
    },
    {
     "data": {
      "image/png": "iVBORw0KGgo=",
      "text/plain": "Test accuracy: 0.8875\nsecond line 7"
     },
     "execution_count": 2,
     "metadata": {},
     "output_type": "execute_result"
    },
    {
     "ename": "ValueError",
     "evalue": "x",
     "output_type": "error",
     "traceback": [
      "\u001b[0;31mTraceback\u001b[0m",
      "ValueError: 42 of 43"
     ]
    }
   ],
   "source": []
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"""
NOTEBOOK_3 = r"""{
 "metadata": {"name": "old"},
 "nbformat": 3,
 "nbformat_minor": 0,
 "worksheets": [
  {
   "cells": [
    {
     "cell_type": "code",
     "input": ["trad_version()"],
     "language": "python",
     "outputs": [
      {
       "html": ["<b>19.7</b>"],
       "output_type": "pyout",
       "prompt_number": 4,
       "text": [
        "19.6796452999115"
       ]
      }
     ],
     "prompt_number": 4
    }
   ]
  }
 ]
}
"""

TABLES: dict[str, tuple[str, str, str]] = {
    "lm-eval": ("results_2026.json", LM_EVAL, "value"),
    "lm-eval before 0.4": ("results.json", LM_EVAL_OLD, "value"),
    "wandb-csv": ("wandb_export.csv", WANDB, "value"),
    "junit": ("junit.xml", JUNIT, "time"),
    "serving-results": ("result.json", VLLM, "mean_ttft_ms"),
    "serving-results of sglang": ("sglang.jsonl", SGLANG, "output_throughput"),
    "llmperf": ("individual_responses.json", LLMPERF, "ttft_s"),
    "lock-file of uv": ("uv.lock", UV_LOCK, "version"),
    "lock-file of poetry": ("poetry.lock", POETRY_LOCK, "version"),
    "lock-file of Cargo": ("Cargo.lock", CARGO_LOCK, "version"),
    "lock-file of PEP 751": ("pylock.toml", PYLOCK, "version"),
    "lock-file of npm": ("package-lock.json", NPM_LOCK, "version"),
    "lock-file of npm 6": ("package-lock.json", NPM_LOCK_1, "version"),
    "lock-file of pipenv": ("Pipfile.lock", PIPFILE_LOCK, "version"),
    "lock-file of pip": ("requirements.txt", REQUIREMENTS, "version"),
    "lock-file of conda": ("conda-linux-64.lock", CONDA_EXPLICIT, "version"),
    "lock-file of conda list": ("conda.txt", CONDA_LIST, "version"),
}
"""A file of every format (the first word) under a name that it may have, and a column of it."""
