"""Where a project begins, and which file configures it."""

from __future__ import annotations

import os
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


def top_of(root: Path) -> Path:
    """The top of the repository that a project lies in; the project's own folder where there is none."""
    return next((folder for folder in (root, *root.parents) if os.path.lexists(folder / ".git")), root)


def below_top(root: Path) -> str:
    """Where a project lies in its repository: its folders from the top, ending in `/`; empty for the top."""
    inside = root.relative_to(top_of(root)).as_posix()
    return "" if inside == "." else f"{inside}/"


def own_table(path: Path) -> Mapping[str, Any] | None:
    """`[tool.stilltrue]` of a pyproject.toml, None where there is none."""
    try:
        # A pipe or a device by that name would never end.
        if not path.is_file() or b"stilltrue" not in path.read_bytes():
            return None
    except OSError:
        return None
    return _shared(read_toml(path))


def table_in(held: bytes | None, name: str) -> Mapping[str, Any] | None:
    """The configuration in the bytes of a file of this name.

    Args:
        held: What the file holds, now or at a commit; None where it is not there.
        name: `OWN_FILE` or `SHARED_FILE`.

    Returns:
        None where there is none, or it cannot be read.
    """
    try:
        whole = None if held is None else parse(held.decode())
    except (TomlError, UnicodeDecodeError):
        return None
    return _shared(whole) if whole is not None and name == SHARED_FILE else whole


def _shared(whole: Mapping[str, Any]) -> Mapping[str, Any] | None:
    tool = whole.get("tool", {})
    table = tool.get("stilltrue") if isinstance(tool, dict) else None
    return table if isinstance(table, dict) else None


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds.

    Raises:
        UsageError: It cannot be read, or is no TOML.
    """
    try:
        return parse(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        place = f"{path.name}:{error.object.count(10, 0, error.start) + 1}"
        byte = f"0x{error.object[error.start]:02x}"
        raise _bad(f"this is not UTF-8 (byte {byte})", "save it as UTF-8", place) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        message = f"this cannot be read: {reason}"
        raise _bad(message, "check what it is and its permissions", path.name) from None
    except TomlError as error:
        if error.fault == "deep":
            raise _bad("this is nested too deep", "write it flatter", path.name) from None
        place = f"{path.name}:{error.line}" if error.line else path.name
        raise _bad(f"this is not valid TOML: {error.message}", "mend it", place) from None


def _bad(message: str, hint: str, place: str) -> UsageError:
    return UsageError(message, hint, code="config", place=place)
