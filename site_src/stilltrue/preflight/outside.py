"""Checks from outside: functions of installed packages that the configuration names.

They are imported where packages are installed, never from the checkout: a pull request cannot bring one.
"""

from __future__ import annotations

import importlib
import importlib.util
import site
import sysconfig
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from stilltrue.config import Config
from stilltrue.errors import UsageError
from stilltrue.preflight.finding import Finding, Launch

OutsideFunction = Callable[[Launch, Any], Iterable[Finding]]
"""Gets the launch and its settings as plain data: texts, lists, mappings."""


def look(function: OutsideFunction, settings: Any, launch: Launch) -> Iterable[Finding]:
    """What a check from outside saw.

    Raises:
        TypeError: It gave something else than findings.
    """
    for finding in function(launch, settings):
        if not isinstance(finding, Finding):
            raise TypeError(f"it gave {type(finding).__name__}, no `stilltrue.preflight.Finding`")
        yield finding


def imported(config: Config, name: str, written: str) -> OutsideFunction:
    """The function of a check from outside.

    Args:
        config: The project.
        name: The check.
        written: `package.module:function`, from the configuration.

    Raises:
        UsageError: `preflight-outside`: it is not installed, lies in a checkout, or cannot be imported.
    """
    module, _, function = written.partition(":")
    try:
        _refuse_checkout(config, name, module)
        found = getattr(importlib.import_module(module), function)
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001  # a package may raise anything when it is imported
        raise _refused(config, f"`{name}` cannot be imported: {type(error).__name__}: {error}") from None
    if not callable(found):
        raise _refused(config, f"`{name}` is no function: `{written}`")
    checked: OutsideFunction = found
    return checked


def _refuse_checkout(config: Config, name: str, module: str) -> None:
    """Refuses a module whose package would not come from where packages are installed.

    Looking a top-level package up imports nothing.
    """
    top = module.partition(".")[0]
    spec = importlib.util.find_spec(top)
    if spec is None:
        raise _refused(config, f"`{name}` is not installed: there is no package `{top}`")
    if not all(_is_installed(place) for place in _places(spec)):
        message = f"`{name}` is not installed: `{top}` would be imported from elsewhere"
        raise _refused(config, message, "install the package, and not in editable mode")


def _places(spec: ModuleSpec) -> list[str]:
    """Where a package's code would come from; a namespace has several places, a built-in module none."""
    places = list(spec.submodule_search_locations or [])
    return places + ([spec.origin] if spec.has_location and spec.origin else []) or [""]


def _is_installed(place: str) -> bool:
    folders = {*site.getsitepackages(), site.getusersitepackages()}
    folders.update(sysconfig.get_paths()[name] for name in ("purelib", "platlib"))
    real = Path(place).resolve()
    return bool(place) and any(real.is_relative_to(Path(folder).resolve()) for folder in folders)


def _refused(config: Config, message: str, hint: str = "") -> UsageError:
    hint = hint or 'write `checks = {name = "package.module:function"}` with the name of an installed package'
    return UsageError(message, hint, code="preflight-outside", place=config.source)
