"""What all tests share: which browser there is, and what is left out where something is missing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from stilltrue.edit.ci import VARIABLES

# One commit gives one answer: property tests draw the same examples on every run, here and in CI. `make
# explore` draws others; what it finds gets a test of its own, with the right value.
settings.register_profile("same", derandomize=True)
settings.register_profile("explore", derandomize=False, print_blob=True)
settings.load_profile("explore" if "STILLTRUE_EXPLORE" in os.environ else "same")

# Before anything brings torch: workers that share the cores would wait for one another's threads, and a probe
# that sets their number for the whole process would set it for the tests after its own.
os.environ["OMP_NUM_THREADS"] = "1"

# Tests run as on somebody's own machine in CI too, where `update` would rewrite nothing: a test of that sets
# the variable that it is about.
for _name in VARIABLES:
    os.environ.pop(_name, None)

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def _pass_over_what_was_ignored() -> None:
    """Pass signals over here that a shell had ignored, as for what runs in the background.

    What is ignored stays so in every program that is started: tests of interrupts would wait for ever.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # not every system has all of them
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda _number, _frame: None)


_pass_over_what_was_ignored()


def find_browser() -> Path | None:
    """Chromium: the one that STILLTRUE_BROWSER names, else the first on the PATH."""
    named = os.environ.get("STILLTRUE_BROWSER")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, BROWSERS)), None)
    return Path(found) if found else None


BROWSER = find_browser()
TORCH = importlib.util.find_spec("torch") is not None


def pytest_report_header() -> list[str]:
    browser = BROWSER or "none found; tests marked `browser` are left out (install Chromium to run them)"
    torch = "installed" if TORCH else "not installed; tests marked `torch` are left out (extra `playbook`)"
    return [f"browser: {browser}", f"torch: {torch}"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    without = []
    if BROWSER is None:
        without.append(("browser", pytest.mark.skip(reason="no Chromium found")))
    if not TORCH:
        without.append(("torch", pytest.mark.skip(reason="torch is not installed")))
    for item in items:
        for name, skip in without:
            if item.get_closest_marker(name):
                item.add_marker(skip)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)  # begun last, they would end alone


@pytest.fixture(scope="session")
def browser_path() -> Path:
    """The Chromium that browser tests drive; tests that ask for it are marked `browser`."""
    assert BROWSER is not None, "mark the test with `@pytest.mark.browser`"
    return BROWSER


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were written just now are old enough for a check to be remembered."""
    monkeypatch.setattr("stilltrue.cache._SETTLED_S", -60.0)
