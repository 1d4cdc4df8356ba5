from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from probes_support import EVIDENCE, MARK, WRITES, header, probe_in, soon_empty, write
from stilltrue.errors import InputError
from stilltrue.model import Probe
from stilltrue.probes import code_of, keeper, missing, read_header, run
from stilltrue.probes import process as process_module
from stilltrue.probes.process import GRACE_S

OUT = f"{EVIDENCE}/out.json"
TWO = f'writes = ["{OUT}", "{EVIDENCE}/more/two.txt"]'
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets orphans be adopted")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "project", {"data.txt": "7\n"})


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Every test: no process of its probes runs afterwards, and no stage is left."""
    mark = uuid.uuid4().hex
    stages = tmp_path / "stages"
    stages.mkdir()
    monkeypatch.setenv(MARK, mark)
    monkeypatch.setattr(tempfile, "tempdir", str(stages))
    monkeypatch.setattr(process_module, "GRACE_S", 0.5)
    yield mark
    assert list(stages.iterdir()) == []
    if sys.platform == "linux":
        assert soon_empty(mark, 0.0)


def printed(root: Path, probe: Probe, *arguments: str, say: Callable[[str], None] | None = None) -> str:
    with run(root, probe, arguments, say=say) as done:
        return done.files[OUT].read_text(encoding="utf-8")


def failure(root: Path, probe: Probe, *, most_bytes: int = 1 << 30) -> InputError:
    before = tree(root)
    with pytest.raises(InputError) as caught, run(root, probe, most_bytes=most_bytes):
        pass
    assert tree(root) == before
    assert caught.value.path == probe.path
    assert caught.value.hint
    return caught.value


def tree(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in root.rglob("*") if path.is_file()
    }


def test_what_is_printed_is_the_evidence_and_the_rest_is_said(root: Path) -> None:
    said: list[str] = []
    body = """
    import sys
    print("é", 1)
    print("loading\\x1b[1m", file=sys.stderr)
    print(" 1 %\\r 2 %\\r 3 %\\rdone", file=sys.stderr)
    """
    assert printed(root, probe_in(root, body), say=said.append) == "é 1\n"
    assert said == ["loading\x1b[1m", " 1 %", "done"]


def test_a_run_says_what_it_took(root: Path) -> None:
    files = {
        "probes/helper.py": "from deep import inner\n",
        "probes/deep/__init__.py": "",
        "probes/deep/inner.py": "",
    }
    write(root, files)
    probe = probe_in(root, "import helper, yaml, json\nprint(1)\n", 'reads = "data.txt"')
    with run(root, probe) as done:
        assert [code.path for code in done.code] == [
            "probes/p.py",
            "probes/deep/__init__.py",
            "probes/deep/inner.py",
            "probes/helper.py",
        ]
        assert done.code[0] == code_of(root, "probes/p.py", script=True)
        assert [each.path for each in done.inputs] == ["data.txt"]
        assert [name for name, _ in done.packages] == ["PyYAML"]
        assert done.interpreter.split()[1] == ".".join(map(str, sys.version_info[:3]))
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", done.started)
        assert done.started <= done.ended
        assert 0 < done.seconds < 60


def test_a_package_that_is_installed_from_the_project_is_its_own_code(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"src/own/__init__.py": "", ".venv/lib/installed.py": ""})
    monkeypatch.setenv("PYTHONPATH", f"{root / 'src'}:{root / '.venv/lib'}")
    with run(root, probe_in(root, "import own, installed\nprint(own.__file__)\n")) as done:
        assert done.files[OUT].read_text(encoding="utf-8").strip() == str(root / "src/own/__init__.py")
        assert [code.path for code in done.code] == ["probes/p.py", "src/own/__init__.py"]


def test_packages_of_one_folder_are_told_apart(root: Path) -> None:
    with run(root, probe_in(root, "import _pytest.mark, py\nimport click\nprint(1)\n")) as done:
        names = [name for name, _ in done.packages]
    assert "click" in names
    assert "pytest" in names


def test_a_python_script_runs_as_python_itself_would_run_it(root: Path) -> None:
    body = """
    import inspect, os, pickle, sys
    class Thing: pass
    def show():
        main = sys.modules["__main__"]
        print(sys.argv, __name__, __spec__, __package__, __doc__, main.Thing is Thing)
        print(os.path.relpath(__file__), os.path.relpath(sys.path[0]), sorted(os.listdir()))
        print(pickle.loads(pickle.dumps(Thing())).__class__ is Thing, "show" in inspect.getsource(show))
        print(sys.stdin.read() == "", sys.flags.optimize, sorted(set(globals()) - {"__cached__"}))
    show()
    """
    probe = probe_in(root, body)
    write(root, {"probes/twin.py": (root / "probes/p.py").read_text(encoding="utf-8")})
    (root / EVIDENCE).mkdir(parents=True)
    plain = subprocess.run(
        [sys.executable, "probes/p.py", "--a", "é"],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    ours = printed(root, probe, "--a", "é")
    assert "claims" in ours
    assert ours.replace("'__builtins__', ", "") == plain.stdout.replace("'__builtins__', ", "").replace(
        "'__annotations__', ", ""
    )


def test_a_module_named_like_one_of_the_standard_library_is_the_probes_own(root: Path) -> None:
    names = ("json", "types", "importlib", "atexit_", "pathlib", "contextlib")
    write(root, {f"probes/{name}.py": f"MINE = {name!r}\n" for name in names})
    body = "import json, pathlib\nprint(json.MINE, pathlib.MINE)\n"
    with run(root, probe_in(root, body)) as done:
        assert done.files[OUT].read_text(encoding="utf-8") == "json pathlib\n"
        assert [code.path for code in done.code] == ["probes/p.py", "probes/json.py", "probes/pathlib.py"]


def test_modules_that_do_not_like_to_be_looked_at_hide_no_others(root: Path) -> None:
    body = """
    import sys
    class Late:
        def __getattr__(self, name): raise RuntimeError("no such package is installed")
    class Later:
        def __getattribute__(self, name): raise RuntimeError("not now")
    sys.modules["late"], sys.modules["later"], sys.modules["none"] = Late(), Later(), None
    sys.modules["odd"] = type(sys)("odd")
    sys.modules["odd"].__file__ = "a\\0b"
    sys.modules[7] = type(sys)("seven")
    import helper
    print(helper.N)
    """
    write(root, {"probes/helper.py": "N = 205\n"})
    said: list[str] = []
    with run(root, probe_in(root, body), say=said.append) as done:
        assert [code.path for code in done.code] == ["probes/p.py", "probes/helper.py"]
    assert said == []


def test_children_of_multiprocessing_find_the_script(root: Path) -> None:
    body = """
    import multiprocessing
    def square(x): return x * x
    if __name__ == "__main__":
        for method in ("spawn", "fork"):
            with multiprocessing.get_context(method).Pool(1) as pool:
                print(pool.map(square, [3]))
    """
    assert printed(root, probe_in(root, body)) == "[9]\n[9]\n"


def test_an_error_is_shown_without_frames_of_ours(root: Path) -> None:
    said: list[str] = []
    with pytest.raises(InputError) as caught:
        printed(
            root, probe_in(root, "def f():\n    raise ValueError('no such thing')\nf()\n"), say=said.append
        )
    assert caught.value.code == "probe-failed"
    assert "exit code 1; its last words: " in caught.value.message
    assert caught.value.message.endswith("ValueError: no such thing")
    assert said[0] == "Traceback (most recent call last):"
    assert "runner" not in "\n".join(said)


def test_the_arguments_and_the_plant_are_given(root: Path) -> None:
    probe = probe_in(root, "import sys\nprint(sys.argv[1:])\n", 'plant = "off"')
    with run(root, probe, ("--n", "3"), plant="off") as done:
        assert done.files[OUT].read_text(encoding="utf-8") == "['--n', '3', '--plant', 'off']\n"


def test_further_evidence_is_written_by_the_probe(root: Path) -> None:
    body = f"print(1)\nopen('{EVIDENCE}/more/two.txt', 'w').write('two')\n"
    with run(root, probe_in(root, body, TWO)) as done:
        assert list(done.files) == [OUT, f"{EVIDENCE}/more/two.txt"]
        assert done.files[f"{EVIDENCE}/more/two.txt"].read_text(encoding="utf-8") == "two"
    assert not (root / EVIDENCE).exists()


def test_old_evidence_does_not_pass_for_new(root: Path) -> None:
    write(root, {f"{EVIDENCE}/more/two.txt": "old", OUT: "old"})
    error = failure(root, probe_in(root, "print(1)\n", TWO))
    assert error.code == "probe-silent"
    assert f"did not write `{EVIDENCE}/more/two.txt`" in error.message


def test_a_shell_script_runs_by_its_first_line(root: Path) -> None:
    write(root, {"probes/p.sh": "#!/bin/sh\n" + header(WRITES) + 'echo "$1 $(cat data.txt)"\n'})
    (root / "probes/p.sh").chmod(0o755)
    with run(root, read_header(root, "probes/p.sh", EVIDENCE), ("a",)) as done:
        assert done.files[OUT].read_text(encoding="utf-8") == "a 7\n"
        assert (done.interpreter, done.packages) == ("", ())
        assert [code.path for code in done.code] == ["probes/p.sh"]


@pytest.mark.parametrize(
    ("first", "mode"),
    [("#!/bin/sh", 0o644), ("#!/no/such/thing", 0o755), ("", 0o755)],
    ids=["mode", "gone", "none"],
)
def test_a_script_that_cannot_be_started_is_said(root: Path, first: str, mode: int) -> None:
    write(root, {"probes/p": f"{first}\n{header(WRITES)}"})
    (root / "probes/p").chmod(mode)
    assert failure(root, read_header(root, "probes/p", EVIDENCE)).code == "probe-cannot-start"


FAULTS: dict[str, tuple[str, str, str]] = {
    "an exit code": ("print(1)\nraise SystemExit(3)", "probe-failed", "ended with exit code 3"),
    "a message at exit": (
        "raise SystemExit('no data')",
        "probe-failed",
        "exit code 1; its last words: no data",
    ),
    "a syntax error": ("def (", "probe-failed", "SyntaxError"),
    "half and dead": (
        "print('half', flush=True)\nimport os; os.abort()",
        "probe-failed",
        "killed by SIGABRT",
    ),
    "killed": ("import os; os.kill(os.getpid(), 9)", "probe-failed", "killed by SIGKILL"),
    "silence": ("", "probe-silent", "printed nothing"),
    "blanks": ("print(' \\n' * 9)", "probe-silent", "printed nothing"),
    "os._exit": ("import os\nprint(1, flush=True)\nos._exit(0)", "probe-unseen", "past Python's own end"),
    "exec": ("import os\nos.execv('/bin/echo', ['echo', '1'])", "probe-unseen", "past Python's own end"),
    "a file outside": (
        "print(1)\nopen('new.txt', 'w')",
        "probe-wrote-outside",
        "1 file outside its declared `writes`: `new.txt`",
    ),
    "a changed file": ("print(1)\nopen('data.txt', 'a').write('8')", "probe-wrote-outside", "`data.txt`"),
    "a removed file": ("print(1)\nimport os\nos.remove('data.txt')", "probe-wrote-outside", "`data.txt`"),
    "its own code": ("print(1)\nopen(__file__, 'a').write('#')", "probe-wrote-outside", "`probes/p.py`"),
    "a mode": ("print(1)\nimport os\nos.chmod('data.txt', 0o600)", "probe-wrote-outside", "`data.txt`"),
    "a link": ("print(1)\nimport os\nos.symlink('/etc', 'etc')", "probe-wrote-outside", "`etc`"),
    "other evidence": (
        f"print(1)\nopen('{EVIDENCE}/b', 'w')",
        "probe-wrote-outside",
        "1 file that its header does not declare",
    ),
    "its printed file": (
        f"print(1)\nopen('{OUT}', 'w').write('1')",
        "probe-wrote-outside",
        f"wrote `{OUT}` itself",
    ),
    "many files": (
        "print(1)\nfor i in range(9): open(f'n{i}', 'w')",
        "probe-wrote-outside",
        "`n4` and 4 more",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_run_that_gives_no_evidence_is_an_error_of_its_own(root: Path, name: str) -> None:
    body, code, message = FAULTS[name]
    error = failure(root, probe_in(root, body))
    assert error.code == code
    assert message in error.message


@pytest.mark.parametrize(
    ("made", "code"),
    [
        ("open(p, 'w')", "probe-silent"),
        ("os.symlink('../../../data.txt', p)", "probe-wrote-outside"),
        ("os.mkfifo(p)", "probe-wrote-outside"),
        ("os.makedirs(p)", "probe-wrote-outside"),
        ("open(p, 'w').write('x' * 2000)", "probe-too-large"),
    ],
    ids=["empty", "link", "pipe", "folder", "large"],
)
def test_a_further_file_that_is_none_is_an_error(root: Path, made: str, code: str) -> None:
    body = f"import os\nprint(1)\np = '{EVIDENCE}/more/two.txt'\n{made}\n"
    assert failure(root, probe_in(root, body, TWO), most_bytes=1000).code == code


def test_caches_are_nobodys_evidence(root: Path) -> None:
    body = """
    import os
    os.makedirs("probes/__pycache__")
    open("probes/__pycache__/p.pyc", "w").write("x")
    os.mkdir(".pytest_cache")
    open(".pytest_cache/x", "w").write("x")
    print(os.environ["PYTHONDONTWRITEBYTECODE"])
    """
    assert printed(root, probe_in(root, body)) == "1\n"


def test_a_probe_that_prints_too_much_is_ended(root: Path) -> None:
    error = failure(root, probe_in(root, "while True: print('x' * 1000)\n"), most_bytes=10_000_000)
    assert error.code == "probe-too-large"
    assert f"more than 10,000,000 bytes to `{OUT}`" in error.message
    assert failure(root, probe_in(root, "print('x' * 1000)\n"), most_bytes=1000).code == "probe-too-large"


def test_a_gigabyte_of_output_takes_no_memory_of_ours(root: Path) -> None:
    """The whole of it lies in a file; what passes through our pipes is bounded."""
    body = """
    import os
    block = b"x" * (1 << 20)
    for _ in range(1000): os.write(1, block)
    """
    program = f"""
