"""An end for whatever was under way when the program died, as events: so what is shown and what is sent are whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from code_assistant.events import (
    AgentFinished,
    AgentSpawned,
    BlockAdded,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    DelayEnded,
    Display,
    Event,
    GuidanceAdded,
    Origin,
    PermissionRequested,
    PermissionResolved,
    PlanPresented,
    PlanResolved,
    PromptFinished,
    PromptStarted,
    QuestionAsked,
    QuestionResolved,
    RequestDelayed,
    RequestStarted,
    ResponseAdded,
    ResponseCut,
    TextDelta,
    ToolFinished,
    ToolResultsAdded,
    ToolStarted,
)
from code_assistant.messages import Block, Message, Text, ToolCall, ToolResult

DIED_RESULT = "This call was cut off: the program ended while it ran. What it did until then may stand."
DIED_SUMMARY = "interrupted"
DIED_LINE = "[The program ended here, in the middle of the work. The conversation was taken up again later.]"


class Unfinished:
    """What is open after some events of one agent; `ends` are the events that close it."""

    def __init__(self, origin: Origin, spawn_result: Callable[[AgentFinished], ToolResult]) -> None:
        """`spawn_result` is what the parent reads of a sub-agent that has ended."""
        self._origin = origin
        self._spawn_result = spawn_result
        self._prompt: PromptStarted | None = None
        self._started_at = 0.0
        self._last_at = 0.0
        self._turns = 0
        self._is_answering = False
        self._blocks: list[Block] = []
        self._text: list[str] = []
        self._calls: tuple[ToolCall, ...] = ()
        self._results: dict[str, ToolResult] = {}
        self._running: dict[str, ToolStarted] = {}
        self._waiting: dict[str, Event] = {}
        self._is_delayed = False
        self._is_compacting = False
        self.agents: dict[str, AgentSpawned] = {}
        self.answer = ""

    def take(self, event: Event, at: float) -> None:
        self._last_at = max(at, self._last_at)
        match event:
            case AgentSpawned():
                self.agents[event.origin.tool_call_id or ""] = event
            case AgentFinished():
                self.agents.pop(event.origin.tool_call_id or "", None)
                result = self._spawn_result(event)
                self._results[result.tool_call_id] = result
            case PromptStarted():
                self._prompt, self._started_at, self._turns, self.answer = event, at, 0, ""
            case PromptFinished():
                self._prompt = None
            case RequestStarted() | TextDelta() | BlockAdded() | ResponseAdded() | ResponseCut():
                self._take_response(event)
            case ToolStarted() | ToolFinished() | ToolResultsAdded():
                self._take_tool(event)
            case _:
                self._take_other(event)

    def _take_response(self, event: RequestStarted | TextDelta | BlockAdded | ResponseAdded | ResponseCut) -> None:
        match event:
            case RequestStarted(_, turn):
                self._turns = turn
                self._is_answering = True
                self._blocks, self._text = [], []
            case TextDelta(_, text):
                self._text.append(text)
            case BlockAdded(_, block):
                self._blocks.append(block)
                self._text.clear()
            case ResponseAdded(_, response):
                self._is_answering = False
                self._calls = response.message.tool_calls
                self.answer = response.message.text or self.answer
            case ResponseCut():
                self._is_answering = False

    def _take_tool(self, event: ToolStarted | ToolFinished | ToolResultsAdded) -> None:
        match event:
            case ToolStarted(_, call_id):
                self._running[call_id] = event
            case ToolFinished(_, call_id, result=result):
                self._running.pop(call_id, None)
                if result is not None:
                    self._results[call_id] = result
            case ToolResultsAdded():
                self._calls, self._results = (), {}

    def _take_other(self, event: Event) -> None:
        match event:
            case PermissionRequested() | QuestionAsked() | PlanPresented():
                self._waiting[event.request_id] = event
            case PermissionResolved() | QuestionResolved() | PlanResolved():
                self._waiting.pop(event.request_id, None)
            case RequestDelayed():
                self._is_delayed = True
            case DelayEnded():
                self._is_delayed = False
            case CompactionStarted():
                self._is_compacting = True
            case Compacted() | CompactionFailed():
                self._is_compacting = False
            case _:
                pass

    def ends(self) -> Iterator[Event]:
        """In the order in which they would have come; nothing where nothing is open."""
        if self._is_delayed:
            yield DelayEnded(self._origin)
        if self._is_compacting:
            yield CompactionFailed(self._origin, None)
        if self._is_answering:
            yield from self._cut()
        yield from (end for event in self._waiting.values() for end in _withdrawn(event))
        for started in self._running.values():
            yield ToolFinished(
                self._origin,
                started.tool_call_id,
                started.tool_name,
                "interrupted",
                Display(started.title, DIED_SUMMARY),
                0.0,
            )
        if self._calls:
            results = tuple(self._results.get(call.id) or _died(call) for call in self._calls)
            yield ToolResultsAdded(self._origin, Message("user", results))
        if self._prompt is not None:
            yield GuidanceAdded(self._origin, DIED_LINE)
            yield PromptFinished(
                self._origin,
                self._prompt.prompt_id,
                "interrupted",
                self.answer,
                self._turns,
                self._last_at - self._started_at,
            )

    def _cut(self) -> Iterator[Event]:
        said = (*(block for block in self._blocks if not isinstance(block, ToolCall)), Text("".join(self._text)))
        text = "".join(block.text for block in said if isinstance(block, Text))
        self.answer = (text.strip() and text) or self.answer
        kept = tuple(block for block in said if not (isinstance(block, Text) and not block.text.strip()))
        has_words = any(isinstance(block, Text) for block in kept)
        yield ResponseCut(self._origin, Message("assistant", kept) if has_words else None)


def unfinished(
    origin: Origin, events: Iterable[tuple[float, Event]], spawn_result: Callable[[AgentFinished], ToolResult]
) -> Unfinished:
    state = Unfinished(origin, spawn_result)
    for at, event in events:
        state.take(event, at)
    return state


def _died(call: ToolCall) -> ToolResult:
    return ToolResult(call.id, (Text(DIED_RESULT),), is_error=True)


def _withdrawn(event: Event) -> Iterator[Event]:
    match event:
        case PermissionRequested(origin, request_id, tool_call_id):
            yield PermissionResolved(origin, request_id, tool_call_id, "withdrawn")
        case QuestionAsked(origin, request_id, tool_call_id):
            yield QuestionResolved(origin, request_id, tool_call_id, "withdrawn")
        case PlanPresented(origin, request_id, tool_call_id):
            yield PlanResolved(origin, request_id, tool_call_id, "withdrawn")
        case _:
            pass
