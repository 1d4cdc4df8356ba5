"""RFC 9485 I-Regexps, on RE2."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import iregexp_check
import re2  # type: ignore[import-untyped]  # the package has no types

from stilltrue.errors import InputError
from stilltrue.patterns import quiet, refused
from stilltrue.wording import quoted

_PIECE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*+\]|[.$]", re.DOTALL)
"""An escape, a class, the dot for any sign but a line end, or a dollar sign, which is no anchor."""
_MEANT = {".": r"[^\n\r]", "$": r"\$"}


def usable(pattern: str) -> None:
    """Refuses a pattern that could never match, which the RFC would silently take as false.

    Raises:
        InputError: `bad-jsonpath`, when it is no I-Regexp; `bad-pattern`, when RE2 refuses it.
    """
    if not iregexp_check.check(pattern):
        raise InputError(
            "bad-jsonpath",
            f"{quoted(pattern)} is no I-Regexp (RFC 9485)",
            "there are no anchors, no `\\d` and no look-around: write `[0-9]`, and `search` for a part",
        )
    _compiled(pattern)


def matches(pattern: Any, text: Any, *, whole: bool) -> bool:
    """Whether a pattern matches a string, or a part of it; false for what is no string or no I-Regexp.

    Raises:
        InputError: `bad-pattern`, when RE2 refuses the pattern.
    """
    if not isinstance(pattern, str) or not isinstance(text, str) or not iregexp_check.check(pattern):
        return False
    data = text.encode("utf-8", "replace")
    regexp = _compiled(pattern)
    return (regexp.fullmatch(data) if whole else regexp.search(data)) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    translated = _PIECE.sub(lambda piece: _MEANT.get(piece[0], piece[0]), pattern)
    try:
        return re2.compile(translated.encode("utf-8"), quiet())
    except re2.error as error:
        raise refused(pattern, error) from None
