"""Codes of numbers that `update` leaves as they are."""

from __future__ import annotations

from stilltrue.codes.code import Code

EDITS: dict[str, Code] = {
    "update-in-ci": Code(
        "`stilltrue update` was called where an environment variable such as `CI` says that a continuous integration "
        "runs it. Numbers that rewrite themselves there would pass every check.",
        "Run it on your machine, look at what it changed, and commit that. `--dry-run` writes nothing and is allowed.",
    ),
    "update-broken": Code(
        "A claim could not be judged, or a page or a block not be read, so that nothing is known that could be written.",
        "Mend it: `stilltrue check` says what is wrong.",
    ),
    "update-doubted": Code(
        "A number differs from what was found, and what was found is in doubt itself: the evidence was edited, its "
        "probe changed, a fresh run gave something else, or it is past its limits.",
        "Record the evidence again, or accept the change, then update.",
    ),
    "update-none": Code(
        "A number differs from a claim for which nothing is found: a quoted figure, or one that is superseded; or it "
        "is struck through.",
        "Correct it by hand.",
    ),
    "update-unsaid": Code(
        "What was found cannot be said in the format that stands there: an interval, a fraction after `exactly`, "
        "things that come in whole numbers, a text in the place of a number.",
        "State it in another way: `about 206 modules`, a range, a bound.",
    ),
    "update-unplaced": Code(
        "A number is written in a way that `update` does not change: over several lines, with HTML entities between "
        "its digits, or so that the page would say something else besides.",
        "Correct it by hand.",
    ),
    "update-measured": Code(
        "A number stands in a file of evidence, in the code of the probe that measured it, or in one of its inputs. "
        "Rewriting it would turn what was measured into what somebody wrote.",
        "Write the number by hand and record the evidence again, or take it out of the `copies`.",
    ),
    "update-unwritable": Code(
        "A file cannot be read or written: it is a link, lies outside the repository, or is write-protected.",
        "Check the file and its permissions.",
    ),
    "changed-meanwhile": Code(
        "A file was changed by somebody else while its numbers were looked up. Nothing was written.",
        "Run it again.",
    ),
}
