"""Does the step that was predicted fit the card?"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from stilltrue.errors import InputError
from stilltrue.evidence.trees import Number
from stilltrue.preflight.documents import Item, shown
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import Key, Kind, table
from stilltrue.preflight.outputs import OUTPUT, Output, refuse_both
from stilltrue.preflight.settings import Settings
from stilltrue.quantity import INFORMATION, Quantity, parse_value

SUMMARY = "The memory of the predicted step, with a margin, fits the card, or what is free of it now."

STEP, OPTIMIZER = "$.rows[*].peak", "$.optimizer['moments in float32']"

KEYS = table(
    Key(
        "command",
        Kind.COMMAND,
        "What predicts: prints JSON, as `probes/step_memory.py` does.",
        "command: python probes/step_memory.py --config runs/config.json --rows 16384x2:chunked",
    ),
    Key("file", Kind.PATH, "Or what it printed earlier.", "file: runs/memory.json"),
    Key(
        "path",
        Kind.JSONPATH,
        f"Where the peak stands, in bytes or as `79.7 GiB`; of several the largest. Default: `{STEP}`.",
        "path: $.rows[0].peak",
    ),
    Key(
        "also",
        Kind.TEXTS,
        f"Where there is more that comes on top of it. Default, where `path` is left out: `{OPTIMIZER}`.",
        """also: "$.optimizer['moments in float32']" """.strip(),
    ),
    Key("card", Kind.SIZE, "The memory of the card.", "card: 95.6 GiB"),
    Key(
        "device", Kind.WHOLE, "Or one of this machine's, by its number: what is free of it now.", "device: 0"
    ),
    Key("margin", Kind.SHARE, "How much too low a prediction may be; the default is 8 %.", "margin: 8 %"),
    OUTPUT["timeout"],
)

_MARGIN = Fraction(8, 100)
_MIB, _GIB = 2**20, 2**30
_LEAST = 256 << 10
"""A bare number below it counts GiB or MiB, and not the bytes of a step."""
_MOST = 2**64
"""A prediction beyond this is none of a memory."""

_SMI_TIMEOUT_S = 60.0


class _Card(NamedTuple):
    """A card: how many bytes it has for the launch, and what it is, in words."""

    size: int
    words: str


def fits(settings: Settings) -> None:
    """Holds the settings to what a table of keys cannot say.

    Raises:
        UsageError: `preflight-settings`.
    """
    refuse_both(settings)
    if ("card" in settings) == ("device" in settings):
        settings.refuse("this needs one of `card` and `device`", "write `card: 95.6 GiB`")


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The finding."""
    card = _card(launch, settings)
    output = Output(launch, settings)
    peaks = output.items(settings.text("path", STEP))
    peak = max(_peak(item, settings) for item in peaks)
    also = sum(_size(item, settings) for path in _also(settings) for item in output.items(path))
    yield judged(peak, also, card.size, settings.share("margin", _MARGIN), card.words, settings)


def _also(settings: Settings) -> tuple[str, ...]:
    """Where there is more to add; what a document of one's own says of its optimizer is not known."""
    if "also" in settings or "path" in settings:
        return settings.texts("also")
    return (OPTIMIZER,)


def judged(peak: int, also: int, card: int, margin: Fraction, words: str, settings: Settings) -> Finding:
    """Whether a predicted peak, with its margin and what comes on top of it, fits a card; all in bytes."""
    most = peak * (1 + margin) + also
    beside = f" and {in_words(also)} on top" if also else ""
    saw = f"{in_words(peak)} predicted{beside}, at most {in_words(most)} with a margin; {words}"
    place = settings.place("card" if "card" in settings else "device")
    if most <= card:
        return passed("step", saw, place)
    if peak + also <= card:
        hint = "take fewer tokens or sequences a step, or measure one step and state a smaller `margin`"
        return failed("step", f"too close to say: {saw}", hint, place)
    hint = "take fewer tokens or sequences a step, checkpointing, a chunked loss, or a larger card"
    return failed("step", f"out of memory: {saw}", hint, place)


def in_words(size: float | Fraction) -> str:
    """Bytes as people read them."""
    return f"{float(size / _GIB):.2f} GiB" if size >= _GIB else f"{float(size / _MIB):.2f} MiB"


def _peak(item: Item, settings: Settings) -> int:
    """A peak in bytes, as `_size`.

    Raises:
        InputError: `not-a-value`: it is no size, or a bare number that can be no bytes.
    """
    size = _size(item, settings)
    if size < _LEAST and not isinstance(item.value, str):
        message = f"this would be {shown(item.value)} bytes, which is no step of a model"
        hint = "give it its unit, such as `79.7 GiB`: a bare number counts bytes"
        raise InputError("not-a-value", message, hint, path=item.place.path, line=item.place.line)
    return size


def _size(item: Item, settings: Settings) -> int:
    """A value as bytes: a bare number is that many, text has its unit.

    Raises:
        InputError: `not-a-value`: it is no size.
    """
    size = _bytes(item.value, settings)
    if size is None or not 0 < size <= _MOST:
        message = f"this is no size: {shown(item.value)}"
        hint = "let `path` select bytes, or a size with its unit such as `79.7 GiB`"
        raise InputError("not-a-value", message, hint, path=item.place.path, line=item.place.line)
    return int(size)


def _bytes(value: Any, settings: Settings) -> Fraction | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    text = value.text if isinstance(value, Number) else value if isinstance(value, str) else ""
    found = parse_value(text, settings.units) if text else None
    if not isinstance(found, Quantity):
        return None
    bare = isinstance(value, Number)
    return found.base if bare or found.unit.dimension == INFORMATION else None


def _card(launch: Launch, settings: Settings) -> _Card:
    """What the launch may take.

    Raises:
        InputError: `launch-failed`: the machine does not say what is free.
    """
    if "card" in settings:
        size = settings.size("card")
        return _Card(size, f"the card has {in_words(size)}")
    device, place = settings.whole("device"), settings.place("device")
    words = ("nvidia-smi", f"--id={device}", "--query-gpu=memory.free", "--format=csv,noheader,nounits")
    ran = launch.run(words, folder=launch.config.root, timeout_s=_SMI_TIMEOUT_S)
    free = ran.out.strip()
    if not ran.ok or not (free.isascii() and free.isdigit()):
        said = ran.fault or free or "no answer"
        message = f"nvidia-smi does not say what is free of device {device}: {said}"
        hint = "run this where the launch will run, or state the card: `card: 95.6 GiB`"
        raise InputError("launch-failed", message, hint, path=place.path, line=place.line)
    size = int(free) * _MIB
    return _Card(size, f"device {device} has {in_words(size)} free")
