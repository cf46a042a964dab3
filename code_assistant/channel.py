"""The one channel that events travel on, from the core to every consumer: front end, recorder, debug log."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import replace
from typing import Literal, TypeAlias

from code_assistant.events import Event, OutputAdded, TextDelta, ThinkingDelta
from code_assistant.slices import Slices

View: TypeAlias = Literal["raw", "merged"]


Delta: TypeAlias = TextDelta | ThinkingDelta | OutputAdded
# What is given as one delta, and how much at most before everybody else gets a turn: showing text costs up to
# two microseconds a character.
MOST_CHARACTERS = 16 * 1024
SLICE = 2 * MOST_CHARACTERS


class _Run:
    """Deltas of one origin and kind that wait together; joined only when they are taken."""

    __slots__ = ("first", "parts", "size")

    def __init__(self, event: Delta) -> None:
        self.first = event
        self.parts = [event.text]
        self.size = len(event.text)

    def takes(self, event: Delta) -> bool:
        if self.size + len(event.text) > MOST_CHARACTERS:
            return False
        if isinstance(event, OutputAdded):
            return isinstance(self.first, OutputAdded) and self.first.tool_call_id == event.tool_call_id
        return type(self.first) is type(event)

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def event(self) -> Event:
        return replace(self.first, text="".join(self.parts))


class Subscription:
    """One consumer's view. Every event reaches it once, in its origin's order; none is lost, however slow it is.

    In the merged view, deltas of one origin and kind that wait with nothing else of that origin in between are given
    as one, and large ones in several pieces. A delta may so be seen before an event of another origin, never after one.
    However much waits, whoever takes it lets others have their turn in between.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._pending: deque[Event | _Run] = deque()
        self._open_runs: dict[str, _Run] = {}
        self._arrived = asyncio.Event()
        self._closed = False
        self._slices = Slices(SLICE)

    def put(self, event: Event) -> None:
        if self._view == "raw" or not self._merge(event):
            self._pending.append(event)
        self._arrived.set()

    def close(self) -> None:
        """No more will come; what is pending can still be taken."""
        self._closed = True
        self._arrived.set()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Event:
        while not self._pending:
            if self._closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        first = self._pending[0]
        size = first.size if isinstance(first, _Run) else len(first.text) if isinstance(first, Delta) else 0
        if self._slices.is_over(size):
            # Nothing is taken before: who is cancelled here has lost nothing.
            await asyncio.sleep(0)
        return self._take()

    def _merge(self, event: Event) -> bool:
        """Put a delta into its origin's run. Any other event ends that run."""
        if not isinstance(event, Delta):
            self._open_runs.pop(event.origin.agent_id, None)
            return False
        if len(event.text) > MOST_CHARACTERS:
            for start in range(0, len(event.text), MOST_CHARACTERS):
                self._merge(replace(event, text=event.text[start : start + MOST_CHARACTERS]))
            return True
        run = self._open_runs.get(event.origin.agent_id)
        if run is not None and run.takes(event):
            run.add(event.text)
            return True
        run = _Run(event)
        self._open_runs[event.origin.agent_id] = run
        self._pending.append(run)
        return True

    def _take(self) -> Event:
        item = self._pending.popleft()
        if not isinstance(item, _Run):
            return item
        if self._open_runs.get(item.first.origin.agent_id) is item:
            del self._open_runs[item.first.origin.agent_id]
        return item.event()


class Channel:
    """Publishing never waits. Consumers that subscribe later do not see earlier events."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []

    def subscribe(self, view: View) -> Subscription:
        subscription = Subscription(view)
        self._subscriptions.append(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        self._subscriptions.remove(subscription)
        subscription.close()

    def publish(self, event: Event) -> None:
        for subscription in self._subscriptions:
            subscription.put(event)

    def close(self) -> None:
        """The last event was published: every consumer ends once it has taken what is left."""
        for subscription in self._subscriptions:
            subscription.close()
