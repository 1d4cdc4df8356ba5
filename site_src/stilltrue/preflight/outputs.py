"""Values out of what a launch has written, or out of what a command prints when it is run now."""

from __future__ import annotations

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.trees import Tree
from stilltrue.evidence.trees.json_tree import read_json
from stilltrue.preflight import documents
from stilltrue.preflight.commands import words
from stilltrue.preflight.documents import Item
from stilltrue.preflight.finding import Launch
from stilltrue.preflight.keys import Key, Kind, table
from stilltrue.preflight.settings import Settings

TIMEOUT_S = 600.0
"""How long a command may take, where the settings do not say."""

OUTPUT = table(
    Key("file", Kind.PATH, "A file of JSON, JSON Lines, YAML or TOML.", "file: runs/out/answers.json"),
    Key("command", Kind.COMMAND, "Or what prints JSON when it is run.", "command: python runs/answer.py"),
    Key("path", Kind.JSONPATH, "Where in it; the default is all of it.", "path: $.answers"),
    Key("timeout", Kind.TIME, "How long the command may take; the default is 10 min.", "timeout: 10 min"),
)
"""The keys of a place in a file, or in what a command prints."""


def refuse_both(settings: Settings) -> None:
    """Holds settings to one of `file` and `command`.

    Raises:
        UsageError: `preflight-settings`.
    """
    if ("file" in settings) == ("command" in settings):
        settings.refuse("this needs one of `file` and `command`", "write one of them")


class Output:
    """A document: of a file, or printed by a command that has been run once."""

    def __init__(self, launch: Launch, settings: Settings) -> None:
        """Takes it.

        Raises:
            InputError: `launch-failed`: the command failed, or took too long; `malformed-evidence`: it
                printed no JSON.
        """
        self._launch = launch
        self._settings = settings
        self._tree = _printed(launch, settings) if "command" in settings else None

    def items(self, path: str) -> tuple[Item, ...]:
        """The values that a JSONPath selects: one at least.

        Raises:
            InputError: The file cannot be read; `no-reading`: there is no such value.
        """
        if self._tree is None:
            return documents.items(self._launch, self._settings.path("file"), path)
        place, deadline = self._settings.place("command"), Deadline(self._launch.config.limits.seconds)
        try:
            nodes = documents.selected(self._tree, path, deadline)
        except InputError as error:
            message = f"{error.message} in what the command prints"
            raise InputError(error.code, message, error.hint, path=place.path, line=place.line) from None
        return tuple(Item(node.value, place, {}) for node in nodes)


def _printed(launch: Launch, settings: Settings) -> Tree:
    """What the command of the settings prints."""
    place = settings.place("command")
    ran = launch.run(
        words(launch, settings, "command", {}),
        folder=launch.config.root,
        timeout_s=settings.seconds("timeout", TIMEOUT_S),
    )
    if not ran.ok:
        hint = "run it by hand, and mend what it says"
        message = f"the command gave nothing: {ran.fault}"
        raise InputError("launch-failed", message, hint, path=place.path, line=place.line)
    try:
        return read_json(ran.out, Deadline(launch.config.limits.seconds))
    except InputError as error:
        message = f"what the command prints {error.message.removeprefix('this ')}"
        hint = "let it print one JSON document on standard output, and anything else on standard error"
        raise InputError(error.code, message, hint, path=place.path, line=place.line) from None
