"""A check's result as text, JSON, SARIF and workflow commands; a report measures nothing."""

from stilltrue.report.as_json import to_json
from stilltrue.report.escape import escape, mute_json, visible
from stilltrue.report.github import to_github
from stilltrue.report.paint import Paint
from stilltrue.report.show import show_text
from stilltrue.report.text import message_lines, to_text

__all__ = [
    "Paint",
    "escape",
    "message_lines",
    "mute_json",
    "show_text",
    "to_github",
    "to_json",
    "to_text",
    "visible",
]
