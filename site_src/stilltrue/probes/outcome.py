"""What became of a run: each way in which it gave no evidence is an error of its own."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Sequence
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.model import Probe
from stilltrue.probes.process import Ended
from stilltrue.probes.stage import Stage
from stilltrue.wording import counted, named

_NAMED = 5
_BLANK_LOOKED_AT = 1 << 16


def refuse_failure(probe: Probe, ended: Ended, printed: Path, most_bytes: int) -> None:
    """Raises what went wrong with a command, if something did.

    Args:
        probe: What was run.
        ended: How it ended.
        printed: The file of its standard output.
        most_bytes: How large each evidence file may be.

    Raises:
        InputError: A code that begins with `probe-`; `no-stage`: the disk is full.
    """
    if ended.why == "refused":
        raise _error(
            "probe-cannot-start",
            f"the probe cannot be started: {' '.join(ended.words)}",
            "check its executable bit, and that its first line (`#!…`) names an interpreter that is there",
        )
    if ended.stuck:
        raise _error(
            "probe-left-running",
            f"the probe has ended, and what it started could not be: {named(ended.stuck, _NAMED)}",
            "end it by hand, and let the probe wait for what it starts",
        )
    if ended.why == "timeout":
        raise _error(
            "probe-timeout",
            f"the probe ran longer than {_time(probe.timeout_s)} and was ended{_words(ended.words)}",
            "measure less, or raise `timeout` in its header",
        )
    if ended.why == "too-large":
        raise too_large(probe.writes[0], most_bytes)
    if ended.status is None:
        raise _error("probe-failed", "the process that watches the probe was killed", "run it again")
    if ended.status != 0:
        _refuse_full_disk(printed)
        raise _error("probe-failed", f"{_end(ended.status)}{_words(ended.words)}", _advice(ended.status))
    if ended.left:
        raise _error(
            "probe-left-running",
            f"the probe ended before what it had started, which was ended too: {named(ended.left, _NAMED)}",
            "let the probe wait for every process that it starts, or end it",
        )


def evidence_files(
    probe: Probe, stage: Stage, printed: Path, evidence: str, most_bytes: int
) -> dict[str, Path]:
    """The evidence that a run left, by the paths in `writes`.

    Args:
        probe: What was run.
        stage: Where.
        printed: The file of its standard output.
        evidence: The evidence folder, from the root.
        most_bytes: How large each file may be.

    Raises:
        InputError: `probe-silent`, `probe-wrote-outside`, `probe-too-large`; `no-stage`: the disk is full.
    """
    first, *others = probe.writes
    _refuse_undeclared(stage.written(), first, others, evidence)
    _refuse_silence(printed, f"the probe printed nothing, and what it prints is `{first}`")
    found = {first: printed}
    for path in others:
        found[path] = _further(stage.tree, path, most_bytes)
    _refuse_full_disk(printed)
    return found


def too_large(path: str, most_bytes: int) -> InputError:
    """The error of an evidence file that grows beyond the limit."""
    return _error(
        "probe-too-large",
        f"the probe wrote more than {most_bytes:,} bytes to `{path}`",
        "let it write less, or raise `limits.bytes` in the configuration",
    )


def unseen() -> InputError:
    """The error of a Python probe that ended without telling what it had loaded."""
    return _error(
        "probe-unseen",
        "the probe ended past Python's own end, so nobody knows which modules it used",
        "end it with `sys.exit`, not with `os._exit` or by turning into another program",
    )


def _error(code: str, message: str, hint: str) -> InputError:
    return InputError(code, message, hint)


def _refuse_undeclared(written: Sequence[str], first: str, others: Sequence[str], evidence: str) -> None:
    if first in written:
        raise _error(
            "probe-wrote-outside",
            f"the probe wrote `{first}` itself, which its standard output goes to",
            "print that file, or declare another one first in `writes`",
        )
    stray = [path for path in written if path not in others]
    if not stray:
        return
    inside = [path for path in stray if path.startswith(f"{evidence}/")]
    what = (
        "that its header does not declare" if len(inside) == len(stray) else "outside its declared `writes`"
    )
    raise _error(
        "probe-wrote-outside",
        f"the probe wrote, changed or removed {counted(len(stray), 'file')} {what}: {named(stray, _NAMED)}",
        "declare evidence in `writes`, and let everything else go to a temporary folder",
    )


def _refuse_silence(file: Path, message: str) -> None:
    size = file.stat().st_size
    if size <= _BLANK_LOOKED_AT and not file.read_bytes().strip():
        raise _error(
            "probe-silent",
            message,
            "let it print the evidence on standard output, and all else on standard error",
        )


def _further(tree: Path, path: str, most_bytes: int) -> Path:
    """A further evidence file, which the probe wrote itself."""
    place = tree / path
    hint = f"let it write `{path}` from its current folder, or take it out of `writes`"
    try:
        state = place.lstat()
    except OSError:
        raise _error("probe-silent", f"the probe did not write `{path}`", hint) from None
    if not stat.S_ISREG(state.st_mode) or not place.resolve().is_relative_to(tree):
        raise _error("probe-wrote-outside", f"the probe made `{path}` something else than a file", hint)
    if state.st_size > most_bytes:
        raise too_large(path, most_bytes)
    _refuse_silence(place, f"the probe wrote nothing into `{path}`")
    return place


def _refuse_full_disk(printed: Path) -> None:
    """Not every program notices that its output was cut off."""
    disk = os.statvfs(printed)
    if (disk.f_bfree if os.geteuid() == 0 else disk.f_bavail) == 0:
        raise _error(
            "no-stage",
            "the disk with the temporary folder is full, so what the probe wrote may be cut off",
            "make room there, or let the environment variable TMPDIR name another folder",
        )


def _end(status: int) -> str:
    if status > 0:
        return f"the probe ended with exit code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"the probe was killed by {name}"


def _advice(status: int) -> str:
    if status == -signal.SIGKILL:
        return "see whether memory ran out: the system kills by this signal then"
    return "run it by hand to see why; nothing that it printed was kept"


def _words(lines: Sequence[str]) -> str:
    return f"; its last words: {' / '.join(line.strip() for line in lines)}" if lines else ""


def _time(seconds: float) -> str:
    return f"{seconds:g} s"
