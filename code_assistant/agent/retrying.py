"""Sending a request again where that can help: after a pause of its own, or at the gate where all agents wait."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from code_assistant.errors import ProviderError, RateLimited
from code_assistant.events import DelayEnded, Event, Origin, RequestDelayed
from code_assistant.llm.clock import Clock, RealClock
from code_assistant.llm.rate_gate import Passage, RateGate
from code_assistant.llm.retry_policy import RetryPolicy

Answer = TypeVar("Answer")
# What a person would be told to do, and is being done for them.
_ADVICE = re.compile(r" Try again(?: in [^.]*)?\.$")
OTHERS_WAIT_WORDS = "The service asked another agent to slow down, and that counts for all."


class Retrying:
    """May be cancelled at any point, also while it waits."""

    def __init__(
        self, origin: Origin, publish: Callable[[Event], None], policy: RetryPolicy | None, clock: Clock | None
    ) -> None:
        self._origin = origin
        self._publish = publish
        self._policy = policy or RetryPolicy()
        self._clock = clock or RealClock()
        self._is_delayed = False

    async def run(
        self, gate: RateGate, send: Callable[[Passage], Awaitable[Answer]], failed: Callable[[bool], None]
    ) -> Answer:
        """What `send` gives. After each failure `failed` is told whether it is tried again; the last one is raised."""
        try:
            return await self._attempts(gate, send, failed)
        finally:
            self._tell_end()

    async def _attempts(
        self, gate: RateGate, send: Callable[[Passage], Awaitable[Answer]], failed: Callable[[bool], None]
    ) -> Answer:
        attempt = 1
        failure: ProviderError | None = None
        while True:
            delayed = partial(self._tell, attempt, failure, is_rate_limit=True)
            async with gate.passage(delayed) as passage:
                self._tell_end()
                try:
                    return await send(passage)
                except ProviderError as error:
                    wait = self._policy.wait(attempt, error)
                    failed(wait is not None)
                    if wait is None:
                        if attempt > 1:
                            error.person = f"{_without_advice(error.person)} It was tried {attempt} times."
                        raise
                    failure = error
                    if isinstance(error, RateLimited):
                        # The wait is at the gate then, together with everybody else's.
                        passage.refused(wait)
                        wait = 0.0
            attempt += 1
            if wait:
                self._tell(attempt, failure, wait, is_rate_limit=False)
                await self._clock.sleep(wait)

    def _tell_end(self) -> None:
        if self._is_delayed:
            self._is_delayed = False
            self._publish(DelayEnded(self._origin))

    def _tell(self, attempt: int, failure: ProviderError | None, wait: float, *, is_rate_limit: bool) -> None:
        reason = _without_advice(failure.person) if failure is not None else OTHERS_WAIT_WORDS
        status = failure.status if failure is not None else None
        self._is_delayed = True
        attempts = self._policy.attempts
        self._publish(RequestDelayed(self._origin, wait, attempt, attempts, reason, is_rate_limit, status))


def _without_advice(words: str) -> str:
    return _ADVICE.sub("", words)
