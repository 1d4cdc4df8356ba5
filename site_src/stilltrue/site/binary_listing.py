"""An evidence file that is no text, on its page: what it is, and what was read from which of its rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from stilltrue import files
from stilltrue.config import Config
from stilltrue.quantity import show_value
from stilltrue.site.card import claim_link
from stilltrue.site.markup import row, text
from stilltrue.site.view import Readers, Spot

MOST_ROWS = 1_000
"""How many rows are shown at most."""


def binary_listing(config: Config, path: str, readers: Readers, spot: Spot) -> str:
    """Its size and digest, and a row for each value that was read, with an anchor as a line would have.

    Raises:
        InputError: It cannot be read.
    """
    data = files.read_bytes(config.root, path, config.limits.bytes)
    about = row("Size", f"{len(data):,} bytes") + row("SHA-256", hashlib.sha256(data).hexdigest())
    shown = "".join(_rows(readers, spot))
    readings = (
        '<div class="st-table"><table><thead><tr><th>Row</th><th>Value</th><th>Claim</th></tr></thead>'
        f"<tbody>{shown}</tbody></table></div>"
    )
    return (
        '<h2 id="lines">Readings</h2><p>The file is no text. Its rows are counted from 1.</p>'
        f'<div class="st-table"><table><tbody>{about}</tbody></table></div>{readings if shown else ""}'
    )


def _rows(readers: Readers, spot: Spot) -> Iterator[str]:
    """One row for each place, the first of them by number; 0 is the file as a whole."""
    for number in sorted(readers)[:MOST_ROWS]:
        for at, (name, values) in enumerate(readers[number].items()):
            anchor = f' id="L{number}"' if number and not at else ""
            place = f"{number:,}" if number else "all"
            said = ", ".join(text(show_value(value)) for value in dict.fromkeys(values))
            yield f"<tr{anchor}><td>{place}</td><td>{said}</td><td>{claim_link(name, spot)}</td></tr>"
    if len(readers) > MOST_ROWS:
        yield f'<tr><td colspan="3">{len(readers) - MOST_ROWS:,} more rows were read.</td></tr>'
