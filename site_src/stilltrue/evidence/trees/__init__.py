"""Trees: JSON, JSON Lines, YAML and TOML, numbers as written, every value with its line."""

from stilltrue.evidence.trees.tree import Location, Number, Tree

__all__ = ["Location", "Number", "Tree"]
