"""From the events of sub-agents to their blocks in the transcript and to what the frame says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from code_assistant.events import Event, Notice, UsageAdded
from code_assistant.tui.agents.record import AgentRecord, ToolLine
from code_assistant.tui.agents.watcher import Change, Watcher
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.state import ScreenState
from code_assistant.tui.transcript.agent_block import AgentBlock
from code_assistant.tui.transcript.blocks import NoticeBlock, ToolBlock
from code_assistant.tui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from code_assistant.events import ToolFinished, ToolStarted


WAITING_FOR_AGENTS = "Waiting for sub-agents"


class AgentBridge:
    """`keeps_open` says whether a block must not fold by itself; `reads` gets what an unfolded tool call holds now."""

    def __init__(
        self, transcript: Transcript, state: ScreenState, clean: CleanText, clock: Callable[[], float]
    ) -> None:
        self._transcript = transcript
        self._state = state
        self._clean = clean
        self.watcher = Watcher(clean, clock)
        self.keeps_open: Callable[[AgentBlock], bool] = lambda _: False
        self.reads: Callable[[AgentBlock, ToolLine], None] = lambda _, __: None

    @property
    def records(self) -> dict[str, AgentRecord]:
        return self.watcher.records

    def take(self, event: Event) -> None:
        """An event of a sub-agent, whatever it is about."""
        record = self.records.get(event.origin.tool_call_id or "")
        waited = len(record.prompts) if record is not None else 0
        was_live = record is not None and record.is_live
        change = self.watcher.take(event)
        if record is not None:
            self._state.waiting_prompts += len(record.prompts) - waited
        if isinstance(event, UsageAdded) and was_live:
            self._count(event)
        elif isinstance(event, Notice):
            self._tell(event)
        if change is not None:
            self._show(change)
        self._state.running_agents = self.watcher.running_count
        self._state.queued_agents = self.watcher.live_count - self.watcher.running_count

    def adopt(self, older: AgentBridge) -> None:
        """Those that another bridge has shown, of what came before."""
        self.watcher.records = {**older.records, **self.records}

    def end_all(self) -> None:
        """The session is gone."""
        for record in self.watcher.end_all():
            self._show(Change(record, "ended"))
        self._state.running_agents = self._state.queued_agents = 0

    def block_of(self, tool_call_id: str) -> AgentBlock | None:
        block = self._transcript.find(tool_call_id)
        return block if isinstance(block, AgentBlock) else None

    def tick(self, blocks: Iterable[AgentBlock], now: float) -> None:
        """Clocks go on in these blocks."""
        for block in blocks:
            seconds = int(block.record.elapsed(now))
            delay = block.record.delay
            told = delay.words(now) if delay is not None else ""
            if seconds != block.seconds or told != block.delay:
                block.seconds, block.delay = seconds, told
                block.touch("header")
                self._transcript.touch(block)

    def read(self, block: AgentBlock, line: ToolLine, call: ToolStarted | None, result: ToolFinished | None) -> None:
        """What an unfolded tool call was called with and what it gave."""
        index = block.index_of(line.id)
        if line.id not in block.details or index is None:
            return
        clean = self._clean
        detail = ToolBlock(line.id, "", line.title, clean.arguments(call.input) if call is not None else ())
        if result is not None:
            detail.detail, detail.form = clean.text(result.display.detail), result.display.form
        block.details[line.id] = detail
        block.line_changed(index)
        self._transcript.touch(block)

    def _count(self, event: UsageAdded) -> None:
        state = self._state
        state.usage += event.usage
        state.cost = None if event.cost is None or state.cost is None else state.cost + event.cost

    def _tell(self, event: Notice) -> None:
        text = self._clean.text(f"{event.origin.name}: {event.text}")
        self._transcript.add(NoticeBlock(self._transcript.new_id("agent-notice"), event.level, text))

    def _show(self, change: Change) -> None:
        if change.news == "spawned":
            self._add(change.record)
            return
        block = self.block_of(change.record.id)
        if block is None:
            return
        match change.news:
            case "facts":
                block.touch("header")
            case "new line":
                block.line_added()
            case "line":
                # What waits or no longer does is said in the header, too.
                block.touch("header")
                block.line_changed(change.line)
                line = change.record.tools[change.line]
                if line.is_expanded and line.state not in ("running", "waiting"):
                    self.reads(block, line)
            case "text":
                block.touch("tail")
            case "ended":
                self._end(block)
        self._transcript.touch(block)

    def _add(self, record: AgentRecord) -> None:
        """In the place of the tool call that spawned it; behind everything where another agent did."""
        spawning = self._transcript.find(record.id)
        block = AgentBlock(record, self.watcher.name_of(record.parent_agent_id))
        if isinstance(spawning, ToolBlock):
            block = AgentBlock(record, block.parent_name, stamp=spawning.stamp + 1)
            self._state.activity = WAITING_FOR_AGENTS
            self._transcript.replace(block)
        elif spawning is None:
            self._transcript.add(block)

    def _end(self, block: AgentBlock) -> None:
        record = block.record
        block.seconds = int(record.elapsed(0))
        block.rooms.clear()
        block.answered(record.answer)
        for part in ("header", "prompts", "tail", "notes"):
            block.touch(part)
        for index in range(len(record.tools)):
            block.line_changed(index)
        if not block.is_opened_by_person and not self.keeps_open(block):
            block.is_expanded = False
