#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = []
# [tool.stilltrue]
# writes = "claims/evidence/integrity/cache-key.json"
# needs = []
# cost = "cheap"
# timeout = "60 s"
# plant = ["no-guard", "refuse-all", "all-at-once"]
# ///
"""What an encode cache serves whose key leaves the loss mask out, and a guard that asks the key itself.

Settles:
    Of a small supervised corpus that is encoded, cached and used again after its loss mask has changed:
    whether the cache is hit, how many rows and tokens come out of it, on how many tokens the loss counts and
    on how many it should, which mask the run's manifest names and which one the rows were encoded with. For
    four rules of making a key (without the mask, with the mask's file name, with its content, and with the
    time added): whether it hits and is right, and whether the guard stops it, which alters every declared
    input alone and wants another key.

Needs:
    Nothing but Python. Everything happens in a temporary folder.

Costs:
    No time to speak of.

Cannot settle:
    Which inputs your encoding has: an input that nobody declared is not altered either. What training on the
    wrong tokens costs a model.

The faults put broken guards in: `no-guard` lets every key through, `refuse-all` none, and `all-at-once`
alters all inputs together, so that one which is in the key hides one which is not.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from probe_parts.command_line import parser_of
from probe_parts.guards import PLANTS as BROKEN
from probe_parts.guards import RefusedError, broken, stops
from probe_parts.output import as_json

IGNORED = -100
"""The label of a token that the loss leaves out, as torch's cross-entropy has it."""

MASK_FILE = "loss-mask.json"
"""The name of the mask's file, which stays when its content changes."""

# The encoding ------------------------------------------------------------------------------------------


class Turn(NamedTuple):
    """What one side says: the loss counts on the words of the assistant."""

    role: str
    words: str


class Span(NamedTuple):
    """Tokens of one dialogue that the loss is to leave out, from `first` up to and without `end`."""

    dialogue: int
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that decides what an encoded row is.

    Attributes:
        dialogues: The corpus.
        mask: What the loss is to leave out of the assistant's words.
        window: Tokens after which a row is cut.
        vocabulary: Words by their token; any other word is token 0.
    """

    dialogues: tuple[tuple[Turn, ...], ...]
    mask: tuple[Span, ...]
    window: int
    vocabulary: tuple[str, ...]


class Row(NamedTuple):
    """An encoded dialogue: tokens, and the label of each."""

    tokens: list[int]
    labels: list[int]


def encode(inputs: Inputs) -> list[Row]:
    """The rows that these inputs mean."""
    return [_row(inputs, number) for number in range(len(inputs.dialogues))]


def _row(inputs: Inputs, number: int) -> Row:
    token_of = {word: token for token, word in enumerate(inputs.vocabulary, start=1)}
    spans = [span for span in inputs.mask if span.dialogue == number]
    tokens: list[int] = []
    labels: list[int] = []
    for turn in inputs.dialogues[number]:
        for word in turn.words.split():
            masked = any(span.first <= len(tokens) < span.end for span in spans)
            tokens.append(token_of.get(word, 0))
            labels.append(tokens[-1] if turn.role == "assistant" and not masked else IGNORED)
    return Row(tokens[: inputs.window], labels[: inputs.window])


def supervised(rows: Iterable[Row]) -> list[int]:
    """On how many tokens of each row the loss counts."""
    return [sum(label != IGNORED for label in row.labels) for row in rows]


# The keys ----------------------------------------------------------------------------------------------

Key = Callable[[Inputs], str]


def digest(value: object) -> str:
    """The SHA-256 of a value written as JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def without_the_mask(inputs: Inputs) -> str:
    """The trap: the corpus, the tokenizer and the window, and everybody forgot the mask."""
    given = asdict(inputs)
    del given["mask"]
    return digest(given)


def by_file_name(inputs: Inputs) -> str:
    """The trap again: the mask is in the key, by the name of its file."""
    return digest({**asdict(inputs), "mask": MASK_FILE})


def by_content(inputs: Inputs) -> str:
    """As it should be: every input, by what it says."""
    return digest(asdict(inputs))


def with_the_time(inputs: Inputs) -> str:
    """Every input and the time: never the same, so never a hit."""
    return digest({**asdict(inputs), "at": time.monotonic_ns()})


KEYS: dict[str, Key] = {
    "without the mask": without_the_mask,
    "mask by file name": by_file_name,
    "mask by content": by_content,
    "content and time": with_the_time,
}
TRAP, SOUND = without_the_mask, by_content


