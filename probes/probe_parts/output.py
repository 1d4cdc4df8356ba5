"""What probes print: the evidence as one JSON document, and progress beside it; no probe itself."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any


def as_json(document: Mapping[str, Any]) -> str:
    """Indented JSON with each list of numbers or words on one line; dataclasses become objects."""
    text = json.dumps(document, indent=2, default=asdict, allow_nan=False)
    return re.sub(r"\[\s+([^][{}]*?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text)


def say(message: str) -> None:
    """Progress, where it does not mix with the evidence."""
    print(message, file=sys.stderr, flush=True)
