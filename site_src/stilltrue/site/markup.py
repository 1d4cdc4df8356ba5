"""Text to HTML: everything that comes from a claim or from evidence passes here before it reaches a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from html import escape as escape_html
from urllib.parse import quote

from stilltrue.model import Found, Judgement, Verdict
from stilltrue.quantity import Flag, Quantity, Stated, Unit, Value, show_value
from stilltrue.report import visible
from stilltrue.report.text import COUNTED

SHORT = 24
"""Text of fewer characters, such as a number and its unit, is kept on one line."""

_MARKS = "*_`"
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SAFE_URL = re.compile(r"https?://[^\s\"'<>\\]+", re.IGNORECASE)


def text(raw: str) -> str:
    """Text as HTML, in an element or in a quoted attribute; hidden characters become visible escapes."""
    return escape_html(raw if raw.isprintable() else visible(raw))


def line(raw: str) -> str:
    """One line of a file as HTML, in an element only; its tabs stay tabs."""
    if not raw.isprintable():
        raw = "\t".join(visible(part) for part in raw.split("\t"))
    return escape_html(raw, quote=False)


def lines(raw: str) -> str:
    """Several lines as HTML, for a `<pre>`."""
    return "\n".join(line(part) for part in raw.strip("\n").split("\n"))


def raw_block(body: str) -> str:
    """A block as it is written. Without a `<code>`: Material lays out a page anew to measure each."""
    return f'<pre class="st-raw">{lines(body)}</pre>'


def clause(message: str) -> str:
    """A message or a hint as HTML, begun as a sentence; what stands between backticks is code."""
    return prose(message[:1].upper() + message[1:])


def prose(raw: str) -> str:
    """A sentence as HTML; what stands between backticks is code, and an odd one is itself."""
    parts = raw.split("`")
    if len(parts) % 2 == 0:
        return text(raw)
    return "".join(f"<code>{text(p)}</code>" if at % 2 else text(p) for at, p in enumerate(parts))


def web_link(url: str, label: str, *, css: str = "") -> str:
    """A link to another site; the bare label when the address is not plain http or https."""
    if not _SAFE_URL.fullmatch(url):
        return text(label)
    style = f' class="{css}"' if css else ""
    return f'<a{style} href="{text(url)}" rel="nofollow noopener">{text(label)}</a>'


def path_url(path: str) -> str:
    """A file's path as part of an address."""
    return quote(path, safe="/")


def row(name: str, value: str) -> str:
    """A row of a table of two columns: a name that is ours, and what it holds as HTML."""
    return f"<tr><th>{name}</th><td>{value}</td></tr>"


def verdict_badge(judgement: Judgement) -> str:
    """The verdict as a word that the style sheet puts its icon before."""
    return badge(judgement.verdict)


def badge(kind: str) -> str:
    """A word with the icon of its kind: a verdict, or `problem`."""
    return f'<span class="st-verdict st-{kind}">{kind}</span>'


def stated_text(stated: Stated) -> str:
    """A stated value as HTML without the Markdown marks around it."""
    return text(stated.text.strip(_MARKS))


def sentence(judgement: Judgement) -> str:
    """The claim's sentence as HTML with its value marked; a yes or no claim ends in its answer."""
    claim = judgement.claim
    long = "" if len(claim.stated.text) < SHORT else " st-long"
    value = f'<strong class="st-value{long}">{stated_text(claim.stated)}</strong>'
    before, slot, after = claim.says.partition("{value}")
    if slot:
        return f"{prose(before)}{value}{prose(after)}"
    answer = f" {value}" if isinstance(claim.stated.value, Flag) else ""
    return f"{prose(before)}{answer}"


def tooltip(judgement: Judgement, words: str = "") -> str:
    """A verdict, or other words, and the claim's sentence as plain text, which is not escaped yet."""
    claim = judgement.claim
    says = claim.says.replace("{value}", claim.stated.text.strip(_MARKS), 1)
    return hover(f"{words or judgement.verdict}: {says}")


def hover(words: str) -> str:
    """Words for a `title` attribute, not escaped yet, in which no tag begins.

    Themes draw tooltips of their own from the attribute, and Material puts its text into the page as HTML.
    """
    return _TAG.sub("‹", visible(words))


def found_words(found: Found, unit: Unit) -> str:
    """What was found with all its digits, in the stated value's unit where it has that dimension."""
    low, high = _shown(found.low, unit), _shown(found.high, unit)
    ends = low if found.low == found.high else f"{low} to {high}"
    if found.spread is None:
        return ends
    mean, deviation = (_shown(value, unit) for value in found.spread)
    return f"{ends} (mean {mean}, standard deviation {deviation})"


def _shown(value: Value, unit: Unit) -> str:
    if isinstance(value, Quantity) and unit.symbol and value.unit.dimension == unit.dimension:
        value = Quantity(value.to(unit), unit)
    return text(show_value(value))


def counted(verdicts: Iterable[Verdict]) -> str:
    """`10 hold, 2 are reported`: verdicts counted in words, in the order in which reports count them."""
    tally = Counter(verdicts)
    return ", ".join(f"{tally[v]:,} {fate(v, tally[v])}" for v in COUNTED if v in tally)


def fate(verdict: Verdict, number: int) -> str:
    """A verdict as what so many claims do: `holds`, `have drifted`, `is broken`."""
    if verdict is Verdict.HOLDS:
        return "holds" if number == 1 else "hold"
    if verdict is Verdict.DRIFTED:
        return "has drifted" if number == 1 else "have drifted"
    return f"{'is' if number == 1 else 'are'} {verdict}"
