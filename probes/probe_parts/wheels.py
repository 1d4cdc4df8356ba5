"""Wheels as files: named, hashed, and read without being installed, imported or run; no probe itself."""

from __future__ import annotations

import ast
import hashlib
import lzma
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_string
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

LARGEST = 8 << 20
"""Bytes of a file in a wheel that is still read: modules are far smaller, an archive can claim anything."""


UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    RuntimeError,
    EOFError,
    ValueError,
)
"""What reading a damaged, encrypted or strange archive raises."""


class MissingError(Exception):
    """A wheel does not hold what is looked for; the message says what."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """One release of a project.

    Attributes:
        path: The file.
        version: As its metadata say.
        sha256: Of the file, in lower-case hexadecimal.
    """

    path: Path
    version: Version
    sha256: str

    def module(self, member: str) -> ast.Module:
        """The syntax tree of one of its modules.

        Raises:
            MissingError: It holds no such file.
            SystemExit: The file is no Python that can be parsed, or the archive is damaged.
        """
        text = self._text(member)
        try:
            return parsed(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise SystemExit(f"{self.path}: {member} is no Python that can be read: {error}") from None

    def _text(self, member: str) -> str:
        with opened(self.path) as archive:
            if member not in archive.namelist():
                raise MissingError(f"there is no {member}")
            return text_of(archive, member, self.path)


@lru_cache(maxsize=4)
def parsed(text: str) -> ast.Module:
    """The syntax tree of a module; several facts are looked for in the same one."""
    return ast.parse(text)


def all_in(folder: Path, project: str) -> tuple[Wheel, ...]:
    """The wheels of `project` in a folder, by version.

    Raises:
        SystemExit: There is none, one is of another project or damaged, or two are of one version.
    """
    if not folder.is_dir():
        raise SystemExit(f"{folder}: is no folder; name the one that the wheels lie in")
    wheels = sorted((one(path, project) for path in folder.glob("*.whl")), key=lambda wheel: wheel.version)
    if not wheels:
        raise SystemExit(
            f"{folder}: holds no wheel; `pip download --no-deps {project}==VERSION` puts one there"
        )
    refuse_twins(wheels)
    return tuple(wheels)


def refuse_twins(wheels: Sequence[Wheel]) -> None:
    """Two wheels of one version leave open which one was released.

    Raises:
        SystemExit: There are two.
    """
    for one_wheel, other in pairwise(wheels):
        if one_wheel.version == other.version:
            raise SystemExit(
                f"{one_wheel.path.name} and {other.path.name} are both {other.version}; keep one of them"
            )


def one(path: Path, project: str) -> Wheel:
    """A wheel, its name and its metadata compared.

    Raises:
        SystemExit: It cannot be read, or is not a wheel of `project`.
    """
    with opened(path) as archive:
        name, version = metadata(archive, path)
    if canonicalize_name(name) != canonicalize_name(project):
        raise SystemExit(f"{path}: is of {name or 'no project'}, not of {project}; take it out of the folder")
    try:
        named, in_name, *_ = parse_wheel_filename(path.name)
    except InvalidWheelFilename as error:
        raise SystemExit(f"{path}: {error}; leave a wheel the name that it was published under") from None
    if (named, in_name) != (canonicalize_name(project), version):
        raise SystemExit(f"{path}: its metadata say {name} {version}; leave a wheel its name")
    return Wheel(path, version, hashlib.sha256(path.read_bytes()).hexdigest())


def opened(path: Path) -> zipfile.ZipFile:
    """The archive that a wheel is.

    Raises:
        SystemExit: It is none.
    """
    try:
        return zipfile.ZipFile(path)
    except UNREADABLE as error:
        raise SystemExit(f"{path}: is no wheel that can be read: {error}; download it again") from None


def metadata(archive: zipfile.ZipFile, path: Path) -> tuple[str, Version]:
    """Project and version.

    Raises:
        SystemExit: There are no metadata, more than one, or ones without a version.
    """
    members = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    if len(members) != 1:
        raise SystemExit(f"{path}: holds {len(members)} METADATA, a wheel has one; download it again")
    said = message_from_string(text_of(archive, members[0], path))
    try:
        return said.get("Name", ""), Version(said.get("Version", ""))
    except InvalidVersion as error:
        raise SystemExit(f"{path}: {error} in its METADATA") from None


def text_of(archive: zipfile.ZipFile, member: str, path: Path) -> str:
    """What a file in the archive says.

    Raises:
        SystemExit: It is too large, damaged, encrypted or no UTF-8.
    """
    if archive.getinfo(member).file_size > LARGEST:
        raise SystemExit(f"{path}: {member} is larger than {LARGEST >> 20} MiB")
    try:
        return archive.read(member).decode("utf-8")
    except UNREADABLE as error:
        raise SystemExit(f"{path}: {member} cannot be read: {error}; download the wheel again") from None
