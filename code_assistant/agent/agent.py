"""The agent loop: stream, tool calls, results, again, until the model stops. Main agent and children alike."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from code_assistant.agent.budget import Budget, Exhausted
from code_assistant.agent.compactor import Setting
from code_assistant.agent.context_keeper import COMPACT_AT, ContextKeeper
from code_assistant.agent.executor import Executor, ToolRound
from code_assistant.agent.history import History, is_blank, validate
from code_assistant.agent.limits import (
    ANSWER_NOW_LINE,
    CONTINUE_LINE,
    INTERRUPTED_LINE,
    MAX_COMPACTIONS,
    MAX_CONTINUATIONS,
    MAX_PAUSES,
    Limits,
)
from code_assistant.agent.news import News
from code_assistant.agent.reply import Reply
from code_assistant.agent.retrying import Retrying
from code_assistant.context_report import ContextReport
from code_assistant.errors import AssistantError, PromptTooLong, ProviderError, fault_words
from code_assistant.events import (
    BudgetExhausted,
    CompactionReason,
    Event,
    GuidanceAdded,
    MessageDelivered,
    Origin,
    Outcome,
    PromptFinished,
    PromptReturned,
    PromptStarted,
    RequestStarted,
    ResponseAdded,
    ResponseCut,
    ToolResultsAdded,
    UsageAdded,
)
from code_assistant.llm.clock import Clock
from code_assistant.llm.model import Model
from code_assistant.llm.provider import ModelClient, ModelRequest
from code_assistant.llm.rate_gate import Passage
from code_assistant.llm.retry_policy import RetryPolicy, is_too_long
from code_assistant.messages import Block, Message, Response, StopReason, Text, ToolCall, Usage

logger = logging.getLogger(__name__)

CONTEXT_FULL_WORDS = (
    "The conversation fills the model's context window, and could not be made short enough. Begin a new one, with a "
    "narrower question."
)
OUTPUT_LIMIT_WORDS = (
    f"The answer is longer than the output limit allows, even continued {MAX_CONTINUATIONS} times. "
    "Raise request.max_output_tokens, or ask for less."
)
LIMIT_WORDS = "The limit on turns was reached ({0}), so the model had to answer with what it had. Raise it to get more."
PAUSED_WORDS = "The service paused its answer again and again. Try again later."
BUDGET_WORDS = "The budget is used up: {0:,} {1} tokens of {2:,}. Raise it to go on."
NO_ANSWER_WORDS = "The model ended without an answer. Ask again, or in other words."


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the person says: an id for its events, and the content. Without content it means: once more."""

    id: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class _End:
    """How the work on a prompt ended, and the words for it where it did not end well."""

    outcome: Outcome
    error: str | None = None
    error_kind: str | None = None


class _Progress:
    """How far the work on one prompt has come."""

    def __init__(self) -> None:
        self.turns = 0
        self.answer = ""
        self.is_answered = False
        self.goes_on = False
        self.continuations = 0
        self.pauses = 0
        self.compactions = 0
        self.is_begun = False

    def take_text(self, text: str) -> None:
        """A new response replaces the answer so far, one that goes on with the last is joined to it."""
        if self.goes_on:
            self.answer += text
        elif not is_blank(text):
            self.answer = text


