"""Claims whose value stands in a file: `stated_in`, one claim, or one for each match of a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from stilltrue.claims import filled_text, keys, mappings
from stilltrue.claims.claim import Head, Origin, build, key_lines, read_id, read_says
from stilltrue.claims.elsewhere import read_stated_in
from stilltrue.claims.filled import Ways, gaps
from stilltrue.claims.nodes import Mapping, Node, Scalar, clip, placed
from stilltrue.claims.placeholders import Headers, Template, Value
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.matches import Match, Source, find, groups_of, missed_blank
from stilltrue.model import Claim, Place, Problem
from stilltrue.quantity import BARE, Flag, Stated, Units, parse_stated
from stilltrue.wording import counted, listed, quoted

_SHOWN_LINES = 10
_ENTITY = re.compile(r"&#?\w+;")
_MARKED = re.compile(r"(\*{1,3})(?P<bold>[^*]+)\1|(`+)(?P<code>[^`]+)\3")
_LINK = re.compile(r"\[([^\[\]]*)\]\(\s*<?([^()<>\s]*)>?(?:\s+\"[^\"]*\")?\s*\)")
_NONE_HINT = "mend the pattern or name another file; `^` and `$` stand at lines, `.` matches no line end"
_SAME_HINT = "let it match one place; the others may be its `copies`"
_TWICE_HINT = "let it match one place; where each is a claim, name what tells them apart: `(?P<run>…)`"
_BROKEN_HINT = "the value goes on behind a line break: let the group hold the number alone, and give `unit`"
_ENTITY_HINT = "let the group hold the number alone, and give its unit: `(\\S+?)&nbsp;s` with `unit: s`"


@dataclass(frozen=True, slots=True)
class Read:
    """What an unstated claim comes to once its file is read.

    Attributes:
        claims: The claims, in the order of the file.
        problems: What is wrong.
        malformed: The ids of claims that cannot be read, as far as they are known.
        hidden: Whether there are others of which not even the id is known.
    """

    claims: tuple[Claim, ...] = ()
    problems: tuple[Problem, ...] = ()
    malformed: frozenset[str] = frozenset()
    hidden: bool = False


class _ThereError(InputError):
    """What is wrong with the file that states a value: its line is of that file."""


@dataclass(frozen=True)
class _Group(Value):
    """What a group of one match holds, as the value of a placeholder."""

    @property
    def shown(self) -> str:
        """What messages call it."""
        what = f"`{clip(self.text)}`" if self.text else "nothing"
        return f"{what}, which the group `{self.header}` holds,"

    def refuse(self, message: str, hint: str) -> NoReturn:
        """Raise `bad-placeholder` at the match; `hint` speaks of tables, and is not used."""
        del hint
        cure = "let the group hold what fits there, or match fewer places"
        raise _ThereError("bad-placeholder", message.replace("{}", self.shown), cure, line=self.line)


def _group(name: str, text: str, line: int) -> _Group:
    """A group as a cell of a table is read: without marks, a link by its own text and its target.

    Underscores stay: in a script they belong to the name.
    """
    bare, target = _bare(text), ""
    if (link := _LINK.match(bare)) is not None:
        bare, target = _bare(link[1] + bare[link.end() :]), link[2]
    return _Group(name, bare, target, line)


def _bare(text: str) -> str:
    """A text without the stars and code marks around all of it."""
    text = text.strip()
    while (marked := _MARKED.fullmatch(text)) is not None:
        text = (marked["bold"] or marked["code"]).strip()
    return text


class _Fault(NamedTuple):
    """What is wrong with one match; the id is empty where it is not known."""

    error: InputError
    match: Match
    name: str


@dataclass(slots=True)
class _Gathered:
    """What the matches come to."""

    claims: list[Claim] = field(default_factory=list)
    faults: list[_Fault] = field(default_factory=list)


class Unstated:
    """A claim as it is written, without its value.

    Attributes:
        stated_in: Where the value stands.
        id: The id as written; with placeholders where each match is a claim.
        place: The line of `stated_in`.
    """

    def __init__(self, node: Mapping, units: Units, origin: Origin) -> None:
        """Takes a claim apart whose keys are known and of the right shape.

        Raises:
            InputError: Something is wrong with it whatever its file holds; its line is filled in.
        """
        entries = dict(node.entries)
        own = entries.pop("stated_in")
        stated_in = read_stated_in(own, units, origin.folder)
        says = entries.pop("says")
        self.units = units
        self.origin = origin
        self.stated_in = stated_in
        self.line = node.line
        self.place = Place(origin.block.path, stated_in.line)
        self.id = _text(entries["id"])
        self.several = bool(groups_of(stated_in.match).others)
        headers = Headers(tuple(groups_of(stated_in.match).others), "group")
        self._says_node = says
        self._says = _sentence(says, headers) if self.several else None
        ways = Ways(headers, units)
        self._id = gaps(entries["id"], ways, "id")
        self._body = gaps(Mapping(entries, node.line), ways)
        self.named = bool(self._id.used)
        if not self.named:
            read_id(entries["id"])
        self._lines = key_lines({"stated_in": own, "says": says})

    def read(self, source: Source, deadline: Deadline) -> Read:
        """The claims, from the text of the file.

        Args:
            source: The file's text.
            deadline: How long the search may take.

        Raises:
            InputError: `too-slow`, `too-many-matches`: the pattern does not fit the file.
        """
        matches = [match for match in find(source, self.stated_in.match, deadline) if not self._is_own(match)]
        if not matches:
            return self._none(missed_blank(source, self.stated_in.match, deadline))
        if not self.several and len(matches) > 1:
            return self._too_many(matches)
        gathered = _Gathered()
        for match in matches:
            self._take(match, gathered)
        names = frozenset(fault.name for fault in gathered.faults if fault.name)
        hidden = any(not fault.name for fault in gathered.faults)
        problems = tuple(self._problems(gathered.faults, len(matches)))
        return Read(tuple(gathered.claims), problems, names, hidden)

    def unread(self, error: InputError) -> Read:
        """What the claim comes to when its file cannot be read or searched."""
        file = self.stated_in.file
        where = "" if f"`{file}`" in error.message else f" ({Place(file, error.line)})"
        message = f"`{clip(self.id)}` has no stated value: {error.message}{where}"
        about = self._about()
        problem = Problem(error.code, self.place, message, error.hint, about=about, files=(file,))
        return Read((), (problem,), self._ids(), self.named)

    def _is_own(self, match: Match) -> bool:
        """Whether a match lies in the claim's own block: a pattern may well match itself."""
        block = self.origin.block
        return self.stated_in.file == block.path and block.line <= match.line <= self.origin.end

    def _about(self) -> tuple[str, ...]:
        return () if self.named else (self.id,)

    def _ids(self) -> frozenset[str]:
        return frozenset(self._about())

    # What is wrong with all of them ----------------------------------------------------------------------

    def _none(self, hint: str) -> Read:
        error = InputError(
            "not-stated",
            f"{quoted(self.stated_in.match)} matches nothing in `{self.stated_in.file}`",
            hint or _NONE_HINT,
        )
        return self.unread(error)

    def _too_many(self, matches: list[Match]) -> Read:
        where = listed((str(match.line) for match in matches), _SHOWN_LINES)
        same = len({match.text for match in matches}) == 1
        error = InputError(
            "stated-twice",
            f"{quoted(self.stated_in.match)} matches {counted(len(matches), 'time')} in "
            f"`{self.stated_in.file}`: lines {where}",
            _SAME_HINT if same else _TWICE_HINT,
        )
        return self.unread(error)

    # One match -------------------------------------------------------------------------------------------

    def _take(self, match: Match, gathered: _Gathered) -> None:
        name = "" if self.named else self.id
        try:
            values = {key: _group(key, text, match.line) for key, text in match.groups.items()}
            if match.missing not in self._id.used:
                name = self._read_id(self._id.fill(values), match)
            if match.missing:
                raise _no_part(match, self.stated_in.match)
            node = self._body.fill(values)
            assert isinstance(node, Mapping)  # noqa: S101  # filling keeps the shape
            says = self._says.fill(values) if self._says else ""
            gathered.claims.append(self._claim(name, says, node, match))
        except InputError as error:
            gathered.faults.append(_Fault(error, match, name))

    def _read_id(self, node: Node, match: Match) -> str:
        try:
            return read_id(node)
        except InputError as error:
            raise _ThereError(
                error.code, error.message, "let its groups hold what an id may be made of", line=match.line
            ) from None

    def _claim(self, name: str, says: str, node: Mapping, match: Match) -> Claim:
        stated, unit = self._stated(match)
        if self._says is None:
            says = read_says(self._says_node, stated)
        elif "{value}" not in says and not isinstance(stated.value, Flag):
            raise _no_place_for_value(self._says_node.line)
        if self.several:
            mappings.check(node, _FILLED_KEYS)
        place = Place(self.stated_in.file, match.line)
        head = Head(name, _with_unit(says, unit), stated, place, stated_in=self.stated_in, lines=self._lines)
        return build(head, node, self.units, self.origin)

    def _stated(self, match: Match) -> tuple[Stated, str]:
        """What a match states, and the unit that the claim gives it; empty where it has its own."""
        try:
            stated = parse_stated(match.text, self.units)
            unit = self.stated_in.unit
            if unit is None or stated.unit is not BARE or not stated.numerals:
                return stated, ""
            return parse_stated(match.text, self.units, unit), unit.symbol
        except InputError as error:
            wrong = placed(error, Scalar(match.text, match.line))
            over = _BROKEN_HINT if "\n" in match.text else wrong.hint
            hint = _ENTITY_HINT if _ENTITY.search(match.text) else over
            raise _ThereError(wrong.code, wrong.message, hint, line=match.line) from None

    # What is wrong with some -----------------------------------------------------------------------------

    def _problems(self, faults: list[_Fault], matches: int) -> Iterable[Problem]:
        """What is wrong: with all matches, once, where the claim says it; else at each match."""
        alike: dict[tuple[str, int], list[_Fault]] = {}
        for fault in faults:
            if isinstance(fault.error, _ThereError):
                yield self._there(fault, "")
            else:
                alike.setdefault((fault.error.code, fault.error.line), []).append(fault)
        for (_, line), same in alike.items():
            if len(same) == matches:
                error = same[0].error
                about = tuple(fault.name for fault in same if fault.name)
                place = Place(self.origin.block.path, line)
                yield Problem(error.code, place, error.message, error.hint, about=about)
            else:
                yield from (self._there(fault, f"; {self.origin.block.path}:{line}") for fault in same)

    def _there(self, fault: _Fault, where: str) -> Problem:
        """A problem in the file that states the value; the claim that names that file is told."""
        error, match, name = fault
        message = f"{error.message} (`stated_in` at {self.place}{where})"
        place = Place(self.stated_in.file, match.line)
        return Problem(error.code, place, message, error.hint, about=(name,) if name else ())


