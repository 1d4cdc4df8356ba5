"""What is known of evidence: which probe wrote it, where, when, from which commit, on what machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Digested:
    """A file and its digest.

    Attributes:
        path: From the repository's root, with `/`.
        sha256: Of its bytes, in hexadecimal.
    """

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Code:
    """A file of a probe's own code: the script, or a module of the repository that it imported.

    Attributes:
        path: From the repository's root, with `/`.
        sha256: Of its bytes with LF line ends: equal bytes need no closer look.
        digest: Of what it does: its code without comments and layout, and for the script its PEP 723 header.
            Equal to `sha256` for languages other than Python.
    """

    path: str
    sha256: str
    digest: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """That somebody looked at a change and found that it does not matter for one claim.

    Attributes:
        claim: The claim's id.
        because: The reason.
        on: The day, YYYY-MM-DD, in UTC.
        path: The file that changed.
        before: Its digest in the record.
        after: The digest that was accepted; any other one is a new change.
    """

    claim: str
    because: str
    on: str
    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """The record beside evidence.

    Attributes:
        subjects: The evidence files that one run, or one adoption, brought.
        on: The day of the measurement, YYYY-MM-DD, in UTC.
        source: For evidence from elsewhere: where it came from. Empty where a probe was run here.
        code: The probe's code, the script first; empty for evidence from elsewhere.
        argv: The probe's arguments, the script itself left out.
        commit: HEAD when it was run; empty without git.
        changed: Of the probe's code and inputs, the paths that differed from that commit.
        started: When the run began, ISO 8601 in UTC.
        ended: When it ended.
        machine: What it ran on, by name: `system`, `cpu`, `cores`, `memory`; no host name.
        accelerator: The accelerator's name; empty where there is none.
        interpreter: `CPython 3.11.7`; empty for other languages.
        packages: Name and version of every package that the probe imported.
        inputs: The declared inputs.
        environment: The environment variables of the allow-list that were set.
        accepted: Changes that were looked at and do not matter.
    """

    subjects: tuple[Digested, ...]
    on: str
    source: str = ""
    code: tuple[Code, ...] = ()
    argv: tuple[str, ...] = ()
    commit: str = ""
    changed: tuple[str, ...] = ()
    started: str = ""
    ended: str = ""
    machine: tuple[tuple[str, str], ...] = ()
    accelerator: str = ""
    interpreter: str = ""
    packages: tuple[tuple[str, str], ...] = ()
    inputs: tuple[Digested, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    accepted: tuple[Accepted, ...] = ()

    @property
    def probe(self) -> str:
        """The script that wrote the evidence; empty for evidence from elsewhere."""
        return self.code[0].path if self.code else ""
