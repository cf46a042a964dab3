"""Compactions on their way from events to blocks, of the main agent or of another."""

from __future__ import annotations

from typing import TypeAlias

from code_assistant.events import Compacted, CompactionFailed, CompactionStarted
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.frame import numbers
from code_assistant.tui.transcript.blocks import ToolBlock
from code_assistant.tui.transcript.transcript import Transcript

CompactionEvent: TypeAlias = CompactionStarted | Compacted | CompactionFailed

RUNNING = "Compacting the conversation"
DONE = "Compacted the conversation"
FAILED = "The conversation was not compacted"


def sizes(event: Compacted) -> str:
    """`170k → 12.3k tok`."""
    return f"{numbers.short(event.tokens_before)} → {numbers.tokens(event.tokens_after)}"


class Compactions:
    """Each is a line that unfolds to the summary, as a tool call's is; there is one at a time."""

    def __init__(self, transcript: Transcript, clean: CleanText) -> None:
        self._transcript = transcript
        self._clean = clean
        self._id = ""

    def take(self, event: CompactionEvent) -> None:
        if isinstance(event, CompactionStarted):
            self._id = self._transcript.new_id("compaction")
            self._transcript.add(ToolBlock(self._id, "", RUNNING))
            return
        block = self._transcript.find(self._id)
        if not isinstance(block, ToolBlock):
            return
        if isinstance(event, Compacted):
            kept = ", ".join(event.kept)
            block.state, block.title, block.form = "success", DONE, "markdown"
            block.summary = self._clean.line(f"{sizes(event)} · kept: {kept}")
            block.detail = self._clean.text(f"Kept: {kept}.\n\n{event.summary}".rstrip())
        elif event.error is None:
            block.state, block.title, block.summary = "interrupted", FAILED, "interrupted"
        else:
            block.state, block.title = "error", FAILED
            block.summary, block.detail = self._clean.line(event.error), self._clean.text(event.error)
        self._transcript.touch(block)
