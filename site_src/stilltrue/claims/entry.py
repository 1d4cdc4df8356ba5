"""One mapping of keys, on a page or in a claims file, to the claim it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.claims import keys, mappings
from stilltrue.claims.claim import Origin, read_claim
from stilltrue.claims.nodes import Mapping
from stilltrue.errors import InputError
from stilltrue.model import Claim
from stilltrue.quantity import Units

if TYPE_CHECKING:
    from stilltrue.claims.stated_in import Unstated


def read_entry(node: Mapping, units: Units, origin: Origin) -> Claim | Unstated:
    """The claim that a mapping is, or that it is once the file is read which states its value.

    Raises:
        InputError: The first thing that is wrong with it; its line is filled in.
    """
    mappings.check(node, keys.KEYS)
    stated_in = node.entries.get("stated_in")
    if "value" not in node.entries:
        if stated_in is None:
            hint = f"add `{keys.KEYS['value'].example}`, or `stated_in` where a file states it already"
            raise InputError("missing-key", "`value` is missing", hint, line=node.line)
        from stilltrue.claims.stated_in import Unstated  # noqa: PLC0415  # most claims state their value

        return Unstated(node, units, origin)
    if stated_in is not None:
        message = "`stated_in` stands beside `value`, and a value is stated once"
        hint = "keep one of them; other places that repeat the number are `copies`"
        raise InputError("two-sources", message, hint, line=stated_in.line)
    return read_claim(node, units, origin)
