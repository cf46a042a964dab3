"""What a benchmark reports: one measured number and the most it may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """Rows with a limit are promises; the others are the yardsticks beside them."""

    name: str
    value: float
    unit: str
    limit: float | None = None
