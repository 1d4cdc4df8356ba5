"""Checks from outside: functions of installed packages, never of the checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from preflight_support import launch_of, look, refused
from recording_support import stilltrue_in, write

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tool" / "preflight.md"
TOML = '[preflight]\nchecks = {disk = "our_checks.disk:look", odd = "our_checks.odd:look"}\n'

ODD = """\
import os
import subprocess
import sys
import time
from pathlib import Path

from stilltrue.model import Place
from stilltrue.preflight import Finding, passed

NO_FUNCTION = 3
BEGUN = time.monotonic()


def look(launch, settings):
    yield passed("settings", repr(settings))
    if settings == "raise":
        raise RuntimeError("the store is away")
    if settings == "text":
        yield "fine"
    if settings == "exit":
        raise SystemExit(0)
    if settings == "unspeakable":
        raise Unspeakable
    if settings == "print":
        print("noise")
        yield passed("a", "b")
    if settings == "program":
        subprocess.run([sys.executable, "-S", "-c", "print('noise of a program')"], check=True)
        os.write(1, b"noise of a descriptor\\n")
        sys.__stdout__.write("noise of the first stream\\n")
    if settings == "leave":
        os._exit(0)
    if settings == "become":
        os.execvp("true", ["true"])
    if settings == "sleep":
        time.sleep(60)
    if settings == "wait":
        subprocess.run(["sleep", "60"])
    if settings == "stubborn":
        while True:
            try:
                time.sleep(60)
            except BaseException:
                if time.monotonic() > BEGUN + 1:
                    raise
    if settings == "fork":
        child = os.fork()
        if child:
            yield passed("child", str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
    if settings in WRONG:
        yield WRONG[settings]
    while settings == "endless":
        yield passed("a", "b")


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError


WRONG = {
    "ok": Finding("no", "a", "b"),
    "saw": Finding(True, "a", 1),
    "place": Finding(True, "a", "b", place="a.yml:1"),
    "path": Finding(True, "a", "b", place=Place(Path("a.yml"), 1)),
}


def silent(launch, settings):
    return ()
"""


@pytest.fixture
def installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package of the page, where packages are installed."""
    folder = tmp_path_factory.mktemp("site-packages")
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(r'```python title="(our_checks/disk.py)"\n(.*?)```', text, re.DOTALL)
    assert found is not None
    write(folder, {found[1]: found[2], "our_checks/__init__.py": "", "our_checks/odd.py": ODD})
    monkeypatch.setattr("site.getsitepackages", lambda: [str(folder)])
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in [name for name in sys.modules if name.startswith("our_checks")]:
        del sys.modules[name]


def launch(root: Path, settings: str, configured: str = TOML) -> Path:
    made = launch_of(root, settings)
    write(made, {"stilltrue.toml": configured})
    return made


@pytest.mark.usefixtures("installed")
def test_the_check_of_the_page_passes_and_fails_as_it_says(tmp_path: Path) -> None:
    seen = look(launch(tmp_path, "disk: {at_least: 1}\n"))
    assert (seen.code, len(seen.right("disk"))) == (0, 1)
    seen = look(launch(tmp_path, "disk: {at_least: 1000000000000000000}\n"))
    assert (seen.code, seen.checks["disk"][0]["hint"]) == (1, "make room, or write fewer checkpoints")


@pytest.mark.usefixtures("installed")
def test_settings_come_as_plain_data(tmp_path: Path) -> None:
    (right,) = look(launch(tmp_path, "odd:\n  a: no\n  b: [1, {c: 'x'}]\n")).right("odd")
    assert right == "settings: {'a': 'no', 'b': ['1', {'c': 'x'}]}"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("settings", "configured", "saw"),
    [
        ("disk: {}\n", TOML, "disk: the check itself broke: KeyError: 'at_least'"),
        ("odd: raise\n", TOML, "odd: the check itself broke: RuntimeError: the store is away"),
        ("odd: text\n", TOML, "it gave str, no `stilltrue.preflight.Finding`"),
        ("odd: exit\n", TOML, "odd: the check itself broke: SystemExit: 0"),
        ("odd: leave\n", TOML, "odd: the check itself broke: SystemExit: 0"),
        ("odd: become\n", TOML, "odd: the check itself broke: SystemExit: os.execv"),
        ("odd: unspeakable\n", TOML, "odd: the check itself broke: Unspeakable"),
        ("odd: ok\n", TOML, "`ok` of a finding is str"),
        ("odd: saw\n", TOML, "`saw` of a finding is int"),
        ("odd: place\n", TOML, "`place` of a finding is str"),
        ("odd: path\n", TOML, "`path` of a place is PosixPath"),
        ("odd: endless\n", TOML, "it gave more than 10,000 findings"),
        ("odd: x\n", TOML.replace("odd:look", "odd:silent"), "odd: there was nothing to look at"),
    ],
)
def test_what_it_raises_or_leaves_out_is_a_failure(
    tmp_path: Path, settings: str, configured: str, saw: str
) -> None:
    seen = look(launch(tmp_path, f"{settings}tree: {{}}\n", configured))
    name, tree = seen.checks
    (wrong,) = seen.wrong(name)
    assert saw in wrong
    assert (seen.code, tree) == (1, "tree")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("no_such_package.x:look", "`odd` is not installed: there is no package `no_such_package`"),
        ("our_checks.gone:look", "`odd` cannot be imported: ModuleNotFoundError"),
        ("our_checks.odd:gone", "`odd` cannot be imported: AttributeError"),
        ("our_checks.odd:NO_FUNCTION", "`odd` is no function"),
        ("os:getcwd", "`odd` is not installed: `os` would be imported from elsewhere"),
        ("sys:exit", "`odd` is not installed: `sys` would be imported from elsewhere"),
    ],
)
def test_what_cannot_be_imported_is_refused_before_anything_is_looked_at(
    tmp_path: Path, function: str, message: str
) -> None:
    configured = f'[preflight]\nchecks = {{odd = "{function}"}}\n'
    done = refused(launch(tmp_path, "tree: {}\nodd: x\n", configured))
    assert done.err.startswith(f"stilltrue.toml: {message}")
    assert "[preflight-outside]" in done.err


