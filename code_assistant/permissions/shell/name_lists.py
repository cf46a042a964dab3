"""Lists of names, written as one would say them."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """The names in a text that are set apart by blanks."""
    return frozenset(text.split())
