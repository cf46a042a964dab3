"""What fills the window of a model, as front ends show it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContextPart:
    """Something that takes room, and about how many tokens of it."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ContextReport:
    """`parts` are estimates that add up to `used`, which the service has counted as far as it has seen it.

    `largest` are the tools whose results take most room. Nothing more is put into the last `reserved` tokens, which
    are for the answer. `compact_at` is how many tokens the conversation is compacted at, None for never.
    """

    model: str
    window: int
    used: int
    reserved: int
    compact_at: int | None
    parts: tuple[ContextPart, ...]
    largest: tuple[ContextPart, ...]

    @property
    def free(self) -> int:
        return max(self.window - self.used - self.reserved, 0)
