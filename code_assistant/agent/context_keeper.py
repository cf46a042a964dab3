"""Keeps a conversation within its model's window: measures it, and has it compacted when asked or in time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from code_assistant.agent.compaction import Shorter, can_compact, shorter
from code_assistant.agent.compactor import Compactor, Setting, Size
from code_assistant.agent.context_meter import ContextMeter
from code_assistant.agent.context_parts import context_parts
from code_assistant.agent.history import History
from code_assistant.agent.reply import Reply
from code_assistant.agent.tokens import messages_tokens
from code_assistant.context_report import ContextReport
from code_assistant.errors import AssistantError, fault_words
from code_assistant.events import (
    Compacted,
    CompactionFailed,
    CompactionReason,
    CompactionStarted,
    ContextMeasured,
    Event,
    Notice,
    Origin,
)
from code_assistant.llm.provider import ModelRequest
from code_assistant.messages import Block, Message

logger = logging.getLogger(__name__)

COMPACT_AT = 0.85
# Of the window, for the answer: at most so much, so that small windows have some left for what is asked.
ANSWER_SHARE = 0.1
# Compacting must be worth it: so much of the window has come since the last time.
LEAST_GROWTH = 0.1
WARN_AT = 0.8
# Of a conversation of so few tokens it does not matter whether it gets shorter.
LITTLE = 2_000
NOT_SHORTER_WORDS = "The summary is no shorter than what it would replace."
WARNING = (
    "The conversation fills more than {0:.0%} of the model's window, and automatic compaction is turned off. "
    "/compact makes it shorter, /context shows what fills it."
)


class ContextKeeper:
    """`ask` sends a request that is no part of the conversation. `compact_at` is a part of the window, 0 for never.

    The history is changed in one step, and only by a compaction that came to its end.
    """

    def __init__(
        self,
        origin: Origin,
        history: History,
        setting: Callable[[], Setting],
        ask: Callable[[ModelRequest], Awaitable[Reply]],
        publish: Callable[[Event], None],
        compact_at: float,
    ) -> None:
        self._origin = origin
        self._history = history
        self._setting = setting
        self._compactor = Compactor(ask)
        self._publish = publish
        self._compact_at = compact_at
        self._meter = ContextMeter()
        self._least: int | None = None
        self._told: tuple[int, int] | None = None
        self._has_warned = False
        self._before: tuple[Message, ...] = ()
        self._made: tuple[Shorter, int] | None = None

    def begin_prompt(self) -> None:
        """What comes into the history from now on is a prompt, and the work on it."""
        self._before, self._made = self._history.messages, None

    def without_prompt(self, blocks: Sequence[Block]) -> tuple[Message, ...] | None:
        """The conversation without a prompt that nothing came of; None where it cannot be taken out."""
        rest = self._history.without(blocks)
        if rest is not None or self._made is None:
            return rest
        # It was summarised with the prompt in it: the same summary as if the prompt had not been said, and what has
        # been added to it since.
        made, room = self._made
        added = self._history.messages[-1].content[len(made.messages[-1].content) :]
        rebuilt = History(shorter(self._before, made.summary, room, goes_on=False).messages)
        if added:
            rebuilt.add_user(added)
        return rebuilt.messages

    def learn(self, counted: int) -> None:
        """The service has counted all that is in the history now."""
        self._measured()
        self._meter.learn(counted, self._history.messages)

    def tell(self) -> None:
        """Let everybody know how much there is, where that has changed."""
        used, window = self._measured(), self._setting().model.context_window
        if (used, window) == self._told:
            return
        self._told = used, window
        self._publish(ContextMeasured(self._origin, used, window))
        is_theirs = self._compact_at == 0 and self._origin.depth == 1
        if is_theirs and not self._has_warned and used > WARN_AT * window:
            self._has_warned = True
            self._publish(Notice(self._origin, "warning", WARNING.format(WARN_AT)))

    def report(self) -> ContextReport:
        setting, used = self._setting(), self._measured()
        parts, largest = context_parts(setting.system, setting.tools, self._history.messages, used)
        window, reserved = setting.model.context_window, self._answer_tokens()
        return ContextReport(setting.model.name, window, used, reserved, self._threshold(), parts, largest)

    @property
    def is_nearly_full(self) -> bool:
        """Whether it is time to compact, and worth it."""
        threshold, used = self._threshold(), self._measured()
        if threshold is None:
            return False
        least = self._meter.opening if self._least is None else self._least
        return used > threshold and used - least > LEAST_GROWTH * self._setting().model.context_window

    async def compact(self, reason: CompactionReason, focus: str = "") -> bool:
        """Whether the conversation is shorter now. Only cancellation is raised; why it failed is told."""
        before, messages = self._measured(), self._history.messages
        if reason != "asked" and not can_compact(messages):
            return False
        size = Size(before, self._meter.scale(messages), self._meter.opening)
        self._publish(CompactionStarted(self._origin, reason, before))
        try:
            made = await self._compactor.made_shorter(messages, self._setting(), size, reason, focus)
        except asyncio.CancelledError:
            self._publish(CompactionFailed(self._origin, None))
            raise
        except AssistantError as error:
            return self._failed(before, error.person)
        except Exception as error:
            # A fault of ours costs the compaction, not the prompt; the log has the whole of it.
            logger.exception("a compaction failed")
            return self._failed(before, fault_words(error))
        after = size.of(made.messages)
        if messages_tokens(made.messages) > max(messages_tokens(messages), LITTLE):
            return self._failed(before, NOT_SHORTER_WORDS)
        self._replace(made.messages, after)
        if made.summary:
            self._made = made, size.room(self._setting().model.context_window)
        self._publish(Compacted(self._origin, reason, before, after, made.kept, made.summary, made.messages))
        self.tell()
        return True

    def _replace(self, messages: tuple[Message, ...], tokens: int) -> None:
        self._history.replace(messages)
        self._meter.learn(tokens, messages)
        self._least, self._has_warned = tokens, False

    def _failed(self, used: int, words: str) -> bool:
        # Not again before there is more: whatever was in the way may still be.
        self._least = used
        self._publish(CompactionFailed(self._origin, words))
        return False

    def _measured(self) -> int:
        setting = self._setting()
        self._meter.open_with(setting.system, setting.tools)
        return self._meter.used(self._history.messages)

    def _threshold(self) -> int | None:
        window = self._setting().model.context_window
        return min(round(self._compact_at * window), window - self._answer_tokens()) if self._compact_at else None

    def _answer_tokens(self) -> int:
        model = self._setting().model
        return min(model.max_output_tokens, round(ANSWER_SHARE * model.context_window))