# A run on the cache ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """What one run got out of the cache.

    Attributes:
        hit: Whether its rows were there.
        rows: They.
        encoded_with: The digest of the mask that they were encoded with.
        manifest: What the run writes down about itself: the mask that it was given.
    """

    hit: bool
    rows: list[Row]
    encoded_with: str
    manifest: Mapping[str, Any]


def run(folder: Path, inputs: Inputs, key: Key) -> Run:
    """Take the rows from the cache, or encode them and put them there."""
    entry = folder / f"{key(inputs)}.json"
    hit = entry.exists()
    if not hit:
        made = {"mask": digest(inputs.mask), "rows": encode(inputs)}
        entry.write_text(json.dumps(made), encoding="utf-8")
    held = json.loads(entry.read_text(encoding="utf-8"))
    rows = [Row(*row) for row in held["rows"]]
    return Run(hit, rows, held["mask"], {"rows": len(rows), "mask_sha256": digest(inputs.mask)})


DIALOGUES = (
    (
        Turn("user", "is the door to the garden open"),
        Turn("assistant", "it is open now just walk in thanks"),
    ),
    (
        Turn("user", "who is there"),
        Turn("assistant", "you say who it is only me again"),
    ),
)
WORDS = tuple(sorted({word for turns in DIALOGUES for turn in turns for word in turn.words.split()}))

FIRST = Inputs(DIALOGUES, mask=(), window=32, vocabulary=WORDS)
"""The first run: the loss counts on all that the assistant says."""

SECOND = replace(FIRST, mask=(Span(0, 14, 15), Span(1, 3, 6)))
"""The second run: not where the assistant speaks for the user."""


def tried(key: Key) -> tuple[Run, Run]:
    """The second run after the first one, and the second again, over one cache."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(folder, FIRST, key)
        return run(folder, SECOND, key), run(folder, SECOND, key)


def wrong(rows: Sequence[Row]) -> int:
    """How many tokens have another label than the second run's inputs give them."""
    pairs = zip(rows, encode(SECOND), strict=True)
    return sum(a != b for one, other in pairs for a, b in zip(one.labels, other.labels, strict=True))


# The guard ---------------------------------------------------------------------------------------------

ALTERED = Inputs(
    dialogues=(*DIALOGUES, (Turn("assistant", "open"),)),
    mask=(Span(0, 7, 8),),
    window=31,
    vocabulary=WORDS[:-1],
)
"""For each input another value: one more dialogue, another span, a token less, a word less."""


def guard(key: Key) -> None:
    """Alter every input alone, and want another key each time; and the same one where nothing changed.

    Raises:
        RefusedError: The key does not see one of the inputs, or is not the same twice.
    """
    _want_steady(key)
    for field in fields(Inputs):
        if key(replace(FIRST, **{field.name: getattr(ALTERED, field.name)})) == key(FIRST):
            raise RefusedError(
                f"`{field.name}` is not in the key: what was encoded with another one would be served"
            )


def all_at_once(key: Key) -> None:
    """A broken guard: it alters all the inputs, and sees that *something* is in the key."""
    _want_steady(key)
    if key(ALTERED) == key(FIRST):
        raise RefusedError("nothing is in the key")


def _want_steady(key: Key) -> None:
    if key(FIRST) != key(FIRST):
        raise RefusedError("two keys of the same inputs differ: nothing would ever be served")


GUARDS: dict[str, Callable[[Key], None]] = {"all-at-once": all_at_once}
PLANTS = {**BROKEN, "all-at-once": "a guard that alters all inputs together"}


# The measurement ---------------------------------------------------------------------------------------


def served(key: Key) -> dict[str, Any]:
    """What the second run gets, and what it should get."""
    second, _ = tried(key)
    right = encode(SECOND)
    return {
        "hit": second.hit,
        "rows": len(second.rows),
        "rows_right": len(right),
        "tokens": sum(len(row.tokens) for row in second.rows),
        "tokens_right": sum(len(row.tokens) for row in right),
        "supervised": supervised(second.rows),
        "supervised_right": supervised(right),
        "wrong": wrong(second.rows),
        "manifest_names_its_own_mask": second.manifest["mask_sha256"] == digest(SECOND.mask),
        "encoded_with_its_own_mask": second.encoded_with == digest(SECOND.mask),
        "first_row_encoded_afresh_is_equal": second.rows[0] == right[0],
    }


def measure(guarded: Callable[[Key], None]) -> dict[str, Any]:
    """All that the claims are read from."""
    rules = []
    for name, key in KEYS.items():
        second, again = tried(key)
        rules.append(
            {
                "key": name,
                "hit": second.hit,
                "wrong": wrong(second.rows),
                "hit_again": again.hit,
                "stopped": stops(guarded, key),
            }
        )
    return {
        "trap": served(TRAP),
        "sound": served(SOUND),
        "keys": rules,
        "inputs": [field.name for field in fields(Inputs)],
        "guard": {"stops": stops(guarded, TRAP), "passes": not stops(guarded, SOUND)},
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the evidence."""
    plant = parser_of(__doc__, PLANTS).parse_args(argv).plant
    print(as_json(measure(broken(GUARDS.get(plant, guard), plant))))


if __name__ == "__main__":
    main()
