"""`stilltrue pages`: the generated pages, as stubs, and the generated files, written into a docs folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stilltrue.check import check
from stilltrue.config import Config
from stilltrue.errors import InputError, UsageError
from stilltrue.model import Report
from stilltrue.site.generated import LISTING
from stilltrue.site.placed import is_placed, listing, placed_names, same_content
from stilltrue.site.plan import Plan, plan
from stilltrue.site.stubs import stub
from stilltrue.transaction import refuse_unwritable, write_all
from stilltrue.workspace import unwritable


@dataclass(frozen=True, slots=True)
class Placed:
    """What was done in a docs folder.

    Attributes:
        report: What checking the project came to.
        written: The files that were written, from the repository's root.
        same: How many were there already as they are.
        removed: Files of an earlier run that nothing asks for any more.
    """

    report: Report
    written: tuple[str, ...]
    same: int
    removed: tuple[str, ...]


def place(project: Config, docs: str) -> Placed:
    """Write the generated pages and files of a project into its docs folder.

    Args:
        project: The project.
        docs: The folder, from the repository's root; empty for the root.

    Raises:
        UsageError: It is no folder inside the project, files would be written among claims or evidence, or
            there is nothing to check.
        InputError: `page-taken`: a file of the author's has the name of a generated one; nothing is written.
            `unwritable`: a file cannot be written; all are as they were.
    """
    inside = _folder(project, docs)
    report = check(project)
    folder = project.root / inside
    wanted = _contents(plan(project, report, inside))
    _refuse_among_evidence(project, inside, wanted)
    earlier = {*(name for name in placed_names(folder) if is_placed(folder / name)), LISTING}
    _refuse_taken(project.root, inside, wanted, earlier)
    changed = {
        inside + name: content
        for name, content in wanted.items()
        if not _holds(project.root / inside / name, content)
    }
    unwanted = [inside + name for name in sorted(earlier - set(wanted))]
    removed = tuple(path for path in unwanted if _remove(project.root, path))
    if changed:
        write_all(project.root, changed)
    return Placed(report, tuple(changed), len(wanted) - len(changed), removed)


def _folder(project: Config, docs: str) -> str:
    """The folder with a `/` at its end; empty for the root."""
    real = Path(os.path.realpath(project.root / docs))
    if not real.is_dir():
        raise UsageError(f"there is no folder `{docs}`", "name the folder of the site's pages", place=docs)
    if real != project.root and not real.is_relative_to(project.root):
        raise UsageError(
            f"`{docs}` lies outside the project, {project.root}",
            "name the folder of the site's pages",
            place=docs,
        )
    inside = real.relative_to(project.root).as_posix()
    return "" if inside == "." else f"{inside}/"


def _contents(planned: Plan) -> Mapping[str, bytes | Path]:
    """What each file in the docs folder is to hold."""
    state = planned.state()
    wanted: dict[str, bytes | Path] = {
        source: stub(source, page.title, state, searched=page.searched).encode()
        for source, page in planned.pages.items()
    }
    wanted.update(planned.files)
    wanted[LISTING] = listing(wanted)
    return wanted


def _refuse_among_evidence(project: Config, docs: str, wanted: Iterable[str]) -> None:
    """Holds that nothing is written where claims, evidence or a tool's own files lie: globs would find it."""
    kept = (project.evidence, ".stilltrue", ".git")
    for name in wanted:
        path = docs + name
        among = next((folder for folder in kept if path.startswith(f"{folder}/")), "")
        if among or path.rpartition("/")[0] == project.claims:
            raise UsageError(
                f"`{path}` would be written into the folder `{among or project.claims}`",
                "name the folder of the site's pages, and keep evidence out of its `evidence/`",
                place=docs.rstrip("/"),
            )


def _refuse_taken(root: Path, docs: str, wanted: Mapping[str, bytes | Path], earlier: set[str]) -> None:
    for name, content in wanted.items():
        path = root / docs / name
        if name not in earlier and os.path.lexists(path) and not _holds(path, content):
            raise InputError(
                "page-taken",
                "this file has the name of a generated one, and `stilltrue pages` did not write it",
                "give it another name, or remove it",
                path=docs + name,
            )


def _holds(path: Path, content: bytes | Path) -> bool:
    """Whether a file is there as it should be; a link to one is not."""
    return not path.is_symlink() and same_content(path, content)


def _remove(root: Path, path: str) -> bool:
    """Remove a file of an earlier run, and the folders that it leaves empty; says whether it was there."""
    if not (root / path).is_file():
        return False
    refuse_unwritable(root, path)
    try:
        (root / path).unlink()
    except OSError as error:
        raise unwritable(path, error) from None
    for folder in Path(path).parents[:-1]:
        try:
            (root / folder).rmdir()
        except OSError:  # it holds more
            break
    return True
