"""Days: written YYYY-MM-DD, counted in UTC."""

from __future__ import annotations

import re
import time

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_day(text: str) -> bool:
    """Whether a text is a day that the calendar has, as YYYY-MM-DD."""
    from datetime import date  # noqa: PLC0415  # a check of what has not changed needs none

    try:
        return bool(_DAY.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def day_of(moment: float) -> str:
    """The day in UTC of a moment, in seconds since the epoch."""
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def today() -> str:
    """This day in UTC."""
    return day_of(time.time())
