"""Runs the tool calls of one response: groups side by side, everything else in its place, results in order."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from code_assistant.errors import AssistantError, PermissionDenied, ToolError
from code_assistant.events import (
    Display,
    Origin,
    PermissionRefused,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    ToolStatus,
)
from code_assistant.llm.provider import ToolSpecification
from code_assistant.messages import Image, Text, ToolCall, ToolResult
from code_assistant.permissions.gate import BY_RULE
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.scopes import Scope
from code_assistant.tools.services import ToolServices
from code_assistant.tools.tool import INTERRUPTED_RESULT, Tool, ToolContext, ToolOutput, permission_denied

if TYPE_CHECKING:
    from code_assistant.tools.tool_input import ToolInput

logger = logging.getLogger(__name__)

NOT_RUN_RESULT = "Not run: the person interrupted first."
MAX_ERROR_CHARACTERS = 10_000
EMPTY_RESULT = "(no output)"


class ToolRound:
    """The tool calls of one response and what became of them. Valid to read at any moment, also after a cancel."""

    def __init__(self, calls: tuple[ToolCall, ...]) -> None:
        self.calls = calls
        self._started: dict[str, str] = {}
        self._results: dict[str, ToolResult] = {}

    def start(self, call: ToolCall, interrupted: str = INTERRUPTED_RESULT) -> None:
        """From now on; `interrupted` is its result should it not come to its end."""
        self._started[call.id] = interrupted

    def finish(self, result: ToolResult) -> None:
        self._results[result.tool_call_id] = result

    def results(self) -> tuple[ToolResult, ...]:
        """One result per call, in request order; a call that did not finish gets a result that says so."""
        return tuple(self._results.get(call.id) or self._stand_in(call) for call in self.calls)

    def _stand_in(self, call: ToolCall) -> ToolResult:
        return _error_result(call, self._started.get(call.id, NOT_RUN_RESULT))


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call whose tool was found and whose input is valid."""

    call: ToolCall
    tool: Tool[Any]
    arguments: ToolInput
    title: str
    gathers: bool

    @property
    def interrupted(self) -> str:
        return self.tool.interrupted_result

    async def run(self, context: ToolContext) -> ToolOutput:
        return await self.tool.run(self.arguments, context)


@dataclass(frozen=True, slots=True)
class _Unusable:
    """A call that cannot be run, and why; it still takes its place in the order."""

    call: ToolCall
    error: ToolError
    gathers = False
    interrupted = INTERRUPTED_RESULT

    @property
    def title(self) -> str:
        return self.call.name

    async def run(self, context: ToolContext) -> ToolOutput:
        del context
        raise self.error


