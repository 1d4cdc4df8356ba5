#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6"]
# [tool.stilltrue]
# writes = "claims/evidence/memory/loss.json"
# reads = []
# needs = []
# cost = "slow"
# timeout = "1200 s"
# plant = ["keep-logits", "no-softcap", "peak-of-parent"]
# ///
"""What the loss of a head takes in memory, computed in three ways, and the chunk that fits a budget.

Settles:
    The peak of the cross-entropy, forward and backward, with all logits at once, in chunks of tokens, and in
    chunks whose logits are computed again in backward; with and without a soft-cap; by the size of a chunk.
    Each is measured as resident memory in a process of its own, counted storage by storage, and reckoned, so
    that one method checks another. For a head of any size: how far its logits are beyond 32-bit indices, and
    the largest chunk that keeps within a budget, counted at full size without the memory. That the three ways
    give the same loss and gradients, and what computing again costs in operations.

Needs:
    torch. Linux for the resident peaks: elsewhere `ru_maxrss` stands in for them, and nothing is tried under
    a limit of memory. No weights, no data set. With `--device cuda` a GPU, whose allocator is asked instead;
    that is untested.

Costs:
    A minute and a half, one core, under 1.5 GiB of memory. `--arithmetic` measures nothing and takes seconds.

Cannot settle:
    What a library's own loss holds: only ways of computing it. What the rest of the step holds at that
    moment: `step_memory.py` counts a whole step. What an allocator loses between blocks, save that on the CPU
    it is shown. How much time a chunk costs on an accelerator.

Standard output is one JSON document, in bytes; progress, and the chunk that fits in words, go to standard
error. A child that runs out of memory or is killed is a row that says so.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from probe_parts.command_line import ascending, parser_of, positive
from probe_parts.loss_arithmetic import Head, first_beyond_int32, largest_chunk, longest_naive, peak_bytes
from probe_parts.loss_child import Run, measured
from probe_parts.loss_count import apart, counted, multiplications
from probe_parts.losses import Way
from probe_parts.output import as_json, say
from probe_parts.sizes import in_words, size_of

PLANTS = {
    "keep-logits": "chunks are said to be computed again, and are kept",
    "no-softcap": "the soft-cap is left out where it is asked for",
    "peak-of-parent": "a peak is read from `ru_maxrss`, which a process inherits, under a parent of 1 GiB",
}
ELEMENTS = {"bfloat16": 2, "float32": 4}


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured and reckoned, as resolved; every field is an argument of the same name.

    Attributes:
        tokens: Of the micro-batch that a chunk is looked for, padding included.
        vocab: Of its head.
        hidden: Columns of its head.
        dtype: Of hidden states, head and logits.
        budget: What the loss may take, in bytes.
        chunks: Sizes that are counted for that head, ascending.
        measure: Tokens, vocabulary and hidden size of the head that is really run.
        chunk: Tokens in a chunk of it.
        sweep: Other sizes of chunks that are measured with recompute, ascending.
        arithmetic: Whether nothing is measured and counted.
        device: Where it is measured, `cpu` or `cuda`.
        plant: The fault that is put in; empty for none.
    """

    tokens: int
    vocab: int
    hidden: int
    dtype: str
    budget: int
    chunks: tuple[int, ...]
    measure: tuple[int, int, int]
    chunk: int
    sweep: tuple[int, ...]
    arithmetic: bool
    device: str
    plant: str

    def head(self, *, softcap: bool, trained: bool) -> Head:
        """The head that a chunk is looked for."""
        return Head(self.tokens, self.vocab, self.hidden, ELEMENTS[self.dtype], softcap, trained)


# What is really run ------------------------------------------------------------------------------------


def runs(settings: Settings) -> Iterator[Run]:
    """Every measurement but the trial, each for a process of its own."""
    run = partial(_run, settings)
    ways: tuple[Way, ...] = ("naive", "chunked", "recomputed")
    for softcap in (False, True):
        yield from (run(way, softcap=softcap) for way in ways)
    yield from (run("recomputed", chunk=size) for size in settings.sweep)
    if settings.device == "cpu":
        small = min(settings.chunk, *settings.sweep)
        yield run("chunked", chunk=small)
        yield from (run(way, chunk=small, returning=False) for way in ways[1:])


