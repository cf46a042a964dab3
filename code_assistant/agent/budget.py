"""How many tokens an agent may use, together with all agents below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from code_assistant.events import BudgetKind
from code_assistant.messages import Usage


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """None is no limit. Input counts all that was sent, cached or not."""

    input: int | None = None
    output: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Exhausted:
    """Which limit is used up, and by how much."""

    kind: BudgetKind
    usage: int
    limit: int


class Budget:
    """What an agent uses counts for it and for everybody above it, so that no agent has more than its parent has left.

    Tokens are known only after a response: a budget forbids the next request, it never cuts one off.
    """

    def __init__(self, limits: TokenLimits | None = None, parent: Budget | None = None) -> None:
        self._limits = limits or TokenLimits()
        self._parent = parent
        self.used = Usage()

    def child(self, limits: TokenLimits) -> Budget:
        return Budget(limits, self)

    def add(self, usage: Usage) -> None:
        for budget in self._line():
            budget.used += usage

    def exhausted(self) -> Exhausted | None:
        """The first limit that leaves nothing, from the agent's own up to that of the session."""
        return next((found for budget in self._line() if (found := budget._own()) is not None), None)

    def _line(self) -> Iterator[Budget]:
        budget: Budget | None = self
        while budget is not None:
            yield budget
            budget = budget._parent

    def _own(self) -> Exhausted | None:
        checks: tuple[tuple[BudgetKind, int, int | None], ...] = (
            ("input", self.used.prompt, self._limits.input),
            ("output", self.used.output, self._limits.output),
            ("total", self.used.total, self._limits.total),
        )
        for kind, used, limit in checks:
            if limit is not None and used >= limit:
                return Exhausted(kind, used, limit)
        return None
