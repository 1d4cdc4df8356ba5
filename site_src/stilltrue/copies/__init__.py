"""Stale copies: where in a project's text a superseded value is still written, however it is spelled."""

from stilltrue.copies.chosen import Choice, is_text
from stilltrue.copies.marks import Marks
from stilltrue.copies.needles import Needle, needles_of
from stilltrue.copies.search import Hit, Searched, search

__all__ = ["Choice", "Hit", "Marks", "Needle", "Searched", "is_text", "needles_of", "search"]