import re, resource, sys
from pathlib import Path
from stilltrue.probes import read_header, run
root = Path({str(root)!r})
with run(root, read_header(root, "probes/p.py", {EVIDENCE!r})) as done:
    print(done.files[{OUT!r}].stat().st_size)
if sys.platform == "darwin":
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 20)
else:  # there the usage would begin at that of the process that started this one
    about = Path("/proc/self/status").read_text()
    print(int(re.search("VmHWM:[^0-9]*([0-9]+) kB", about)[1]) >> 10)
"""
    probe_in(root, body)
    environment = {**os.environ, "TMPDIR": str(tempfile.gettempdir())}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    size, mebibytes = map(int, done.stdout.split())
    assert size == 1000 << 20
    assert mebibytes < 200


def test_a_flood_of_standard_error_is_passed_on_in_bounded_lines(root: Path) -> None:
    longest = 0

    def say(line: str) -> None:
        nonlocal longest
        longest = max(longest, len(line))

    body = "import sys\nsys.stderr.write('y' * 5_000_000)\nsys.stderr.write('\\nend')\nprint(1)\n"
    assert printed(root, probe_in(root, body), say=say) == "1\n"
    assert longest == 2000


def test_a_probe_that_hangs_is_ended_at_its_time(root: Path) -> None:
    body = "import sys, time\nprint('waiting', file=sys.stderr)\ntime.sleep(600)\n"
    error = failure(root, probe_in(root, body, 'timeout = "1 s"'))
    assert error.code == "probe-timeout"
    assert error.message == "the probe ran longer than 1 s and was ended; its last words: waiting"


def test_a_probe_that_will_not_be_ended_is_killed(root: Path) -> None:
    body = """
    import signal, time
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
    while True: time.sleep(1)
    """
    assert failure(root, probe_in(root, body, 'timeout = "1 s"')).code == "probe-timeout"


def test_a_probe_that_is_stopped_is_killed(root: Path) -> None:
    body = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n"
    assert failure(root, probe_in(root, body, 'timeout = "1 s"')).code == "probe-timeout"


CHILD = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
DAEMON = f"""
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for end in range(3): os.close(end)
        {CHILD}
    os._exit(0)
