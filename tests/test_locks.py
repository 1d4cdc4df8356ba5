"""Lock files of pip, uv and poetry: what they pin, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.errors import InputError
from stilltrue.locks import Lock, find_locks, read_lock
from stilltrue.requirements import normal

PYLOCK = """\
lock-version = "1.0"
created-by = "a tool"

[[packages]]
name = "torch"
version = "2.6.0+cpu"
[[packages.wheels]]
name = "torch-2.6.0-py3-none-any.whl"
hashes = {sha256 = "00"}

[[packages]]
name = "own_package"
directory = {path = "."}
"""

UV = """\
version = 1
requires-python = ">=3.11"

[[package]]
name = "numpy"
version = "1.26.4"
source = { registry = "https://example.org/simple" }

[[package]]
name = "numpy"
version = "2.2.0"

[[package]]
name = "own"
source = { virtual = "." }
"""

POETRY = """\
[[package]]
name = "Transformers"
version = "5.24.0"
optional = false

[metadata]
lock-version = "2.1"
"""

REQUIREMENTS = """\
# pinned by hand
--index-url https://example.org/simple
-e .
./wheels/own.whl
https://example.org/other-1.0.zip
torch==2.6.0+cpu ; python_version < "3.13"  # the CPU's
Foo_Bar[extra,more] == 1.2.3 \\
    --hash=sha256:00 \\
    --hash=sha256:01
