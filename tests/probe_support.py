"""What tests of probes share: a probe run in this process, its document parsed."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest


def document_of(probe: ModuleType, arguments: Sequence[str]) -> dict[str, Any]:
    """What the probe prints with `arguments`; importing torch anew for each run would take seconds."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        probe.main(arguments)
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


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
