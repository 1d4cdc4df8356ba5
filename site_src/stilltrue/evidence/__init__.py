"""Files to readings: evidence is decoded, parsed, read and taken, and every reading knows its place."""

from stilltrue.evidence.formats import FORMATS
from stilltrue.evidence.library import Inputs, Library
from stilltrue.evidence.loading import text_of
from stilltrue.evidence.takes import TAKES

__all__ = ["FORMATS", "TAKES", "Inputs", "Library", "text_of"]
