"""Digests of a probe's own code and of its inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stilltrue.errors import InputError
from stilltrue.files import expand, read_bytes, resolve
from stilltrue.globs import is_glob
from stilltrue.model import Code, Digested, Probe
from stilltrue.probes.block import decoded, find_block, parse_block
from stilltrue.probes.canonical import canonical

CODE_LIMIT = 64 << 20
"""How many bytes of one file of code are looked at; there is no code of that size."""

_VERSION = "stilltrueCode1"
_SUFFIXES = (".py", ".pyw", ".pyi")


def is_python(path: str, data: bytes) -> bool:
    """Whether a file is Python: by its suffix, or where it has none by its first line."""
    name = path.rpartition("/")[2]
    if "." in name:
        return name.endswith(_SUFFIXES)
    first = data[:200].split(b"\n", 1)[0]
    return first.startswith(b"#!") and b"python" in first


def code_of(root: Path, path: str, *, script: bool = False) -> Code:
    """The digests of one file of a probe's code, the same under every Python that can parse it.

    Args:
        root: The repository's root, resolved.
        path: From the root, with `/`.
        script: Whether it is the probe itself: then its PEP 723 header counts, by what it says.

    Raises:
        InputError: There is no such file, it leads out of the repository, is too large or cannot be read.
    """
    data = read_bytes(root, path, CODE_LIMIT).replace(b"\r\n", b"\n")
    plain = _sha256(data)
    form = canonical(data) if is_python(path, data) else None
    if form is None:
        return Code(path, plain, plain)
    header = _header(data) if script else ""
    return Code(path, plain, _sha256(f"{_VERSION}\n{header}\n{form}".encode()))


def inputs_of(root: Path, probe: Probe) -> tuple[Digested, ...]:
    """The digests of a probe's declared inputs, globs expanded, sorted by path.

    Raises:
        InputError: An input is not there, leads out of the repository or cannot be read, or a glob matches
            nothing.
    """
    return tuple(digested(root, path) for path in input_paths(root, probe))


def input_paths(root: Path, probe: Probe) -> tuple[str, ...]:
    """The files that a probe's `reads` name, sorted, each once.

    Raises:
        InputError: `no-file`: a glob matches nothing.
    """
    found: set[str] = set()
    for read in probe.reads:
        paths = expand(root, read)
        if is_glob(read) and not paths:
            raise InputError(
                "no-file",
                f"no file matches `{read}`, which the probe reads",
                "correct `reads` in its header",
                path=probe.path,
            )
        found.update(paths)
    return tuple(sorted(found))


def digested(root: Path, path: str) -> Digested:
    """A file's digest, of its bytes.

    Raises:
        InputError: There is no such file, it leads out of the repository or cannot be read.
    """
    import hashlib  # noqa: PLC0415  # most checks digest nothing

    try:
        with resolve(root, path).open("rb") as file:
            return Digested(path, hashlib.file_digest(file, "sha256").hexdigest())
    except OSError as error:
        raise InputError(
            "unreadable", f"`{path}` cannot be read: {error.strerror}", "check the file's permissions"
        ) from None


def _header(data: bytes) -> str:
    """What a script's header says, in one form: layout, comments and the order of keys do not count."""
    try:
        text = decoded(data)
        block = find_block(text)
        return json.dumps(parse_block(block), sort_keys=True, default=_scalar) if block else ""
    except InputError:
        return "\n".join(line for line in data.decode("utf-8", "replace").split("\n") if line.startswith("#"))


def _scalar(value: Any) -> dict[str, str]:
    """A TOML date or time, told apart from the text that looks like it."""
    return {type(value).__name__: str(value)}


def _sha256(data: bytes) -> str:
    import hashlib  # noqa: PLC0415  # as in `digested`

    return hashlib.sha256(data).hexdigest()
