"""From the events of one sub-agent to the blocks of its own transcript."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from code_assistant.events import (
    AgentActivityChanged,
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    BlockAdded,
    BudgetExhausted,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    ContextMeasured,
    DelayEnded,
    Event,
    FilesRestored,
    GuidanceAdded,
    MessageDelivered,
    ModeChanged,
    ModelChanged,
    Notice,
    NoticeLevel,
    OutputAdded,
    PermissionRefused,
    PermissionRequested,
    PermissionResolved,
    PlanPresented,
    PlanResolved,
    PromptFinished,
    PromptQueued,
    PromptReturned,
    PromptStarted,
    PromptWithdrawn,
    QuestionAsked,
    QuestionResolved,
    ReferenceRetry,
    RequestDelayed,
    RequestStarted,
    ResponseAdded,
    ResponseCut,
    ResponseStarted,
    Rewound,
    TextDelta,
    ThinkingDelta,
    TodoChanged,
    ToolFinished,
    ToolProgress,
    ToolResultsAdded,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Block, Text
from code_assistant.tui.agents.words import end_level, end_words
from code_assistant.tui.bridge import said
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.compactions import Compactions
from code_assistant.tui.frame import numbers
from code_assistant.tui.tool_calls import ToolCalls
from code_assistant.tui.transcript.blocks import NoticeBlock, PersonBlock
from code_assistant.tui.transcript.transcript import Transcript
from code_assistant.tui.writing import Writing

INSTRUCTIONS = "instructions"
PERSON = "person"


class AgentTranscript:
    """Takes every event of its agent once, in order. Events as they were kept give the same as when they came.

    The one difference: of an answer that broke off by a fault, nothing is kept, so it is seen only by those who
    were there.
    """

    def __init__(self, transcript: Transcript, clean: CleanText, clock: Callable[[], float]) -> None:
        self._transcript = transcript
        self._clean = clean
        self._writing = Writing(transcript, clean, clock)
        self._tools = ToolCalls(transcript, clean)
        self._compactions = Compactions(transcript, clean)
        self._texts = 0
        self._count = 0

    def take(self, event: Event) -> None:
        match event:
            case TextDelta(_, text):
                self._writing.add_text(text)
            case ThinkingDelta(_, text):
                self._writing.add_thinking(text)
            case BlockAdded(_, block):
                self._end_block(block)
            case RequestStarted():
                self._writing.begin()
                self._texts = 0
            case ResponseAdded() | PromptFinished():
                self._writing.end()
            case ResponseCut(_, _, True):
                self._writing.take_back()
            case ResponseCut():
                self._end_cut(event)
            case ToolStarted() | ToolProgress() | OutputAdded() | ToolFinished():
                self._tools.take(event)
            case PermissionRequested() | QuestionAsked() | PlanPresented():
                self._tools.set_waiting(event.tool_call_id, is_waiting=True)
            case PermissionResolved() | QuestionResolved() | PlanResolved():
                self._tools.set_waiting(event.tool_call_id, is_waiting=False)
            case CompactionStarted() | Compacted() | CompactionFailed():
                self._compactions.take(event)
            case AgentSpawned() | PromptStarted() | MessageDelivered():
                self._take_words(event)
            case Notice() | ReferenceRetry() | BudgetExhausted() | AgentFinished():
                self._take_notice(event)
            case (
                PromptQueued()
                | PromptWithdrawn()
                | PromptReturned()
                | Rewound()
                | RequestDelayed()
                | DelayEnded()
                | ResponseStarted()
                | UsageAdded()
                | ToolResultsAdded()
                | GuidanceAdded()
                | ContextMeasured()
                | PermissionRefused()
                | TodoChanged()
                | ModeChanged()
                | ModelChanged()
                | AgentStatusChanged()
                | AgentActivityChanged()
                | FilesRestored()
            ):
                # They stand in the header or in a tool's own line, or are between the program and the model.
                pass
            case _:
                assert_never(event)

    def say(self, level: NoticeLevel, text: str) -> None:
        """Something about the agent that none of its events says."""
        self._writing.end()
        self._transcript.add(NoticeBlock(self._new_id("notice"), level, self._clean.text(text)))

    def add_words(self, text: str) -> None:
        """Words of the person."""
        self._writing.end()
        self._transcript.add(PersonBlock(self._new_id("message"), self._clean.text(text)))

    def _end_block(self, block: Block) -> None:
        if isinstance(block, Text) and block.text.strip():
            self._texts += 1
        self._writing.end_block(block)

    def _end_cut(self, event: ResponseCut) -> None:
        """The text that was open is known from its pieces or, where those were not kept, from what is left of it."""
        if self._writing.is_open or event.message is None:
            self._writing.end()
            return
        texts = [block for block in event.message.content if isinstance(block, Text) and block.text.strip()]
        for text in texts[self._texts :]:
            self._writing.end_block(text)

    def _take_words(self, event: AgentSpawned | PromptStarted | MessageDelivered) -> None:
        match event:
            case AgentSpawned(_, _, instructions):
                self._transcript.add(PersonBlock(INSTRUCTIONS, self._clean.text(instructions)))
            case PromptStarted(_, prompt_id, message):
                first = self._transcript.find(INSTRUCTIONS)
                if not isinstance(first, PersonBlock) or self._transcript.blocks[-1] is not first:
                    self._transcript.add(PersonBlock(prompt_id, self._clean.text(said(message))))
                else:
                    # What was sent is more than what was asked for, where references are required.
                    first.text = self._clean.text(said(message))
                    self._transcript.touch(first)
            case MessageDelivered(_, sender, text):
                if sender == PERSON:
                    self.add_words(text)
                else:
                    self.say("info", f"From {sender}: {text}")

    def _take_notice(self, event: Notice | ReferenceRetry | BudgetExhausted | AgentFinished) -> None:
        match event:
            case Notice(_, level, text):
                self.say(level, text)
            case ReferenceRetry(_, attempt, problems):
                listed = "\n".join(problems)
                self.say("warning", f"File references did not hold, asked to mend them ({attempt}):\n{listed}")
            case BudgetExhausted(_, kind, usage, limit):
                self.say("warning", f"Its budget is used up: {usage:,} {kind} tokens of {limit:,}.")
            case AgentFinished():
                facts = [
                    numbers.counted(event.turns, "turn"),
                    numbers.counted(event.tool_calls, "tool call"),
                    numbers.tokens(event.usage.total),
                    numbers.clock(event.duration),
                ]
                told = [f"{end_words(event.status)} · {' · '.join(facts)}", event.warning or "", event.error or ""]
                self.say(end_level(event.status), "\n".join(filter(None, told)))

    def _new_id(self, kind: str) -> str:
        self._count += 1
        return f"{kind}-{self._count}"
