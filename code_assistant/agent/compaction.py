"""A conversation made shorter: what is asked for its summary, and what it is replaced by."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from code_assistant.agent.lightening import lightened
from code_assistant.agent.limits import ANSWER_NOW_LINE, CONTINUE_LINE, INTERRUPTED_LINE, SHELL_LINE
from code_assistant.agent.news import PLAN_LINE, PLAN_LINE_OF_CHILDREN, PLAN_OVER_LINE
from code_assistant.agent.tokens import block_tokens, cut_to_tokens, messages_tokens, text_tokens
from code_assistant.messages import Block, Image, Message, Text, ToolCall, ToolResult
from code_assistant.own_texts import own_text

SUMMARY_HEADING = "[The conversation so far was compacted to save room. This is your own summary of it.]"
RESULTS_HEADING = "[The last tool calls before that, and their results as text.]"
WORDS_LINE = "[What follows are the person's last words, as they were.]"
GO_ON_LINE = "[This was compacted in the middle of the work. Go on with it from here, without asking what to do.]"
LEFT_OUT = "\n[… a part is left out here …]\n"
OURS = frozenset(
    {
        ANSWER_NOW_LINE,
        CONTINUE_LINE,
        INTERRUPTED_LINE,
        PLAN_LINE,
        PLAN_LINE_OF_CHILDREN,
        PLAN_OVER_LINE,
        WORDS_LINE,
        GO_ON_LINE,
    }
)
OUR_BEGINNINGS = (SUMMARY_HEADING, RESULTS_HEADING, SHELL_LINE)

# Of the room there is for a conversation: for the newest words of the person, for all of them together, for the last
# results, for the model's last answer.
NEWEST_SHARE, WORDS_SHARE, RESULTS_SHARE, ANSWER_SHARE = 0.5, 0.1, 0.05, 0.05
KEPT_TEXTS = 5
SHOWN_INPUT = 300


@dataclass(frozen=True, slots=True)
class Shorter:
    """`kept` says for people what is left, a line each; `summary` is empty where none was needed."""

    messages: tuple[Message, ...]
    kept: tuple[str, ...]
    summary: str = ""


def can_compact(messages: Sequence[Message]) -> bool:
    """Whether there is anything that a summary could stand for."""
    return any(message.role == "assistant" for message in messages)


def is_summary(block: Block) -> bool:
    return isinstance(block, Text) and block.text.startswith((SUMMARY_HEADING, RESULTS_HEADING))


def is_in_tool_round(messages: Sequence[Message]) -> bool:
    """Whether the model waits for nothing but the results that were just added."""
    return bool(messages) and any(isinstance(block, ToolResult) for block in messages[-1].content)


# The summary


def summary_messages(messages: Sequence[Message], room: int, focus: str) -> tuple[Message, ...]:
    """What is sent to get a summary: the conversation as it is, so that the cache holds; where that does not fit into
    `room` tokens, what was said in it as one text, without large results and, if need be, without its middle.
    """
    instruction = Text(_instruction(focus))
    room -= block_tokens(instruction)
    if messages_tokens(messages) <= room:
        last = messages[-1]
        if last.role == "user":
            return (*messages[:-1], Message("user", (*last.content, instruction)))
        return (*messages, Message("user", (instruction,)))
    told = "\n\n".join(_told(lightened(messages, 0, keeps_last=False).messages))
    text = f"<conversation>\n{cut_to_tokens(told, max(room, 0), LEFT_OUT)}\n</conversation>"
    return (Message("user", (Text(text), instruction)),)


def _instruction(focus: str) -> str:
    focus = focus.strip()
    return f"{_prompt()}\n\nThe person asks to keep above all: {focus}" if focus else _prompt()


@cache
def _prompt() -> str:
    return own_text("agent", "compaction.md").strip()


def _told(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        for block in message.content:
            match block:
                case Text(text):
                    yield f"## {'Person' if message.role == 'user' else 'You'}\n{text}"
                case ToolCall():
                    yield f"## You called {_call_words(block)}"
                case ToolResult():
                    yield f"## Result{' (an error)' if block.is_error else ''}\n{_result_text(block)}"
                case Image():
                    yield "## Person\n[an image]"
                case _:
                    # Reasoning, and what only the provider can read.
                    pass


def _call_words(call: ToolCall) -> str:
    given = json.dumps(call.input, ensure_ascii=False, default=dict)
    return f"{call.name} {given[:SHOWN_INPUT]}{'…' if len(given) > SHOWN_INPUT else ''}"


def _result_text(result: ToolResult) -> str:
    return "\n".join(part.text if isinstance(part, Text) else "[an image]" for part in result.content)


# What the conversation is replaced by


def shorter(messages: Sequence[Message], summary: str, room: int, *, goes_on: bool) -> Shorter:
    """The summary and the person's last words; then what comes next: the work goes on, or the model's last answer.

    There are no tool calls in it, so every call has its result. `room` is for all of the conversation.
    """
    words = last_words(messages, room)
    content: list[Block] = [Text(f"{SUMMARY_HEADING}\n\n{summary.strip()}")]
    kept = ["a summary"]
    if words:
        content += [Text(WORDS_LINE), *words]
        texts = sum(isinstance(block, Text) for block in words)
        kept.append("your last message" if texts < 2 else f"your last {texts} messages")
    if not goes_on:
        answer = _last_answer(messages, round(room * ANSWER_SHARE))
        kept += ["the last answer"] if answer else []
        return Shorter((Message("user", tuple(content)), *answer), tuple(kept), summary)
    if results := _quoted_results(messages, round(room * RESULTS_SHARE)):
        content.append(Text(results))
        kept.append("the last tool results")
    content.append(Text(GO_ON_LINE))
    return Shorter((Message("user", tuple(content)),), tuple(kept), summary)


def last_words(messages: Sequence[Message], room: int) -> tuple[Block, ...]:
    """What the person said last, the oldest first. Images only with the newest words; those are always there."""
    kept: list[Block] = []
    texts = 0
    left = round(room * WORDS_SHARE)
    newest = next((message for message in reversed(messages) if _said(message)), None)
    for message in reversed(messages):
        for block in reversed(_said(message)):
            tokens = block_tokens(block)
            if isinstance(block, Image):
                if message is not newest or tokens > left:
                    continue
                kept.append(block)
            elif not texts:
                kept.append(Text(cut_to_tokens(block.text, round(room * NEWEST_SHARE), LEFT_OUT)))
            elif tokens <= left and texts < KEPT_TEXTS:
                kept.append(block)
            else:
                return tuple(reversed(kept))
            texts += isinstance(block, Text)
            left -= tokens
    return tuple(reversed(kept))


def _said(message: Message) -> list[Text | Image]:
    """The person's own part of a message."""
    if message.role != "user":
        return []
    return [block for block in message.content if isinstance(block, Text | Image) and not _is_ours(block)]


def _is_ours(block: Text | Image) -> bool:
    """Whether the program said it, as far as that can be told by its fixed words."""
    return isinstance(block, Text) and (block.text in OURS or block.text.startswith(OUR_BEGINNINGS))


def _quoted_results(messages: Sequence[Message], room: int) -> str:
    if not is_in_tool_round(messages):
        return ""
    calls = {call.id: call for call in messages[-2].tool_calls}
    lines: list[str] = []
    for block in messages[-1].content:
        if not isinstance(block, ToolResult):
            continue
        text = _result_text(block)
        room -= text_tokens(text)
        lines.append(f"## {_call_words(calls[block.tool_call_id])}")
        lines.append(text if room >= 0 else "(too large to keep: run it again if it is needed)")
    return "\n".join((RESULTS_HEADING, *lines))


def _last_answer(messages: Sequence[Message], room: int) -> tuple[Message, ...]:
    if messages[-1].role != "assistant" or not messages[-1].text.strip():
        return ()
    return (Message("assistant", (Text(cut_to_tokens(messages[-1].text, room, LEFT_OUT)),)),)
