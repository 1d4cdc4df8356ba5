"""Whether what a page states and what was found agree."""

from stilltrue.compare.agreement import Agreement, agree
from stilltrue.compare.hints import SHARE
from stilltrue.compare.links import agree_link
from stilltrue.compare.reproduction import reproduced

__all__ = ["SHARE", "Agreement", "agree", "agree_link", "reproduced"]
