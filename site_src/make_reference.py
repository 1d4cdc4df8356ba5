"""Writes the generated parts of the tool's documentation, and the schema, from the tables in the code.

    python site_src/make_reference.py          # write them
    python site_src/make_reference.py --check  # fail when a page is out of date

A page marks such a part with `<!-- made: NAME -->` and `<!-- /made -->`; what stands between is replaced.
Both fail where a part has no place on any page.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from stilltrue.claims import (
    CHART_KEYS,
    COPY_KEYS,
    KEYS,
    LIMIT_KEYS,
    READ_KEYS,
    REPORTED_KEYS,
    SEARCH_KEYS,
    SERIES_KEYS,
    SEVERITY_KEYS,
    STATED_IN_KEYS,
    SUPERSEDED_KEYS,
    VALID_KEYS,
    X_KEYS,
    Y_KEYS,
    Key,
)
from stilltrue.claims.keys import TABLE_IN_KEYS
from stilltrue.claims.schema import schema as claims_schema
from stilltrue.claims.table_keys import COLUMN_KEYS, TABLE_KEYS
from stilltrue.codes import STAGES, Code
from stilltrue.evidence import FORMATS, TAKES
from stilltrue.evidence.readers import READERS, Columns, Reader
from stilltrue.evidence.tables.frames import Kind
from stilltrue.evidence.tables.headings import column_name
from stilltrue.model import Shape
from stilltrue.preflight.keys import SOURCE, Keys
from stilltrue.preflight.table import CHECKS
from stilltrue.probes import HEADER_KEYS, NEEDS, HeaderKey
from stilltrue.provenance import schema
from stilltrue.start import HOOKS, WORKFLOW, hook_text, workflow_text

PAGES = Path(__file__).resolve().parent.parent / "docs" / "tool"

_PART = re.compile(r"(?P<open><!-- made: (?P<name>[a-z ]+) -->\n).*?(?P<close><!-- /made -->)", re.DOTALL)
_WIDTH = 110


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def _code(text: str) -> str:
    """Text as code, in as many backticks as it needs."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _keys(table: Mapping[str, Key] | Mapping[str, HeaderKey]) -> str:
    rows = (
        (_code(key.name) + (" *" if key.required else ""), str(key.kind), key.meaning, _code(key.example))
        for key in table.values()
    )
    note = "\n\\* must be there.\n" if any(key.required for key in table.values()) else ""
    return _table(("key", "is", "says", "example"), rows) + note


def _formats() -> str:
    rows = (
        (_code(name), f.shape.value, ", ".join(map(_code, f.suffixes)), f.content, f.means)
        for name, f in FORMATS.items()
    )
    return _table(("format", "shape", "suffix", "content", "what it is"), rows)


def _readers() -> str:
    return "\n".join(f"## {name}\n\n{_reader(reader)}" for name, reader in READERS.items())


def _reader(reader: Reader) -> str:
    said = (
        f"{reader.means[0].upper()}{reader.means[1:]}. Known by its content: it {reader.content}.",
        f"The tree is {reader.rows}." if reader.shape is Shape.TREE else f"A row is {reader.rows}.",
    )
    traps = "".join(f"{_wrapped(f'* {trap}', below='  ')}\n" for trap in reader.traps)
    return "".join(f"{_wrapped(text)}\n\n" for text in said) + f"{_columns(reader.columns)}{traps}"


def _columns(columns: Columns) -> str:
    """Columns with what their cells are, those of one kind in one row; nothing where a format has none."""
    if not columns:
        return ""
    kinds: dict[str, list[str]] = {}
    for name, known in columns.items():
        word = {"": "numbers or text", Kind.FLAG: "yes or no", Kind.BOOL: "yes or no"}.get(known, str(known))
        kinds.setdefault(word, []).append(_code(column_name(name)))
    rows = ((word, ", ".join(names)) for word, names in kinds.items())
    return _table(("cells are", "columns"), rows) + "\n"


def _takes() -> str:
    return _table(("take", "gives"), ((_code(name), take.means) for name, take in TAKES.items()))


def _needs() -> str:
    return _table(("word", "asks for"), ((_code(word), means) for word, means in NEEDS.items()))


def _record_fields() -> str:
    fields = json.loads(schema())["$defs"]["measurement"]["properties"]
    return _table(("field", "says"), ((_code(name), field["description"]) for name, field in fields.items()))


def _record_schema() -> str:
    """A note that is opened to see it."""
    said = "It is shipped with the package; `stilltrue.provenance.schema()` gives its text."
    return '??? note "The JSON Schema"\n\n' + textwrap.indent(f"{said}\n\n```json\n{schema()}```\n", "    ")


def _file(name: str, text: str) -> str:
    """A YAML file under its name."""
    return f'```yaml title="{name}"\n{text}```\n'


def _checks() -> str:
    rows = ((f"[`{name}`](#{name})", check.summary) for name, check in CHECKS.items())
    return _table(("check", "passes when"), rows)


