"""Does a watchdog say dead when nothing runs, and alive when what it watches does?"""

from __future__ import annotations

import contextlib
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from stilltrue.preflight.commands import placeholders, words
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import Key, Kind, table
from stilltrue.preflight.launched import Ran, standing
from stilltrue.preflight.posing import long_enough, posing, zombie
from stilltrue.preflight.processes import Process, running, seen, start_of
from stilltrue.preflight.settings import Settings
from stilltrue.wording import listed, quoted

SUMMARY = "A watchdog says dead while nothing of the run is there, and alive while a stand-in for it is."

KEYS = table(
    Key(
        "command",
        Kind.COMMAND,
        "Looks once, and says by its exit code what it saw; `{pid_file}` stands for a file with a number.",
        "command: bash runs/alive.sh",
        required=True,
    ),
    Key(
        "watched",
        Kind.COMMAND,
        "What it watches, as `ps -ww -o args=` shows it; it is never started.",
        "watched: python runs/train.py --steps 500",
        required=True,
    ),
    Key("alive", Kind.WHOLE, "The exit code that says alive; the default is 0.", "alive: 0"),
    Key("dead", Kind.WHOLE, "The exit code that says dead; the default is 1.", "dead: 1"),
    Key(
        "holds",
        Kind.TEXT,
        "What the file holds: `{pid}`, and `{start}` for the start of the process; the default is `{pid}`.",
        'holds: "{pid} {start}"',
    ),
    Key("timeout", Kind.TIME, "How long one look may take; the default is 30 s.", "timeout: 30 s"),
)

_PID_FILE = "pid_file"
_HELD = ("pid", "start")
_TIMEOUT_S = 30.0
_SLEEP = "import time\nwhile True: time.sleep(3600)"
_SHORTEST_PART = 4


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The findings: one for each state that the watchdog is shown."""
    watched = shlex.split(settings.text("watched"))
    already = [process for process in running() if list(process.words) == watched]
    if already:
        saw = f"`{settings.text('watched')}` runs already, as process {already[0].number}"
        yield failed("nothing running", saw, "look again when it has ended", settings.place("watched"))
        return
    by_number = _PID_FILE in placeholders(settings, "command", (_PID_FILE,))
    with tempfile.TemporaryDirectory(prefix="stilltrue-") as folder:
        watchdog = _Watchdog(launch, settings, watched, Path(folder, "pid"))
        yield watchdog.idle()
        with posing(watched, launch.config.root) as number:
            start = start_of(number)
            watchdog.write(number, start)
            hint = _READ if by_number else _SEE
            yield watchdog.judged("stand-in running", watchdog.look(), alive=True, hint=hint)
        if by_number:
            yield watchdog.judged("number of a process that ended", watchdog.look(), alive=False, hint=_STALE)
            yield watchdog.unreaped()
            yield watchdog.another(start)


def fits(settings: Settings) -> None:
    """Says which settings are none.

    Raises:
        UsageError: `preflight-settings`.
    """
    watched = shlex.split(settings.text("watched"))
    if settings.whole("alive", 0) == settings.whole("dead", 1):
        settings.refuse("alive and dead have one exit code", "let the watchdog tell them apart", "dead")
    if not long_enough(watched):
        settings.refuse(
            "`watched` is too short to be told from others", "write the whole command line", "watched"
        )
    if "=" in watched[0]:
        message = f"`{watched[0]}` is no program: a process does not show its variables"
        settings.refuse(message, "write what `ps -ww -o args=` shows", "watched")
    used = placeholders(settings, "command", (_PID_FILE,))
    if "holds" in settings:
        if not used:
            settings.refuse("the command does not read a file", "pass `{pid_file}` to it", "holds")
        if "pid" not in placeholders(settings, "holds", _HELD):
            settings.refuse("`holds` names no process", 'write `holds: "{pid}"`', "holds")


class _Watchdog:
    """A watchdog, and the file from which it may take a process number."""

    def __init__(self, launch: Launch, settings: Settings, watched: list[str], pid_file: Path) -> None:
        self.launch = launch
        self.settings = settings
        self.watched = watched
        self.pid_file = pid_file

    def look(self) -> Ran:
        """What it says now."""
        return self.launch.run(
            words(self.launch, self.settings, "command", {_PID_FILE: str(self.pid_file)}),
            folder=self.launch.config.root,
            timeout_s=self.settings.seconds("timeout", _TIMEOUT_S),
        )

    def write(self, number: int, start: str) -> None:
        """Has the file name a process, and say when it started."""
        held = self.settings.text("holds", "{pid}")
        text = held.replace("{pid}", str(number)).replace("{start}", start)
        self.pid_file.write_text(f"{text}\n", encoding="utf-8")

    def idle(self) -> Finding:
        """What it says while nothing runs, and which process it may have taken for the run."""
        with seen(_parts(self.watched)) as found:
            ran = self.look()
        return self.judged("nothing running", ran, alive=False, hint=_SELF, kept=_blamed(found))

    def unreaped(self) -> Finding:
        """What it says of a number and a start that are the run's, which has ended and is still listed."""
        with zombie(self.watched, self.launch.config.root) as number:
            self.write(number, start_of(number))
            return self.judged("number of a zombie", self.look(), alive=False, hint=_ZOMBIE)

    def another(self, start: str) -> Finding:
        """What it says of a number that is another process's by now, with the start of the run."""
        with _sleeper(self.launch) as number:
            self.write(number, start)
            return self.judged("number of another process", self.look(), alive=False, hint=_REUSED)

    def judged(self, what: str, ran: Ran, *, alive: bool, hint: str, kept: str = "") -> Finding:
        """Whether it said what is so."""
        codes = {self.settings.whole("alive", 0): "alive", self.settings.whole("dead", 1): "dead"}
        place = self.settings.place("command")
        said = codes.get(ran.status) if ran.status is not None and not ran.why else None
        if said is None:
            return failed(what, f"the watchdog says neither: {ran.fault or 'exit code 0'}", _CODES, place)
        if not right(said, alive=alive):
            return failed(what, f"the watchdog says {said}{kept}", hint, place)
        return passed(what, f"the watchdog says {said}", place)


