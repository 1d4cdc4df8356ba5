"""The probes that a site has pages for: what each says of itself, and what rests on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.files import resolve
from stilltrue.model import Probe, Report
from stilltrue.probes import find_probes, read_header
from stilltrue.site.script import Script, read_script


@dataclass(frozen=True, slots=True)
class Entry:
    """A probe.

    Attributes:
        path: The script, from the repository's root.
        real: The same, in the file system.
        script: The script as it is written.
        header: What its header says, or why that cannot be known.
    """

    path: str
    real: Path
    script: Script
    header: Probe | InputError


def entries(config: Config, report: Report) -> Mapping[str, Entry]:
    """The probes of a project by path: the scripts whose header says so, and those that records name.

    A script that is no longer there, or whose name is no UTF-8, has no page.
    """
    recorded = {record.probe for record in report.provenance.values()}
    known = sorted({*find_probes(config.root), *recorded} - {""})
    found = ((path, _entry(config, path)) for path in known)
    return {path: entry for path, entry in found if entry is not None}


def _entry(config: Config, path: str) -> Entry | None:
    try:
        path.encode()
        real = resolve(config.root, path)
        script = read_script(config.root, path)
    except (InputError, UnicodeEncodeError):
        return None
    return Entry(path, real, script, _header(config, path))


def _header(config: Config, path: str) -> Probe | InputError:
    try:
        return read_header(config.root, path, config.evidence)
    except InputError as error:
        return error