def _run(
    settings: Settings,
    way: Way,
    *,
    chunk: int = 0,
    softcap: bool = True,
    returning: bool = True,
    tokens: int = 0,
    limit: int = 0,
) -> Run:
    """A run of the head that is measured, with the settings' values where nothing else is said."""
    most, vocab, hidden = settings.measure
    tokens = tokens or most
    size = tokens if way == "naive" else min(chunk or settings.chunk, tokens)
    head = Head(tokens, vocab, hidden, ELEMENTS[settings.dtype], softcap, trained=False)
    return Run(way, size, head, settings.dtype, settings.device, returning, limit, settings.plant)


def row_of(run: Run) -> dict[str, Any]:
    """One measurement beside what is counted and reckoned for it."""
    found = measured(run)
    say(f"{run.way}, chunk {run.chunk}, soft-cap {run.head.softcap}: {found['outcome']}")
    alive = counted(run.head, run.way, run.chunk, run.plant)
    return {
        "way": run.way,
        "chunk": run.chunk,
        "softcap": run.head.softcap,
        "allocator": "returning" if run.returning else "default",
        **found,
        "counted": alive,
        "predicted": peak_bytes(run.head, run.way, run.chunk),
        "peak_of_counted": found["peak"] / alive if found["peak"] else None,
    }


def trial(settings: Settings) -> dict[str, Any]:
    """The same loss under a limit of memory: a short micro-batch, a long one, and the long one in chunks."""
    long = settings.measure[0]
    short = long // 4
    limit = peak_bytes(_run(settings, "naive").head, "naive", long) // 2
    tries: tuple[tuple[Way, int], ...] = (("naive", short), ("naive", long), ("recomputed", long))
    rows = []
    for way, tokens in tries:
        found = measured(_run(settings, way, tokens=tokens, limit=limit))
        say(f"{way}, {tokens} tokens within {in_words(limit)}: {found['outcome']}")
        rows.append({"way": way, "tokens": tokens, "outcome": found["outcome"]})
    return {"limit": limit, "rows": rows}


# What is counted and reckoned at full size -------------------------------------------------------------


def full(settings: Settings) -> dict[str, Any]:
    """The head that a chunk is looked for, counted at its full size."""
    rows = []
    for softcap, trained in ((False, False), (True, False), (True, True)):
        head = settings.head(softcap=softcap, trained=trained)
        rows.append(_full_row(head, "naive", head.tokens, settings.plant))
        rows += [_full_row(head, way, size, settings.plant) for way, size in _sizes(head, settings)]
        say(f"counted {settings.tokens} tokens at full size, {_kind(softcap, trained)}")
    operations = [_operations(settings, trained=trained) for trained in (False, True)]
    return {"rows": rows, "lengths": lengths(settings), "operations": operations}


