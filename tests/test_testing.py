"""The kit for readers: it passes a good one, and says of a bad one what is wrong and where."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stilltrue import testing
from stilltrue.reading import File, Reader, Row, Table, UnreadableError
from stilltrue.testing import examine, faults

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tool" / "readers.md"
LOG = "# steps\nstep 20 loss 0.6899 ms 41.2\nstep 40 loss 0.3490 ms 40.9\n# done\n"


def block(title: str) -> str:
    found = re.search(rf'```\w+ title="{re.escape(title)}"\n(.*?)```', PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def test_the_reader_of_the_page_passes() -> None:
    names: dict[str, Any] = {"__name__": "stepper"}
    exec(compile(block("our_readers/stepper.py"), "stepper.py", "exec"), names)  # noqa: S102  # the page's own code
    examine(names["READER"], block("runs/a.log"))
    (table,) = names["READER"].read(File("a.log", b"", lambda: block("runs/a.log")))
    assert [row.cells["time"] for row in table.rows] == ["41.2", "40.9"]


# Readers with one fault each: the sentence that tells it ------------------------------------------------


def recognises(head: bytes) -> bool:
    return head.startswith(b"# steps\n")


def rows(text: str, *, ended: bool = True) -> Iterator[Row]:
    first, *lines = text.split("\n")
    if first != "# steps":
        raise UnreadableError("no steps", line=1)
    for number, line in enumerate(lines, 2):
        if line == "# done":
            return
        found = re.fullmatch(r"step (\d+) loss (\d+\.\d{4}) ms (\d+\.\d)", line)
        if found is None:
            raise UnreadableError("no step", line=number)
        yield Row({"step": found[1], "loss": found[2], "ms": found[3]}, number)
    if ended:
        raise UnreadableError("cut")


def good(file: File) -> list[Table]:
    return [Table(list(rows(file.text)))]


def takes_what_was_cut(file: File) -> list[Table]:
    found = re.finditer(r"^step (\d+)(?: loss (\S+))?(?: ms (\S+))?", file.text, re.MULTILINE)
    lines = file.text.split("\n")
    if lines[0] != "# steps":
        raise UnreadableError("no steps")
    return [Table([Row({"step": m[1], "ms": m[3]}, file.text.count("\n", 0, m.start()) + 1) for m in found])]


def makes_zeros(file: File) -> list[Table]:
    if not recognises(file.data) or not file.text.endswith("# done\n"):
        raise UnreadableError("no steps")
    found = re.findall(r"ms (\d+\.\d)?", file.text)
    return [Table([Row({"ms": time or "0"}, number) for number, time in enumerate(found, 2)])]


def raises(file: File) -> list[Table]:
    return [Table([Row({"step": int(line.split()[1])}, 2) for line in file.text.split("\n")[1:3]])]


def takes_anything(file: File) -> list[Table]:
    try:
        return good(file)
    except UnreadableError:
        if file.text.startswith("# steps"):
            raise
        return [Table([Row({"words": line}, 1) for line in file.text.split("\n")])]


def finds_nothing(_: File) -> list[Table]:
    return [Table([])]


def refuses_all(_: File) -> list[Table]:
    raise UnreadableError("never")


def prints(file: File) -> list[Table]:
    print("reading")  # noqa: T201  # the fault
    return good(file)


def changing() -> Callable[[File], Iterable[Table]]:
    times = itertools.count()
    return lambda file: [Table([*rows(file.text), Row({"step": next(times)}, 2)])]


def test_a_good_reader_has_no_faults() -> None:
    assert list(faults(Reader(good, recognises), LOG)) == []
    assert list(faults(Reader(good), LOG)) == []


@pytest.mark.parametrize(
    ("reader", "told"),
    [
        (
            Reader(takes_what_was_cut, recognises),
            r"cut after \d+ of 71 bytes: `ms` of line [23] is `4.*`, and nothing",
        ),
        (
            Reader(makes_zeros, recognises),
            r"without the number at byte \d+: `ms` of line 2 is `0`, and it was not",
        ),
        (Reader(raises, recognises), r"cut after \d+ of 71 bytes: the reader `it` broke: IndexError"),
        (
            Reader(takes_anything, recognises),
            "CSV under its name: `words` of line 1 is `1,2`",
        ),
        (Reader(finds_nothing, recognises), "the whole sample: it gives no cell that holds anything"),
        (Reader(refuses_all, recognises), "the whole sample: it is refused: never"),
        (Reader(prints, recognises), "the whole sample: the reader `it` printed `reading`"),
        (Reader(changing(), recognises), "the whole sample: it is read differently the second time"),
        (Reader(good, lambda _: False), "the whole sample: it is not recognised"),
        (Reader(good, lambda head: head[70] > 0), "broke: IndexError"),
    ],
    ids=[
        "cut",
        "zero",
        "raises",
        "anything",
        "nothing",
        "refuses",
        "prints",
        "changes",
        "unknown",
        "asks too far",
    ],
)
def test_each_fault_is_told_with_its_place(reader: Reader, told: str) -> None:
    with pytest.raises(AssertionError) as caught:
        examine(reader, LOG)
    assert re.search(told, str(caught.value))
    assert len(str(caught.value).split("\n")) <= 3 * 4


def test_a_file_that_it_recognises_is_no_other() -> None:
    assert list(faults(Reader(good, recognises), LOG, others={"another": LOG.encode()})) == []
    told = list(faults(Reader(good), LOG, others={"another": LOG.encode()}))
    assert told == ["another under its name: `loss` of line 2 is `0.6899`, and it should be refused"]


def test_a_large_sample_is_cut_all_over_and_most_often_near_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[int] = set()
    body = "".join(f"step {n} loss 0.6899 ms 41.2\n" for n in range(1000, 1200))
    whole = f"# steps\n{body}# done\n"

    def read(file: File) -> list[Table]:
        asked.add(len(file.data))
        return good(file)

    monkeypatch.setattr(testing, "_of_damage", lambda *_: iter(()))
    assert list(faults(Reader(read, recognises), whole, places=40)) == []
    size = len(whole)
    assert {size - back for back in range(20)} <= asked
    assert len([end for end in asked if end < size // 2]) >= 5
    assert len(asked) < 60
