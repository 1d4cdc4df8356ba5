"""What the tests of probes share: small projects with one probe, and a look at what a run left behind."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent

from stilltrue.model import Probe
from stilltrue.probes import read_header

EVIDENCE = "claims/evidence"
WRITES = f'writes = "{EVIDENCE}/out.json"'
MARK = "STILLTRUE_TEST_MARK"
"""An environment variable by which a test knows every process that one of its probes started."""


def header(*lines: str, top: str = "", mark: str = "#") -> str:
    """A block for a script's comments, with these lines in `[tool.stilltrue]`."""
    toml = "\n".join(filter(None, (top, "[tool.stilltrue]", *lines)))
    body = "".join(f"{mark} {line}\n" for line in toml.split("\n"))
    return f"{mark} /// script\n{body}{mark} ///\n"


def write(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def probe_in(root: Path, body: str, *lines: str, name: str = "probes/p.py", top: str = "") -> Probe:
    """A probe with this body and these lines in its header; `writes` is one file unless a line says else."""
    own = lines if any(line.startswith("writes") for line in lines) else (WRITES, *lines)
    write(root, {name: header(*own, top=top) + dedent(body)})
    return read_header(root, name, EVIDENCE)


def marked(mark: str) -> list[str]:
    """The names of running processes whose environment holds the mark, the dead left out."""
    needle = f"{MARK}={mark}".encode()
    return [name for pid, name in _processes() if needle in _bytes(f"/proc/{pid}/environ")]


def soon_empty(mark: str, seconds: float = 10.0) -> bool:
    """Whether no process with the mark runs, given a moment to die."""
    until = time.monotonic() + seconds
    while marked(mark) and time.monotonic() < until:
        time.sleep(0.05)
    return not marked(mark)


def _processes() -> Iterator[tuple[int, str]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            stat = _bytes(f"{entry}/stat").decode("utf-8", "replace")
            name, _, rest = stat.partition("(")[2].rpartition(")")
            if rest and rest.split()[0] not in "ZX":
                yield int(entry.name), name


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
