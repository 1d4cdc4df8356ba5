"""A project for the commands that write: a drifted claim, a table, a copy; and the commands."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import recording_support as support
from recording_support import Done, stilltrue_in

PAGE = """\
# Times

```claim
id: time
says: "It takes {value}."
value: 4 s
evidence: claims/evidence/a.txt
read: {match: 'took (.*)'}
```

It took [4 s](claim:time).

```claim
id: size
says: "It is {value}."
value: 12 GiB
evidence: claims/evidence/a.txt
read: {match: 'size (.*)'}
copies: [{file: scripts/run.sh, match: 'SIZE="(.*)"'}]
```

```claims
id: t
says: "{Row} has {value}."
key: [Row]
evidence: claims/evidence/rows.json
columns:
  Time: {unit: ms, read: {path: "$.rows[?@.row == {Row}].time", unit: ms}}
```

| Row | Time |
|-----|------|
| a   | 1.5  |
| b   | 2.5  |
"""

OTHER = "- id: other\n  says: 'It is {value}.'\n  value: 3 x\n  reported: {by: someone}\n"
FILES = {
    "stilltrue.toml": "",
    "README.md": PAGE,
    "claims/more.yml": OTHER,
    "claims/evidence/a.txt": "took 5 s\nsize 12 GiB\n",
    "claims/evidence/rows.json": '{"rows": [{"row": "a", "time": 1.5}, {"row": "b", "time": 3.5}]}\n',
    "scripts/run.sh": '#!/bin/sh\nSIZE="12 GiB"\n',
}

COMMANDS: dict[str, tuple[str, ...]] = {
    "update": ("update",),
    "dry": ("update", "--dry-run"),
    "supersede": ("supersede", "time", "--because", "measured anew"),
    "claim": (
        *("new", "claim", "c2", "--page", "README.md"),
        *("--evidence", "claims/evidence/a.txt", "--match", "took (.*)"),
    ),
    "probe": ("new", "probe", "p1"),
    "landmine": ("new", "landmine", "l1"),
    "init": ("init",),
    "coverage": ("coverage",),
    "raise": ("coverage", "--raise"),
    "since": ("check", "--changed-since", "HEAD"),
    "sarif": ("check", "--format", "sarif"),
    "github": ("check", "--format", "github"),
}
QUICK = tuple(name for name in COMMANDS if name not in ("probe", "landmine"))
READING = ("dry", "coverage", "since", "sarif", "github")


def project(root: Path) -> Path:
    """The project, in a repository with one commit."""
    support.write(root, FILES)
    support.git(root, "init", "-q", "-b", "main")
    support.commit_all(root)
    return root.resolve()


def ran(root: Path, name: str) -> Done:
    """A command run in a project."""
    return stilltrue_in(root, *COMMANDS[name])


def tree(root: Path) -> dict[bytes, tuple[int, bytes]]:
    """Every file and link of a project, its mode and bytes; what git and the tool keep is left out."""
    found: dict[bytes, tuple[int, bytes]] = {}
    for folder, folders, names in os.walk(os.fsencode(root)):
        folders[:] = [name for name in folders if name not in (b".git", b".stilltrue", b"__pycache__")]
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118  # names that are no text
            mode = os.lstat(path).st_mode
            held = b""
            if stat.S_ISLNK(mode):
                held = os.readlink(path)  # noqa: PTH115  # as above
            elif stat.S_ISREG(mode):
                held = Path(os.fsdecode(path)).read_bytes()
            found[os.path.relpath(path, os.fsencode(root))] = (mode, held)
    return found
