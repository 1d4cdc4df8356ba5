"""What `stilltrue supersede` does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stilltrue.cli.exits import OK
from stilltrue.cli.streams import emit
from stilltrue.cli.usage import message
from stilltrue.config import load
from stilltrue.report import escape
from stilltrue.retire import Retired, supersede
from stilltrue.wording import counted

_SHOWN = 40


def supersede_claim(project: str, old: str, by: str, because: str, on: str) -> int:
    """`stilltrue supersede`: writes it, and says what is left to mend; 0 when it is written.

    Args:
        project: A folder in the project.
        old: The claim's id.
        by: Its successor's id; empty: it is withdrawn.
        because: Why it no longer stands.
        on: The day, YYYY-MM-DD, in UTC; empty: today.

    Raises:
        UsageError: The configuration cannot be used, or the claim cannot be superseded so.
        InputError: The file cannot be read or written.
    """
    emit(
        "".join(
            f"{line}\n" for line in _told(supersede(load(Path(project)), old, by=by, because=because, on=on))
        )
    )
    return OK


def _told(retired: Retired) -> Iterator[str]:
    said, name = retired.superseded, escape(retired.claim.id)
    became = f"superseded by `{escape(said.by)}`" if said.by else "withdrawn"
    yield f"{escape(str(retired.claim.block))}: `{name}` is {became}, on {said.on}: {escape(said.because)}"
    if not retired.left:
        yield "  nothing else states it, as far as `stilltrue check` sees"
        return
    yield f"  left to mend: {counted(len(retired.left), 'place')}"
    if any(each.code == "stale-copy" for each in retired.left) and retired.claim.search is None:
        yield "  where it means something else: `search: {words: […]}` in the claim, words that stand near it"
    for each in retired.left[:_SHOWN]:
        yield ""
        yield message(str(each.place), each.message, each.hint, each.code)
    if (more := len(retired.left) - _SHOWN) > 0:
        yield f"\nand {more:,} more: `stilltrue check {name}`"
