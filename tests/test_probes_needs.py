from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stilltrue.model import Probe
from stilltrue.probes import missing, needs

HERE = {"linux": "linux", "darwin": "macos"}.get(sys.platform, "")


def probe(*dependencies: str, needs: tuple[str, ...] = (), requires_python: str = "") -> Probe:
    return Probe("p.py", ("o",), needs=needs, dependencies=dependencies, requires_python=requires_python)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages: `alpha` 1.5, with an extra `fast` that needs `beta` and one `all` over it."""
    metadata = {
        "alpha": (
            "1.5",
            (
                "Provides-Extra: fast\nProvides-Extra: all\n"
                "Requires-Dist: gamma\n"
                "Requires-Dist: beta>=2; extra == 'fast'\n"
                "Requires-Dist: delta; extra == 'fast' and python_version < '3'\n"
                "Requires-Dist: alpha[fast,all]; extra == 'all'\n"
            ),
        ),
        "Pre_Release.Name": ("2.0rc1", ""),
        "torchlike": ("2.6.0+cu126", ""),
        "odd": ("not a version", ""),
    }
    for name, (version, rest) in metadata.items():
        folder = tmp_path / f"{name}-{version.replace(' ', '_')}.dist-info"
        folder.mkdir()
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{rest}"
        (folder / "METADATA").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("requirement", "why"),
    [
        ("alpha", ""),
        ("ALPHA>=1.5,<2", ""),
        ("alpha>=2", "alpha 1.5 is installed, and >=2 is needed"),
        ("no-such-package-here", "no-such-package-here is not installed"),
        ("no-such-package-here; python_version < '3'", ""),
        (
            "no-such-package-here; sys_platform == 'none' or python_version >= '3'",
            "no-such-package-here is not",
        ),
        ("alpha[fast]", "beta is not installed"),
        ("alpha[all]", "beta is not installed"),
        ("alpha[unheard-of]", ""),
        ("alpha @ https://example.org/alpha.whl", ""),
        ("pre-release-name>=1", ""),
        ("torchlike==2.6.0", ""),
        ("odd", ""),
        ("odd>=1", "odd not a version is installed, and >=1 is needed"),
    ],
)
def test_packages_are_looked_up_by_their_metadata(requirement: str, why: str) -> None:
    found = missing(probe(requirement))
    assert found.startswith(why) if why else not found


@pytest.mark.parametrize(
    ("specifier", "why"),
    [(">=3.11", ""), ("", ""), (">=99", "needs Python >=99"), ("<3.11", "needs Python <3.11")],
)
def test_the_python_is_compared(specifier: str, why: str) -> None:
    assert missing(probe(requires_python=specifier)) == why


def test_the_system_is_compared() -> None:
    for word in ("linux", "macos"):
        assert missing(probe(needs=(word,))) == ("" if word == HERE else f"needs {word}")


@pytest.mark.parametrize("program", ["docker", "git", "pgrep"])
def test_programs_are_looked_for_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing(probe(needs=(program,))) == f"needs {program}"
    (tmp_path / program).write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / program).chmod(0o755)
    assert missing(probe(needs=(program,))) == ""


@pytest.mark.parametrize(
    ("device", "visible", "why"),
    [
        (False, None, "needs cuda"),
        (True, None, ""),
        (True, "0,1", ""),
        (True, "", "needs cuda, and CUDA_VISIBLE_DEVICES hides every GPU"),
        (True, "-1", "needs cuda, and CUDA_VISIBLE_DEVICES hides every GPU"),
    ],
)
def test_a_gpu_is_there_when_its_driver_offers_a_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: bool, visible: str | None, why: str
) -> None:
    monkeypatch.setattr(needs, "DEVICES", tmp_path)
    monkeypatch.setattr(needs, "WSL_DRIVER", tmp_path / "libcuda.so")
    (tmp_path / "nvidiactl").touch()
    if device:
        (tmp_path / "nvidia0").touch()
    if visible is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert missing(probe(needs=("cuda",))) == why


def test_wsl_has_its_driver_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "DEVICES", tmp_path)
    monkeypatch.setattr(needs, "WSL_DRIVER", tmp_path / "libcuda.so")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    (tmp_path / "libcuda.so").touch()
    assert missing(probe(needs=("cuda",))) == ""


def test_looking_imports_nothing_that_the_probe_needs() -> None:
    missing(probe("mkdocs-material", needs=("cuda",)))
    before = set(sys.modules)
    missing(probe("torch", "pymdown-extensions", needs=("cuda",)))
    assert not {name for name in set(sys.modules) - before if name.startswith(("torch", "pymdownx"))}
