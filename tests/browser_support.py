"""What the browser tests share: a built site behind an address, and a Chromium to open it in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        del format, args


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address of a folder while it is served, with a `/` at its end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def chromium(path: Path) -> Iterator[Any]:
    """A headless Chromium; skips the test where playwright is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(path), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()
