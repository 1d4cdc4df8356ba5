"""What a shell is offered where it completes a command line: click's completion, ids, tags, files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from stilltrue.cli.exits import OK, USAGE

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from stilltrue.check.gather import Corpus

VARIABLE = "_STILLTRUE_COMPLETE"
"""What the script of a shell sets: `bash_source` asks for that script, `bash_complete` for what fits."""

_WORD = re.compile(r"[\w.-]+")
"""What needs no quoting in any shell."""


def complete(app: click.Command, asked: str) -> int:
    """Answers a shell, and says nothing but the answer: whatever else were said would land in its prompt.

    Args:
        app: The command line.
        asked: What `VARIABLE` holds.

    Returns:
        2 where the shell is not known, or what it hands over cannot be understood.
    """
    from click.shell_completion import shell_complete  # noqa: PLC0415  # only a shell asks for it

    try:
        return OK if shell_complete(app, {}, "stilltrue", VARIABLE, asked) == 0 else USAGE
    except Exception:  # noqa: BLE001  # a traceback in the middle of a line that someone is typing
        return USAGE


def ids(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The ids of claims that begin so."""
    corpus = _corpus(ctx)
    return _fitting(corpus.claims, begun) if corpus else []


def ids_or_kinds(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """What `--rerun` takes: `cheap`, `all`, an id."""
    return [*_fitting(("cheap", "all"), begun), *ids(ctx, parameter, begun)]


def tags(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The tags of claims that begin so."""
    corpus = _corpus(ctx)
    found = {tag for claim in corpus.claims.values() for tag in claim.tags} if corpus else set()
    return _fitting(sorted(found), begun)


def files(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Files, which the shell completes itself."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  # as in `complete`

    return [CompletionItem(begun, type="file")]


def _fitting(words: Iterable[str], begun: str) -> list[str]:
    return [word for word in words if word.startswith(begun) and _WORD.fullmatch(word)]


def _corpus(ctx: click.Context) -> Corpus | None:
    """What the project's pages and claims files hold; nothing is judged. None where it cannot be read."""
    from pathlib import Path  # noqa: PLC0415  # as in `complete`

    from stilltrue.check.gather import gather  # noqa: PLC0415  # as in `complete`
    from stilltrue.config import load  # noqa: PLC0415
    from stilltrue.errors import StilltrueError  # noqa: PLC0415

    try:
        return gather(load(Path(ctx.params.get("project") or ".")))
    except (StilltrueError, OSError):
        return None
