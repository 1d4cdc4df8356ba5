"""Which probes are meant: headers read and checked against each other before anything is run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from stilltrue.config import Config
from stilltrue.errors import InputError, UsageError
from stilltrue.model import Probe
from stilltrue.probes import find_probes, read_header
from stilltrue.suggest import did_you_mean
from stilltrue.wording import named


class Chosen(NamedTuple):
    """The probes among some files, and the files that are none."""

    probes: tuple[Probe, ...]
    passed_over: tuple[str, ...]


def choose(config: Config, paths: Sequence[str]) -> Chosen:
    """The probes that some files are.

    Args:
        config: The project.
        paths: The files, from the root, each once.

    Raises:
        UsageError: `unknown-probe`: one of the files is not there.
        InputError: A header is wrong; none of the files has one; or two probes write the same file.
    """
    probes: list[Probe] = []
    without: list[InputError] = []
    for path in paths:
        try:
            probes.append(_probe(config, path))
        except InputError as error:
            if error.code != "no-header" or error.line:  # a line: something there was meant to be one
                raise
            without.append(error)
    if not probes:
        raise without[0]
    _refuse_shared_evidence(probes)
    return Chosen(tuple(probes), tuple(error.path for error in without))


def _probe(config: Config, path: str) -> Probe:
    if not (config.root / path).is_file():
        raise _unknown(config.root, path)
    try:
        return read_header(config.root, path, config.evidence)
    except InputError as error:
        error.path = path
        raise


def _unknown(root: Path, path: str) -> UsageError:
    """There is no such probe; which one may be meant."""
    known = find_probes(root)
    names = {_name(each): each for each in reversed(known)}
    near = f"did you mean `{names[_name(path)]}`?" if _name(path) in names else did_you_mean(path, known)
    hint = near or (f"the probes are {named(known)}" if known else "probes are scripts under `probes/`")
    return UsageError(f"there is no probe `{path}`", hint, code="unknown-probe")


def _name(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _refuse_shared_evidence(probes: Sequence[Probe]) -> None:
    writers: dict[str, str] = {}
    for probe in probes:
        for path in probe.writes:
            if path in writers:
                raise InputError(
                    "bad-writes",
                    f"`{path}` is written by `{writers[path]}` too",
                    "give each probe evidence of its own",
                    path=probe.path,
                )
            writers[path] = probe.path
