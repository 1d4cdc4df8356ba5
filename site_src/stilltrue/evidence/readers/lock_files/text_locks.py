"""Lists of versions in plain text: pip's requirements and constraints, `pip freeze`, and what conda lists."""

from __future__ import annotations

import re

from stilltrue.deadline import Deadline
from stilltrue.evidence.readers.building import Row
from stilltrue.evidence.readers.refusals import cut, misfit
from stilltrue.requirements import logical_lines, names_no_package, requirement

_EXPLICIT = re.compile(rb"^@EXPLICIT[ \t]*$", re.MULTILINE)
_CONDA_LIST = re.compile(rb"^# packages in environment at ", re.MULTILINE)
_CONDA_URL = re.compile(r"\S+/(?P<name>[^/\s]+)-(?P<version>[^/\s-]+)-[^/\s-]+\.(?:conda|tar\.bz2)(?:#\S*)?")
_EGG = re.compile(r"#(?:.*&)?egg=([\w.-]+)")
_EDITABLE = re.compile(r"(?:-e|--editable)(?:\s+|=)(\S+)")
_KIND = "a list of requirements"
_PACE = 1024


def recognises_conda(head: bytes) -> bool:
    """Whether a file is `conda list` or `conda list --explicit`."""
    return _EXPLICIT.search(head) is not None or _CONDA_LIST.search(head) is not None


def recognises_pip(head: bytes) -> bool:
    """Whether all lines are requirements or options, and one of them pins a version."""
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = [line for _, line in logical_lines(text[: text.rfind("\n") + 1] or text)]
    asked = [requirement(line) for line in lines if not line.startswith("-") and not names_no_package(line)]
    return all(asked) and any(one is not None and one.pins for one in asked)


def pip_rows(text: str, deadline: Deadline) -> list[Row]:
    """One row for each requirement; options such as `-r` and `--hash` are none."""
    rows: list[Row] = []
    for count, (line, whole) in enumerate(logical_lines(text)):
        if not count % _PACE:
            deadline.check()
        editable = _EDITABLE.match(whole)
        if editable is not None or names_no_package(whole):
            rows.append(Row(_from_place(editable[1] if editable else whole.split()[0]), line))
        elif not whole.startswith("-"):
            rows.append(Row(_asked(whole, line), line))
    return _ended(rows, text)


def _ended(rows: list[Row], text: str) -> list[Row]:
    """The rows, the last one at fault where no line's end follows it: its version may be cut."""
    last = text[text.rfind("\n") + 1 :].strip()
    if rows and last and not last.startswith("#"):
        rows[-1] = rows[-1]._replace(fault=cut("the row", rows[-1].line, "its line does not end", alone=True))
    return rows


def _from_place(place: str) -> dict[str, str]:
    egg = _EGG.search(place)
    return {"name": egg[1] if egg else "", "source": place}


def _asked(whole: str, line: int) -> dict[str, str]:
    one = requirement(whole)
    if one is None:
        raise misfit(line, _KIND)
    rest, _, markers = f" {one.rest}".partition(" --")[0].partition(";")
    return {
        "name": one.name,
        "version": one.pins[0] if len(one.pins) == 1 else "",
        "asked": one.asked,
        "source": rest.strip().removeprefix("@").strip(),
        "markers": markers.strip(),
    }


def conda_rows(text: str, deadline: Deadline) -> list[Row]:
    """One row for each package that conda lists, or whose address it gives."""
    rows: list[Row] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not number % _PACE:
            deadline.check()
        words = line.split()
        if words and not words[0].startswith(("#", "@")):
            rows.append(Row(_of_conda(words, number), number))
    return _ended(rows, text)


def _of_conda(words: list[str], line: int) -> dict[str, str]:
    """A package by its address (`--explicit`), or by name, version, build and channel."""
    address = _CONDA_URL.fullmatch(words[0])
    if address is not None:
        return {"name": address["name"], "version": address["version"], "source": words[0]}
    if "://" in words[0] or not 3 <= len(words) <= 4:
        raise misfit(line, "a list of conda's packages")
    return {"name": words[0], "version": words[1], "source": words[3] if len(words) == 4 else ""}
