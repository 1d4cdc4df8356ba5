"""The catalogue of codes: what each message's code means and what cures it; the docs are made from it."""

from __future__ import annotations

from stilltrue.codes.authoring import AUTHORING
from stilltrue.codes.binding import BINDING
from stilltrue.codes.bonds import AGREEMENT, BONDS
from stilltrue.codes.claims import CLAIMS
from stilltrue.codes.code import Code
from stilltrue.codes.copies import COPIES
from stilltrue.codes.coverage import COVERAGE
from stilltrue.codes.doors import COMMANDS, SITE
from stilltrue.codes.edits import EDITS
from stilltrue.codes.evidence import FILES, READS, TABLES
from stilltrue.codes.mutations import MUTATIONS
from stilltrue.codes.pages import PAGES
from stilltrue.codes.preflight import PREFLIGHT
from stilltrue.codes.records import PROBES, RECORDS
from stilltrue.codes.values import VALUES

__all__ = ["CODES", "STAGES", "Code"]

STAGES: dict[str, dict[str, Code]] = {
    "Pages": PAGES,
    "Claims": CLAIMS,
    "Stated values and units": VALUES,
    "Evidence files": FILES,
    "Reads": READS,
    "Tables": TABLES,
    "Agreement": AGREEMENT,
    "Ids, links and derivation": BONDS,
    "Copies": COPIES,
    "Probes and their runs": PROBES,
    "Records beside evidence": RECORDS,
    "Claims that could not fail": MUTATIONS,
    "Numbers rewritten": EDITS,
    "New and retired claims": AUTHORING,
    "Numbers bound": BINDING,
    "Coverage": COVERAGE,
    "Before a launch": PREFLIGHT,
    "The site": SITE,
    "Commands and configuration": COMMANDS,
}
"""The codes by the stage of a check that they come from, in the order of the stages."""

CODES: dict[str, Code] = {name: code for stage in STAGES.values() for name, code in stage.items()}
"""Every code by its name."""
