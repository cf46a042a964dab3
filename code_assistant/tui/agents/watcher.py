"""Watches sub-agents: from the events of each to what the screen knows of it. Pure data, no screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from code_assistant.events import (
    AgentActivityChanged,
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    BlockAdded,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    DelayEnded,
    Event,
    MessageDelivered,
    PermissionRequested,
    PermissionResolved,
    PlanPresented,
    PlanResolved,
    QuestionAsked,
    QuestionResolved,
    ReferenceRetry,
    RequestDelayed,
    RequestStarted,
    ResponseCut,
    ResponseStarted,
    TextDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Text
from code_assistant.tui.agents.record import AgentRecord, ToolLine
from code_assistant.tui.clean_text import CleanStream, CleanText
from code_assistant.tui.compactions import DONE, FAILED, RUNNING, CompactionEvent, sizes
from code_assistant.tui.delay import Delay
from code_assistant.tui.transcript.blocks import OURS

# What is kept of a text that is being written; more than this is cut down, to half of it so that it is seldom done.
TAIL_CHARACTERS = 2_000
LINE_CHARACTERS = 300

News: TypeAlias = Literal["spawned", "facts", "new line", "line", "text", "ended"]


class Change(NamedTuple):
    """What is different now: of which agent, what, and for a line which one."""

    record: AgentRecord
    news: News
    line: int = 0


class Watcher:
    """Takes every event of every sub-agent once, in order. An agent that has ended says nothing more."""

    def __init__(self, clean: CleanText, clock: Callable[[], float]) -> None:
        self._clean = clean
        self._clock = clock
        # By the tool call that spawned them, in the order in which they came to be.
        self.records: dict[str, AgentRecord] = {}
        self.live_count = 0
        # Those of them that have a place.
        self.running_count = 0
        self._streams: dict[str, CleanStream] = {}
        # Whose next words begin a new text.
        self._afresh: set[str] = set()

    @property
    def live(self) -> list[AgentRecord]:
        return [record for record in self.records.values() if record.is_live]

    def name_of(self, agent_id: str | None) -> str:
        """The name of a sub-agent; empty for the main agent and for strangers."""
        return next((record.name for record in self.records.values() if record.agent_id == agent_id), "")

    def take(self, event: Event) -> Change | None:
        """What has changed; None when nothing that is shown has."""
        if isinstance(event, AgentSpawned):
            return self._spawned(event)
        record = self.records.get(event.origin.tool_call_id or "")
        if record is None or not record.is_live:
            return None
        match event:
            case TextDelta() | BlockAdded():
                return self._written(record, event)
            case ToolStarted() | ToolProgress() | ToolFinished():
                return self._tool(record, event)
            case CompactionStarted() | Compacted() | CompactionFailed():
                return self._compaction(record, event)
            case PermissionRequested() | QuestionAsked() | PlanPresented():
                record.prompts.append(event.request_id)
                return self._set_state(record, event.tool_call_id, "waiting")
            case PermissionResolved() | QuestionResolved() | PlanResolved():
                if event.request_id in record.prompts:
                    record.prompts.remove(event.request_id)
                return self._set_state(record, event.tool_call_id, "running")
            case AgentFinished():
                return self._finished(record, event)
            case ResponseCut(_, _, True):
                self._streams.pop(record.id, None)
                record.tail = ""
                return Change(record, "text")
            case _:
                return Change(record, "facts") if self._learn(record, event) else None

    def end_all(self) -> list[AgentRecord]:
        """The session is gone, and with it whoever still lived."""
        ended = self.live
        for record in ended:
            record.seconds = record.elapsed(self._clock())
            record.status = "interrupted"
            self._let_go(record)
        return ended

    def _spawned(self, event: AgentSpawned) -> Change | None:
        origin, clean = event.origin, self._clean
        if origin.tool_call_id is None or origin.tool_call_id in self.records:
            return None
        record = AgentRecord(
            id=origin.tool_call_id,
            agent_id=origin.agent_id,
            parent_agent_id=origin.parent_id,
            name=clean.line(origin.name),
            colour=origin.colour or 0,
            depth=origin.depth,
            label=" ".join(clean.line(event.label)[:LINE_CHARACTERS].split()),
            instructions=clean.text(event.instructions),
            mode=event.mode,
            definition=None if event.definition is None else clean.line(event.definition),
            model=clean.line(event.model),
            max_turns=event.max_turns,
            ignored=tuple(map(clean.line, event.ignored)),
        )
        self.records[record.id] = record
        self.live_count += 1
        return Change(record, "spawned")

    def _learn(self, record: AgentRecord, event: Event) -> bool:
        """Whether it was about something that is shown."""
        match event:
            case AgentStatusChanged(_, status):
                record.status = status
                if status != "queued" and record.started_at is None:
                    record.started_at = self._clock()
                    self.running_count += 1
            case AgentActivityChanged(_, activity):
                record.activity = activity
            case RequestStarted(_, turn):
                record.turn = turn
            case RequestDelayed():
                record.delay = Delay.from_event(event, self._clock())
            case DelayEnded():
                record.delay = None
            case ResponseStarted():
                self._afresh.add(record.id)
                return False
            case UsageAdded(_, _, usage, cost):
                record.usage += usage
                record.cost = None if record.cost is None or cost is None else record.cost + cost
            case ReferenceRetry(_, attempt):
                record.mending = attempt
            case MessageDelivered(_, _, text):
                for said in {text, self._clean.text(text)} & set(record.unread):
                    record.unread.remove(said)
            case _:
                return False
        return True

    # What it writes

    def _written(self, record: AgentRecord, event: TextDelta | BlockAdded) -> Change | None:
        if isinstance(event, TextDelta):
            stream = self._streams.setdefault(record.id, self._clean.stream())
            text = stream.feed(event.text)
        elif isinstance(event.block, Text):
            stream = self._streams.pop(record.id, None)
            # One that came in no pieces is shown whole.
            text = stream.flush() if stream is not None else self._clean.text(event.block.text)
        else:
            return None
        if not text:
            return None
        before = "" if record.id in self._afresh else record.tail
        self._afresh.discard(record.id)
        record.tail = _end_of(before + text[-TAIL_CHARACTERS:])
        if isinstance(event, BlockAdded):
            self._afresh.add(record.id)
        return Change(record, "text")

    # Its tool calls

    def _tool(self, record: AgentRecord, event: ToolStarted | ToolProgress | ToolFinished) -> Change | None:
        if isinstance(event, ToolStarted):
            record.tools.append(ToolLine(event.tool_call_id, self._line(event.title)))
            return Change(record, "new line", len(record.tools) - 1)
        index = _index(record, event.tool_call_id)
        if index is None:
            return None
        line = record.tools[index]
        if isinstance(event, ToolProgress):
            line.summary = self._line(event.text)
        else:
            line.state = event.status
            line.title, line.summary = self._line(event.display.title), self._line(event.display.summary)
        return Change(record, "line", index)

    def _compaction(self, record: AgentRecord, event: CompactionEvent) -> Change | None:
        """A line among those of its tool calls: from there on it remembers less."""
        if isinstance(event, CompactionStarted):
            record.tools.append(ToolLine(f"{OURS}compaction-{len(record.tools)}", RUNNING, is_call=False))
            return Change(record, "new line", len(record.tools) - 1)
        line = record.tools[-1] if record.tools else None
        if line is None or line.is_call:
            return None
        if isinstance(event, Compacted):
            line.state, line.title, line.summary = "success", DONE, sizes(event)
        else:
            line.state, line.title = "interrupted" if event.error is None else "error", FAILED
            line.summary = self._line(event.error or "interrupted")
        return Change(record, "line", len(record.tools) - 1)

    def _set_state(self, record: AgentRecord, tool_call_id: str, state: Literal["running", "waiting"]) -> Change:
        index = _index(record, tool_call_id)
        if index is None:
            return Change(record, "facts")
        line = record.tools[index]
        if line.state in ("running", "waiting"):
            line.state = state
        return Change(record, "line", index)

    def _line(self, text: str) -> str:
        return self._clean.line(text)[:LINE_CHARACTERS]

    # Its end

    def _finished(self, record: AgentRecord, event: AgentFinished) -> Change:
        record.status = event.status
        record.seconds = event.duration
        record.usage, record.cost = event.usage, event.cost
        record.answer = self._clean.text(event.answer)
        record.warning, record.error = self._clean.text(event.warning or ""), self._clean.text(event.error or "")
        self._let_go(record)
        return Change(record, "ended")

    def _let_go(self, record: AgentRecord) -> None:
        """Nothing is kept that only a live agent needs."""
        self.live_count -= 1
        self.running_count -= record.started_at is not None
        record.tail, record.activity = "", ""
        record.prompts.clear()
        for line in record.tools:
            if line.state in ("running", "waiting"):
                line.state = "interrupted"
        self._streams.pop(record.id, None)
        self._afresh.discard(record.id)


def _index(record: AgentRecord, tool_call_id: str) -> int | None:
    """Where a tool call stands; those that are still busy are among the last."""
    tools = record.tools
    return next((index for index in range(len(tools) - 1, -1, -1) if tools[index].id == tool_call_id), None)


def _end_of(text: str) -> str:
    """Cut at a place that stays, so that what is shown of it does not flow anew with every word."""
    if len(text) <= TAIL_CHARACTERS:
        return text
    end = text[-TAIL_CHARACTERS // 2 :]
    cut = end.find("\n") if "\n" in end else end.find(" ")
    return end[cut + 1 :]
