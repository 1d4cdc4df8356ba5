"""Which claim stands in the place of a superseded one."""

from __future__ import annotations

from collections.abc import Mapping

from stilltrue.model import Claim

_MOST = 100
"""How many successors of successors are followed: no history is longer, and a circle has no end."""


def standing(claim: Claim, known: Mapping[str, Claim]) -> Claim | None:
    """The claim that stands in the place of another in the end, None where there is none.

    Args:
        claim: A claim, superseded or not.
        known: All claims by their ids.
    """
    for _ in range(_MOST):
        if claim.superseded is None:
            return claim
        following = known.get(claim.superseded.by)
        if following is None:
            return None
        claim = following
    return None
