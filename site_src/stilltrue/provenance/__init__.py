"""The record beside evidence, an in-toto Statement with a measurement predicate; and what changed since."""

from stilltrue.provenance.beside import history, name_of, read, readable
from stilltrue.provenance.changes import Change, Current, Kind, changes, standing
from stilltrue.provenance.reading import parse
from stilltrue.provenance.statement import PREDICATE_TYPE, STATEMENT_TYPE, schema, to_json

__all__ = [
    "PREDICATE_TYPE",
    "STATEMENT_TYPE",
    "Change",
    "Current",
    "Kind",
    "changes",
    "history",
    "name_of",
    "parse",
    "read",
    "readable",
    "schema",
    "standing",
    "to_json",
]
