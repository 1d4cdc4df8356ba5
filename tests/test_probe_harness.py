"""A step of one's own, named as `module:function`: taken as it is, or refused in words that help."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from probe_parts.harness import about_of, apart_from_evidence, load, make, makers_of, offered

ROOT = Path(__file__).resolve().parent.parent
GOOD = "def harness():\n    return {'step': lambda width: (lambda: None)}\n"


@pytest.fixture
def written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Callable[[str], str]:
    """Writes a module into the current folder; gives its name, which no other test has."""
    monkeypatch.chdir(tmp_path)
    name = f"run_{abs(hash(request.node.nodeid))}"

    def write(text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)  # and forgets, after the test, what else was put on the path
        return name

    return write


def refused(work: Callable[[], object]) -> str:
    with pytest.raises(SystemExit) as stopped:
        work()
    assert isinstance(stopped.value.code, str)
    assert "\n" not in stopped.value.code
    return stopped.value.code


# What is accepted --------------------------------------------------------------------------------------


def test_a_harness_offers_makers_and_says_what_the_run_is(written: Callable[[str], str]) -> None:
    name = written(
        "taken = []\n"
        "def harness():\n"
        "    maker = lambda n: lambda width: (lambda: taken.append((n, width)))\n"
        "    makers = {n: maker(n) for n in ('step', 'padded')}\n"
        "    return makers | {'about': {'attention': 'sdpa', 'batch': 2}}\n"
    )
    found = offered(f"{name}:harness")
    makers = makers_of(name, found)
    assert list(makers) == ["step", "padded"]
    assert about_of(name, found) == {"attention": "sdpa", "batch": 2}
    make(name, "padded", makers["padded"], 512)()
    assert sys.modules[name].taken == [("padded", 512)]


def test_a_harness_may_live_in_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "training_of_ours").mkdir()
    (tmp_path / "training_of_ours" / "speed.py").write_text(GOOD, encoding="utf-8")
    assert list(load("training_of_ours.speed:harness")) == ["step"]


def test_what_says_nothing_of_the_run_is_taken_as_nothing() -> None:
    assert about_of("x:y", {}) == {}


@pytest.mark.parametrize("name", ["harness", "output", "padding", "step_profile"])
def test_a_readers_file_wins_over_a_module_of_the_probes(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text(GOOD.replace("None", "'theirs'"), encoding="utf-8")
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'probes')!r})\n"
        "from probe_parts.harness import load\n"
        f"print(load('{name}:harness')['step'](1)())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("theirs\n", "")


# What is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reference",
    ["", "my_run", "my_run:", ":harness", "my_run.py:harness:x", "./my_run:harness", "a b:c", "a:b.c"],
)
def test_what_is_no_reference_is_told_how_one_looks(reference: str) -> None:
    said = refused(lambda: load(reference))
    assert said.startswith(f"--harness {reference}: ")
    assert "write `module:function`" in said


@pytest.mark.parametrize(
    ("text", "complaint", "advice"),
    [
        ("import no_such_library\n", "ModuleNotFoundError: No module named 'no_such_library'", ".py:1)"),
        ("def harness(:\n", "SyntaxError", "mend it there"),
        ("x = 1\n\n1 / 0\n", "ZeroDivisionError: division by zero", ".py:3)"),
        ("import sys\nsys.exit(2)\n", "an exit (2)", "must not parse the command line"),
        ("def other():\n    pass\n", "has no function `harness`", "it has: `other`"),
        ("x = 1\n", "has no function `harness`", "it has: none"),
        ("harness = {}\n", "is no function: `harness`", "it has: none"),
        ("def harness(width):\n    pass\n", "TypeError: harness() missing 1 required", "mend it"),
        ("def harness():\n    open('/nowhere/at/all')\n", "FileNotFoundError", ".py:2)"),
        ("def harness():\n    import sys\n    sys.exit('usage')\n", "an exit (usage)", "parse"),
        ("def harness():\n    pass\n", "returned nothing (None)", "names to makers"),
        ("def harness():\n    return lambda width: None\n", "a value of type function", "names to makers"),
        ("def harness():\n    return {}\n", "offers nothing, and no `step`", "name the maker"),
        ("def harness():\n    return {'plain': print}\n", "offers plain, and no `step`", "name the maker"),
        ("def harness():\n    return {'step': 3}\n", "`step` has a value of type int", "takes a width"),
        ("def harness():\n    return {'step': print, 1: print}\n", "the name 1 is no word", "letters"),
        ("def harness():\n    return {'step': print, 'a b': print}\n", "'a b' is no word", "letters"),
    ],
)  # fmt: skip
def test_what_is_no_harness_is_refused_with_its_place(
    written: Callable[[str], str], text: str, complaint: str, advice: str
) -> None:
    name = written(text)
    said = refused(lambda: load(f"{name}:harness"))
    assert said.startswith(f"{name}:harness: ")
    assert complaint in said
    assert advice in said


def test_a_module_that_is_not_there_is_told_apart_from_one_that_it_imports() -> None:
    assert "there is no module `no_such_run` in the current folder" in refused(
        lambda: load("no_such_run:harness")
    )
    assert "there is no module `no_such_run` in the current folder" in refused(
        lambda: load("no_such_run.speed:harness")
    )


@pytest.mark.parametrize(
    ("about", "complaint"),
    [
        ("sdpa", "`about` is a value of type str"),
        ({"x": {1}}, "not for JSON"),
        ({"x": float("nan")}, "not for JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_of_the_run_is_refused(about: Any, complaint: str) -> None:
    assert complaint in refused(lambda: about_of("a:b", {"about": about}))


def test_a_maker_that_fails_or_makes_no_step_is_named_with_its_width() -> None:
    def fails(width: int) -> Callable[[], object]:
        raise KeyError(width)

    said = refused(lambda: make("a:b", "padded", fails, 4096))
    assert said.startswith("a:b: `padded` at width 4,096: making the step raised KeyError: 4096 (test_probe")
    nothing: Any = lambda _width: None  # noqa: E731  # a step where a maker should be, as people write it
    assert "the maker returned nothing (None) and no step" in refused(lambda: make("a:b", "step", nothing, 8))


def test_a_step_that_fails_is_named_with_its_width() -> None:
    def fails() -> None:
        raise MemoryError("2 GiB wanted\nand more")

    step = make("a:b", "step", lambda _width: fails, 8)
    assert "a:b: `step` at width 8: the step raised MemoryError: 2 GiB wanted (test_" in refused(step)


def test_an_interrupt_passes_through() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make("a:b", "step", lambda _width: interrupted, 8)()


# What reads no further than it should -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["async def", "generator"])
def test_a_step_that_returns_before_it_has_run_is_refused(written: Callable[[str], str], kind: str) -> None:
    body = "async def step():\n    pass\n" if kind == "async def" else "def step():\n    yield 1\n"
    name = written(body + "def harness():\n    return {'step': lambda width: step}\n")
    step = make(name, "step", load(f"{name}:harness")["step"], 8)
    assert "which has not run yet" in refused(step)


class Unreadable(Mapping[object, object]):
    """A mapping that offers a name and does not have it."""

    def __getitem__(self, key: object) -> object:
        raise KeyError(key)

    def __iter__(self) -> Iterator[object]:
        return iter(["step"])

    def __len__(self) -> int:
        return 1


def test_a_mapping_that_cannot_be_read_is_refused() -> None:
    assert "reading what it returned raised KeyError: 'step'" in refused(
        lambda: makers_of("a:b", Unreadable())
    )


def test_an_error_that_cannot_say_what_it_is_is_told_by_its_kind() -> None:
    class SilentError(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    def fails() -> None:
        raise SilentError

    assert "the step raised SilentError: an error that cannot" in refused(
        make("a:b", "step", lambda _width: fails, 8)
    )


def test_a_module_of_thousands_of_functions_names_some() -> None:
    assert len(refused(lambda: load("os:harness"))) < 400


def test_what_any_process_prints_is_no_evidence(capfd: pytest.CaptureFixture[str]) -> None:
    with apart_from_evidence():
        sys.stdout.write("from Python\n")
        os.write(1, b"from below\n")
        subprocess.run(["echo", "from a child"], check=True)  # any echo
    sys.stdout.write("the evidence\n")
    sys.stdout.flush()
    out, err = capfd.readouterr()
    assert out == "the evidence\n"
    assert set(err.splitlines()) == {"from Python", "from below", "from a child"}


def test_an_interrupt_ends_in_words_and_with_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped, apart_from_evidence():
        raise KeyboardInterrupt
    assert stopped.value.code == 130
    assert capsys.readouterr().err == "interrupted: nothing was written\n"
