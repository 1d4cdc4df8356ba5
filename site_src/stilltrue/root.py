"""Where a project begins, and which file configures it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stilltrue.errors import UsageError
from stilltrue.toml import TomlError, parse

OWN_FILE = "stilltrue.toml"
SHARED_FILE = "pyproject.toml"


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
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # ValueError: no UTF-8
        raise _bad(f"this is not valid TOML: {error}", "mend it", path.name) from None
    except TomlError as error:
        if error.fault == "deep":
            raise _bad("this is nested too deep", "write it flatter", path.name) from None
        place = f"{path.name}:{error.line}" if error.line else path.name
        raise _bad(f"this is not valid TOML: {error.message}", "mend it", place) from None


def _bad(message: str, hint: str, place: str) -> UsageError:
    return UsageError(message, hint, code="config", place=place)
