"""Quantities that no claim stands behind, and the floor under the share of those that one does."""

from __future__ import annotations

from stilltrue.coverage.as_json import to_json
from stilltrue.coverage.floor import raised
from stilltrue.coverage.measure import measure
from stilltrue.coverage.outcome import Coverage, PageCoverage, Unbound
from stilltrue.coverage.since import floor_at
from stilltrue.coverage.text import to_text

__all__ = ["Coverage", "PageCoverage", "Unbound", "floor_at", "measure", "raised", "to_json", "to_text"]
