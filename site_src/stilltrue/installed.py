"""What the configuration names of installed packages: imported from there, never from the checkout.

A check of a stranger's pull request runs what somebody has installed beside stilltrue, and nothing that the
pull request could have brought.
"""

from __future__ import annotations

import importlib
import importlib.util
import site
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Protocol

from stilltrue.errors import InputError
from stilltrue.guard import TimeUp, guarded, lasting


def imported(root: Path, name: str, written: str, code: str, seconds: float | None = None) -> object:
    """What a module of an installed package holds under a name.

    Args:
        root: The checkout.
        name: What the project calls it, for messages.
        written: `package.module:name`, from the configuration.
        code: The code of the errors.
        seconds: How long it may take; None for as long as it will.

    Raises:
        InputError: `code`: it is not installed, would come from elsewhere, or cannot be imported.
    """
    module, _, attribute = written.partition(":")
    try:
        _refuse_elsewhere(name, module.partition(".")[0], code)
        with apart(root):
            return guarded(
                lambda: getattr(importlib.import_module(module), attribute),
                out=sys.stderr,  # the report stands alone on standard output
                err=sys.stderr,
                left=None if seconds is None else lasting(seconds),
            )
    except (InputError, KeyboardInterrupt):
        raise
    except TimeUp:
        hint = "let its module do less when it is imported, or allow it more time"
        raise InputError(code, f"`{name}` cannot be imported within {seconds:g} s", hint) from None
    except BaseException as error:  # noqa: BLE001  # a package may raise anything when it is imported
        raise InputError(code, f"`{name}` cannot be imported: {said(error)}") from None


def said(error: BaseException) -> str:
    """What was raised, as a message tells it: `KeyError: 'peak'`; whatever its own words do."""
    try:
        words = str(error)
    except Exception:  # noqa: BLE001  # code from outside
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def files_of(written: str) -> tuple[str, ...]:
    """The files that an imported thing is made of: the code of its distribution, and its metadata.

    The folder of the metadata has the version in its name, so that another version is another file.

    Args:
        written: `package.module:name`, once it is imported.
    """
    top = written.partition(":")[0].partition(".")[0]
    return tuple(sorted({*_code_files(sys.modules[top]), *_files_of_distribution(top)}))


def _files_of_distribution(top: str) -> Iterator[str]:
    """The files of the distribution that a package came with; none where it came without."""
    from importlib import metadata  # noqa: PLC0415  # slow to import, and needed for things from outside alone

    try:
        found = [metadata.distribution(top)]
    except metadata.PackageNotFoundError:  # it has another name than the package
        names = metadata.packages_distributions().get(top, ())
        found = [metadata.distribution(name) for name in names]
    for distribution in found:
        for path in distribution.files or ():
            if path.suffix == ".py" or path.name == "METADATA":
                yield str(distribution.locate_file(path))


@contextmanager
def apart(root: Path) -> Iterator[None]:
    """Within it no module is imported from the checkout: what lies there is passed over.

    The running stilltrue, the standard library and what is installed may lie below `root` and are no part of
    it. What was imported before stays.
    """
    before = list(sys.meta_path)
    finder = _Apart(root, before)
    sys.meta_path[:] = [finder]
    try:
        yield
    finally:
        at = sys.meta_path.index(finder) if finder in sys.meta_path else len(sys.meta_path)
        sys.meta_path[at : at + 1] = before  # between finders that a package added


class _Finder(Protocol):
    """What stands in `sys.meta_path`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = ..., /
    ) -> ModuleSpec | None: ...


class _Apart(MetaPathFinder):
    """Asks other finders, and takes no module that lies in the checkout."""

    def __init__(self, root: Path, finders: Sequence[_Finder]) -> None:
        self._root = root.resolve()
        self._finders = finders

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module where it is installed; None where it is not."""
        for finder in self._finders:
            where = self._path if path is None and finder is PathFinder else path
            spec = finder.find_spec(fullname, where, target)
            if spec is not None and not any(map(self._in_checkout, _places(spec))):
                return spec
        return None

    @cached_property
    def _path(self) -> list[str]:
        """The folders of `sys.path` that do not lie in the checkout; an empty entry is the current folder."""
        return [entry for entry in sys.path if not self._in_checkout(entry or ".")]

    def _in_checkout(self, place: str) -> bool:
        if not place:
            return False
        real = Path(place).resolve()
        return real.is_relative_to(self._root) and not any(real.is_relative_to(own) for own in self._apart)

    @cached_property
    def _apart(self) -> tuple[Path, ...]:
        folders = (*_folders(), *(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib")))
        return (Path(__file__).resolve().parent, *(Path(folder).resolve() for folder in folders))


def _refuse_elsewhere(name: str, top: str, code: str) -> None:
    """Refuses a package that would not come from where packages are installed.

    Looking a top-level package up imports nothing.
    """
    spec = importlib.util.find_spec(top)
    if spec is None:
        raise InputError(code, f"`{name}` is not installed: there is no package `{top}`")
    if not all(_is_installed(place) for place in _places(spec) or [""]):
        message = f"`{name}` is not installed: `{top}` would be imported from elsewhere"
        raise InputError(code, message, "install the package, and not in editable mode")


def _places(spec: ModuleSpec) -> list[str]:
    """Where a package's code would come from; a namespace has several places, a built-in module none."""
    places = list(spec.submodule_search_locations or [])
    return places + ([spec.origin] if spec.has_location and spec.origin else [])


def _is_installed(place: str) -> bool:
    real = Path(place).resolve()
    return bool(place) and any(real.is_relative_to(Path(folder).resolve()) for folder in _folders())


def _folders() -> set[str]:
    """Where packages are installed."""
    paths = sysconfig.get_paths()
    return {*site.getsitepackages(), site.getusersitepackages(), paths["purelib"], paths["platlib"]}


def _code_files(module: ModuleType) -> Iterator[str]:
    if not hasattr(module, "__path__"):
        yield str(module.__file__)
        return
    for folder in module.__path__:
        yield from (str(path) for path in Path(folder).rglob("*.py"))
