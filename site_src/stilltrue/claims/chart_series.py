"""What a chart draws: each series with what gives its heights, and the height that is marked."""

from __future__ import annotations

from stilltrue.claims import chart_keys, mappings
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, clip, placed
from stilltrue.claims.reads import read_one, switch
from stilltrue.claims.sources import text
from stilltrue.errors import InputError
from stilltrue.model import ChartKind, ClaimsNamed, Limit, Read, Series
from stilltrue.quantity import Form, Quantity, Units, parse_stated

MOST_SERIES = 6
"""As many lines as can be told apart by their marks and dashes."""

MOST_BARS = 3
"""As many bars as can be told apart by how they are filled."""

_NONE = "-"
"""What stands for a place at which no claim states a height."""

_DRAWN = {"line": ChartKind.LINE, "points": ChartKind.POINTS}
_SHAPES = ("path", "column", "match")


def read_series(node: Node, units: Units, kind: ChartKind) -> tuple[Series, ...]:
    """The series of a chart, in their author's order.

    Args:
        node: The value of `series`.
        units: The known units.
        kind: How the chart is drawn.

    Raises:
        InputError: There are none or too many, or one is wrong; its line is filled in.
    """
    assert isinstance(node, Mapping)  # noqa: S101  # the table of keys says so
    most = MOST_BARS if kind is ChartKind.BARS else MOST_SERIES
    if not 1 <= len(node.entries) <= most:
        message = f"`series` has {len(node.entries)} entries, and {kind.value} can be told apart up to {most}"
        raise InputError("bad-chart", message, "draw two charts", line=node.line)
    return tuple(_one(label, value, units, kind) for label, value in node.entries.items())


def read_all(node: Node, units: Units, within: str) -> Read:
    """A read of all readings: a chart shows each of them, so nothing may make one of several.

    Raises:
        InputError: It is no read, or has a `take`; its line is filled in.
    """
    mapping = _mapping(node, within)
    read = read_one(mapping, units, within)
    if read.take:
        message = f"`{clip(within)}` has a `take`, and a chart shows all readings"
        raise InputError("bad-chart", message, "leave `take` out", line=mapping.entries["take"].line)
    return read


def _mapping(node: Node, within: str) -> Mapping:
    if isinstance(node, Mapping):
        return node
    message = f"`{clip(within)}` is no read"
    hint = 'write `{path: "$.rows[*].peak"}`, `{column: …}` or `{match: …}`'
    raise InputError("bad-chart", message, hint, line=node.line)


def read_limit(node: Node, units: Units) -> Limit:
    """The height that a chart marks.

    Raises:
        InputError: It has not one of `claim` and `value`, or its value is no number; its line is filled in.
    """
    assert isinstance(node, Mapping)  # noqa: S101  # the table of keys says so
    mappings.check(node, chart_keys.LIMIT_KEYS, "limit")
    claim, value = (node.entries.get(name) for name in ("claim", "value"))
    if isinstance(claim, Scalar) and value is None:
        return Limit(text(node.entries, "label"), claim.text)
    if isinstance(value, Scalar) and claim is None:
        return Limit(text(node.entries, "label"), _height(value, units))
    message = "`limit` has both `claim` and `value`" if claim else "`limit` has no height"
    hint = "keep one of them" if claim else "name the claim that states it, or give its `value`"
    raise InputError("bad-chart", message, hint, line=node.line)


def _height(node: Scalar, units: Units) -> Quantity:
    try:
        stated = parse_stated(node.text, units)
    except InputError as error:
        raise placed(error, node) from None
    if stated.form in (Form.NUMBER, Form.EXACTLY, Form.ABOUT) and isinstance(stated.value, Quantity):
        return stated.value
    message = f"the limit `{clip(node.text)}` is no single number"
    raise InputError("bad-chart", message, "write one number with its unit", line=node.line)


def _one(label: str, node: Node, units: Units, kind: ChartKind) -> Series:
    within = f"series.{label}"
    entries = _mapping(node, within).entries
    own = {name: value for name, value in entries.items() if name in chart_keys.DRAWN_KEYS}
    rest = Mapping({name: value for name, value in entries.items() if name not in own}, node.line)
    source = _claims(rest, within) if "claims" in entries else read_all(rest, units, within)
    mappings.check(Mapping(own, node.line), chart_keys.DRAWN_KEYS, within)
    if kind is ChartKind.BARS and own:
        name, value = next(iter(own.items()))
        message = f"`{clip(within)}` has `{name}`, and bars stand side by side, each over each place"
        raise InputError(
            "bad-chart", message, f"leave `{name}` out, or draw `line` or `points`", line=value.line
        )
    along = read_all(own["x"], units, f"{within}.x") if "x" in own else None
    return Series(label, source, _drawn(own.get("as"), kind), along)


def _claims(node: Mapping, within: str) -> ClaimsNamed:
    entries = node.entries
    shape = next((name for name in _SHAPES if name in entries), "")
    if shape:
        message = f"`{shape}` stands beside `claims` in `{clip(within)}`, and a series has one source"
        raise InputError(
            "bad-chart", message, "keep one of them, or draw two series", line=entries[shape].line
        )
    mappings.check(node, chart_keys.SERIES_KEYS, within)
    items = entries["claims"].items if isinstance(entries["claims"], Sequence) else ()
    ids = tuple(item.text for item in items if isinstance(item, Scalar))
    may_be_old = "superseded" in entries and switch(entries["superseded"], "superseded")
    return ClaimsNamed(tuple("" if name == _NONE else name for name in ids), may_be_old)


def _drawn(node: Node | None, kind: ChartKind) -> ChartKind:
    if not isinstance(node, Scalar):
        return kind
    if node.text not in _DRAWN:
        message = f"`{clip(node.text)}` is no way to draw a series"
        raise InputError("bad-chart", message, "write `as: line` or `as: points`", line=node.line)
    return _DRAWN[node.text]
