"""Evidence and its records: measure it, adopt it from elsewhere, accept that a change does not matter."""

from stilltrue.record.accepting import accept
from stilltrue.record.adopting import adopt
from stilltrue.record.measuring import Outcome, State, record
from stilltrue.record.moves import Move, moves

__all__ = ["Move", "Outcome", "State", "accept", "adopt", "moves", "record"]
