"""Where a project begins, and which file configures it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stilltrue.errors import UsageError

OWN_FILE = "stilltrue.toml"
SHARED_FILE = "pyproject.toml"


DEEP_KEY = re.compile(r"""(?<![\w"'.-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){200}""")
"""A dotted key of more than 200 parts; the time that the standard library takes grows with their square."""


def find_root(start: Path) -> Path:
    """The root of the project that `start` lies in.

    The nearest folder upwards that holds a `stilltrue.toml` or a `pyproject.toml` with
    `[tool.stilltrue]`; else the nearest that holds `.git`; else `start`.
    """
    start = start.resolve()
    folders = (start, *start.parents)
    for folder in folders:
        if (folder / OWN_FILE).is_file() or own_table(folder / SHARED_FILE) is not None:
            return folder
    return next((folder for folder in folders if (folder / ".git").exists()), start)


def own_table(path: Path) -> Mapping[str, Any] | None:
    """`[tool.stilltrue]` of a pyproject.toml, None where there is none."""
    try:
        # A pipe or a device by that name would never end.
        if not path.is_file() or b"stilltrue" not in path.read_bytes():
            return None
    except OSError:
        return None
    tool = read_toml(path).get("tool", {})
    table = tool.get("stilltrue") if isinstance(tool, dict) else None
    return table if isinstance(table, dict) else None


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds.

    Raises:
        UsageError: It cannot be read, or is no TOML.
    """
    import tomllib  # noqa: PLC0415  # a project without configuration needs none

    try:
        text = path.read_text(encoding="utf-8")
        if DEEP_KEY.search(text):
            raise RecursionError  # noqa: TRY301  # it is told as what it amounts to
        return tomllib.loads(text)
    except RecursionError:
        raise UsageError(
            "this is nested too deep", "write it flatter", code="config", place=path.name
        ) from None
    except (OSError, ValueError) as error:  # no UTF-8, no TOML, or a number of thousands of digits
        line = re.search(r"at line (\d+)", str(error))
        place = f"{path.name}:{line[1]}" if line else path.name
        raise UsageError(f"this is not valid TOML: {error}", "mend it", code="config", place=place) from None
