"""Codes of probes, their runs, and the records beside evidence."""

from __future__ import annotations

from stilltrue.codes.code import Code

PROBES: dict[str, Code] = {
    "no-header": Code(
        "A script has no block `/// script` in its comments, or none with a table `[tool.stilltrue]`, so nothing "
        "says which evidence it writes.",
        "Begin the script with the block that the page of probes shows.",
    ),
    "bad-header": Code(
        "A probe's header cannot be read: the block is there twice, empty or not closed, is no TOML, or one of its "
        "keys is unknown or has a value of the wrong type.",
        "Mend the named line; the page of probes lists the keys.",
    ),
    "bad-writes": Code(
        "A path in `writes` is not inside the evidence folder, leads through a link, is a folder, is there twice, "
        "or is one that the probe also reads.",
        "Name plain files below the evidence folder, each once.",
    ),
    "no-stage": Code(
        "The project cannot be copied to a temporary folder for a run, or the disk there became full during it.",
        "Make room, or let the environment variable `TMPDIR` name a folder on another disk.",
    ),
    "probe-cannot-start": Code(
        "The system refused to start a probe: the script is not executable, its first line names an interpreter "
        "that is not there, or this is Windows.",
        "Make it executable (`chmod +x`) and check its first line. Python probes need neither.",
    ),
    "probe-failed": Code(
        "A probe ended with another exit code than 0, or was killed. What it had printed is not kept.",
        "Read the last lines of its standard error in the message, and run it by hand.",
    ),
    "probe-timeout": Code(
        "A probe ran longer than its `timeout` and was ended, with all that it had started.",
        "Let it measure less, or raise `timeout` in its header.",
    ),
    "probe-silent": Code(
        "A probe ended well and printed nothing, or did not write a further file of its `writes`.",
        "Print the evidence on standard output; further files are written at their paths, from the current folder.",
    ),
    "probe-too-large": Code(
        "A probe wrote more to an evidence file than the limit.",
        "Let it write less, or raise `limits.bytes` in the configuration.",
    ),
    "probe-wrote-outside": Code(
        "A probe wrote, changed or removed a file of the project that its header does not declare, or wrote the "
        "file itself that its standard output goes to. It ran in a copy, so the project is as it was.",
        "Declare evidence in `writes`; let everything else go to a temporary folder.",
    ),
    "probe-left-running": Code(
        "A probe ended before a process that it had started. Such a process may still be writing evidence, so "
        "nothing is kept; it was killed.",
        "Let the probe wait for what it starts, or end it.",
    ),
    "probe-unseen": Code(
        "A Python probe ended without Python's own end (`os._exit`, or `exec` of another program), so nobody knows "
        "which modules it had loaded and a change to them would go unseen.",
        "End it with `sys.exit`, or by reaching its last line.",
    ),
}

