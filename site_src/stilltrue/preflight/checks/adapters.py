"""Has every adapter of a checkpoint begun to learn?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from stilltrue import files
from stilltrue.guard import TimeUp, in_time, lasting
from stilltrue.model import Place
from stilltrue.preflight import safetensors
from stilltrue.preflight.documents import Item, item
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import Key, Kind, table
from stilltrue.preflight.settings import Settings
from stilltrue.wording import counted, named

SUMMARY = (
    "In a checkpoint after the first steps every module that should have an adapter has one, and no "
    "adapter is still as it began: each `lora_B` of LoRA is 0 until it learns."
)

KEYS = table(
    Key(
        "checkpoint",
        Kind.FOLDER,
        "The folder with `adapter_model.safetensors` and `adapter_config.json`.",
        "checkpoint: runs/out/checkpoint-10",
        required=True,
    ),
    Key("modules", Kind.WHOLE, "How many modules must have an adapter.", "modules: 205", required=True),
    Key(
        "before",
        Kind.FOLDER,
        "An earlier checkpoint, or the adapters as they began: every one must have moved since.",
        "before: runs/out/checkpoint-0",
    ),
)

WEIGHTS, CONFIG = "adapter_model.safetensors", "adapter_config.json"

_PARTS = re.compile(r"(?P<module>.+?)\.(?P<part>lora_(?:embedding_)?[AB]|lora_E)(?:\.weight)?")
_PREFIX = "base_model.model."
_WRAPPED = ".base_layer"
_HEADS = frozenset({"classifier", "score"})
"""What peft adds to `modules_to_save` of a classifier; the model has one of them."""
_BEGINS_AT_ZERO = frozenset({"true", "gaussian", "eva"})
"""Values of `init_lora_weights` under which one matrix of each adapter begins as 0."""


@dataclass(frozen=True, slots=True)
class Part:
    """One matrix of one adapter.

    Attributes:
        zero: Whether all of it is 0.
        finite: Whether none of it is infinite or no number.
        digest: Of its numbers.
    """

    zero: bool
    finite: bool
    digest: str


Adapters = Mapping[str, Mapping[str, Part]]
"""The matrices of each module's adapter, by `lora_A` and `lora_B`, or `lora_embedding_A` and `_B`.

