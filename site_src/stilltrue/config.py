"""The configuration as one frozen value: `[tool.stilltrue]` of pyproject.toml, or stilltrue.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from stilltrue.errors import StilltrueError, UsageError
from stilltrue.quantity import Quantity, Units, parse_value
from stilltrue.root import OWN_FILE, SHARED_FILE, find_root, own_table, read_toml
from stilltrue.suggest import did_you_mean

_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
_FORMAT = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

_ENDLESS_S = 10**9
"""A limit on time beyond this many seconds is none."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one evidence file, or one claim's read, may cost.

    Attributes:
        seconds: How long one read may take.
        bytes: How large a file may be, unpacked.
    """

    seconds: float = 10.0
    bytes: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Except:
    """Quantities that need no claim, and why.

    Attributes:
        pages: Globs of pages, from the root.
        match: An RE2 pattern, looked for in each line: what a match touches is excepted; empty: all is.
        because: Why.
    """

    pages: tuple[str, ...]
    match: str
    because: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what pages state must be bound.

    Attributes:
        floor: The least share of the quantities, of 1; None where none is set.
        excepted: What needs no claim.
    """

    floor: Fraction | None = None
    excepted: tuple[Except, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchedFiles:
    """Which files are searched for the values of superseded claims.

    Attributes:
        files: Globs of those that are, from the root; one that is no glob is searched whatever its name.
        ignore: Globs of those that are not.
    """

    files: tuple[str, ...] = ("**",)
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """How a project is checked.

    Attributes:
        root: The repository's root, resolved.
        source: The configuration file, from the root; empty where there is none.
        pages: Globs of the pages, from the root.
        exclude: Globs of pages to leave out.
        claims: The folder whose `*.yml` files hold claims.
        evidence: The folder that evidence is kept in.
        require_provenance: Whether evidence without a record is suspect.
        severity: The verdicts that are lowered to a warning: `suspect`, `stale`, or both.
        locks: The lock files, from the root; None for those of the usual names that are there.
        limits: What one read may cost.
        units: All known units, the project's own included.
        coverage: How much of what pages state must be bound.
        search: Which files are searched for superseded values.
        preflight: The checks from outside that `preflight` knows: name and `package.module:function`.
        readers: The readers from outside: the name of the format and `package.module:READER`.
    """

    root: Path
    source: str = ""
    pages: tuple[str, ...] = ("*.md", "docs/**/*.md")
    exclude: tuple[str, ...] = ()
    claims: str = "claims"
    evidence: str = "claims/evidence"
    require_provenance: bool = False
    severity: frozenset[str] = frozenset()
    locks: tuple[str, ...] | None = None
    limits: Limits = Limits()
    units: Units = field(default_factory=Units.default)
    coverage: Coverage = Coverage()
    search: SearchedFiles = SearchedFiles()
    preflight: tuple[tuple[str, str], ...] = ()
    readers: tuple[tuple[str, str], ...] = ()


_KEYS = (
    "pages",
    "exclude",
    "claims",
    "evidence",
    "require_provenance",
    "severity",
    "locks",
    "limits",
    "units",
    "coverage",
    "search",
    "preflight",
    "readers",
)


def load(start: Path) -> Config:
    """The configuration of the project that `start` lies in; the defaults where none is written.

    Raises:
        UsageError: The configuration cannot be read, has an unknown key or a value of the wrong type.
    """
    root = find_root(start)
    own, shared = root / OWN_FILE, root / SHARED_FILE
    table = own_table(shared)
    if own.is_file():
        if table is not None:
            raise UsageError(
                f"`{OWN_FILE}` and `[tool.stilltrue]` of `{SHARED_FILE}` both configure this project",
                "keep one of them",
                code="config",
                place=OWN_FILE,
            )
        return _Reader(OWN_FILE, read_toml(own)).config(root)
    if table is not None:
        return _Reader(SHARED_FILE, table).config(root)
    return Config(root)


class _Reader:
    """Reads one configuration table, strictly."""

    def __init__(self, source: str, table: Mapping[str, Any]) -> None:
        self.source = source
        self.table = table

    def config(self, root: Path) -> Config:
        self._only_known(self.table, _KEYS, "")
        words = self._units()
        units = self._extended(words)
        default = Config(root)
        return Config(
            root=root,
            source=self.source,
            pages=self._strings("pages", default.pages),
            exclude=self._strings("exclude", default.exclude),
            claims=self._folder("claims", default.claims),
            evidence=self._folder("evidence", default.evidence),
            require_provenance=self._switch("require_provenance"),
            severity=self._lowered(),
            locks=self._locks(),
            limits=self._limits(units),
            units=units,
            coverage=self._coverage(units),
            search=self._search(),
            preflight=self._preflight(),
            readers=self._readers(),
        )

    def _fail(self, message: str, hint: str) -> UsageError:
        return UsageError(message, hint, code="config", place=self.source)

    def _only_known(self, table: Mapping[str, Any], known: tuple[str, ...], prefix: str) -> None:
        for key in table:
            if key not in known:
                near = did_you_mean(key, known)
                raise self._fail(
                    f"unknown key `{prefix}{key}` in the configuration",
                    near or f"known are {', '.join(f'`{prefix}{k}`' for k in known)}",
                )

    def _strings(self, key: str, default: tuple[str, ...], example: str = "docs/**/*.md") -> tuple[str, ...]:
        return self._globs(key, self.table.get(key, list(default)), example)

    def _globs(self, key: str, value: object, example: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            own = key.rpartition(".")[2]
            raise self._fail(f"`{key}` must be a list of strings", f'write `{own} = ["{example}"]`')
        for item in value:
            self._inside(key, item)
            name = next((name for name in item.split("/") if "**" in name.lstrip("*")), None)
            if name is not None:
                right = name.replace("**", "/**")
                raise self._fail(f"`{key}` holds `**` in the middle of a name: `{item}`", f"write `{right}`")
        return tuple(value)

    def _folder(self, key: str, default: str) -> str:
        value = self.table.get(key, default)
        if not isinstance(value, str) or not value:
            raise self._fail(f"`{key}` must be the name of a folder", f'write `{key} = "{default}"`')
        self._inside(key, value)
        return value.rstrip("/")

    def _switch(self, key: str) -> bool:
        value = self.table.get(key, False)
        if not isinstance(value, bool):
            raise self._fail(f"`{key}` must be true or false", f"write `{key} = true`")
        return value

    def _lowered(self) -> frozenset[str]:
        """The verdicts that `severity` lowers; any other is lowered for one claim, with a reason."""
        table = self.table.get("severity", {})
        if not isinstance(table, dict) or not all(level in ("fail", "warn") for level in table.values()):
            raise self._fail(
                "`severity` must be a table of verdicts, each `fail` or `warn`",
                'write `severity = {suspect = "warn", stale = "warn"}`',
            )
        self._only_known(table, ("suspect", "stale"), "severity.")
        return frozenset(name for name, level in table.items() if level == "warn")

    def _locks(self) -> tuple[str, ...] | None:
        return self._strings("locks", (), "requirements.txt") if "locks" in self.table else None

    def _inside(self, key: str, path: str) -> None:
        if "\0" in path:
            raise self._fail(f"`{key}` is no path: `{path}`", "name a path from the root")
        if path.startswith(("/", "~")) or ".." in path.split("/") or "\\" in path:
            raise self._fail(f"`{key}` leads out of the repository: `{path}`", "name a path from the root")

    def _units(self) -> dict[str, str]:
        value = self.table.get("units", {})
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            raise self._fail(
                "`units` must be a table of words", 'write `image = "noun"` or `furlong = "201.168 m"`'
            )
        return value

    def _extended(self, words: dict[str, str]) -> Units:
        try:
            return Units.default().extended(words)
        except StilltrueError as error:
            raise self._fail(f"`units`: {error.message}", error.hint) from None

    def _coverage(self, units: Units) -> Coverage:
        table = self.table.get("coverage", {})
        if not isinstance(table, dict):
            raise self._fail("`coverage` must be a table", 'write `coverage = {floor = "90 %"}`')
        self._only_known(table, ("floor", "except"), "coverage.")
        items = table.get("except", [])
        if not isinstance(items, list):
            raise self._bad_exception("`coverage.except` must be a list")
        return Coverage(self._floor(table.get("floor"), units), tuple(self._excepted(item) for item in items))

    def _floor(self, value: object, units: Units) -> Fraction | None:
        """The floor as a share of 1."""
        if value is None:
            return None
        wrong = self._fail(
            "`coverage.floor` must be a percentage from 0 to 100", 'write `coverage = {floor = "90 %"}`'
        )
        try:
            share = parse_value(value, units) if isinstance(value, str) else None
        except StilltrueError:
            raise wrong from None
        if not isinstance(share, Quantity) or share.unit.symbol != "%" or not 0 <= share.base <= 1:
            raise wrong
        return share.base

    def _excepted(self, item: object) -> Except:
        if not isinstance(item, dict):
            raise self._bad_exception("`coverage.except` must hold tables")
        self._only_known(item, ("pages", "match", "because"), "coverage.except.")
        texts = {key: item.get(key, "") for key in ("match", "because")}
        for key, text in texts.items():
            if not isinstance(text, str) or (key == "because" and not text.strip()):
                raise self._bad_exception(f"`{key}` of `coverage.except` must be a text")
        pages = self._globs("coverage.except.pages", item.get("pages"), "docs/tool/**")
        if not pages:
            raise self._bad_exception("`coverage.except.pages` names no pages")
        return Except(pages, texts["match"], texts["because"].strip())

    def _bad_exception(self, message: str) -> UsageError:
        return self._fail(message, 'write `except = [{pages = ["docs/tool/**"], because = "…"}]`')

    def _search(self) -> SearchedFiles:
        table = self.table.get("search", {})
        if not isinstance(table, dict):
            raise self._fail("`search` must be a table", 'write `search = {ignore = ["docs/archive/**"]}`')
        self._only_known(table, ("files", "ignore"), "search.")
        default = SearchedFiles()
        return SearchedFiles(
            self._globs("search.files", table.get("files", list(default.files)), "docs/**"),
            self._globs("search.ignore", table.get("ignore", []), "docs/archive/**"),
        )

    def _preflight(self) -> tuple[tuple[str, str], ...]:
        table = self.table.get("preflight", {})
        example = 'write `preflight = {checks = {disk = "our_checks.disk:look"}}`'
        if not isinstance(table, dict):
            raise self._fail("`preflight` must be a table", example)
        self._only_known(table, ("checks",), "preflight.")
        checks = table.get("checks", {})
        if not isinstance(checks, dict):
            raise self._fail("`preflight.checks` must be a table", example)
        for name, function in checks.items():
            if not isinstance(function, str) or not _FUNCTION.fullmatch(function):
                raise self._fail(f"`preflight.checks.{name}` names no function", example)
        return tuple(checks.items())

    def _readers(self) -> tuple[tuple[str, str], ...]:
        table = self.table.get("readers", {})
        example = 'write `readers = {our-log = "our_readers.log:READER"}`'
        if not isinstance(table, dict):
            raise self._fail("`readers` must be a table", example)
        for name, written in table.items():
            if not _FORMAT.fullmatch(name):
                raise self._fail(f"`readers.{name}` is no name: lower case, digits, hyphens", example)
            if not isinstance(written, str) or not _FUNCTION.fullmatch(written):
                raise self._fail(f"`readers.{name}` names no reader", example)
        return tuple(table.items())

    def _limits(self, units: Units) -> Limits:
        table = self.table.get("limits", {})
        if not isinstance(table, dict):
            raise self._fail("`limits` must be a table", 'write `limits = {seconds = 10, bytes = "1 GiB"}`')
        self._only_known(table, ("seconds", "bytes"), "limits.")
        seconds = self._amount(table, "seconds", "time", units)
        size = self._amount(table, "bytes", "information", units)
        default = Limits()
        return Limits(
            default.seconds if seconds is None else float(min(seconds, Fraction(_ENDLESS_S))),
            default.bytes if size is None else int(size),
        )

    def _amount(self, table: Mapping[str, Any], key: str, dimension: str, units: Units) -> Fraction | None:
        """A limit in base units: a bare number is one already."""
        value = table.get(key)
        if value is None:
            return None
        wrong = self._fail(
            f"`limits.{key}` must be a positive number or a quantity",
            'write `limits = {seconds = 10, bytes = "1 GiB"}`',
        )
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise wrong
        try:
            amount = parse_value(str(value), units)
        except StilltrueError:
            raise wrong from None
        if not isinstance(amount, Quantity) or amount.base <= 0 or (key == "bytes" and amount.base < 1):
            raise wrong
        if amount.unit.dimension not in ((), ((dimension, 1),)):
            raise wrong
        return amount.base
