"""What the blocks of sub-agents tell the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from code_assistant.tui.agents.record import ToolLine
    from code_assistant.tui.transcript.agent_block import AgentBlock


class CancelWanted(Message):
    """The person wants one sub-agent to end."""

    def __init__(self, tool_call_id: str) -> None:
        super().__init__()
        self.tool_call_id = tool_call_id


class LineUnfolded(Message):
    """The arguments and the result of a tool call are wanted."""

    def __init__(self, block: AgentBlock, line: ToolLine) -> None:
        super().__init__()
        self.block = block
        self.line = line
