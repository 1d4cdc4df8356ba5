"""Did what was asked for become something definite, and the thing that was asked for?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from stilltrue.preflight.documents import Item, at, shown
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import SOURCE, Key, Kind, table
from stilltrue.preflight.settings import Settings
from stilltrue.preflight.values import same, value_at
from stilltrue.quantity import NonFinite
from stilltrue.wording import listed, quoted

SUMMARY = "What the run resolved to is recorded, is definite, and is what was asked for or what is expected."

KEYS = table(
    Key(
        "resolved",
        Kind.MAPPING,
        "Where the run wrote what it resolved to; a mapping or a list there is looked through.",
        "resolved: {file: runs/out/resolved.json, path: $.attention}",
        inner=SOURCE,
    ),
    Key(
        "image",
        Kind.MAPPING,
        "The same for a container's image: a name with its digest.",
        "image: {file: runs/out/resolved.json, path: $.image}",
        inner=SOURCE,
    ),
    Key(
        "asked",
        Kind.VALUE,
        "What was asked for.",
        "asked: {file: runs/arguments.yml, path: $.attn_implementation}",
        inner=SOURCE,
    ),
    Key(
        "expect",
        Kind.VALUE,
        "What it is to become, where that is not what was asked for.",
        "expect: sdpa",
        inner=SOURCE,
    ),
    Key(
        "because",
        Kind.TEXT,
        "Why it becomes something else than was asked for.",
        'because: "3 % of 444 steps"',
    ),
    Key("name", Kind.TEXT, "What it is called in the report; the default is its path.", "name: attention"),
)

_OPEN = frozenset(
    {"", "auto", "automatic", "default", "latest", "none", "null", "nan", "n/a", "?"}
    | {"unset", "undefined", "unknown", "tbd", "todo"}
)
"""What is no value but leaves one to be chosen."""

_TAGGED = re.compile(r":latest$")
_DIGEST = re.compile(r"(?P<name>[^\s@]+)@(?P<digest>sha256:[0-9a-f]{64})")
_TAG = re.compile(r":[\w.-]+$")
_MOST = 5


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The finding."""
    key = "image" if "image" in settings else "resolved"
    source = settings.inner(key)
    assert source is not None  # noqa: S101  # `fits` saw it
    what = settings.text("name") or f"{source.text('path', '$')} of {source.path('file')}"
    item = at(launch, source)
    asked = value_at(launch, settings, "asked") if "asked" in settings else None
    if key == "image":
        yield _image(what, item, asked)
    elif "expect" in settings:
        yield _expected(launch, settings, what, item, asked)
    else:
        yield _as_asked(what, item, asked)


def fits(settings: Settings) -> None:
    """Says which settings are none.

    Raises:
        UsageError: `preflight-settings`.
    """
    there = [key for key in ("resolved", "image") if key in settings]
    if len(there) != 1:
        settings.refuse("there must be either `resolved` or `image`", f"add `{KEYS['resolved'].example}`")
    if "because" in settings and "expect" not in settings:
        settings.refuse("`because` gives a reason for nothing", f"add `{KEYS['expect'].example}`", "because")
    if "expect" in settings and there == ["image"]:
        settings.refuse("an image is what it is asked for", "leave `expect` out", "expect")


def unresolved(value: Any, path: str = "$") -> list[str]:
    """What in a value leaves something open, each with its path: `$.attention is auto`."""
    if isinstance(value, dict):
        return [each for key, inner in value.items() for each in unresolved(inner, f"{path}.{key}")]
    if isinstance(value, list):
        return [each for at, inner in enumerate(value) for each in unresolved(inner, f"{path}[{at}]")]
    return [f"{path} is {shown(value) or 'empty'}"] if is_open(value) else []


def is_open(value: Any) -> bool:
    """Whether a scalar leaves something to be chosen: null, `auto`, `latest`, a number that is none."""
    if isinstance(value, str):
        return value.strip().lower() in _OPEN or bool(_TAGGED.search(value))
    return value is None or isinstance(value, NonFinite)