def _settings(keys: Keys, below: str = "") -> str:
    """The keys of a check, those of the mappings in it below their own: `record.file`."""
    note = "\n\\* must be there.\n" if any(key.required for key in keys.values()) else ""
    return _table(("key", "is", "says", "example"), _setting_rows(keys, below)) + note


def _setting_rows(keys: Keys, below: str) -> Iterator[tuple[str, ...]]:
    for key in keys.values():
        name = _code(below + key.name) + (" *" if key.required else "")
        yield name, str(key.kind), key.meaning, _code(key.example)
        if key.inner is not SOURCE:  # told once, above
            yield from _setting_rows(key.inner, f"{below}{key.name}.")


def _codes() -> str:
    return "\n".join(
        f"## {stage}\n\n" + "\n".join(_explained(name, codes[name]) for name in sorted(codes))
        for stage, codes in STAGES.items()
    )


def _explained(name: str, code: Code) -> str:
    return f"### {name}\n\n{_wrapped(code.means)}\n\n{_wrapped(code.cure)}\n"


def _wrapped(text: str, below: str = "") -> str:
    return textwrap.fill(
        text, _WIDTH, subsequent_indent=below, break_long_words=False, break_on_hyphens=False
    )


PARTS: dict[str, Callable[[], str]] = {
    "claim keys": lambda: _keys(KEYS),
    "read keys": lambda: _keys(READ_KEYS),
    "reported keys": lambda: _keys(REPORTED_KEYS),
    "stated in keys": lambda: _keys(STATED_IN_KEYS),
    "copy keys": lambda: _keys(COPY_KEYS),
    "search keys": lambda: _keys(SEARCH_KEYS),
    "superseded keys": lambda: _keys(SUPERSEDED_KEYS),
    "severity keys": lambda: _keys(SEVERITY_KEYS),
    "chart keys": lambda: _keys(CHART_KEYS),
    "chart x keys": lambda: _keys(X_KEYS),
    "chart y keys": lambda: _keys(Y_KEYS),
    "chart series keys": lambda: _keys(SERIES_KEYS),
    "chart limit keys": lambda: _keys(LIMIT_KEYS),
    "table keys": lambda: _keys({name: key for name, key in TABLE_KEYS.items() if key is not KEYS.get(name)}),
    "table in keys": lambda: _keys(TABLE_IN_KEYS),
    "column keys": lambda: _keys({"unit": COLUMN_KEYS["unit"]}),
    "valid keys": lambda: _keys(VALID_KEYS),
    "probe keys": lambda: _keys(HEADER_KEYS),
    "probe needs": _needs,
    "record fields": _record_fields,
    "record schema": _record_schema,
    "formats": _formats,
    "readers": _readers,
    "takes": _takes,
    "codes": _codes,
    "preflight checks": _checks,
    **{
        f"preflight {name.replace('_', ' ')}": partial(_settings, check.keys)
        for name, check in CHECKS.items()
    },
    "workflow": lambda: _file(WORKFLOW, workflow_text()),
    "local hook": lambda: _file(HOOKS, hook_text()),
}
"""Every generated part by its name."""

FILES: dict[str, Callable[[], str]] = {"claims.schema.json": claims_schema}
"""Files that are generated as a whole."""


def made(text: str) -> str:
    """A page with each of its generated parts made anew.

    Raises:
        KeyError: A part of a name that is not in `PARTS`.
    """
    return _PART.sub(lambda m: f"{m['open']}\n{PARTS[m['name']]()}\n{m['close']}", text)


def _written() -> Iterator[tuple[Path, str]]:
    """Every file that is written, with what it should hold."""
    for path in sorted(PAGES.glob("*.md")):
        yield path, made(path.read_text(encoding="utf-8"))
    for name, text in FILES.items():
        yield PAGES / name, text()


def _unplaced() -> set[str]:
    """The parts that stand on no page."""
    placed = {
        m["name"] for path in PAGES.glob("*.md") for m in _PART.finditer(path.read_text(encoding="utf-8"))
    }
    return PARTS.keys() - placed


def main() -> int:
    """Write the pages, or with `--check` only say which are out of date."""
    check = "--check" in sys.argv[1:]
    stale = []
    for path, new in _written():
        if path.is_file() and path.read_text(encoding="utf-8") == new:
            continue
        stale.append(path.name)
        if not check:
            path.write_text(new, encoding="utf-8")
    unplaced = sorted(_unplaced())
    said = "is out of date: run `python site_src/make_reference.py`" if check else "written"
    lines = [
        *(f"docs/tool/{name} {said}" for name in stale),
        *(
            f"no page of docs/tool/ holds `<!-- made: {name} -->` and, below, `<!-- /made -->`"
            for name in unplaced
        ),
    ]
    for line in lines:
        print(line)  # noqa: T201  # its only output
    return 1 if unplaced or (check and stale) else 0


if __name__ == "__main__":
    sys.exit(main())
