"""The steps of a table, as a command line asks for them; no probe itself."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from typing import Literal

from probe_parts.command_line import positive

Loss = Literal["naive", "chunked"]
"""All logits at once; in chunks whose logits are dropped, and made again in the backward pass."""

ALL_KEPT = "all-kept"
"""The word of a row that goes without checkpointing."""


@dataclass(frozen=True, slots=True)
class Row:
    """A step that is asked about.

    Attributes:
        tokens: Of each sequence.
        sequences: In the micro-batch.
        loss: How the loss is computed.
        checkpointing: Whether decoder layers are run again in the backward pass.
    """

    tokens: int
    sequences: int
    loss: Loss
    checkpointing: bool

    def __str__(self) -> str:
        """As it is written on the command line."""
        words = [f"{self.tokens}x{self.sequences}", self.loss, *([] if self.checkpointing else [ALL_KEPT])]
        return ":".join(words)


def row_of(text: str) -> Row:
    """A row from `TOKENSxSEQUENCES:LOSS`, with `:all-kept` after it where nothing is checkpointed."""
    found = re.fullmatch(rf"(\d+)x(\d+):(naive|chunked)(:{ALL_KEPT})?", text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(
            f"`{text}` is no row: write 8192x1:naive or 16384x2:chunked, "
            f"and :{ALL_KEPT} after it where layers are not checkpointed"
        )
    tokens, sequences = positive(found[1]), positive(found[2])
    if tokens < 2:
        raise argparse.ArgumentTypeError(f"`{text}`: one token has none after it to be predicted")
    return Row(tokens, sequences, "naive" if found[3] == "naive" else "chunked", found[4] is None)


def rows_of(text: str) -> tuple[Row, ...]:
    """Different rows with commas between them, in their order."""
    return tuple(dict.fromkeys(map(row_of, text.split(","))))
