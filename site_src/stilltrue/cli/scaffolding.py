"""What `stilltrue new landmine`, `new claim` and `new probe` do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stilltrue.cli.exits import FAILED, OK
from stilltrue.cli.interrupts import interruptible
from stilltrue.cli.paths import from_root
from stilltrue.cli.running import watch
from stilltrue.cli.streams import emit
from stilltrue.config import load
from stilltrue.errors import UsageError
from stilltrue.report import escape, message_lines
from stilltrue.scaffold import Made, Source, new_claim, new_landmine, new_probe

_SHAPES = ("path", "column", "match")


def make_landmine(project: str, name: str, page: str) -> int:
    """`stilltrue new landmine`: 0 when it is written, and then all of it holds.

    Raises:
        UsageError: The configuration or the name cannot be used.
        InputError: Something is in the way, or cannot be read or written.
    """
    config = load(Path(project))
    with interruptible():
        made = new_landmine(config, name, page=from_root(config.root, page) if page else "", watch=watch)
    return _told(made)


def make_probe(project: str, name: str) -> int:
    """`stilltrue new probe`: 0 when it is written and recorded.

    Raises:
        UsageError: The configuration or the name cannot be used.
        InputError: Something is in the way, or cannot be read or written.
    """
    config = load(Path(project))
    with interruptible():
        made = new_probe(config, name, watch=watch)
    return _told(made)


def make_claim(
    project: str,
    name: str,
    page: str,
    evidence: str,
    *,
    says: str,
    tags: tuple[str, ...],
    keys: dict[str, str],
) -> int:
    """`stilltrue new claim`: 0 when it is written and holds, else 1.

    Args:
        project: A folder in the project.
        name: Its id.
        page: The page, from the current folder or from the root.
        evidence: The evidence, likewise.
        says: Its sentence; empty: one made of its name.
        tags: Words to select it by.
        keys: The keys of `read`; those that are empty were not given.

    Raises:
        UsageError: The configuration, the name or the keys cannot be used.
        InputError: The value cannot be read, or the page cannot be written.
    """
    given = tuple((key, text) for key, text in keys.items() if text)
    if sum(key in _SHAPES for key, _ in given) != 1:
        hint = (
            "give `--path` for JSON and the like, `--column` (and `--where`) for a table, `--match` for text"
        )
        raise UsageError("where the value is read must be said in one way", hint)
    config = load(Path(project))
    source = Source(from_root(config.root, evidence), given)
    home = from_root(config.root, page)
    made = new_claim(config, name, page=home, source=source, says=says, tags=tags)
    return _told(made)


def _told(made: Made) -> int:
    emit("".join(f"{line}\n" for line in _lines(made)))
    return FAILED if any(each.fails for each in made.claims) else OK


def _lines(made: Made) -> Iterator[str]:
    yield from (f"{escape(path)}: written" for path in made.files)
    yield from (f"{escape(path)}: {escape(what)}" for path, what in made.changed.items())
    for each in made.claims:
        says = escape(each.claim.says.replace("{value}", each.claim.stated.text))
        if each.message:
            yield from message_lines(
                escape(each.claim.id), f"{each.verdict}: {escape(each.message)}", escape(each.hint), each.code
            )
        else:
            yield f"{escape(each.claim.id)} {each.verdict}: {says}"
    yield from (f"  {escape(note)}" for note in made.notes)
