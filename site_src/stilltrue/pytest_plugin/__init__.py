"""`pytest --stilltrue`: the option alone, since pytest imports this in every run."""

from __future__ import annotations

import pytest

__all__ = ["pytest_addoption", "pytest_configure"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--stilltrue`."""
    parser.getgroup("stilltrue").addoption(
        "--stilltrue", action="store_true", help="Collect every claim of the project as a test."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Open the door where it was asked for."""
    if config.getoption("stilltrue"):
        from stilltrue.pytest_plugin.door import Door  # noqa: PLC0415  # no other run pays for it

        config.addinivalue_line("markers", "stilltrue: a claim, or a problem, that `--stilltrue` collected")
        config.pluginmanager.register(Door(config), "stilltrue-door")
