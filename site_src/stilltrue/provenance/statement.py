"""A record as text: an in-toto Statement v1 with a measurement predicate."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stilltrue.model import Accepted, Code, Digested, Provenance

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
"""`_type` of every in-toto Statement of this version."""

PREDICATE_TYPE = "tag:stilltrue,2026:measurement/v1"
"""What the predicate is: a URI that names a kind and no host."""

CODE_DIGEST = "stilltrueCode1"
"""The algorithm, in a DigestSet, of what code does: `model.Code.digest`, lower-case hexadecimal."""


def to_json(provenance: Provenance) -> str:
    """The record as it is written: ASCII, indented, in a fixed order, what is empty left out.

    `parse` gives the same record back.
    """
    return json.dumps(_statement(provenance), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def schema() -> str:
    """The JSON Schema (draft 2020-12) of the statement, as it is shipped."""
    return (Path(__file__).parent / "measurement.v1.schema.json").read_text(encoding="utf-8")


def _statement(provenance: Provenance) -> dict[str, Any]:
    return {
        "_type": STATEMENT_TYPE,
        "subject": [_descriptor(each) for each in provenance.subjects],
        "predicateType": PREDICATE_TYPE,
        "predicate": {key: value for key, value in _predicate(provenance).items() if value},
    }


def _predicate(provenance: Provenance) -> dict[str, Any]:
    return {
        "on": provenance.on,
        "source": provenance.source,
        "code": [_code(each) for each in provenance.code],
        "argv": list(provenance.argv),
        "commit": provenance.commit,
        "changed": list(provenance.changed),
        "started": provenance.started,
        "ended": provenance.ended,
        "machine": _mapping(provenance.machine),
        "accelerator": provenance.accelerator,
        "interpreter": provenance.interpreter,
        "packages": _mapping(provenance.packages),
        "inputs": [_descriptor(each) for each in provenance.inputs],
        "environment": _mapping(provenance.environment),
        "accepted": [_accepted(each) for each in provenance.accepted],
    }


def _descriptor(file: Digested) -> dict[str, Any]:
    """A file as an in-toto ResourceDescriptor."""
    return {"name": file.path, "digest": {"sha256": file.sha256}}


def _code(code: Code) -> dict[str, Any]:
    return {"name": code.path, "digest": {"sha256": code.sha256, CODE_DIGEST: code.digest}}


def _mapping(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    return dict(pairs)


def _accepted(accepted: Accepted) -> dict[str, str]:
    return {
        "claim": accepted.claim,
        "because": accepted.because,
        "on": accepted.on,
        "path": accepted.path,
        "before": accepted.before,
        "after": accepted.after,
    }
