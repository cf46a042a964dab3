"""The task objects of stream-json: what sub-agents do, beside the messages they exchange."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from code_assistant.events import (
    MAIN,
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    Event,
    ReferenceRetry,
    ToolFinished,
    ToolStarted,
    UsageAdded,
)
from code_assistant.headless.wire_format import SessionFacts, frame

AD_HOC = "ad-hoc"


class _Task:
    """What one sub-agent has used so far."""

    def __init__(self, started_at: float) -> None:
        self.started_at = started_at
        self.tokens = 0
        self.tool_uses = 0

    def usage(self, now: float) -> dict[str, int]:
        duration = round((now - self.started_at) * 1000)
        return {"total_tokens": self.tokens, "tool_uses": self.tool_uses, "duration_ms": duration}


class TaskLines:
    """Takes every event in order; an event gives one line at most."""

    def __init__(self, facts: SessionFacts, clock: Callable[[], float] = time.monotonic) -> None:
        self._facts = facts
        self._clock = clock
        self._tasks: dict[str, _Task] = {}

    def line(self, event: Event) -> dict[str, Any] | None:
        if isinstance(event, AgentSpawned):
            self._tasks[event.origin.agent_id] = _Task(self._clock())
        task = self._tasks.get(event.origin.agent_id)
        fields = None if task is None else self._fields(event, task)
        if fields is None:
            return None
        ids = {"task_id": event.origin.agent_id, "tool_use_id": event.origin.tool_call_id}
        return {"type": "system", **fields, **ids, **frame(self._facts, event.origin)}

    def _fields(self, event: Event, task: _Task) -> dict[str, Any] | None:
        match event:
            case AgentSpawned(origin, label, instructions, _, definition):
                return {
                    "subtype": "task_started",
                    "description": label,
                    "subagent_type": definition or AD_HOC,
                    "name": origin.name,
                    "spawn_depth": origin.depth,
                    "parent_task_id": None if origin.parent_id == MAIN.agent_id else origin.parent_id,
                    "prompt": instructions,
                }
            case UsageAdded(_, _, usage):
                task.tokens += usage.total
            case ToolStarted():
                task.tool_uses += 1
            case ToolFinished(_, _, tool_name):
                return {"subtype": "task_progress", "usage": task.usage(self._clock()), "last_tool_name": tool_name}
            case AgentStatusChanged(_, status):
                return {"subtype": "task_updated", "status": status}
            case ReferenceRetry(_, attempt, problems):
                return {"subtype": "task_updated", "reference_retry": {"attempt": attempt, "problems": list(problems)}}
            case AgentFinished(origin, status, answer):
                del self._tasks[origin.agent_id]
                words = {"summary": answer or event.error or "", "usage": task.usage(self._clock())}
                told = {"error": event.error, "warning": event.warning}
                return {
                    "subtype": "task_notification",
                    "status": status,
                    **words,
                    **{key: value for key, value in told.items() if value is not None},
                }
            case _:
                pass
        return None
