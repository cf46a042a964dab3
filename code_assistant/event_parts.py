"""What events are made of: who they come from, what tools say about themselves, and the fixed words in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from code_assistant.messages import Exact


@dataclass(frozen=True, slots=True)
class Origin:
    """Who an event comes from. Depth is absolute: the main agent is 1. Colours are numbers, for front ends to map."""

    agent_id: Exact[str]
    name: str
    depth: int
    parent_id: Exact[str] | None = None
    tool_call_id: Exact[str] | None = None
    colour: int | None = None


MAIN = Origin(agent_id="main", name="main", depth=1)


# What a detail is, so that a front end can colour it: plain text, a unified diff, or what a command printed.
DetailForm: TypeAlias = Literal["text", "diff", "output", "markdown"]
# What of a call is seen when it is over and nobody unfolds it: its title, the end of its output too, or all of it.
DetailStays: TypeAlias = Literal["folded", "tail", "whole"]
TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


@dataclass(frozen=True, slots=True)
class Display:
    """What a tool says about one of its calls: one title line, a short summary, and the detail on demand.

    `covers` names the arguments that the detail shows, too.
    """

    title: str
    summary: str = ""
    detail: str = ""
    form: DetailForm = "text"
    covers: tuple[str, ...] = ()
    stays: DetailStays = "folded"


@dataclass(frozen=True, slots=True)
class TodoItem:
    text: str
    status: TodoStatus


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers that a question offers."""

    label: str
    description: str = ""


ToolStatus: TypeAlias = Literal["success", "error", "denied", "interrupted"]
NoticeLevel: TypeAlias = Literal["info", "warning", "error"]
PermissionResolution: TypeAlias = Literal["once", "agent", "session", "denied", "withdrawn"]
QuestionResolution: TypeAlias = Literal["answered", "dismissed", "withdrawn"]
PlanResolution: TypeAlias = Literal["approved", "rejected", "withdrawn"]
Outcome: TypeAlias = Literal["completed", "turn_limit_reached", "budget_exhausted", "refused", "failed", "interrupted"]
AgentMode: TypeAlias = Literal["read_only", "default"]
LiveStatus: TypeAlias = Literal["queued", "spawning", "running", "waiting_permission", "idle", "shutting_down"]
EndStatus: TypeAlias = Literal[
    "completed",
    "completed_with_warning",
    "turn_limit_reached",
    "budget_exhausted",
    "cancelled",
    "failed",
    "timed_out",
    "interrupted",
]
AgentActivity: TypeAlias = Literal[
    "waiting for model", "responding", "running tools", "waiting for a rate limit", "compacting"
]
BudgetKind: TypeAlias = Literal["input", "output", "total"]
# Why a conversation is compacted: the person asked for it, there is little room left, or the service refused it.
CompactionReason: TypeAlias = Literal["asked", "nearly_full", "too_long"]
