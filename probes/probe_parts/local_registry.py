"""A registry of container images on this machine alone: just what resolves a reference; no probe itself.

It answers as the OCI distribution specification has it, over TLS with a key that is made for the run.
"""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from probe_parts.image_manifest import CONFIG, MANIFEST, Image, digest, encoded

UNKNOWN = {"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}
"""What a registry says of a reference that it does not have."""

Run = Callable[[Sequence[str]], object]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent for a request.

    Attributes:
        status: 200, or 404.
        body: Its bytes.
        kind: Their media type.
        known_by: The digest of a manifest; empty for anything else.
    """

    status: int
    body: bytes
    kind: str = "application/json"
    known_by: str = ""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the registry has of one repository.

    Attributes:
        name: The repository.
        images: All of its images; one that lost its tag is still there.
        tags: The image that each tag names. Tags can be moved while the registry answers.
    """

    name: str
    images: Sequence[Image]
    tags: dict[str, Image] = field(default_factory=dict)

    def answer(self, path: str) -> Answer:
        """The answer for a path of the registry's interface."""
        kind, _, reference = path.removeprefix(f"/v2/{self.name}/").partition("/")
        if path == "/v2/":
            return Answer(200, b"{}")
        by_digest = {one.digest: one for one in self.images}
        image = {**by_digest, **self.tags}.get(reference) if kind == "manifests" else None
        if image:
            return Answer(200, image.manifest, MANIFEST, image.digest)
        blobs = {digest(one.config): one.config for one in self.images}
        if kind == "blobs" and reference in blobs:
            return Answer(200, blobs[reference], CONFIG)
        return Answer(404, encoded(UNKNOWN))


class Handler(BaseHTTPRequestHandler):
    """Sends what a shelf answers."""

    def __init__(self, shelf: Shelf, *given: Any) -> None:
        self.shelf = shelf
        super().__init__(*given)

    def do_GET(self) -> None:
        """Status, headers and body."""
        answer = self.shelf.answer(self.path)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        if answer.known_by:
            self.send_header("Docker-Content-Digest", answer.known_by)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_said: object) -> None:
        """No word of each request: standard error is for progress."""


@contextlib.contextmanager
def registry(shelf: Shelf, folder: Path, run: Run) -> Iterator[str]:
    """A registry that answers until the end of the block; gives its host and port.

    Args:
        shelf: What it has.
        folder: Where its key is put.
        run: Runs a program, here `openssl`, and complains where it fails.
    """
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    named = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *named)
    run((*made, "-keyout", str(key), "-out", str(certificate)))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, shelf)) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"localhost:{server.server_address[1]}"
        finally:
            server.shutdown()


def said(text: str) -> dict[str, Any]:
    """What `docker manifest inspect --verbose` printed of one image.

    Raises:
        SystemExit: It is no JSON object with a descriptor.
    """
    try:
        found = json.loads(text)
        return {"digest": str(found["Descriptor"]["digest"]), "size": int(found["Descriptor"]["size"])}
    except (ValueError, KeyError, TypeError) as error:
        raise SystemExit(f"docker manifest inspect: prints no descriptor of one image: {error!r}") from None
