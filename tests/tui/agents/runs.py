"""What sub-agents say of themselves, for tests of how that is shown."""

from __future__ import annotations

from code_assistant.events import (
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    BlockAdded,
    BudgetExhausted,
    Compacted,
    CompactionStarted,
    ContextMeasured,
    Display,
    Event,
    GuidanceAdded,
    MessageDelivered,
    Notice,
    Origin,
    OutputAdded,
    PermissionRequested,
    PermissionResolved,
    PromptFinished,
    PromptStarted,
    ReferenceRetry,
    RequestStarted,
    ResponseAdded,
    ResponseCut,
    ResponseStarted,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolResultsAdded,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Message, Response, Text, Thinking, ToolCall, Usage
from code_assistant.secrets import Masker
from code_assistant.tui.agents.feeds import PIECES
from code_assistant.tui.agents.record import AgentRecord
from code_assistant.tui.clean_text import CleanText

CLEAN = CleanText(Masker(("sk-secret-1",)))
CHILD = Origin("agent_1", "explore-1", 2, "main", "call_spawn", 3)


def a_record(number: int = 1, **facts: object) -> AgentRecord:
    values: dict[str, object] = {
        "id": f"call_{number}",
        "agent_id": f"agent_{number}",
        "parent_agent_id": "main",
        "name": f"explore-{number}",
        "colour": number - 1,
        "depth": 2,
        "label": f"Look for {number}",
        "instructions": f"Look for {number}, everywhere.",
        "mode": "read_only",
        "definition": "explore",
        "model": "sonnet",
        "max_turns": 40,
        "status": "running",
        "started_at": 100.0,
    }
    return AgentRecord(**(values | facts))  # type: ignore[arg-type]


def record_of_child() -> AgentRecord:
    return a_record(1, id="call_spawn", agent_id="agent_1")


def whole_run(cut: bool = False) -> list[Event]:
    """A bit of everything, in a valid order; one that is cut ends in the middle of a word."""
    said = [
        AgentSpawned(CHILD, "Look", "Look for the tax.", "read_only", "explore", "sonnet", 40),
        AgentStatusChanged(CHILD, "spawning"),
        PromptStarted(CHILD, "p0", Message("user", (Text("Look for the tax.\n\nWith references."),))),
        RequestStarted(CHILD, 1, "sonnet"),
        ResponseStarted(CHILD, "r1", "sonnet"),
        ThinkingDelta(CHILD, "Where "),
        ThinkingDelta(CHILD, "is it?"),
        BlockAdded(CHILD, Thinking("Where is it?", "signature")),
        TextDelta(CHILD, "I'll "),
        TextDelta(CHILD, "look. sk-sec"),
        TextDelta(CHILD, "ret-1\x1b"),
        BlockAdded(CHILD, Text("I'll look. sk-secret-1\x1b")),
        TextDelta(CHILD, "And "),
        TextDelta(CHILD, "run."),
        BlockAdded(CHILD, Text("And run.")),
        BlockAdded(CHILD, ToolCall("c1", "execute_command", {"command": "make"})),
        UsageAdded(CHILD, "sonnet", Usage(input=10, output=5), 0.01),
        ResponseAdded(CHILD, Response("r1", "sonnet", Message("assistant", (Text("And run."),)), "tool_use", Usage())),
        ToolStarted(CHILD, "c1", "execute_command", {"command": "make"}, "make"),
        PermissionRequested(CHILD, "q1", "c1", "execute_command", "run", "make", "text", None),
        PermissionResolved(CHILD, "q1", "c1", "once"),
        OutputAdded(CHILD, "c1", "one\ntw"),
        ToolProgress(CHILD, "c1", "50 %"),
        OutputAdded(CHILD, "c1", "o\nthree\n"),
        ToolFinished(
            CHILD, "c1", "execute_command", "success", Display("Ran make", "exit 0", "one\ntwo\nthree\n"), 1.0
        ),
        ToolResultsAdded(CHILD, Message("user", ())),
        CompactionStarted(CHILD, "nearly_full", 9_000),
        Compacted(CHILD, "nearly_full", 9_000, 1_200, ("a summary",), "Tax, sk-secret-1.", ()),
        ContextMeasured(CHILD, 1_200, 10_000),
        MessageDelivered(CHILD, "person", "Only the tests!"),
        MessageDelivered(CHILD, "parent", "Hurry."),
        GuidanceAdded(CHILD, "Answer now."),
        RequestStarted(CHILD, 2, "sonnet"),
        ResponseStarted(CHILD, "r2", "sonnet"),
        TextDelta(CHILD, "It is in "),
        TextDelta(CHILD, "`tax.py:4`."),
    ]
    if cut:
        kept = Message("assistant", (Text("It is in `tax.py:4`."),))
        said += [
            ResponseCut(CHILD, kept),
            GuidanceAdded(CHILD, "Interrupted."),
            PromptFinished(CHILD, "p0", "interrupted", "It is in", 2, 3.0),
            AgentFinished(CHILD, "cancelled", "It is in", 2, 1, Usage(input=10, output=5), 0.01, 3.0),
        ]
        return said
    said += [
        BlockAdded(CHILD, Text("It is in `tax.py:4`.")),
        ResponseAdded(CHILD, Response("r2", "sonnet", Message("assistant", (Text("It is"),)), "end_turn", Usage())),
        PromptFinished(CHILD, "p0", "completed", "It is in `tax.py:4`.", 2, 3.0),
        ReferenceRetry(CHILD, 1, ("tax.py:4: was not read",)),
        PromptStarted(CHILD, "p1", Message("user", (Text("Mend them."),))),
        RequestStarted(CHILD, 1, "sonnet"),
        TextDelta(CHILD, "It is in tax.py:5."),
        BlockAdded(CHILD, Text("It is in tax.py:5.")),
        Notice(CHILD, "info", "Something to know."),
        BudgetExhausted(CHILD, "total", 15, 10),
        PromptFinished(CHILD, "p1", "completed", "It is in tax.py:5.", 1, 1.0),
        AgentFinished(
            CHILD,
            "completed_with_warning",
            "It is in tax.py:5.",
            3,
            1,
            Usage(input=10, output=5),
            0.01,
            4.0,
            "Not verified: x",
        ),
    ]
    return said


def kept(events: list[Event]) -> tuple[Event, ...]:
    """Those of them that the session keeps."""
    return tuple(event for event in events if not isinstance(event, PIECES))
