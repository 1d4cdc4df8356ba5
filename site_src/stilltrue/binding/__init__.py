"""What a file holds, and the claim that binds a number on a page to it: `readings` and `bind`.

A number that stands somewhere in a file proves little: most wrong numbers do too. So each candidate is told
with how likely chance found it, and only one that the words around the number name, and no other, is sure.
"""

from __future__ import annotations

from stilltrue.binding.as_json import binding_json, listing_json
from stilltrue.binding.listing import Listing, readings
from stilltrue.binding.outcome import Binding, Candidate, Level, Proposal, Spot
from stilltrue.binding.run import Asked, bind
from stilltrue.binding.text import binding_text, listing_text

__all__ = [
    "Asked",
    "Binding",
    "Candidate",
    "Level",
    "Listing",
    "Proposal",
    "Spot",
    "bind",
    "binding_json",
    "binding_text",
    "listing_json",
    "listing_text",
    "readings",
]
