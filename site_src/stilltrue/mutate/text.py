"""What mutating came to, as text: what nobody noticed first, then the plants, then one line of counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stilltrue.model import RunState
from stilltrue.mutate.outcome import Mutated, PlantRun
from stilltrue.report import escape, message_lines
from stilltrue.wording import counted, listed

_SHOWN = 8


def to_text(mutated: Mutated) -> str:
    """Lines that each end in a newline; all text from files is escaped."""
    blocks = [*_survivors(mutated), *_at_fault(mutated)]
    seen = [line for plant in mutated.plants if plant.passed for line in _plant(plant)]
    if seen:
        blocks.append("\n".join(seen))
    return "\n\n".join([*blocks, summary(mutated)]) + "\n"


def _survivors(mutated: Mutated) -> Iterator[str]:
    for each in mutated.survivors:
        place, message, hint = escape(str(each.place)), escape(each.message), escape(each.hint)
        yield "\n".join(message_lines(place, message, hint, each.code))


def _at_fault(mutated: Mutated) -> Iterator[str]:
    for plant in mutated.plants:
        if not plant.passed:
            message, hint, code = fault_of(plant)
            yield "\n".join(message_lines(escape(plant.probe), escape(message), escape(hint), code))


def fault_of(plant: PlantRun) -> tuple[str, str, str]:
    """What is wrong with a plant that has not passed, what to do, and the code of it."""
    if not plant.plant:
        return f"its plants cannot be read: {plant.why}", "mend its header", "plant-failed"
    what = f"with the plant `{plant.plant}`"
    if plant.state is RunState.FAILED:
        hint = "a plant must change what is measured, and let the probe end as ever"
        return f"{what} it gives no evidence: {plant.why}", hint, "plant-failed"
    if not plant.unmoved and plant.unsteady:
        fails = f"{listed(plant.unsteady, _SHOWN)} {'fail' if len(plant.unsteady) > 1 else 'fails'}"
        hint = "claim something that does not change from run to run"
        return f"{what} {fails}, as on a fresh run without it", hint, "plant-unmoved"
    if not plant.unmoved:
        hint = "bind a claim that agrees to what the probe writes, or take the plant away"
        return f"{what} no claim is there to notice", hint, "plant-unmoved"
    held = f"its {counted(len(plant.unmoved), 'claim')} still {'hold' if len(plant.unmoved) > 1 else 'holds'}"
    hint = "let the plant change what they state, or state what it changes"
    return f"{what} {held}: {listed(plant.unmoved, _SHOWN)}", hint, "plant-unmoved"


def _plant(plant: PlantRun) -> Iterator[str]:
    name = escape(f"{plant.probe} --plant {plant.plant}")
    if plant.state is RunState.NOT_RUN:
        yield f"{name}: not run: {escape(plant.why)}"
        return
    again = " (remembered)" if plant.state is RunState.REMEMBERED else ""
    moved = escape(listed(plant.moved, _SHOWN))
    yield f"{name}: {counted(len(plant.moved), 'claim')} {_fails(plant)}{again}: {moved}"
    if plant.unmoved:
        yield f"  not concerned: {escape(listed(plant.unmoved, _SHOWN))}"
    if plant.unsteady:
        yield f"  fail without it too: {escape(listed(plant.unsteady, _SHOWN))}"


def _fails(plant: PlantRun) -> str:
    return "fails" if len(plant.moved) == 1 else "fail"


def summary(mutated: Mutated) -> str:
    """`85 claims, 4,179 mutations, no survivor; left out: 15 reported; plants: 2 seen, 1 not run`."""
    parts = [
        f"{counted(mutated.claims, 'claim')}, {counted(mutated.mutations, 'mutation')}, "
        + (counted(len(mutated.survivors), "survivor") if mutated.survivors else "no survivor")
    ]
    aside = [(mutated.reported, "reported"), (mutated.superseded, "superseded"), (mutated.failing, "failing")]
    left = [f"{number:,} {word}" for number, word in aside if number]
    if left:
        parts.append(f"left out: {', '.join(left)}")
    if mutated.problems:
        parts.append(f"`check` lists {counted(mutated.problems, 'problem')}")
    if mutated.plants:
        parts.append(f"plants: {', '.join(_counts(mutated.plants))}")
    return "; ".join(parts)


def _counts(plants: Sequence[PlantRun]) -> Iterator[str]:
    not_run = sum(plant.state is RunState.NOT_RUN for plant in plants)
    at_fault = sum(not plant.passed for plant in plants)
    words = (len(plants) - not_run - at_fault, "seen"), (at_fault, "at fault"), (not_run, "not run")
    return (f"{number:,} {word}" for number, word in words if number)
