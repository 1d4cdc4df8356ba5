"""Does what is served answer otherwise than the model that the adapter was made for?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from stilltrue.errors import InputError
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import Key, Kind, table
from stilltrue.preflight.outputs import OUTPUT, Output, refuse_both
from stilltrue.preflight.settings import Settings
from stilltrue.quantity import NonFinite
from stilltrue.wording import counted, named

SUMMARY = (
    "Given the same prompts, the served adapter answers otherwise than its base model, which answers alike "
    "each time."
)

KEYS = table(
    Key(
        "base",
        Kind.MAPPING,
        "What the base model answers: a list, or a mapping of prompts to answers. A command is run twice.",
        "base: {command: python runs/ask.py --model base}",
        required=True,
        inner=OUTPUT,
    ),
    Key(
        "again",
        Kind.MAPPING,
        "The same once more, where `base` is a file: it shows that answers differ by the adapter alone.",
        "again: {file: runs/out/base-again.json}",
        inner=OUTPUT,
    ),
    Key(
        "adapter",
        Kind.MAPPING,
        "What is answered with the adapter.",
        "adapter: {command: python runs/ask.py --model adapter}",
        required=True,
        inner=OUTPUT,
    ),
    Key("differ", Kind.WHOLE, "How many answers must differ; 1 by default.", "differ: 1"),
)


def fits(settings: Settings) -> None:
    """Holds the settings to what a table of keys cannot say.

    Raises:
        UsageError: `preflight-settings`.
    """
    for name in KEYS:
        if (inner := settings.inner(name)) is not None:
            refuse_both(inner)
    if "again" not in settings and "command" not in _of(settings, "base"):
        hint = "add `again: {file: …}`, the base model's answers taken a second time"
        settings.refuse("a file of `base` does not show that its answers are alike each time", hint, "base")


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The findings."""
    base, adapter = _of(settings, "base"), _of(settings, "adapter")
    again = _of(settings, "again") if "again" in settings else base
    first = answers(launch, base)
    second, with_adapter = answers(launch, again), answers(launch, adapter)
    for whose, given, place in (("base model", first, base), ("adapter", with_adapter, adapter)):
        if one_for_all(given):
            saw = f"one and the same answer to all {len(given):,} prompts, which may be an error's"
            yield failed(whose, saw, _MANY, place.place())
            return
    changing = different(first, second)
    if changing is None or changing:
        saw = f"of {counted(len(first), 'prompt')} {_how(changing)} when asked again"
        hint = "ask without sampling, at temperature 0, one prompt at a time: else a difference shows nothing"
        yield failed("base model", saw, hint, again.place())
        return
    yield passed("base model", f"{counted(len(first), 'answer')}, the same when asked again", base.place())
    yield judged(first, with_adapter, settings.whole("differ", 1), adapter)


def _of(settings: Settings, name: str) -> Settings:
    inner = settings.inner(name)
    assert inner is not None  # noqa: S101  # the caller knows that it is there
    return inner


def answers(launch: Launch, settings: Settings) -> Mapping[str, Any]:
    """The answers by their prompts, or by their numbers from 1.

    Raises:
        InputError: As `Output`; `not-a-value`: they are no list and no mapping, there is none, or one is
            null, no number or an error.
    """
    found = Output(launch, settings).items(settings.text("path", "$"))
    value = found[0].value if len(found) == 1 else [each.value for each in found]
    place = found[0].place
    if isinstance(value, list):
        value = {str(number): each for number, each in enumerate(value, 1)}
    if not isinstance(value, dict) or not value:
        message = "these are no answers" if value else "there is no answer here"
        hint = "let `path` select a list of answers, or a mapping of prompts to answers"
        raise InputError("not-a-value", message, hint, path=place.path, line=place.line)
    if missing := [prompt for prompt, answer in value.items() if is_none(answer)]:
        message = f"{named(missing)} of {counted(len(value), 'prompt')} got no answer"
        hint = "let it fail where the server does not answer: what is not there differs from everything"
        raise InputError("not-a-value", message, hint, path=place.path, line=place.line)
    if errors := [prompt for prompt, answer in value.items() if is_error(answer)]:
        message = f"{named(errors)} of {counted(len(value), 'prompt')} got an error in place of an answer"
        hint = "let it fail where the server does: an error is other than any answer"
        raise InputError("not-a-value", message, hint, path=place.path, line=place.line)
    return value


def one_for_all(given: Mapping[str, Any]) -> bool:
    """Whether several prompts got one answer, as from a server that refuses whatever it is asked."""
    first, *others = given.values()
    return bool(others) and all(other == first for other in others)


def is_error(answer: Any) -> bool:
    """Whether an answer is the body of an error, as a mapping or as its text.

    OpenAI's interface has `{"error": {…}}`, servers made after it `{"object": "error", …}`, and FastAPI
    `{"detail": …}`, alone.
    """
    if isinstance(answer, str) and answer.lstrip().startswith("{"):
        try:
            answer = json.loads(answer)
        except (ValueError, RecursionError):  # a text of the model
            return False
    if not isinstance(answer, dict):
        return False
    return bool(answer.get("error")) or answer.get("object") == "error" or answer.keys() == {"detail"}


def is_none(answer: Any) -> bool:
    """Whether an answer is none: null, no number, or a list or mapping that holds nothing else."""
    if isinstance(answer, list | dict):
        inner = answer.values() if isinstance(answer, dict) else answer
        return all(map(is_none, inner))
    return answer is None or isinstance(answer, NonFinite)


def different(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str] | None:
    """The prompts whose answers differ; None where the prompts do."""
    if one.keys() != other.keys():
        return None
    return [prompt for prompt in one if one[prompt] != other[prompt]]


def judged(base: Mapping[str, Any], adapter: Mapping[str, Any], wanted: int, settings: Settings) -> Finding:
    """Whether enough answers differ."""
    found, place = different(base, adapter), settings.place()
    if found is None:
        other = named(sorted(base.keys() ^ adapter.keys()))
        hint = "ask both for the same prompts, in the same order"
        return failed("adapter", f"only one of the two answers {other}", hint, place)
    saw = f"{len(found):,} of {counted(len(base), 'answer')} other than the base model's"
    if len(found) < max(wanted, 1):
        hint = (
            "see that the server loads the adapter and the request names it, and that the checkpoint's "
            "adapters are not 0; or ask for what it was trained on"
        )
        return failed("adapter", saw, hint, place)
    return passed("adapter", saw, place)


_MANY = "look at the answer; where it is the model's, ask for what it answers otherwise, too"


def _how(changing: list[str] | None) -> str:
    if changing is None:
        return "some were not the same"
    return f"{len(changing):,} ({named(changing)}) got another answer"
