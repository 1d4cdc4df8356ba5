"""Keeps the numbers in documentation true."""

__version__ = "0.1.0"
