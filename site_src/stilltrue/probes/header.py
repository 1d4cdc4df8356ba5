"""A probe's header, validated: from the comments of a script to a `Probe`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from stilltrue.errors import InputError, StilltrueError
from stilltrue.files import read_bytes
from stilltrue.model import Probe
from stilltrue.probes.block import Block, decoded, find_block, parse_block, required_block
from stilltrue.probes.keys import COSTS, HEADER_KEYS, NEEDS, TOP_KEYS, HeaderKey
from stilltrue.probes.paths import checked_reads, checked_writes
from stilltrue.quantity import Quantity, Units, parse_value
from stilltrue.suggest import did_you_mean

FOLDER = "probes"
"""Where a project keeps its probes, from the root."""

SCRIPT_LIMIT = 4 << 20
"""How many bytes a script may have."""

DEFAULT_TIMEOUT_S = 600.0
"""How long a probe may take that does not say."""

_LONGEST_S = 10**9
_PLANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OWN_TABLE = re.compile(r"^(?:#|//)\s*\[?\s*tool\s*\.\s*stilltrue\b", re.MULTILINE)
_SKIPPED = frozenset({"__pycache__", "node_modules"})


def read_header(root: Path, path: str, evidence: str) -> Probe:
    """What a probe's header says.

    Args:
        root: The repository's root, resolved.
        path: The script, from the root.
        evidence: The evidence folder, from the root: a probe writes nowhere else.

    Raises:
        InputError: With the script and where known the line. `no-header`: it has none; `bad-header`: it has
            one that cannot be read; `bad-writes`: its paths are not acceptable; or the script cannot be read.
    """
    try:
        block = required_block(decoded(read_bytes(root, path, SCRIPT_LIMIT)))
        return _Reader(block).probe(root, path, evidence)
    except InputError as error:
        error.path = path
        raise


def find_probes(root: Path) -> tuple[str, ...]:
    """The scripts below `probes/` that have a header of ours, whole or broken, sorted.

    Hidden files and folders and links are left out, as are files that cannot be read.
    """
    return tuple(sorted(path for path in _scripts(root, FOLDER) if _is_probe(root, path)))


def _scripts(root: Path, folder: str) -> Iterator[str]:
    try:
        entries = list(os.scandir(root / folder))
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _SKIPPED:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _scripts(root, f"{folder}/{entry.name}")
        elif entry.is_file(follow_symlinks=False):
            yield f"{folder}/{entry.name}"


def _is_probe(root: Path, path: str) -> bool:
    try:
        data = read_bytes(root, path, SCRIPT_LIMIT)
        if b"stilltrue" not in data or b"/// script" not in data:
            return False
        text = decoded(data)
    except InputError:
        return False
    try:
        block = find_block(text)
        tool = parse_block(block).get("tool") if block else None
        return isinstance(tool, dict) and "stilltrue" in tool
    except InputError:
        return _OWN_TABLE.search(text) is not None


class _Reader:
    """Reads one header, strictly."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.top = parse_block(block)

    def probe(self, root: Path, path: str, evidence: str) -> Probe:
        """The header as a value."""
        self._only_known(self.top, TOP_KEYS, "")
        table = self._own_table()
        self._only_known(table, tuple(HEADER_KEYS), "in `[tool.stilltrue]`")
        if "writes" not in table:
            raise self._fail("`writes` is missing in `[tool.stilltrue]`", _add("writes"), "stilltrue")
        with self._at("writes"):
            writes = checked_writes(root, self._texts(table, "writes"), evidence)
        if not writes:
            raise self._fail("`writes` is an empty list", _add("writes"), "writes")
        with self._at("reads"):
            reads = checked_reads(self._texts(table, "reads"), writes)
        return Probe(
            path=path,
            writes=writes,
            reads=reads,
            needs=self._words(table, "needs", tuple(NEEDS)),
            cost=self._cost(table),
            timeout_s=self._timeout(table),
            plants=self._plants(table),
            dependencies=self._dependencies(),
            requires_python=self._requires_python(),
        )

    def _fail(self, message: str, hint: str, key: str = "") -> InputError:
        return InputError("bad-header", message, hint, line=self._line(key))

    def _line(self, key: str) -> int:
        """The line of the script on which a key stands; where it is not found, the header's first."""
        pattern = re.compile(rf"[\s\[\"']*(?:tool\s*\.\s*)?(?:stilltrue\s*\.\s*)?[\"']?{re.escape(key)}\b")
        lines = self.block.toml.split("\n")
        return self.block.line + next((n for n, line in enumerate(lines) if key and pattern.match(line)), 0)

    def _at(self, key: str) -> _Placed:
        return _Placed(self._line(key))

    def _only_known(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        for key in table:
            if key in known:
                continue
            near = did_you_mean(key, known)
            if not near and not where and key in HEADER_KEYS:
                near = f"`{key}` belongs below `[tool.stilltrue]`"
            listed = "known keys are " + ", ".join(f"`{each}`" for each in known)
            raise self._fail(f"unknown key `{key}` {where or 'in the header'}", near or listed, key)

    def _own_table(self) -> Mapping[str, Any]:
        tool = self.top.get("tool", {})
        if not isinstance(tool, dict):
            raise self._fail("`tool` must be a table", "write `[tool.stilltrue]`", "tool")
        if "stilltrue" not in tool:
            raise InputError(
                "no-header",
                "the header has no `[tool.stilltrue]`, so nothing says what the script writes",
                f"add it, with {_add('writes')[4:]}",
                line=self.block.line,
            )
        table = tool["stilltrue"]
        if not isinstance(table, dict):
            raise self._fail("`tool.stilltrue` must be a table", "write `[tool.stilltrue]`", "stilltrue")
        return table

    def _texts(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        """The value of a key that is a text or a list of them, in the order written."""
        value = table.get(key, [])
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            kind = HEADER_KEYS[key].kind
            raise self._fail(f"`{key}` must be a {kind}, as text in quotes", _write(HEADER_KEYS[key]), key)
        return tuple(items)

    def _words(self, table: Mapping[str, Any], key: str, known: Sequence[str]) -> tuple[str, ...]:
        words = self._texts(table, key)
        for word in words:
            if word not in known:
                listed = "known are " + ", ".join(f"`{each}`" for each in known)
                hint = did_you_mean(word, known) or listed
                raise self._fail(f"`{word}` is nothing that `{key}` knows", hint, key)
        return tuple(dict.fromkeys(words))

    def _cost(self, table: Mapping[str, Any]) -> str:
        cost = table.get("cost", "slow")
        if cost not in COSTS:
            near = did_you_mean(cost, COSTS) if isinstance(cost, str) else ""
            raise self._fail(
                "`cost` is neither `cheap` nor `slow`", near or _write(HEADER_KEYS["cost"]), "cost"
            )
        return str(cost)

    def _timeout(self, table: Mapping[str, Any]) -> float:
        """Seconds; a bare number has no unit and is refused."""
        value = table.get("timeout")
        if value is None:
            return DEFAULT_TIMEOUT_S
        wrong = self._fail(
            "`timeout` must be a time with its unit, as text in quotes",
            _write(HEADER_KEYS["timeout"]),
            "timeout",
        )
        if not isinstance(value, str):
            raise wrong
        try:
            amount = parse_value(value, Units.default())
        except StilltrueError:
            raise wrong from None
        if not isinstance(amount, Quantity) or amount.unit.dimension != (("time", 1),) or amount.base <= 0:
            raise wrong
        return float(min(amount.base, Fraction(_LONGEST_S)))

    def _plants(self, table: Mapping[str, Any]) -> tuple[str, ...]:
        names = self._texts(table, "plant")
        for name in names:
            if not _PLANT.fullmatch(name):
                hint = "use letters, digits, hyphens and dots: it is given as `--plant NAME`"
                raise self._fail(f"`{name}` is no name for a plant", hint, "plant")
        return tuple(dict.fromkeys(names))

    def _dependencies(self) -> tuple[str, ...]:
        items = self.top.get("dependencies", [])
        hint = 'write `dependencies = ["numpy>=2.0"]`'
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise self._fail("`dependencies` must be a list of requirements", hint, "dependencies")
        for item in items:
            if not _is_requirement(item):
                raise self._fail(f"`{item}` is no requirement", hint, "dependencies")
        return tuple(items)

    def _requires_python(self) -> str:
        text = self.top.get("requires-python", "")
        if isinstance(text, str) and _is_specifier(text):
            return text
        hint = 'write `requires-python = ">=3.11"`'
        raise self._fail("`requires-python` must be a version specifier", hint, "requires-python")


def _is_requirement(text: str) -> bool:
    """Whether a text is a requirement that what is installed can be held against."""
    from packaging.requirements import Requirement  # noqa: PLC0415  # few checks need it

    try:
        wanted = Requirement(text)
        if wanted.marker is not None:
            wanted.marker.evaluate({"extra": ""})
    except ValueError:  # none, or one with a number of thousands of digits
        return False
    return _is_specifier(str(wanted.specifier))


def _is_specifier(text: str) -> bool:
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415  # as above

    try:
        for each in SpecifierSet(text):
            each.contains("0")
    except ValueError:  # as above
        return False
    return True


class _Placed:
    """Gives an InputError that is raised inside it a line."""

    def __init__(self, line: int) -> None:
        self.line = line

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InputError):
            error.line = self.line


def _write(key: HeaderKey) -> str:
    return f"write `{key.example}`"


def _add(key: str) -> str:
    return f"add `{HEADER_KEYS[key].example}`"
