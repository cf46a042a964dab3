"""Every event that leaves the core, and Origin, who it comes from. A closed union of frozen dataclasses.

Order, per origin: PromptStarted, then for each request RequestStarted, ResponseStarted once the model answers, per
content block its deltas before its BlockAdded, UsageAdded, and exactly one of ResponseAdded and ResponseCut. Then per
tool call ToolStarted before its ToolProgress and OutputAdded before its ToolFinished, then ToolResultsAdded.
GuidanceAdded comes before a RequestStarted or after an interruption. RequestDelayed comes before a RequestStarted, any
number of times: after a ResponseCut that is tried again, or while a rate limit holds everybody. Last of all
PromptFinished, exactly one for each PromptStarted, whatever happens; PromptReturned right before it. Events of
different origins interleave.

What waits for the person: PermissionRequested, QuestionAsked and PlanPresented each end in exactly one
PermissionResolved, QuestionResolved or PlanResolved with the same request id, before the ToolFinished of their call.

A sub-agent: AgentSpawned before any other event of its origin, AgentFinished after all of them, exactly one of each.
In between AgentStatusChanged and AgentActivityChanged whenever these change, and around them the events of its work, as
above. What a sub-agent was still doing when it ended is not published any more. Its origin names the tool call it was
spawned by, whose ToolStarted comes before AgentSpawned and whose ToolFinished comes after AgentFinished.

Compaction comes before a RequestStarted, or between PromptStarted and PromptFinished of its own: CompactionStarted, the
UsageAdded of what it asked the model, and exactly one of Compacted and CompactionFailed. ContextMeasured comes before a
RequestStarted, after a ResponseAdded and after Compacted, whenever the figure is another one.

The history is what PromptStarted, ResponseAdded, ResponseCut, ToolResultsAdded, GuidanceAdded
and MessageDelivered carry, in their order; neighbours of one role are joined, and a message without content stands for
nothing. Compacted and PromptReturned put their messages in the place of all that came before them. Rewound, which comes
only between prompts, takes out its prompt and all since.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from code_assistant.agent_events import (
    AgentActivityChanged,
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    MessageDelivered,
    ReferenceRetry,
)
from code_assistant.context_events import Compacted, CompactionFailed, CompactionStarted, ContextMeasured

# Whoever takes events needs what they are made of, too, so it can be had from here.
from code_assistant.event_parts import MAIN as MAIN
from code_assistant.event_parts import AgentActivity as AgentActivity
from code_assistant.event_parts import AgentMode as AgentMode
from code_assistant.event_parts import (
    BudgetKind,
    Choice,
    DetailForm,
    Display,
    NoticeLevel,
    Origin,
    Outcome,
    PermissionResolution,
    PlanResolution,
    QuestionResolution,
    TodoItem,
    ToolStatus,
)
from code_assistant.event_parts import CompactionReason as CompactionReason
from code_assistant.event_parts import DetailStays as DetailStays
from code_assistant.event_parts import EndStatus as EndStatus
from code_assistant.event_parts import LiveStatus as LiveStatus
from code_assistant.event_parts import TodoStatus as TodoStatus
from code_assistant.file_events import FilesRestored
from code_assistant.messages import Block, Exact, JsonObject, Message, Response, ToolResult, Usage


@dataclass(frozen=True, slots=True)
class PromptQueued:
    """A prompt waits because another one is being worked on."""

    origin: Origin
    prompt_id: Exact[str]
    text: str


@dataclass(frozen=True, slots=True)
class PromptWithdrawn:
    """A prompt was taken back, or interrupted, before it started."""

    origin: Origin
    prompt_id: Exact[str]


@dataclass(frozen=True, slots=True)
class PromptStarted:
    """The agent begins to work on a prompt; the message is in the history."""

    origin: Origin
    prompt_id: Exact[str]
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
    response_id: Exact[str]
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
    tool_call_id: Exact[str]
    tool_name: str
    input: JsonObject
    title: str


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """A line about a tool that is still running; the newest one counts."""

    origin: Origin
    tool_call_id: Exact[str]
    text: str


@dataclass(frozen=True, slots=True)
class OutputAdded:
    """A piece of what a running command prints. Where it prints too much to follow, pieces are left out, and said."""

    origin: Origin
    tool_call_id: Exact[str]
    text: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    origin: Origin
    tool_call_id: Exact[str]
    tool_name: str
    status: ToolStatus
    display: Display
    duration: float
    # What the model reads of it, for whoever must know before all of its round have ended.
    result: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class PermissionRefused:
    """A tool call was not allowed. Always before the ToolFinished of that call."""

    origin: Origin
    tool_call_id: Exact[str]
    tool_name: str
    reason: str


@dataclass(frozen=True, slots=True)
class PermissionRequested:
    """A tool call waits for the person's yes or no.

    `action` says in a few words what it wants to do, `detail` is the whole of it: the exact command, the diff, the
    address. `rule` is what an answer with "always" would store, None where there is nothing narrow enough, and
    `more_rules` are what it would store beside it: a command of several parts has a rule for each. `reason` is why it
    is asked, in words that go on after "asked because". `no_rule` is why nothing could be stored, in words that go on
    after a colon, empty where no rule would be narrow enough. `limits` is a sentence on what it cannot do,
    though it be allowed.
    """

    origin: Origin
    request_id: Exact[str]
    tool_call_id: Exact[str]
    tool_name: str
    action: str
    detail: str
    form: DetailForm
    rule: str | None
    more_rules: tuple[str, ...] = ()
    reason: str = ""
    no_rule: str = ""
    limits: str = ""


@dataclass(frozen=True, slots=True)
class PermissionResolved:
    """A permission prompt is gone: answered, or withdrawn because the tool call ended first."""

    origin: Origin
    request_id: Exact[str]
    tool_call_id: Exact[str]
    resolution: PermissionResolution
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The model asks the person. Free text is always an answer, too."""

    origin: Origin
    request_id: Exact[str]
    tool_call_id: Exact[str]
    question: str
    choices: tuple[Choice, ...]
    several: bool


