#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = []
# [tool.stilltrue]
# writes = "claims/evidence/integrity/image-tag.json"
# needs = ["docker"]
# cost = "slow"
# timeout = "120 s"
# plant = ["tag-stays", "echo-request"]
# ///
"""What `docker` says that a tag of an image names, before and after the tag is moved.

Settles:
    Which digest the command `docker manifest inspect` resolves a tag to; that the same tag names another
    image once it is moved, and that a reference by digest names the first one as before. What the command
    says of a tag that is not there. Whether it prints the digest of the bytes that the registry keeps.

Needs:
    The programs `docker` and `openssl` on the `PATH`. No daemon: the command asks the registry by itself. The
    registry is a small server in this probe, on this machine alone, over TLS with a key made for the run.

Costs:
    A few seconds.

Cannot settle:
    What a public tag names, today or on the day of a run: only the machine that ran it could have said so.

The faults: `tag-stays` moves no tag, `echo-request` writes the tag down in place of what it resolved to.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from probe_parts.command_line import parser_of
from probe_parts.image_manifest import Image
from probe_parts.local_registry import Shelf, registry, said
from probe_parts.output import as_json, say

PLANTS = {
    "tag-stays": "the tag is not moved to the second build",
    "echo-request": "the tag is written down in place of what it was resolved to",
}
BUILDS = (Image(1), Image(2))
NAME, TAG = "serve", "latest"
SECONDS = 30.0
INSPECT = ("docker", "manifest", "inspect", "--verbose", "--insecure")


def ran(words: Sequence[str], home: Path) -> subprocess.CompletedProcess[str]:
    """A program that has come to its end, with a home of its own: nothing of the user's is read or written.

    Raises:
        SystemExit: It is not there, or takes too long.
    """
    own = {"HOME": str(home), "PATH": os.environ.get("PATH", ""), "NO_PROXY": "localhost", "LC_ALL": "C"}
    try:
        return subprocess.run(  # noqa: S603  # words of this file
            words, env=own, capture_output=True, text=True, encoding="utf-8", timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SystemExit(f"{words[0]}: {error}") from None


def run(words: Sequence[str], home: Path) -> str:
    """What a program prints.

    Raises:
        SystemExit: It is not there, takes too long, or fails.
    """
    done = ran(words, home)
    if done.returncode:
        raise SystemExit(f"{' '.join(words[:3])}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def named(host: str, mark: str, home: Path) -> str:
    """The digest of what `serve` and a tag or digest name, as the command says it."""
    return str(said(run((*INSPECT, f"{host}/{NAME}{mark}"), home))["digest"])


def refused(host: str, mark: str, home: Path) -> dict[str, Any]:
    """What the command says of a reference that names nothing."""
    done = ran((*INSPECT, f"{host}/{NAME}{mark}"), home)
    return {"exit": done.returncode, "printed": len(done.stdout), "says": done.stderr.strip()}


def looked_up(plant: str, home: Path) -> dict[str, Any]:
    """The tag and the first build's digest, each looked up for both builds."""
    shelf = Shelf(NAME, BUILDS)
    first = BUILDS[0].digest
    tags, digests = [], []
    with registry(shelf, home, partial(run, home=home)) as host:
        for image in BUILDS:
            shelf.tags[TAG] = BUILDS[0] if plant == "tag-stays" else image
            say(f"build {image.build}: {NAME}:{TAG} and {NAME}@{first}")
            tags.append(f"{NAME}:{TAG}" if plant == "echo-request" else named(host, f":{TAG}", home))
            digests.append(named(host, f"@{first}", home))
        missing = refused(host, ":gone", home)
    return {"by_tag": tags, "by_digest": digests, "missing": missing}


def measure(plant: str) -> dict[str, Any]:
    """Everything that goes to standard output."""
    with tempfile.TemporaryDirectory() as folder:
        found = looked_up(plant, Path(folder))
        version = run(("docker", "--version"), Path(folder)).strip()
    kept = [image.digest for image in BUILDS]
    return {
        "tool": version,
        "kept": kept,
        **found,
        "tag_names": len(set(found["by_tag"])),
        "digest_names": len(set(found["by_digest"])),
        "agrees": found["by_tag"] == kept,
    }


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The fault that is put in, if any."""
    return parser_of(__doc__, PLANTS).parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    """Look the references up and print the document."""
    print(as_json(measure(parse(argv).plant)))


if __name__ == "__main__":
    main()
