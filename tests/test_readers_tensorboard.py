"""Event files of TensorBoard: every value, every checksum, and what is said of a file that is none."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

from binary_support import EVENTS, File, flipped
from evidence_support import tree
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.readers import READERS
from stilltrue.evidence.readers.tensorboard import shortest
from stilltrue.evidence.readers.tensorboard_messages import event_type
from stilltrue.evidence.readers.tfrecords import first_length, masked_crc, records
from stilltrue.quantity import NonFinite, Text

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases" / "evidence"
NAME = "events.out.tfevents.1787560000.box"


def record(data: bytes) -> bytes:
    """One record of a file, with its checksums."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def event(**fields: object) -> bytes:
    return record(event_type()(wall_time=1.5, **fields).SerializeToString())


VERSION = event(file_version=b"brain.Event:2")


@pytest.fixture
def events(tmp_path: Path) -> File:
    return File(tmp_path, NAME, EVENTS)


def test_a_value_is_named_by_its_tag_and_step(events: File) -> None:
    assert events.number("value", "tag = 'loss/train' and step = 1") == "5/2"
    assert events.lines("value", "tag = 'loss/train'", "last") == [3]
    assert events.number("wall_time", "tag = 'loss/train' and step = 1") == "7150240001/4 s"
    assert events.error("value", "tag = 'loss/train'").code == "several-readings"


def test_a_float_of_32_bits_is_read_at_its_shortest_decimal(events: File) -> None:
    assert events.number("value", "tag = 'loss/train'", "last") == "1/10"
    (written,) = struct.unpack("<f", struct.pack("<f", 16777217.0))
    assert shortest(written, "f") == "16777216"
    assert shortest(struct.unpack("<f", b"\x01\0\0\0")[0], "f") == "1.4013e-45"
    assert shortest(struct.unpack("<f", b"\xff\xff\x7f\x7f")[0], "f") == "3.4028235e+38"


def test_nan_is_read_and_is_no_number(events: File) -> None:
    assert events.value("value", "tag = 'loss/eval'") == NonFinite("NaN")


def test_the_new_style_and_texts_are_read_and_other_summaries_have_no_value(events: File) -> None:
    assert events.number("value", "plugin = 'scalars'") == "3/4"
    assert events.value("kind", "tag = 'note/text_summary'") == Text("text")
    assert events.number("value", "kind = 'text'") == "12 runs"
    assert events.error("value", "kind = 'histogram'").code == "empty-cell"


def test_records_are_counted_whatever_they_hold(events: File) -> None:
    assert events.number("line", "entry = 1", "count") == "7"
    assert events.number("line", "kind = 'scalar'", "count") == "4"
    assert events.value("kind", "line = 1") == Text("version")


def test_several_values_of_one_record_share_its_number(tmp_path: Path) -> None:
    values = [{"tag": b"a", "simple_value": 1.0}, {"tag": b"b", "simple_value": 2.0}]
    two = File(tmp_path, NAME, VERSION + event(step=7, summary={"value": values}) + event(graph_def=b"x"))
    assert two.lines("value", "tag = 'b' and entry = 2 and step = 7") == [2]
    assert two.number("line", "entry = 1", "count") == "3"
    assert two.value("kind", "line = 3") == Text("graph")


def test_a_tensor_of_another_format_or_of_several_numbers_has_no_value(tmp_path: Path) -> None:
    shapes = [
        {"dtype": 9, "int64_val": [2**53 + 1]},
        {"dtype": 1, "tensor_shape": {"dim": [{"size": 2}]}, "float_val": [1, 2]},
        {"dtype": 14, "tensor_content": b"\x80\x3f"},
        {"dtype": 1},
    ]
    values = [{"tag": b"t", "tensor": shape} for shape in shapes]
    file = File(tmp_path, NAME, VERSION + event(summary={"value": values}))
    assert file.number("value", "entry = 1 and tag = 't'") == str(2**53 + 1)
    assert [file.error("value", f"entry = {at}").code for at in (2, 3, 4)] == ["empty-cell"] * 3


