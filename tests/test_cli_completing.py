"""Shell completion: what is offered where, in bash itself too, and that nothing else is ever said."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from recording_support import environment
from stilltrue.cli.app import app
from stilltrue.cli.completing import VARIABLE, complete
from stilltrue.cli.group import PURPOSES

PAGE = """\
```claim
id: step-time
says: "One step takes {value}."
value: 5 ms
reported: {by: a note}
tags: [speed, "two words"]
```

```claim
id: peak.naive
says: "It needs {value}."
value: 14 GiB
reported: {by: a note}
tags: [memory]
superseded: {on: 2026-08-26, because: "measured since"}
```
"""

Offered = Callable[..., list[str]]


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Offered:
    """What completing a command line offers in a project of two claims."""
    (tmp_path / "stilltrue.toml").touch()
    (tmp_path / "README.md").write_text(PAGE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def offer(*words: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", " ".join(("stilltrue", *words)))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        assert complete(app, "bash_complete") == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out.split()

    return offer


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("che",), ["plain,check"]),
        (("check", "--form"), ["plain,--format"]),
        (("check", "--format", "s"), ["plain,sarif"]),
        (("new", "l"), ["plain,landmine"]),
        (("check", "s"), ["plain,step-time"]),
        (("check", "step-time", "p"), ["plain,peak.naive"]),
        (("show", ""), ["plain,step-time", "plain,peak.naive"]),
        (("accept", "s"), ["plain,step-time"]),
        (("update", "s"), ["plain,step-time"]),
        (("mutate", "--tag", "m"), ["plain,memory"]),
        (("check", "--tag", ""), ["plain,memory", "plain,speed"]),
        (("check", "--rerun", ""), ["plain,cheap", "plain,all", "plain,step-time", "plain,peak.naive"]),
        (("supersede", "step-time", "--by", "p"), ["plain,peak.naive"]),
        (("record", "probes/p"), ["file,probes/p"]),
        (("adopt", "r"), ["file,r"]),
        (("coverage", "d"), ["file,d"]),
        (("preflight", "p"), ["file,p"]),
        (("new", "claim", "--evidence", "r"), ["file,r"]),
        (("check", "--project", "d"), ["dir,d"]),
        (("chekc", "up"), ["plain,update"]),  # no command of that name: what the line could still begin with
        (("record", "probes/a.py", "--", "x"), ["file,x"]),
    ],
    ids=" ".join,
)
def test_what_fits_is_offered(words: tuple[str, ...], found: list[str], offered: Offered) -> None:
    assert offered(*words) == found


def test_every_command_is_offered_in_the_order_of_the_help(offered: Offered) -> None:
    names = [name for names in PURPOSES.values() for name in names]
    assert offered("") == [f"plain,{name}" for name in names]


@pytest.mark.parametrize("text", ["pages = [\n", "pagse = []\n", ""])
def test_a_project_that_cannot_be_read_offers_nothing(text: str, offered: Offered) -> None:
    Path("stilltrue.toml").write_text(text, encoding="utf-8")
    Path("README.md").write_text("```claim\nid: [\n```\n", encoding="utf-8")
    assert offered("check", "s") == []


@pytest.mark.parametrize("asked", ["bash_nothing", "tcsh_source", "", "bash_complete"])
def test_what_no_shell_asks_is_refused_without_a_word(
    asked: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COMP_WORDS", raising=False)
    assert complete(app, asked) == 2
    assert capsys.readouterr() == ("", "")


def test_every_argument_and_option_that_takes_a_file_or_an_id_completes_it() -> None:
    commands = [*app.commands.values()]
    for group in [each for each in commands if isinstance(each, click.Group)]:
        commands += group.commands.values()
    silent = [
        f"{command.name} {parameter.metavar}"
        for command in commands
        for parameter in command.params
        if re.fullmatch(r"\[?(ID|OLD|NEW|TAG|FILE|PAGE|PROBE)\b.*", getattr(parameter, "metavar", None) or "")
        and parameter._custom_shell_complete is None
    ]
    assert silent == ["bind ID", "claim ID"]  # one that is not there yet


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_given_their_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert complete(app, f"{shell}_source") == 0
    out, err = capsys.readouterr()
    assert f"{VARIABLE}={shell}_complete" in out
    assert err == ""


BASH = """\
eval "$({variable}=bash_source stilltrue)" || exit 9
complete -p stilltrue
offer() {{
  COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
  _stilltrue_completion stilltrue
  echo "${{COMPREPLY[*]}}"
}}
offer stilltrue pre
offer stilltrue show st
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash found")
def test_bash_completes_commands_and_ids(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "stilltrue"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stilltrue "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "stilltrue.toml").touch()
    (tmp_path / "README.md").write_text(PAGE, encoding="utf-8")
    done = subprocess.run(
        ["bash", "--norc", "-c", BASH.format(variable=VARIABLE)],
        cwd=tmp_path,
        env=environment(PATH=os.pathsep.join((str(program.parent), os.environ["PATH"]))),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    told, *found = done.stdout.splitlines()
    assert told.endswith("_stilltrue_completion stilltrue")
    assert found == ["preflight", "step-time"]
