"""The commands of the settings, as they are started."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from stilltrue.preflight.finding import Launch
from stilltrue.preflight.settings import Settings
from stilltrue.suggest import did_you_mean
from stilltrue.wording import named

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w-]*)\}")


def words(launch: Launch, settings: Settings, name: str, values: Mapping[str, str]) -> tuple[str, ...]:
    """A command with its placeholders filled; `python` as its first word is the interpreter of the launch.

    Args:
        launch: The launch.
        settings: The settings that hold the command.
        name: Its key.
        values: What stands in the place of each `{name}`.
    """
    first, *rest = settings.words(name, values)
    return (launch.python if first == "python" else first, *rest)


def placeholders(settings: Settings, name: str, known: Collection[str]) -> frozenset[str]:
    """The placeholders of a command, or of another text.

    Raises:
        UsageError: `preflight-settings`: one of them is not known.
    """
    used = frozenset(_PLACEHOLDER.findall(settings.text(name)))
    for word in sorted(used - set(known)):
        hint = did_you_mean(word, known) or (f"known are {named(known)}" if known else "leave it out")
        settings.refuse(f"`{{{word}}}` in `{name}` stands for nothing", hint, name)
    return used
