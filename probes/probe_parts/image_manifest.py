"""The smallest manifest of a container image, and the digest that it is known by; no probe itself.

A registry keeps manifests under the SHA-256 of their bytes. A tag is a name that it has for one of them, and
that can be moved to another.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"


def digest(content: bytes) -> str:
    """What content is known by in a registry: `sha256:` and 64 hexadecimal digits."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Image:
    """An image without layers, as the OCI image specification writes one.

    Attributes:
        build: Which build it is of; two builds of one image differ in their bytes.
    """

    build: int

    @property
    def config(self) -> bytes:
        """The configuration that the manifest points to."""
        labels = {"build": str(self.build)}
        rootfs = {"type": "layers", "diff_ids": list[str]()}
        platform = {"architecture": "amd64", "os": "linux"}
        return encoded({**platform, "config": {"Labels": labels}, "rootfs": rootfs})

    @property
    def manifest(self) -> bytes:
        """The bytes that a registry serves for it."""
        pointer = {"mediaType": CONFIG, "digest": digest(self.config), "size": len(self.config)}
        return encoded(
            {"schemaVersion": 2, "mediaType": MANIFEST, "config": pointer, "layers": list[object]()}
        )

    @property
    def digest(self) -> str:
        """What the image is known by."""
        return digest(self.manifest)


def encoded(content: object) -> bytes:
    """JSON that is the same bytes each time."""
    return json.dumps(content, sort_keys=True).encode()
