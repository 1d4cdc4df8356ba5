"""What was made, and that nothing was there in its place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stilltrue.check.gather import Corpus
from stilltrue.errors import InputError
from stilltrue.model import Judgement
from stilltrue.transaction import refuse_unwritable


@dataclass(frozen=True, slots=True)
class Made:
    """What `new` wrote.

    Attributes:
        files: The files that are new, in the order in which a reader wants them.
        changed: The files that were there, each with what became of it.
        claims: The new claims, as they are judged.
        notes: What its author should know.
    """

    files: tuple[str, ...]
    changed: Mapping[str, str]
    claims: tuple[Judgement, ...] = ()
    notes: tuple[str, ...] = ()


def refuse_files(root: Path, paths: Iterable[str]) -> None:
    """Refuse to write over anything.

    Raises:
        InputError: `taken`: something is there. `unwritable`: nothing can be.
    """
    for path in paths:
        if os.path.lexists(root / path):
            hint = "choose another name, or move it away first"
            raise InputError("taken", f"`{path}` is there already", hint, path=path)
        refuse_unwritable(root, path)


def refuse_ids(corpus: Corpus, ids: Iterable[str]) -> None:
    """Refuse an id that a claim has, or a block that cannot be read.

    Raises:
        InputError: `taken`.
    """
    for name in ids:
        claim = corpus.claims.get(name)
        if claim is not None:
            place = claim.block
        elif name in corpus.tables:
            place = corpus.tables[name]
        elif name in corpus.malformed:
            raise InputError(
                "taken", f"a block that cannot be read has the id `{name}`", f"see `stilltrue check {name}`"
            )
        else:
            continue
        hint = "choose another name: ids are never reused"
        raise InputError("taken", f"the id `{name}` is taken", hint, path=place.path, line=place.line)
