"""The tool's documentation, held to the tool."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from stilltrue.cli.app import app
from stilltrue.codes import CODES, STAGES
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


TREES = {
    path: ast.parse(path.read_text(encoding="utf-8"))
    for path in SOURCE.rglob("*.py")
    if path.parent.name != "codes"  # the catalogue itself
}


def strings_in(node: ast.AST) -> set[str]:
    """The string constants below a node, those inside longer texts aside."""
    return {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def takes_code() -> dict[str, int]:
    """What is called with a code: the names of functions and classes, and which argument it is."""
    found = {}
    for node in (node for tree in TREES.values() for node in ast.walk(tree)):
        if isinstance(node, ast.FunctionDef):
            names = [each.arg for each in node.args.args if each.arg != "self"]
        elif isinstance(node, ast.ClassDef):
            inits = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
            own = [each.arg for init in inits for each in init.args.args[1:]]
            fields = [
                n.target.id
                for n in node.body
                if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
            ]
            names = own or fields
        else:
            continue
        if "code" in names:
            found[node.name] = names.index("code")
    return found


def raised_codes() -> Iterator[tuple[str, str]]:
    """Every code that stands where one is taken, and where that is."""
    takes = takes_code()
    for path, tree in TREES.items():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            at = takes.get(name, len(call.args))
            given = [*call.args[at : at + 1], *(k.value for k in call.keywords if k.arg == "code")]
            for value in given:
                if isinstance(value, ast.Constant) and value.value:
                    yield str(value.value), f"{path.name}:{call.lineno}"


def test_contributing_names_files_that_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {name for name in re.findall(r"`([\w./]+/\w+\.\w+)`", text) if "NAME" not in name}
    assert "evidence/readers/__init__.py" in named
    assert [name for name in named if not (ROOT / name).exists() and not (SOURCE / name).exists()] == []


def test_every_code_has_a_heading_below_that_of_its_stage() -> None:
    page = (TOOL / "codes.md").read_text(encoding="utf-8")
    expected = [
        f"## {stage}\n" + "".join(f"### {name}\n" for name in sorted(STAGES[stage])) for stage in STAGES
    ]
    headings = re.findall(r"^##.*\n", page, re.MULTILINE)
    assert "".join(headings) == "".join(expected)
    assert len(headings) == len(set(headings)) == len(CODES) + len(STAGES)


def test_every_code_of_the_catalogue_is_used() -> None:
    used = set().union(*map(strings_in, TREES.values()))
    assert sorted(set(CODES) - used) == [], "nothing raises it: take it out of site_src/stilltrue/codes/"


def test_every_code_that_is_raised_is_in_the_catalogue() -> None:
    raised = list(raised_codes())
    assert {"probe-unseen", "past-until", "stated-unmoved", "tracked-cache"} <= {code for code, _ in raised}
    unknown = [where for where in raised if where[0] not in CODES]
    assert unknown == [], "add it to the table of its stage in site_src/stilltrue/codes/"


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


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_every_read_that_is_shown_finds_what_its_page_says(tmp_path: Path) -> None:
    shown = titled("evidence.md")
    claims = sum(text.count("```claim\n") for text in shown.values())
    assert claims > 10
    assert stilltrue(write(tmp_path, shown), "check").stdout == f"{claims} claims: {claims} hold\n"


def test_the_table_that_is_shown_is_judged_as_its_page_says(tmp_path: Path) -> None:
    own = {name: text for name, text in titled("tables.md").items() if "bench" not in name}
    root = write(tmp_path, own)
    (_, command, output), _ = consoles("tables.md")
    assert stilltrue(root, *command[1:]).stdout == output


def test_the_table_in_another_file_is_judged_as_its_page_says(tmp_path: Path) -> None:
    root = write(tmp_path, {name: text for name, text in titled("tables.md").items() if "bench" in name})
    _, (_, command, output) = consoles("tables.md")
    assert stilltrue(root, *command[1:]).stdout == output


def test_the_values_that_files_state_are_judged_as_their_page_says(tmp_path: Path) -> None:
    shown = titled("stated-in.md")
    (_, command, output), (_, again, drifted) = consoles("stated-in.md")
    history = {name: shown.pop(name) for name in ("HISTORY.md", "results/share.json", "claims/history.yml")}
    root = write(tmp_path, shown)
    (root / "stilltrue.toml").touch()
    assert stilltrue(root, *command[1:]).stdout == output
    slower = shown["results/bench.csv"].replace("1.8413", "2.3071")
    write(root, {"results/bench.csv": slower})
    assert stilltrue(root, *again[1:]).stdout == drifted
    write(root, {**history, "results/bench.csv": shown["results/bench.csv"]})
    report = json.loads(stilltrue(root, "check", "--format", "json").stdout)
    assert report["ok"]
    assert {"share.1.2", "share.1.1"} <= {claim["id"] for claim in report["claims"]}


def test_the_copies_that_a_claim_names_are_judged_as_their_page_says(tmp_path: Path) -> None:
    page = (TOOL / "copies.md").read_text(encoding="utf-8")
    part = re.split(r"^## ", page.partition("## Copies you name\n")[2], flags=re.MULTILINE)[0]
    root = write(tmp_path, {m["title"]: m["body"] for m in _TITLED.finditer(part)})
    (root / "stilltrue.toml").touch()
    (console,) = _CONSOLE.finditer(part)
    assert stilltrue(root, *console["command"].split()[1:]).stdout == console["output"]


PAGE = """\
# Speed