def _open(what: str, item: Item, path: str = "$") -> Finding | None:
    """What is wrong with a value that leaves something open, or holds nothing."""
    if isinstance(item.value, dict | list):
        if not item.value:
            return failed(what, "nothing is recorded there", _RECORD, item.place)
        found = unresolved(item.value, path)
        return failed(what, listed(found, _MOST), _RECORD, item.place) if found else None
    if is_open(item.value):
        return failed(what, f"{shown(item.value) or 'empty'} is not resolved", _RECORD, item.place)
    return None


def _as_asked(what: str, item: Item, asked: Item | None) -> Finding:
    """Whether it is definite, and what was asked for where something definite was."""
    if wrong := _open(what, item):
        return wrong
    if asked is None or (not isinstance(asked.value, dict | list) and is_open(asked.value)):
        before = f"{shown(asked.value)} became " if asked else ""
        return passed(what, f"{before}{shown(item.value)}", item.place)
    if same(asked.value, item.value):
        return passed(what, f"{shown(item.value)}, as asked", item.place)
    saw = f"{shown(asked.value)} was asked for ({asked.place}), and it became {shown(item.value)}"
    return failed(what, saw, _DIFFERS, item.place)


def _expected(launch: Launch, settings: Settings, what: str, item: Item, asked: Item | None) -> Finding:
    """Whether it is what is expected, and why that is not what was asked for."""
    expected = value_at(launch, settings, "expect")
    # `none` may be meant where it is written here; a file that says `auto` has decided nothing.
    if settings.inner("expect") is not None and (wrong := _open(what, item)):
        return wrong
    if not same(expected.value, item.value):
        saw = f"{shown(expected.value)} is expected ({expected.place}), and it became {shown(item.value)}"
        return failed(what, saw, _UNEXPECTED, item.place)
    because = settings.text("because")
    given = asked is not None and not is_open(asked.value)
    if asked is not None and given and not same(asked.value, item.value):
        if not because:
            saw = f"{shown(asked.value)} was asked for ({asked.place}), and {shown(item.value)} is expected"
            return failed(what, f"{saw}, for no reason", "say why: `because: …`", settings.place("expect"))
        return passed(what, f"{shown(asked.value)} became {shown(item.value)}: {because}", item.place)
    return passed(what, f"{shown(item.value)}, as expected", item.place)


def _image(what: str, item: Item, asked: Item | None) -> Finding:
    """Whether an image is named by its digest, and is the one that was asked for."""
    text = shown(item.value)
    found = _DIGEST.fullmatch(text)
    if found is None:
        return failed(what, f"{quoted(text)} has no digest: a tag is moved", _PIN, item.place)
    if asked is not None and not _is_image(shown(asked.value), found["name"], found["digest"]):
        saw = f"{quoted(shown(asked.value))} was asked for ({asked.place}), and it became {quoted(text)}"
        return failed(what, saw, "run the image that was asked for, or ask for the one that runs", item.place)
    return passed(what, text, item.place)


def _is_image(asked: str, name: str, digest: str) -> bool:
    """Whether an image is the one that was asked for: by its name without registry, and a digest if given."""
    wanted, _, exact = asked.partition("@")
    if exact and exact != digest:
        return False
    wanted, name = _TAG.sub("", wanted), _TAG.sub("", name)
    return name == wanted or name.endswith(f"/{wanted}")


_RECORD = "record what the run took, after it has chosen: of the object that was built, not of the arguments"
_DIFFERS = "mend what asks or what resolves; where it is meant: `expect: …` and `because: …`"
_UNEXPECTED = "mend the run, or expect what it does"
_PIN = (
    "record the name with its digest, as `docker image inspect --format '{{index .RepoDigests 0}}'` prints it"
)
