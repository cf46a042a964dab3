"""What the model is writing right now: the open block of text or of thought."""

from __future__ import annotations

from collections.abc import Callable

from code_assistant.messages import Block as ContentBlock
from code_assistant.messages import Text, Thinking
from code_assistant.tui.clean_text import CleanStream, CleanText
from code_assistant.tui.transcript.blocks import AnswerBlock, NoticeBlock, ThinkingBlock
from code_assistant.tui.transcript.transcript import Transcript

TAKEN_BACK = "The answer broke off here and was asked for again."


class Writing:
    def __init__(self, transcript: Transcript, clean: CleanText, clock: Callable[[], float]) -> None:
        self._transcript = transcript
        self._clean = clean
        self._clock = clock
        self._stream: CleanStream | None = None
        self._block: AnswerBlock | ThinkingBlock | None = None
        self._began = 0.0
        self._answers: list[AnswerBlock] = []

    @property
    def is_open(self) -> bool:
        return self._block is not None

    def begin(self) -> None:
        """What is written from now on belongs to one response."""
        self._answers.clear()

    def take_back(self) -> None:
        """The response broke off and is asked for again, so that what is there of its text must not stay."""
        self.end()
        for block in self._answers:
            self._transcript.replace(NoticeBlock(block.id, "info", TAKEN_BACK, block.stamp + 1))
        self._answers.clear()

    def add_text(self, text: str) -> None:
        block, stream = self._opened(AnswerBlock)
        self._append(block, stream.feed(text))

    def add_thinking(self, text: str) -> None:
        block, stream = self._opened(ThinkingBlock)
        self._append(block, stream.feed(text))

    def end_block(self, block: ContentBlock) -> None:
        """A block is complete; one that came in no pieces is shown whole."""
        if isinstance(block, Text) and not isinstance(self._block, AnswerBlock):
            self.add_text(block.text)
        elif isinstance(block, Thinking) and not isinstance(self._block, ThinkingBlock) and block.text:
            self.add_thinking(block.text)
        self.end()

    def end(self) -> None:
        block, stream = self._block, self._stream
        if block is None or stream is None:
            return
        self._append(block, stream.flush())
        if isinstance(block, AnswerBlock):
            block.finish()
        else:
            block.is_finished = True
            block.seconds = self._clock() - self._began
        self._transcript.touch(block)
        self._block = self._stream = None

    def _opened(self, kind: type[AnswerBlock] | type[ThinkingBlock]) -> tuple[AnswerBlock | ThinkingBlock, CleanStream]:
        if self._block is None or self._stream is None or not isinstance(self._block, kind):
            self.end()
            self._began = self._clock()
            self._stream = self._clean.stream()
            self._block = kind(self._transcript.new_id(kind.__name__))
            if isinstance(self._block, AnswerBlock):
                self._answers.append(self._block)
            self._transcript.add(self._block)
        return self._block, self._stream

    def _append(self, block: AnswerBlock | ThinkingBlock, text: str) -> None:
        if not text:
            return
        if isinstance(block, AnswerBlock):
            block.add(text)
        else:
            block.parts.append(text)
        self._transcript.touch(block)
