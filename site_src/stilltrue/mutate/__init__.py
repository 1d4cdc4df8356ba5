"""Claims that could not fail: every stated value, reading and operand is shifted beyond what agrees."""

from __future__ import annotations

from stilltrue.mutate.as_json import to_json
from stilltrue.mutate.outcome import Kind, Mutated, PlantRun, Survivor
from stilltrue.mutate.run import mutate
from stilltrue.mutate.text import to_text

__all__ = ["Kind", "Mutated", "PlantRun", "Survivor", "mutate", "to_json", "to_text"]
