"""Files to readings: evidence is decoded, parsed, read and taken, and every reading knows its place."""

from stilltrue.evidence.altered import Altered, Standing
from stilltrue.evidence.constant import is_constant
from stilltrue.evidence.formats import FORMATS
from stilltrue.evidence.library import Inputs, Library
from stilltrue.evidence.loading import text_of
from stilltrue.evidence.takes import TAKES

__all__ = ["FORMATS", "TAKES", "Altered", "Inputs", "Library", "Standing", "is_constant", "text_of"]
