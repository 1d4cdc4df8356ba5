"""What tests of the landmines' pages share: the code that a page prints, as somebody pastes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAGES = Path(__file__).resolve().parent.parent / "docs" / "integrity"


def scripts(page: str) -> list[str]:
    """The shell scripts that a page prints inside a list, in their order."""
    blocks = re.findall(
        r"^( +)```bash\n(.*?)^\1```", (PAGES / page).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return [re.sub(f"^{indent}", "", block, flags=re.MULTILINE) for indent, block in blocks]


def pasted(page: str, name: str) -> Callable[..., Any]:
    """The function `name` of a page, out of the one block that defines it."""
    blocks = re.findall(r"^```python\n(.*?)^```", (PAGES / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (block,) = [block for block in blocks if f"\ndef {name}(" in f"\n{block}"]
    names: dict[str, Any] = {}
    exec(block, names)  # noqa: S102  # a page of this repository
    return names[name]  # type: ignore[no-any-return]  # whatever the page defines
