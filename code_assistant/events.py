"""Every event that leaves the core, and Origin, who it comes from. A closed union of frozen dataclasses.

Order, per origin: PromptStarted, then for each request RequestStarted, ResponseStarted once the model answers, per
content block its deltas before its BlockAdded, UsageAdded, and exactly one of ResponseAdded and ResponseCut. Then per
tool call ToolStarted before its ToolProgress before its ToolFinished, then ToolResultsAdded. GuidanceAdded comes
before a RequestStarted or after an interruption. Last of all PromptFinished, exactly one for each PromptStarted,
whatever happens. Events of different origins interleave.

The history is what PromptStarted, ResponseAdded, ResponseCut, ToolResultsAdded and GuidanceAdded carry, in their order;
neighbours of one role are joined, and a message without content stands for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from code_assistant.messages import Block, JsonObject, Message, Response, Usage


@dataclass(frozen=True, slots=True)
class Origin:
    """Who an event comes from. Depth is absolute: the main agent is 1."""

    agent_id: str
    name: str
    depth: int
    parent_id: str | None = None
    tool_call_id: str | None = None


MAIN = Origin(agent_id="main", name="main", depth=1)


@dataclass(frozen=True, slots=True)
class Display:
    """What a tool says about one of its calls: one title line, a short summary, and the detail on demand."""

    title: str
    summary: str = ""
    detail: str = ""


ToolStatus: TypeAlias = Literal["success", "error", "denied", "interrupted"]
NoticeLevel: TypeAlias = Literal["info", "warning", "error"]
Outcome: TypeAlias = Literal["completed", "turn_limit_reached", "refused", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class PromptQueued:
    """A prompt waits because another one is being worked on."""

    origin: Origin
    prompt_id: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptWithdrawn:
    """A prompt was taken back, or interrupted, before it started."""

    origin: Origin
    prompt_id: str


@dataclass(frozen=True, slots=True)
class PromptStarted:
    """The agent begins to work on a prompt; the message is in the history."""

    origin: Origin
    prompt_id: str
    message: Message


@dataclass(frozen=True, slots=True)
class RequestStarted:
    """A request leaves for the model. Turns count the requests of one prompt, from 1."""

    origin: Origin
    turn: int
    model: str


@dataclass(frozen=True, slots=True)
class ResponseStarted:
    """The model begins to answer."""

    origin: Origin
    response_id: str
    model: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer being written."""

    origin: Origin
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of the reasoning being written."""

    origin: Origin
    text: str


@dataclass(frozen=True, slots=True)
class BlockAdded:
    """A content block of the answer is complete: a text, a piece of reasoning, or a tool call about to be run."""

    origin: Origin
    block: Block


@dataclass(frozen=True, slots=True)
class UsageAdded:
    """Tokens that one response used, also a failed or interrupted one. Cost is None where prices are unknown."""

    origin: Origin
    model: str
    usage: Usage
    cost: float | None


@dataclass(frozen=True, slots=True)
class ResponseAdded:
    """A response is complete. Its message is what the history keeps of it, which may be nothing."""

    origin: Origin
    response: Response


@dataclass(frozen=True, slots=True)
class ToolStarted:
    origin: Origin
    tool_call_id: str
    tool_name: str
    input: JsonObject
    title: str


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """A line about a tool that is still running; the newest one counts."""

    origin: Origin
    tool_call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    origin: Origin
    tool_call_id: str
    tool_name: str
    status: ToolStatus
    display: Display
    duration: float


@dataclass(frozen=True, slots=True)
class PermissionRefused:
    """A tool call was not allowed. Always before the ToolFinished of that call."""

    origin: Origin
    tool_call_id: str
    tool_name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ToolResultsAdded:
    """The results of a response's tool calls are in the history, in request order."""

    origin: Origin
    message: Message


@dataclass(frozen=True, slots=True)
class ResponseCut:
    """An answer was interrupted or broke off; `message` is what the history keeps of it, None for nothing."""

    origin: Origin
    message: Message | None


@dataclass(frozen=True, slots=True)
class GuidanceAdded:
    """A line of the program's own, for the model, is in the history: go on, answer now, interrupted here."""

    origin: Origin
    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the person should know, in their words."""

    origin: Origin
    level: NoticeLevel
    text: str


@dataclass(frozen=True, slots=True)
class ModeChanged:
    origin: Origin
    mode: str


@dataclass(frozen=True, slots=True)
class PromptFinished:
    """The work on a prompt ended. `answer` is the last text the model wrote, whole or not, empty for none."""

    origin: Origin
    prompt_id: str
    outcome: Outcome
    answer: str
    turns: int
    duration: float
    error: str | None = None
    error_kind: str | None = None


Event: TypeAlias = (
    PromptQueued
    | PromptWithdrawn
    | PromptStarted
    | RequestStarted
    | ResponseStarted
    | TextDelta
    | ThinkingDelta
    | BlockAdded
    | UsageAdded
    | ResponseAdded
    | ToolStarted
    | ToolProgress
    | ToolFinished
    | PermissionRefused
    | ToolResultsAdded
    | ResponseCut
    | GuidanceAdded
    | Notice
    | ModeChanged
    | PromptFinished
)