os.wait()
"""
LEFT = {
    "a child that holds its output": (
        f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {CHILD!r}])\n"
    ),
    "a child in a session of its own": (
        "import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', {CHILD!r}], start_new_session=True)\n"
    ),
    "a daemon": DAEMON,
    "a tree": "import os\nfor _ in range(4): os.fork()\nif os.fork() == 0: import time; time.sleep(600)\n",
}


@LINUX
def test_a_process_that_changes_its_number_all_the_time_is_caught(root: Path) -> None:
    body = """
    import os
    print(1, flush=True)
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork(): os._exit(0)
    """
    assert failure(root, probe_in(root, body)).code == "probe-left-running"


@LINUX
@pytest.mark.parametrize("name", LEFT)
def test_what_outlives_a_probe_is_ended_and_an_error(root: Path, name: str) -> None:
    error = failure(root, probe_in(root, f"print(1, flush=True)\n{LEFT[name]}"))
    assert error.code in ("probe-left-running", "probe-timeout")
    assert "`python" in error.message


@LINUX
@pytest.mark.parametrize("name", LEFT)
def test_what_a_hanging_probe_started_is_ended_with_it(root: Path, name: str) -> None:
    body = f"import time\n{LEFT[name]}\ntime.sleep(600)\n"
    assert failure(root, probe_in(root, body, 'timeout = "1 s"')).code == "probe-timeout"


def test_what_ends_soon_after_the_probe_is_no_fault(root: Path) -> None:
    body = "import subprocess\nprint(1)\nsubprocess.Popen(['sleep', '0.3'])\n"
    assert printed(root, probe_in(root, body)) == "1\n"


def test_an_error_in_the_block_or_in_what_is_told_ends_the_probe(root: Path) -> None:
    def say(line: str) -> None:
        raise RuntimeError(line)

    hanging = probe_in(root, "import sys, time\nprint('on', file=sys.stderr, flush=True)\ntime.sleep(600)\n")
    with pytest.raises(RuntimeError, match="on"), run(root, hanging, say=say):
        pass
    with pytest.raises(KeyError), run(root, probe_in(root, "print(1)\n")) as done:
        raise KeyError(done)


def test_two_at_once_do_not_meet(root: Path) -> None:
    probe = probe_in(
        root,
        f"import sys, time\ntime.sleep(0.3)\nname = sys.argv[1]\nprint(name)\n"
        f"open('{EVIDENCE}/more/two.txt', 'w').write(name)\n",
        TWO,
    )
    found: dict[str, list[str]] = {}

    def one(name: str) -> None:
        with run(root, probe, (name,)) as done:
            found[name] = [path.read_text(encoding="utf-8").strip() for path in done.files.values()]

    threads = [threading.Thread(target=one, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"a": ["a", "a"], "b": ["b", "b"]}


def test_a_stage_that_cannot_be_removed_at_once_is_removed_all_the_same(root: Path) -> None:
    body = (
        "import os\nprint(1)\nos.makedirs('.cache/a/b')\nopen('.cache/a/b/c', 'w')\nos.chmod('.cache/a', 0)\n"
    )
    assert printed(root, probe_in(root, body)) == "1\n"


PARENT = """
import sys, time
from pathlib import Path
from stilltrue.probes import read_header, run
root = Path(sys.argv[1])
with run(root, read_header(root, "probes/p.py", "claims/evidence"), say=lambda line: print(line, flush=True)):
    print("done", flush=True)
    time.sleep(600)
