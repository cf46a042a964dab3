"""An agent as the one that spawns: what it may hand down, which is never more than it has."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from code_assistant.agent.agent import Agent
from code_assistant.agent.budget import Budget
from code_assistant.events import Origin
from code_assistant.subagents.child import Child
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.scopes import Scope
from code_assistant.tools.services import ToolServices


@dataclass(slots=True)
class Caller:
    """`tools` are its own but for spawn_agent; `places` is how many sub-agents of it may run at once.

    The agent itself is bound when it is there, since its tools must be there first.
    """

    origin: Origin
    tools: ToolRegistry
    scope: Scope
    services: ToolServices
    budget: Budget
    places: asyncio.Semaphore
    child: Child | None = None
    _agent: Agent | None = field(default=None)

    def bind(self, agent: Agent) -> None:
        self._agent = agent

    @property
    def agent(self) -> Agent:
        if self._agent is None:
            raise RuntimeError("the agent that spawns is not there yet")
        return self._agent