def test_every_bit_counts(tmp_path: Path) -> None:
    """The length, its checksum, the data or their checksum: a read of any value fails."""
    for data in flipped(EVENTS, range(0, len(EVENTS), 5)):
        error = File(tmp_path, NAME, data).error("value", "step = 1", form="tensorboard")
        assert error.code in {"malformed-evidence", "bad-table"}


def test_a_file_that_is_cut_breaks_every_read_unless_whole_records_are_left(tmp_path: Path) -> None:
    ends = {0}
    for _, body in records(EVENTS, Deadline(10)):
        ends.add(max(ends) + 16 + len(body))
    for end in sorted({*range(1, len(EVENTS), 3), *ends} - {0, len(EVENTS)}):
        file = File(tmp_path, NAME, EVENTS[:end])
        if end in ends:
            assert int(file.number("line", "", "count")) == sorted(ends).index(end)
        else:
            assert file.error("line", "", "count", form="tensorboard").code in {
                "malformed-evidence",
                "bad-table",
            }


def test_the_message_of_a_cut_names_the_record(tmp_path: Path) -> None:
    error = File(tmp_path, NAME, EVENTS[:-1]).error("value", "step = 1")
    assert str(error) == "record 7 is cut off: 138 of its 139 bytes are there"
    assert error.hint == "copy the file again once its writer has closed it"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (event(file_version=b"brain.Event:3"), "its version is `brain.Event:3`"),
        (event(step=1), "its first record names no version"),
        (record(b"\xff\xff"), "record 1 is no event"),
        (b"PK\3\4 nothing of the kind", "it does not begin with a record"),
    ],
    ids=["newer", "unversioned", "other records", "other file"],
)
def test_another_format_or_version_says_so(tmp_path: Path, data: bytes, says: str) -> None:
    error = File(tmp_path, NAME, data).error("value", form="tensorboard")
    assert (error.code, says in str(error)) == ("bad-table", True)


def test_a_tag_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    values = [{"tag": b"\xff", "simple_value": 1.0}]
    error = File(tmp_path, NAME, VERSION + event(summary={"value": values})).error("value")
    assert (error.code, "UTF-8" in str(error)) == ("malformed-evidence", True)


def test_a_length_of_16_exbibytes_is_a_cut_and_not_an_attempt(tmp_path: Path) -> None:
    length = b"\xff" * 8
    data = VERSION + length + struct.pack("<I", masked_crc(length))
    assert "record 2 is cut off" in str(File(tmp_path, NAME, data).error("value"))


def test_it_is_no_tree_and_no_text(events: File) -> None:
    error = events.project.error(NAME, tree("$.x"))
    assert (error.code, error.hint) == ("unknown-format", "read it with `column`")


def test_the_checksum_is_that_of_the_standard() -> None:
    """CRC-32C of `123456789` is 0xe3069283 ; masked as TensorFlow masks it."""
    crc = 0xE3069283
    assert masked_crc(b"123456789") == (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
    assert first_length(b"123456789012") is None


def test_what_is_long_ends_with_its_deadline() -> None:
    length = struct.pack("<Q", 1 << 21)
    data = length + struct.pack("<I", masked_crc(length)) + bytes((1 << 21) + 4)
    with pytest.raises(InputError) as caught:
        list(records(data, Deadline(0)))
    assert caught.value.code == "too-slow"


def test_a_first_record_that_is_damaged_is_told_without_its_format(tmp_path: Path) -> None:
    data = EVENTS[:8] + bytes([EVENTS[8] ^ 1]) + EVENTS[9:]
    assert "does not begin with a record" in str(File(tmp_path, NAME, data).error("value", "step = 1"))


def test_without_its_library_no_record_is_taken_unchecked(
    events: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "google_crc32c", None)
    error = events.error("value", "step = 1")
    assert (error.code, "`google-crc32c`" in str(error)) == ("missing-library", True)
    text = File(events.project.root, "run.log", b"brain.Event:2 1.5\nbrain.Event:2 2.5\n")
    assert text.error("value").code != "missing-library"


@pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not here")
def test_a_case_of_401_records() -> None:
    data = (CASES / "tensorboard_scalar.events.out.tfevents").read_bytes()
    assert READERS["tensorboard"].recognises(data)
    assert sum(1 for _ in records(data, Deadline(10))) == 401