def test_a_package_of_the_checkout_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = launch(tmp_path, "odd: x\n")
    write(root, {"our_checks/__init__.py": "raise SystemExit('imported')\n", "our_checks/odd.py": ODD})
    monkeypatch.syspath_prepend(str(root))
    assert "`our_checks` would be imported from elsewhere" in refused(root).err
    shutil.rmtree(root / "our_checks")
    write(root, {"our_checks/odd.py": ODD})  # a namespace
    assert "`our_checks` would be imported from elsewhere" in refused(root).err
    (root / "our_checks.py").write_text(ODD, encoding="utf-8")
    assert "`our_checks` would be imported from elsewhere" in refused(root).err


def test_one_of_the_checkout_that_stands_before_the_installed_one_is_refused(
    tmp_path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = launch(tmp_path, "odd: x\n")
    write(root, {"our_checks/__init__.py": "", "our_checks/odd.py": "raise SystemExit('imported')\n"})
    monkeypatch.syspath_prepend(str(root))
    assert "`our_checks` would be imported from elsewhere" in refused(root).err
    assert (installed / "our_checks").is_dir()


@pytest.mark.usefixtures("installed")
def test_one_that_is_not_asked_for_is_not_imported(tmp_path: Path) -> None:
    root = launch(tmp_path, "disk: {at_least: 1}\n", TOML.replace("our_checks.odd", "no_such_package"))
    assert look(root).code == 0


@pytest.mark.usefixtures("installed")
def test_a_name_that_nobody_knows_gets_the_nearest_of_all(tmp_path: Path) -> None:
    assert "did you mean `disk`?" in refused(launch(tmp_path, "disc: {}\n")).err


@pytest.mark.parametrize(
    ("configured", "message"),
    [
        ("preflight = 3", "`preflight` must be a table"),
        ("[preflight]\ncheck = {}", "did you mean `checks`?"),
        ("[preflight]\nchecks = []", "`preflight.checks` must be a table"),
        ('[preflight]\nchecks = {a = "no function"}', "`preflight.checks.a` names no function"),
        ('[preflight]\nchecks = {a = "./x.py:look"}', "`preflight.checks.a` names no function"),
        ('[preflight]\nchecks = {tree = "a.b:look"}', "there is a check `tree` already"),
        ('[preflight]\nchecks = {python = "a.b:look"}', "the settings have a key `python` already"),
    ],
)
def test_a_configuration_that_names_none_is_refused(tmp_path: Path, configured: str, message: str) -> None:
    done = refused(launch(tmp_path, "tree: {}\n", configured))
    assert message in done.err
    assert done.err.startswith("stilltrue.toml: ")


def test_what_it_prints_is_no_part_of_the_report(tmp_path: Path, installed: Path) -> None:
    write(installed, {"our_checks/odd.py": f"{ODD}\nprint('noise of an import')\n"})
    done = stilltrue_in(launch(tmp_path, "odd: print\n"), "preflight", "--format", "json")
    assert json.loads(done.out)["ok"] is True
    assert done.err == "noise of an import\nnoise\n"


@pytest.mark.usefixtures("installed")
def test_what_a_program_of_it_prints_is_no_part_of_the_report(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert look(launch(tmp_path, "odd: program\n")).code == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert sorted(err.splitlines()) == [
        "noise of a descriptor",
        "noise of a program",
        "noise of the first stream",
    ]


@pytest.mark.usefixtures("installed")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no alarms")
@pytest.mark.parametrize("settings", ["sleep", "wait", "stubborn"])
def test_one_that_does_not_come_back_is_ended_and_the_next_is_looked_at(
    tmp_path: Path, settings: str
) -> None:
    seen = look(launch(tmp_path, f"outside_timeout: 200 ms\nodd: {settings}\ntree: {{}}\n"))
    assert seen.wrong("odd") == ["odd: it takes longer than 0.2 s, and was ended"]
    assert "outside_timeout: 30 min" in seen.checks["odd"][-1]["hint"]
    assert seen.right("odd") == [f"settings: '{settings}'"]
    assert (seen.code, "tree" in seen.checks) == (1, True)


@pytest.mark.usefixtures("installed")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_it_forks_ends_with_it(tmp_path: Path) -> None:
    assert look(launch(tmp_path, "odd: fork\n")).right("odd")[1:] == ["child: 1"]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("written", ["soon", "30", "-1 s", "{}"])
def test_a_time_that_is_none_is_refused_with_its_line(tmp_path: Path, written: str) -> None:
    err = refused(launch(tmp_path, f"odd: x\noutside_timeout: {written}\n")).err
    assert err.startswith("preflight.yml:2: `outside_timeout` must be a time with its unit")


def test_one_that_exits_or_hangs_when_it_is_imported_is_refused(tmp_path: Path, installed: Path) -> None:
    root = launch(tmp_path, "outside_timeout: 200 ms\nodd: x\n")
    write(installed, {"our_checks/odd.py": "import os\nos._exit(0)\n"})
    assert "`odd` cannot be imported: SystemExit: 0" in refused(root).err
    if hasattr(signal, "setitimer"):
        write(installed, {"our_checks/odd.py": "import time\nwhile True: time.sleep(60)\n"})
        err = refused(root).err
        assert "`odd` cannot be imported within 0.2 s\n  let its module do less when it is imported" in err
    write(installed, {"our_checks/odd.py": "raise SystemExit(0)\n"})
    assert "`odd` cannot be imported: SystemExit: 0" in refused(launch(tmp_path, "odd: x\n")).err
