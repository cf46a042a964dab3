"""When a failed request is sent again, and how long after."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from code_assistant.errors import ProviderError

FACTOR = 2.0
LONGEST_BACK_OFF = 32.0
# A service that wants more than this is not waited for: the person decides.
LONGEST_RETRY_AFTER = 60.0
JITTER = 0.25


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`attempts` counts the first one, too. `chance` gives numbers from 0 to 1."""

    attempts: int = 8
    first_delay: float = 0.5
    chance: Callable[[], float] = random.random

    def wait(self, attempt: int, error: ProviderError) -> float | None:
        """Seconds until the next attempt after this one failed; None where there is none."""
        if not error.retryable or attempt >= self.attempts or is_too_long(error):
            return None
        back_off = min(self.first_delay * FACTOR ** (attempt - 1), LONGEST_BACK_OFF)
        # Later than asked for is polite, earlier is not; and asked for at once is no reason to hammer.
        return max(back_off, error.retry_after or 0.0) * (1.0 + JITTER * self.chance())


def is_too_long(error: ProviderError) -> bool:
    """Whether the service wants to be left alone for longer than anybody should wait without being asked."""
    return error.retryable and (error.retry_after or 0.0) > LONGEST_RETRY_AFTER
