"""spawn_agent: hand a task to a sub-agent and wait for its one answer."""

from __future__ import annotations

import asyncio
import logging
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from code_assistant.events import AgentFinished, Display
from code_assistant.messages import Text
from code_assistant.permissions.access import SpawnAccess
from code_assistant.subagents.building import AD_HOC_NAME, Building, effective_mode
from code_assistant.subagents.caller import Caller
from code_assistant.subagents.child import Child
from code_assistant.subagents.errors import SpawnError
from code_assistant.subagents.results import CANCELLED, CANCELLED_WITH_PARENT, FAILED, result_text, shortened
from code_assistant.subagents.runner import AgentRunner, Job, RunEnd
from code_assistant.subagents.spawn_input import SpawnInput, problem_words
from code_assistant.subagents.spawn_offer import SPAWN_TOOL, shown_schema, with_definitions
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput

logger = logging.getLogger(__name__)

TIMED_OUT = "Its time was up."
FAULT = "A fault of the program ended it: {0}. --debug writes the details to a log."


class SpawnAgent(Tool[SpawnInput]):
    """One per agent that may spawn. A sub-agent's task is owned by the call that spawned it, and never outlives it."""

    name = SPAWN_TOOL
    Input = SpawnInput
    interrupted_result = CANCELLED_WITH_PARENT

    def __init__(self, building: Building, runner: AgentRunner, caller: Caller) -> None:
        self._building = building
        self._runner = runner
        self._caller = caller

    @cached_property
    def description(self) -> str:
        return with_definitions(super().description, self._building.definitions)

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return shown_schema(super().input_schema, everything=self._building.settings.advertise == "full")

    def invalid(self, error: ValidationError) -> SpawnError:
        return SpawnError("INVALID_INPUT", f"The input of spawn_agent is not valid: {problem_words(error)}.")

    def gathers(self, arguments: SpawnInput) -> bool:
        return effective_mode(arguments, self._building.definition(arguments), self._caller.scope) == "read_only"

    def title(self, arguments: SpawnInput) -> str:
        return arguments.label

    async def run(self, arguments: SpawnInput, context: ToolContext) -> ToolOutput:
        await self._require_permission(arguments, context)
        sandbox = self._caller.services.sandbox
        if sandbox is not None and self.gathers(arguments):
            # Whether it is offered commands depends on that.
            await sandbox.find_out()
        child, job = self._build(arguments, context.tool_call_id)
        finished = await self._carry_through(child, job)
        spill, limit = context.services.spill, self._building.settings.max_result_tokens
        told = result_text(finished, child.reason, lambda text: shortened(text, limit, spill, finished.origin.name))
        display = Display(arguments.label, _summary(finished), finished.answer, "markdown")
        return ToolOutput((Text(told),), display, failed=finished.status in FAILED)

    async def _require_permission(self, arguments: SpawnInput, context: ToolContext) -> None:
        """Spawning is free, unless a rule speaks of the definition: what the child does passes the gate by itself."""
        definition = arguments.agent or AD_HOC_NAME
        action = f"spawn a sub-agent of the kind {definition}"
        detail = arguments.instructions
        await context.require_permission(self.name, SpawnAccess(definition), action, detail=detail, told=action)

    def _build(self, arguments: SpawnInput, tool_call_id: str) -> tuple[Child, Job]:
        try:
            return self._building.build(arguments, self._caller, tool_call_id, self._with_spawning)
        except SpawnError:
            raise
        except Exception as error:
            logger.exception("a sub-agent could not be built")
            words = f"The sub-agent could not be built: {type(error).__name__}: {error}."
            raise SpawnError("SPAWN_FAILED", words, retryable=True) from error

    def _with_spawning(self, caller: Caller) -> SpawnAgent:
        return SpawnAgent(self._building, self._runner, caller)

    async def _carry_through(self, child: Child, job: Job) -> AgentFinished:
        """From its first event to its last; nothing of it is left afterwards, however it ends."""
        live = self._building.live
        task = asyncio.create_task(self._work(child, job), name=child.origin.name)
        try:
            live.add(child)
            child.begin(task)
            await _ended(child, task)
        finally:
            finished = _finish(child, task)
            live.remove(child)
            self._caller.services.gate.forget(child.origin.agent_id)
        return finished

    async def _work(self, child: Child, job: Job) -> RunEnd:
        if self._caller.places.locked():
            child.queue()
        async with self._caller.places:
            child.start()
            return await self._runner.run(job, child)


async def _ended(child: Child, task: asyncio.Task[RunEnd]) -> None:
    """Wait for it; interrupted, however often, end it and wait for its clean-up all the same."""
    is_interrupted = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            is_interrupted = True
            child.end("parent")
    if is_interrupted:
        raise asyncio.CancelledError


def _finish(child: Child, task: asyncio.Task[RunEnd]) -> AgentFinished:
    if not task.cancelled() and (fault := task.exception()) is not None:
        logger.error("a sub-agent failed", exc_info=fault)
    match child.reason:
        case None:
            end = _own_end(child, task)
            return child.finish(end.status, end.answer, end.warning, end.error)
        case "timeout":
            return child.finish("timed_out", child.answer, None, TIMED_OUT)
        case reason:
            return child.finish("cancelled", child.answer, None, CANCELLED[reason])


def _own_end(child: Child, task: asyncio.Task[RunEnd]) -> RunEnd:
    if task.cancelled():
        return RunEnd("failed", child.answer, error=FAULT.format("it was cancelled from within"))
    fault = task.exception()
    if fault is None:
        return task.result()
    return RunEnd("failed", child.answer, error=FAULT.format(f"{type(fault).__name__}: {fault}"))


def _summary(finished: AgentFinished) -> str:
    tools = f"{finished.tool_calls} tool{'' if finished.tool_calls == 1 else 's'}"
    return f"{finished.status.replace('_', ' ')} · {tools} · {finished.usage.total:,} tokens"
