"""The lines of a file, in blocks: a browser styles and lays out only those blocks that come into view."""

from __future__ import annotations

from collections.abc import Sequence

BLOCK = 100
"""How many lines are in a block: few enough to be cheap, and enough that there are few blocks.

The style sheet gives a block that is out of view the height of so many lines.
"""


def line_blocks(lines: Sequence[str]) -> str:
    """A listing that scrolls inside itself.

    Args:
        lines: The HTML of each line, none of which wraps.
    """
    blocks = "".join(_block(lines[start : start + BLOCK]) for start in range(0, len(lines), BLOCK))
    return (
        '<div class="st-lines" tabindex="0" role="region" aria-label="Lines">'
        f"<pre><code>{blocks}</code></pre></div>"
    )


def _block(lines: Sequence[str]) -> str:
    size = "" if len(lines) == BLOCK else f' style="--st-rows:{len(lines)}"'
    return f'<span class="st-block"{size}>{"".join(lines)}</span>'
