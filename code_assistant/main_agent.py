"""The main agent of a session: its tools, its budget, and the conversation that it goes on with."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from code_assistant.agent.agent import Agent
from code_assistant.agent.budget import Budget, TokenLimits
from code_assistant.agent.executor import Executor
from code_assistant.agent.history import History
from code_assistant.agent.limits import Limits
from code_assistant.agent.news import News
from code_assistant.events import MAIN
from code_assistant.llm.provider import ModelClient
from code_assistant.session_plan import SessionPlan
from code_assistant.subagents.building import Building, with_spawning
from code_assistant.subagents.caller import Caller
from code_assistant.subagents.spawn_offer import SpawnOffer
from code_assistant.tools.builtin import ROOM, builtin_tools
from code_assistant.tools.late_tool import LateTool
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.services import ToolServices

if TYPE_CHECKING:
    from code_assistant.subagents.spawn_agent import SpawnAgent
    from code_assistant.tools.web_search import WebSearch

# What a run without a person has in a folder that nobody trusts.
READING_TOOLS = frozenset({"read_files", "list_files", "glob_files", "search_files", "todo"})


def main_agent(
    plan: SessionPlan, services: ToolServices, building: Building, client: ModelClient, system: str
) -> tuple[Agent, Executor]:
    """The agent, and the executor that knows its tools."""
    history, context = _history(plan), plan.settings.context
    caller = _caller(plan, services)
    executor = Executor(MAIN, _spawning_tools(plan, building, caller, history.used_ids), services)
    agent = Agent(
        origin=MAIN,
        client=client,
        system=system,
        executor=executor,
        publish=plan.channel.publish,
        history=history,
        limits=Limits(plan.settings.limits.max_turns or None),
        news=News(services),
        budget=caller.budget,
        retries=building.retries,
        compact_at=context.compact_at,
    )
    caller.bind(agent)
    return agent, executor


def _history(plan: SessionPlan) -> History:
    return History() if plan.reopened is None else History(plan.reopened.messages(), plan.reopened.used_ids())


def _caller(plan: SessionPlan, services: ToolServices) -> Caller:
    """The main agent as the one that spawns; its budget is the session's, of which a part may be used already."""
    settings = plan.settings
    budget = Budget(TokenLimits(total=settings.session.max_tokens or None))
    if plan.reopened is not None:
        budget.add(plan.reopened.totals().usage)
    return Caller(MAIN, _tools(plan), "main", services, budget, asyncio.Semaphore(settings.agents.max_parallel))


def _tools(plan: SessionPlan) -> ToolRegistry:
    tools = builtin_tools(_web_search(plan))
    return tools if plan.trust.is_trusted or plan.is_person_there else tools.narrowed(READING_TOOLS.__contains__)


def _web_search(plan: SessionPlan) -> LateTool | None:
    key = plan.credentials.search_key
    if key is None:
        return None

    def make() -> WebSearch:
        from code_assistant.tools.web_search import WebSearch

        return WebSearch(plan.settings.web.search_url, key)

    return LateTool(ROOM, "web_search", make)


def _spawning_tools(plan: SessionPlan, building: Building, caller: Caller, used_ids: set[str]) -> ToolRegistry:
    settings = plan.settings

    def make() -> SpawnAgent:
        from code_assistant.subagents.runner import LoopRunner
        from code_assistant.subagents.spawn_agent import SpawnAgent

        runner = LoopRunner(used_ids, settings.agents.file_reference_failure, settings.context.compact_at)
        return SpawnAgent(building, runner, caller)

    offer = SpawnOffer(building.definitions, make, everything=settings.agents.advertise == "full")
    return with_spawning(caller, lambda _: offer, settings.agents.max_depth)
