"""Which probes are to run again: those of the claims that are meant, each once for its arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from stilltrue.config import Config
from stilltrue.derive import parse
from stilltrue.errors import InputError, UsageError
from stilltrue.model import DeriveSource, Judgement, Report
from stilltrue.suggest import did_you_mean

CHEAP = "cheap"
"""The word that asks for the probes that take seconds."""
ALL = "all"
"""The word that asks for every probe."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A probe that is to run again.

    Attributes:
        path: The script.
        arguments: Its arguments, as its record has them.
        files: The evidence files that are wanted of it.
        recorded: Whether a record names it; else the claim's own `probe` does.
        slow: Whether it is wanted even if it is slow.
    """

    path: str
    arguments: tuple[str, ...]
    files: tuple[str, ...]
    recorded: bool
    slow: bool


def plan(config: Config, report: Report, which: Collection[str], claims: Collection[str]) -> list[Wanted]:
    """The probes that are to run again, in the order in which their claims are written.

    Args:
        config: The project.
        report: A check of the whole project.
        which: `cheap`, `all`, ids of claims, paths of probes.
        claims: The ids of the claims that `cheap` and `all` are about.

    Raises:
        UsageError: A word of `which` is none of these, or names a claim that no probe stands behind.
    """
    corpus = _Corpus(config, report)
    named = {key for word in which if word not in (CHEAP, ALL) for key in corpus.named(word)}
    meant = {key for name in corpus.with_operands(claims) for key in corpus.probes_of(name)}
    general = meant if not {CHEAP, ALL}.isdisjoint(which) else set()
    return [
        Wanted(*key, tuple(files), key in corpus.recorded, ALL in which or key in named)
        for key, files in corpus.probes.items()
        if key in named or key in general
    ]


_Key = tuple[str, tuple[str, ...]]
"""A script and its arguments."""


class _Corpus:
    """The claims of a report, their operands and their probes."""

    def __init__(self, config: Config, report: Report) -> None:
        self._units = config.units
        self._report = report
        self._judgements = {judgement.claim.id: judgement for judgement in report.judgements}
        self.probes: dict[_Key, dict[str, None]] = {}
        self.recorded: set[_Key] = set()
        for judgement in report.judgements:
            for key, path in self._behind(judgement):
                self.probes.setdefault(key, {})[path] = None

    def named(self, word: str) -> set[_Key]:
        """The probes that an id or a path stands for."""
        if word in self._judgements:
            found = {key for name in self.with_operands((word,)) for key in self.probes_of(name)}
            if not found:
                hint = "take its evidence with `stilltrue record PROBE`, or leave it out"
                raise UsageError(f"no probe stands behind `{word}`, so none can be run again", hint)
            return found
        found = {key for key in self.probes if key[0] == word}
        if not found:
            near = did_you_mean(word, [CHEAP, ALL, *self._judgements, *(path for path, _ in self.probes)])
            hint = near or "name `cheap`, `all`, a claim's id or the path of a probe"
            raise UsageError(f"`{word}` is no claim, and no probe that evidence was taken with", hint)
        return found

    def with_operands(self, names: Iterable[str]) -> Iterator[str]:
        """Claims, and all that they are derived from, each once."""
        waiting = [name for name in names if name in self._judgements]
        seen = set(waiting)
        while waiting:
            name = waiting.pop()
            yield name
            fresh = [each for each in self._operands(name) if each in self._judgements and each not in seen]
            seen.update(fresh)
            waiting += fresh

    def probes_of(self, name: str) -> set[_Key]:
        """The probes of one claim's own evidence."""
        return {key for key, _ in self._behind(self._judgements[name])}

    def _operands(self, name: str) -> tuple[str, ...]:
        source = self._judgements[name].claim.source
        if not isinstance(source, DeriveSource):
            return ()
        try:
            return parse(source.derive, self._units).operands
        except InputError:
            return ()

    def _behind(self, judgement: Judgement) -> Iterator[tuple[_Key, str]]:
        """Each evidence file of a claim with the probe that wrote it, as far as one is known."""
        records = dict(self._report.records(judgement))
        for path in judgement.files:
            record = records.get(path)
            if record is None:
                if judgement.claim.probe:
                    yield (judgement.claim.probe, ()), path
            elif record.probe:
                key = (record.probe, record.argv)
                self.recorded.add(key)
                yield key, path
