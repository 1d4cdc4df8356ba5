"""Readers from outside: objects of installed packages, whatever they do, and never of the checkout."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import stilltrue
from stilltrue import config
from stilltrue.cache import Cache
from stilltrue.check import Trail, check
from stilltrue.config import Config, Limits
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError, UsageError
from stilltrue.evidence import Library
from stilltrue.evidence.loading import Content
from stilltrue.evidence.outside import Outside
from stilltrue.evidence.survey import survey
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.installed import apart
from stilltrue.model import Judgement, Verdict
from stilltrue.reading import TEXT, File, Reader, Row, Table, UnreadableError

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tool" / "readers.md"
TOML = '[readers]\nstepper = "our_readers.stepper:READER"\n'
METADATA = "our_readers-{0}.dist-info"


def block(title: str) -> str:
    """A block of the page by its title."""
    found = re.search(rf'```\w+ title="{re.escape(title)}"\n(.*?)```', PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


READER = block("our_readers/stepper.py")
LOG = block("runs/a.log")
CLAIM = """\
```claim
id: step-time
says: "A step takes {value}."
value: %s
evidence: runs/a.log
read: {%s}
```
"""
NAMED = "format: stepper, where: step = 40, column: time"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def install(folder: Path, version: str = "1.2", reader: str = READER) -> None:
    """What `pip install` leaves behind."""
    for old in folder.glob(METADATA.format("*")):
        shutil.rmtree(old)
    about = METADATA.format(version)
    record = f"our_readers/__init__.py,,\nour_readers/stepper.py,,\n{about}/METADATA,,\n{about}/RECORD,,\n"
    files = {
        "our_readers/__init__.py": "",
        "our_readers/stepper.py": reader,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: our-readers\nVersion: {version}\n",
        f"{about}/RECORD": record,
    }
    write(folder, files)


def project(root: Path, value: str = "40.9 ms", read: str = NAMED, configured: str = TOML) -> Path:
    write(root, {"stilltrue.toml": configured, "README.md": CLAIM % (value, read), "runs/a.log": LOG})
    return root


def judged(root: Path) -> Judgement:
    (judgement,) = check(config.load(root)).judgements
    return judgement


def forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in {"our_readers", "helper"}]:
        del sys.modules[name]


@pytest.fixture
def installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder where packages are installed, with the package of the page in it."""
    folder = tmp_path_factory.mktemp("packages") / "site-packages"
    install(folder)
    monkeypatch.setattr("site.getsitepackages", lambda: [str(folder)])
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    forget()


# The page ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("value", "read", "verdict"),
    [
        ("40.9 ms", NAMED, Verdict.HOLDS),
        ("41.2 ms", NAMED, Verdict.DRIFTED),
        ("0.349", "where: step = 40, column: loss", Verdict.HOLDS),
        ("82.1 ms", "column: time, take: sum", Verdict.HOLDS),
        ("40.9", "match: 'step 40 .* ms (.*)'", Verdict.HOLDS),
    ],
    ids=["named", "drifted", "recognised", "summed", "as text"],
)
def test_the_reader_of_the_page_reads_its_log(
    tmp_path: Path, value: str, read: str, verdict: Verdict
) -> None:
    assert judged(project(tmp_path, value, read)).verdict is verdict


@pytest.mark.usefixtures("installed")
def test_what_the_reader_refuses_breaks_the_claim_where_it_says(tmp_path: Path) -> None:
    write(project(tmp_path), {"runs/a.log": LOG.replace("0.6899", "0.68")})
    broken = judged(tmp_path)
    assert (broken.verdict, broken.message) == (Verdict.BROKEN, "this is no step (runs/a.log:2)")
    write(tmp_path, {"runs/a.log": ""})
    assert "is empty" in judged(tmp_path).message


@pytest.mark.usefixtures("installed")
def test_a_file_whose_suffix_means_a_table_is_read_as_that(tmp_path: Path) -> None:
    root = project(tmp_path, "40.9 ms", "column: time")
    root.joinpath("runs/a.csv").write_text(LOG, encoding="utf-8")
    write(root, {"README.md": (CLAIM % ("40.9 ms", "column: time")).replace("a.log", "a.csv")})
    assert "no column `time`" in judged(root).message