RECORDS: dict[str, Code] = {
    "bad-provenance": Code(
        "The record beside an evidence file, `NAME.provenance.json`, cannot be read: it is no JSON, no in-toto "
        "Statement with a measurement predicate, or a field of it is wrong.",
        "Restore the file from git, or delete it and record the evidence anew; the schema is in the documentation.",
    ),
    "unknown-probe": Code(
        "`record` was asked for a probe that is not there.",
        "Name the script: `stilltrue record probes/padding.py`.",
    ),
    "not-run": Code(
        "The probe cannot run here: the machine, this Python or the installed packages are not what its header asks for. "
        "Its evidence is as it was.",
        "Install what is missing, or record it on a machine that has it.",
    ),
    "dirty": Code(
        "The probe, a module of the repository that it imports, or an input differs from HEAD, so that no commit would "
        "hold what was run. Nothing was written.",
        "Commit first. Or `--allow-dirty`: the evidence is suspect until what was run is committed as it was.",
    ),
    "unrecorded": Code(
        "A probe is about to replace a file that git does not hold, so that it would be lost: one without a "
        "record, or one that is kept under the day to which the present one is to move.",
        "Adopt one without a record, then it is kept under its day: `stilltrue adopt FILE --source … --on DATE`. "
        "Commit the other, or move it away.",
    ),
    "busy": Code(
        "Another process is recording the same evidence, or rewriting the same page. A process that was killed holds nothing.",
        "Wait until it has ended.",
    ),
    "unwritable": Code(
        "A file cannot be written: it or a folder on its way is a link or of another kind, permissions are missing, or "
        "the disk is full. Everything is as it was.",
        "Do what the message says, then do it again.",
    ),
    "unfinished": Code(
        "Files that belong together were being replaced when the system refused one. The journal under "
        "`.stilltrue/pending/` lists them.",
        "Mend what the message names; the next command that writes here, such as `record` or `update`, finishes it.",
    ),
    "recorded-already": Code(
        "`adopt` was asked for a file that has a record.",
        "Leave it, or replace the record: `--again`.",
    ),
    "nothing-to-accept": Code(
        "`accept` was asked for a claim of whose evidence, probe and inputs nothing has changed, or that has no evidence "
        "with a record.",
        "See `stilltrue show ID`.",
    ),
    "no-provenance": Code(
        "Evidence has no record beside it of where it came from, and `require_provenance` is on.",
        "Take it with `stilltrue record PROBE`; for a file from elsewhere say so: `stilltrue adopt FILE --source … "
        "--on DATE`.",
    ),
    "edited-evidence": Code(
        "An evidence file is not, byte for byte, what its record says was measured.",
        "Restore it from git. Where its line endings changed, keep `claims/evidence/** -text` in `.gitattributes`. "
        "Evidence is never edited: a new measurement is `stilltrue record PROBE`.",
    ),
    "modified-evidence": Code(
        "An evidence file holds something else than at the revision that `--changed-since` names, and what it held "
        "then is not kept: it was edited, or measured twice on one day. A warning, which fails nothing.",
        "Evidence is never edited. Restore it and run `stilltrue record PROBE`, which keeps the version of an earlier "
        "day under its date; or say in the change why the earlier one was of no worth.",
    ),
    "not-a-subject": Code(
        "The record beside an evidence file is that of another file.",
        "Put the record back beside the file that it names, and record or adopt this one.",
    ),
    "changed-probe": Code(
        "The probe that wrote the evidence, its header, or a module of the repository that it imports does "
        "something else than when it was run. Comments and layout do not count.",
        "Run it again: `stilltrue record PROBE`; or say why it does not matter: `stilltrue accept ID --because …`.",
    ),
    "no-probe": Code(
        "The probe that wrote the evidence is gone, so nobody can see how it was measured.",
        "Restore it; or record the evidence with the probe that took its place.",
    ),
    "changed-input": Code(
        "A declared input of the probe is not what it was when the evidence was taken.",
        "Run the probe again: `stilltrue record PROBE`; or `stilltrue accept ID --because …`.",
    ),
    "not-committed": Code(
        "The evidence was taken with a probe or an input that differed from the last commit, and that commit still "
        "holds it otherwise: nobody else can see what was run. A file that no commit holds yet is no fault: it is "
        "committed together with the evidence, and told as `no-probe` where it was left behind.",
        "Commit the probe as it was run; or record the evidence anew.",
    ),
    "past-until": Code(
        "The last day on which a claim is valid is over.",
        "Measure it again and move `valid.until`, or supersede the claim.",
    ),
    "ends-soon": Code(
        "A claim's last day is at most 30 days away. This is a warning: nothing fails yet.",
        "Measure it again and move `valid.until`, or supersede the claim.",
    ),
    "other-version": Code(
        "The evidence was taken with a version of a package that `valid.with` does not name, or a lock file pins "
        "such a version.",
        "Measure it with a version that is named, or move `valid.with` once the claim is known to hold there.",
    ),
    "no-version": Code(
        "`valid.with` names a package of which no record and no lock file says a version, so nothing can be checked.",
        "Correct its name, name the lock file under `locks` in the configuration, or leave the package out.",
    ),
    "bad-lock": Code(
        "A lock file is damaged, or is none that can be read: `pylock.toml`, `uv.lock`, `poetry.lock`, or pip's "
        "requirements.",
        "Make it anew with the tool that wrote it, or name other files under `locks` in the configuration.",
    ),
    "refuted": Code(
        "The probe was run again and no longer gives what the evidence says, or not within `reproduces` of it.",
        "Find out what moved. Then record it again, or say with `reproduces` how far two runs may differ.",
    ),
}
