"""Pages: finds the claim blocks and the prose links of Markdown pages."""

from __future__ import annotations

from stilltrue.pages.scanner import scan

__all__ = ["scan"]
