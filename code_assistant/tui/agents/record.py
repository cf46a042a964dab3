"""What the screen knows of one sub-agent, kept small: the whole of what it did is read from the session on demand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from code_assistant.events import AgentMode, EndStatus, LiveStatus
from code_assistant.messages import Usage

if TYPE_CHECKING:
    from code_assistant.tui.delay import Delay
    from code_assistant.tui.transcript.blocks import ToolState

AgentStatus: TypeAlias = LiveStatus | EndStatus

LIVE: frozenset[AgentStatus] = frozenset(
    {"queued", "spawning", "running", "waiting_permission", "idle", "shutting_down"}
)


@dataclass(slots=True, eq=False)
class ToolLine:
    """One tool call of a sub-agent: a line. What it was called with and what it gave are read when it is unfolded.

    Other things that it did stand among them; those are no calls.
    """

    id: str
    title: str
    state: ToolState = "running"
    summary: str = ""
    is_expanded: bool = False
    is_call: bool = True


@dataclass(slots=True, eq=False)
class AgentRecord:
    """One sub-agent, live or ended. All text in it is clean. `id` is the tool call that spawned it.

    Times are those of the screen's clock. `tail` is the end of what it is writing now. `mending` says how often it was
    asked to mend its file references. `unread` is what the person said to it and it has not read yet.
    """

    id: str
    agent_id: str
    parent_agent_id: str | None
    name: str
    colour: int
    depth: int
    label: str
    instructions: str
    mode: AgentMode
    definition: str | None
    model: str
    max_turns: int
    ignored: tuple[str, ...] = ()
    status: AgentStatus = "spawning"
    activity: str = ""
    delay: Delay | None = None
    turn: int = 0
    mending: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    started_at: float | None = None
    seconds: float | None = None
    tools: list[ToolLine] = field(default_factory=list[ToolLine])
    prompts: list[str] = field(default_factory=list[str])
    tail: str = ""
    answer: str = ""
    warning: str = ""
    error: str = ""
    unread: list[str] = field(default_factory=list[str])

    @property
    def is_live(self) -> bool:
        return self.status in LIVE

    @property
    def tool_count(self) -> int:
        return sum(line.is_call for line in self.tools)

    def elapsed(self, now: float) -> float:
        """How long it has run, or ran; nothing as long as it waits for a place."""
        if self.seconds is not None:
            return self.seconds
        return 0.0 if self.started_at is None else max(now - self.started_at, 0.0)