class Agent:
    """One conversation with one model, one prompt at a time.

    `answer` may be cancelled at any point: the history is valid afterwards and PromptFinished has been published.
    """

    def __init__(
        self,
        *,
        origin: Origin,
        client: ModelClient,
        system: str,
        executor: Executor,
        publish: Callable[[Event], None],
        history: History | None = None,
        limits: Limits | None = None,
        news: News | None = None,
        budget: Budget | None = None,
        retries: RetryPolicy | None = None,
        clock: Clock | None = None,
        compact_at: float = COMPACT_AT,
    ) -> None:
        self.origin = origin
        self.history = history or History()
        self.system = system
        self._client = client
        self._executor = executor
        self._publish = publish
        self._limits = limits or Limits()
        self._news = news
        self._budget = budget or Budget()
        self._retrying = Retrying(origin, publish, retries, clock)
        self._inbox: deque[tuple[str, str]] = deque()
        self._context = ContextKeeper(origin, self.history, self._setting, self._ask, publish, compact_at)

    @property
    def model(self) -> Model:
        return self._client.model

    def use(self, client: ModelClient) -> None:
        """Another model from the next request on."""
        self._client = client

    @property
    def can_go_on(self) -> bool:
        """Whether the conversation waits for the model, as it does after a request that failed."""
        messages = self.history.messages
        return bool(messages) and messages[-1].role == "user"

    @property
    def context(self) -> ContextReport:
        """What fills the model's window."""
        return self._context.report()

    def rewind(self, messages: Sequence[Message]) -> None:
        """Another past; not while a prompt is being worked on."""
        self.history.replace(messages)
        if self._news is not None:
            self._news.retell()
        self._context.tell()

    def add_note(self, text: str) -> None:
        """Something the model should know with the next prompt; not while one is being worked on."""
        self._guide(text)

    def tell(self, sender: str, text: str) -> None:
        """Say something to the agent while it works: it reads that before its next request."""
        self._inbox.append((sender, text))

    async def answer(self, prompt: Prompt, limits: Limits | None = None) -> PromptFinished:
        """Work on a prompt until the model stops. Failures are in what is returned; only cancellation is raised."""
        started = time.monotonic()
        progress = _Progress()
        end = _End("interrupted")
        self._context.begin_prompt()
        if prompt.blocks:
            self.history.add_user(prompt.blocks)
        self._publish(PromptStarted(self.origin, prompt.id, Message("user", prompt.blocks)))
        try:
            end = await self._turns(progress, limits or self._limits)
        except AssistantError as error:
            end = _End("failed", error.person, error.kind)
            if isinstance(error, ProviderError) and is_too_long(error) and not progress.is_begun:
                self._give_back(prompt)
        except Exception as error:
            # A fault of ours costs this prompt, not the session; the log has the whole of it.
            logger.exception("the work on a prompt failed")
            end = _End("failed", fault_words(error), "internal")
        finally:
            duration = time.monotonic() - started
            finished = PromptFinished(
                self.origin,
                prompt.id,
                end.outcome,
                progress.answer,
                progress.turns,
                duration,
                end.error,
                end.error_kind,
                progress.is_answered,
            )
            self._publish(finished)
        return finished

    def _give_back(self, prompt: Prompt) -> None:
        """Nothing came of it: it is for the person to send it again."""
        rest = self._context.without_prompt(prompt.blocks) if prompt.blocks else None
        if rest is not None:
            self.history.replace(rest)
            self._publish(PromptReturned(self.origin, prompt.id, rest))

    async def compact(self, prompt_id: str, focus: str = "") -> None:
        """Make the conversation shorter by the person's wish; not while a prompt is being worked on.

        Seen like the work on a prompt that says nothing. Only cancellation is raised.
        """
        started = time.monotonic()
        outcome: Outcome = "interrupted"
        self._publish(PromptStarted(self.origin, prompt_id, Message("user", ())))
        try:
            await self._shorten("asked", focus)
            outcome = "completed"
        finally:
            self._publish(PromptFinished(self.origin, prompt_id, outcome, "", 0, time.monotonic() - started))

    async def _turns(self, progress: _Progress, limits: Limits) -> _End:
        while True:
            exhausted = self._budget_end()
            if exhausted is not None:
                return exhausted
            # Not in the middle of an answer: it could not go on exactly where it ended.
            if not progress.goes_on and self._context.is_nearly_full and await self._shorten("nearly_full"):
                # What that took counts, too.
                continue
            progress.turns += 1
            last = limits.is_last(progress.turns)
            # An answer that was paused goes back as it is: nothing may stand behind it.
            if self.history.messages[-1].role == "user":
                self._tell_news()
                self._deliver_messages()
            if last and progress.turns > 1:
                self._guide(ANSWER_NOW_LINE)
            self._context.tell()
            try:
                response = await self._request(progress, last)
            except PromptTooLong:
                if not await self._fits_now(progress):
                    raise
                progress.turns -= 1
                continue
            # A service that counts nothing of what was sent has not counted the conversation.
            self._context.learn(response.usage.total if response.usage.prompt else 0)
            self._context.tell()
            is_full = response.stop_reason == "model_context_window_exceeded"
            if is_full and not last and await self._fits_now(progress):
                if self.history.messages[-1].role == "assistant":
                    # Only what was before it is shorter now: the half answer is there, and goes on.
                    progress.take_text(response.message.text)
                    progress.goes_on = True
                    self._guide(CONTINUE_LINE)
                continue
            progress.take_text(response.message.text)
            progress.is_answered = response.stop_reason != "tool_use" and not is_blank(response.message.text)
            end = await self._after(response, progress, last)
            if end is None:
                continue
            if end.outcome != "completed" or last or not self._deliver_messages():
                return end
            progress.goes_on, progress.continuations = False, 0

    async def _fits_now(self, progress: _Progress) -> bool:
        """Whether what did not fit into the window was made shorter, so that it can be tried again."""
        progress.compactions += 1
        progress.goes_on = False
        return progress.compactions <= MAX_COMPACTIONS and await self._shorten("too_long")

    async def _shorten(self, reason: CompactionReason, focus: str = "") -> bool:
        try:
            is_shorter = await self._context.compact(reason, focus)
        except asyncio.CancelledError:
            if reason != "asked":
                self._guide(INTERRUPTED_LINE)
            raise
        if is_shorter and self._news is not None:
            self._news.retell()
        return is_shorter

    async def _ask(self, request: ModelRequest) -> Reply:
        """A request that is no part of the conversation: its tokens count, and nothing of it is shown or kept."""
        exhausted = self._budget.exhausted()
        if exhausted is not None:
            raise AssistantError(_budget_words(exhausted))
        validate(request.messages)

        async def send(passage: Passage) -> Reply:
            reply = Reply(self.origin)
            try:
                async with self._client.stream(request) as deltas:
                    async for delta in deltas:
                        passage.accepted()
                        reply.take(delta)
            finally:
                self._publish_usage(reply)
            return reply

        return await self._retrying.run(self._client.gate, send, lambda _: None)

    def _setting(self) -> Setting:
        return Setting(self.system, self._executor.specifications, self._client.model)

    def _budget_end(self) -> _End | None:
        exhausted = self._budget.exhausted()
        if exhausted is None:
            return None
        self._publish(BudgetExhausted(self.origin, exhausted.kind, exhausted.usage, exhausted.limit))
        return _End("budget_exhausted", _budget_words(exhausted), "budget")

    def _deliver_messages(self) -> bool:
        """Whether anything was said to the agent since it last looked."""
        had_any = bool(self._inbox)
        while self._inbox:
            sender, text = self._inbox.popleft()
            self.history.add_user((Text(text),))
            self._publish(MessageDelivered(self.origin, sender, text))
        return had_any

    async def _request(self, progress: _Progress, last: bool) -> Response:
        """One request to the model, sent again where that can help; its message goes into the history."""
        validate(self.history.messages)
        reply = Reply(self.origin)

        async def send(passage: Passage) -> Response:
            nonlocal reply
            reply = Reply(self.origin)
            await self._stream(reply, passage, progress, last)
            self._publish_usage(reply)
            response = self._add_response(reply, last)
            # What the conversation holds of an answer, or did before it was compacted, is not asked for again.
            progress.is_begun = progress.is_begun or bool(response.message.content)
            return response

        def failed(is_tried_again: bool) -> None:
            self._cut(reply, is_tried_again=is_tried_again)
            if not is_tried_again:
                progress.take_text(reply.text)

        try:
            return await self._retrying.run(self._client.gate, send, failed)
        except asyncio.CancelledError:
            self._guide(INTERRUPTED_LINE)
            raise

    async def _stream(self, reply: Reply, passage: Passage, progress: _Progress, last: bool) -> None:
        """Send the request and take its answer, whose deltas become events."""
        self._publish(RequestStarted(self.origin, progress.turns, self._client.model.name))
        request = ModelRequest(
            self.system,
            self._executor.specifications,
            self.history.messages,
            allow_tools=not last,
            max_output_tokens=self._limits.max_request_tokens,
        )
        try:
            async with self._client.stream(request) as deltas:
                async for delta in deltas:
                    passage.accepted()
                    event = reply.take(delta)
                    if event is not None:
                        self._publish(event)
        except asyncio.CancelledError:
            progress.take_text(reply.text)
            self._cut(reply, self.history.add_assistant(reply.unfinished))
            raise
        except ProviderError:
            raise
        except Exception:
            # A fault of ours: nothing of the answer stays, and nothing is tried again.
            progress.take_text(reply.text)
            self._cut(reply)
            raise

    def _cut(self, reply: Reply, kept: Message | None = None, *, is_tried_again: bool = False) -> None:
        self._publish_usage(reply)
        self._publish(ResponseCut(self.origin, kept, is_tried_again))

    def _add_response(self, reply: Reply, last: bool) -> Response:
        stop_reason = reply.stop_reason or "end_turn"
        message = self.history.add_assistant(_kept_blocks(reply, stop_reason, last))
        response = Response(
            id=reply.id,
            model=reply.model or self._client.model.id,
            message=message or Message("assistant", ()),
            stop_reason=stop_reason,
            usage=reply.usage,
            stop_explanation=reply.explanation,
        )
        self._publish(ResponseAdded(self.origin, response))
        return response

    async def _after(self, response: Response, progress: _Progress, last: bool) -> _End | None:
        """What follows a response: None to go on with another request, else how the work ends."""
        if response.stop_reason == "refusal":
            return _End("refused", _refusal_words(response), "refusal")
        if response.stop_reason == "model_context_window_exceeded":
            return _End("failed", CONTEXT_FULL_WORDS, "prompt_too_long")
        if response.message.tool_calls:
            progress.goes_on, progress.continuations = False, 0
            await self._run_tools(response.message.tool_calls)
            return None
        if last and (progress.turns > 1 or response.stop_reason in {"tool_use", "max_tokens", "pause_turn"}):
            return _End("turn_limit_reached", LIMIT_WORDS.format(progress.turns), "turn_limit")
        if response.stop_reason == "max_tokens":
            progress.continuations += 1
            if progress.continuations > MAX_CONTINUATIONS:
                return _End("failed", OUTPUT_LIMIT_WORDS, "output_limit")
            progress.goes_on = True
            self._guide(CONTINUE_LINE)
            return None
        if response.stop_reason == "pause_turn":
            progress.pauses += 1
            progress.goes_on = True
            return None if progress.pauses <= MAX_PAUSES else _End("failed", PAUSED_WORDS, "provider")
        if is_blank(progress.answer if progress.goes_on else response.message.text):
            return _End("failed", NO_ANSWER_WORDS, "no_answer")
        return _End("completed")

    async def _run_tools(self, calls: tuple[ToolCall, ...]) -> None:
        tool_round = ToolRound(calls)
        interrupted = True
        try:
            await self._executor.run(tool_round)
            interrupted = False
        finally:
            results = tool_round.results()
            self.history.add_user(results)
            self._publish(ToolResultsAdded(self.origin, Message("user", results)))
            if interrupted:
                self._guide(INTERRUPTED_LINE)

    def _tell_news(self) -> None:
        for line in self._news.lines() if self._news is not None else ():
            self._guide(line)

    def _guide(self, line: str) -> None:
        self.history.add_user((Text(line),))
        self._publish(GuidanceAdded(self.origin, line))

    def _publish_usage(self, reply: Reply) -> None:
        if reply.usage != Usage():
            self._budget.add(reply.usage)
            model = self._client.model
            self._publish(UsageAdded(self.origin, model.name, reply.usage, model.cost(reply.usage)))


def _kept_blocks(reply: Reply, stop_reason: StopReason, last: bool) -> tuple[Block, ...]:
    """A response's blocks without the tool calls that cannot or may not be run."""
    if last or stop_reason in {"refusal", "model_context_window_exceeded"}:
        return tuple(block for block in reply.blocks if not isinstance(block, ToolCall))
    if stop_reason == "max_tokens":
        return tuple(block for block in reply.blocks if not _is_cut_call(block, reply.blocks[-1]))
    return reply.blocks


def _is_cut_call(block: Block, last: Block) -> bool:
    if not isinstance(block, ToolCall):
        return False
    # A last call without any input may be one whose input had not begun; running it would be a guess.
    return block.problem is not None or (block is last and not block.input)


def _budget_words(exhausted: Exhausted) -> str:
    return BUDGET_WORDS.format(exhausted.usage, exhausted.kind, exhausted.limit)


def _refusal_words(response: Response) -> str:
    why = f" ({response.stop_explanation})" if response.stop_explanation else ""
    return f"The model declined to answer{why}. Ask in other words; if it goes on declining, begin a new conversation."
