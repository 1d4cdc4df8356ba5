"""One entry of the catalogue."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """One code of the catalogue.

    Attributes:
        means: What has happened, in one or two sentences.
        cure: What to do, in one or two sentences.
    """

    means: str
    cure: str
