"""From events to what is shown: blocks of the transcript and the state of the frame. The only place that knows both."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias, assert_never

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
from code_assistant.messages import Image, Message, Text
from code_assistant.permissions.modes import PERMISSION_MODES
from code_assistant.tui.agents.agent_bridge import AgentBridge
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.compactions import RUNNING, CompactionEvent, Compactions
from code_assistant.tui.delay import Delay
from code_assistant.tui.state import ScreenState
from code_assistant.tui.tool_calls import ToolCalls, ToolEvent
from code_assistant.tui.transcript.blocks import NoticeBlock, PersonBlock
from code_assistant.tui.transcript.transcript import Transcript
from code_assistant.tui.writing import Writing

PromptEvent: TypeAlias = (
    PermissionRequested | QuestionAsked | PlanPresented | PermissionResolved | QuestionResolved | PlanResolved
)
WAITING_FOR_MODEL = "Waiting for the model"
ASKING_PERSON = "Asking you"
TRYING = " Trying again, "
RETURNED_HINT = "What you wrote is back in the input."
RETRY_HINT = "Press Enter to try again, or write something else."


class Bridge:
    """Takes every event once, in order; what it changes is seen at the next paint."""

    def __init__(
        self,
        transcript: Transcript,
        state: ScreenState,
        clean: CleanText,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.transcript = self._transcript = transcript
        self._state = state
        self._clean = clean
        self._clock = clock
        self._writing = Writing(transcript, clean, clock)
        self._tools = ToolCalls(transcript, clean)
        self._compactions = Compactions(transcript, clean)
        self.agents = AgentBridge(transcript, state, clean, clock)
        self._prompt_id = ""
        self._delay_notice: NoticeBlock | None = None
        self._is_returned = False
        # What goes on when the person has answered, and how many answers that takes.
        self._paused = ""
        self._open_prompts = 0
        self.last_answer = ""
        self.is_last_cut = False

    def take(self, event: Event) -> None:
        if event.origin.depth > 1:
            self.agents.take(event)
            return
        match event:
            case TextDelta(_, text):
                self._writing.add_text(text)
                self._state.open_characters += len(text)
                self._state.activity = "Writing"
            case ThinkingDelta(_, text):
                self._writing.add_thinking(text)
                self._state.open_characters += len(text)
                self._state.activity = "Thinking"
            case BlockAdded(_, block):
                self._writing.end_block(block)
            case ToolStarted() | ToolProgress() | OutputAdded() | ToolFinished():
                self._take_tool(event)
            case PromptQueued() | PromptWithdrawn() | PromptStarted() | PromptFinished():
                self._take_prompt(event)
            case RequestStarted() | ResponseStarted() | UsageAdded() | ResponseAdded() | ResponseCut():
                self._take_response(event)
            case RequestDelayed():
                self._take_delay(event)
            case DelayEnded():
                self._state.delay = None
            case PermissionRequested() | QuestionAsked() | PlanPresented():
                self._set_waiting(event, is_waiting=True)
            case PermissionResolved() | QuestionResolved() | PlanResolved():
                self._set_waiting(event, is_waiting=False)
            case TodoChanged(_, items):
                self._state.todo = tuple(replace(item, text=self._clean.line(item.text)) for item in items)
            case ModeChanged(_, mode):
                self._state.mode = next(each for each in PERMISSION_MODES if each == mode)
            case ModelChanged(_, model, context_window):
                self._state.model, self._state.context_window = self._clean.line(model), context_window
            case ContextMeasured(_, tokens, window):
                self._state.context_tokens, self._state.context_window = tokens, window
            case CompactionStarted() | Compacted() | CompactionFailed():
                self._take_compaction(event)
            case Notice(_, level, text):
                self._transcript.add(NoticeBlock(self._transcript.new_id("notice"), level, self._clean.text(text)))
            case FilesRestored():
                words = self._clean.text(event.words)
                self._transcript.add(NoticeBlock(self._transcript.new_id("notice"), "info", words))
            case PermissionRefused() | ToolResultsAdded() | GuidanceAdded():
                # What they say stands in the tool's own line, or is between the program and the model.
                pass
            case AgentSpawned() | AgentStatusChanged() | AgentActivityChanged() | AgentFinished():
                # The main agent is none of these.
                pass
            case PromptReturned():
                self._is_returned = True
            case BudgetExhausted() | ReferenceRetry() | MessageDelivered():
                # How it ends says so; the others are about sub-agents.
                pass
            case Rewound():
                # Another past is shown then, by a bridge of its own.
                pass
            case _:
                assert_never(event)

    def begin_prompt(self, prompt_id: str) -> None:
        """What follows belongs to this prompt, which may have been shown by another bridge."""
        self._prompt_id = prompt_id
        self._transcript.begin_scope(prompt_id)

    def _take_prompt(self, event: PromptQueued | PromptWithdrawn | PromptStarted | PromptFinished) -> None:
        state = self._state
        match event:
            case PromptQueued(_, prompt_id, text):
                state.queue.append((prompt_id, self._clean.line(text)))
            case PromptWithdrawn(_, prompt_id):
                state.queue = [each for each in state.queue if each[0] != prompt_id]
            case PromptStarted(_, prompt_id, message):
                state.queue = [each for each in state.queue if each[0] != prompt_id]
                state.working_since = self._clock()
                state.turn_tokens = state.open_characters = 0
                state.activity = WAITING_FOR_MODEL
                self._is_returned = False
                self.begin_prompt(prompt_id)
                if message.content:
                    self._transcript.add(PersonBlock(prompt_id, self._clean.text(said(message))))
            case PromptFinished():
                self._finish_prompt(event)

    def _finish_prompt(self, event: PromptFinished) -> None:
        self._writing.end()
        self._state.working_since = None
        self._state.activity = ""
        self._delay_notice = None
        if event.answer.strip():
            self.last_answer = event.answer
            self.is_last_cut = event.outcome in ("interrupted", "failed")
        if event.outcome == "interrupted":
            self._transcript.add(NoticeBlock(self._transcript.new_id("notice"), "info", "Interrupted."))
        elif event.error is not None:
            words = self._clean.text(event.error)
            # The same key would be refused again.
            can_retry = event.outcome == "failed" and event.error_kind != "credential"
            hint = RETURNED_HINT if self._is_returned else RETRY_HINT
            end = "" if words.rstrip().endswith((".", "!", "?")) else "."
            text = f"{words}{end} {hint}" if can_retry else words
            level = "error" if event.outcome == "failed" else "warning"
            self._transcript.add(NoticeBlock(self._transcript.new_id("notice"), level, text))

    def _take_response(
        self, event: RequestStarted | ResponseStarted | UsageAdded | ResponseAdded | ResponseCut
    ) -> None:
        state = self._state
        match event:
            case RequestStarted(_, turn):
                self._writing.begin()
                self._transcript.begin_scope(f"{self._prompt_id}.{turn}")
                state.activity = WAITING_FOR_MODEL
            case ResponseStarted():
                self._end_delay()
            case UsageAdded(_, _, usage, cost):
                state.usage += usage
                state.turn_tokens += usage.output
                state.open_characters = 0
                state.cost = None if cost is None or state.cost is None else state.cost + cost
            case ResponseCut(_, _, True):
                self._writing.take_back()
            case ResponseAdded() | ResponseCut():
                self._writing.end()

    def _take_delay(self, event: RequestDelayed) -> None:
        """The line at the bottom counts the seconds; why it waits is said once for each request."""
        self._state.delay = Delay.from_event(event, self._clock())
        text = self._clean.text(event.reason)
        if event.attempt > 1:
            text += f"{TRYING}{event.attempt} of {event.attempts}."
        if self._delay_notice is None:
            self._delay_notice = NoticeBlock(self._transcript.new_id("notice"), "warning", text)
            self._transcript.add(self._delay_notice)
        elif text != self._delay_notice.text:
            self._delay_notice.text = text
            self._transcript.touch(self._delay_notice)

    def _end_delay(self) -> None:
        """It went well in the end: what was said of it must not look as if it were still under way."""
        notice, self._delay_notice = self._delay_notice, None
        if notice is not None:
            notice.text = f"{notice.text.partition(TRYING)[0]} It went on after that."
            self._transcript.touch(notice)

    def _take_compaction(self, event: CompactionEvent) -> None:
        if isinstance(event, CompactionStarted):
            self._state.activity = RUNNING
        self._compactions.take(event)

    def _take_tool(self, event: ToolEvent) -> None:
        if isinstance(event, ToolStarted):
            self._state.activity = self._clean.line(event.title)
        self._tools.take(event)

    def _set_waiting(self, event: PromptEvent, *, is_waiting: bool) -> None:
        step = 1 if is_waiting else -1
        self._state.waiting_prompts += step
        if isinstance(event, QuestionAsked | QuestionResolved):
            self._state.waiting_questions += step
        self._tools.set_waiting(event.tool_call_id, is_waiting=is_waiting)
        self._open_prompts += step
        says_so = self._state.activity == ASKING_PERSON
        if is_waiting and not says_so:
            self._paused, self._state.activity = self._state.activity, ASKING_PERSON
        elif says_so and self._open_prompts == 0:
            self._state.activity = self._paused


def said(message: Message) -> str:
    images = sum(isinstance(block, Image) for block in message.content)
    mark = f"\n[{images} image{'s' if images > 1 else ''}]" if images else ""
    return "\n".join(block.text for block in message.content if isinstance(block, Text)) + mark
