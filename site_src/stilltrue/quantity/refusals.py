"""Values that are no quantity: either they are text, or a number was mistyped and nobody should guess."""

from __future__ import annotations

import re

from stilltrue.errors import InputError
from stilltrue.quantity.amounts import Amount, read_amount
from stilltrue.quantity.shapes import PREFIX
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import BARE

_NUMERIC = re.compile(r"[+\-−]?\s?(?:(?:US)?\$|[€£¥₹])?\.?[0-9]")
_NAMES = re.compile(
    r"[0-9]+(?:\.[0-9]+){2,}(?![0-9.]*,)"  # versions and addresses: 4.57.1, 10.0.0.1
    r"|[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?(?![0-9-])"  # dates: 2026-08-26
    r"|(?![0-9.]+[eE][+\-−]?[0-9])[0-9]+(?:\.[0-9]+)?(?:[^\W\d_]+[0-9]|-[^\W\d_])"  # 8xH100, 16-bit, 2.5rc1
    r"|[0-9]+ ?[x×X] ?[^\W\d_][\w\-]*[0-9]"  # 8x H100
)
_MORE_DIGITS = re.compile(r"\s?[.,:_]?\s?[0-9]|[.,:_]+\Z")
_PUNCTUATION = re.compile(r"\s?[;!?)\]}|\"'”’]")
_BLANK = re.compile(r"\s*")
_WORD = re.compile(r"(\s?)([^\W\d_]+)")


def text_or_refusal(core: str, units: Units) -> str:
    """`core`, where it may be a text.

    Raises:
        InputError: `bad-value`: it begins like a number, and is none that is understood.
    """
    prefix = PREFIX.match(core)
    body = core[prefix.end() :] if prefix else core
    if not _NUMERIC.match(body) or (not prefix and _NAMES.match(body)):
        return core
    amount = read_amount(body, 0, units)
    if amount is None:
        raise _refusal(core, "a number, its unit, or its currency is mistyped")
    rest = body[amount.digits_end :]
    if _MORE_DIGITS.match(rest):
        raise _refusal(
            core, "commas stand between groups of three digits, and a decimal point before the rest"
        )
    _check_words(core, body, amount, units)
    if _PUNCTUATION.match(rest):
        raise _refusal(core, f"state the value alone, without what follows `{body[: amount.digits_end]}`")
    if prefix or not _WORD.match(rest):
        raise _refusal(core, "state one number with its unit, a range `22-43 %`, or a list `5/11/17`")
    return core


def _check_words(core: str, body: str, amount: Amount, units: Units) -> None:
    """Refuses a number whose words were meant to be a unit, and words after a unit."""
    blank = _BLANK.match(body, amount.digits_end)
    if near := units.compound_slip(body, blank.end() if blank else amount.digits_end):
        raise _refusal(core, f"did you mean `{near}`?")
    if amount.unit is not BARE and not amount.unit.noun:
        raise _refusal(core, f"state the value alone, without what follows `{body[: amount.end]}`")
    word = _WORD.match(body, amount.digits_end)
    if word is None:
        return
    if word[2] == "B":
        raise InputError("bad-value", f"`{core}`: `B` is no unit", units.advice("B"))
    if near := units.slip(word[2]):
        raise _refusal(core, f"did you mean `{near}`?")
    if not amount.numeral.whole:
        raise InputError("bad-value", f"`{core}`: `{word[2]}` is no known unit", units.advice(word[2]))


def _refusal(core: str, hint: str) -> InputError:
    shown = core if len(core) <= 60 else f"{core[:60]}…"  # enough to find it by
    return InputError("bad-value", f"`{shown}` is no value that is understood", hint)
