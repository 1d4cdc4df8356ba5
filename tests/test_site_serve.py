"""`mkdocs serve`: it never fails, and whatever claims depend on reloads the page."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import probe_project
import site_project


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return site_project.write(tmp_path)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(url: str, there: Callable[[str], bool]) -> str:
    deadline = time.monotonic() + 60
    html = ""
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310  # our own server
                html = answer.read().decode("utf-8")
        except OSError:
            html = ""
        if there(html):
            return html
        time.sleep(0.3)
    pytest.fail(f"{url} never came to hold what was waited for; last: {html[:500]}")


@contextmanager
def served(root: Path) -> Iterator[str]:
    """The address of the project's site while MkDocs serves it; it must still be served at the end."""
    address = f"127.0.0.1:{_free_port()}"
    with (root.parent / "serve.log").open("wb") as output:
        command = [sys.executable, "-m", "mkdocs", "serve", "--strict", "-a", address]
        server = subprocess.Popen(command, cwd=root, stdout=output, stderr=output)
        try:
            yield f"http://{address}/"
            assert server.poll() is None
        finally:
            server.terminate()
            server.wait(timeout=20)


HOLDS = 'class="st-card st-holds" id="encode-rebuild"'
RED = 'class="st-card st-drifted st-failing" id="encode-rebuild"'


def test_serving_never_fails_and_turns_a_card_red_when_evidence_changes(root: Path) -> None:
    with served(root) as site:
        url = f"{site}throughput/step/"
        _wait_for(url, lambda html: HOLDS in html)
        site_project.edit(root, "claims/evidence/encode.json", "145.52", "146.52")
        assert "146.5" in _wait_for(url, lambda html: RED in html)
        site_project.edit(root, "claims/evidence/encode.json", "146.52", "145.52")
        _wait_for(url, lambda html: HOLDS in html)
    assert "encode-rebuild drifted" in (root.parent / "serve.log").read_text(encoding="utf-8")


def test_evidence_is_watched_wherever_claims_read_it_and_once_they_do(root: Path) -> None:
    there = site_project.FILES["claims/evidence/encode.json"]
    site_project.put(root, "results/encode.json", there)
    site_project.put(root, "later/run/encode.json", there)
    site_project.edit(root, "claims/shared.yml", "claims/evidence/encode.json", "results/encode.json")
    with served(root) as site:
        url = f"{site}throughput/step/"
        _wait_for(url, lambda html: HOLDS in html)
        site_project.edit(root, "results/encode.json", "145.52", "146.52")
        _wait_for(url, lambda html: RED in html)
        site_project.edit(root, "claims/shared.yml", "results/encode.json", "later/*/encode.json")
        _wait_for(url, lambda html: HOLDS in html)
        site_project.edit(root, "later/run/encode.json", "145.52", "146.52")
        _wait_for(url, lambda html: RED in html)


def test_a_probe_that_now_says_otherwise_turns_its_cards_red_and_serving_goes_on(root: Path) -> None:
    probe_project.write(root)
    cheap = site_project.MKDOCS.replace("[search, stilltrue]", "[search, stilltrue: {rerun: cheap}]")
    site_project.put(root, "mkdocs.yml", cheap)
    probe = (
        probe_project.HEADER + 'print("name,time_ms\\nattention,22835.8\\nproducts,2774.0\\nothers,9310.2")\n'
    )
    site_project.put(root, "probes/step.py", probe)
    probe_project.record(root, probe_project.STEP, probe_project.step_record(root))
    with served(root) as site:
        url = f"{site}throughput/step/"
        _wait_for(url, lambda html: 'class="st-card st-holds" id="attention-time"' in html)
        site_project.edit(root, "probes/step.py", "22835.8", "22900.8")
        red = 'class="st-card st-refuted st-failing" id="attention-time"'
        html = _wait_for(url, lambda html: red in html)
        assert "22,900.8" in html
