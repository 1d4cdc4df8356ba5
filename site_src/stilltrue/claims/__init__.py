"""Text to claims: the blocks of pages and the lists of claims files.

Tables of claims are read by `claims.table_cells`, which is imported where there is one: it is not small.
"""

from stilltrue.claims.blocks import Malformed, read_block
from stilltrue.claims.chart_keys import CHART_KEYS, LIMIT_KEYS, SERIES_KEYS, X_KEYS, Y_KEYS
from stilltrue.claims.charts import read_chart
from stilltrue.claims.claim_files import read_file
from stilltrue.claims.key_kinds import Key
from stilltrue.claims.keys import (
    COPY_KEYS,
    KEYS,
    READ_KEYS,
    REPORTED_KEYS,
    SEARCH_KEYS,
    SEVERITY_KEYS,
    STATED_IN_KEYS,
    SUPERSEDED_KEYS,
    TABLE_IN_KEYS,
    VALID_KEYS,
)

__all__ = [
    "CHART_KEYS",
    "COPY_KEYS",
    "KEYS",
    "LIMIT_KEYS",
    "READ_KEYS",
    "REPORTED_KEYS",
    "SEARCH_KEYS",
    "SERIES_KEYS",
    "SEVERITY_KEYS",
    "STATED_IN_KEYS",
    "SUPERSEDED_KEYS",
    "TABLE_IN_KEYS",
    "VALID_KEYS",
    "X_KEYS",
    "Y_KEYS",
    "Key",
    "Malformed",
    "read_block",
    "read_chart",
    "read_file",
]
