"""What the person does with the blocks of sub-agents: cancel one, look into its tool calls, watch its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_assistant.tui.agents.agent_bridge import AgentBridge
from code_assistant.tui.agents.record import ToolLine
from code_assistant.tui.transcript.agent_block import AgentBlock
from code_assistant.tui.widgets.transcript_view import TranscriptView

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp


class AgentDesk:
    """Belongs to one conversation, as its bridge does."""

    def __init__(self, app: CodeAssistantApp, agents: AgentBridge, view: TranscriptView, *, folds: bool) -> None:
        self._app = app
        self._agents = agents
        self._view = view
        self._folds = folds
        agents.keeps_open = self._keeps_open
        agents.reads = self.read

    @property
    def has_live(self) -> bool:
        return self._agents.watcher.live_count > 0

    def cancel(self, tool_call_id: str) -> bool:
        """False when it is ending already, or has ended."""
        session = self._app.core.session
        return session is not None and session.cancel_agent(tool_call_id)

    def read(self, block: AgentBlock, line: ToolLine) -> None:
        """Fetch what an unfolded tool call holds; it is shown when it is there."""
        self._app.run_worker(self._read(block, line), group="reading a call", exit_on_error=False)

    def unfold(self, is_wanted: bool) -> None:
        """All that have ended, or fold them, but for those that the person has set by hand."""
        for block in self._view.transcript.blocks:
            if not isinstance(block, AgentBlock) or block.was_toggled or block.record.is_live:
                continue
            if block.is_expanded != is_wanted:
                block.is_expanded = is_wanted
                block.touch("header")
                self._view.transcript.touch(block)

    def tick(self, now: float) -> None:
        """Once in a while: the clocks of headers that can be seen."""
        if self.has_live:
            self._agents.tick(self._view.agents_in_sight(), now)

    async def _read(self, block: AgentBlock, line: ToolLine) -> None:
        session = self._app.core.session
        reader = session if session is not None else self._app.past.screen
        call, result = await reader.agent_tool(block.id, line.id)
        self._agents.read(block, line, call, result)

    def _keeps_open(self, block: AgentBlock) -> bool:
        return not self._folds or self._view.holds_focus(block)
