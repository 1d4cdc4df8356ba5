"""What tests of probes share: a probe run in this process, its document parsed."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import pytest

LLAMA = {
    "model_type": "llama",
    "vocab_size": 100,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
"""A dense language model with a head of its own, small enough to be counted by hand."""


def document_of(probe: ModuleType, arguments: Sequence[str]) -> dict[str, Any]:
    """What the probe prints with `arguments`; importing torch anew for each run would take seconds."""
    return said_by(probe, arguments)[0]


def said_by(probe: ModuleType, arguments: Sequence[str]) -> tuple[dict[str, Any], str]:
    """The same, and what it tells people on standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        probe.main(arguments)
    document: dict[str, Any] = json.loads(out.getvalue())
    return document, err.getvalue()


@contextlib.contextmanager
def two_threads() -> Iterator[None]:
    """torch on two threads, so that a probe that works on one has seen to that itself; on one again after."""
    import torch  # noqa: PLC0415  # most tests of probes need none, and it may not be there

    torch.set_num_threads(2)
    try:
        yield
    finally:
        torch.set_num_threads(1)


def assert_refused(
    probe: ModuleType, arguments: Sequence[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The probe says `complaint`, measures nothing and prints nothing."""
    with pytest.raises(SystemExit) as stopped:
        probe.main(arguments)
    out, err = capsys.readouterr()
    assert complaint in err + str(stopped.value)
    assert out == ""
    assert stopped.value.code != 0