def right(said: str, *, alive: bool) -> bool:
    """Whether what a watchdog says is so."""
    return said == ("alive" if alive else "dead")


def _parts(watched: list[str]) -> set[str]:
    """What a pattern for this command line may hold: the names in it, without folders and suffixes."""
    names = {PurePosixPath(word).stem for word in watched[1:] if not word.startswith("-")}
    return {name for name in names if len(name) >= _SHORTEST_PART and not name.isdecimal()} or {
        PurePosixPath(watched[0]).name
    }


def _blamed(found: dict[int, Process]) -> str:
    """Who was there and names the run; `pgrep` never finds itself."""
    lines = [
        f"process {process.number} {quoted(process.line)}"
        for process in found.values()
        if PurePosixPath(process.words[0]).name not in ("pgrep", "pkill")
    ]
    return f", and there was {listed(lines, 3)}" if lines else ""


@contextlib.contextmanager
def _sleeper(launch: Launch) -> Iterator[int]:
    """A process that has nothing to do with the run."""
    with standing([sys.executable, "-I", "-S", "-c", _SLEEP], folder=launch.config.root) as number:
        yield number


_SELF = "a pattern finds whoever has it in its own command line: match `[t]rain.py`, or a number and its name"
_SEE = "match the command line as `ps -ww -o args=` shows it"
_READ = (
    "read the number from the file that `{pid_file}` names; where the run's own file holds its start too: "
    '`holds: "{pid} {start}"`'
)
_STALE = "ask whether the process is there: `kill -0`, and compare its command line"
_ZOMBIE = (
    "a process that has ended is listed until its parent asks how, and answers `kill -0`: look at its state, "
    "`Z` in `ps -o stat=` and in `/proc/PID/stat`"
)
_REUSED = "numbers are given again: compare the command line of the process with what is watched"
_CODES = "let it exit with the code of `alive` or of `dead`; any other says that it is broken"
