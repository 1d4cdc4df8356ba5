"""Text to claims: the blocks of pages and the lists of claims files."""

from stilltrue.claims.blocks import Malformed, read_block
from stilltrue.claims.claim_files import read_file
from stilltrue.claims.keys import KEYS, LATER, READ_KEYS, REPORTED_KEYS, SEVERITY_KEYS, SUPERSEDED_KEYS, Key

__all__ = [
    "KEYS",
    "LATER",
    "READ_KEYS",
    "REPORTED_KEYS",
    "SEVERITY_KEYS",
    "SUPERSEDED_KEYS",
    "Key",
    "Malformed",
    "read_block",
    "read_file",
]
