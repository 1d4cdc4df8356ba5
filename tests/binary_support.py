"""Evidence that is no text: small files of each format, as their own writers make them."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

from evidence_support import Project, take
from stilltrue.errors import InputError
from stilltrue.model import Read, Shape
from stilltrue.quantity import Quantity, Value

EVENTS = base64.b64decode(
    "SAAAAAAAAAD+kkidCRjcQR9Ow9pBGg1icmFpbi5FdmVudDoyUi4KLHRlbnNvcmJvYXJkLnN1bW1hcnkud3JpdGVyLmV2ZW50X2Zp"
    "bGVfd3JpdGVyGm/DNSAAAAAAAAAAKe2pUAkAABAQAKPaQRABKhMKEQoKbG9zcy90cmFpbhUAACBAtPoCUCAAAAAAAAAAKe2pUAkA"
    "AGAQAKPaQRACKhMKEQoKbG9zcy90cmFpbhXNzMw9HVHt/x8AAAAAAAAAUUtEGAkAAIAQAKPaQRACKhIKEAoJbG9zcy9ldmFsFQAA"
    "wH9edY0vMAAAAAAAAACV9dBfCQAAwBAAo9pBEAIqIwohCghhY2N1cmFjeUIICAEqBAAAQD9KCwoJCgdzY2FsYXJzjK4IoT8AAAAA"
    "AAAAUWV2YQkAAAARAKPaQRACKjIKMAoRbm90ZS90ZXh0X3N1bW1hcnlCEQgHEgQSAggBQgcxMiBydW5zSggKBgoEdGV4dEhKnId7"
    "AAAAAAAAABv3z84JAABAEQCj2kEQAipuCmwKB3dlaWdodHMqYQkAAAAAAADwPxEAAAAAAAAIQBkAAAAAAAAIQCEAAAAAAAAYQCkA"
    "AAAAAAAsQDIYAAAAAAAAAAAAAAAAAAAAQAAAAAAAABBAOhgAAAAAAAAAAAAAAAAAAPA/AAAAAAAAAECnJe5K"
)
"""What `torch.utils.tensorboard.SummaryWriter` wrote of: two scalars of `loss/train` (2.5 at step 1, 0.1 at
step 2), one NaN of `loss/eval`, one `accuracy` in the new style (0.75), a text `12 runs`, and a histogram."""

SQLITE = """
CREATE TABLE runs(id INTEGER PRIMARY KEY, name TEXT, loss REAL, "peak (GiB)" REAL, tokens INTEGER, raw BLOB,
                  twice AS (tokens * 2));
INSERT INTO runs(name, loss, "peak (GiB)", tokens, raw) VALUES
  ('a', 0.1, 12.5, 9007199254740993, x'00ff'), ('b', NULL, 13, 1, NULL), ('c', 9e999, 2, 3, x'00');
CREATE TABLE times(run TEXT PRIMARY KEY, passed) WITHOUT ROWID;
INSERT INTO times VALUES ('z', '12 ms'), ('a', 0.25);
CREATE TABLE empty(a);
"""

NSYS = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'void gemm<float>(int)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000'),
                             (4, 'step');
CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
  start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL,
  shortName INTEGER NOT NULL, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (9007199254740993, 9007199254741993, 0, 1, 7, 11, 281, 1, 2, 32, 128),
  (9007199254740993, 9007199254742493, 0, 1, 13, 12, 281, 1, 2, 32, 128),
  (50, 0, 0, 1, 7, 13, 281, 2, 2, 8, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (
  start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, bytes INTEGER NOT NULL,
  copyKind INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10, 20, 0, 4194304, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (
  start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,
  nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 6, 281, 11, 3, 0);
CREATE TABLE NVTX_EVENTS (
  start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER,
  textId INTEGER);
INSERT INTO NVTX_EVENTS VALUES (0, 100, 59, 'forward', 281, NULL), (0, 200, 59, NULL, 281, 4),
                               (7, NULL, 34, 'mark', 281, NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
"""
"""Tables and columns as `nsys export` makes them; an activity that had not ended has the end 0."""


def database(script: str) -> bytes:
    """The bytes of a SQLite file that a script makes."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(script)
        return connection.serialize()
    finally:
        connection.close()


def tensors(entries: Mapping[str, tuple[str, list[int], int]], metadata: Mapping[str, str]) -> bytes:
    """A safetensors file of zeros: of each tensor its format, its shape, and its bytes."""
    header: dict[str, object] = {"__metadata__": dict(metadata)}
    at = 0
    for name, (dtype, shape, size) in entries.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    return framed(json.dumps(header).encode()) + bytes(at)


def framed(header: bytes) -> bytes:
    return len(header).to_bytes(8, "little") + header


class File:
    """One file in a folder, and reads of it."""

    def __init__(self, root: Path, name: str, data: bytes) -> None:
        self.name = name
        self.project = Project(root).write(name, data)

    def value(
        self, column: str, where: str = "", takes: str = "only", table: str = "", form: str = ""
    ) -> Value:
        return self.project.value(self.name, reading(column, where, takes, table, form))

    def number(self, column: str, where: str = "", takes: str = "only", table: str = "") -> str:
        """A reading as `number unit`, exact."""
        value = self.value(column, where, takes, table)
        assert isinstance(value, Quantity)
        return f"{value.number} {value.unit.symbol}".strip()

    def lines(self, column: str, where: str = "", takes: str = "only", table: str = "") -> list[int]:
        return self.project.lines(self.name, reading(column, where, takes, table, ""))

    def error(
        self, column: str, where: str = "", takes: str = "only", table: str = "", form: str = ""
    ) -> InputError:
        return self.project.error(self.name, reading(column, where, takes, table, form))


def reading(column: str, where: str, takes: str, table: str, form: str) -> Read:
    return Read(Shape.TABLE, column=column, where=where, take=take(takes), table=table, format=form)


def flipped(data: bytes, places: range) -> Iterator[bytes]:
    """The same bytes with one bit changed, at each of some places."""
    for at in places:
        yield data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
