"""From the events of one agent, in order, to the parts of a document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from code_assistant.event_parts import ToolStatus
from code_assistant.events import (
    BlockAdded,
    BudgetExhausted,
    Compacted,
    CompactionFailed,
    Event,
    MessageDelivered,
    ModelChanged,
    Notice,
    OutputAdded,
    PromptFinished,
    PromptReturned,
    PromptStarted,
    ReferenceRetry,
    RequestDelayed,
    RequestStarted,
    ResponseAdded,
    ResponseCut,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
)
from code_assistant.exporting.parts import (
    AgentWork,
    Answer,
    Part,
    Remark,
    Said,
    Shortening,
    Status,
    Thought,
    ToolUse,
)
from code_assistant.json_forms import TextFilter
from code_assistant.messages import Block, Image, JsonObject, Message, Text, Thinking

PERSON = "You"
PARENT = "Its parent"
RETURNED_WORDS = "Nothing came of this prompt; it was given back."
_STATUSES: dict[ToolStatus, Status] = {
    "success": Status("done", "good"),
    "error": Status("failed", "bad"),
    "denied": Status("denied", "warning"),
    "interrupted": Status("interrupted", "warning"),
}
_OUTCOME_LEVELS: dict[str, Literal["warning", "error"]] = {"failed": "error"}


@dataclass(slots=True)
class _Call:
    """A tool call whose end may still come; `place` is where its part stands."""

    place: int
    input: JsonObject
    output: list[str] = field(default_factory=list[str])


class Telling:
    """Takes each event of its agent once. `clean` makes a text fit to be shown, lines and all.

    `agent_work` is what a tool call spawned, None where it spawned nothing; `unfinished` is how things stand that have
    no end.
    """

    def __init__(
        self,
        clean: TextFilter,
        unfinished: Status,
        agent_work: Callable[[str], AgentWork | None],
        *,
        is_main: bool,
    ) -> None:
        self._clean = clean
        self._unfinished = unfinished
        self._agent_work = agent_work
        self._is_main = is_main
        self._parts: list[Part] = []
        self._calls: dict[str, _Call] = {}
        self._open: list[TextDelta | ThinkingDelta] = []
        self._response_start = 0
        self._texts = 0
        self._prompts = 0

    def parts(self) -> tuple[Part, ...]:
        """All that was told; what is still open counts as it stands."""
        self._end_open()
        for call in self._calls.values():
            found = self._parts[call.place]
            if isinstance(found, ToolUse):
                self._parts[call.place] = replace(found, detail=self._clean("".join(call.output)), form="output")
        self._calls.clear()
        return tuple(self._parts)

    def take(self, event: Event) -> None:
        match event:
            case TextDelta() | ThinkingDelta():
                self._add_piece(event)
            case RequestStarted() | BlockAdded() | ResponseAdded() | ResponseCut():
                self._take_response(event)
            case ToolStarted() | OutputAdded() | ToolFinished():
                self._take_tool(event)
            case PromptStarted() | MessageDelivered() | PromptFinished():
                self._take_prompt(event)
            case Compacted():
                self._parts.append(self._shortening(event))
            case _:
                self._take_remark(event)

    # Answers

    def _add_piece(self, piece: TextDelta | ThinkingDelta) -> None:
        if self._open and type(self._open[-1]) is not type(piece):
            self._end_open()
        self._open.append(piece)

    def _end_open(self) -> None:
        """What was written of a text that was never finished."""
        text = "".join(piece.text for piece in self._open)
        if text.strip():
            kind = Answer if isinstance(self._open[0], TextDelta) else Thought
            self._parts.append(kind(self._clean(text), is_cut=True))
        self._open.clear()

    def _take_response(self, event: RequestStarted | BlockAdded | ResponseAdded | ResponseCut) -> None:
        match event:
            case RequestStarted():
                self._end_open()
                self._response_start, self._texts = len(self._parts), 0
            case BlockAdded(_, block):
                self._open.clear()
                self._add_block(block)
            case ResponseCut(is_tried_again=True):
                self._open.clear()
                del self._parts[self._response_start :]
            case ResponseCut(_, message):
                self._end_cut(message)
            case ResponseAdded():
                self._end_open()

    def _add_block(self, block: Block) -> None:
        match block:
            case Text(text) if text.strip():
                self._texts += 1
                self._parts.append(Answer(self._clean(text)))
            case Thinking(text) if text.strip():
                self._parts.append(Thought(self._clean(text)))
            case _:
                pass

    def _end_cut(self, message: Message | None) -> None:
        """The open text is known from its pieces or, where those were not kept, from what is left of it."""
        if self._open or message is None:
            self._end_open()
            return
        texts = [block.text for block in message.content if isinstance(block, Text) and block.text.strip()]
        self._parts.extend(Answer(self._clean(text), is_cut=True) for text in texts[self._texts :])

    # Tools

    def _take_tool(self, event: ToolStarted | OutputAdded | ToolFinished) -> None:
        match event:
            case ToolStarted(_, call_id, name, arguments, title):
                work = self._agent_work(call_id)
                use = ToolUse(self._line(name), self._line(title), self._unfinished, arguments=self._json(arguments))
                if work is None:
                    self._calls[call_id] = _Call(len(self._parts), arguments)
                self._parts.append(work or use)
            case OutputAdded(_, call_id, text):
                if call_id in self._calls:
                    self._calls[call_id].output.append(text)
            case ToolFinished():
                self._finish_tool(event)

    def _finish_tool(self, event: ToolFinished) -> None:
        call = self._calls.pop(event.tool_call_id, None)
        if call is None:
            return
        display = event.display
        shown = {name: value for name, value in call.input.items() if name not in display.covers}
        status = _STATUSES[event.status]
        is_cut = event.status == "interrupted" and not display.detail
        self._parts[call.place] = ToolUse(
            self._line(event.tool_name),
            self._line(display.title),
            status,
            self._line(display.summary) if display.summary != status.words else "",
            self._json(shown),
            self._clean("".join(call.output) if is_cut else display.detail),
            "output" if is_cut else display.form,
        )

    def _json(self, arguments: JsonObject) -> str:
        if not arguments:
            return ""
        try:
            return self._clean(json.dumps(arguments, indent=2, ensure_ascii=False))
        except RecursionError:
            # A model may nest its input as deep as it likes.
            return "(nested too deeply to be shown)"

    # The rest

    def _take_prompt(self, event: PromptStarted | MessageDelivered | PromptFinished) -> None:
        match event:
            case PromptStarted(_, _, message):
                self._prompts += 1
                # The first of a sub-agent is its instructions, which stand above.
                if message.content and (self._is_main or self._prompts > 1):
                    self._parts.append(self._said(PERSON if self._is_main else PARENT, message.content))
            case MessageDelivered(_, sender, text):
                who = PERSON if sender == "person" else self._line(sender)
                self._parts.append(self._said(who, (Text(text),)))
            case PromptFinished(_, _, outcome, error=error):
                self._end_open()
                if outcome == "interrupted":
                    self._remark("info", "Interrupted.")
                elif error is not None and self._is_main:
                    self._remark(_OUTCOME_LEVELS.get(outcome, "warning"), error)

    def _take_remark(self, event: Event) -> None:
        match event:
            case Notice(origin, level, text):
                # Those of sub-agents stand in the file of the session, too.
                if (origin.depth > 1) is not self._is_main:
                    self._remark(level, text)
            case PromptReturned():
                self._remark("warning", RETURNED_WORDS)
            case CompactionFailed(_, error):
                self._remark("warning", f"The conversation could not be made shorter: {error or 'interrupted'}")
            case RequestDelayed(reason=reason):
                self._remark("warning", reason)
            case ModelChanged(_, model):
                if self._prompts:
                    self._remark("info", f"The model is {model} from here on.")
            case ReferenceRetry(_, attempt, problems):
                self._remark("warning", "\n".join((f"Its file references did not hold ({attempt}):", *problems)))
            case BudgetExhausted(_, kind, usage, limit):
                self._remark("warning", f"The budget is used up: {usage:,} {kind} tokens of {limit:,}.")
            case _:
                # What only the screen or the model has a use for, or what stands in a tool's own part.
                pass

    def _remark(self, level: Literal["info", "warning", "error"], text: str) -> None:
        remark = Remark(level, self._clean(text))
        if not self._parts or self._parts[-1] != remark:
            self._parts.append(remark)

    def _said(self, who: str, content: Iterable[Block]) -> Said:
        blocks = tuple(content)
        text = "\n".join(block.text for block in blocks if isinstance(block, Text))
        return Said(who, self._clean(text), sum(isinstance(block, Image) for block in blocks))

    def _shortening(self, event: Compacted) -> Shortening:
        words = (
            f"The conversation was compacted here: from about {event.tokens_before:,} to {event.tokens_after:,} tokens."
        )
        return Shortening(words, tuple(map(self._line, event.kept)), self._clean(event.summary))

    def _line(self, text: str) -> str:
        return " ".join(self._clean(text).split())
