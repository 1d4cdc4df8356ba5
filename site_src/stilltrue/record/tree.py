"""How the working tree stands to HEAD, for the files that a measurement depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from stilltrue.git import changed, committed
from stilltrue.model import Digested
from stilltrue.provenance import readable


@dataclass(frozen=True, slots=True)
class Standing:
    """What of some files HEAD does not hold as they are.

    Attributes:
        changed: All of them.
        edited: Those that HEAD holds otherwise; the rest are new.
    """

    changed: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()


def standing_of(root: Path, paths: Collection[str], inputs: Collection[Digested] = ()) -> Standing:
    """How files stand to HEAD; without git nothing is changed, as nothing can be committed.

    Args:
        root: The project's root.
        paths: Files of code.
        inputs: Inputs. What `record` wrote itself is passed over: it makes no tree dirty, and its digest
            tells when it is not the same any more.
    """
    foreign = (each.path for each in inputs if not _is_recorded(root, each))
    differ = changed(root, tuple(dict.fromkeys((*paths, *foreign)))) or ()
    return Standing(differ, committed(root, differ) if differ else ())


def merged(standings: Iterable[Standing]) -> Standing:
    """What any of several says."""
    every = tuple(standings)
    return Standing(
        tuple(dict.fromkeys(path for each in every for path in each.changed)),
        tuple(dict.fromkeys(path for each in every for path in each.edited)),
    )


def _is_recorded(root: Path, file: Digested) -> bool:
    record = readable(root, file.path)
    return record is not None and file in record.subjects