@pytest.mark.usefixtures("installed")
def test_what_such_a_file_holds_is_listed_too(tmp_path: Path) -> None:
    root = project(tmp_path)
    (part,) = survey(config.load(root), "runs/a.log").parts
    assert (part.format, len(part.held)) == ("stepper", 6)
    write(root, {"runs/a.log": LOG.replace("# done", "")})
    with pytest.raises(InputError, match="this is no step"):
        survey(config.load(root), "runs/a.log")


# Where it comes from -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        ("no_such_package.x:READER", "`stepper` is not installed: there is no package `no_such_package`"),
        ("our_readers.gone:READER", "`stepper` cannot be imported: ModuleNotFoundError"),
        ("our_readers.stepper:gone", "`stepper` cannot be imported: AttributeError"),
        (
            "our_readers.stepper:read",
            "`stepper` is no `stilltrue.reading.Reader`: `our_readers.stepper:read`",
        ),
        ("os:getcwd", "`stepper` is not installed: `os` would be imported from elsewhere"),
    ],
)
@pytest.mark.usefixtures("installed")
def test_a_reader_that_is_not_there_breaks_the_claims_that_need_it(
    tmp_path: Path, reader: str, message: str
) -> None:
    root = project(tmp_path, configured=TOML.replace("our_readers.stepper:READER", reader))
    broken = judged(root)
    assert (broken.verdict, broken.code) == (Verdict.BROKEN, "outside-reader")
    assert message in broken.message
    assert "stilltrue.toml" in broken.hint or "install" in broken.hint
    write(root, {"README.md": CLAIM % ("40.9", "match: 'step 40 .* ms (.*)'")})
    assert judged(root).verdict is Verdict.HOLDS


