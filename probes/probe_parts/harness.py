"""A reader's own training step, named on the command line as `module:function`; no probe itself.

The function takes nothing and returns a mapping. Each of its names but `about` has a maker: a function that
takes a width (tokens in the sequence of one step) and returns the step, a function of no arguments that takes
one whole training step of that width on a batch that is already there. A step may return its loss. `about` is
a mapping of what the run resolved to (model, attention backend, batch, precision), kept beside the times.

    def harness():
        trainer = my_trainer()
        return {"step": lambda width: (lambda: trainer.training_step(batches[width])), "about": {"batch": 1}}
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

Step = Callable[[], object]
"""One whole training step; what it returns is its loss, or of no interest."""

Maker = Callable[[int], Step]
"""Takes a width, makes a step."""

STEP = "step"
"""The name that must be there: the plain step, without padding."""

ABOUT = "about"
"""The name that has a mapping of facts and no maker."""

_REFERENCE = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<function>[^\W\d]\w*)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HERE = Path(__file__).resolve().parent
_MOST_NAMED = 12
"""So many functions are named in a message; a library has thousands."""


@contextlib.contextmanager
def apart_from_evidence() -> Iterator[None]:
    """What runs inside and prints does so on standard error: Python, other processes, libraries in C.

    Raises:
        SystemExit: It was interrupted.
    """
    kept = _to_standard_error()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except KeyboardInterrupt:
        print("interrupted: nothing was written", file=sys.stderr, flush=True)
        raise SystemExit(128 + signal.SIGINT) from None
    finally:
        if kept is not None:
            os.dup2(kept, 1)
            os.close(kept)


def _to_standard_error() -> int | None:
    """Let the descriptor of standard output lead to that of standard error; where it led; None: nowhere."""
    try:
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # one of them is closed: there is nothing to keep apart
        return None
    return kept


def load(reference: str) -> dict[str, Maker]:
    """The makers of the harness that `reference` names, `step` among them.

    Raises:
        SystemExit: There is no such harness, or it is none: place, what is wrong, what to do.
    """
    return makers_of(reference, offered(reference))


def offered(reference: str) -> Mapping[object, object]:
    """What the function that `reference` names returns: a mapping of which nothing else is known yet.

    Raises:
        SystemExit: It cannot be imported or called, or returns something else.
    """
    match = _REFERENCE.fullmatch(reference)
    if not match:
        raise SystemExit(
            f"--harness {reference}: is no module and function; write `module:function`, as in "
            "`my_run:harness` for `def harness()` in my_run.py"
        )
    module = _imported(reference, match["module"])
    function = getattr(module, match["function"], None)
    if not callable(function):
        what = "has no function" if function is None else "is no function:"
        there = ", ".join(_functions(module)) or "none"
        raise SystemExit(f"{reference}: {module.__name__} {what} `{match['function']}`; it has: {there}")
    try:
        found = function()
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a reader's code may raise anything
        raise SystemExit(f"{reference}: calling it raised {_told(error)}") from None
    if not isinstance(found, Mapping):
        raise SystemExit(
            f"{reference}: returned {_kind(found)} and no mapping; return one of names to makers: "
            '{"step": lambda width: (lambda: one_step(batches[width]))}'
        )
    return found


def makers_of(reference: str, found: Mapping[object, object]) -> dict[str, Maker]:
    """The makers in what a harness returned.

    Raises:
        SystemExit: A name is no word, what it has cannot be called, or there is no `step`.
    """
    makers: dict[str, Maker] = {}
    for name, maker in _entries(reference, found):
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise SystemExit(f"{reference}: the name {name!r} is no word; write it in letters, digits and _")
        if name == ABOUT:
            continue
        if not callable(maker):
            raise SystemExit(
                f"{reference}: `{name}` has {_kind(maker)} and no maker; give it a function that takes a "
                "width and returns a step"
            )
        makers[name] = maker
    if STEP not in makers:
        there = ", ".join(makers) or "nothing"
        raise SystemExit(f"{reference}: offers {there}, and no `step`; name the maker of the plain step so")
    return makers


def _entries(reference: str, found: Mapping[object, object]) -> list[tuple[object, object]]:
    """The items of a mapping of any make."""
    try:
        return list(found.items())
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a reader's code may raise anything
        raise SystemExit(f"{reference}: reading what it returned raised {_told(error)}") from None


def about_of(reference: str, found: Mapping[object, object]) -> Mapping[object, object]:
    """What a harness says of the run; empty where it says nothing.

    Raises:
        SystemExit: It is no mapping, or JSON cannot hold it.
    """
    about = dict(_entries(reference, found)).get(ABOUT, {})
    if not isinstance(about, Mapping):
        raise SystemExit(f"{reference}: `about` is {_kind(about)}; give it a mapping of names to facts")
    try:
        json.dumps(about, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise SystemExit(f"{reference}: `about` is not for JSON: {error}; give text and numbers") from None
    return about


def make(reference: str, name: str, maker: Maker, width: int) -> Step:
    """A step of `width`, which says on an error which of the harness's steps it was.

    Raises:
        SystemExit: The maker raises or makes no step; later, the step raises.
    """
    place = f"{reference}: `{name}` at width {width:,}"
    try:
        step = maker(width)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a reader's code may raise anything
        raise SystemExit(f"{place}: making the step raised {_told(error)}") from None
    if not callable(step):
        raise SystemExit(
            f"{place}: the maker returned {_kind(step)} and no step; it takes the width, and returns a "
            "function of no arguments that takes one step"
        )

    def guarded() -> object:
        try:
            returned = step()
        except (Exception, SystemExit) as error:  # noqa: BLE001  # as above
            raise SystemExit(f"{place}: the step raised {_told(error)}") from None
        if inspect.isawaitable(returned) or inspect.isgenerator(returned):
            if not isinstance(returned, Awaitable) or inspect.iscoroutine(returned):
                returned.close()  # or Python complains that nobody has run it
            raise SystemExit(
                f"{place}: the step returned {_kind(returned)}, which has not run yet; let it take the "
                "whole step before it returns"
            )
        return returned

    return guarded


def _imported(reference: str, name: str) -> ModuleType:
    """The module `name`, the current folder's before one elsewhere."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise SystemExit(
                f"{reference}: there is no module `{error.name}` in the current folder or on PYTHONPATH; "
                "run from the folder that holds it, or set PYTHONPATH to that folder"
            ) from None
        raise SystemExit(f"{reference}: importing it raised {_told(error)}") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a reader's code may raise anything
        raise SystemExit(f"{reference}: importing it raised {_told(error)}") from None


def _functions(module: ModuleType) -> list[str]:
    """Functions that a module defines itself, for a message."""
    named = vars(module).items()
    own = [f"`{n}`" for n, f in named if callable(f) and getattr(f, "__module__", "") == module.__name__]
    return own[:_MOST_NAMED] + (["others"] if len(own) > _MOST_NAMED else [])


def _told(error: BaseException) -> str:
    """An error of a reader's code on one line: what, and the line of code that it came from."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).parent != _HERE]
    own = [f for f in frames if "site-packages" not in f.filename and not f.filename.startswith("<")]
    at = f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
    try:
        first = (str(error).strip().splitlines() or [""])[0]
    except Exception:  # noqa: BLE001  # an error of a reader's own may fail at saying what it is
        first = "an error that cannot say what it is"
    if isinstance(error, SystemExit):
        return f"an exit ({first or 0}){at}; a harness must not parse the command line or end the program"
    return f"{type(error).__name__}: {first}{at}; mend it there, then run the probe again"


def _kind(found: object) -> str:
    """What something is, for a message."""
    return "nothing (None)" if found is None else f"a value of type {type(found).__name__}"
