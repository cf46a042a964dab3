"""Runs one sub-agent to its end: the same loop as the main agent's, and the check of its file references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from code_assistant.agent.agent import Agent, Prompt
from code_assistant.agent.context_keeper import COMPACT_AT
from code_assistant.agent.executor import Executor
from code_assistant.agent.history import History
from code_assistant.agent.limits import Limits
from code_assistant.agent.news import News
from code_assistant.config.settings import ReferenceFailure
from code_assistant.events import EndStatus, Outcome, PromptFinished, ReferenceRetry
from code_assistant.llm.clock import Clock
from code_assistant.llm.provider import ModelClient
from code_assistant.llm.retry_policy import RetryPolicy
from code_assistant.messages import Text
from code_assistant.subagents.caller import Caller
from code_assistant.subagents.child import Child
from code_assistant.subagents.references import ReferenceProblem, correction, reference_problems, warning_line
from code_assistant.tools.registry import ToolRegistry
from code_assistant.workspace.ledger import FileLedger
from code_assistant.workspace.threads import in_thread_to_its_end
from code_assistant.workspace.workspace import Workspace

MAX_REFERENCE_RETRIES = 2
CORRECTION_TURNS = 3
UNVERIFIED_WORDS = "Its file references could not be verified."

STATUS_OF: dict[Outcome, EndStatus] = {
    "completed": "completed",
    "turn_limit_reached": "turn_limit_reached",
    "budget_exhausted": "budget_exhausted",
    "refused": "failed",
    "failed": "failed",
    "interrupted": "cancelled",
}


@dataclass(frozen=True, slots=True)
class Job:
    """What a sub-agent is to do, and with what. `caller` is the sub-agent itself, should it spawn in turn.

    `workspace` is where the references in its answer count from; None when it needs none.
    """

    instructions: str
    client: ModelClient
    system: str
    tools: ToolRegistry
    caller: Caller
    limits: Limits
    retries: RetryPolicy
    workspace: Workspace | None


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How it came to its own end. A cancelled run has none."""

    status: EndStatus
    answer: str
    warning: str | None = None
    error: str | None = None


class AgentRunner(Protocol):
    """May be cancelled at any point; everything it started has ended when it returns or raises."""

    async def run(self, job: Job, child: Child) -> RunEnd: ...


class LoopRunner:
    """`used_ids` are the tool call ids of the whole session, so that none is given twice.

    `compact_at` is how much of its own model's window a sub-agent may fill before its conversation is compacted.
    """

    def __init__(
        self,
        used_ids: set[str],
        reference_failure: ReferenceFailure,
        compact_at: float = COMPACT_AT,
        clock: Clock | None = None,
    ) -> None:
        self._clock = clock
        self._used_ids = used_ids
        self._reference_failure: ReferenceFailure = reference_failure
        self._compact_at = compact_at

    async def run(self, job: Job, child: Child) -> RunEnd:
        agent = self._agent(job, child)
        job.caller.bind(agent)
        child.attach(agent.tell)
        try:
            finished = await agent.answer(_prompt(child, 0, job.instructions))
            if job.workspace is None:
                return _run_end(finished)
            return await self._with_references(agent, job, job.workspace, child, finished)
        finally:
            await job.caller.services.commands.close()

    def _agent(self, job: Job, child: Child) -> Agent:
        services = job.caller.services
        return Agent(
            origin=child.origin,
            client=job.client,
            system=job.system,
            executor=Executor(child.origin, job.tools, services, job.caller.scope),
            publish=child.publish,
            history=History(used_ids=self._used_ids),
            limits=job.limits,
            news=News(services, presents_plans=False),
            budget=job.caller.budget,
            retries=job.retries,
            clock=self._clock,
            compact_at=self._compact_at,
        )

    async def _with_references(
        self, agent: Agent, job: Job, workspace: Workspace, child: Child, finished: PromptFinished
    ) -> RunEnd:
        """Ask for better references as long as they do not hold, in the same conversation; then say which do not."""
        end = _run_end(finished)
        ledger = job.caller.services.ledger
        problems = await _problems(end.answer, workspace, ledger) if end.answer.strip() else ()
        for attempt in range(1, MAX_REFERENCE_RETRIES + 1):
            if not problems or end.status != "completed":
                break
            child.publish(
                ReferenceRetry(child.origin, attempt, tuple(f"{each.reference}: {each.reason}" for each in problems))
            )
            corrected = await agent.answer(
                _prompt(child, attempt, correction(problems)),
                Limits(CORRECTION_TURNS, job.limits.max_request_tokens),
            )
            end = _corrected_end(corrected, end)
            problems = await _problems(end.answer, workspace, ledger)
        return self._judged(end, problems)

    def _judged(self, end: RunEnd, problems: tuple[ReferenceProblem, ...]) -> RunEnd:
        if not problems:
            return end
        warning = warning_line(problems)
        if end.status != "completed":
            return RunEnd(end.status, end.answer, warning, end.error)
        if self._reference_failure == "error":
            return RunEnd("failed", end.answer, warning, UNVERIFIED_WORDS)
        return RunEnd("completed_with_warning", end.answer, warning)


def _prompt(child: Child, number: int, text: str) -> Prompt:
    return Prompt(f"{child.origin.agent_id}_{number}", (Text(text),))


async def _problems(answer: str, workspace: Workspace, ledger: FileLedger) -> tuple[ReferenceProblem, ...]:
    return await in_thread_to_its_end(lambda flag: reference_problems(answer, workspace, ledger, flag))


def _run_end(finished: PromptFinished) -> RunEnd:
    return RunEnd(STATUS_OF[finished.outcome], finished.answer, error=finished.error)


def _corrected_end(corrected: PromptFinished, before: RunEnd) -> RunEnd:
    """A correction that had to end is an answer like others; one that came to none leaves the answer before it."""
    if corrected.outcome == "completed" or (corrected.outcome == "turn_limit_reached" and corrected.is_answered):
        return RunEnd("completed", corrected.answer)
    if corrected.outcome == "turn_limit_reached":
        return before
    return RunEnd(STATUS_OF[corrected.outcome], before.answer, error=corrected.error)
