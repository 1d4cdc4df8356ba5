"""Where a claim's value comes from: exactly one of evidence, a derivation, a report from elsewhere."""

from __future__ import annotations

import re

from stilltrue import files
from stilltrue.claims import keys, mappings
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, clip, placed
from stilltrue.claims.reads import read_reads
from stilltrue.days import is_day
from stilltrue.errors import InputError
from stilltrue.model import DeriveSource, EvidenceSource, ReportedSource, Source
from stilltrue.quantity import Units

_URL = re.compile(r"https?://[^\s/?#\"'<>\\]+[^\s\"'<>\\]*", re.IGNORECASE)


def read_source(claim: Mapping, units: Units, folder: str) -> Source:
    """The one source of a claim whose keys are known and of the right shape.

    Args:
        claim: The claim's mapping.
        units: The known units.
        folder: The folder of the file the claim is written in, from the root; for `./` paths.

    Raises:
        InputError: There is no source, or parts of two, or something in it is wrong; its line is filled in.
    """
    entries = claim.entries
    reported, derive = entries.get("reported"), entries.get("derive")
    evidence, read = entries.get("evidence"), entries.get("read")
    if type(reported) is Mapping:
        _alone(entries)
        return _reported(reported)
    if evidence is None and read is None:
        if type(derive) is Scalar:
            return DeriveSource(derive.text)
        hint = "give `evidence` and `read`, or `derive`, or `reported`"
        message = "the claim does not say where its value comes from"
        raise InputError("no-source", message, hint, line=claim.line)
    if evidence is None:
        raise _missing("evidence", "read", entries)
    if type(read) is not Mapping:
        raise _missing("read", "evidence", entries)
    return _evidence(evidence, read, derive, units, folder)


def _evidence(
    evidence: Node, read: Mapping, derive: Node | None, units: Units, folder: str
) -> EvidenceSource:
    reads = read_reads(read, units)
    expression = derive.text if type(derive) is Scalar else ""
    unnamed = reads[0][0] == ""
    if unnamed and type(derive) is Scalar:
        message = "`derive` beside `evidence` needs reads with names"
        hint = "write `read: {after: {…}, before: {…}}`, or leave `derive` out"
        raise InputError("bad-read", message, hint, line=derive.line)
    if not unnamed and not expression:
        names = " / ".join(name for name, _ in reads)
        message = "reads with names need a `derive` over them"
        raise InputError("missing-key", message, f"add `derive: {names}`", line=read.line)
    return EvidenceSource(paths(evidence, folder), reads, expression)


def _alone(entries: dict[str, Node]) -> None:
    for other in ("evidence", "read", "derive"):
        if other in entries:
            message = f"`{other}` stands beside `reported`, and a claim has one source"
            raise InputError("two-sources", message, "keep one of them", line=entries[other].line)


def _missing(name: str, there: str, entries: dict[str, Node]) -> InputError:
    message = f"`{name}` is missing beside `{there}`"
    example = _read_example(entries[there]) if name == "read" else keys.KEYS[name].example
    return InputError("missing-key", message, f"add `{example}`", line=entries[there].line)


def _read_example(evidence: Node) -> str:
    """A `read` of the shape that the evidence's name suggests."""
    name = evidence.text if type(evidence) is Scalar else ""
    shape = next((key for key, suffixes in _SHAPES.items() if name.endswith(suffixes)), "match")
    return f"read: {{{keys.READ_KEYS[shape].example}}}"


_SHAPES = {"path": (".json", ".jsonl", ".yml", ".yaml", ".toml"), "column": (".csv", ".tsv")}


def paths(node: Node, folder: str) -> tuple[str, ...]:
    """Paths or globs from the root; `./` ones start at `folder`.

    Raises:
        InputError: One cannot be a path; its line is filled in.
    """
    if type(node) is Sequence:
        return tuple([_pattern(item, folder) for item in node.items])
    return (_pattern(node, folder),)


def _pattern(node: Node, folder: str) -> str:
    if type(node) is not Scalar:
        return ""
    try:
        return files.join(folder, node.text)
    except InputError as error:
        raise placed(error, node) from None


def _reported(node: Mapping) -> ReportedSource:
    mappings.check(node, keys.REPORTED_KEYS, "reported")
    entries = node.entries
    return ReportedSource(text(entries, "by"), date(entries.get("on")), _url(entries.get("url")))


def text(entries: dict[str, Node], name: str) -> str:
    """The text of a key, empty where the key is left out."""
    node = entries.get(name)
    return node.text if type(node) is Scalar else ""


def date(node: Node | None) -> str:
    """A day as written, empty where it is left out.

    Raises:
        InputError: It is no day of the calendar, or not written YYYY-MM-DD.
    """
    if type(node) is not Scalar:
        return ""
    if is_day(node.text):
        return node.text
    message = f"`{clip(node.text)}` is no date"
    raise InputError("bad-date", message, "write it YYYY-MM-DD, like 2026-08-24", line=node.line)


def _url(node: Node | None) -> str:
    if type(node) is not Scalar:
        return ""
    if not _URL.fullmatch(node.text):
        message = f"`{clip(node.text)}` is no http or https address"
        raise InputError("bad-url", message, "begin it with `https://`, or leave `url` out", line=node.line)
    return node.text
