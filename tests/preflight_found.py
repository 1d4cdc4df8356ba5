"""What `stilltrue preflight` says of a project, by its subjects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from preflight_support import launch_of, look, refused


def findings(root: Path) -> list[dict[str, Any]]:
    """Every finding of every check that a project's settings ask for, as the JSON report has them."""
    return [finding for found in look(root).checks.values() for finding in found]


def said(root: Path) -> dict[str, str]:
    """What each subject came to: `ok …` or `FAIL …`, and what was seen; no two have one name."""
    found = findings(root)
    by_name = {each["what"]: f"{'ok' if each['ok'] else 'FAIL'} {each['saw']}" for each in found}
    assert len(by_name) == len(found)
    return by_name


def failing(root: Path) -> list[str]:
    """The subjects that failed, in their order; each says where."""
    failed = [each for each in findings(root) if not each["ok"]]
    assert all(each["path"] for each in failed)
    return [each["what"] for each in failed]


def assert_refused(root: Path, settings: str, line: int, *words: str) -> None:
    """These settings are refused before anything is looked at, for this line of theirs, in these words."""
    err = refused(launch_of(root, settings)).err
    assert err.startswith(f"preflight.yml:{line}: "), err
    assert all(word in err for word in words), err
    assert "[preflight-settings]" in err
