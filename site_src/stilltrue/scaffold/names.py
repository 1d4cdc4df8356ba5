"""One name in its three forms: a claim's id, a Python module, a title."""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass

from stilltrue.errors import UsageError

_NAME = re.compile(r"[a-z](?:-?[a-z0-9])*")
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Name:
    """The name of what is made.

    Attributes:
        id: As its author gave it: `lost-tail`.
        module: As a Python file: `lost_tail`.
        title: As a heading: `Lost tail`.
    """

    id: str
    module: str
    title: str


def read_name(text: str) -> Name:
    """A name, which must do for ids and for files of Python.

    Raises:
        UsageError: `bad-name`: it does not.
    """
    if len(text) > _LONGEST or not _NAME.fullmatch(text):
        near = re.sub(r"[^a-z0-9]+", "-", text.lower())[:_LONGEST].strip("-")
        hint = "use lower-case letters, digits and single hyphens, a letter first"
        hint += f": `{near}`" if _NAME.fullmatch(near) else ""
        raise UsageError(f"`{text[:_LONGEST]}` is no name", hint, code="bad-name")
    return Name(text, text.replace("-", "_"), text.replace("-", " ").capitalize())


def probe_name(text: str) -> Name:
    """The name of something that has a probe: its file may hide no module that Python has.

    Raises:
        UsageError: `bad-name`: as `read_name`, or it would.
    """
    name = read_name(text)
    if name.module in sys.stdlib_module_names or keyword.iskeyword(name.module):
        message = (
            f"a file `{name.module}.py` would hide Python's own `{name.module}` from every probe beside it"
        )
        raise UsageError(message, f"add a word: `{name.id}-trap`", code="bad-name")
    return name
