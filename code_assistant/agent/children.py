"""What a session asks of the sub-agents below it; the room that has them is built on this one."""

from __future__ import annotations

from typing import Protocol

from code_assistant.events import Event, ToolFinished, ToolStarted


class Children(Protocol):
    """All live sub-agents of a session, by the tool call that spawned them."""

    def cancel(self, tool_call_id: str) -> bool:
        """End one by the person's wish; False when there is none, or it is ending already."""
        ...

    def cancel_all(self) -> int:
        """End them all; how many there were."""
        ...

    def steer(self, tool_call_id: str, text: str) -> bool:
        """Say something to one; it reads that before its next request. False when there is none."""
        ...

    def end_session(self) -> None:
        """The session ends, and everybody in it."""
        ...

    async def activity(self, tool_call_id: str) -> tuple[Event, ...]:
        """All that one did, also after its end, but for text as it was being written."""
        ...

    async def tool(self, tool_call_id: str, inner_call_id: str) -> tuple[ToolStarted | None, ToolFinished | None]:
        """One tool call of a sub-agent, with all of its arguments and its result."""
        ...
