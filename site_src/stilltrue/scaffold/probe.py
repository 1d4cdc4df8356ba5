"""`new probe`: a script that measures something, with a plant, and its evidence."""

from __future__ import annotations

from stilltrue.config import Config
from stilltrue.files import PROVENANCE_SUFFIX
from stilltrue.git import refuse_tracked_workspace
from stilltrue.runs import Watch, silently
from stilltrue.scaffold.made import Made, refuse_files
from stilltrue.scaffold.names import probe_name
from stilltrue.scaffold.staging import measured, staged
from stilltrue.scaffold.templates import filled
from stilltrue.transaction import held, recover, write_all


def new_probe(config: Config, name: str, *, watch: Watch = silently) -> Made:
    """Make a probe that is recorded already; its author replaces what it measures.

    Args:
        config: The project.
        name: Its name: lower-case letters, digits and hyphens.
        watch: Entered while it runs.

    Raises:
        UsageError: `bad-name`.
        InputError: `taken`, or it cannot be run, or a file cannot be written.
    """
    named = probe_name(name)
    path, evidence = f"probes/{named.module}.py", f"{config.evidence}/{named.id}.json"
    new = (path, evidence, f"{evidence}{PROVENANCE_SUFFIX}")
    refuse_tracked_workspace(config.root)
    recover(config.root)
    with held(config.root, new):
        refuse_files(config.root, new)
        files = {path: filled("probe.txt", {"evidence": evidence}).encode()}
        with staged(config, files) as stage:
            files |= measured(config, stage, path, watch)
        write_all(config.root, files)
    claim = f"stilltrue new claim {named.id}-count --page PAGE --evidence {evidence} --path '$.words'"
    note = f"bind a number to it: `{claim}`"
    return Made(new, {}, notes=(note,))
