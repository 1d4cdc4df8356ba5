"""`new`: a landmine, a claim or a probe that holds from the start, for its author to make their own."""

from stilltrue.scaffold.claim import Source, new_claim
from stilltrue.scaffold.landmine import new_landmine
from stilltrue.scaffold.made import Made
from stilltrue.scaffold.probe import new_probe

__all__ = ["Made", "Source", "new_claim", "new_landmine", "new_probe"]