@dataclass(frozen=True, slots=True)
class QuestionResolved:
    origin: Origin
    request_id: Exact[str]
    tool_call_id: Exact[str]
    resolution: QuestionResolution
    answer: str = ""


@dataclass(frozen=True, slots=True)
class PlanPresented:
    """The model has finished its plan and waits for the person to approve it, and to say into which mode."""

    origin: Origin
    request_id: Exact[str]
    tool_call_id: Exact[str]
    plan: str


@dataclass(frozen=True, slots=True)
class PlanResolved:
    """`mode` is the one that an approved plan goes on in, `feedback` what the person wants changed."""

    origin: Origin
    request_id: Exact[str]
    tool_call_id: Exact[str]
    resolution: PlanResolution
    mode: str | None = None
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class TodoChanged:
    """The whole todo list of an agent, as it is from now on."""

    origin: Origin
    items: tuple[TodoItem, ...]


@dataclass(frozen=True, slots=True)
class ToolResultsAdded:
    """The results of a response's tool calls are in the history, in request order."""

    origin: Origin
    message: Message


@dataclass(frozen=True, slots=True)
class ResponseCut:
    """An answer was interrupted or broke off; `message` is what the history keeps of it, None for nothing.

    One that `is_tried_again` counts for nothing: whatever was shown of it since its RequestStarted is taken back.
    """

    origin: Origin
    message: Message | None
    is_tried_again: bool = False


@dataclass(frozen=True, slots=True)
class RequestDelayed:
    """The next request leaves in `wait` seconds at the earliest, which for a rate limit holds for all agents.

    It will be attempt number `attempt` of at most `attempts`. `status` is the HTTP status that led to this, if any.
    """

    origin: Origin
    wait: float
    attempt: int
    attempts: int
    reason: str
    is_rate_limit: bool
    status: int | None = None


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
class ModelChanged:
    """The next request goes to another model."""

    origin: Origin
    model: str
    context_window: int


@dataclass(frozen=True, slots=True)
class BudgetExhausted:
    """No further request is sent: `usage` tokens were used where `limit` were allowed."""

    origin: Origin
    kind: BudgetKind
    usage: int
    limit: int


@dataclass(frozen=True, slots=True)
class DelayEnded:
    """The request that had to wait is on its way, or nobody waits for it any more."""

    origin: Origin


@dataclass(frozen=True, slots=True)
class PromptReturned:
    """Nothing came of a prompt, and it is out of the history again, so that the person can send it later.

    `messages` are the whole history from now on.
    """

    origin: Origin
    prompt_id: Exact[str]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Rewound:
    """The conversation is what it was before a prompt: that one and all that came after it are gone from it.

    What sub-agents and tools did meanwhile stays done; it is only not spoken of any more.
    """

    origin: Origin
    prompt_id: Exact[str]


@dataclass(frozen=True, slots=True)
class PromptFinished:
    """The work on a prompt ended. `answer` is the last text the model wrote, whole or not, empty for none.

    `is_answered` tells whether that was what its last response was for, rather than words on the way to something.
    """

    origin: Origin
    prompt_id: Exact[str]
    outcome: Outcome
    answer: str
    turns: int
    duration: float
    error: str | None = None
    error_kind: str | None = None
    is_answered: bool = False


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
    | OutputAdded
    | ToolFinished
    | PermissionRequested
    | PermissionResolved
    | PermissionRefused
    | QuestionAsked
    | QuestionResolved
    | PlanPresented
    | PlanResolved
    | TodoChanged
    | ToolResultsAdded
    | ResponseCut
    | RequestDelayed
    | DelayEnded
    | GuidanceAdded
    | ContextMeasured
    | CompactionStarted
    | Compacted
    | CompactionFailed
    | FilesRestored
    | Notice
    | ModeChanged
    | ModelChanged
    | AgentSpawned
    | AgentStatusChanged
    | AgentActivityChanged
    | BudgetExhausted
    | ReferenceRetry
    | MessageDelivered
    | AgentFinished
    | PromptReturned
    | Rewound
    | PromptFinished
)