def test_a_reader_in_the_checkout_is_refused_and_nothing_of_it_runs(
    tmp_path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a current folder on the path, or an install in editable mode."""
    root = project(tmp_path)
    shadow = "raise SystemExit('imported')\n"
    monkeypatch.syspath_prepend(str(root))
    for files in ({"our_readers/__init__.py": shadow}, {"our_readers.py": shadow}):
        write(root, files | ({"our_readers/stepper.py": READER} if len(files) > 1 else {}))
        assert "`our_readers` would be imported from elsewhere" in judged(root).message
        shutil.rmtree(root / "our_readers", ignore_errors=True)
    (root / "our_readers.py").unlink()
    assert judged(root).verdict is Verdict.HOLDS
    assert (installed / "our_readers").is_dir()


@pytest.mark.parametrize("place", ["at the top", "inside the function"])
def test_what_a_reader_imports_is_never_taken_from_the_checkout(
    tmp_path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    needs = "import helper\n"
    within = READER.replace("-> Iterator[Table]:\n", "-> Iterator[Table]:\n    import helper\n")
    install(installed, reader=needs + READER if place == "at the top" else within)
    root = project(tmp_path)
    write(root, {"helper.py": "raise SystemExit('imported')\n"})
    monkeypatch.syspath_prepend(str(root))
    monkeypatch.chdir(root)
    monkeypatch.syspath_prepend("")
    assert "ModuleNotFoundError: No module named 'helper'" in judged(root).message
    write(installed, {"helper.py": ""})
    forget()
    assert judged(root).verdict is Verdict.HOLDS
    assert Path(sys.modules["helper"].__file__ or "").parent == installed


def test_finders_that_a_package_adds_stay_and_ours_goes(tmp_path: Path, installed: Path) -> None:
    write(
        installed,
        {
            "helper.py": "import sys\nclass Finder:\n    find_spec = staticmethod(lambda *_: None)\n"
            "sys.meta_path.append(Finder)\n"
        },
    )
    before = list(sys.meta_path)
    with apart(tmp_path):
        assert len(sys.meta_path) == 1
        import helper  # type: ignore[import-not-found]  # noqa: PLC0415  # written above

        assert importlib.util.find_spec("no_such") is None
    assert sys.meta_path == [*before, helper.Finder]
    sys.meta_path.remove(helper.Finder)
    forget()


# What it may do ------------------------------------------------------------------------------------------


def frames(read: Callable[[File], Any], data: bytes = LOG.encode(), limits: Limits | None = None) -> Any:
    """What a reader comes to, or the error that it comes to."""
    outside = Outside(Config(Path("/nowhere"), limits=limits or Limits()), (), {"ours": Reader(read)})
    try:
        return outside.read("ours", Content("a.log", data), Deadline((limits or Limits()).seconds))
    except InputError as error:
        return error


def tables(rows: Any, columns: Any = None) -> Callable[[File], Any]:
    return lambda _: [Table(rows, columns or {})]


def one(cells: Any, columns: Any = None, line: Any = 1) -> Callable[[File], Any]:
    return tables([Row(cells, line)], columns)


def _exit(_: File) -> Iterable[Table]:
    raise SystemExit(0)


def _leaves(_: File) -> Iterable[Table]:
    os._exit(0)


def _wrong(_: File) -> Iterable[Table]:
    raise InputError(5, None, object())  # type: ignore[arg-type]  # junk is the point


def _forks(_: File) -> Iterable[Table]:
    child = os.fork()
    if not child:
        os._exit(7)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return [Table([Row({"a": status}, 1)])]


def _interrupted(_: File) -> Iterable[Table]:
    raise KeyboardInterrupt


def _late(file: File) -> Iterator[Table]:
    yield Table([Row({"a": 1}, 1)])
    raise RuntimeError(file.path)


def _loud(file: File) -> list[Table]:
    sys.stdout.write(f"::error:: {file.path}\n")
    sys.stderr.write("warn")
    return [Table([Row({"a": 1}, 1)])]


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise ValueError


def _unspeakable(_: File) -> Iterable[Table]:
    raise UnspeakableError


def _junk(_: File) -> Iterable[Table]:
    raise UnreadableError(3, line="x", hint=None)  # type: ignore[arg-type]  # junk is the point


@pytest.mark.parametrize(
    ("read", "code", "message"),
    [
        (lambda _: 1 / 0, "outside-reader", "the reader `ours` broke: ZeroDivisionError: division by zero"),
        (_exit, "outside-reader", "the reader `ours` broke: SystemExit: 0"),
        (_leaves, "outside-reader", "the reader `ours` broke: SystemExit: 0"),
        (_wrong, "outside-reader", "the reader `ours` broke: InputError"),
        (_late, "outside-reader", "the reader `ours` broke: RuntimeError: a.log"),
        (_unspeakable, "outside-reader", "the reader `ours` broke: UnspeakableError"),
        (_loud, "outside-reader", "the reader `ours` printed `::error:: a.log`"),
        (lambda _: None, "outside-reader", "it gave NoneType, no tables to go through"),
        (lambda _: Table([]), "outside-reader", "it gave Table, no tables to go through"),
        (lambda _: "text", "outside-reader", "it gave str, no `stilltrue.reading.Table`"),
        (lambda _: [], "bad-table", "the reader `ours` found no table in it"),
        (tables([({"a": 1}, 1)]), "outside-reader", "it gave tuple, no `stilltrue.reading.Row`"),
        (one([1]), "outside-reader", "it gave Row, no `stilltrue.reading.Row`"),
        (tables(3), "outside-reader", "TypeError: 'int' object is not iterable"),
        (one({"a": [1]}), "outside-reader", "the cell `a` is list"),
        (one({"a": 1j}), "outside-reader", "the cell `a` is complex"),
        (one({1: "a"}), "outside-reader", "the text is int"),
        (one({"a": "\ud800"}), "outside-reader", "UnicodeEncodeError"),
        (one({"a": 1}, line=0), "outside-reader", "it gave a row of line 0, and the file has 5"),
        (one({"a": 1}, line=6), "outside-reader", "it gave a row of line 6, and the file has 5"),
        (one({"a": 1}, line="1"), "outside-reader", "the line of a row is str"),
        (one({"a": 1}, line=True), "outside-reader", "the line of a row is bool"),
        (one({"a": 1}, {"a": "furlong"}), "outside-reader", "`furlong` is no unit"),
        (one({"a": 1}, {"a": 3}), "outside-reader", "the unit of a column is int"),
        (_junk, "bad-table", "3"),
    ],
)
def test_whatever_a_reader_does_is_an_error_in_words(
    capfd: pytest.CaptureFixture[str], read: Callable[[File], Any], code: str, message: str
) -> None:
    error = frames(read)
    assert isinstance(error, InputError)
    assert (error.code, error.line) == (code, 0)
    assert message in error.message
    assert error.hint
    assert "\n" not in error.message
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_a_reader_forks_ends_as_it_wants() -> None:
    (frame,) = frames(_forks)
    assert frame.grid.cell(0, 0, Deadline(1)) == "7"


def test_a_reader_that_is_interrupted_is_no_error_of_its_own() -> None:
    with pytest.raises(KeyboardInterrupt):
        frames(_interrupted)


def test_a_file_that_is_no_text_says_so_to_a_reader_that_wants_text() -> None:
    error = frames(lambda file: [Table([Row({"a": file.text}, 1)])], b"\x00\x01")
    assert isinstance(error, InputError)
    assert error.code == "not-text"
    (frame,) = frames(lambda file: [Table([Row({"a": file.data[1]}, 1)])], b"\x00\x01")
    assert frame.grid.rows == [["1"]]


def test_cells_may_be_numbers_and_keep_what_they_say() -> None:
    class Own(float):
        def __repr__(self) -> str:
            return "Own()"

    cells = {"a": 0.1, "b": Own(2.5), "c": True, "d": None, "e": 10**30, "f": "0012", "g": float("nan")}
    (frame,) = frames(one(cells, {"f": TEXT, "a": "ms"}))
    assert isinstance(frame, Frame)
    assert [column.name for column in frame.columns] == ["f", "a", "b", "c", "d", "e", "g"]
    assert frame.grid.texts(range(7), Deadline(1.0)) == [
        ["0012"], ["0.1"], ["2.5"], ["true"], [""], [str(10**30)], ["nan"]
    ]  # fmt: skip
    kinds = {column.name: column.kind for column in frame.columns}
    assert (kinds["f"], kinds["c"], kinds["a"]) == (Kind.TEXT, Kind.BOOL, Kind.ANY)
    assert str(frame.columns[1].unit and frame.columns[1].unit.symbol) == "ms"


def _spins(_: File) -> Iterable[Table]:
    while True:
        pass


def _matches(_: File) -> Iterable[Table]:
    re.fullmatch(r"(a+)+b", "a" * 60)
    return []


def _stubborn(_: File) -> Iterable[Table]:
    while True:
        with suppress(Exception):
            time.sleep(0.01)


def _endless(_: File) -> Iterator[Table]:
    yield Table(Row({"a": 1}, 1) for _ in iter(int, 1))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no alarms")
# Hypothesis is told when garbage is collected: an alarm that rings in there ends nothing, and rings again.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in.*gc_callback:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("read", [_spins, _matches, _stubborn, _endless])
def test_a_reader_that_does_not_end_is_ended(read: Callable[[File], Iterable[Table]]) -> None:
    handler = signal.getsignal(signal.SIGALRM)
    error = frames(read, limits=Limits(seconds=0.1))
    assert isinstance(error, InputError)
    assert (error.code, signal.getsignal(signal.SIGALRM)) == ("too-slow", handler)
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no alarms")
def test_an_alarm_that_was_set_before_rings_after() -> None:
    rung: list[int] = []
    handler = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.15)
        assert not isinstance(frames(one({"a": 1})), InputError)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 0.15
        signal.pause()
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


def test_a_reader_may_run_on_another_thread() -> None:
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(frames(one({"a": 1}))))
    thread.start()
    thread.join()
    assert isinstance(seen[0], tuple)


def test_a_reader_that_gives_too_much_is_stopped() -> None:
    error = frames(lambda _: [Table(Row({"a": "x" * 100}, 1) for _ in range(100))], limits=Limits(bytes=5000))
    assert isinstance(error, InputError)
    assert error.code == "too-large"


@pytest.mark.parametrize("answer", [None, 1, re.match("a", "a")])
def test_a_reader_says_yes_or_no_of_a_file(answer: Any) -> None:
    reader = Reader(lambda _: [], lambda _: answer)
    outside = Outside(Config(Path("/nowhere")), (), {"ours": reader})
    with pytest.raises(InputError, match=f"`recognises` gave {type(answer).__name__}, no bool"):
        outside.recognised(Content("a.log", b"x"), Deadline(1.0))


def test_a_file_of_two_readers_wants_to_be_told_which() -> None:
    both = {name: Reader(lambda _: [], lambda head: head == b"x") for name in ("one", "two")}
    outside = Outside(Config(Path("/nowhere")), (), both)
    with pytest.raises(InputError, match=r"of several formats: `one`, `two`"):
        outside.recognised(Content("a.log", b"x"), Deadline(1.0))
    assert outside.recognised(Content("a.log", b"y"), Deadline(1.0)) == ""


# Configuration and cache ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("configured", "message"),
    [
        ("readers = 3", "`readers` must be a table"),
        ('readers = {a = "no reader"}', "`readers.a` names no reader"),
        ("readers = {a = 3}", "`readers.a` names no reader"),
        ('readers = {"A b" = "a.b:C"}', "`readers.A b` is no name"),
        ('readers = {csv = "a.b:C"}', "there is a format `csv` already"),
        ('readers = {hyperfine = "a.b:C"}', "there is a format `hyperfine` already"),
    ],
)
def test_a_configuration_that_names_none_is_refused(tmp_path: Path, configured: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        check(config.load(project(tmp_path, configured=configured + "\n")))
    assert message in caught.value.message
    assert (caught.value.place, caught.value.code) == ("stilltrue.toml", "config")
    assert caught.value.hint


@pytest.mark.usefixtures("installed")
def test_a_format_that_nobody_knows_gets_the_nearest_of_all(tmp_path: Path) -> None:
    broken = judged(project(tmp_path, read=NAMED.replace("stepper", "steper")))
    assert (broken.verdict, broken.hint) == (Verdict.BROKEN, "did you mean `stepper`?")


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("change", ["version", "code", "nothing"])
@pytest.mark.parametrize("read", [NAMED, "where: step = 40, column: time"], ids=["named", "recognised"])
def test_another_reader_is_another_check(tmp_path: Path, installed: Path, read: str, change: str) -> None:
    root = project(tmp_path, read=read)
    settings, trail = config.load(root), Trail()
    library = Library(settings)
    assert check(settings, library=library, trail=trail).ok
    files = library.inputs().readers
    assert {Path(path).name for path in files} == {"__init__.py", "stepper.py", "METADATA"}
    Cache(root, "text").keep(settings, library.inputs(), trail, "the report", time.time())
    assert Cache(root, "text").find() == "the report"
    if change == "version":
        install(installed, "1.3")
    if change == "code":
        path = installed / "our_readers" / "stepper.py"
        path.write_text(READER + "\n", encoding="utf-8")
    assert (Cache(root, "text").find() == "the report") is (change == "nothing")


@pytest.mark.usefixtures("installed")
def test_a_reader_that_no_claim_needs_is_not_imported(tmp_path: Path) -> None:
    root = project(tmp_path, "40.9", "match: 'step 40 .* ms (.*)'")
    library = Library(config.load(root))
    assert check(config.load(root), library=library).ok
    assert library.inputs().readers == ()
    assert "our_readers" not in sys.modules


# The whole program ---------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="the folders of an environment are elsewhere there")
def test_the_command_reads_with_an_installed_reader_whatever_lies_in_the_checkout(tmp_path: Path) -> None:
    made = tmp_path / "environment"
    venv.create(made, symlinks=True)
    (packages,) = made.glob("lib/python*/site-packages")
    install(packages)
    needed = [Path(stilltrue.__file__).parents[1], *map(Path, sys.path)]
    places = dict.fromkeys(str(path) for path in needed if path.is_dir())
    (packages / "ours.pth").write_text("".join(f"{path}\n" for path in places), encoding="utf-8")
    root = project(tmp_path / "checkout")
    command = [str(made / "bin" / "python"), "-m", "stilltrue", "check"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    write(root, {"our_readers/__init__.py": "print('imported')\n", "our_readers/stepper.py": READER})
    (packages / "aaa.pth").write_text(f"import sys; sys.path.insert(0, {str(root)!r})\n", encoding="utf-8")
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert "`our_readers` would be imported from elsewhere" in done.stdout
    assert (done.returncode, "Traceback" in done.stderr, "imported\n" in done.stdout) == (1, False, False)
