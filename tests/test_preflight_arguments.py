"""The check `arguments`: names against the installed signature."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from preflight_support import launch_of, look
from stilltrue.preflight import asking
from stilltrue.preflight.asked import signature

MODULE = '''\
"""Classes and functions as libraries have them."""

import dataclasses
import functools

print("a library says hello")


@dataclasses.dataclass
class Arguments:
    """Refuses what it does not know."""

    learning_rate: float = 1e-4
    warmup_steps: int = 0
    checkpointing: bool = dataclasses.field(
        default=False, metadata={"help": "Deprecated alias of `recompute`, will be removed in v6."}
    )
    local_rank: int = dataclasses.field(default=-1, metadata={"help": "In (deprecated) launch, a rank."})
    made: int = dataclasses.field(default=0, init=False)


def forgets(width, *, depth=1, **options):
    return width


def takes_out(name, **options):
    options.pop("device_map", None)
    if options["revision"]:
        return options.get("dtype")


def hands_on(**options):
    return forgets(1, **options)


class Base:
    def __init__(self, dropout=0.0, **kwargs):
        for key, value in kwargs.items():
            setattr(self, key, value)


class Config(Base):
    def __init__(self, layers=1, **kwargs):
        super().__init__(**kwargs)


    @classmethod
    def made(cls, layers=2, **kwargs):
        return cls(layers, **kwargs)


class Alone(Base):
    attribute_map = {"depth": "layers"}

    def __init__(self, layers=1, **kwargs):
        self.layers = layers


class Aliased(Base):
    attribute_map = {"hidden_size": "width", "depth": "layers"}

    def __init__(self, width=1, layers=1, **kwargs):
        super().__init__(**kwargs)


class Updates:
    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)


class Root:
    def __post_init__(self, **kwargs):
        self.dtype = kwargs.pop("dtype", None)
        for key, value in kwargs.items():
            setattr(self, key, value)


def swallowing(kind):
    """As configurations of transformers are made: their signature shows no `**`."""
    initial = kind.__init__

    @functools.wraps(initial)
    def init(self, *args, **kwargs):
        known = {key: kwargs.pop(key) for key in list(kwargs) if key == "width"}
        initial(self, *args, **known)
        Root.__post_init__(self, **kwargs)

    kind.__init__ = init
    return kind


@swallowing
@dataclasses.dataclass
class Wrapped(Root):
    width: int = 1

    def __post_init__(self):
        pass
'''


def settings(of: str, more: str = "") -> str:
    return f"arguments: {{of: '{of}', given: arguments.yml{more}}}\n"


def launch(root: Path, of: str, given: str, more: str = "") -> Path:
    return launch_of(root, settings(of, more), {"library.py": MODULE, "arguments.yml": given})


def test_names_that_are_parameters_pass_and_are_counted(tmp_path: Path) -> None:
    seen = look(launch(tmp_path, "library.Arguments", "learning_rate: 1\nwarmup_steps: no matter what\n"))
    assert seen.code == 0
    assert seen.right("arguments") == ["`library.Arguments`: 2 arguments, each a parameter"]


def test_a_name_that_is_refused_fails_at_its_line_with_the_nearest_one(tmp_path: Path) -> None:
    seen = look(launch(tmp_path, "library:Arguments", "learning_rate: 1\nwarmup_ratio: 0.03\nmade: 1\n"))
    assert seen.wrong("arguments") == [
        "`warmup_ratio`: no parameter of `library:Arguments`",
        "`made`: no parameter of `library:Arguments`",
    ]
    first = seen.checks["arguments"][0]
    assert (first["path"], first["line"]) == ("arguments.yml", 2)
    assert first["hint"] == "did you mean `warmup_steps`?"
    assert seen.right("arguments") == ["`library:Arguments`: 1 argument, each a parameter"]


ATTRIBUTE = "it would become an attribute of that name, whether or not anything reads it"
HANDED = "it would be handed on by `**`"
SILENT = "it would be taken without a word"


def test_a_name_that_is_swallowed_fails_and_what_becomes_of_it_is_told(tmp_path: Path) -> None:
    seen = look(launch(tmp_path, "library.Wrapped", "warmup_ratio: 0.03\n"))
    assert seen.wrong("arguments") == [f"`warmup_ratio`: no parameter of `library.Wrapped`; {ATTRIBUTE}"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The module, importable in this process."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "library.py").write_text(MODULE, encoding="utf-8")
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))
    sys.modules.pop("library")


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("of", "takes", "swallows"),
    [
        ("library.Arguments", "learning_rate warmup_steps checkpointing local_rank", ""),
        ("library.forgets", "width depth", SILENT),
        ("library.takes_out", "name device_map revision dtype", SILENT),
        ("library.hands_on", "", HANDED),
        ("library.Base", "dropout", ATTRIBUTE),
        ("library.Config", "layers dropout", ATTRIBUTE),
        ("library.Alone", "layers", SILENT),
        ("library.Aliased", "width layers dropout hidden_size depth", ATTRIBUTE),
        ("library.Updates", "", ATTRIBUTE),
        ("library:Wrapped", "width dtype", ATTRIBUTE),
        ("library.Config.made", "layers", HANDED),
    ],
)
def test_what_is_taken_by_name_and_what_becomes_of_the_rest(of: str, takes: str, swallows: str) -> None:
    answer = signature.answer(of)
    assert answer["error"] == ""
    assert sorted(answer["parameters"]) == sorted(takes.split())
    assert answer["swallows"] == swallows


def test_what_the_library_calls_deprecated_passes_and_is_told(tmp_path: Path) -> None:
    seen = look(launch(tmp_path, "library.Arguments", "checkpointing: yes\nlocal_rank: 1\n"))
    (right,) = seen.right("arguments")
    says = "the library says of `checkpointing`: Deprecated alias of `recompute`, will be removed in v6."
    assert right == f"`library.Arguments`: 2 arguments, each a parameter; {says}"
    assert seen.code == 0


def test_several_share_a_file_and_names_beside_them_are_excepted(tmp_path: Path) -> None:
    of = (
        "arguments:\n  of: [library.Arguments, library.Config]\n"
        "  given: arguments.yml\n  path: $.all\n  beside: [tag]\n"
    )
    given = "all: {learning_rate: 1, layers: 2, tag: x}\nother: {unseen: 1}\n"
    root = launch_of(tmp_path, of, {"library.py": MODULE, "arguments.yml": given})
    assert look(root).code == 0
    (root / "arguments.yml").write_text("all: {learning_rate: 1}\n", encoding="utf-8")
    assert look(root).wrong("arguments") == ["`tag`: the file does not give it"]
    (root / "preflight.yml").write_text(of.replace("[tag]", "[learning_rate]"), encoding="utf-8")
    assert look(root).wrong("arguments") == [
        "`learning_rate`: `beside` calls it something else, and it is a parameter"
    ]


def test_a_list_of_names_is_given_too(tmp_path: Path) -> None:
    root = launch(tmp_path, "library.Arguments", "flags: [learning_rate, lr]\n", ", path: $.flags")
    assert look(root).wrong("arguments") == ["`lr`: no parameter of `library.Arguments`"]


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("of", "error"),
    [
        ("library.Nothing", "AttributeError"),
        ("nolibrary.Nothing", "ModuleNotFoundError: No module named 'nolibrary'"),
        ("library", "ValueError: a module is no class or function"),
        ("builtins.dict", "ValueError: no signature found"),
        ("library:Arguments.learning_rate", "TypeError: 0.0001 is not a callable object"),
    ],
)
def test_what_has_no_signature_gives_an_error_that_says_so(of: str, error: str) -> None:
    assert signature.answer(of)["error"].startswith(error)


@pytest.mark.parametrize(
    ("of", "given", "saw"),
    [
        ("library.Nothing", "a: 1\n", "`library.Nothing` cannot be looked at under"),
        ("library.Arguments", "{}\n", "no argument is given here"),
        ("library.Arguments", "- 1\n", "no argument is given here"),
        ("library.Arguments", "", "is empty"),
        ("library.Arguments", "a: [\n", "not valid YAML"),
    ],
)
def test_what_cannot_be_looked_at_fails(tmp_path: Path, of: str, given: str, saw: str) -> None:
    seen = look(launch(tmp_path, of, given))
    assert seen.code == 1
    assert saw in seen.wrong("arguments")[0]


@pytest.mark.parametrize(
    ("python", "module", "saw"),
    [
        ("nothing/python", "", "`nothing/python` cannot be started: No such file"),
        (sys.executable, "import os; os._exit(7)", "exit code 7"),
        (sys.executable, "import time; time.sleep(60)", "it took longer than 0.5 s, and was ended"),
        (sys.executable, "import os; print(9, flush=True); os._exit(0)", "gave no answer"),
        (sys.executable, "raise RuntimeError('no GPU')", "RuntimeError: no GPU"),
    ],
    ids=["no interpreter", "exit", "time", "no answer", "import error"],
)
def test_an_interpreter_that_gives_no_answer_fails(
    tmp_path: Path, python: str, module: str, saw: str
) -> None:
    limit = ", timeout: 500 ms" if "sleep" in module else ""
    asked = f"python: {python}\n" + settings("library.Arguments", limit)
    root = launch_of(tmp_path, asked, {"library.py": module, "arguments.yml": "a: 1\n"})
    (wrong,) = look(root).wrong("arguments")
    assert saw in wrong.replace(f"{tmp_path.resolve()}/", "")


def test_the_interpreter_is_a_path_from_the_root_with_its_links_or_a_name(tmp_path: Path) -> None:
    asked = "python: env/bin/python\n" + settings("library.Arguments")
    root = launch_of(tmp_path, asked, {"library.py": MODULE, "arguments.yml": "learning_rate: 1\n"})
    script = root / "env/bin/python"
    script.parent.mkdir(parents=True)
    script.write_text(f'#!/bin/sh\ntouch "$0.used"\nexec {sys.executable} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    assert look(root).code == 0
    assert Path(f"{script}.used").exists()
    (root / "preflight.yml").write_text(asked.replace("env/bin/python", "no-such-python"), encoding="utf-8")
    assert "`no-such-python` cannot be started" in look(root).wrong("arguments")[0]


def test_a_module_of_the_project_hides_none_of_the_library_s(tmp_path: Path) -> None:
    more = dict.fromkeys(("signature.py", "masks.py"), "raise SystemExit('imported')\n")
    root = launch(tmp_path, "library.Arguments", "learning_rate: 1\n")
    for name, text in more.items():
        (root / name).write_text(text, encoding="utf-8")
    assert look(root).code == 0


def test_the_failure_rests_on_the_signature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = launch(tmp_path, "library.Arguments", "warmup_ratio: 1\n")
    assert look(root).code == 1
    answer: list[dict[str, Any]] = [
        {"parameters": {"warmup_ratio": ""}, "swallows": "", "package": "library 4.57", "error": ""}
    ]
    monkeypatch.setattr(asking, "ask", lambda *_, **__: answer)
    assert look(root).right("arguments") == [
        "`library.Arguments` (library 4.57): 1 argument, each a parameter"
    ]


def test_the_version_of_an_installed_package_is_told() -> None:
    answer = signature.answer("pytest.MonkeyPatch.setattr")
    assert list(answer["parameters"]) == ["target", "name", "value", "raising"]
    assert signature.package(pytest.main) == ""  # its module belongs to another name than the package's
    assert signature.answer("hypothesis.settings")["package"].startswith("hypothesis ")


NOISE = {
    "without a line end": "print('loading', end='')",
    "at its end": "import atexit; atexit.register(print, 'bye')",
    "below Python": "import os; os.write(1, b'[]\\n')",
    "more than is read": "print('x' * (20 << 20))",
    "no standard output": "import sys; sys.stdout.close()",
    "a thread": "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()",
    "a crash at its end": "import atexit, os; atexit.register(os.abort)",
}


@pytest.mark.parametrize("name", NOISE)
def test_what_a_library_does_beside_is_no_part_of_the_answer(name: str, tmp_path: Path) -> None:
    root = launch_of(
        tmp_path,
        settings("noisy.Arguments"),
        {"noisy.py": f"{NOISE[name]}\ndef Arguments(a): ...\n", "arguments.yml": "a: 1\n"},
    )
    assert look(root).right("arguments") == ["`noisy.Arguments`: 1 argument, each a parameter"]


FORGED = json.dumps([{"error": "", "parameters": {"a": ""}, "swallows": "", "package": ""}])


@pytest.mark.parametrize("ending", ["os._exit(0)", "os.kill(os.getpid(), 9)", "raise SystemExit(0)"])
def test_a_library_that_ends_the_process_has_not_passed(ending: str, tmp_path: Path) -> None:
    module = f"import os\nprint({FORGED!r}, flush=True)\n{ending}\n"
    root = launch_of(tmp_path, settings("rude.Arguments"), {"rude.py": module, "arguments.yml": "a: 1\n"})
    (wrong,) = look(root).wrong("arguments")
    assert "gave no answer" in wrong
