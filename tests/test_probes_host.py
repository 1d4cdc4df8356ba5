from __future__ import annotations

import getpass
import os
import platform
import re
from pathlib import Path

import pytest

from stilltrue.probes import accelerator, environment, machine
from stilltrue.probes.host import VARIABLES


def test_the_machine_is_described_without_its_name_or_its_users() -> None:
    found = dict(machine())
    assert set(found) <= {"system", "cpu", "cores", "memory"}
    assert found["system"].startswith(platform.system())
    assert 1 <= int(found["cores"]) <= (os.cpu_count() or 1)
    assert re.fullmatch(r"\d+\.\d GiB", found["memory"])
    words = " ".join(found.values()).split()
    assert platform.node() not in words
    assert getpass.getuser() not in words


def test_the_environment_is_an_allow_list(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("HF_TOKEN", "secret")
    assert environment() == (("CUDA_VISIBLE_DEVICES", ""), ("OMP_NUM_THREADS", "2"))


def test_no_variable_of_the_list_is_one_for_secrets() -> None:
    secret = re.compile(r"TOKEN$|KEY|SECRET|PASS|AUTH|URL|PROXY|HOME|USER|PATH")
    assert [name for name in VARIABLES if secret.search(name)] == []
    assert sorted(VARIABLES) == list(VARIABLES)


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ("echo 'NVIDIA H200'", "NVIDIA H200"),
        ("echo 'NVIDIA H200'; echo 'NVIDIA H200'; echo 'NVIDIA A2'", "2 × NVIDIA H200, NVIDIA A2"),
        ("echo 'NVIDIA-SMI has failed'; exit 9", ""),
        ("exit 0", ""),
    ],
    ids=["one", "several", "failing", "silent"],
)
def test_the_accelerator_is_what_the_drivers_tool_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, name: str
) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert accelerator() == name


def test_without_the_drivers_tool_there_is_no_accelerator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert accelerator() == ""