The third step takes [409.4 ms](claim:third-step), and no longer [~~4.3 h~~](claim:old).

!!! note

    ```claim
    id: third-step
    says: "The third step takes {value}."
    value: 409.4 ms
    evidence: results/step.log
    read: {match: '^step 3 time (\\S+ ms)$'}
    ```

```claim
id: old
says: "It takes {value}."
value: 4.3 h
reported: {by: a note}
superseded: {on: 2026-08-26, because: "measured since"}
```
"""


def run(folder: Path, *command: str) -> str:
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_site_that_is_shown_builds(tmp_path: Path) -> None:
    shown = titled("site.md")["mkdocs.yml"]
    evidence = titled("binding.md")["results/step.log"]
    write(tmp_path, {"mkdocs.yml": shown, "docs/index.md": PAGE, "results/step.log": evidence})
    run(tmp_path, "-m", "mkdocs", "build", "--strict", "--quiet")
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'class="st-card st-holds" id="third-step"' in page
    assert re.search(r'class="st-bound st-superseded"[^>]*><del>4.3 h</del>', page)
    for name in ("claims/index.html", "superseded/index.html", "claims.json"):
        assert (tmp_path / "site" / name).is_file(), name


def test_the_call_without_mkdocs_that_is_shown_makes_cards(tmp_path: Path) -> None:
    call = titled("site.md")["render.py"]
    evidence = titled("binding.md")["results/step.log"]
    write(tmp_path, {"render.py": call, "docs/speed.md": PAGE, "results/step.log": evidence})
    html = run(tmp_path, "render.py")
    assert '<div class="st-card st-superseded" id="old">' in html
    assert '<a class="st-bound st-holds" href="#third-step"' in html


def test_the_style_sheet_lies_where_the_page_says(tmp_path: Path) -> None:
    (code,) = re.findall(
        r'^\$ python -c "(.*)"$', (TOOL / "site.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert ".st-card" in Path(run(tmp_path, "-c", code).strip()).read_text(encoding="utf-8")


_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_every_relative_link_and_image_leads_to_a_file(name: str) -> None:
    text = re.sub(
        r"^(`{3,}).*?^\1$", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    targets = [m["target"] for m in _LINK.finditer(text) if not re.match(r"[a-z]+:", m["target"])]
    assert [t for t in targets if not (ROOT / t.partition("#")[0]).exists()] == []


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
    "key", [name for name in Config.__dataclass_fields__ if name not in ("root", "source")]
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
