"""Imports go downward only: the layers of the design, held by reading every import there is."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import stilltrue

PACKAGE = Path(stilltrue.__file__).parent
ROOT = "stilltrue"

RANKS = {
    # The package itself: its version.
    "": 0,
    # What can go wrong.
    "errors": 1,
    "codes": 1,
    "suggest": 1,
    "toml": 1,
    "wording": 1,
    # Days in UTC, and how long a search may take.
    "days": 2,
    "deadline": 2,
    # What a file of tensors says of itself.
    "tensor_header": 1,
    # Which names a glob means.
    "globs": 2,
    # What code from outside may do to this process.
    "guard": 1,
    # What a pattern finds in a text.
    "patterns": 3,
    # What the configuration names of installed packages; what a reader from outside is made of.
    "installed": 2,
    "reading": 2,
    # What a line of pip's requirements asks for.
    "requirements": 2,
    "matches": 4,
    # A number with its unit and its precision.
    "quantity": 2,
    # The frozen nouns, paths, the configuration.
    "files": 3,
    "root": 3,
    "discover": 3,
    "model": 3,
    "config": 4,
    # Where results are remembered.
    "workspace": 3,
    # Several files written together, or none.
    "transaction": 4,
    # Rooms: none knows another.
    "pages": 5,
    "claims": 5,
    "copies": 5,
    "evidence": 5,
    "compare": 5,
    "derive": 5,
    "locks": 5,
    "git": 5,
    "probes": 5,
    "provenance": 5,
    "report": 5,
    # The one module that knows every stage.
    "check": 6,
    # Running probes beside the evidence.
    "runs": 6,
    # Operations over a check: none knows another.
    "cache": 7,
    "record": 7,
    "mutate": 7,
    "coverage": 7,
    "edit": 7,
    "binding": 7,
    "rerun": 7,
    "retire": 7,
    "scaffold": 7,
    "preflight": 7,
    "start": 7,
    # What a site shows of a check, with the doors of MkDocs and Python-Markdown.
    "site": 8,
    # Doors: none knows another.
    "cli": 9,
    "pytest_plugin": 9,
    # What those who write a reader try it with.
    "testing": 9,
    # `python -m stilltrue` opens a door.
    "__main__": 10,
}
"""A unit (a module or a package right under `stilltrue`) imports only units of a lower rank."""

THIRD_PARTY = {
    "click": {"cli"},
    "re2": {"copies", "evidence", "patterns"},
    "yaml": {"claims", "evidence", "pages", "scaffold"},
    "jsonpath_rfc9535": {"evidence"},
    "iregexp_check": {"evidence"},
    "packaging": {"check", "claims", "probes"},
    "markdown": {"site"},
    "mkdocs": {"site"},
    "pytest": {"pytest_plugin"},
}
"""Which units may import what is neither the standard library nor ours: the core knows no host."""

PROCESS_UNITS = {"probes", "git"}
"""The only units that may start processes."""

PROGRAMS = "stilltrue.preflight.asked."
"""What begins so is run by its file, under the interpreter of a launch, with what is installed there."""

REPLACES_ITSELF = {"stilltrue.preflight.stand_in"}
"""Programs of their own, run below the keeper of `probes`, that start themselves again in their own place."""

PROCESS_MODULES = {"subprocess", "multiprocessing", "pty", "concurrent.futures.process"}
PROCESS_CALLS = {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "startfile"}
PROCESS_PREFIXES = ("exec", "spawn")

LAZY = ("re2", "yaml", "sqlite3", "markdown_it", "mkdocs", "torch", "jsonpath_rfc9535", "json", "difflib")
"""What importing the command line must not load."""


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join((ROOT, *(parts[:-1] if parts[-1] == "__init__" else parts)))


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def unit_of(module: str) -> str:
    return module.removeprefix(ROOT).lstrip(".").partition(".")[0]


def base_of(module: str, level: int) -> str:
    """What the dots of a relative import in `module` stand for."""
    parts = module.split(".")
    is_package = MODULES[module].name == "__init__.py"
    return ".".join(parts[: len(parts) - level + is_package])


@cache
def imports_of(module: str) -> frozenset[str]:
    """Every module that one imports, inside functions and `if TYPE_CHECKING` too."""
    found: set[str] = set()
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, (base_of(module, node.level) if node.level else "", node.module)))
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in MODULES else base)
    return frozenset(found)


def own_imports(module: str) -> Iterator[str]:
    return (name for name in imports_of(module) if name.split(".")[0] == ROOT)


def test_every_module_has_a_rank() -> None:
    unranked = sorted(module for module in MODULES if unit_of(module) not in RANKS)
    assert not unranked, "give the new module a rank in this file's table"


def test_the_layers_that_newcomers_read_are_these() -> None:
    """CONTRIBUTING.md lists units before two blanks, lowest first; those after them are words."""
    guide = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = re.search(r"```text\nerrors.*?```", guide, re.DOTALL)
    assert table is not None
    named = [
        unit.strip() for line in table[0].splitlines()[1:-1] for unit in line[:30].split("·") if unit.strip()
    ]
    told = "list each unit in the layers of CONTRIBUTING.md, in the first 30 columns"
    assert sorted(named) == sorted(unit for unit in RANKS if unit not in {"", "__main__"}), told
    doors = [RANKS[unit] for unit in named if RANKS[unit] >= RANKS["check"]]
    assert doors == sorted(doors)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_lies_below_it(module: str) -> None:
    unit = unit_of(module)
    upward = [
        name for name in own_imports(module) if unit_of(name) != unit and RANKS[unit_of(name)] >= RANKS[unit]
    ]
    told = f"{module} is of rank {RANKS[unit]} and imports lower ones alone: move what both need below it"
    assert not upward, told


@pytest.mark.parametrize("module", MODULES)
def test_an_import_names_a_module_that_is_there(module: str) -> None:
    assert not [name for name in own_imports(module) if name not in MODULES]


def test_no_modules_import_each_other_in_a_circle() -> None:
    finished: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " imports ".join((*trail[trail.index(module) :], module))
        if module not in finished:
            for name in own_imports(module):
                if name != module and name in MODULES:
                    visit(name, (*trail, module))
            finished.add(module)

    for module in MODULES:
        visit(module, ())
    assert finished == set(MODULES)


def test_outside_packages_are_imported_only_where_the_table_says() -> None:
    """Exactly there: a permission that nobody uses is taken back."""
    used: dict[str, set[str]] = {}
    for module in (module for module in MODULES if not module.startswith(PROGRAMS)):
        for name in {name.split(".")[0] for name in imports_of(module)} - {ROOT} - sys.stdlib_module_names:
            used.setdefault(name, set()).add(unit_of(module))
    assert used == THIRD_PARTY


@pytest.mark.parametrize("module", [module for module in MODULES if module.startswith(PROGRAMS)])
def test_a_program_for_another_interpreter_has_nothing_of_ours_and_is_imported_nowhere(module: str) -> None:
    assert not list(own_imports(module))
    assert not [other for other in MODULES if module in imports_of(other)]


@pytest.mark.parametrize("module", MODULES)
def test_only_probes_and_git_start_processes(module: str) -> None:
    if unit_of(module) in PROCESS_UNITS or module in REPLACES_ITSELF:
        return
    assert not PROCESS_MODULES & imports_of(module)
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            assert node.attr not in PROCESS_CALLS, f"line {node.lineno}"
            assert not node.attr.startswith(PROCESS_PREFIXES), f"line {node.lineno}"


@pytest.mark.parametrize("module", ["stilltrue.cli", "stilltrue.cli.boundary"])
def test_the_command_line_starts_without_what_only_a_check_needs(module: str) -> None:
    program = f"import sys, {module}; print(*(name for name in {LAZY!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=clean_environment()
    )
    assert done.stdout.strip() == ""


def clean_environment() -> dict[str, str]:
    """Finds the package without the path files of an environment, which may import things themselves."""
    return {"PYTHONPATH": str(PACKAGE.parent), "PYTHONDONTWRITEBYTECODE": "1"}


def test_the_walk_sees_imports_inside_functions() -> None:
    assert "stilltrue.cli.boundary" in imports_of("stilltrue.cli")
    assert "stilltrue.suggest" in imports_of("stilltrue.files")
