"""The checks `relies_on` and `copies`: what a launch takes from measurements."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight_support import launch_of, look, refused
from stilltrue.check.stale import Stale
from stilltrue.preflight.checks import relies_on

CLAIMS = r"""
- id: encode-time
  says: "Encoding takes {value}."
  value: 145.5 s
  evidence: claims/evidence/run.json
  read: {path: $.seconds, unit: s}
  copies: [{file: runs/launch.sh, match: '(?m)^ENCODE_SECONDS=(\S+)', unit: s}]
- id: encode-guess
  says: "Encoding takes {value}."
  value: 4.3 hours
  reported: {by: "a guess"}
  superseded: {by: encode-time, on: 2026-08-26, because: "it was measured"}
- id: withdrawn
  says: "Loading takes {value}."
  value: 7.25 min
  reported: {by: "a guess"}
  superseded: {on: 2026-08-26, because: "it was another process"}
- id: peak
  says: "The peak is {value}."
  value: 80 GiB
  evidence: claims/evidence/run.json
  read: {path: $.peak, unit: GiB}
- id: card
  says: "The card has {value}."
  value: 80 GB
  reported: {by: "the data sheet"}
- id: old
  says: "It was {value}."
  value: "3"
  evidence: claims/evidence/run.json
  read: {path: $.count}
  valid: {until: 2020-01-01}
- id: lost
  says: "It was {value}."
  value: "3"
  evidence: claims/evidence/gone.json
  read: {path: $.count}
- id: unreadable
  says: "It was {value}."
  value: "3"
  evidense: claims/evidence/run.json
