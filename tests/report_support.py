"""Claims and judgements made by hand, for the tests of reports."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from hypothesis import strategies as st

from recording_support import write
from stilltrue.model import (
    Claim,
    EvidenceSource,
    Found,
    Judgement,
    Place,
    Read,
    Reading,
    Shape,
    Take,
    Verdict,
)
from stilltrue.quantity import Form, Numeral, Quantity, Stated, Unit

MS = Unit("ms", Fraction(1, 1000), (("time", 1),))
SECONDS = Unit("s", Fraction(1), (("time", 1),))
SUM = Read(Shape.TABLE, column="self_device", where="name like 'fmha%' and device", take=(Take("sum"),))
PROFILE = EvidenceSource(("claims/evidence/step-profile.txt",), (("", SUM),))


def stated(text: str, number: str, unit: Unit = MS) -> Stated:
    value = Fraction(number)
    numeral = Numeral(text.split(maxsplit=1)[0], value, Fraction(1, 10), whole=False)
    return Stated(text, Form.NUMBER, (numeral,), unit, None, Quantity(value, unit))


def claim(name: str = "attention-time", line: int = 40, **changes: object) -> Claim:
    path = "docs/throughput/profile.md"
    whole = Claim(
        id=name,
        says="Attention kernels take {value} of one step.",
        stated=stated("22,835.8 ms", "22835.8"),
        source=PROFILE,
        place=Place(path, line + 2),
        block=Place(path, line),
        end=line + 8,
        tags=("throughput",),
    )
    return replace(whole, **changes)  # type: ignore[arg-type]  # each test names fields of Claim


def reading(line: int, number: str, path: str = "claims/evidence/step-profile.txt") -> Reading:
    return Reading(path, line, Quantity(Fraction(number), MS))


READINGS = (reading(17, "11417.9"), reading(23, "11513.3"))
FOUND = Quantity(Fraction("22931.2"), MS)


def drifted(name: str = "attention-time", line: int = 40, **changes: object) -> Judgement:
    whole = Judgement(
        claim(name, line),
        Verdict.DRIFTED,
        fails=True,
        found=Found(FOUND, FOUND),
        readings=READINGS,
        message="the page says `22,835.8 ms`, the evidence says `22,931.2 ms`",
        hint="state what was found",
        code="disagrees",
    )
    return replace(whole, **changes)  # type: ignore[arg-type]  # each test names fields of Judgement


def holding(name: str = "step-time", line: int = 20) -> Judgement:
    return Judgement(claim(name, line), Verdict.HOLDS, found=Found(FOUND, FOUND), readings=READINGS)


def inherited(name: str, cause: str, line: int) -> Judgement:
    message = f"its operand `{cause}` is broken"
    return Judgement(claim(name, line), Verdict.BROKEN, message=message, code="no-file", cause=cause)


HOSTILE = st.text(st.sampled_from("a:#[]\n\r\x1b\u202e `{}er")).map(
    lambda text: f"::error::{text}##[error]\x1b[2J"
)
"""Text that tries to speak to a terminal and to a CI runner."""


DRIFTED_PAGE = """\
```claim
id: time
says: "It takes {value}."
value: 4 s
evidence: a.txt
read: {match: 'took (.*)'}
```
"""


def drifted_below(folder: Path) -> Path:
    """A project that fails, in a folder of a repository."""
    (folder / ".git").mkdir()
    return write(folder / "sub", {"stilltrue.toml": "", "README.md": DRIFTED_PAGE, "a.txt": "took 5 s\n"})
