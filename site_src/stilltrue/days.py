"""Days: written YYYY-MM-DD, counted in UTC."""

from __future__ import annotations

import re
import time

from stilltrue.errors import UsageError

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_day(text: str) -> bool:
    """Whether a text is a day that the calendar has, as YYYY-MM-DD."""
    from datetime import date  # noqa: PLC0415  # a check of what has not changed needs none

    try:
        return bool(_DAY.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def refuse_day(on: str, hint: str) -> None:
    """Refuse what `--on` names if it is no day, or one that has not come.

    Args:
        on: The day, as it was given.
        hint: Which day is meant.

    Raises:
        UsageError: It is so.
    """
    if not is_day(on):
        raise UsageError(f"`{on}` is no day", "write it as `--on 2026-03-01`")
    if on > today():
        raise UsageError(f"{on} lies in the future: in UTC it is {today()}", hint)


def day_of(moment: float) -> str:
    """The day in UTC of a moment, in seconds since the epoch."""
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def today() -> str:
    """This day in UTC."""
    return day_of(time.time())