numpy>=1.26,<3
pandas==2.*
scipy === 1.15
peft (==0.14)
bare
git-thing @ git+https://example.org/x.git
two>=1,==1.5
zipped ==1.0 --hash=sha256:02
"""


def read(folder: Path, name: str, text: str | bytes) -> Lock:
    data = text if isinstance(text, bytes) else text.encode()
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return read_lock(folder.resolve(), name)


@pytest.mark.parametrize(
    ("name", "text", "pins"),
    [
        ("pylock.toml", PYLOCK, {"torch": ("2.6.0+cpu",)}),
        ("pylock.dev.toml", PYLOCK, {"torch": ("2.6.0+cpu",)}),
        ("uv.lock", UV, {"numpy": ("1.26.4", "2.2.0")}),
        ("poetry.lock", POETRY, {"transformers": ("5.24.0",)}),
        ("uv.lock", "version = 1\n", {}),
        ("requirements.txt", "", {}),
        (
            "requirements.txt",
            REQUIREMENTS,
            {
                "torch": ("2.6.0+cpu",),
                "foo-bar": ("1.2.3",),
                "scipy": ("1.15",),
                "peft": ("0.14",),
                "two": ("1.5",),
                "zipped": ("1.0",),
            },
        ),
        ("requirements.txt", "\ufefftorch==2.6\r\nnumpy==2.2\r\n", {"torch": ("2.6",), "numpy": ("2.2",)}),
        (
            "requirements.txt",
            "torch==2.6 \\\n# a comment\nnumpy==2.2",
            {"torch": ("2.6",), "numpy": ("2.2",)},
        ),
    ],
    ids=str,
)
def test_what_is_pinned(name: str, text: str, pins: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    assert read(tmp_path, name, text).pins == pins


def test_included_files_are_read_once_and_from_where_they_are_named(tmp_path: Path) -> None:
    (tmp_path / "deps").mkdir()
    (tmp_path / "deps/base.txt").write_text("numpy==2.2\n-c more/pins.txt\n-r ../requirements.txt\n")
    (tmp_path / "deps/more").mkdir()
    (tmp_path / "deps/more/pins.txt").write_text("scipy==1.15\n")
    text = "-r deps/base.txt\n--requirement=deps/base.txt\n-r https://example.org/a.txt\ntorch==2.6\n"
    lock = read(tmp_path, "requirements.txt", text)
    assert lock.pins == {"numpy": ("2.2",), "scipy": ("1.15",), "torch": ("2.6",)}
    assert sorted(lock.files) == ["deps/base.txt", "deps/more/pins.txt", "requirements.txt"]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("uv.lock", "version = 1\n[[package]\n", 2),
        ("uv.lock", "", 0),
        ("uv.lock", 'package = "numpy"\n', 0),
        ("uv.lock", "version = 1\npackage = [1]\n", 0),
        ("uv.lock", "[[package]]\nversion = '1'\n", 0),
        ("uv.lock", "[[package]]\nname = 'a'\nversion = 1\n", 0),
        ("poetry.lock", "<<<<<<< HEAD\n", 1),
        ("pylock.toml", b"lock-version = '\xff'\n", 0),
        ("pylock.toml", "a = " + "[" * 50_000, 0),
        ("pylock.toml", ".".join("a" * 100_000) + " = 1\n", 0),
        ("pylock.toml", f"a = {'9' * 5000}\n", 0),
        ("requirements.txt", "torch==2.6\n<<<<<<< HEAD\n", 2),
        ("requirements.txt", "torch==2.6 \\\n  --hash=sha256:0\nnumpy==\n", 3),
        ("requirements.txt", "torch 2.6\n", 1),
        ("requirements.txt", "torch=2.6\n", 1),
        ("requirements.txt", "<!doctype html>\n", 1),
        ("requirements.txt", "-r /etc/passwd\n", 1),
        ("requirements.txt", "-r ../elsewhere.txt\n", 1),
        ("requirements.txt", b"torch==\xff\n", 0),
        ("requirements.txt", "a" + "=" * 50_000 + "\n", 1),
        ("requirements.txt", "a==" + "1,==" * 50_000 + "\n", 1),
    ],
    ids=lambda part: repr(part)[:30],
)
def test_a_damaged_file_is_an_error_that_names_it(
    name: str, text: str | bytes, line: int, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, name, text)
    error = caught.value
    assert (error.code, error.path, error.line) == ("bad-lock", name, line)
    assert name in error.message
    assert error.hint


@pytest.mark.parametrize(("name", "text"), [("gone.txt", ""), ("requirements.txt", "-r gone.txt\n")])
def test_a_file_that_is_not_there_is_an_error(name: str, text: str, tmp_path: Path) -> None:
    if text:
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_lock(tmp_path.resolve(), name)
    assert caught.value.code == "no-file"


def test_the_usual_names_are_found(tmp_path: Path) -> None:
    for name in ("uv.lock", "requirements.txt", "other.lock"):
        (tmp_path / name).touch()
    (tmp_path / "poetry.lock").mkdir()
    assert find_locks(tmp_path) == ("uv.lock", "requirements.txt")


NAMES = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,10}[A-Za-z0-9])?", fullmatch=True)
VERSIONS = st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){0,3}((a|rc)[0-9])?(\+cpu)?", fullmatch=True)
BLANKS = st.sampled_from(["", " ", "  "])


@given(st.lists(st.tuples(NAMES, VERSIONS, BLANKS, BLANKS), max_size=6))
@settings(max_examples=40, deadline=None)
def test_three_forms_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, packages: list[tuple[str, str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("locks")
    lines = [f"{name}{a}=={b}{version}" for name, version, a, b in packages]
    entries = [{"name": name, "version": version} for name, version, _, _ in packages]
    pip = read(folder, "requirements.txt", "\n".join(lines))
    uv = read(folder, "uv.lock", tomli_w.dumps({"version": 1, "package": entries}))
    pep = read(folder, "pylock.toml", tomli_w.dumps({"lock-version": "1.0", "packages": entries}))
    assert pip.pins == uv.pins == pep.pins
    assert set(pip.pins) == {normal(name) for name, _, _, _ in packages}


@given(st.text(max_size=80), st.sampled_from(["requirements.txt", "uv.lock", "pylock.toml"]))
@settings(max_examples=120, deadline=None)
def test_any_text_is_a_lock_file_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, text: str, name: str
) -> None:
    folder = tmp_path_factory.mktemp("locks")
    try:
        read(folder, name, text.encode("utf-8", "surrogatepass"))
    except InputError as error:
        assert error.message
