"""How far a fresh run may be from the evidence, and how long and with which versions a claim is valid."""

from __future__ import annotations

import re

from stilltrue.claims import keys, mappings
from stilltrue.claims.nodes import Mapping, Node, Scalar, clip, placed
from stilltrue.claims.sources import date
from stilltrue.errors import InputError
from stilltrue.model import EvidenceSource, Source, Valid
from stilltrue.quantity import Stated, Tolerance, Unit, Units, parse_tolerance, same_dimension

_PACKAGE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_EXAMPLE = 'write `valid: {until: 2027-03-01}`, or `valid: {with: {transformers: ">=5.15,<6"}}`'


def read_reproduces(node: Node | None, stated: Stated, source: Source, units: Units) -> Tolerance | None:
    """How far a fresh run may be from what the evidence says; None where the key is left out.

    Raises:
        InputError: `bad-reproduces`: it is no amount, does not fit the stated value, or nothing is run again
            for this claim itself.
    """
    if type(node) is not Scalar:
        return None
    if not isinstance(source, EvidenceSource):
        message = "`reproduces` stands beside a claim that has no evidence of its own"
        hint = "leave it out; where the claim is derived, its operands say how far they reproduce"
        raise InputError("bad-reproduces", message, hint, line=node.line)
    try:
        margin = parse_tolerance(node.text, units)
    except InputError as error:
        raise placed(InputError("bad-reproduces", error.message, error.hint), node) from None
    wrong = _unfit(margin, stated)
    if wrong:
        raise InputError("bad-reproduces", *wrong, line=node.line)
    return margin


def _unfit(margin: Tolerance, stated: Stated) -> tuple[str, str] | None:
    """Why a margin cannot be used with a stated value: message and hint."""
    if not stated.numerals:
        return f"`{clip(stated.text)}` is no number, and only numbers come near", "leave `reproduces` out"
    if margin.relative or _same_kind(margin.amount.unit, stated.unit):
        return None
    message = f"the margin `{margin.text}` and the value `{stated.text}` are of different kinds"
    return message, f"give it a unit like that of `{stated.text}`, or a percentage"


def _same_kind(margin: Unit, stated: Unit) -> bool:
    """Units are never guessed: a bare margin fits what is stated in ones."""
    return same_dimension(margin, stated) and (bool(margin.symbol) or stated.scale == 1)


def read_valid(node: Node | None) -> Valid | None:
    """Until when, and with which versions, a claim is valid; None where the key is left out.

    Raises:
        InputError: `bad-valid`: it says nothing, a name is no package's, or what stands behind it is no
            version specifier; or as `mappings.check` and `sources.date`.
    """
    if type(node) is not Mapping:
        return None
    mappings.check(node, keys.VALID_KEYS, "valid")
    if not node.entries:
        raise InputError("bad-valid", "`valid` says nothing", _EXAMPLE, line=node.line)
    return Valid(date(node.entries.get("until")), _versions(node.entries.get("with")))


def _versions(node: Node | None) -> tuple[tuple[str, str], ...]:
    """Package and specifier, the names in their normal form."""
    if type(node) is not Mapping:
        return ()
    if not node.entries:
        raise InputError("bad-valid", "`with` names no package", _EXAMPLE, line=node.line)
    found: dict[str, str] = {}
    for name, entry in node.entries.items():
        specifier = _specifier(name, entry)
        if not _PACKAGE.fullmatch(name):
            hint = "write the name under which it is installed, such as `transformers`"
            raise InputError("bad-valid", f"`{clip(name)}` is no package name", hint, line=entry.line)
        normal = re.sub(r"[-_.]+", "-", name).lower()
        if normal in found:
            message = f"`with` names the package `{normal}` twice"
            raise InputError("bad-valid", message, "keep one of them", line=entry.line)
        found[normal] = specifier
    return tuple(found.items())


def _specifier(name: str, node: Node) -> str:
    if type(node) is not Scalar:
        message = f"the versions of `{clip(name)}` must be one text"
        raise InputError("bad-valid", message, 'write `">=5.15,<6"`, in quotes', line=node.line)
    if not node.text.strip():
        what = "a comma ends a value inside braces" if name[:1] in "<>=!~" else "no versions stand behind it"
        message = f"`{clip(name)}` in `with` has no versions: {what}"
        raise InputError("bad-valid", message, 'put them in quotes, `">=5.15,<6"`', line=node.line)
    # Imported only where a claim has the key: most have none.
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415

    try:
        for each in SpecifierSet(node.text):
            each.contains("0")
    except ValueError:  # no specifier, or a number of thousands of digits in it
        message = f"`{clip(node.text)}` says no versions of `{clip(name)}`"
        bare = re.fullmatch(r"\s*(\d[\w.+!-]*)\s*", node.text)
        hint = f'write `">={bare[1]}"` or `"=={bare[1]}"`' if bare else 'write `">=5.15,<6"`, in quotes'
        raise InputError("bad-valid", message, hint, line=node.line) from None
    return node.text.strip()
