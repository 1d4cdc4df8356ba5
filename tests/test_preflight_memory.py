"""Memory before a launch: predictions in every form that is taken, against cards that they fit and do not."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from preflight_found import assert_refused, said
from preflight_support import launch_of
from stilltrue.preflight.checks import memory

EVIDENCE = Path(__file__).parents[1] / "claims" / "evidence" / "memory" / "step.json"
"""What `probes/step_memory.py` printed for a large model."""

GIB = 2**30


def of(root: Path, settings: str, document: Any = None) -> str:
    """What the check says of one step."""
    files = {} if document is None else {"runs/memory.json": json.dumps(document)}
    found = said(launch_of(root, f"memory: {{{settings}}}\n", files))
    assert list(found) in (["step"], ["memory"])
    return found.popitem()[1]


PEAK = {
    "bytes": 50 * GIB,
    "a-size": "50 GiB",
    "decimal": 50.0 * GIB,
}


@pytest.mark.parametrize("form", PEAK)
def test_a_step_that_fits_with_its_margin_passes(form: str, tmp_path: Path) -> None:
    text = of(tmp_path, "file: runs/memory.json, path: $.peak, card: 60 GiB", {"peak": PEAK[form]})
    assert text == ("ok 50.00 GiB predicted, at most 54.00 GiB with a margin; the card has 60.00 GiB")


CARDS = {
    "54.00 GiB": "ok 50.00 GiB predicted",
    "53.99 GiB": "FAIL too close to say: 50.00 GiB predicted",
    "50.00 GiB": "FAIL too close to say: 50.00 GiB predicted",
    "49.99 GiB": "FAIL out of memory: 50.00 GiB predicted",
}


@pytest.mark.parametrize("card", CARDS)
def test_the_margin_stands_between_fits_and_does_not(card: str, tmp_path: Path) -> None:
    text = of(tmp_path, f"file: runs/memory.json, path: $.peak, card: {card}", {"peak": 50 * GIB})
    assert text.startswith(CARDS[card])


def test_a_margin_of_ones_own_is_used(tmp_path: Path) -> None:
    settings = "file: runs/memory.json, path: $.peak, card: 54 GiB"
    assert of(tmp_path / "8", settings, {"peak": 50 * GIB}).startswith("ok")
    assert of(tmp_path / "10", f"{settings}, margin: 10 %", {"peak": 50 * GIB}).startswith("FAIL too close")


def test_what_comes_on_top_is_added_and_the_largest_peak_decides(tmp_path: Path) -> None:
    document = {"rows": [{"peak": 40 * GIB}, {"peak": 50 * GIB}], "state": ["3 GiB", 3 * GIB]}
    text = of(
        tmp_path, "file: runs/memory.json, path: '$.rows[*].peak', also: '$.state[*]', card: 60 GiB", document
    )
    assert text == (
        "ok 50.00 GiB predicted and 6.00 GiB on top, at most 60.00 GiB with a margin; the card has 60.00 GiB"
    )


ROW = "$.rows[?@.tokens == 16384 && @.sequences == {} && @.loss == 'chunked'].peak"


def test_the_document_of_the_probe_is_read_as_it_is(tmp_path: Path) -> None:
    """Its largest row needs 116 GiB; two sequences of 16,384 tokens, 74 GiB."""
    launch_of(tmp_path, "", {"memory.json": ""})
    shutil.copy(EVIDENCE, tmp_path / "memory.json")
    whole = of(tmp_path, "file: memory.json, card: 95.6 GiB")
    assert whole.startswith("FAIL out of memory: 116.37 GiB predicted and 567.19 MiB on top")
    assert of(tmp_path, f'file: memory.json, path: "{ROW.format(2)}", card: 95.6 GiB').startswith(
        "ok 73.81 GiB"
    )
    assert "too close" in of(tmp_path, f'file: memory.json, path: "{ROW.format(3)}", card: 90 GiB')


def test_a_command_predicts_when_it_is_run(tmp_path: Path) -> None:
    script = {
        "predict.py": "import sys\nprint('reckoning', file=sys.stderr)\nprint('{\"peak\": 1073741824}')\n"
    }
    launch_of(tmp_path, "", script)
    text = of(tmp_path, "command: python predict.py, path: $.peak, card: 2 GiB")
    assert text == "ok 1.00 GiB predicted, at most 1.08 GiB with a margin; the card has 2.00 GiB"


UNSEEN = {
    "fails": ("sh -c 'echo no room >&2; exit 3'", "the command gave nothing: exit code 3: no room"),
    "no-json": ("echo seventy", "what the command prints is not valid JSON"),
    "no-such-program": ("no-such-program", "`no-such-program` cannot be started"),
    "too-long": ("sleep 30", "it took longer than 0.2 s, and was ended"),
    "no-peak": ("echo '{\"top\": 3}'", "in what the command prints"),
    "no-size": ('echo \'{"peak": "much"}\'', "this is no size: much"),
    "gib": ("echo '{\"peak\": 79.7}'", "this would be 79.7 bytes, which is no step of a model"),
    "zero": ("echo '{\"peak\": 0}'", "this is no size: 0"),
    "yes": ("echo '{\"peak\": true}'", "this is no size: true"),
    "time": ('echo \'{"peak": "3 s"}\'', "this is no size: 3 s"),
    "infinite": ("echo '{\"peak\": Infinity}'", "this is no size: not a finite number"),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_a_prediction_that_is_none_has_not_passed(name: str, tmp_path: Path) -> None:
    command, why = UNSEEN[name]
    quoted, limit = command.replace("'", "''"), "0.2 s" if name == "too-long" else "20 s"
    settings = f"memory: {{command: '{quoted}', path: $.peak, card: 2 GiB, timeout: {limit}}}\n"
    found = said(launch_of(tmp_path, settings))
    assert found["memory"].startswith("FAIL")
    assert why in found["memory"]


def smi(root: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """A stand-in for the program that tells what is free of a card."""
    program = root / "bin" / "nvidia-smi"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def test_a_device_counts_for_what_is_free_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    smi(tmp_path, monkeypatch, 'test "$1" = --id=1 && echo 54743')
    settings = "file: runs/memory.json, path: $.peak, device: 1"
    assert of(tmp_path, settings, {"peak": 40 * GIB}) == (
        "ok 40.00 GiB predicted, at most 43.20 GiB with a margin; device 1 has 53.46 GiB free"
    )
    assert of(tmp_path, settings, {"peak": 57 * GIB}).startswith("FAIL out of memory: 57.00 GiB predicted")


@pytest.mark.parametrize("body", ["echo no such device; exit 6", "echo '[N/A]'", "true"])
def test_a_device_that_does_not_say_has_not_passed(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smi(tmp_path, monkeypatch, body)
    text = of(tmp_path, "file: runs/memory.json, path: $.peak, device: 1", {"peak": GIB})
    assert text.startswith("FAIL nvidia-smi does not say what is free of device 1: ")


REFUSED = {
    "no-card": ("file: a.json", "this needs one of `card` and `device`"),
    "two-cards": ("file: a.json, card: 80 GiB, device: 0", "this needs one of `card` and `device`"),
    "no-prediction": ("card: 80 GiB", "this needs one of `file` and `command`"),
    "two-predictions": ("file: a.json, command: a, card: 80 GiB", "this needs one of `file` and `command`"),
    "no-unit": ("file: a.json, card: 80", "`card`"),
    "a-time": ("file: a.json, card: 80 s", "`card`"),
    "no-share": ("file: a.json, card: 80 GiB, margin: 8", "`margin`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_make_no_sense_are_refused(name: str, tmp_path: Path) -> None:
    settings, why = REFUSED[name]
    assert_refused(tmp_path, f"memory: {{{settings}}}\n", 1, why)


def test_the_comparison_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = "file: runs/memory.json, path: $.peak, card: 20 GiB"
    assert of(tmp_path / "as-it-is", settings, {"peak": 50 * GIB}).startswith("FAIL")
    judged = memory.judged
    monkeypatch.setattr(memory, "judged", lambda _peak, *rest: judged(1, *rest))
    assert of(tmp_path / "blind", settings, {"peak": 50 * GIB}).startswith("ok")


@pytest.mark.parametrize("peak", [10**400, f"1{'0' * 400} GiB"], ids=["bytes", "size"])
def test_a_prediction_without_end_is_none(peak: object, tmp_path: Path) -> None:
    text = of(tmp_path, "file: runs/memory.json, path: $.peak, card: 60 GiB", {"peak": peak})
    assert text.startswith("FAIL this is no size: 1000")
