"""A real session over the scripted server, with all its events kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from code_assistant.agent.agent import Agent
from code_assistant.agent.executor import Executor
from code_assistant.agent.history import validate
from code_assistant.agent.limits import Limits
from code_assistant.agent.news import News
from code_assistant.agent.session import Session
from code_assistant.channel import Channel
from code_assistant.events import MAIN, Event, PromptFinished
from code_assistant.messages import Message
from code_assistant.permissions.modes import PermissionMode
from code_assistant.permissions.person import Person
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.scopes import Scope
from code_assistant.tools.services import ToolServices
from tests.agent.providers import TransportName, factory
from tests.agent.tools import registry
from tests.fakes.server import ScriptedServer
from tests.surroundings import surroundings

HANG_GUARD = 20

EventT = TypeVar("EventT", bound=Event)


class Harness:
    """What a test holds: the session, its agent, what its tools work with, and every event so far."""

    def __init__(self, session: Session, agent: Agent, channel: Channel, services: ToolServices) -> None:
        self.session = session
        self.agent = agent
        self.services = services
        self.events: list[Event] = []
        self._arrived = asyncio.Condition()
        self._subscription = channel.subscribe("raw")

    async def collect(self) -> None:
        async for event in self._subscription:
            async with self._arrived:
                self.events.append(event)
                self._arrived.notify_all()

    def of(self, kind: type[EventT]) -> list[EventT]:
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, kind: type[EventT], number: int = 1) -> EventT:
        """Wait until so many events of a kind have come; gives the last of them."""
        async with asyncio.timeout(HANG_GUARD), self._arrived:
            await self._arrived.wait_for(lambda: len(self.of(kind)) >= number)
        return self.of(kind)[number - 1]

    async def ask(self, text: str = "hi") -> PromptFinished:
        """Send a prompt and wait for its end."""
        number = len(self.of(PromptFinished)) + 1
        self.session.send(text)
        return await self.until(PromptFinished, number)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The history, which must be valid whenever a test looks at it between prompts."""
        validate(self.agent.history.messages)
        return self.agent.history.messages


@asynccontextmanager
async def running(
    server: ScriptedServer,
    *,
    tools: ToolRegistry | None = None,
    person: Person | None = None,
    asks_broker: bool = False,
    mode: PermissionMode = "ask",
    allow: Sequence[str] = (),
    deny: Sequence[str] = (),
    scope: Scope = "main",
    max_turns: int | None = None,
    folder: Path = Path(),
    transport: TransportName = "wire",
    model: str = "sonnet",
    channel: Channel | None = None,
) -> AsyncIterator[Harness]:
    channel = channel or Channel()
    offered = tools or registry()
    around = surroundings(
        folder, channel.publish, person=person, asks_broker=asks_broker, mode=mode, allow=allow, deny=deny
    )
    clients = factory(server.url, transport)
    agent = Agent(
        origin=MAIN,
        client=clients.create(model),
        system="You are a test.",
        executor=Executor(MAIN, offered, around.services, scope),
        publish=channel.publish,
        limits=Limits(max_turns),
        news=News(around.services),
    )
    session = Session(agent, channel, around.services, clients, around.broker)
    harness = Harness(session, agent, channel, around.services)
    async with asyncio.TaskGroup() as group:
        group.create_task(harness.collect())
        async with harness.session:
            yield harness
