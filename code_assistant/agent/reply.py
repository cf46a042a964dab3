"""One response while it is being written: finished blocks, the open text, usage, how it ended."""

from __future__ import annotations

from typing import assert_never

from code_assistant.events import BlockAdded, Event, Origin, ResponseStarted, TextDelta, ThinkingDelta
from code_assistant.llm.provider import (
    BlockFinished,
    Delta,
    ResponseBegun,
    ResponseEnded,
    TextPiece,
    ThinkingPiece,
    UsageSeen,
)
from code_assistant.messages import Block, StopReason, Text, ToolCall, Usage


class Reply:
    """Collects the deltas of one response. Valid to read at any moment, also when the stream was cut."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._blocks: list[Block] = []
        self._open_text: list[str] = []
        self.id = ""
        self.model = ""
        self.usage = Usage()
        self.stop_reason: StopReason | None = None
        self.explanation: str | None = None

    def take(self, delta: Delta) -> Event | None:
        """Keep a delta; gives the event that shows it, where there is something to show."""
        match delta:
            case TextPiece(text):
                self._open_text.append(text)
                return TextDelta(self._origin, text)
            case ThinkingPiece(text):
                return ThinkingDelta(self._origin, text)
            case BlockFinished(block):
                self._blocks.append(block)
                self._open_text.clear()
                return BlockAdded(self._origin, block)
            case ResponseBegun(response_id, model):
                self.id, self.model = response_id, model
                return ResponseStarted(self._origin, response_id, model)
            case UsageSeen(usage):
                self.usage = usage
            case ResponseEnded(stop_reason, explanation):
                self.stop_reason, self.explanation = stop_reason, explanation
            case _:
                assert_never(delta)
        return None

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The finished blocks."""
        return tuple(self._blocks)

    @property
    def text(self) -> str:
        """All text so far, the open block's included."""
        return "".join(block.text for block in self.unfinished if isinstance(block, Text))

    @property
    def unfinished(self) -> tuple[Block, ...]:
        """What may be kept of a response that was cut off: its text and thinking so far, but no tool call."""
        said = tuple(block for block in self._blocks if not isinstance(block, ToolCall))
        return (*said, Text("".join(self._open_text)))
