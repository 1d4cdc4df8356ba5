"""A fenced block to the chart it asks for, in the grammar of claims: the same YAML, the same reads."""

from __future__ import annotations

from stilltrue.claims import chart_keys, mappings, plain
from stilltrue.claims.blocks import malformed, one_newline
from stilltrue.claims.chart_series import read_all, read_limit, read_series
from stilltrue.claims.compose import compose
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, clip, placed
from stilltrue.claims.reads import switch
from stilltrue.claims.sources import paths, text
from stilltrue.errors import InputError
from stilltrue.model import Axis, Block, Chart, ChartKind, Read, Series
from stilltrue.quantity import Quantity, Text, Unit, Units, parse_value
from stilltrue.suggest import did_you_mean

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
    along = _along(x, units, kind)
    series = read_series(entries["series"], units, kind)
    _used(node, along, series)
    return Chart(
        title=text(entries, "title"),
        kind=kind,
        patterns=paths(entries["evidence"], folder) if "evidence" in entries else (),
        x=_axis(x, units, kind, "x"),
        along=along,
        y=_axis(y, units, kind, "y"),
        series=series,
        block=block.place,
        limit=read_limit(entries["limit"], units) if "limit" in entries else None,
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


def _used(node: Mapping, along: Read | tuple[Quantity | Text, ...], series: tuple[Series, ...]) -> None:
    """Hold `evidence` to the reads: it is there when one of them needs it, and only then."""
    sources = [along, *(each for one in series for each in (one.source, one.along))]
    reads = any(isinstance(source, Read) for source in sources)
    evidence = node.entries.get("evidence")
    if reads and evidence is None:
        example = chart_keys.CHART_KEYS["evidence"].example
        raise InputError("missing-key", "`evidence` is missing", f"add `{example}`", line=node.line)
    if evidence is not None and not reads:
        message = "no read of this chart reads its `evidence`"
        raise InputError("bad-chart", message, "leave `evidence` out", line=evidence.line)


def _along(node: Mapping, units: Units, kind: ChartKind) -> Read | tuple[Quantity | Text, ...]:
    """The read that gives the places along the bottom, or the places as they are written."""
    read, names = node.entries.get("read"), node.entries.get("names")
    if (read is None) == (names is None):
        message = "`x` has both `read` and `names`" if names else "`read` is missing in `x`"
        hint = f"add `{chart_keys.X_KEYS['read'].example}`, or the places themselves as `names`"
        raise InputError(
            "missing-key", message, hint if names is None else "keep one of them", line=node.line
        )
    if read is not None:
        return read_all(read, units, "x.read")
    items = names.items if isinstance(names, Sequence) else ()
    return tuple(_name(item, units, kind) for item in items if isinstance(item, Scalar))


def _name(node: Scalar, units: Units, kind: ChartKind) -> Quantity | Text:
    """A place as it is written: for bars any words, else a number."""
    if kind is ChartKind.BARS:
        return Text(node.text)
    try:
        value = parse_value(node.text, units)
    except InputError as error:
        raise placed(error, node) from None
    if isinstance(value, Quantity):
        return value
    message = f"`{clip(node.text)}` in `x.names` is no number"
    raise InputError("bad-chart", message, "write numbers, or draw `bars`", line=node.line)


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
