"""RFC 9535 JSONPath over trees: parsed strictly, evaluated within bounds."""

from stilltrue.evidence.jsonpath.explain import explain
from stilltrue.evidence.jsonpath.query import Query, compile_query

__all__ = ["Query", "compile_query", "explain"]
