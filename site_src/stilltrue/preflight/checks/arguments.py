"""Is every argument that is given a parameter of what it is given to, as it is installed?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from stilltrue.errors import InputError
from stilltrue.model import Place
from stilltrue.preflight import asking
from stilltrue.preflight.documents import Item, item
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import Key, Kind, table
from stilltrue.preflight.settings import Settings
from stilltrue.suggest import did_you_mean
from stilltrue.wording import counted, listed, named

SUMMARY = "Every argument that a file gives is a parameter of what is installed; values are not judged."

KEYS = table(
    Key(
        "of",
        Kind.TEXTS,
        "The class or function, or several that share the file: `package.name` or `module:name`.",
        "of: transformers.TrainingArguments",
        required=True,
    ),
    Key(
        "given",
        Kind.PATH,
        "The file that gives them: the keys of a mapping, or a list of names.",
        "given: runs/arguments.yml",
        required=True,
    ),
    Key("path", Kind.JSONPATH, "Where in it; the default is all of it.", "path: $.training"),
    Key(
        "beside",
        Kind.TEXTS,
        "Names in the file that are for something else: each must be there, and be no parameter.",
        "beside: [run_name_suffix]",
    ),
    Key("timeout", Kind.TIME, "How long importing it may take; the default is 2 minutes.", "timeout: 5 min"),
)


class _Taken(NamedTuple):
    """What one class or function takes.

    Attributes:
        name: Its name, as the settings write it.
        package: The installed package with its version; empty where there is none.
        parameters: Its parameters, each with what the library says against it.
        swallows: What becomes of any other name; empty where it is refused.
    """

    name: str
    package: str
    parameters: Mapping[str, str]
    swallows: str


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The findings."""
    given = item(launch, settings.path("given"), settings.text("path", "$"))
    names = _names(given)
    taken = _ask(launch, settings)
    known = {name: note for each in taken for name, note in each.parameters.items()}
    beside = dict(settings.placed("beside"))
    wrong = [name for name in names if name not in known and name not in beside]
    for name in wrong:
        yield _refused(name, names[name], taken, known)
    for name, place in beside.items():
        if name in known or name not in names:
            yield _idle(name, place, known)
    right = [name for name in names if name in known]
    if right:
        notes = [f"`{name}`: {known[name]}" for name in right if known[name]]
        yield passed(_of(taken), _saw(len(right), notes), given.place)


def _names(given: Item) -> dict[str, Place]:
    """The names that a file gives, with their lines.

    Raises:
        InputError: `no-reading`: it gives none.
    """
    value = given.value
    if isinstance(value, dict):
        names = {name: given.place._replace(line=line) for name, line in given.lines.items()}
    elif isinstance(value, list) and all(isinstance(name, str) for name in value):
        names = dict.fromkeys(value, given.place)
    else:
        names = {}
    if not names:
        hint = "let `path` select a mapping whose keys are the arguments, or a list of their names"
        raise InputError(
            "no-reading", "no argument is given here", hint, path=given.place.path, line=given.place.line
        )
    return names


def _ask(launch: Launch, settings: Settings) -> list[_Taken]:
    """What each class and function takes, where the launch will run.

    Raises:
        InputError: `launch-failed`: one cannot be imported there, or has no signature.
    """
    wanted = settings.texts("of")
    timeout_s = settings.seconds("timeout", asking.TIMEOUT_S)
    answers: list[dict[str, Any]] = asking.ask(launch, "signature", wanted, timeout_s=timeout_s, path=True)
    for name, answer in zip(wanted, answers, strict=True):
        if answer["error"]:
            place = settings.place("of")
            message = f"`{name}` cannot be looked at under `{launch.python}`: {answer['error']}"
            hint = "correct the name, or name the launch's interpreter: `python: .venv/bin/python`"
            raise InputError("launch-failed", message, hint, path=place.path, line=place.line)
    return [
        _Taken(name, answer["package"], answer["parameters"], answer["swallows"])
        for name, answer in zip(wanted, answers, strict=True)
    ]


def _refused(name: str, place: Place, taken: list[_Taken], known: Mapping[str, str]) -> Finding:
    """A name that is no parameter: refused at the start of the run, or, worse, swallowed."""
    swallowed = next((each for each in taken if each.swallows), None)
    saw = f"no parameter of {_of(taken)}"
    if swallowed is not None:
        saw += f"; {swallowed.swallows}"
    near = did_you_mean(name, known)
    return failed(f"`{name}`", saw, near or "take it out, or give it to what reads it", place)


def _idle(name: str, place: Place, known: Mapping[str, str]) -> Finding:
    """A name that `beside` excepts for no reason: a parameter would go unchecked for ever."""
    saw = (
        "`beside` calls it something else, and it is a parameter"
        if name in known
        else "the file does not give it"
    )
    return failed(f"`{name}`", saw, "take it out of `beside`", place)


def _of(taken: list[_Taken]) -> str:
    """`transformers.TrainingArguments (transformers 5.24.0)`."""
    packages = dict.fromkeys(each.package for each in taken if each.package)
    versions = f" ({listed(packages)})" if packages else ""
    return named([each.name for each in taken], len(taken)) + versions


def _saw(right: int, notes: list[str]) -> str:
    what = f"{counted(right, 'argument')}, each a parameter"
    return f"{what}; the library says of {listed(notes)}" if notes else what
