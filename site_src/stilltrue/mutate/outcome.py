"""What mutating a project came to: what was shifted, what nobody noticed, what became of the plants."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stilltrue.model import Place, RunState


class Kind(StrEnum):
    """What is shifted."""

    STATED = "stated"
    LINK = "link"
    READING = "reading"
    PLANT = "plant"


@dataclass(frozen=True, slots=True)
class Survivor:
    """A claim that held although something it rests on was shifted beyond what agrees.

    Attributes:
        claim: The claim's id.
        place: Where to mend it: where its value is stated, or where the link stands.
        kind: What was shifted.
        code: A key of `codes.CODES`.
        was: What was shifted, as it was.
        to: What it was shifted to.
        message: What is wrong, in one clause.
        hint: What to do next.
    """

    claim: str
    place: Place
    kind: Kind
    code: str
    was: str
    to: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class PlantRun:
    """One fault that a probe put in itself, and what its claims made of it.

    Attributes:
        probe: The script.
        plant: The fault's name.
        state: What became of the run.
        why: Why it was not run, or how it failed; else empty.
        seconds: How long it took; 0 where it did not run now.
        moved: The ids of the probe's claims that no longer held.
        unmoved: The ids of those that held all the same.
        unsteady: The ids of those that fail on a fresh run without the plant too: they show nothing.
    """

    probe: str
    plant: str
    state: RunState
    why: str = ""
    seconds: float = 0.0
    moved: tuple[str, ...] = ()
    unmoved: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the fault was seen, or could not be put in here at all."""
        if self.state is RunState.NOT_RUN:
            return True
        return self.state is not RunState.FAILED and bool(self.moved)


@dataclass(frozen=True, slots=True)
class Mutated:
    """All that mutating came to.

    Attributes:
        claims: How many claims were mutated.
        mutations: How many shifts were judged.
        survivors: What nobody noticed, ordered by place.
        plants: Every plant of the probes behind the claims.
        reported: How many claims were left out because they are quoted.
        superseded: How many were left out because they are superseded.
        failing: How many were left out because they fail as they are: that they can is shown.
        problems: How many problems `check` lists: a claim whose block cannot be read is among these.
    """

    claims: int
    mutations: int
    survivors: tuple[Survivor, ...] = ()
    plants: tuple[PlantRun, ...] = ()
    reported: int = 0
    superseded: int = 0
    failing: int = 0
    problems: int = 0

    @property
    def ok(self) -> bool:
        """Whether every shift and every fault that could be tried was noticed."""
        return not self.survivors and all(plant.passed for plant in self.plants)


@dataclass(slots=True)
class Tally:
    """What is gathered on the way: how many shifts were judged, and which of them nobody noticed."""

    mutations: int
    survivors: list[Survivor]

    @classmethod
    def empty(cls) -> Tally:
        """Nothing yet."""
        return cls(0, [])
