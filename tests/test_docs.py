"""The tool's documentation, held to the tool."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stilltrue.cli.app import app
from stilltrue.codes import CODES
from stilltrue.config import Config
from stilltrue.model import Verdict

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / "docs" / "tool"
SOURCE = ROOT / "site_src" / "stilltrue"

_TITLED = re.compile(
    r'^(?P<fence>`{3,})(?P<word>\w+) title="(?P<title>[^"]+)"\n(?P<body>.*?)^(?P=fence)$',
    re.MULTILINE | re.DOTALL,
)
_CONSOLE = re.compile(
    r'^```console(?: title="(?P<title>[^"]*)")?\n\$ (?P<command>.*?)\n(?P<output>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)


def stilltrue(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stilltrue", *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_the_generated_parts_are_those_of_the_code() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "site_src" / "make_reference.py", "--check"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def codes_in_source() -> set[str]:
    text = "\n".join(
        path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py") if path.name != "codes.py"
    )
    return {code for code in re.findall(r'"([a-z0-9-]+)"', text) if code in CODES}


def test_every_code_of_the_catalogue_is_used() -> None:
    assert sorted(set(CODES) - codes_in_source()) == []


def test_every_code_that_is_raised_is_in_the_catalogue() -> None:
    raised = re.compile(r'(?:InputError|Problem)\(\s*"([^"]+)"|code="([^"]+)"')
    for path in SOURCE.rglob("*.py"):
        for match in raised.finditer(path.read_text(encoding="utf-8")):
            assert (match[1] or match[2]) in CODES, f"{path.name}: {match[0]}"


def titled(page: str) -> dict[str, str]:
    return {m["title"]: m["body"] for m in _TITLED.finditer((TOOL / page).read_text(encoding="utf-8"))}


def consoles(page: str) -> Iterator[tuple[str, list[str], str]]:
    for match in _CONSOLE.finditer((TOOL / page).read_text(encoding="utf-8")):
        yield match["title"] or "", match["command"].split(), match["output"]


def test_the_first_bound_number_goes_as_its_page_says(tmp_path: Path) -> None:
    for name, text in titled("binding.md").items():
        if "/" in name or name.endswith(".md"):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    readme = tmp_path / "README.md"
    original = readme.read_text(encoding="utf-8")
    seen = 0
    for title, command, output in consoles("binding.md"):
        assert command[0] == "stilltrue"
        changed = re.match(r"after stating (\S+) ms in the block", title)
        text = original.replace("value: 409.4", f"value: {changed[1]}") if changed else original
        readme.write_text(text, encoding="utf-8")
        assert stilltrue(tmp_path, *command[1:]).stdout == output
        seen += 1
    assert seen == 3


def keys(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path}{key}"
            yield from keys(inner, f"{path}{key}.")
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, path.removesuffix(".") + "[].")


def test_every_key_of_the_json_report_is_described() -> None:
    page = (TOOL / "json.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`([a-z_\[\].]+)`", page.split("| key | is |")[1]))
    for name in ("verdicts", "malformed"):
        report = json.loads(
            (ROOT / "tests" / "projects" / name / "expected.json").read_text(encoding="utf-8")
        )
        for key in (key for key in keys(report) if not key.startswith("counts.")):
            parts = key.split(".")
            assert key in described or parts[-1] in described, key
    verdicts = {verdict.value for verdict in Verdict}
    assert set(report["counts"]) == verdicts


@pytest.mark.parametrize(
    "key", [name for name in Config.__dataclass_fields__ if name not in ("root", "source", "unit_words")]
)
def test_every_key_of_the_configuration_is_described(key: str) -> None:
    assert re.search(rf"^(?:\[{key}\]|{key} = )", titled("commands.md")["stilltrue.toml"], re.MULTILINE)


def test_the_configuration_that_is_shown_is_understood(tmp_path: Path) -> None:
    (tmp_path / "stilltrue.toml").write_text(titled("commands.md")["stilltrue.toml"], encoding="utf-8")
    done = stilltrue(tmp_path, "check")
    assert done.returncode == 2
    assert "[nothing-to-check]" in done.stderr


@pytest.mark.parametrize("name", sorted(app.commands))
def test_every_command_and_option_is_described(name: str) -> None:
    page = (TOOL / "commands.md").read_text(encoding="utf-8")
    assert f"stilltrue {name}" in page
    for parameter in app.commands[name].params:
        option = max(parameter.opts, key=len)
        if option.startswith("--") and option != "--help":
            assert option in page, option
