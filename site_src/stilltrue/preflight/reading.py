"""The settings' file: which checks are asked for, each with settings that fit its table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Sequence as Several
from dataclasses import dataclass
from functools import partial

from stilltrue import files
from stilltrue.claims.compose import NotYamlError, compose
from stilltrue.claims.nodes import Mapping as Entries
from stilltrue.claims.nodes import Node, Scalar, Sequence, clip
from stilltrue.config import Config
from stilltrue.errors import InputError, UsageError
from stilltrue.model import Place
from stilltrue.preflight.finding import Finding, Launch
from stilltrue.preflight.keys import table
from stilltrue.preflight.outside import TIMEOUT, TIMEOUT_S, imported, look
from stilltrue.preflight.settings import Settings, held, plain, refused
from stilltrue.preflight.table import CHECKS, Check
from stilltrue.suggest import did_you_mean
from stilltrue.wording import quoted

FORMAT = "1"
"""The version of the settings' file."""

_MOST_BYTES = 1 << 20
_OWN = ("format", "python", TIMEOUT.name)


Look = Callable[[Launch], Iterable[Finding]]
"""A check with its settings."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that a check is asked to look at.

    Attributes:
        place: The line that asks for it.
        look: Looks at it.
        name: What tells it from the others of its check; empty where nothing has to.
    """

    place: Place
    look: Look
    name: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """One check that was asked for.

    Attributes:
        name: Its name.
        subjects: What it looks at.
    """

    name: str
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, slots=True)
class File:
    """What the settings' file says.

    Attributes:
        python: The interpreter of the launch, as it is written; empty for that of `stilltrue`.
        asked: The checks, in its order.
    """

    python: str
    asked: tuple[Asked, ...]


def read(config: Config, path: str) -> File:
    """Reads the settings' file.

    Args:
        config: The project.
        path: The file, from the root.

    Raises:
        InputError: The file is not there, or cannot be read.
        UsageError: `preflight-settings`: what it says fits no table; `nothing-to-check`: it names no check;
            `preflight-outside`: a check from outside cannot be imported.
    """
    _refuse_names(config)
    entries = _entries(config, path)
    _refuse_format(path, entries)
    seconds = _outside_timeout(config, path, entries)
    asked = tuple(
        _asked(config, path, name, node, seconds) for name, node in entries.items() if name not in _OWN
    )
    if not asked:
        hint = "name one, for instance `tree: {}`"
        raise UsageError("no check is named", hint, code="nothing-to-check", place=path)
    return File(_python(path, entries.get("python")), asked)


def _refuse_names(config: Config) -> None:
    """Refuses checks from outside that would take the place of something else."""
    for name, _ in config.preflight:
        if name in CHECKS or name in _OWN:
            taken = "there is a check" if name in CHECKS else "the settings have a key"
            message = f"{taken} `{name}` already"
            raise UsageError(message, "give yours another name", code="config", place=config.source)


def _entries(config: Config, path: str) -> Mapping[str, Node]:
    try:
        text = files.read_bytes(config.root, files.join("", path), _MOST_BYTES).decode("utf-8")
        node = compose(text.removeprefix("\ufeff").replace("\r\n", "\n"), 1)
    except UnicodeDecodeError:
        raise InputError("bad-yaml", "this is not UTF-8", "save it as UTF-8", path=path) from None
    except NotYamlError as error:
        place = Place(path, error.line + 1)
        raise refused(place, f"{error.message}: {error.problem}", "mend this line or the one above") from None
    except InputError as error:
        error.path = error.path or path
        if error.code == "too-large":
            error.hint = "name the file of the settings"
        if error.code == "no-file" and not error.hint.startswith("did you mean"):
            error.hint = "write it: a mapping of checks to their settings, `tree: {}` for a start"
        raise
    if node is None:
        return {}
    if not isinstance(node, Entries):
        raise refused(Place(path, node.line), "this is no mapping of checks", "write `tree: {}`")
    return node.entries


def _refuse_format(path: str, entries: Mapping[str, Node]) -> None:
    node = entries.get("format")
    if node is not None and not (isinstance(node, Scalar) and node.text == FORMAT):
        raise refused(
            Place(path, node.line), f"this is not format {FORMAT}", "check with a version that knows it"
        )


def _python(path: str, node: Node | None) -> str:
    if node is None:
        return ""
    if not isinstance(node, Scalar) or not node.text.strip():
        raise refused(Place(path, node.line), "`python` must be a text", "write `python: .venv/bin/python`")
    return node.text


def _outside_timeout(config: Config, path: str, entries: Mapping[str, Node]) -> float:
    """How many seconds each check from outside may take."""
    own = {name: node for name, node in entries.items() if name == TIMEOUT.name}
    return held(path, path, Entries(own, 1), table(TIMEOUT), config.units).seconds(TIMEOUT.name, TIMEOUT_S)


def _asked(config: Config, path: str, name: str, node: Node, seconds: float) -> Asked:
    place = Place(path, node.line)
    outside = dict(config.preflight)
    if name in outside:
        function = imported(config, name, outside[name], seconds)
        return Asked(name, (Subject(place, partial(look, function, plain(node), seconds)),))
    check = CHECKS.get(name)
    if check is None:
        known = (*CHECKS, *outside)
        near = did_you_mean(name, (*known, *_OWN)) or f"known are {', '.join(known)}"
        raise refused(place, f"there is no check `{clip(name)}`", near)
    settings = [
        held(path, name, each, check.keys, config.units) for each in _mappings(check, name, node, path)
    ]
    for each in settings:
        check.fits(each)
    names = _told_apart(check, settings)
    return Asked(
        name,
        tuple(
            Subject(each.place(), partial(_run, check, each), called)
            for each, called in zip(settings, names, strict=True)
        ),
    )


def _told_apart(check: Check, settings: Several[Settings]) -> list[str]:
    """What tells several subjects of a check apart: a key that names each, else its line."""
    if len(settings) == 1 or not check.named_by:
        return [""] * len(settings)
    names = [next(filter(None, map(each.text, check.named_by)), "") for each in settings]
    shown = [quoted(name) for name in names]
    if not all(names) or len(set(shown)) < len(shown):
        return [f"line {each.place().line}" for each in settings]
    return shown


def _run(check: Check, settings: Settings, launch: Launch) -> Iterable[Finding]:
    return check.run(launch, settings)


def _mappings(check: Check, name: str, node: Node, path: str) -> list[Entries]:
    """The mappings that a check's settings are; a text is short for one where the check says so."""
    if not isinstance(node, Sequence):
        return [_mapping(check, name, node, path)]
    if not (check.several or check.item):
        raise refused(Place(path, node.line), f"`{name}` must be a mapping, not a list", "write one mapping")
    if not node.items:
        raise refused(Place(path, node.line), f"`{name}` is an empty list", "name what to look at")
    return [_mapping(check, name, item, path) for item in node.items]


def _mapping(check: Check, name: str, node: Node, path: str) -> Entries:
    if isinstance(node, Entries):
        return node
    if isinstance(node, Scalar) and not node.text and not any(key.required for key in check.keys.values()):
        return Entries({}, node.line)
    if isinstance(node, Scalar) and check.item and node.text:
        return Entries({check.item: node}, node.line)
    example = next((key.example for key in check.keys.values() if key.required), "")
    hint = f"write its keys below it, for instance `{example}`" if example else "write its keys below it"
    raise refused(Place(path, node.line), f"`{name}` must be a mapping", hint)