class Executor:
    """One per agent. Every call gets exactly one result; only cancellation leaves `run` early."""

    def __init__(
        self,
        origin: Origin,
        tools: ToolRegistry,
        services: ToolServices,
        scope: Scope = "main",
    ) -> None:
        self._origin = origin
        self._tools = tools
        self._services = services
        self._scope: Scope = scope
        self._publish = services.publish

    @property
    def specifications(self) -> tuple[ToolSpecification, ...]:
        """What the model is told about the tools it may call."""
        return tuple(
            ToolSpecification(each.name, each.description, each.input_schema)
            for each in self._tools.offered(self._scope)
        )

    async def run(self, tool_round: ToolRound) -> None:
        for group in _groups([self._prepare(call) for call in tool_round.calls]):
            running = (self._run_one(prepared, tool_round) for prepared in group)
            # All of a group are awaited even when the group is cancelled: none may outlive the round.
            for outcome in await asyncio.gather(*running, return_exceptions=True):
                if isinstance(outcome, BaseException):
                    raise outcome

    def _prepare(self, call: ToolCall) -> _Ready | _Unusable:
        if call.problem is not None:
            return _Unusable(call, ToolError(call.problem))
        try:
            # Whatever was offered: the scope counts again when a tool is called.
            tool = self._tools.find(call.name, self._scope)
            arguments = tool.checked(call.input)
            return _Ready(call, tool, arguments, tool.title(arguments), tool.gathers(arguments))
        except ToolError as error:
            return _Unusable(call, error)
        except Exception as error:  # noqa: BLE001 - a fault in one tool must cost neither its siblings nor the turn
            return _Unusable(call, ToolError(_fault_words(call, error)))

    async def _run_one(self, prepared: _Ready | _Unusable, tool_round: ToolRound) -> None:
        call = prepared.call
        title = prepared.title
        tool_round.start(call, prepared.interrupted)
        self._publish(ToolStarted(self._origin, call.id, call.name, call.input, title))
        started = time.monotonic()
        status: ToolStatus = "interrupted"
        display = Display(title, "interrupted")
        result: ToolResult | None = None
        try:
            result, status, display = await self._outcome(prepared, title)
            tool_round.finish(result)
        finally:
            duration = time.monotonic() - started
            self._publish(ToolFinished(self._origin, call.id, call.name, status, display, duration, result))

    async def _outcome(self, prepared: _Ready | _Unusable, title: str) -> tuple[ToolResult, ToolStatus, Display]:
        call = prepared.call
        try:
            self._require_usable(prepared)
            output = await prepared.run(self._context(call))
        except PermissionDenied as error:
            self._publish(PermissionRefused(self._origin, call.id, call.name, error.person))
            return _error_result(call, error.model), "denied", _denial(title, error)
        except AssistantError as error:
            return _error_result(call, error.model), "error", _failure(title, error.person)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Something inside the tool was cancelled, not the call: for the model that is a failure like others.
            words = f"{call.name} was cancelled from within."
            return _error_result(call, words), "error", _failure(title, words)
        except Exception as error:
            logger.exception("%s failed", call.name)
            words = _fault_words(call, error)
            return _error_result(call, words), "error", _failure(title, words)
        status: ToolStatus = "error" if output.failed else "success"
        content = self._masked(_without_blank(output.content))
        return ToolResult(call.id, content, output.failed), status, output.display

    def _masked(self, content: tuple[Text | Image, ...]) -> tuple[Text | Image, ...]:
        """A command can find our keys in the memory of the system; they must not go any further."""
        mask = self._services.masker.mask
        return tuple(Text(mask(part.text)) if isinstance(part, Text) else part for part in content)

    def _require_usable(self, prepared: _Ready | _Unusable) -> None:
        """A rule may take a whole tool away, also one that never asks."""
        denial = self._services.gate.tool_denial(prepared.call.name) if isinstance(prepared, _Ready) else None
        if denial is not None:
            raise permission_denied(prepared.call.name, "be used", denial, by=BY_RULE)

    def _context(self, call: ToolCall) -> ToolContext:
        loop, thread = asyncio.get_running_loop(), threading.get_ident()

        def report(text: str) -> None:
            event = ToolProgress(self._origin, call.id, text)
            if threading.get_ident() == thread:
                self._publish(event)
            else:
                loop.call_soon_threadsafe(self._publish, event)

        return ToolContext(self._origin, call.id, self._services, report)


def _groups(prepared: list[_Ready | _Unusable]) -> Iterator[list[_Ready | _Unusable]]:
    """Neighbours that gather, together; every other call alone, so that none overtakes an earlier one."""
    group: list[_Ready | _Unusable] = []
    for each in prepared:
        if each.gathers:
            group.append(each)
            continue
        if group:
            yield group
            group = []
        yield [each]
    if group:
        yield group


def _fault_words(call: ToolCall, error: Exception) -> str:
    return f"{call.name} failed unexpectedly: {type(error).__name__}: {error}"


def _denial(title: str, error: PermissionDenied) -> Display:
    return Display(title, f"denied by {error.by}" if error.by else "denied", error.person)


def _failure(title: str, words: str) -> Display:
    first_line = words.partition("\n")[0]
    return Display(title, f"failed: {first_line}", words)


def _error_result(call: ToolCall, words: str) -> ToolResult:
    if len(words) > MAX_ERROR_CHARACTERS:
        words = f"{words[:MAX_ERROR_CHARACTERS]}… (cut)"
    return ToolResult(call.id, (Text(words),), is_error=True)


def _without_blank(content: tuple[Text | Image, ...]) -> tuple[Text | Image, ...]:
    kept = tuple(part for part in content if not (isinstance(part, Text) and not part.text.strip()))
    return kept or (Text(EMPTY_RESULT),)
