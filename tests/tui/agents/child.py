"""Events of a sub-agent, as the core publishes them, for tests without a model."""

from __future__ import annotations

from code_assistant.events import (
    MAIN,
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    Display,
    EndStatus,
    Event,
    LiveStatus,
    Origin,
    PermissionRequested,
    PermissionResolved,
    RequestStarted,
    ResponseStarted,
    TextDelta,
    ToolFinished,
    ToolStarted,
    ToolStatus,
    UsageAdded,
)
from code_assistant.messages import Usage


class ChildEvents:
    """One sub-agent: each method gives the events of one thing it does."""

    def __init__(
        self, number: int = 1, name: str = "", label: str = "Find the code", parent: Origin = MAIN, colour: int = -1
    ) -> None:
        self.call_id = f"spawn-{number}"
        self.label = label
        self.parent = parent
        self.origin = Origin(
            f"agent_{number}",
            name or f"explore-{number}",
            parent.depth + 1,
            parent.agent_id,
            self.call_id,
            number - 1 if colour < 0 else colour,
        )
        self.turn = 0

    def spawned(self, status: LiveStatus = "running", instructions: str = "Find it.\nSay where.") -> list[Event]:
        events: list[Event] = [
            ToolStarted(self.parent, self.call_id, "spawn_agent", {"instructions": instructions}, self.label),
            AgentSpawned(self.origin, self.label, instructions, "read_only", "explore", "m", 10),
        ]
        if status == "queued":
            return [*events, AgentStatusChanged(self.origin, "queued")]
        return [*events, AgentStatusChanged(self.origin, "spawning"), *self.requested(), *self.has(status)]

    def requested(self) -> list[Event]:
        self.turn += 1
        return [RequestStarted(self.origin, self.turn, "m"), ResponseStarted(self.origin, f"r{self.turn}", "m")]

    def has(self, status: LiveStatus) -> list[Event]:
        return [AgentStatusChanged(self.origin, status)]

    def used(self, tokens: int, cost: float | None = 0.0123) -> list[Event]:
        return [UsageAdded(self.origin, "m", Usage(tokens, 0), cost)]

    def call(self, number: int, title: str = "Reading a.py") -> list[Event]:
        return [ToolStarted(self.origin, self._inner(number), "read_files", {"paths": ["a.py"]}, title)]

    def called(
        self, number: int, title: str = "Read a.py", summary: str = "3 lines", status: ToolStatus = "success"
    ) -> list[Event]:
        display = Display(title, summary, "1 x\n2 y")
        return [ToolFinished(self.origin, self._inner(number), "read_files", status, display, 0.1)]

    def wrote(self, text: str) -> list[Event]:
        return [TextDelta(self.origin, text)]

    def asks(self, number: int, action: str = "fetch a page", detail: str = "GET https://x.org/") -> list[Event]:
        call_id = self._inner(number)
        asked = PermissionRequested(
            self.origin, f"ask {call_id}", call_id, "web_fetch", action, detail, "text", "WebFetch(domain:x.org)"
        )
        return [asked, *self.has("waiting_permission")]

    def resolved(self, number: int) -> list[Event]:
        call_id = self._inner(number)
        return [PermissionResolved(self.origin, f"ask {call_id}", call_id, "once"), *self.has("running")]

    def finished(
        self,
        status: EndStatus = "completed",
        answer: str = "It is in **a.py**.",
        duration: float = 6.2,
        warning: str | None = None,
        error: str | None = None,
    ) -> list[Event]:
        end = AgentFinished(self.origin, status, answer, self.turn, 2, Usage(3_900), 0.0123, duration, warning, error)
        return [
            end,
            ToolFinished(self.parent, self.call_id, "spawn_agent", "success", Display(self.label, "done"), duration),
        ]

    def _inner(self, number: int) -> str:
        return f"{self.call_id}-{number}"
