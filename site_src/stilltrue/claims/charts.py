"""A fenced block to the chart it asks for, in the grammar of claims: the same YAML, the same reads."""

from __future__ import annotations

from stilltrue.claims import chart_keys, mappings, plain
from stilltrue.claims.blocks import malformed, one_newline
from stilltrue.claims.compose import compose
from stilltrue.claims.nodes import Mapping, Node, Scalar, clip, placed
from stilltrue.claims.reads import read_one, switch
from stilltrue.claims.sources import paths, text
from stilltrue.errors import InputError
from stilltrue.model import Axis, Block, Chart, ChartKind, Read, Series
from stilltrue.quantity import Unit, Units
from stilltrue.suggest import did_you_mean

MOST_SERIES = 6
"""As many lines as can be told apart by their marks and dashes."""

MOST_BARS = 3
"""As many bars as can be told apart by how they are filled."""

_SCALES = {"linear": False, "log": True}


def read_chart(block: Block, units: Units, folder: str) -> Chart:
    """What a chart block asks for.

    Args:
        block: A block of the kind `chart`.
        units: The known units.
        folder: The folder of the block's page, from the root, for `./` paths.

    Raises:
        Malformed: It is no chart.
    """
    body = one_newline(block.body)
    first = block.place.line + 1
    node: Node | None = plain.read(body, first)
    try:
        if node is None and body.strip():
            node = compose(body, first)
        return _chart(_mapping(node, block), units, block, folder)
    except InputError as error:
        raise malformed(body, error, block.place.path, first) from None


def _mapping(node: Node | None, block: Block) -> Mapping:
    if isinstance(node, Mapping):
        return node
    hint = "write a chart's keys in it: `title`, `kind`, `evidence`, `x`, `y`, `series`"
    raise InputError("bad-chart", "the block holds no chart", hint, line=block.place.line)


def _chart(node: Mapping, units: Units, block: Block, folder: str) -> Chart:
    mappings.check(node, chart_keys.CHART_KEYS)
    entries = node.entries
    x, y = entries["x"], entries["y"]
    assert isinstance(x, Mapping)  # noqa: S101  # the table of keys says so
    assert isinstance(y, Mapping)  # noqa: S101  # as above
    mappings.check(x, chart_keys.X_KEYS, "x")
    mappings.check(y, chart_keys.Y_KEYS, "y")
    kind = _kind(entries["kind"])
    return Chart(
        title=text(entries, "title"),
        kind=kind,
        patterns=paths(entries["evidence"], folder),
        x=_axis(x, units, kind, "x"),
        along=_read(x.entries["read"], units, "x.read"),
        y=_axis(y, units, kind, "y"),
        series=_series(entries["series"], units, kind),
        block=block.place,
        note=text(entries, "note"),
        raw=block.body,
        lines={name: value.line for name, value in entries.items()},
    )


def _kind(node: Node) -> ChartKind:
    written = node.text if isinstance(node, Scalar) else ""
    if written not in set(ChartKind):
        known = ", ".join(f"`{kind}`" for kind in ChartKind)
        hint = did_you_mean(written, list(ChartKind)) or f"the kinds are {known}"
        raise InputError("bad-chart", f"`{clip(written)}` is no kind of chart", hint, line=node.line)
    return ChartKind(written)


def _axis(node: Mapping, units: Units, kind: ChartKind, name: str) -> Axis:
    entries = node.entries
    log = _log(entries.get("scale"))
    if log and kind is ChartKind.BARS:
        message = f"`{name}` of bars has the scale `log`"
        hint = "bars stand side by side on 0: leave `scale` out, or draw `line` or `points`"
        raise InputError("bad-chart", message, hint, line=entries["scale"].line)
    zero = name == "y" and switch(entries.get("zero"), "zero")
    if kind is ChartKind.BARS and name == "y" and not zero:
        message, hint = (
            "bars that do not begin at 0 show nothing",
            "leave `zero` out, or draw `line` or `points`",
        )
        raise InputError("bad-chart", message, hint, line=entries["zero"].line)
    return Axis(text(entries, "label"), _unit(entries.get("unit"), units), log, zero)


def _log(node: Node | None) -> bool:
    if not isinstance(node, Scalar):
        return False
    if node.text not in _SCALES:
        message = f"`{clip(node.text)}` is no scale"
        raise InputError("bad-chart", message, "write `linear` or `log`", line=node.line)
    return _SCALES[node.text]


def _unit(node: Node | None, units: Units) -> Unit | None:
    if not isinstance(node, Scalar):
        return None
    try:
        return units.parse(node.text)
    except InputError as error:
        raise placed(error, node) from None


def _series(node: Node, units: Units, kind: ChartKind) -> tuple[Series, ...]:
    assert isinstance(node, Mapping)  # noqa: S101  # the table of keys says so
    most = MOST_BARS if kind is ChartKind.BARS else MOST_SERIES
    if not 1 <= len(node.entries) <= most:
        message = f"`series` has {len(node.entries)} entries, and {kind.value} can be told apart up to {most}"
        raise InputError("bad-chart", message, "draw two charts", line=node.line)
    return tuple(
        Series(label, _read(value, units, f"series.{label}")) for label, value in node.entries.items()
    )


def _read(node: Node, units: Units, within: str) -> Read:
    """A read of all readings: a chart shows each of them, so nothing may make one of several."""
    if not isinstance(node, Mapping):
        message = f"`{clip(within)}` is no read"
        hint = 'write `{path: "$.rows[*].peak"}`, `{column: …}` or `{match: …}`'
        raise InputError("bad-chart", message, hint, line=node.line)
    read = read_one(node, units, within)
    if read.take:
        message = f"`{clip(within)}` has a `take`, and a chart shows all readings"
        raise InputError("bad-chart", message, "leave `take` out", line=node.entries["take"].line)
    return read