"""

READABLE = CLAIMS.partition("- id: unreadable")[0]

FILES = {
    "claims/numbers.yml": CLAIMS,
    "claims/evidence/run.json": '{"seconds": 145.5, "peak": 82.0, "count": 3}\n',
    "runs/launch.sh": "ENCODE_SECONDS=145.5\n",
}


def relying(root: Path, wanted: str, files: dict[str, str] | None = None) -> Path:
    return launch_of(root, f"relies_on: {wanted}\n", {**FILES, **(files or {})})


def test_a_claim_that_holds_passes_and_its_value_is_told(tmp_path: Path) -> None:
    seen = look(relying(tmp_path, "[encode-time]"))
    assert seen.code == 0
    assert seen.right("relies_on") == ["`encode-time`: holds: 145.5 s, found in `claims/evidence/run.json`"]


@pytest.mark.parametrize(
    ("name", "saw", "hint"),
    [
        ("peak", "`peak`: drifted: the claim says `80 GiB`", "stilltrue update"),
        ("card", "`card`: is reported: 80 GB is quoted, not measured here", "allow: reported"),
        ("encode-guess", "`encode-guess`: is superseded: it was measured", "rely on `encode-time` instead"),
        ("withdrawn", "`withdrawn`: is superseded: it was another process", "it was withdrawn"),
        ("old", "`old`: is stale: ", ""),
        ("lost", "`lost`: is broken: there is no file `claims/evidence/gone.json`", ""),
        ("unreadable", "`unreadable`: unknown key `evidense`", "did you mean `evidence`?"),
        ("encode-tim", "`encode-tim`: there is no such claim", "did you mean `encode-time`?"),
    ],
)
def test_a_claim_that_does_not_hold_fails_and_the_line_says_how(
    tmp_path: Path, name: str, saw: str, hint: str
) -> None:
    seen = look(relying(tmp_path, name))
    (wrong,) = seen.wrong("relies_on")
    assert wrong.startswith(saw)
    assert hint in seen.checks["relies_on"][0]["hint"]
    assert seen.checks["relies_on"][0]["line"]


def test_each_of_a_list_is_looked_at_and_one_that_fails_is_enough(tmp_path: Path) -> None:
    seen = look(relying(tmp_path, "[encode-time, card, encode-time]"))
    assert [finding["ok"] for finding in seen.checks["relies_on"]] == [True, False, True]
    assert seen.code == 1


@pytest.mark.parametrize(("name", "verdict"), [("card", "reported"), ("old", "stale")])
def test_a_verdict_that_is_allowed_passes_with_its_reason(tmp_path: Path, name: str, verdict: str) -> None:
    wanted = f"[{{claim: {name}, allow: {verdict}, because: the card is not here yet.}}]"
    seen = look(relying(tmp_path, wanted))
    assert seen.code == 0
    assert f"is {verdict}, which is allowed because the card is not here yet: " in seen.right("relies_on")[0]


def test_allowing_one_verdict_allows_no_other(tmp_path: Path) -> None:
    assert look(relying(tmp_path, "[{claim: card, allow: stale, because: x}]")).code == 1


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("[{claim: peak, allow: drifted, because: x}]", "`allow` cannot be `drifted`"),
        ("[{claim: card, allow: reportd, because: x}]", "did you mean `reported`?"),
        ("[{claim: card, allow: reported}]", "`allow` and `because` go together"),
        ("[{claim: card, because: x}]", "`allow` and `because` go together"),
        ("[{allow: reported, because: x}]", "`claim` is missing in `relies_on`"),
        ("[]", "`relies_on` is an empty list"),
        ("[[card]]", "`relies_on` must be a mapping"),
    ],
)
def test_settings_that_say_nothing_sound_are_refused_with_their_line(
    tmp_path: Path, wanted: str, message: str
) -> None:
    done = refused(relying(tmp_path, wanted))
    assert message in done.err
    assert done.err.startswith("preflight.yml:1: ")


def test_a_project_without_claims_has_nothing_to_rely_on(tmp_path: Path) -> None:
    root = launch_of(tmp_path, "relies_on: [a]\n")
    (wrong,) = look(root).wrong("relies_on")
    assert wrong.startswith("relies_on: no claim was found in ")


def test_the_failure_rests_on_the_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = relying(tmp_path, "[peak]")
    assert look(root).code == 1
    monkeypatch.setattr(relies_on, "_fallen", lambda judgement: relies_on._content(judgement, "x"))
    assert look(root).code == 0


def copying(root: Path, launcher: str, files: str = "[runs/*.sh]", more: str = "") -> Path:
    there = {**FILES, "claims/numbers.yml": READABLE, "runs/launch.sh": launcher}
    made = launch_of(root, f"copies: {{files: {files}}}\n", there)
    (made / "stilltrue.toml").write_text(more, encoding="utf-8")
    return made


SOUND = "ENCODE_SECONDS=145.5\n"


def test_a_launcher_without_stale_values_passes_and_what_was_looked_for_is_told(tmp_path: Path) -> None:
    seen = look(copying(tmp_path, SOUND))
    assert seen.right("copies") == ["1 file: no value of 2 superseded claims; 1 bound number agrees"]
    assert seen.code == 0


def test_a_superseded_value_in_any_spelling_fails_also_where_the_configuration_does_not_search(
    tmp_path: Path,
) -> None:
    launcher = SOUND + "# about 4.3 HOURS of encoding\nsleep 7.25m # 7.25 min\n"
    root = copying(tmp_path, launcher, more="[search]\nignore = ['runs/**']\n")
    seen = look(root)
    assert [(each["path"], each["line"]) for each in seen.checks["copies"]] == [
        ("runs/launch.sh", 2),
        ("runs/launch.sh", 3),
    ]
    assert "is still the value of `encode-guess`, which is superseded" in seen.wrong("copies")[0]
    assert seen.checks["copies"][0]["hint"].startswith("state `encode-time` instead: `145.5 s`")


def test_a_marked_value_passes(tmp_path: Path) -> None:
    assert look(copying(tmp_path, SOUND + "# once 4.3 h; stilltrue: keep\n")).code == 0


def test_a_bound_number_that_disagrees_fails_once(tmp_path: Path) -> None:
    (wrong,) = look(copying(tmp_path, "ENCODE_SECONDS=150\n")).wrong("copies")
    assert wrong.startswith(
        "runs/launch.sh:1: the copy says `150`, but `encode-time` was found to be `145.5 s`"
    )


def test_a_bound_number_whose_claim_has_fallen_fails(tmp_path: Path) -> None:
    root = copying(tmp_path, SOUND)
    (root / "claims/evidence/run.json").unlink()
    (wrong,) = look(root).wrong("copies")
    assert wrong.startswith("runs/launch.sh:1: this number is bound to `encode-time`, which is broken: ")


@pytest.mark.parametrize(
    ("named", "saw"),
    [
        ("runs/launch.sh", "`(?m)^ENCODE_SECONDS=(\\S+)` matches nothing in `runs/launch.sh`"),
        ("runs/*.sh", "matches nothing in the 1 file that `runs/*.sh` names"),
        ("runs/gone.sh", "there is no file `runs/gone.sh`"),
        ("lost/*.sh", "no file is named by `lost/*.sh`"),
    ],
)
def test_a_bound_number_that_is_no_longer_found_fails(tmp_path: Path, named: str, saw: str) -> None:
    root = copying(tmp_path, "ENCODING_S=145.5\n")
    (root / "claims/numbers.yml").write_text(
        READABLE.replace("file: runs/launch.sh", f"file: {named}"), "utf-8"
    )
    (wrong,) = look(root).wrong("copies")
    assert wrong.startswith("claims/numbers.yml:7: a copy of `encode-time`: ")
    assert saw in wrong


def test_a_bound_number_that_is_missing_from_another_file_is_not_told(tmp_path: Path) -> None:
    root = copying(tmp_path, SOUND)
    (root / "plan.md").write_text("no number\n", encoding="utf-8")
    (root / "claims/numbers.yml").write_text(
        READABLE.replace("file: runs/launch.sh", "file: plan.md"), "utf-8"
    )
    assert look(root).code == 0


@pytest.mark.parametrize(
    ("claim", "saw"),
    [
        ("- id: [\n", "the bracket `[` is not closed"),
        ("- id: x\n  says: It is {value}.\n  valeu: 3\n  reported: {by: me}\n", "unknown key `valeu`"),
        (
            "- id: x\n  says: It is {value}.\n  stated_in: {file: runs/launch.sh, match: 'X=(.+)'}\n",
            "`X=(.+)` matches nothing in `runs/launch.sh`",
        ),
    ],
)
def test_a_claim_that_cannot_be_read_fails_since_its_value_is_not_looked_for(
    tmp_path: Path, claim: str, saw: str
) -> None:
    root = copying(tmp_path, SOUND)
    (root / "claims/more.yml").write_text(claim, encoding="utf-8")
    wrong = look(root).wrong("copies")
    assert any(saw in each for each in wrong)


@pytest.mark.parametrize(
    ("files", "saw"),
    [
        ("[runs/*.zsh]", "`runs/*.zsh`: no file matches"),
        ("[runs/lunch.sh]", "copies: there is no file `runs/lunch.sh`"),
        ("runs", "copies: `runs` is a folder"),
        ("[runs/launch.sh, runs/*.zsh]", "`runs/*.zsh`: no file matches"),
    ],
)
def test_files_that_are_not_there_fail(tmp_path: Path, files: str, saw: str) -> None:
    seen = look(copying(tmp_path, SOUND, files))
    assert seen.wrong("copies")[0].startswith(saw)
    assert seen.code == 1


def test_the_failure_rests_on_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = copying(tmp_path, SOUND + "# 4.3 h\n", more="[search]\nignore = ['runs/**']\n")
    assert look(root).code == 1
    monkeypatch.setattr("stilltrue.preflight.checks.copies.stale_in", lambda *_: Stale())
    assert look(root).code == 0


@pytest.mark.parametrize(
    "content",
    [b"TIME=4.3h\0\n", "TIME=4.3 h\n".encode("utf-16"), b"# @generated by make\nTIME=4.3 h\n"],
    ids=["binary", "utf-16", "generated"],
)
def test_a_launcher_that_the_search_leaves_out_has_not_passed(tmp_path: Path, content: bytes) -> None:
    root = launch_of(tmp_path, "copies: {files: run.sh}\n", {**FILES, "claims/numbers.yml": READABLE})
    (root / "run.sh").write_bytes(content)
    told = [each for each in look(root).wrong("copies") if each.startswith("`run.sh`")]
    assert told == ["`run.sh`: it begins as what is binary or generated, and that is not searched"]


def test_an_id_that_two_claims_have_is_not_relied_on(tmp_path: Path) -> None:
    peak = READABLE[READABLE.index("- id: peak") : READABLE.index("- id: card")]
    held = peak.replace("80 GiB", "82 GiB")
    claims = {"claims/one.yml": held, "claims/two.yml": peak}
    root = launch_of(tmp_path, "relies_on: peak\n", {**FILES, "claims/numbers.yml": "", **claims})
    (wrong,) = look(root).wrong("relies_on")
    assert wrong.startswith("`peak`: the id `peak` is taken by the claim at claims/one.yml")
