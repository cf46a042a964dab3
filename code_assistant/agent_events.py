"""Events about sub-agents; their order is told in `events`."""

from __future__ import annotations

from dataclasses import dataclass

from code_assistant.event_parts import AgentActivity, AgentMode, EndStatus, LiveStatus, Origin
from code_assistant.messages import Usage


@dataclass(frozen=True, slots=True)
class AgentSpawned:
    """A sub-agent exists, though it may have to wait for a free place.

    `definition` is the one it was made from, "self" for a copy of its parent, None for an ad-hoc agent. `ignored` names
    what was asked for and does not count.
    """

    origin: Origin
    label: str
    instructions: str
    mode: AgentMode
    definition: str | None
    model: str
    max_turns: int
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentStatusChanged:
    origin: Origin
    status: LiveStatus


@dataclass(frozen=True, slots=True)
class AgentActivityChanged:
    """What a sub-agent is busy with, while it is spawning or running."""

    origin: Origin
    activity: AgentActivity


@dataclass(frozen=True, slots=True)
class ReferenceRetry:
    """An answer's file references did not hold, so the sub-agent is asked to mend them. Attempts count from 1."""

    origin: Origin
    attempt: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessageDelivered:
    """Something said to an agent while it worked is in its history now."""

    origin: Origin
    sender: str
    text: str


@dataclass(frozen=True, slots=True)
class AgentFinished:
    """A sub-agent has ended. `answer` is what it found, whole or not; `warning` and `error` say what is wrong with it.

    `usage` and `cost` are its own, without those of its own sub-agents.
    """

    origin: Origin
    status: EndStatus
    answer: str
    turns: int
    tool_calls: int
    usage: Usage
    cost: float | None
    duration: float
    warning: str | None = None
    error: str | None = None
