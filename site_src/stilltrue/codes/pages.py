"""Codes of pages."""

from __future__ import annotations

from stilltrue.codes.code import Code

PAGES: dict[str, Code] = {
    "not-utf8": Code(
        "A page or a claims file is not UTF-8.",
        "Save it as UTF-8.",
    ),
    "unclosed-fence": Code(
        "A claim or chart block is not closed, or stands after a fence that is not closed and so is hidden by it.",
        "Close the fence with the same marks on a line of their own, indented like its opening. An example belongs "
        "into a longer fence.",
    ),
    "unseen-block": Code(
        "A fence looks like a claim or chart block, and the site or a plain Markdown viewer does not show it as one; "
        "or its word is nearly `claim`, `claims` or `chart`, and its first line an id.",
        "Start it on a line of its own, indented by four spaces for each list item or box that it belongs to. "
        "An example belongs into a longer fence.",
    ),
    "html-link": Code(
        'A link to a claim is written in HTML, as `<a href="claim:…">`: its number is compared with nothing, and on '
        "the site it leads nowhere.",
        "Write it in Markdown, outside of blocks of HTML: `[65.2 %](claim:the-id)`.",
    ),
    "unclosed-link": Code(
        "A link to a claim has no closing parenthesis, so no viewer shows it as one.",
        "Write it as `[65.2 %](claim:the-id)`.",
    ),
    "unread-link": Code(
        "A link is nearly one to a claim: its address is `Claim:x`, `claims:x` or `claim%3Ax`, a blank stands before "
        "its parenthesis, or its definition is cut by a line end. Its number is compared with nothing.",
        "Write the address as `claim:`, in lower case, with the id right behind it.",
    ),
    "claims-table": Code(
        "A block marked `claims` has no table to bind: none follows before the next heading or the next claim "
        "block, no cell of the bound columns holds a value, or there are more cells than one block binds.",
        "Put the block right above its table, in the same list item or box; divide a table of many thousands.",
    ),
    "bad-chart": Code(
        "A chart block is no chart, or its reads and claims do not give one number for each place on every line: "
        "another count, a word, NaN, other units, 0 or less on a scale of ratios, a claim that is superseded, "
        "broken or drifted. A chart is never drawn in part.",
        "Mend the key, the read or the claim that the message names; all reads of a chart take all readings, in "
        "one order.",
    ),
    "embedded-twice": Code(
        "A block shows a claim that is written on a page already.",
        "Link to the claim, or move it to a claims file.",
    ),
}
