"""What the name of a memory-efficient attention kernel says: read from torch's own headers; no probe itself.

PyTorch installs, also without CUDA, the two generated headers that name every CUDA kernel of its
memory-efficient attention and say which compute capabilities each family of them is picked on. A name ends in
the architecture that the code was written for (`sm80`); what picks it is the range beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEADERS = Path("include/ATen/native/transformers/cuda/mem_eff_attention/kernels")
"""Where the headers lie below torch's own folder."""

DIRECTIONS = {"cutlassF.h": "forward", "cutlassB.h": "backward"}

HEADS = (64, 128, 256, 512)
"""Head sizes of today's models."""

FAMILY = re.compile(r"void dispatch_(cutlass[FB]_\w+?_sm\d+)\(T cb, int \w+\) \{(.*?)\n\}", re.DOTALL)
"""A function that offers the kernels of one family; its name has the type and the architecture."""

KERNEL = re.compile(r"Kernel<([^>]*)>\(\), (fmha_cutlass[FB]_\w+)\)")
"""A kernel that it offers: what its template was filled with, and its name."""

PICKED = re.compile(r"(\d+) <= cc && cc (<=?) (\d+)\)\s*\{\s*dispatch_(cutlass[FB]_\w+_sm\d+)\(")
"""Which compute capabilities, times ten, a family is picked on."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel.

    Attributes:
        name: As a profile shows it.
        widest: The largest head size that it takes.
    """

    name: str
    widest: int


@dataclass(frozen=True, slots=True)
class Family:
    """Kernels of one type, written for one architecture.

    Attributes:
        direction: `forward` or `backward`.
        dtype: `bf16`, `f16` or `f32`.
        named: The architecture in their names: 80 for `sm80`.
        first: The lowest compute capability, times ten, that they are picked on.
        last: The highest.
        kernels: In the order in which they are offered.
    """

    direction: str
    dtype: str
    named: int
    first: int
    last: int
    kernels: tuple[Kernel, ...]


def installed(torch_folder: Path) -> tuple[Family, ...]:
    """The families that the headers of an installed torch name.

    Raises:
        SystemExit: The headers are not there, or say nothing that is understood.
    """
    families: list[Family] = []
    for name, direction in DIRECTIONS.items():
        path = torch_folder / HEADERS / name
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise SystemExit(
                f"{path}: cannot be read: {error.strerror or error}; this torch came without its headers"
            ) from None
        families.extend(families_in(text, direction, str(path)))
    return tuple(families)


def families_in(text: str, direction: str, place: str) -> tuple[Family, ...]:
    """The families in the text of one header.

    Raises:
        SystemExit: It names none, or one of them without its kernels or without what picks it.
    """
    kernels = {name: tuple(offered(body, direction)) for name, body in FAMILY.findall(text)}
    picked = {
        name: (int(first), int(last) - (sign == "<")) for first, sign, last, name in PICKED.findall(text)
    }
    if not kernels or set(kernels) != set(picked) or not all(kernels.values()):
        raise SystemExit(
            f"{place}: names no kernels, or not what picks them; another torch may say it elsewhere"
        )
    found = []
    for name, offers in kernels.items():
        _, dtype, named = name.split("_")
        found.append(Family(direction, dtype, int(named.removeprefix("sm")), *picked[name], offers))
    return tuple(found)


def offered(body: str, direction: str) -> Iterator[Kernel]:
    """Kernels that a family offers; of the template's numbers, the third or the last bounds the head."""
    for filled, name in KERNEL.findall(body):
        numbers = [int(part) for part in filled.split(",") if part.strip().isdigit()]
        yield Kernel(name, numbers[2] if direction == "forward" else numbers[-1])


def said(families: Sequence[Family], *, by_name: bool) -> dict[str, Any]:
    """What the names say and what they do not.

    Args:
        families: Those of one torch, at least one.
        by_name: A plant: takes each family to be picked on the architecture in its name alone.
    """
    rows = [row(family, by_name=by_name) for family in families]
    forward = [kernel for family in families if family.direction == "forward" for kernel in family.kernels]
    newest = max(family.named for family in families)
    picked = [line["picked_on"] for line in rows if line["named"] == newest]
    return {
        "families": rows,
        "kernels": sum(len(family.kernels) for family in families),
        "newest_in_a_name": newest,
        "newest_families": len(picked),
        "newest_picked_from": max(first for first, _ in picked),  # what all families of that name share
        "newest_picked_to": min(last for _, last in picked),
        "widest_in_registers": max((one.widest for one in forward if variant(one) == "rf"), default=0),
        "neither": sum(not variant(kernel) for kernel in forward),
        "by_head": [{"head": head, "variants": variants(forward, head)} for head in HEADS],
    }


def variant(kernel: Kernel) -> str:
    """Where a forward kernel keeps its output: `rf`, in registers, or `gmem`, in global memory."""
    return next((word for word in ("rf", "gmem") if f"_{word}_" in kernel.name), "")


def variants(kernels: Sequence[Kernel], head: int) -> str:
    """The variants that take a head of so many numbers."""
    return " and ".join(dict.fromkeys(variant(kernel) for kernel in kernels if kernel.widest >= head))


def row(family: Family, *, by_name: bool) -> dict[str, Any]:
    """One family as it is printed; compute capabilities as they are usually written, 8.0 for `sm80`."""
    first, last = (family.named, family.named) if by_name else (family.first, family.last)
    return {
        "direction": family.direction,
        "dtype": family.dtype,
        "named": family.named,
        "picked_on": [first / 10, last / 10],
        "kernels": [kernel.name for kernel in family.kernels],
        "widest_heads": [kernel.widest for kernel in family.kernels],
    }
