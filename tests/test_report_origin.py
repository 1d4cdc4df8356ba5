"""Where evidence came from, as `show` tells it: on one line each, escaped, the same run once."""

from __future__ import annotations

from dataclasses import replace

from stilltrue.model import Accepted, Code, Digested, Provenance
from stilltrue.report.origin import earlier, origin

A = "a" * 64
RUN = Provenance(
    subjects=(Digested("e/a.json", A), Digested("e/b.json", A)),
    on="2026-03-01",
    code=(Code("probes/p.py", A, A), Code("probes/m.py", A, A)),
    argv=("--cap", "4 096"),
    commit="0123456789abcdef0123456789abcdef01234567",
    started="2026-03-01T09:30:00Z",
    machine=(("system", "Linux"), ("cpu", "A CPU"), ("cores", "2"), ("memory", "8 GiB")),
    accelerator="A GPU",
    interpreter="CPython 3.11.7",
    packages=(("torch", "2.9.0"),),
    inputs=(Digested("data.csv", A),),
)


def test_a_run_is_told_in_full() -> None:
    assert list(origin([RUN], "waste")) == [
        ("probe", "probes/p.py --cap '4 096'"),
        ("measured", "2026-03-01T09:30:00Z, commit 0123456789ab"),
        ("machine", "Linux, A CPU, 2 cores, 8 GiB, A GPU"),
        ("versions", "CPython 3.11.7, torch 2.9.0"),
        ("imports", "probes/m.py"),
        ("inputs", "data.csv"),
    ]


def test_files_of_one_run_are_told_once_whatever_was_accepted_since() -> None:
    accepted = Accepted("waste", "a comment", "2026-03-02", "probes/m.py", A, A)
    rows = list(origin([RUN, replace(RUN, accepted=(accepted,))], "waste"))
    assert [name for name, _ in rows].count("probe") == 1


def test_what_was_accepted_for_the_claim_is_told_and_for_no_other() -> None:
    accepted = Accepted("waste", "a comment", "2026-03-02", "probes/m.py", A, A)
    record = replace(RUN, accepted=(accepted, replace(accepted, claim="other", because="no")))
    assert list(origin([record], "waste"))[-1] == (
        "accepted",
        "2026-03-02, a change of probes/m.py: a comment",
    )
    assert "accepted" not in dict(origin([record], "third"))


def test_what_was_not_committed_is_said() -> None:
    rows = dict(origin([replace(RUN, commit="", changed=("probes/p.py",))], "waste"))
    assert rows["measured"] == "2026-03-01T09:30:00Z, no commit with probes/p.py changed"


def test_evidence_from_elsewhere_says_from_where() -> None:
    adopted = Provenance(subjects=RUN.subjects, on="2026-03-01", source="a cluster\n::error::x \x1b[31m")
    ((name, text),) = origin([adopted], "waste")
    assert name == "measured"
    assert text == "2026-03-01, elsewhere: a cluster\\n::error::x \\x1b[31m"


def test_of_many_runs_and_packages_the_first_are_told() -> None:
    runs = [replace(RUN, started=f"2026-03-0{day}T09:30:00Z") for day in range(1, 7)]
    rows = list(origin(runs, "waste"))
    assert [name for name, _ in rows].count("probe") == 3
    assert rows[-1] == ("measured", "and 3 times more")
    many = replace(RUN, packages=tuple((f"p{number}", "1") for number in range(40)))
    assert dict(origin([many], "waste"))["versions"].endswith("p10 1 and 29 more")


def test_earlier_days_are_told_newest_first() -> None:
    days = [("2026-02-02", "35 %", "a" * 40), ("2026-01-01", "", "")]
    assert list(earlier(days)) == [
        ("earlier", "2026-02-02: 35 %, commit aaaaaaaaaaaa"),
        ("earlier", "2026-01-01: nothing"),
    ]
    assert list(earlier([("2026-01-01", "1", "")] * 25))[-1] == ("earlier", "and 5 days more")