def lengths(settings: Settings) -> list[dict[str, Any]]:
    """What the naive loss takes at up to four lengths, each twice the one before."""
    rows = []
    for tokens in sorted({max(settings.tokens // part, 1) for part in (8, 4, 2, 1)}):
        row = {"tokens": tokens, **logits_of(tokens, settings.vocab)}
        for name, softcap in (("plain", False), ("softcap", True)):
            head = replace(settings.head(softcap=softcap, trained=False), tokens=tokens)
            row[name] = counted(head, "naive", tokens, settings.plant)
        rows.append(row)
    return rows


def _sizes(head: Head, settings: Settings) -> Iterator[tuple[Way, int]]:
    """Ways and chunks that are counted; without a soft-cap one chunk is enough."""
    for size in settings.chunks if head.softcap else settings.chunks[:1]:
        if size <= head.tokens:
            yield "chunked", size
            yield "recomputed", size


def _full_row(head: Head, way: Way, chunk: int, plant: str) -> dict[str, Any]:
    alive, reckoned = counted(head, way, chunk, plant), peak_bytes(head, way, chunk)
    return {
        "way": way,
        "chunk": chunk,
        "softcap": head.softcap,
        "trained": head.trained,
        "counted": alive,
        "predicted": reckoned,
        "predicted_of_counted": reckoned / alive,
    }


def _operations(settings: Settings, *, trained: bool) -> dict[str, Any]:
    """Floating-point operations of the head's matrix products, forward and backward."""
    head = settings.head(softcap=True, trained=trained)
    ways: tuple[Way, ...] = ("naive", "recomputed")
    chunk = max(settings.tokens // 8, 1)
    return {
        "trained": trained,
        **{way: multiplications(head, way, chunk, settings.plant) for way in ways},
    }


def fit(settings: Settings, *, softcap: bool, trained: bool) -> dict[str, Any]:
    """The largest chunk within the budget, what it takes, and what one token more would."""
    head = settings.head(softcap=softcap, trained=trained)
    size = largest_chunk(head, settings.budget)
    found = {
        "softcap": softcap,
        "trained": trained,
        "naive": peak_bytes(head, "naive", head.tokens),
        "naive_tokens": longest_naive(head, settings.budget),
        "chunk": size,
        "bytes": peak_bytes(head, "recomputed", size) if size else None,
        "one_more": peak_bytes(head, "recomputed", size + 1) if size < head.tokens else None,
        "counted": None,
    }
    if size and not settings.arithmetic:
        found["counted"] = counted(head, "recomputed", size, settings.plant)
    say(_fit_in_words(found, settings))
    return found


def _fit_in_words(found: dict[str, Any], settings: Settings) -> str:
    kind = _kind(found["softcap"], found["trained"])
    if not found["chunk"]:
        least = in_words(found["one_more"])
        says = f"no chunk keeps within {in_words(settings.budget)}: even one token takes {least}"
    else:
        says = f"a chunk of {found['chunk']} tokens takes {in_words(found['bytes'])}"
    return f"{kind}, cross-entropy in float32: {says}; all logits at once take {in_words(found['naive'])}"


def _kind(softcap: bool, trained: bool) -> str:
    return f"{'soft-capped' if softcap else 'no soft-cap'}, {'trained' if trained else 'frozen'} head"


# The whole ---------------------------------------------------------------------------------------------


def logits_of(tokens: int, vocab: int) -> dict[str, Any]:
    """The logits of all tokens: elements, whether a 32-bit index reaches them, and bytes."""
    elements = tokens * vocab
    first = first_beyond_int32(vocab)
    sizes = {name: elements * size for name, size in ELEMENTS.items()}
    return {"elements": elements, "beyond_int32": tokens >= first, "first_beyond_int32": first, **sizes}


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    heads = [(cap, trained) for trained in (False, True) for cap in (False, True)]
    document: dict[str, Any] = {
        "settings": settings,
        "machine": {"system": f"{platform.system()} {platform.machine()}", "torch": torch.__version__},
        "logits": logits_of(settings.tokens, settings.vocab),
        "fit": [fit(settings, softcap=cap, trained=trained) for cap, trained in heads],
    }
    if settings.arithmetic:
        return document
    burden = torch.ones(2**28) if settings.plant == "peak-of-parent" else None
    document["measured_logits"] = logits_of(*settings.measure[:2])
    document["rows"] = [row_of(run) for run in runs(settings)]
    if settings.device == "cpu":
        document["trial"] = trial(settings)
    del burden
    document["full"] = full(settings)
    document["same"] = {dtype: apart(dtype) for dtype in ELEMENTS}
    return document


# The command line --------------------------------------------------------------------------------------


def three(text: str) -> tuple[int, int, int]:
    """Tokens, vocabulary and hidden size, with x between."""
    try:
        tokens, vocab, hidden = (positive(part) for part in text.split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is not TOKENSxVOCABxHIDDEN") from None
    return tokens, vocab, hidden


def parse(argv: Sequence[str] | None = None) -> Settings:
    """The settings."""
    parser = parser_of(__doc__, PLANTS)
    add = parser.add_argument
    add("--tokens", type=positive, default=16384, help="of your micro-batch: sequences times their width")
    add("--vocab", type=positive, default=262144, help="rows of your head")
    add("--hidden", type=positive, default=2816, help="columns of your head")
    add("--dtype", choices=tuple(ELEMENTS), default="bfloat16", help="of hidden states, head and logits")
    add("--budget", type=size_of, default="4GiB", help="what the loss may take, such as 4GiB")
    add("--chunks", type=ascending, default=tuple(2**n for n in range(8, 15)), help="sizes to count for it")
    add("--measure", type=three, default=(1024, 32768, 64), help="what is run: TOKENSxVOCABxHIDDEN")
    add("--chunk", type=positive, default=128, help="tokens in a chunk of what is run")
    add("--sweep", type=ascending, default=(32, 512), help="other sizes of chunks to run")
    add("--arithmetic", action="store_true", help="reckon alone, for --tokens, --vocab, --hidden, --budget")
    add("--device", choices=("cpu", "cuda"), default="cpu", help="where it is run")
    settings = Settings(**vars(parser.parse_args(argv)))
    if settings.measure[0] < 4:
        parser.error("--measure needs at least 4 tokens")
    if settings.device == "cuda" and not torch.cuda.is_available():
        parser.error("--device cuda: torch sees no CUDA device here")
    return settings


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the document."""
    print(as_json(measure(parse(argv))))


if __name__ == "__main__":
    main()
