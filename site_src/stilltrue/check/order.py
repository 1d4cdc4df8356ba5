"""In which order derived claims can be judged, and which of them run in circles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def order(operands: Mapping[str, Sequence[str]]) -> tuple[list[str], list[tuple[str, ...]]]:
    """The ids so that each comes after its operands, and the cycles.

    Args:
        operands: For each id, the ids it is derived from; those that are no key are ignored.

    Returns:
        All ids that neither are in a cycle nor depend on one, in order; then those that depend on one
        are last, and the cycles themselves, each once, as the path around it.
    """
    waiting = {name: {o for o in ops if o in operands} for name, ops in operands.items()}
    users: dict[str, list[str]] = {}
    for name, ops in waiting.items():
        for operand in ops:
            users.setdefault(operand, []).append(name)
    ready = [name for name, ops in waiting.items() if not ops]
    done: list[str] = []
    cycles: list[tuple[str, ...]] = []
    while True:
        _settle(ready, waiting, users, done)
        if not waiting:
            return done, cycles
        # All that is left lies in a cycle or behind one: cut one open, and go on from its members.
        cycle = _find_cycle(waiting)
        cycles.append(cycle)
        ready = list(cycle)


def _settle(
    ready: list[str], waiting: dict[str, set[str]], users: dict[str, list[str]], done: list[str]
) -> None:
    """Move all that is ready, and all that this makes ready, from `waiting` to `done`."""
    position = 0
    while position < len(ready):
        name = ready[position]
        position += 1
        if waiting.pop(name, None) is None:
            continue
        done.append(name)
        for user in users.get(name, ()):
            if user in waiting:
                waiting[user].discard(name)
                if not waiting[user]:
                    ready.append(user)


def _find_cycle(waiting: Mapping[str, set[str]]) -> tuple[str, ...]:
    """A cycle among claims each of which waits for another."""
    path: dict[str, None] = {}
    name = min(waiting)
    while name not in path:
        path[name] = None
        name = min(waiting[name])
    walked = list(path)
    return tuple(walked[walked.index(name) :])
