"""Numbers on pages and in files rewritten to what was found: `update`.

A check says which numbers disagree. Each is looked up where it is written, and what was found is put there in
its author's format. Before anything is written, the changed texts are read as a check reads them: what has
changed must agree, and everything else must say what it said.
"""

from stilltrue.edit.outcome import Changed, Left, Outcome
from stilltrue.edit.run import update
from stilltrue.edit.text import to_text

__all__ = ["Changed", "Left", "Outcome", "to_text", "update"]
