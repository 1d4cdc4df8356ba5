"""Does the key of a cache change with everything that what is cached depends on?"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stilltrue import files
from stilltrue.errors import InputError
from stilltrue.preflight.altering import Altered, altered
from stilltrue.preflight.commands import placeholders, words
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import Key, Kind, table
from stilltrue.preflight.launched import Ran
from stilltrue.preflight.settings import Settings
from stilltrue.wording import quoted

SUMMARY = "The key of a cache changes with each input that is altered, and with nothing else."

KEYS = table(
    Key(
        "command",
        Kind.COMMAND,
        "Prints the key, and nothing else, on standard output; `{name}` stands for an input.",
        "command: python runs/key.py --data {data} --window {window}",
        required=True,
    ),
    Key(
        "inputs",
        Kind.NAMED,
        "What the cached thing depends on, by the names in the command.",
        "inputs: {data: {file: data/train.jsonl}, window: {value: 1024, altered: 512}}",
        required=True,
        inner=table(
            Key("file", Kind.PATH, "The input is this file.", "file: data/train.jsonl"),
            Key("value", Kind.TEXT, "The input is this word of the command.", "value: 1024"),
            Key(
                "altered",
                Kind.TEXT,
                "Another value; or a file to use in place of a copy with one character changed.",
                "altered: 512",
            ),
        ),
    ),
    Key("timeout", Kind.TIME, "How long one key may take; the default is 60 s.", "timeout: 60 s"),
)

_TIMEOUT_S = 60.0


class _Input(NamedTuple):
    """One input: what it is, and what it becomes.

    Attributes:
        name: Its name.
        before: The value, or what the file holds.
        after: The other one.
        how: What the difference is, for a message.
        file: The file's name without its folders; empty for a value.
        times: When the file was last read and changed, in nanoseconds.
        settings: Where it is declared.
    """

    name: str
    before: str | bytes
    after: str | bytes
    how: str
    file: str
    times: tuple[int, int]
    settings: Settings


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The findings: one for the key as it is, one for each input."""
    declared = settings.named("inputs")
    inputs = [
        _value(name, each) if "value" in each else _file(launch, name, each)
        for name, each in declared.items()
    ]
    with tempfile.TemporaryDirectory(prefix="stilltrue-") as folder:
        asked = _Asked(launch, settings, Path(folder), inputs)
        first = asked.key()
        place = settings.place("command")
        if not _is_key(first):
            yield failed("key", f"the command gives none: {_fault(first)}", _PRINT, place)
            return
        after = [(each, asked.key(each)) for each in inputs]
        again = asked.key()
    if not _is_key(again):
        yield failed("key", f"the command gives none the second time: {_fault(again)}", _PRINT, place)
        return
    if _key(again) != _key(first):
        saw = f"nothing was altered, and {quoted(_key(first))} became {quoted(_key(again))}"
        yield failed("key", saw, _STEADY, place)
        return
    yield passed("key", f"{quoted(_key(first))} each time while nothing is altered", place)
    yield from (_judged(each, _key(first), ran) for each, ran in after)


def fits(settings: Settings) -> None:
    """Says which settings are none.

    Raises:
        UsageError: `preflight-settings`.
    """
    declared = settings.named("inputs")
    if not declared:
        settings.refuse("`inputs` names none", f"write `{KEYS['inputs'].example}`", "inputs")
    used = placeholders(settings, "command", declared)
    for name, each in declared.items():
        if name not in used:
            hint = f"pass `{{{name}}}` to it: `--{name} {{{name}}}`"
            each.refuse(f"the command does not use the input `{name}`", hint)
        if ("file" in each) == ("value" in each):
            each.refuse(f"the input `{name}` must have either a `file` or a `value`", "write one of them")
        if "value" in each and each.text("altered", each.text("value")) == each.text("value"):
            each.refuse(f"the input `{name}` needs another value", "add `altered: …` with one that matters")


def _value(name: str, settings: Settings) -> _Input:
    before, after = settings.text("value"), settings.text("altered")
    return _Input(name, before, after, f"`{before}` became `{after}`", "", (0, 0), settings)


def _file(launch: Launch, name: str, settings: Settings) -> _Input:
    """An input that is a file.

    Raises:
        InputError: The file cannot be read or is empty.
    """
    root, limit = launch.config.root, launch.config.limits.bytes
    path = settings.path("file")
    try:
        before = files.read_bytes(root, path, limit)
        after = _other(launch, settings, before)
    except InputError as error:
        error.path = error.path or path
        raise
    at = files.resolve(root, path).stat()
    times = (at.st_atime_ns, at.st_mtime_ns)
    return _Input(name, before, after.data, after.how, path.rpartition("/")[2], times, settings)


def _other(launch: Launch, settings: Settings, before: bytes) -> Altered:
    """What the file becomes: the one that was brought, or a copy with one thing changed."""
    if "altered" not in settings:
        return altered(before)
    path = files.join(settings.file.rpartition("/")[0], settings.text("altered"))
    after = files.read_bytes(launch.config.root, path, launch.config.limits.bytes)
    if after == before:
        message = f"`{path}` holds the same as `{settings.text('file')}`"
        raise InputError("preflight-settings", message, "name one that differs", path=path)
    return Altered(after, f"`{path}` in its place")


class _Asked:
    """Asks for keys, with the inputs in a folder of their own.

    A copy keeps its path, its name and its time of change when it is altered: a key that is made of those
    is none of what the file holds.
    """

    def __init__(self, launch: Launch, settings: Settings, folder: Path, inputs: list[_Input]) -> None:
        self.launch = launch
        self.settings = settings
        self.folder = folder
        self.inputs = inputs

    def key(self, changed: _Input | None = None) -> Ran:
        """What the command prints while one input is altered, or none."""
        values = {
            each.name: self._laid_out(each, self.folder / str(number), each is changed)
            for number, each in enumerate(self.inputs)
        }
        return self.launch.run(
            words(self.launch, self.settings, "command", values),
            folder=self.launch.config.root,
            timeout_s=self.settings.seconds("timeout", _TIMEOUT_S),
        )

    @staticmethod
    def _laid_out(each: _Input, folder: Path, is_changed: bool) -> str:
        """What the command is given for an input."""
        content = each.after if is_changed else each.before
        if isinstance(content, str):
            return content
        path = folder / each.file
        folder.mkdir(exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ns=each.times)
        return str(path)


def _is_key(ran: Ran) -> bool:
    return ran.ok and len(ran.out.strip().splitlines()) == 1


def _key(ran: Ran) -> str:
    return ran.out.strip()


def _fault(ran: Ran) -> str:
    lines = len(ran.out.strip().splitlines())
    return ran.fault or (f"it printed {lines:,} lines" if lines else "it printed nothing")


def changed(before: str, after: str) -> bool:
    """Whether a key is another one."""
    return before != after


def _judged(each: _Input, before: str, ran: Ran) -> Finding:
    """Whether the key changed with an input."""
    what, place = f"input {each.name}", each.settings.place()
    if not _is_key(ran):
        return failed(what, f"{each.how}, and the command gives no key: {_fault(ran)}", _BRING, place)
    if not changed(before, _key(ran)):
        return failed(what, f"{each.how}, and the key is still {quoted(before)}", _COVER, place)
    return passed(what, f"{each.how}, and the key became {quoted(_key(ran))}", place)


_PRINT = "let the command print the key alone, and exit with 0"
_STEADY = "leave out of the key what changes by itself: a time, a process, the order of a set"
_BRING = "bring a file that it can read and that differs in what matters: `altered: FILE`"
_COVER = "put what this input holds into the key, not its name or time; throw the present cache away"
