"""What a check depended on besides pages and evidence, for whoever remembers its result."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Trail:
    """Filled in while a check runs.

    Attributes:
        files: Records, code and inputs of probes, lock files: from the root, whether or not they are there.
        globs: The globs of probes' inputs with the files that they named.
        listing: What stands for the list of the project's files (`discover.digest_of`); None where nothing
            was searched.
        head: The commit that was asked about; None where git was not asked.
        evidence: The evidence files of which git was asked whether it ignores them.
        ignored: Those that it ignores.
    """

    files: set[str] = field(default_factory=set)
    globs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    head: str | None = None
    listing: str | None = None
    evidence: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
