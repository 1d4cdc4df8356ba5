"""Lock files of uv, poetry, pdm, pip, pipenv, npm, Cargo and conda: one row for each package and version."""

from __future__ import annotations

from collections.abc import Iterable

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.lock_files import json_locks, text_locks, toml_locks
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_KIND = "a lock file"
_COLUMNS: dict[str, str | Kind] = {
    **dict.fromkeys(("name", "version", "asked", "source", "source_kind", "groups", "markers"), Kind.TEXT),
    "optional": Kind.FLAG,
    "path": Kind.TEXT,
}
_HEAD = 1 << 16


def _recognises(head: bytes) -> bool:
    return (
        toml_locks.recognises(head)
        or json_locks.recognises(head)
        or text_locks.recognises_conda(head)
        or text_locks.recognises_pip(head)
    )


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    rows = list(_rows(content, deadline))
    if not rows:
        raise other_format(_KIND, "it names no package")
    return (build(rows, _COLUMNS, units, line=rows[0].line),)


def _rows(content: Content, deadline: Deadline) -> Iterable[Row]:
    head = content.plain[:_HEAD]
    if toml_locks.recognises(head):
        return toml_locks.rows(content.text, deadline, _KIND)
    if json_locks.recognises(head):
        return json_locks.rows(content.text, deadline, _KIND)
    if text_locks.recognises_conda(head):
        return text_locks.conda_rows(content.text, deadline)
    if head.lstrip().startswith((b"{", b"[")):
        raise other_format(_KIND, "it is neither npm's nor pipenv's")
    return text_locks.pip_rows(content.text, deadline)


LOCK_FILE = Reader(
    means=(
        "lock files: `uv.lock`, `poetry.lock`, `pdm.lock`, `pylock.toml`, `Cargo.lock`, `package-lock.json`, "
        "`Pipfile.lock`, requirements and constraints of pip, `pip freeze`, `conda list`, also `--explicit`"
    ),
    content=(
        "has `[[package]]` with a name, `lockfileVersion`, `pipfile-spec`, `@EXPLICIT`, or requirements "
        "alone, and one of them pinned"
    ),
    rows="one package at one version and place; of requirements one line",
    columns=_COLUMNS,
    traps=(
        (
            "A version is text: `2.10` is not `2.1`, and `2.6` not `2.6.0`. State it with a letter where it "
            "has one point alone: `column: \"'v' || version\"` agrees with `v2.10`."
        ),
        (
            "A package can stand at several versions: for several machines (`markers`), or below other "
            "packages (`path` of npm). `take: only` refuses, and says where."
        ),
        (
            "`name` is as written: pip and early poetry keep `PyYAML`, uv writes `pyyaml`. Compare "
            "`lower(name)`."
        ),
        (
            "The project itself is a package in `uv.lock`, `Cargo.lock` and `package-lock.json`: "
            "`source_kind` is `editable`, `virtual`, `project` or empty, and a `count` counts it."
        ),
        (
            "Of requirements, `version` is what `==` names alone, and `asked` what is written: `>=2.0,<3` "
            "pins nothing. Files that `-r` and `-c` include are evidence of their own."
        ),
        "npm's version 2 holds each package twice; `packages` alone is read, as in version 3.",
        (
            "A last line without its end may be cut, and breaks every read that does not leave it out by its "
            "line; a list that is cut between two lines cannot be told from a whole one."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
)