"""


@LINUX
@pytest.mark.parametrize("when", ["on", "done"], ids=["while it runs", "after it ran"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_whatever_kills_us_leaves_nothing_behind(
    root: Path, nothing_left: str, number: signal.Signals, when: str
) -> None:
    wait = "time.sleep(600)" if when == "on" else ""
    start = DAEMON if wait else ""
    body = f"{start}\nimport sys, time\nprint('on', file=sys.stderr, flush=True)\nprint(1)\n{wait}\n"
    probe_in(root, body)
    before = tree(root)
    environment = {**os.environ, "TMPDIR": str(tempfile.gettempdir())}
    command = [sys.executable, "-c", PARENT, str(root)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        assert parent.stdout is not None
        for line in parent.stdout:
            if line.strip() == when.encode():
                break
        assert list(Path(tempfile.gettempdir()).iterdir())
        parent.send_signal(number)
        parent.wait()
    assert soon_empty(nothing_left)
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    assert tree(root) == before


@LINUX
def test_a_keeper_that_is_killed_is_an_error_and_the_probe_ends(root: Path) -> None:
    body = "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(600)\n"
    error = failure(root, probe_in(root, body))
    assert error.code == "probe-failed"
    assert "watches the probe" in error.message


def test_the_environment_is_the_callers(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SETTING", "of mine")
    body = "import json, os\nprint(json.dumps(dict(os.environ)))\n"
    found = json.loads(printed(root, probe_in(root, body)))
    assert found == {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


def test_where_processes_are_different_a_run_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    probe = probe_in(root, "print(1)\n")
    monkeypatch.setattr(process_module, "POSIX", False)
    with pytest.raises(InputError, match="Linux and macOS alone") as caught, run(root, probe):
        pass
    assert (caught.value.code, caught.value.path) == ("probe-cannot-start", "probes/p.py")


DOCS = (Path(__file__).resolve().parent.parent / "docs/tool/probes.md").read_text(encoding="utf-8")


def test_the_probe_that_is_shown_runs_and_its_plant_shows(root: Path) -> None:
    shown = re.search(r'```python title="(?P<name>[^"]+)"\n(?P<text>.*?)^```', DOCS, re.MULTILINE | re.DOTALL)
    assert shown is not None
    write(root, {shown["name"]: shown["text"], f"{EVIDENCE}/lengths.txt": "10\n40\n"})
    probe = read_header(root, shown["name"], EVIDENCE)
    assert missing(probe) == ""
    found = {}
    for plant in ("", *probe.plants):
        with run(root, probe, plant=plant) as done:
            found[plant] = json.loads(done.files[probe.writes[0]].read_bytes())
    assert found == {
        "": {"tokens": 50, "slots": 80, "waste": 0.375},
        "count-pads": {"tokens": 80, "slots": 80, "waste": 0.0},
    }


def test_the_times_that_are_told_are_those_of_the_code() -> None:
    words = {3.0: "three", 2.0: "two"}
    assert f"{words[GRACE_S]} seconds later killed" in DOCS
    assert f"still runs {words[keeper.LEFTOVERS_MAY_END_S]} seconds after" in DOCS.replace("\n  ", " ")


DEEP = """
import os
print(1, flush=True)
for _ in range(3000):
    os.mkdir("a")
    os.chdir("a")
"""


def test_folders_deeper_than_python_calls_are_removed(root: Path) -> None:
    assert printed(root, probe_in(root, DEEP)) == "1\n"


def test_what_a_probe_writes_to_its_keeper_is_no_report(root: Path) -> None:
    body = "import os\nprint(1)\n"
    body += "open(f'/proc/{os.getppid()}/fd/1', 'wb').write(b'junk\\n[1]\\n7\\n')\n"
    if sys.platform == "linux":
        assert printed(root, probe_in(root, body)) == "1\n"
