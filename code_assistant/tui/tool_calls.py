"""Tool calls on their way from events to blocks, of the main agent or of another."""

from __future__ import annotations

from typing import TypeAlias

from code_assistant.events import OutputAdded, ToolFinished, ToolProgress, ToolStarted
from code_assistant.tui.clean_text import CleanStream, CleanText
from code_assistant.tui.transcript.blocks import ToolBlock
from code_assistant.tui.transcript.transcript import Transcript

ToolEvent: TypeAlias = ToolStarted | ToolProgress | OutputAdded | ToolFinished


class ToolCalls:
    def __init__(self, transcript: Transcript, clean: CleanText) -> None:
        self._transcript = transcript
        self._clean = clean
        self._outputs: dict[str, CleanStream] = {}

    def take(self, event: ToolEvent) -> None:
        if isinstance(event, ToolStarted):
            title = self._clean.line(event.title)
            arguments = self._clean.arguments(event.input)
            self._transcript.add(ToolBlock(event.tool_call_id, event.tool_name, title, arguments))
            return
        block = self.find(event.tool_call_id)
        if block is None:
            return
        match event:
            case ToolProgress(_, _, text):
                block.progress = self._clean.line(text)
            case OutputAdded(_, _, text):
                block.output.add(self._outputs.setdefault(block.id, self._clean.stream()).feed(text))
            case ToolFinished(_, _, _, status, display):
                if (output := self._outputs.pop(block.id, None)) is not None:
                    block.output.add(output.flush())
                block.state = status
                block.title = self._clean.line(display.title)
                block.summary = self._clean.line(display.summary)
                block.detail = self._clean.text(display.detail)
                block.form, block.stays = display.form, display.stays
                covered = {self._clean.line(name) for name in display.covers}
                block.arguments = tuple(each for each in block.arguments if each[0] not in covered)
                block.is_expanded |= display.stays == "whole" and not block.was_toggled
                block.room = 0
        self._transcript.touch(block)

    def set_waiting(self, tool_call_id: str, *, is_waiting: bool) -> None:
        """A prompt of this call waits for the person, or no longer does."""
        block = self.find(tool_call_id)
        if block is not None:
            block.state = "waiting" if is_waiting else "running"
            self._transcript.touch(block)

    def find(self, tool_call_id: str) -> ToolBlock | None:
        block = self._transcript.find(tool_call_id)
        return block if isinstance(block, ToolBlock) else None
