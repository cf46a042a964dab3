"""The three output formats: each takes the events of a run and prints what its format shows of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from code_assistant.events import (
    MAIN,
    AgentFinished,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    Display,
    Event,
    Notice,
    OutputAdded,
    PermissionRefused,
    RequestDelayed,
    RequestStarted,
    ResponseAdded,
    ResponseCut,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from code_assistant.headless.output import Output
from code_assistant.headless.partial import PartialMessages
from code_assistant.headless.repetition import Repetition
from code_assistant.headless.tally import Tally
from code_assistant.headless.tasks import TaskLines
from code_assistant.headless.wire_format import SessionFacts, event_line, init_line, result_line
from code_assistant.messages import Response

NEWLINE = "\n"


class Printer(Protocol):
    def begin(self) -> None: ...

    def take(self, event: Event) -> None: ...

    def end(self, tally: Tally) -> None: ...


class TextPrinter:
    """Only the answer. In a terminal it is written as it comes, and each tool call has a line beside it."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._after_tools = False
        self._answer = Repetition()

    def begin(self) -> None:
        pass

    def take(self, event: Event) -> None:
        if event.origin == MAIN:
            self._take_own(event)
        else:
            self._take_of_child(event)

    def _take_of_child(self, event: Event) -> None:
        """What a sub-agent says is no answer; what it does has its line, under its name."""
        name = event.origin.name
        match event:
            case ToolStarted(_, _, _, _, title):
                self._output.status(f"  {name}: {title} …")
            case ToolProgress(_, _, text):
                self._output.status(f"  {name}: {text} …")
            case ToolFinished(_, _, _, _, display):
                self._output.progress(f"  {name}: {_line(display)}")
            case CompactionStarted() | Compacted() | CompactionFailed():
                self._take_compaction(event, f"{name}: ")
            case PermissionRefused(_, _, _, reason):
                self._output.message(f"{name}: {reason}")
            case AgentFinished(_, status) if status != "completed":
                why = event.error or event.warning
                ended = status.replace("_", " ")
                self._output.message(f"{name}: {ended}{f': {why}' if why else ''}")
            case _:
                pass

    def _take_own(self, event: Event) -> None:
        match event:
            case TextDelta(_, text) if self._output.live:
                self._write(text)
            case ResponseAdded(_, response) if self._output.live:
                self._answer = Repetition()
                if not _goes_on(response):
                    self._output.end_answer()
            case ResponseCut(_, _, is_tried_again) if self._output.live:
                self._output.end_answer()
                self._answer = Repetition(self._answer.visible if is_tried_again else "")
            case RequestDelayed():
                self._output.progress(f"  {_delay_line(event)}")
            case RequestStarted():
                self._output.status("  Waiting for the model …")
            case ThinkingDelta():
                self._output.status("  Thinking …")
            case ToolStarted(_, _, _, _, title):
                self._output.status(f"  {title} …")
            case ToolProgress(_, _, text):
                self._output.status(f"  {text} …")
            case OutputAdded(_, _, text) if text.strip():
                self._output.status(f"  {text.rstrip().rpartition(NEWLINE)[2]}")
            case ToolFinished(_, _, _, _, display):
                self._output.progress(f"  {_line(display)}")
                self._after_tools = True
            case CompactionStarted() | Compacted() | CompactionFailed():
                self._take_compaction(event)
            case PermissionRefused(_, _, _, reason):
                self._output.message(reason)
            case Notice(_, _, text):
                self._output.message(text)
            case _:
                pass

    def _write(self, text: str) -> None:
        text = self._answer.feed(text)
        if text:
            self._output.answer_piece(f"\n{text}" if self._after_tools else text)
            self._after_tools = False

    def _take_compaction(self, event: CompactionStarted | Compacted | CompactionFailed, whose: str = "") -> None:
        match event:
            case CompactionStarted():
                self._output.status(f"  {whose}Compacting the conversation …")
            case Compacted(_, _, before, after):
                self._output.progress(f"  {whose}Compacted the conversation · {before:,} → {after:,} tokens")
            case CompactionFailed(_, error) if error is not None:
                self._output.message(f"{whose}The conversation could not be compacted: {error}")
            case CompactionFailed():
                pass

    def end(self, tally: Tally) -> None:
        if self._output.live:
            self._output.end_answer()
        elif tally.outcome != "interrupted" and tally.answer:
            self._output.answer(tally.answer)
        _say_error(self._output, tally)


def _line(display: Display) -> str:
    return f"{display.title} · {display.summary}" if display.summary else display.title


def _delay_line(event: RequestDelayed) -> str:
    if event.is_rate_limit:
        return f"Waiting for a rate limit, {event.wait:.0f} s at least: {event.reason}"
    return f"Try {event.attempt} of {event.attempts} in {event.wait:.1f} s: {event.reason}"


def _goes_on(response: Response) -> bool:
    """Whether the next response will go on in the middle of this one's text."""
    return response.stop_reason in {"max_tokens", "pause_turn"} and not response.message.tool_calls


def _say_error(output: Output, tally: Tally) -> None:
    if tally.error is not None:
        output.message(tally.error)


@dataclass(frozen=True, slots=True)
class JsonPrinter:
    """One JSON object at the end."""

    output: Output
    facts: SessionFacts

    def begin(self) -> None:
        pass

    def take(self, event: Event) -> None:
        if isinstance(event, Notice):
            self.output.message(event.text)

    def end(self, tally: Tally) -> None:
        self.output.json_line(result_line(self.facts, tally))
        _say_error(self.output, tally)


class StreamJsonPrinter:
    """A JSON object a line, as things happen; with `partial` also the text while it is being written."""

    def __init__(self, output: Output, facts: SessionFacts, *, partial: bool) -> None:
        self._output = output
        self._facts = facts
        self._tasks = TaskLines(facts)
        self._partial = PartialMessages(facts, output.masker) if partial else None

    def begin(self) -> None:
        self._output.json_line(init_line(self._facts))

    def take(self, event: Event) -> None:
        if self._partial is not None:
            for line in self._partial.lines(event):
                self._output.json_line(line)
        for line in (event_line(self._facts, event), self._tasks.line(event)):
            if line is not None:
                self._output.json_line(line)
        if isinstance(event, Notice):
            self._output.message(event.text)

    def end(self, tally: Tally) -> None:
        self._output.json_line(result_line(self._facts, tally))
        _say_error(self._output, tally)
