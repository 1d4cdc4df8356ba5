"""`supersede`: a claim is replaced or withdrawn, and kept for the record."""

from stilltrue.retire.supersede import Retired, supersede

__all__ = ["Retired", "supersede"]
