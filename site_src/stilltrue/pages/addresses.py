"""The address of a link to a claim, and what was meant to be one and binds nothing."""

from __future__ import annotations

import html
import re
import unicodedata
from urllib.parse import unquote

from stilltrue.quantity.units import one_slip

SCHEME = "claim:"

MAY_BE = re.compile(r"""(?i)[(<"'=:]\s*+<?\s*+(?:c[a-z]{2,6}\s*[:\uff1a\\]|[a-z]{0,8}[%&])""")
"""Where an address may begin that is meant to be a claim's; far more than that, and found fast."""

BROKEN = re.compile(rf"\](?:\s+\(|:)\s*<?\s*{SCHEME}[a-z0-9][a-z0-9.-]*\s*[)>\n]?", re.IGNORECASE)
"""A link or a definition of one with a blank or a line end where it may have none, for which it is text."""


def meant(address: str) -> str:
    """The address of a claim that one is, or nearly is; empty for every other.

    `Claim:x`, `claims:x`, `claim%3Ax` and `claim&#58;x` are nearly `claim:x`: some viewers read them so, and
    none of them is bound.
    """
    if MAY_BE.match(f"({address}") is None:
        return ""
    read = unicodedata.normalize("NFKC", unquote(html.unescape(address)).replace("\\", "")).lower()
    scheme, colon, name = "".join(read.split()).partition(":")
    return f"{SCHEME}{name.strip('/')}" if colon and one_slip(scheme, SCHEME[:-1]) else ""
