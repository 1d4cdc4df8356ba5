"""Libraries that read a format, imported when a claim calls for one."""

from __future__ import annotations

import importlib
from typing import Any

from stilltrue.errors import InputError


def library(module: str, package: str) -> Any:
    """A module of a library that may not be installed.

    Raises:
        InputError: `missing-library`.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError(
            "missing-library",
            f"this format is read with the library `{package}`, which is not installed",
            "install what reads such formats: `pip install 'stilltrue[readers]'`",
        ) from None
