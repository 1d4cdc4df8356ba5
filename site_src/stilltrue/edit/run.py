"""`update`: one check, then the numbers that disagree rewritten to what was found, all files or none."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
from itertools import accumulate

from stilltrue.check import check, select
from stilltrue.check.texts import decode
from stilltrue.claims import read_file
from stilltrue.claims.table_in import Untabled
from stilltrue.config import Config
from stilltrue.edit.ci import ci_variable
from stilltrue.edit.file import Edit, File, applied, encoded
from stilltrue.edit.locate import Locator, lost
from stilltrue.edit.outcome import Changed, Left, Outcome
from stilltrue.edit.verify import Verifier
from stilltrue.edit.wants import Want, doubted, wanted
from stilltrue.errors import InputError, UsageError
from stilltrue.files import PROVENANCE_SUFFIX, claims_files, read_bytes
from stilltrue.git import refuse_tracked_workspace
from stilltrue.model import BoundCopy, Claim, Judgement, Report
from stilltrue.pages.spans import Lines
from stilltrue.transaction import held, recover, refuse_unwritable, write_all

Progress = Callable[[int, int], None]


def update(
    config: Config,
    ids: Collection[str] = (),
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Outcome:
    """Rewrite the numbers that disagree with what was found, in their authors' formats.

    Args:
        config: The project.
        ids: The claims whose places are meant; all where there are none.
        dry_run: Whether to write nothing.
        progress: Told how far the judging has come.
        environ: The environment, which says whether a continuous integration runs this.

    Raises:
        UsageError: A continuous integration runs this, git tracks what is kept between runs, an id is
            unknown, or there is nothing to check.
        InputError: A file changed meanwhile, or cannot be written; then none was.
    """
    if not dry_run:
        _refuse_ci(environ)
        refuse_tracked_workspace(config.root)
        recover(config.root)
    whole = check(config, progress=progress, search=False)
    select(whole, ids)  # an id that no claim has is refused
    places = _Places(config, whole)
    for each in wanted(whole, ids):
        places.take(each)
    outcome = replace(places.outcome(), doubted=doubted(whole, ids))
    if dry_run or not places.writes:
        return outcome
    with held(config.root, tuple(places.writes)):  # nobody changes them from here on
        places.refuse_changed()
        write_all(config.root, places.writes)
    return replace(outcome, written=True)


def _refuse_ci(environ: Mapping[str, str]) -> None:
    variable = ci_variable(environ)
    if variable:
        raise UsageError(
            f"`update` rewrites nothing where `{variable}` is set: continuous integration only judges",
            "run it on your machine and commit what it changed; `--dry-run` shows it anywhere",
            code="update-in-ci",
        )


class _Places:
    """The numbers to rewrite, by file.

    Args:
        config: The project.
        report: Its check.
    """

    def __init__(self, config: Config, report: Report) -> None:
        self._config = config
        self._report = report
        self._judgements: dict[str, Judgement] = {each.claim.id: each for each in report.judgements}
        self._pages = frozenset(report.pages)
        self._sources = frozenset(claims_files(config.root, config.claims))
        self._measured = _measured(report)
        self._stated: dict[str, list[Claim]] = {}
        self._copies: dict[str, list[BoundCopy]] = {}
        for each in report.judgements:
            if each.claim.stated_in is not None:
                self._stated.setdefault(each.claim.stated_in.file, []).append(each.claim)
        for copy in report.copies:
            self._copies.setdefault(copy.place.path, []).append(copy)
        self._untabled = _untabled(config, report)
        self._wants: dict[str, list[Want]] = {}
        self._left: list[Left] = []
        self._changed: list[Changed] = []
        self._read: dict[str, bytes] = {}
        self.writes: dict[str, bytes] = {}

    def take(self, each: Want | Left) -> None:
        """Take in a number, or that it is left."""
        if isinstance(each, Left):
            self._left.append(each)
        else:
            self._wants.setdefault(each.place.path, []).append(each)

    def outcome(self) -> Outcome:
        """What becomes of all numbers; what is to be written then stands in `writes`."""
        for path, wants in self._wants.items():
            try:
                self._refuse_file(path)
                self._file(path, wants)
            except InputError as error:
                self._left += [_unwritten(want, error) for want in wants]
        return Outcome(
            tuple(sorted(self._changed, key=lambda each: each.place)),
            tuple(sorted(self._left, key=lambda each: each.place)),
            tuple(self.writes),
        )

    def refuse_changed(self) -> None:
        """Look at the files once more before they are written.

        Raises:
            InputError: `changed-meanwhile`: one is not as it was read.
        """
        for path, data in self._read.items():
            if read_bytes(self._config.root, path, self._config.limits.bytes) != data:
                raise InputError(
                    "changed-meanwhile",
                    "the file was changed while its numbers were looked up, so nothing was written",
                    "run it again",
                    path=path,
                )

    def _refuse_file(self, path: str) -> None:
        if path in self._measured or path.endswith(PROVENANCE_SUFFIX):
            raise InputError(
                "update-measured",
                f"`{path}` is evidence, or what it was measured with, and is not rewritten",
                "write the number by hand and record the evidence again, or state it elsewhere",
            )
        refuse_unwritable(self._config.root, path)

    def _file(self, path: str, wants: list[Want]) -> None:
        """What becomes of the numbers of one file.

        Raises:
            InputError: It cannot be read.
        """
        config = self._config
        data = read_bytes(config.root, path, config.limits.bytes)
        seconds = config.limits.seconds
        file = File(
            path,
            decode(data),
            config.units,
            is_page=path in self._pages,
            is_source=path in self._sources,
            untabled=self._untabled.get(path, ()),
            seconds=seconds,
        )
        stated, copies = self._stated.get(path, ()), self._copies.get(path, ())
        locator = Locator(file, config.units, stated, seconds)
        edits: list[Edit] = []
        for want in wants:
            edit = locator.edit(want)
            if isinstance(edit, Left):
                self._left.append(edit)
            else:
                edits.append(edit)
        made = self._settle(file, edits, Verifier(file, self._judgements, stated, copies, seconds))
        if made:
            self._read[path] = data
            self.writes[path] = encoded(applied(file.text, made), data)

    def _settle(self, file: File, edits: list[Edit], verifier: Verifier) -> list[Edit]:
        """The edits that are made; what is told of each of them."""
        apart, over = _apart(edits)
        made = verifier.settled(apart)
        done = {id(edit) for edit in made}
        spans = {(edit.start, edit.end, edit.text) for edit in made}
        same = [edit for edit in over if (edit.start, edit.end, edit.text) in spans]
        done.update(map(id, same))
        done.update(map(id, verifier.satisfied([edit for edit in over if id(edit) not in done], made)))
        told = _Told(file, made)
        for edit in edits:
            if id(edit) in done:
                self._changed.append(told.of(edit))
            else:
                self._left.append(lost(edit.want))
        return made


def _apart(edits: Iterable[Edit]) -> tuple[list[Edit], list[Edit]]:
    """Edits that do not overlap, and those that lie under or over one of them."""
    apart: list[Edit] = []
    over: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if apart and edit.start < apart[-1].end:
            over.append(edit)
        else:
            apart.append(edit)
    return apart, over


class _Told:
    """Tells of edits: the number, and the line on which it stands before and after.

    Args:
        file: The file as it was.
        made: The edits that were made in it.
    """

    def __init__(self, file: File, made: Iterable[Edit]) -> None:
        made = sorted(made, key=lambda edit: edit.start)
        self._starts = [edit.start for edit in made]
        self._shifts = list(accumulate((len(each.text) - each.end + each.start for each in made), initial=0))
        self._before = file.lines
        self._after = Lines(applied(file.text, made))
        self._line = cache(lambda lines, index: lines.line(index))  # thousands of edits may share one

    def of(self, edit: Edit) -> Changed:
        """What is told of an edit."""
        shift = self._shifts[bisect_left(self._starts, edit.start)]
        places = ((self._before, edit.start), (self._after, edit.start + shift))
        before, after = (self._line(lines, lines.of(at)) for lines, at in places)
        return Changed(edit.want.claim.id, edit.want.place, edit.old, edit.new, before, after)


def _unwritten(want: Want, error: InputError) -> Left:
    """That a file cannot be read or written."""
    code = error.code if error.code in _OWN else "update-unwritable"
    return Left(want.claim.id, want.place, code, error.message, error.hint)


_OWN = frozenset({"update-measured"})


def _untabled(config: Config, report: Report) -> dict[str, list[Untabled]]:
    """What claims files bind of tables, by the file that holds the table."""
    found: dict[str, list[Untabled]] = {}
    blocks = {each.claim.block for each in report.judgements if each.claim.table_in is not None}
    for path in sorted({block.path for block in blocks}):
        text = decode(read_bytes(config.root, path, config.limits.bytes))
        for item in read_file(path, text, config.units)[0]:
            if isinstance(item, Untabled) and item.origin.block in blocks:
                found.setdefault(item.table_in.file, []).append(item)
    return found


def _measured(report: Report) -> frozenset[str]:
    """Every file that is evidence, or that evidence was measured with."""
    found = set(report.files)
    for record in report.provenance.values():
        found.update(each.path for each in record.code)
        found.update(each.path for each in record.inputs)
    return frozenset(found)
