"""Whether the machine was idle, asked of a stand-in for nvidia-smi and of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from probe_parts import idle
from probe_parts.idle import Mark, look_at_cards, mark, others_between, warnings_of

Says = Callable[..., None]


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Says:
    """Puts an `nvidia-smi` on the PATH that says the lines given, one answer a call, the last for ever."""

    def write(*answers: str, code: int = 0) -> None:
        for number, answer in enumerate(answers):
            (tmp_path / f"answer-{number}").write_text(answer, encoding="utf-8")
        script = (
            "#!/bin/sh\n"
            f"cd {tmp_path}\n"
            'echo "$@" > asked\n'
            "cat $(ls answer-* | head -n 1)\n"
            "[ $(ls answer-* | wc -l) = 1 ] || rm $(ls answer-* | head -n 1)\n"
            f"exit {code}\n"
        )
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "nvidia-smi").write_text(script, encoding="utf-8")
        (tmp_path / "bin" / "nvidia-smi").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    return write


def test_an_idle_card_gives_no_warning(says: Says, tmp_path: Path) -> None:
    says("0, NVIDIA Test 1, 0, 412, 97887\n")
    found = look_at_cards(pause_s=0)
    (card,) = found.cards
    assert (card.name, card.busy_percent, card.used_mib, card.total_mib) == ("NVIDIA Test 1", 0, 412, 97887)
    assert card.idle
    assert warnings_of(found) == []
    assert (
        "--query-gpu=index,name,utilization.gpu,memory.used,memory.total" in (tmp_path / "asked").read_text()
    )


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["0, A, 37, 412, 97887\n"], "card 0 (A) is not idle: 37 % busy, 412 MiB in use"),
        (["0, A, 0, 54741, 97887\n"], "card 0 (A) is not idle: 0 % busy, 54,741 MiB in use"),
        (["0, A, [N/A], 54741, 97887\n"], "card 0 (A) is not idle: unknown % busy, 54,741 MiB in use"),
        (["0, A, 0, 1, 9\n", "0, A, 98, 1, 9\n", "0, A, 0, 1, 9\n"], "98 % busy, 1 MiB in use"),
        (["0, A, 0, 1, 9\n1, B, 50, 2, 9\n"], "card 1 (B) is not idle: 50 % busy"),
        (["0, A, [N/A], 1, 9\n"], "card 0 (A) may not be idle: unknown % busy, 1 MiB in use"),
        (["0, A, nan, 1, 9\n"], "card 0 (A) may not be idle: unknown % busy, 1 MiB in use"),
    ],
    ids=["busy", "memory", "silent", "busy-between", "second-card", "tells-nothing", "no-number"],
)
def test_a_card_that_works_or_holds_memory_for_others_is_told(
    says: Says, answers: list[str], said: str
) -> None:
    says(*answers)
    (warning,) = warnings_of(look_at_cards(pause_s=0))
    assert said in warning


@pytest.mark.parametrize(
    ("answer", "code", "why"),
    [
        ("NVIDIA-SMI has failed\nbecause\n", 9, "nvidia-smi failed (9) and said: NVIDIA-SMI has failed"),
        ("No devices were found\n", 0, "not understood: No devices were found"),
    ],
)
def test_where_nvidia_smi_does_not_tell_that_is_kept_and_no_warning_made(
    says: Says, answer: str, code: int, why: str
) -> None:
    says(answer, code=code)
    found = look_at_cards(pause_s=0)
    assert found.cards == ()
    assert why in found.unknown
    assert warnings_of(found) == []


def test_without_nvidia_smi_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert look_at_cards(pause_s=0).unknown == "there is no nvidia-smi on the PATH"


# The cores ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "everything", "others", "is_idle"),
    [(10, 10, 0.0, True), (10, 12, 0.2, True), (10, 25, 1.5, False), (11, 10, 0.0, True)],
)
def test_what_is_not_our_own_cpu_time_is_others(
    own: float, everything: float, others: float, is_idle: bool
) -> None:
    found = others_between(Mark(100, 500, 7), Mark(110, 500 + everything, 7 + own))
    assert (found.wall_s, found.idle) == (10, is_idle)
    assert found.others_cores == pytest.approx(others)


def test_where_the_system_does_not_tell_nothing_is_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle, "_STAT", tmp_path / "none")
    found = others_between(mark(), mark())
    assert (found.others_cores, found.idle) == (None, None)


def test_a_count_that_shows_nothing_of_our_own_time_claims_nothing() -> None:
    found = others_between(Mark(100, 0, 7), Mark(110, 0, 12))
    assert (found.others_cores, found.idle) == (None, None)


def test_the_whole_machine_has_worked_at_least_as_long_as_this_process() -> None:
    now = mark()
    if now.all_s is None:
        pytest.skip("the system does not tell what other processes do")
    assert now.all_s > now.own_s > 0