_FILLED_KEYS = {name: key for name, key in keys.KEYS.items() if name not in ("says", "value", "stated_in")}
"""The keys of a claim of which the value and the sentence are known."""


def _no_part(match: Match, pattern: str) -> _ThereError:
    message = f"{quoted(pattern)} matches here, and its group `{match.missing}` took no part"
    hint = "let every alternative of the pattern hold the group"
    return _ThereError("empty-group", message, hint, line=match.line)


def _sentence(node: Node, headers: Headers) -> Template:
    """The sentence of each match, on one line."""
    says = " ".join(_text(node).split())
    unknown = headers.unknown(says.replace("{value}", ""))
    if unknown:
        message = f"`{{{clip(unknown)}}}` in `says` is no group of the pattern"
        raise InputError("bad-says", message, headers.hint(unknown), line=node.line)
    return filled_text.sentence(says, headers)


def _no_place_for_value(line: int) -> InputError:
    hint = "write `{value}` where the stated value goes"
    return InputError("bad-says", "`says` has no place for the value", hint, line=line)


def _with_unit(says: str, unit: str) -> str:
    """A sentence in which a value that is bare where it stands has its unit, unless the author wrote it."""
    if not unit or re.search(r"\{value\}[\s\u00a0]*" + re.escape(unit), says):
        return says
    return says.replace("{value}", f"{{value}} {unit}")


def _text(node: Node) -> str:
    return node.text if isinstance(node, Scalar) else ""
