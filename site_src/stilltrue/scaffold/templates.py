"""The texts that `new` begins with, kept as files so that they can be read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

_BLANK = re.compile(r"\{\{(\w+)\}\}")


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with its blanks, `{{name}}`, filled in.

    Args:
        template: Its file in `templates/`.
        values: What stands for each blank.
    """
    text = files(__package__).joinpath("templates", template).read_text(encoding="utf-8")
    return _BLANK.sub(lambda blank: values[blank[1]], text)
