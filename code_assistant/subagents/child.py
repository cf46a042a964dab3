"""One live sub-agent: what it is doing, what it has used, and the one way in which it is ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Literal, TypeAlias

from code_assistant.events import (
    AgentActivity,
    AgentActivityChanged,
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    CompactionStarted,
    EndStatus,
    Event,
    LiveStatus,
    Origin,
    PermissionRequested,
    PermissionResolved,
    PromptFinished,
    PromptStarted,
    RequestDelayed,
    RequestStarted,
    ResponseStarted,
    TextDelta,
    ThinkingDelta,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Usage
from code_assistant.subagents.activity_log import ActivityLog

EndReason: TypeAlias = Literal["person", "parent", "session", "timeout"]
Tell: TypeAlias = Callable[[str, str], None]


class Child:
    """Everything a sub-agent publishes passes here, so that it is known what it does, and nothing comes after its end.

    `end` is the only way to end it early: once, whoever asks, because a second cancellation would cut its clean-up
    short.
    """

    def __init__(
        self,
        spawned: AgentSpawned,
        publish: Callable[[Event], None],
        log: ActivityLog,
        *,
        parent: Child | None = None,
        timeout: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.spawned = spawned
        self.origin: Origin = spawned.origin
        self.log = log
        self.status: LiveStatus = "queued"
        self.reason: EndReason | None = None
        self.answer = ""
        self._publish = publish
        self._parent = parent
        self._clock = clock
        self._activity: AgentActivity | None = None
        self._turns = 0
        self._turn = 0
        self._tool_calls = 0
        self._usage = Usage()
        self._cost: float | None = 0.0
        self._prompts: set[str] = set()
        self._waits = 0
        self._task: asyncio.Task[object] | None = None
        self._tell: Tell | None = None
        self._untold: list[str] = []
        self._started_at: float | None = None
        self._left = timeout
        self._runs_since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._is_over = False

    # Its life

    def begin(self, task: asyncio.Task[object]) -> None:
        """It exists; from now on people can see it, and end it."""
        self._task = task
        self.publish(self.spawned)

    def queue(self) -> None:
        """It has to wait for a place."""
        self.publish(AgentStatusChanged(self.origin, self.status))

    def start(self) -> None:
        """It has a place, and its time begins."""
        self._started_at = self._clock()
        self._set_status("spawning")
        self._let_time_run()

    def attach(self, tell: Tell) -> None:
        """From now on it can be spoken to; what was said before is handed over."""
        self._tell = tell
        for text in self._untold:
            tell("person", text)
        self._untold.clear()

    def steer(self, text: str) -> bool:
        if self.reason is not None or self._is_over or not text.strip():
            return False
        if self._tell is None:
            self._untold.append(text)
        else:
            self._tell("person", text)
        return True

    def end(self, reason: EndReason) -> bool:
        """Stop whatever it is doing; True the first time."""
        if self.reason is not None or self._is_over or self._task is None:
            return False
        if self._task.done() and reason != "parent":
            # It came to its own end, only nobody has taken note of that yet.
            return False
        self.reason = reason
        self._stop_timer()
        self._set_status("shutting_down")
        self._task.cancel()
        return True

    def finish(self, status: EndStatus, answer: str, warning: str | None, error: str | None) -> AgentFinished:
        """The last event of its origin."""
        self._stop_timer()
        duration = 0.0 if self._started_at is None else self._clock() - self._started_at
        finished = AgentFinished(
            self.origin,
            status,
            answer,
            self._turns,
            self._tool_calls,
            self._usage,
            self._cost,
            duration,
            warning,
            error,
        )
        self.publish(finished)
        self._is_over = True
        self.log.close()
        return finished

    # What it does

    def publish(self, event: Event) -> None:
        """Late words of an ended sub-agent, such as those of a thread that could not be stopped, are dropped."""
        if self._is_over:
            return
        self.log.record(event)
        self._publish(event)
        self._observe(event)

    def _observe(self, event: Event) -> None:
        match event:
            case TextDelta() | ThinkingDelta():
                self._set_activity("responding")
            case PromptStarted():
                self._turn = 0
            case RequestStarted(_, turn):
                # One that is sent again is the same turn.
                self._turns += max(turn - self._turn, 0)
                self._turn = turn
                self._set_activity("waiting for model")
            case RequestDelayed(_, _, _, _, _, is_rate_limit):
                self._set_activity("waiting for a rate limit" if is_rate_limit else "waiting for model")
            case CompactionStarted():
                self._set_activity("compacting")
            case ResponseStarted():
                self._set_status("waiting_permission" if self._prompts else "running")
            case ToolStarted():
                self._tool_calls += 1
                self._set_activity("running tools")
            case UsageAdded(_, _, usage, cost):
                self._usage += usage
                self._cost = None if self._cost is None or cost is None else self._cost + cost
            case PermissionRequested(_, request_id):
                self._prompts.add(request_id)
                self._set_status("waiting_permission")
                self._count_wait(1)
            case PermissionResolved(_, request_id):
                self._prompts.discard(request_id)
                self._set_status("waiting_permission" if self._prompts else "running")
                self._count_wait(-1)
            case PromptFinished(_, _, _, answer):
                # What was said on the way to a correction must not replace what was found before it.
                if event.is_answered or not self.answer:
                    self.answer = answer or self.answer
            case _:
                pass

    def _set_status(self, status: LiveStatus) -> None:
        # What is ending stays so, whatever its clean-up still brings.
        if status == self.status or (self.reason is not None and status != "shutting_down"):
            return
        self.status = status
        self.publish(AgentStatusChanged(self.origin, status))

    def _set_activity(self, activity: AgentActivity) -> None:
        if activity != self._activity:
            self._activity = activity
            self.publish(AgentActivityChanged(self.origin, activity))

    # Its time, which stands still while it or one below it waits for the person

    def _count_wait(self, step: int) -> None:
        self._waits += step
        if self._waits == 1 and step == 1:
            self._stop_timer()
        elif self._waits == 0:
            self._let_time_run()
        if self._parent is not None:
            self._parent._count_wait(step)

    def _let_time_run(self) -> None:
        if self._left is None or self.reason is not None or self._started_at is None or self._waits:
            return
        self._runs_since = self._clock()
        self._timer = asyncio.get_running_loop().call_later(max(self._left, 0), self.end, "timeout")

    def _stop_timer(self) -> None:
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        if self._left is not None:
            self._left -= self._clock() - self._runs_since
