"""Makes a conversation shorter: without its large tool results if that is enough, else with the model's summary."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from code_assistant.agent.compaction import Shorter, can_compact, is_in_tool_round, shorter, summary_messages
from code_assistant.agent.history import is_blank
from code_assistant.agent.lightening import lightened
from code_assistant.agent.reply import Reply
from code_assistant.agent.tokens import messages_tokens
from code_assistant.errors import AssistantError, PromptTooLong
from code_assistant.events import CompactionReason
from code_assistant.llm.model import Model
from code_assistant.llm.provider import ModelRequest, ToolSpecification
from code_assistant.messages import Message, ToolCall

logger = logging.getLogger(__name__)

# Taking out tool results is enough when it leaves no more than this of the window; of that, the newest may have a part.
LIGHT_SHARE, NEWEST_RESULTS_SHARE = 0.6, 0.2
SUMMARY_TOKENS, SUMMARY_SHARE = 16_000, 0.1
# What is tried when the service refuses the size of a conversation, as parts of that size.
SMALLER = (0.5, 0.25)
# Whatever is known of the window: less than this is no conversation.
LEAST_ROOM = 1_000
NOTHING_WORDS = "There is nothing to compact yet."
NO_SUMMARY_WORDS = "The model wrote no summary."
CUT_SUMMARY_WORDS = "The model's summary is longer than it may be. Try again, and say what matters: /compact WHAT"
NO_WRITER_WORDS = "{0} cannot write a summary. Choose a model with /model, or begin a new conversation with /new."
TOO_LONG_WORDS = "Even a part of the conversation is more than the service takes at once."


@dataclass(frozen=True, slots=True)
class Setting:
    """What every request of an agent has beside its conversation."""

    system: str
    tools: tuple[ToolSpecification, ...]
    model: Model


@dataclass(frozen=True, slots=True)
class Size:
    """Of a conversation: its tokens as the service counts them, and how many of those there are to one of our estimate.

    `opening` is our estimate of what stands before it in every request.
    """

    tokens: int
    scale: float
    opening: int

    def of(self, messages: tuple[Message, ...]) -> int:
        """The tokens of another conversation."""
        return round(self.scale * (self.opening + messages_tokens(messages)))

    def room(self, tokens: int) -> int:
        """What is left for a conversation of so many tokens, in our estimate."""
        return max(round(tokens / self.scale) - self.opening, LEAST_ROOM)


class Compactor:
    """`ask` sends a request that is no part of the conversation. It changes nothing itself."""

    def __init__(self, ask: Callable[[ModelRequest], Awaitable[Reply]]) -> None:
        self._ask = ask

    async def made_shorter(
        self, messages: tuple[Message, ...], setting: Setting, size: Size, reason: CompactionReason, focus: str
    ) -> Shorter:
        """Raises an AssistantError, in words for the person, where that cannot be done."""
        if not can_compact(messages):
            raise AssistantError(NOTHING_WORDS)
        window = setting.model.context_window
        if reason != "asked":
            light = _light(messages, setting.model, round(min(window, size.tokens) * NEWEST_RESULTS_SHARE / size.scale))
            most = LIGHT_SHARE * window if reason == "nearly_full" else SMALLER[0] * size.tokens
            if light is not None and size.of(light.messages) <= most:
                return light
        if not setting.model.writes:
            raise AssistantError(NO_WRITER_WORDS.format(setting.model.name))
        smaller = [round(share * size.tokens) for share in SMALLER]
        # A service that refused it whole has said what it takes no more of.
        for tokens in smaller if reason == "too_long" else [window - _summary_tokens(setting.model), *smaller]:
            try:
                summary = await self._summary(summary_messages(messages, size.room(tokens), focus), setting)
            except PromptTooLong:
                logger.debug("what is to be summarised, of %d tokens, was refused as too long", tokens)
            else:
                return shorter(messages, summary, size.room(window), goes_on=reason != "asked")
        raise PromptTooLong(TOO_LONG_WORDS)

    async def _summary(self, messages: tuple[Message, ...], setting: Setting) -> str:
        most = _summary_tokens(setting.model)
        reply = await self._ask(
            ModelRequest(setting.system, setting.tools, messages, allow_tools=False, max_output_tokens=most)
        )
        if is_blank(reply.text) or reply.stop_reason == "refusal" or _has_calls(reply):
            raise AssistantError(NO_SUMMARY_WORDS)
        if reply.stop_reason == "max_tokens":
            # Half of it would take the place of all that was said.
            raise AssistantError(CUT_SUMMARY_WORDS)
        return reply.text


def _light(messages: tuple[Message, ...], model: Model, room: int) -> Shorter | None:
    """The conversation without large old results; None where that is not possible or changes nothing."""
    # Models that are told how long to think must see their thinking again until their tool calls are over.
    if model.thinking == "budget" and is_in_tool_round(messages):
        return None
    light = lightened(messages, room)
    if not light.taken_out:
        return None
    tools = ", ".join(f"{count} of {name}" for name, count in light.taken_out)
    return Shorter(light.messages, (f"everything but large tool results ({tools})",))


def _has_calls(reply: Reply) -> bool:
    """Whether it wanted to do something first, though it was told that it cannot."""
    return any(isinstance(block, ToolCall) for block in reply.blocks)


def _summary_tokens(model: Model) -> int:
    return min(SUMMARY_TOKENS, round(SUMMARY_SHARE * model.context_window))
