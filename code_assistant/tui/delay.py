"""A request that has to wait: what is said about it, with the seconds that are left."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from code_assistant.events import RequestDelayed


@dataclass(frozen=True, slots=True)
class Delay:
    """`until` is on the screen's clock."""

    until: float
    attempt: int
    attempts: int
    is_rate_limit: bool

    @classmethod
    def from_event(cls, event: RequestDelayed, now: float) -> Delay:
        return cls(now + event.wait, event.attempt, event.attempts, event.is_rate_limit)

    def words(self, now: float) -> str:
        left = max(math.ceil(self.until - now), 0)
        if self.is_rate_limit:
            return f"rate limit, {left} s" if left else "rate limit, next in line"
        return f"try {self.attempt}/{self.attempts} in {left} s"
