"""A real session over the scripted server, with all its events kept."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from code_assistant.agent.agent import Agent
from code_assistant.agent.budget import Budget, TokenLimits
from code_assistant.agent.context_keeper import COMPACT_AT
from code_assistant.agent.executor import Executor
from code_assistant.agent.history import History, validate
from code_assistant.agent.limits import Limits
from code_assistant.agent.news import News
from code_assistant.agent.session import Session
from code_assistant.channel import Channel
from code_assistant.checkpoints.checkpoints import Checkpoints
from code_assistant.config.settings import AgentSettings
from code_assistant.events import MAIN, Event, PromptFinished
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.clock import Clock
from code_assistant.llm.provider import ClientFactory
from code_assistant.llm.retry_policy import RetryPolicy
from code_assistant.messages import Message
from code_assistant.permissions.modes import PermissionMode
from code_assistant.permissions.person import Person
from code_assistant.resuming.conversation import messages_of
from code_assistant.secrets import Masker
from code_assistant.session.past import Past
from code_assistant.session.recorder import SessionRecorder
from code_assistant.session.store import SessionStore
from code_assistant.subagents.building import Building, with_spawning
from code_assistant.subagents.caller import Caller
from code_assistant.subagents.definition import builtin_definitions
from code_assistant.subagents.live import LiveAgents
from code_assistant.subagents.runner import AgentRunner, LoopRunner
from code_assistant.subagents.spawn_agent import SpawnAgent
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.scopes import Scope
from code_assistant.tools.services import ToolServices
from tests.agent.providers import TransportName, factory
from tests.agent.tools import registry
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.surroundings import surroundings

# Most tests are about what a failure leads to, not about how often it is tried.
NO_RETRIES = RetryPolicy(attempts=1)
# What `running` speaks unless it is told; tests of what holds for both protocols run with each.
DEFAULT_TRANSPORT: TransportName = "wire"

EventT = TypeVar("EventT", bound=Event)


class Harness:
    """What a test holds: the session, its agent, what its tools work with, and every event so far."""

    def __init__(
        self,
        session: Session,
        agent: Agent,
        channel: Channel,
        services: ToolServices,
        live: LiveAgents,
        store: SessionStore,
    ) -> None:
        self.session = session
        self.store = store
        self.live = live
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
        number = len(self.finished) + 1
        self.session.send(text)
        await self.until_so(lambda: len(self.finished) >= number)
        return self.finished[number - 1]

    @property
    def finished(self) -> list[PromptFinished]:
        """The ends of the person's prompts; the task of a sub-agent is none."""
        return [event for event in self.of(PromptFinished) if event.origin == MAIN]

    async def until_so(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is true, which only events can make true."""
        async with asyncio.timeout(HANG_GUARD), self._arrived:
            await self._arrived.wait_for(is_so)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The history, which must be valid whenever a test looks at it between prompts."""
        validate(self.agent.history.messages)
        return self.agent.history.messages


class InterruptingChannel(Channel):
    """Interrupts the session right after the n-th event, in the same step of the loop."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self.session: Session | None = None

    def publish(self, event: Event) -> None:
        super().publish(event)
        self._number -= 1
        if self._number == 0 and self.session is not None:
            self.session.interrupt()


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
    ask: Sequence[str] = (),
    scope: Scope = "main",
    max_turns: int | None = None,
    folder: Path = Path(),
    transport: TransportName | None = None,
    model: str = "sonnet",
    channel: Channel | None = None,
    agents: AgentSettings | None = None,
    runner: AgentRunner | None = None,
    clients: ClientFactory | None = None,
    catalogue: Catalogue | None = None,
    max_tokens: int | None = None,
    retries: RetryPolicy = NO_RETRIES,
    clock: Clock | None = None,
    compact_at: float = COMPACT_AT,
    checkpoints: Checkpoints | None = None,
) -> AsyncIterator[Harness]:
    """With `agents` the main agent can spawn sub-agents; `runner` is then who runs them."""
    channel = channel or Channel()
    state = tempfile.TemporaryDirectory(prefix="code-assistant-tests-")
    store = SessionStore(Path(state.name) / "sessions", Masker(()))
    files = store.new(folder, None)
    live = LiveAgents(channel.publish, files)
    around = surroundings(
        folder,
        live.publish,
        person=person,
        asks_broker=asks_broker,
        mode=mode,
        allow=allow,
        deny=deny,
        ask=ask,
        checkpoints=checkpoints,
    )
    clients = clients or factory(server.url, transport or DEFAULT_TRANSPORT, catalogue=catalogue)
    budget = Budget(TokenLimits(total=max_tokens))
    used_ids: set[str] = set()
    offered = tools or registry()
    caller = Caller(MAIN, offered, scope, around.services, budget, asyncio.Semaphore(1))
    if agents is not None:
        caller.places = asyncio.Semaphore(agents.max_parallel)
        building = Building(
            agents,
            builtin_definitions(),
            clients,
            live,
            around.services.workspace,
            lambda place, _: f"At {place.root}.",
            retries,
        )
        runs = runner or LoopRunner(used_ids, agents.file_reference_failure, compact_at, clock)
        offered = with_spawning(caller, lambda each: SpawnAgent(building, runs, each), agents.max_depth)
    agent = Agent(
        origin=MAIN,
        client=clients.create(model),
        system="You are a test.",
        executor=Executor(MAIN, offered, around.services, scope),
        publish=channel.publish,
        history=History(used_ids=used_ids),
        limits=Limits(max_turns),
        news=News(around.services),
        budget=budget,
        retries=retries,
        clock=clock,
        compact_at=compact_at,
    )
    caller.bind(agent)
    recorders = (SessionRecorder(files).record,)
    session = Session(agent, channel, around.services, clients, around.broker, recorders, live, id=files.header.id)
    harness = Harness(session, agent, channel, around.services, live, store)
    with state:
        async with asyncio.TaskGroup() as group:
            group.create_task(harness.collect())
            async with harness.session:
                yield harness
        if files.folder.main_file.exists():
            # Whatever a test does: what was written down is what was said.
            assert messages_of(Past(files.folder).conversation()) == agent.history.messages
