"""What `stilltrue readings` and `stilltrue bind` do."""

from __future__ import annotations

import re
from pathlib import Path

from stilltrue.binding import Asked, bind, binding_json, binding_text, listing_json, listing_text, readings
from stilltrue.cli.exits import FAILED, OK
from stilltrue.cli.paths import from_root
from stilltrue.cli.streams import emit
from stilltrue.config import load
from stilltrue.errors import UsageError

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?")


def list_readings(project: str, file: str, like: str, form: str) -> int:
    """`stilltrue readings`: prints what a file holds; 0, and 1 where nothing is like what was looked for.

    Args:
        project: A folder in the project.
        file: The file, from the current folder or from the root.
        like: A quantity, or words; empty: everything is listed, kind by kind.
        form: `text` or `json`.

    Raises:
        UsageError: The configuration cannot be used.
        InputError: The file cannot be read.
    """
    config = load(Path(project))
    listing = readings(config, from_root(config.root, file), like)
    emit(listing_json(listing) if form == "json" else listing_text(listing))
    return FAILED if listing.like and not listing.found else OK


def bind_number(
    project: str,
    place: str,
    file: str,
    *,
    value: str,
    pick: int,
    name: str,
    whole: bool,
    aside: bool,
    write: bool,
    form: str,
) -> int:
    """`stilltrue bind`: prints what may be the number, and the claim for it; 0 when one is proposed, else 1.

    Args:
        project: A folder in the project.
        place: `PAGE:LINE` or `PAGE:LINE:COLUMN`, from the current folder or from the root.
        file: The file that the number was read from, likewise.
        value: The number as the page writes it; empty where the place says enough.
        pick: Which of the candidates is meant, from 1; 0: the best.
        name: The claim's id; empty: one made of what names the value.
        whole: Whether the whole column of its table is meant.
        aside: Whether the page stays as it is.
        write: Whether to write the claim.
        form: `text` or `json`.

    Raises:
        UsageError: The configuration, the place or the id cannot be used, or what is written is not sure.
        InputError: A file cannot be read or written.
    """
    found = _PLACE.fullmatch(place)
    if found is None or not int(found["line"]):
        hint = "write the page and the line: `stilltrue bind README.md:12 results.json`"
        raise UsageError(f"`{place}` is no place on a page", hint)
    config = load(Path(project))
    asked = Asked(
        from_root(config.root, found["path"]),
        int(found["line"]),
        int(found["column"] or 0),
        value,
        from_root(config.root, file),
        pick,
        name,
        whole,
        aside,
    )
    binding = bind(config, asked, write=write)
    emit(binding_json(binding) if form == "json" else binding_text(binding))
    return OK if binding.proposal is not None else FAILED
