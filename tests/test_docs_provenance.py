"""The page on provenance, held to the tool: its example is recorded, checked and changed as it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import recording_support as support
from recording_support import stilltrue_in
from stilltrue.model import Provenance
from stilltrue.provenance import name_of, parse, schema, to_json

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tool" / "provenance.md"
EVIDENCE = "claims/evidence/waste.json"

_BLOCK = re.compile(
    r'^(?P<fence>`{3,})(?P<word>\w+) title="(?P<title>[^"]+)"\n(?P<body>.*?)^(?P=fence)$',
    re.MULTILINE | re.DOTALL,
)


def shown() -> dict[str, str]:
    return {match["title"]: match["body"] for match in _BLOCK.finditer(PAGE.read_text(encoding="utf-8"))}


def said(title: str) -> tuple[list[str], str]:
    """A command that is shown, as its arguments, and what it printed."""
    command, _, output = shown()[title].removeprefix("$ stilltrue ").partition("\n")
    words = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', command)]
    return words, output


def without_time(text: str) -> str:
    return re.sub(r"in \d+\.\d\d s", "in 0.00 s", text)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The example, recorded as the page says."""
    files = {name: text for name, text in shown().items() if "/" in name or name.startswith(".")}
    record = files.pop(name_of(EVIDENCE))
    assert record
    root = support.write(tmp_path_factory.mktemp("example"), files).resolve()
    support.git(root, "init", "-q")
    support.commit_all(root)
    words, output = said("recording")
    done = stilltrue_in(root, *words)
    assert (done.code, done.err, without_time(done.out)) == (0, "", without_time(output))
    support.commit_all(root)
    yield root


def test_the_record_that_is_shown_is_valid_and_as_it_would_be_written() -> None:
    text = shown()[name_of(EVIDENCE)]
    jsonschema.Draft202012Validator(json.loads(schema())).validate(json.loads(text))
    assert to_json(parse(text.encode())) == text


def test_the_record_that_is_shown_is_that_of_the_example(root: Path) -> None:
    example, made = parse(shown()[name_of(EVIDENCE)].encode()), support.record_of(root, EVIDENCE)
    assert same_anywhere(example) == same_anywhere(made)


def same_anywhere(record: Provenance) -> tuple[Any, ...]:
    """What does not depend on when and on what machine it was recorded."""
    return (record.subjects, record.code, record.argv, record.changed, record.inputs, record.source)


def test_what_does_not_matter_is_accepted_as_the_page_says(root: Path) -> None:
    module = root / "probes/lengths.py"
    before = module.read_text()
    module.write_text(before.replace("int(line)", "abs(int(line))"))
    assert "suspect" in stilltrue_in(root, "check", "--no-cache").out
    words, output = said("accepting")
    assert stilltrue_in(root, *words) == (0, output, "")


def test_evidence_from_elsewhere_is_adopted_as_the_page_says(root: Path) -> None:
    support.write(root, {"runs/loss.log": "loss 0.25\n"})
    words, output = said("adopting")
    assert stilltrue_in(root, *words) == (0, output, "")


def test_the_page_shows_the_schema_that_is_shipped() -> None:
    text = re.sub(r"^    ", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert f"```json\n{schema()}```" in text
