"""What reaches each layer's attention: is the window a band, is nothing later seen, is the path fast?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from stilltrue import files
from stilltrue.preflight.asking import ask
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import Key, Kind, table
from stilltrue.preflight.settings import Settings
from stilltrue.wording import counted, listed

SUMMARY = (
    "In the model to be trained, sliding layers see their window and no more, no token sees those after it, "
    "and as many layers as you state take the fast path of attention: a flag and no mask."
)

KEYS = table(
    Key(
        "config",
        Kind.PATH,
        "The model's `config.json`; its layers are built narrow, with random weights.",
        "config: runs/model/config.json",
    ),
    Key(
        "harness",
        Kind.TEXT,
        "Or a function of yours that returns the model, or `{model: …, batch: …}` with what one forward of "
        "the run is called with.",
        "harness: my_run:model",
    ),
    Key(
        "fast",
        Kind.WHOLE,
        "How many layers, at least, must be called with `is_causal` and no mask.",
        "fast: 5",
        required=True,
    ),
    Key(
        "window",
        Kind.WHOLE,
        "The window that the run relies on, in tokens; the model's must be that.",
        "window: 1024",
    ),
    Key(
        "lengths",
        Kind.TEXTS,
        "Tokens in a sequence; the default is one more than the window.",
        "lengths: [1025, 2048]",
    ),
    Key(
        "padding",
        Kind.TEXT,
        "How batches are padded: `none` (no mask is passed), `ones`, `right` (the default) or `left`.",
        "padding: right",
    ),
    Key("timeout", Kind.TIME, "How long it may take; the default is 5 min.", "timeout: 5 min"),
)

PADDINGS = ("none", "ones", "right", "left")
TIMEOUT_S = 300.0
_LENGTH = re.compile("[0-9]{1,9}")
_FULL, _BANDS = "full_attention", {"sliding_attention": "window", "chunked_attention": "chunk"}


@dataclass(frozen=True, slots=True)
class Seen:
    """What the calls of one layer's attention were given, in one forward.

    Attributes:
        layer: The layer, from 0.
        kind: What it attends to, by the configuration.
        paths: How attention was called.
        largest: The most keys that a row might see.
        ahead: Whether a row might see keys that come after it.
    """

    layer: int
    kind: str
    paths: frozenset[str]
    largest: int
    ahead: bool


@dataclass(frozen=True, slots=True)
class Model:
    """What the launch's interpreter said of the model.

    Attributes:
        name: Its class.
        attention: The implementation that it resolved to.
        limits: The most keys that a row may see, by kind of layer; None where there is no limit.
        kinds: What each layer attends to.
        runs: By forward: how many tokens a sequence had, and what each layer's attention was given.
        own_batch: Whether the user gave the batch, which may be padded in any way.
    """

    name: str
    attention: str
    limits: Mapping[str, int | None]
    kinds: tuple[str, ...]
    runs: tuple[tuple[int, tuple[Seen, ...]], ...]
    own_batch: bool

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """From the answer of `asked/masks.py`."""
        kinds = tuple(told["layers"])
        limits = {_FULL: None, **{kind: told[key] for kind, key in _BANDS.items()}}
        runs = tuple((run["length"], tuple(_seen(run["calls"], kinds))) for run in told["runs"])
        return cls(told["model"], str(told["attention"]), limits, kinds, runs, bool(told["own_batch"]))

    @property
    def judged(self) -> tuple[int, ...]:
        """The layers that attend through keys and queries in a way that is known here."""
        return tuple(number for number, kind in enumerate(self.kinds) if kind in self.limits)


def _seen(calls: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> Iterator[Seen]:
    for number, kind in enumerate(kinds):
        own = [call for call in calls if call["layer"] == number]
        if own:
            paths = frozenset(call["path"] for call in own)
            largest, ahead = max(call["largest"] for call in own), any(call["ahead"] for call in own)
            yield Seen(number, kind, paths, largest, ahead)


def fits(settings: Settings) -> None:
    """Holds the settings to what a table of keys cannot say.

    Raises:
        UsageError: `preflight-settings`.
    """
    if ("config" in settings) == ("harness" in settings):
        settings.refuse("this needs one of `config` and `harness`", "write `config: runs/config.json`")
    module, _, function = settings.text("harness").partition(":")
    if "harness" in settings and not (module and function.isidentifier()):
        hint = f"write `{KEYS['harness'].example}` for `def model()` in my_run.py"
        settings.refuse(f"`{settings.text('harness')}` is no module and function", hint, "harness")
    padding = settings.text("padding", "right")
    if padding not in PADDINGS:
        settings.refuse(f"`{padding}` is no padding", f"write one of {', '.join(PADDINGS)}", "padding")
    for text in settings.texts("lengths"):
        if not (_LENGTH.fullmatch(text) and int(text) > 1):
            settings.refuse(f"`{text}` is no length", "write tokens: `lengths: [1025, 2048]`", "lengths")


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The findings."""
    if "config" in settings:
        files.resolve(launch.config.root, settings.path("config"))  # no pipe, and nothing outside
    question = {
        "config": settings.path("config"),
        "harness": settings.text("harness"),
        "lengths": [int(text) for text in settings.texts("lengths")],
        "padding": settings.text("padding", "right"),
    }
    told = ask(
        launch,
        "masks",
        question,
        timeout_s=settings.seconds("timeout", TIMEOUT_S),
        path=bool(question["harness"]),
    )
    if "fault" in told:
        yield failed("model", told["fault"], told["hint"], settings.place(_source(settings)))
        return
    model = Model.of(told)
    yield from _window(model, settings)
    for length, layers in model.runs:
        yield from judged(model, length, layers, settings)


