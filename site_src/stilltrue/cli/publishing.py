"""What `stilltrue pages` and `stilltrue verify-site` do."""

from __future__ import annotations

from pathlib import Path

from stilltrue.cli.commands import report_text
from stilltrue.cli.exits import FAILED, OK
from stilltrue.cli.paths import from_root
from stilltrue.cli.streams import emit, say
from stilltrue.config import load
from stilltrue.report import escape
from stilltrue.wording import counted


def write_pages(project: str, docs: str) -> int:
    """`stilltrue pages`: 0 when they are there, whatever the claims come to.

    Args:
        project: A folder in the project.
        docs: The docs folder, from the current folder or from the root.

    Raises:
        UsageError: The configuration or the folder cannot be used, or there is nothing to check.
        InputError: A file of the author's is in the way, or one cannot be written.
    """
    from stilltrue.site.placing import place  # noqa: PLC0415  # only this command needs pages

    config = load(Path(project))
    placed = place(config, from_root(config.root, docs))
    lines = [f"{escape(path)}: written" for path in placed.written]
    lines += [f"{escape(path)}: removed, nothing asks for it any more" for path in placed.removed]
    lines.append(f"{counted(len(placed.written), 'file')} written, {placed.same:,} as they were")
    emit("".join(f"{line}\n" for line in lines))
    if not placed.report.ok:
        say("claims have come loose, and the pages say so: `stilltrue check` lists them")
    return OK


def verify_site(project: str, site: str, docs: str, form: str) -> int:
    """`stilltrue verify-site`: 0 when nothing failed and the site shows it, else 1.

    Args:
        project: A folder in the project.
        site: The folder of the built site.
        docs: The docs folder, from the current folder or from the root.
        form: `text`, `json`, `sarif` or `github`.

    Raises:
        UsageError: The configuration or a folder cannot be used, or there is nothing to check.
        InputError: A page cannot be read.
    """
    from stilltrue.site.arrived import compare_site  # noqa: PLC0415  # only this command needs pages

    config = load(Path(project))
    arrived = compare_site(config, Path(site), from_root(config.root, docs))
    emit(report_text(config.root, arrived.report, form))
    if form == "text":
        emit(f"{escape(arrived.summary)}\n")
    return OK if arrived.report.ok else FAILED
