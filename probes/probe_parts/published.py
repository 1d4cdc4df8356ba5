"""Which versions of a project are published, as pip lists them; no probe itself."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from probe_parts.wheels import Wheel


@dataclass(frozen=True, slots=True)
class Published:
    """The list of published versions; none of them where it was not given."""

    path: Path | None
    versions: tuple[Version, ...]

    def between(self, last: Version, first: Version) -> dict[str, Any]:
        """Whether two releases are neighbours, and what lies between them; None where nobody knows."""
        if self.path is None:
            return {"neighbours": None, "between": None}
        inner = [str(version) for version in self.versions if last < version < first]
        return {"neighbours": not inner, "between": inner}

    def listed(self, first: Version, last: Version) -> dict[str, Any] | None:
        """The list as a document shows it, from one release to another; None where it was not given."""
        if self.path is None:
            return None
        return {
            "file": self.path.name,
            "sha256": hashlib.sha256(self.path.read_bytes()).hexdigest(),
            "versions": [str(version) for version in self.versions if first <= version <= last],
        }

    def refuse_unknown(self, versions: Iterable[Version]) -> None:
        """A wheel that the list does not know shows that the list is of something else, or too old.

        Raises:
            SystemExit: There is one.
        """
        strange = [str(one) for one in versions if self.path and one not in self.versions]
        if strange:
            raise SystemExit(f"{self.path}: does not name {', '.join(strange)}, of which there are wheels")


def published(path: Path | None, project: str) -> Published:
    """The versions in what `pip index versions` printed, or in a list with one on each line.

    Raises:
        SystemExit: The file cannot be read or names none.
    """
    if path is None:
        return Published(None, ())
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path}: cannot be read: {error}") from None
    line = re.search(r"^Available versions: (.*)$", text, re.MULTILINE)
    words = re.split(r"[\s,]+", (line[1] if line else text).strip())
    try:
        versions = tuple(sorted({Version(word) for word in words}))
    except InvalidVersion as error:
        raise SystemExit(
            f"{path}: {error}; save what `pip index versions {project}` prints, or one version on each line"
        ) from None
    return Published(path, versions)


def named(wheel: Wheel) -> dict[str, str]:
    """What a document that was made of a wheel says of it."""
    return {"version": str(wheel.version), "file": wheel.path.name, "sha256": wheel.sha256}