AdaLoRA has a third one, `lora_E`, between its two; that is the one which begins as 0.
"""


@dataclass(frozen=True, slots=True)
class Saved:
    """What a checkpoint's file holds.

    Attributes:
        adapters: The adapters of its modules.
        others: What was trained beside them, by its name: modules as a whole, magnitudes of DoRA, biases.
    """

    adapters: Adapters
    others: Mapping[str, Part]

    def whole(self, config: Item) -> dict[str, dict[str, Part]]:
        """The tensors of each module of `modules_to_save`, matched by its name's end, as peft does it."""
        found = {
            name: {tensor: part for tensor, part in self.others.items() if f"{name}." in tensor}
            for name in _listed(_values(config).get("modules_to_save"))
        }
        return {name: tensors for name, tensors in found.items() if tensors or name not in _HEADS}


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The findings."""
    folder, place = settings.path("checkpoint"), settings.place("checkpoint")
    config = item(launch, f"{folder}/{CONFIG}")
    now = _read(launch, f"{folder}/{WEIGHTS}")
    adapters = now.adapters
    wanted = settings.whole("modules")
    saw = f"{counted(len(adapters), 'module')} with an adapter"
    if not adapters or len(adapters) != wanted:
        hint = "mend the targets, or state as `modules` how many are meant"
        yield failed("modules", f"{saw}; {wanted:,} were stated", hint, settings.place("modules"))
    else:
        yield passed("modules", saw, place)
    yield _matched(config, adapters, launch.config.limits.seconds)
    yield from _whole(config, now)
    yield from _finite(now, place)
    yield from _begun(launch, settings, config, now)


def _values(config: Item) -> Mapping[str, Any]:
    """The values of a configuration; none where it is no mapping."""
    return config.value if isinstance(config.value, dict) else {}


def _read(launch: Launch, path: str) -> Saved:
    """The adapters in a checkpoint's file, and what was trained beside them.

    Raises:
        InputError: There is no such file, or it is no whole safetensors file.
    """
    found: dict[str, dict[str, Part]] = {}
    others: dict[str, Part] = {}
    with safetensors.opened(files.resolve(launch.config.root, path), path) as tensors:
        for tensor in tensors:
            match = _PARTS.fullmatch(tensor.name)
            if match is None and f"{_WRAPPED}." in tensor.name:
                continue  # a frozen weight that peft saves beside the adapter of an embedding
            part = Part(tensor.zero, tensor.finite, sha256(tensor.data).hexdigest())
            if match is None:
                others[tensor.name.removeprefix(_PREFIX)] = part
            else:
                found.setdefault(match["module"].removeprefix(_PREFIX), {})[match["part"]] = part
    return Saved(found, others)


def _matched(config: Item, adapters: Adapters, seconds: float) -> Finding:
    """Whether every target of the configuration is the name of some module that got an adapter."""
    values = _values(config)
    given = values.get("target_modules")
    targets = _listed(given)
    # What peft counts as one more layer around a module is the adapter of one more parameter of it.
    around = Counter(module.replace(_WRAPPED, "") for module in adapters)
    parameters = _listed(values.get("target_parameters"))
    try:
        unmatched = in_time(lambda: _unmatched(given, adapters), lasting(seconds))
    except TimeUp:
        saw = f"matching `target_modules` with the names of the modules takes longer than {seconds:g} s"
        return failed("targets", saw, _SLOW, config.place)
    unmatched += _without(parameters, around)
    what = counted(len(targets) + len(parameters), "target")
    if unmatched:
        hint = "peft is silent where another target matches: mend the name, or take it out of the targets"
        saw = f"{named(unmatched)} of {what} got no adapter in any module"
        return failed("targets", saw, hint, config.place)
    if not targets and not parameters:
        hint = "name the modules that are meant as `target_modules`, then start again"
        return failed("targets", "the configuration names none", hint, config.place)
    return passed("targets", f"each of {what} got an adapter somewhere", config.place)


_SLOW = "repeat nothing that repeats, as `(a+)+` does, or list the names of the modules"


def _unmatched(given: Any, adapters: Adapters) -> list[str]:
    """The targets that no module with an adapter is meant by."""
    modules = [module for module in adapters if _WRAPPED not in module]
    meant = _fits_pattern if isinstance(given, str) else _ends_as
    return [target for target in _listed(given) if not any(meant(target, module) for module in modules)]


def _listed(value: Any) -> list[str]:
    """A list of names; a text alone is a pattern, and one target."""
    if isinstance(value, str):
        return [value]
    return [str(each) for each in value] if isinstance(value, list) else []


def _ends_as(target: str, module: str) -> bool:
    """Whether a module has the name of a target, or ends as it, as peft decides it."""
    return module == target or module.endswith(f".{target}")


def _fits_pattern(target: str, module: str) -> bool:
    """Whether a target that is a pattern is all of a module's name, as peft decides it."""
    try:
        return re.fullmatch(target, module) is not None
    except (re.error, RecursionError, OverflowError):  # none that peft could have used either
        return False


def _without(parameters: Sequence[str], around: Mapping[str, int]) -> list[str]:
    """The targets among parameters for which no module has enough adapters: one a parameter of it."""
    owners = Counter(name.rpartition(".")[0] for name in parameters)

    def has_enough(owner: str) -> bool:
        return any(_ends_as(owner, module) and count >= owners[owner] for module, count in around.items())

    return [name for name in parameters if not has_enough(name.rpartition(".")[0])]


