"""Runs a Python script as `__main__`, and writes down which modules it loaded, from which files.

A program of its own, under the interpreter of `stilltrue`, standard library alone:

    python runner.py REPORT SCRIPT [ARGUMENT]…

Nothing is imported but what every Python has loaded, so that a module beside the script that is named like
one of the standard library's does for the script what it does without this program.
"""

import os
import sys


def main(report: str, script: str) -> None:
    """Runs `script` as Python itself would; `sys.argv` is already its own.

    Args:
        report: Where the modules go when the interpreter ends in the regular way: name and file by turns,
            each ended by a NUL.
        script: The script, from the current folder.
    """
    import atexit  # noqa: PLC0415  # built in; kept out of what this module shows
    import builtins  # noqa: PLC0415

    path = os.path.abspath(script)  # noqa: PTH100  # pathlib is not loaded yet, here and below
    # Installed packages have hooks that every Python runs, needed or not.
    hooks = {name for name in sys.modules if name.startswith("_")}
    atexit.register(_write, report, os.getpid(), hooks)
    sys.excepthook = _without_own_frames
    module = type(sys)("__main__")
    module.__file__ = path
    module.__loader__ = type(globals()["__loader__"])("__main__", path)  # that of source files
    module.__dict__.update(__builtins__=builtins, __cached__=None)
    sys.modules["__main__"] = module
    with open(path, "rb") as file:  # noqa: PTH123
        code = compile(file.read(), path, "exec", dont_inherit=True)
    exec(code, module.__dict__)  # noqa: S102  # this is what the program is for


def _write(report: str, process: int, hooks: set[str]) -> None:
    """Writes the modules' names and files; not in a process that was forked from this one."""
    if os.getpid() != process:
        return
    with open(f"{report}.new", "wb") as out:  # noqa: PTH123
        for name, module in list(sys.modules.items()):
            if name not in hooks:
                out.write(_entry(name, module))
    os.replace(f"{report}.new", report)  # noqa: PTH105


def _entry(name: object, module: object) -> bytes:
    """A module's name and file; nothing for what has no file, or is no module at all.

    Looked up past `__getattr__` and `__getattribute__`: some packages put objects there that import something
    when they are asked for anything, or that fail.
    """
    try:
        path = object.__getattribute__(module, "__dict__").get("__file__")
        if not isinstance(name, str) or not isinstance(path, str) or "\0" in name + path:
            return b""
        return os.fsencode(f"{name}\0{path}\0")
    except (AttributeError, TypeError, UnicodeEncodeError):
        return b""


def _without_own_frames(kind: type[BaseException], error: BaseException, _trace: object) -> None:
    """Shows an error as Python does, without the frames of this file."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    error.__traceback__ = frames
    sys.__excepthook__(kind, error, frames)


if __name__ == "__main__":
    _report, _script = sys.argv[1:3]
    del sys.argv[0:2]
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(_script))  # noqa: PTH120  # as in `main`
    main(_report, _script)
