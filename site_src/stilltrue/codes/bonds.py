"""Codes of agreement, ids, links and derivations."""

from __future__ import annotations

from stilltrue.codes.code import Code

AGREEMENT: dict[str, Code] = {
    "drifted": Code(
        "The evidence was read and says something else than the page.",
        "Correct the page where the evidence is right.",
    ),
    "unit-mismatch": Code(
        "Two units cannot be brought together: the evidence has a unit that contradicts `unit`, or stated and "
        "found are of different dimensions, such as a time and a count.",
        "Give the read the unit that the evidence counts in. A bare number in evidence has none until then.",
    ),
    "not-finite": Code(
        "The evidence holds a NaN or an infinity, which agrees with nothing.",
        "Find out what went wrong in the run, or read another number.",
    ),
}

BONDS: dict[str, Code] = {
    "duplicate-id": Code(
        "Two claims have one id. The first keeps it; the second is not judged.",
        "Give the second an id of its own. Ids are never reused, not even that of a superseded claim.",
    ),
    "unknown-id": Code(
        "A link, a block, a `derive` or a `superseded` names an id that no claim has.",
        "Correct the id, or write the claim.",
    ),
    "derive-cycle": Code(
        "A claim is derived from itself, by way of the claims that the message lists.",
        "Take one of them from evidence.",
    ),
    "bad-derive": Code(
        "A `derive` cannot be read or cannot be computed: syntax, dimensions that do not fit, a division "
        "by zero, or an operand that is no quantity.",
        "Mend the expression. Claims are written `{id}`, a claim's own reads by their names.",
    ),
    "open-interval": Code(
        "The digits of quoted operands leave open whether a comparison is true.",
        "Compare values that differ by more than their rounding, or find more digits.",
    ),
    "superseded-operand": Code(
        "A claim that still stands is derived from one that is superseded.",
        "Derive it from the successor, or supersede it too.",
    ),
    "superseded-cycle": Code(
        "Following `superseded.by` from a claim leads back to it.",
        "Name a claim that still stands, or leave `by` out: then it is withdrawn.",
    ),
    "superseded-link": Code(
        "Prose still states the number of a superseded claim.",
        "State the successor's, or strike the old number through: `[~~4.3 h~~](claim:old-id)`.",
    ),
    "struck-link": Code(
        "A number is struck through in prose, but its claim is not superseded.",
        "Take the strike away, or supersede the claim. An old number is struck through beside the link.",
    ),
    "link-disagrees": Code(
        "A number in prose and the claim that it is bound to disagree.",
        "Correct the number. When another number of the text was meant, link that number alone.",
    ),
}