def _whole(config: Item, now: Saved) -> Iterator[Finding]:
    """Whether every module that is to be trained as a whole was saved."""
    modules = now.whole(config)
    lost = [name for name, tensors in modules.items() if not tensors]
    what = counted(len(modules), "module")
    if lost:
        hint = "peft is silent about a name that matches no module: mend it, or take it out"
        yield failed("modules_to_save", f"{named(lost)} of {what} have no weights here", hint, config.place)
    elif modules:
        yield passed("modules_to_save", f"weights of {what} are there", config.place)


def _finite(now: Saved, place: Place) -> Iterator[Finding]:
    """What of the file is infinite or no number."""
    adapters = now.adapters
    odd = [module for module, parts in adapters.items() if not all(part.finite for part in parts.values())]
    if odd:
        yield failed("numbers", f"{_some(odd, adapters)} hold what is no finite number", _DIVERGED, place)
    if odd := [name for name, part in now.others.items() if not part.finite]:
        saw = f"{len(odd):,} of {counted(len(now.others), 'tensor')} beside the adapters ({named(odd)})"
        yield failed("other numbers", f"{saw} hold what is no finite number", _DIVERGED, place)


_DIVERGED = "the run has diverged: begin again, with a smaller learning rate or in another precision"


def _begun(launch: Launch, settings: Settings, config: Item, now: Saved) -> Iterator[Finding]:
    """Whether each adapter is another than it began as."""
    place, adapters = settings.place("checkpoint"), now.adapters
    still = [module for module, parts in adapters.items() if inert(parts)]
    if still:
        hint = (
            "nothing reaches them: with checkpointing call `enable_input_require_grads`, and see that each "
            "takes part in the forward and has a learning rate"
        )
        yield failed("adapters", f"{_some(still, adapters)} are as they began, at 0", hint, place)
    elif adapters:
        yield passed("adapters", f"both matrices of all {len(adapters):,} are other than 0", place)
    if "before" in settings:
        yield _moved(launch, settings, config, now)
    elif (begins := _begins(config)) not in _BEGINS_AT_ZERO:
        hint = (
            "save the adapters before the first step, and name that folder: `before: runs/out/checkpoint-0`"
        )
        saw = f"under `init_lora_weights: {begins}` they begin other than 0, which shows nothing then"
        yield failed("adapters since", saw, hint, config.place)


def inert(parts: Mapping[str, Part]) -> bool:
    """Whether an adapter adds nothing to its module: a matrix of it is 0, or is not there."""
    if "lora_E" in parts and parts["lora_E"].zero:
        return True
    pairs = {name[:-1] for name in parts}
    return any(f"{pair}{side}" not in parts or parts[f"{pair}{side}"].zero for pair in pairs for side in "AB")


def _begins(config: Item) -> str:
    """How the adapters began, by the configuration; left out, as peft begins them."""
    return str(_values(config).get("init_lora_weights", True)).lower()


def _moved(launch: Launch, settings: Settings, config: Item, now: Saved) -> Finding:
    """Whether every adapter, and every module saved whole, is another than in an earlier checkpoint."""
    earlier = _read(launch, f"{settings.path('before')}/{WEIGHTS}")
    adapters: Adapters = {**now.adapters, **now.whole(config)}
    before: Adapters = {**earlier.adapters, **earlier.whole(config)}
    place = settings.place("before")
    if before.keys() != adapters.keys():
        other = sorted(before.keys() ^ adapters.keys())
        hint = "name an earlier checkpoint of the same run"
        return failed("adapters since", f"only one of the two has {named(other)}", hint, place)
    still = [module for module, parts in adapters.items() if parts == before[module]]
    if still or not adapters:
        hint = "nothing reaches them: see that gradients do, and that the optimizer was given them"
        return failed("adapters since", f"{_some(still, adapters)} have not moved", hint, place)
    return passed("adapters since", f"all {len(adapters):,} have moved", place)


def _some(modules: Sequence[str], adapters: Adapters) -> str:
    """`3 of 205 (`a`, `b`, `c`)`."""
    return f"{len(modules):,} of {len(adapters):,} ({named(modules)})"
