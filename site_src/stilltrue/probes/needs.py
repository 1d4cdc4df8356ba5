"""Whether a probe can run here: what the machine has, which Python it is, which packages are installed."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from stilltrue.model import Probe

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet


DEVICES = Path("/dev")
"""Where the driver of an NVIDIA GPU offers its devices."""

WSL_DRIVER = Path("/usr/lib/wsl/lib/libcuda.so")
"""What stands for them under WSL."""


def missing(probe: Probe) -> str:
    """Why a probe cannot run here, in a few words; empty where it can.

    Starts no process and imports nothing that the probe needs.
    """
    return next(_obstacles(probe), "")


def _obstacles(probe: Probe) -> Iterator[str]:
    for word in probe.needs:
        if why := _LOOKS[word]():
            yield why
    if probe.requires_python and not _python_fits(probe.requires_python):
        yield f"needs Python {probe.requires_python}"
    for text in probe.dependencies:
        if why := _not_installed(text):
            yield why


def has_cuda_device() -> bool:
    """Whether the driver of an NVIDIA GPU offers a device: CUDA itself may still find fault with it."""
    return any(DEVICES.glob("nvidia[0-9]*")) or WSL_DRIVER.exists()


def _cuda() -> str:
    if not has_cuda_device():
        return "needs cuda"
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1")
    return "needs cuda, and CUDA_VISIBLE_DEVICES hides every GPU" if hidden else ""


def _system(name: str, word: str) -> Callable[[], str]:
    return lambda: "" if sys.platform == name else f"needs {word}"


def _program(name: str) -> Callable[[], str]:
    return lambda: "" if shutil.which(name) else f"needs {name}"


_LOOKS: dict[str, Callable[[], str]] = {
    "cuda": _cuda,
    "docker": _program("docker"),
    "git": _program("git"),
    "linux": _system("linux", "linux"),
    "macos": _system("darwin", "macos"),
    "pgrep": _program("pgrep"),
}
"""How each word of `keys.NEEDS` is looked for; empty where it is there."""


def _fits(specifier: SpecifierSet, version: str) -> bool:
    """Whether a version fits; one that is no version at all fits only where any does."""
    try:
        return not specifier or specifier.contains(version, prereleases=True)
    except ValueError:  # no version, or one of thousands of digits
        return False


def _python_fits(specifier: str) -> bool:
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415  # only a run needs it

    return _fits(SpecifierSet(specifier), platform.python_version())


def _not_installed(text: str) -> str:
    """Why a requirement is not met, by the metadata of what is installed; empty where it is."""
    from packaging.requirements import Requirement  # noqa: PLC0415  # only a run needs it

    return next(_unmet(Requirement(text), "", set()), "")


def _unmet(wanted: Requirement, extra: str, seen: set[tuple[str, str]]) -> Iterator[str]:
    """What is missing for a requirement, and for the extras that it asks for."""
    from importlib import metadata  # noqa: PLC0415  # it takes longer to import than a check of one page

    from packaging.requirements import Requirement  # noqa: PLC0415  # as in `_not_installed`

    if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
        return
    try:
        found = metadata.distribution(wanted.name)
        version = str(found.version)
    except metadata.PackageNotFoundError:
        yield f"{wanted.name} is not installed"
        return
    if not _fits(wanted.specifier, version):
        yield f"{wanted.name} {version} is installed, and {wanted.specifier} is needed"
        return
    for name in sorted(wanted.extras):
        if (wanted.name, name) not in seen:
            seen.add((wanted.name, name))
            for text in found.requires or ():
                inner = Requirement(text)
                if inner.marker is not None and "extra" in str(inner.marker):
                    yield from _unmet(inner, name, seen)