def _source(settings: Settings) -> str:
    return "harness" if "harness" in settings else "config"


def _window(model: Model, settings: Settings) -> Iterator[Finding]:
    """Whether the window is the one that the run relies on, and whether a sequence could show it."""
    window = model.limits["sliding_attention"] if "sliding_attention" in model.kinds else None
    stated = settings.whole("window")
    if stated and stated != window:
        has = f"{window:,} tokens" if window else "none"
        hint = "mend the model's configuration, or what the run relies on"
        saw = f"stated as {stated:,} tokens; the model has {has}"
        yield failed("window", saw, hint, settings.place("window"))
    longest = max((length for length, _ in model.runs), default=0)
    for kind in dict.fromkeys(model.kinds):
        limit = model.limits.get(kind)
        if limit and longest <= limit:
            what = f"no sequence was longer than {limit:,} tokens, so that none could show the band"
            yield failed(kind, what, f"add {limit + 1} to `lengths`", settings.place("lengths"))


def judged(model: Model, length: int, layers: Sequence[Seen], settings: Settings) -> Iterator[Finding]:
    """What one forward showed."""
    where = f"at {length:,} tokens"
    missing = sorted(set(model.judged) - {seen.layer for seen in layers})
    if missing or not model.judged:
        yield _unseen(model, where, missing, settings)
    for kind in dict.fromkeys(seen.kind for seen in layers):
        rows = [seen for seen in layers if seen.kind == kind]
        yield _band(model, f"{kind} {where}", rows, length, settings)
    ahead = [seen.layer for seen in layers if seen.ahead]
    if ahead:
        hint = "let the model be causal: `is_causal`, or a mask that hides what comes later"
        what = f"{_layers(ahead)} see tokens that come after their own"
        yield failed(f"causality {where}", what, hint, settings.place(_source(settings)))
    else:
        yield passed(f"causality {where}", f"no token of {counted(len(layers), 'layer')} sees a later one")
    yield _fast(where, layers, settings)


def _unseen(model: Model, where: str, missing: Sequence[int], settings: Settings) -> Finding:
    what = (
        f"{_layers(missing)} of {len(model.kinds)} made no call of scaled_dot_product_attention "
        f"(attention is `{model.attention}`)"
        if missing
        else f"no layer of {model.name} attends in a known way: {listed(dict.fromkeys(model.kinds))}"
    )
    hint = "only torch's SDPA is seen: give the model `attn_implementation='sdpa'`, or leave `masks` out"
    return failed(f"attention {where}", what, hint, settings.place(_source(settings)))


def _band(model: Model, what: str, rows: Sequence[Seen], length: int, settings: Settings) -> Finding:
    """Whether the widest row of every layer of one kind is as wide as its kind says."""
    limit = model.limits.get(rows[0].kind)
    if rows[0].kind not in model.limits:
        return passed(what, f"{_layers([row.layer for row in rows])}: not judged, its masks have other rules")
    most = min(limit or length, length)
    wrong = [row for row in rows if row.largest > most or (row.largest < most and not model.own_batch)]
    widest = max(row.largest for row in rows)
    if not wrong and limit and widest < most:  # of a batch that was given, which may be packed or padded
        saw = (
            f"no token saw more than {counted(widest, 'key')} of {limit:,}, so that none could show the band"
        )
        hint = "give a batch with a sequence that is longer than the window"
        return failed(what, saw, hint, settings.place(_source(settings)))
    if not wrong:
        return passed(
            what, f"{counted(len(rows), 'layer')}, where a token sees {counted(widest, 'key')} at most"
        )
    seen = ", ".join(f"{width:,}" for width in sorted({row.largest for row in wrong}))
    hint = "mend the model's `layer_types`, its window, or what builds the mask"
    saw = f"{_layers([row.layer for row in wrong])}: a token sees up to {seen} keys, not {most:,}"
    return failed(what, saw, hint, settings.place(_source(settings)))


def _fast(where: str, layers: Sequence[Seen], settings: Settings) -> Finding:
    """Whether enough layers are called with a flag and no mask."""
    fast, wanted = sum(seen.paths == {"is_causal"} for seen in layers), settings.whole("fast")
    saw = f"{counted(fast, 'layer')} of {len(layers)} with `is_causal` and no mask"
    if fast >= wanted:
        return passed(f"fast path {where}", saw)
    hint = (
        "leave a right-padding mask out where the labels leave the padding out, or state fewer as `fast`"
        if any("mask" in seen.paths for seen in layers)
        else "let the model be causal"
    )
    return failed(f"fast path {where}", f"{saw}; {wanted} were stated", hint, settings.place("fast"))


def _layers(numbers: Sequence[int]) -> str:
    """`layer 5`, `layers 5, 11, 17`."""
    return f"layer{'' if len(numbers) == 1 else 's'} {listed(map(str, numbers), 6)}"
