"""Text around a number without the marks that change its look: Markdown, HTML, LaTeX, line ends in prose."""

from __future__ import annotations

import re

_SIGNS = re.compile(
    r"""(?P<blank> &(?:nbsp|ensp|emsp|thinsp|\#160|\#8201|\#8239|\#[xX](?:[aA]0|2009|202[fF]));
                 | \\[,;:!]|\\[ ]|~(?=[A-Za-z%]) | [ \t\u00a0\u2000-\u200a\u202f]+ )
      | (?P<times> \\times(?![A-Za-z]) | &times; )
      | (?P<percent> \\(?=%) | &percnt; )
      | (?P<hyphen> (?<=[0-9])[-‐‑](?=[A-Za-z]) | (?<=[A-Za-z])[‐‑](?=[A-Za-z]) )
      | (?P<unseen> <!--[^<>\n]{0,60}--> | [\u00ad\u200b-\u200d\u2060\ufeff]
                  | &(?:shy|zwn?j|\#8203|\#[xX]200[bB]); )
      | (?P<mark> ~~ | \*{1,3}(?![0-9]) | _{1,2}(?![0-9]) | ` | </?[A-Za-z][^<>\n]{0,60}>
                | \$(?=\s|$|[.,;:)~]) | \\(?:mathrm|text|rm)\{ )
      | (?P<brace> [{}] )""",
    re.VERBOSE,
)
_WRAPPED = re.compile(r"[ \t]*\r?\n[ \t]*(?:(?:\#+|//+|--|;+|>+|\*)[ \t]*)?(?=[A-Za-z]{4}|per\b)")
_LETTER = re.compile(r"[A-Za-z%]")
_GROUPS = re.compile(r"(?<=[0-9])(?:'|’|&[a-z]{4,6};|\\,|\{,\})(?=[0-9]{3}(?![0-9]))")


def joined(text: str) -> str:
    """A line without words and the next one, the sign of a comment left out; empty where that has no word."""
    line, end, _ = text.partition("\n")
    bare = end and not _LETTER.search(line)
    wrapped = _WRAPPED.match(text, len(line.rstrip())) if bare else None
    return f"{line.rstrip()} {text[wrapped.end() :].partition(chr(10))[0]}" if wrapped else ""


def cleaned(text: str) -> str:
    """What stands from a number on, to the end of its line, as a reader sees it: single blanks, no marks."""
    line = text.partition("\n")[0]
    return _SIGNS.sub(_plain, _GROUPS.sub(",", line)).rstrip()


def _plain(match: re.Match[str]) -> str:
    return _INSTEAD.get(match.lastgroup or "", "")


_INSTEAD = {"blank": " ", "times": "×", "hyphen": " "}
