"""The live Session that front ends hold: it takes commands, works through prompts, and owns the work's task."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

from code_assistant.agent.agent import Agent, Prompt
from code_assistant.agent.children import Children
from code_assistant.agent.keeping import Keeper
from code_assistant.agent.rule_keeping import RuleKeeping
from code_assistant.agent.shell import PersonsShell, ShellCommand
from code_assistant.agent.taking_back import CannotTakeBack, TakingBack
from code_assistant.channel import Channel, Subscription
from code_assistant.checkpoints.checkpoints import Restoration
from code_assistant.context_report import ContextReport
from code_assistant.events import (
    Event,
    ModeChanged,
    ModelChanged,
    Notice,
    NoticeLevel,
    PromptQueued,
    PromptWithdrawn,
    Rewound,
    ToolFinished,
    ToolStarted,
)
from code_assistant.llm.provider import ClientFactory
from code_assistant.messages import Image, Text
from code_assistant.permissions.answers import PermissionAnswer, WorkingMode
from code_assistant.permissions.broker import Broker
from code_assistant.permissions.broker import Prompt as Waiting
from code_assistant.permissions.listed_rules import ListedRule
from code_assistant.permissions.modes import YOLO_WARNING, PermissionMode
from code_assistant.sandbox_kind import SandboxKind
from code_assistant.session.view_state import ViewEvent
from code_assistant.tools.services import ToolServices

if TYPE_CHECKING:
    from code_assistant.checkpoints.differences import SessionChanges

YOLO_ENDED = "Permission mode yolo has ended: {0} counts from here on."
# Takes every event until the channel is closed, such as a log.
Recorder: TypeAlias = Callable[[Subscription], Coroutine[object, object, None]]


@dataclass(frozen=True, slots=True)
class CompactCommand:
    """The person wants the conversation to be shorter; `focus` is what must not be lost."""

    id: str
    focus: str


Item: TypeAlias = Prompt | ShellCommand | CompactCommand


class Session:
    """Used as an async context. Commands never wait; what they lead to is seen in the channel's events.

    Prompts are worked on one at a time, in the order they were sent. Interrupting ends only the current one: what
    is queued goes on, unless it is taken back.
    """

    def __init__(
        self,
        agent: Agent,
        channel: Channel,
        services: ToolServices,
        clients: ClientFactory,
        broker: Broker | None = None,
        recorders: Sequence[Recorder] = (),
        children: Children | None = None,
        *,
        id: str | None = None,  # noqa: A002
        keeper: Keeper | None = None,
        rule_keeping: RuleKeeping | None = None,
    ) -> None:
        self.id = id or str(uuid4())
        self._agent = agent
        self._channel = channel
        self._services = services
        self._clients = clients
        self._broker = broker
        self._children = children
        self._keeper = keeper
        self._rule_keeping = rule_keeping
        self._recorders = [(recorder, channel.subscribe("raw")) for recorder in recorders]
        self._recording: list[asyncio.Task[None]] = []
        self._shell = PersonsShell(agent, services)
        self._taking_back = TakingBack(agent, services)
        # Held while something is worked on, and while files are put back: never both.
        self._quiet = asyncio.Lock()
        self._waiting: deque[Item] = deque()
        self._changed = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._worker: asyncio.Task[None] | None = None
        self._current: asyncio.Task[None] | None = None
        self._interrupted = False

    @property
    def mode(self) -> PermissionMode:
        return self._services.gate.mode

    async def find_sandbox(self) -> SandboxKind | None:
        """What stands around commands; None where nobody thought of any."""
        return await self._services.sandbox.find_out() if self._services.sandbox is not None else None

    async def __aenter__(self) -> Session:
        self._worker = asyncio.create_task(self._work(), name=f"session {self.id}")
        self._recording = [asyncio.create_task(recorder(events)) for recorder, events in self._recorders]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def send(self, text: str, images: tuple[Image, ...] = ()) -> str:
        """Hand over a prompt; it starts at once, or is queued while another one is being worked on."""
        said = (Text(text),) if text.strip() else ()
        return self._add(Prompt(f"prompt_{uuid4().hex}", (*images, *said)), text)

    def retry(self) -> bool:
        """Send the last request once more; False when there is nothing that failed."""
        if not self._idle.is_set() or not self._agent.can_go_on:
            return False
        self._add(Prompt(f"prompt_{uuid4().hex}", ()), "")
        return True

    def run_shell(self, command: str) -> str:
        """Run a command of the person's own, in its turn; the model is told of it with the next prompt."""
        return self._add(ShellCommand(f"shell_{uuid4().hex}", command), f"!{command}")

    def compact(self, focus: str = "") -> str:
        """Make the conversation shorter, in its turn; what came of it is told by Compacted or CompactionFailed."""
        focus = focus.strip()
        return self._add(CompactCommand(f"compact_{uuid4().hex}", focus), f"/compact {focus}".rstrip())

    def context(self) -> ContextReport:
        """What fills the model's window, at this moment."""
        return self._agent.context

    def set_model(self, name: str) -> str:
        """Another model, from the next request on; gives its full name."""
        client = self._clients.create(name)
        self._agent.use(client)
        self._channel.publish(ModelChanged(self._agent.origin, client.model.name, client.model.context_window))
        return client.model.name

    def _add(self, item: Item, text: str) -> str:
        if self._worker is None or self._worker.done():
            raise RuntimeError("the session is not open")
        if not self._idle.is_set():
            self._channel.publish(PromptQueued(self._agent.origin, item.id, text))
        self._waiting.append(item)
        self._idle.clear()
        self._changed.set()
        return item.id

    def take_back(self) -> tuple[str, ...]:
        """Withdraw all that is queued, so that the person can change it; gives the ids."""
        withdrawn = tuple(item.id for item in self._waiting)
        self._waiting.clear()
        for item_id in withdrawn:
            self._channel.publish(PromptWithdrawn(self._agent.origin, item_id))
        return withdrawn

    def interrupt(self) -> bool:
        """Stop what is being worked on. True when there was something to stop and it was not stopping already."""
        if self._worker is None:
            # It is being closed, which ends the work too, once.
            return False
        if self._current is None:
            return self._drop_unstarted()
        if self._interrupted:
            # A second cancel would cut the clean-up of the first one short.
            return False
        self._interrupted = True
        self._current.cancel()
        return True

    def _drop_unstarted(self) -> bool:
        """Withdraw a prompt that was sent but not yet picked up: for the person it is being worked on."""
        if not self._waiting:
            return False
        self._channel.publish(PromptWithdrawn(self._agent.origin, self._waiting.popleft().id))
        return True

    def set_mode(self, mode: PermissionMode) -> None:
        """Change the permission mode; it counts from the next tool call on."""
        before, self._services.gate.mode = self._services.gate.mode, mode
        self._channel.publish(ModeChanged(self._agent.origin, mode))
        if mode != before and mode == "yolo":
            self.notify("warning", YOLO_WARNING)
        elif mode != before and before == "yolo":
            self.notify("info", YOLO_ENDED.format(mode))

    @property
    def rules(self) -> tuple[ListedRule, ...]:
        """What is denied, asked and allowed by rule, with where each comes from and what it did so far."""
        return self._services.gate.rules

    @property
    def rule_keeping(self) -> RuleKeeping | None:
        """Where rules are added, deleted and kept; None for a session whose rules stay as they are."""
        return self._rule_keeping

    @property
    def pending(self) -> tuple[Waiting, ...]:
        """What waits for the person, the oldest first."""
        return self._broker.pending if self._broker is not None else ()

    def answer_permission(self, request_id: str, answer: PermissionAnswer, reason: str = "") -> bool:
        """False, and nothing happens, when this prompt no longer waits. So with all the answers below."""
        return self._broker is not None and self._broker.answer_permission(request_id, answer, reason)

    def answer_question(self, request_id: str, text: str) -> bool:
        return self._broker is not None and self._broker.answer_question(request_id, text)

    def dismiss_question(self, request_id: str) -> bool:
        return self._broker is not None and self._broker.dismiss_question(request_id)

    def approve_plan(self, request_id: str, mode: WorkingMode) -> bool:
        """The plan is good: plan mode ends, and the work goes on in the given mode."""
        if self._broker is None or not self._broker.approve_plan(request_id, mode):
            return False
        self.set_mode(mode)
        return True

    def reject_plan(self, request_id: str, feedback: str = "") -> bool:
        return self._broker is not None and self._broker.reject_plan(request_id, feedback)

    def cancel_agent(self, tool_call_id: str) -> bool:
        """End one sub-agent; everybody else goes on. False when there is none, or it is ending already."""
        return self._children is not None and self._children.cancel(tool_call_id)

    def cancel_agents(self) -> int:
        """End all sub-agents; the main agent goes on. How many there were."""
        return self._children.cancel_all() if self._children is not None else 0

    def steer_agent(self, tool_call_id: str, text: str) -> bool:
        """Say something to a sub-agent; it reads that before its next request, and its parent never does."""
        return self._children is not None and self._children.steer(tool_call_id, text)

    async def agent_activity(self, tool_call_id: str) -> tuple[Event, ...]:
        """All events of a sub-agent so far, live or ended, but for pieces of text: their whole is among them."""
        return await self._children.activity(tool_call_id) if self._children is not None else ()

    async def agent_tool(self, tool_call_id: str, inner_call_id: str) -> tuple[ToolStarted | None, ToolFinished | None]:
        """One tool call of a sub-agent, with all of its arguments and its result."""
        if self._children is None:
            return None, None
        return await self._children.tool(tool_call_id, inner_call_id)

    async def rewind(self, prompt_id: str) -> None:
        """Back to what was said before a prompt. Raises CannotTakeBack while something is worked on."""
        async with self._while_quiet():
            if self._keeper is None:
                raise CannotTakeBack("This session is not kept, so it cannot go back.")
            self._agent.rewind(await asyncio.to_thread(self._keeper.messages_before, prompt_id))
            self._channel.publish(Rewound(self._agent.origin, prompt_id))

    def keep_view(self, event: ViewEvent) -> None:
        """Remember what the person did to the look of the session."""
        if self._keeper is not None:
            self._keeper.keep_view(event)

    def notify(self, level: NoticeLevel, text: str) -> None:
        """Tell the person something that came up around the session, such as a memory file that was cut."""
        self._channel.publish(Notice(self._agent.origin, level, text))

    async def undo(self, *, leaving: bool = False) -> Restoration:
        """Take back what the last prompt that changed files did to them, sub-agents included, as one step.

        Raises CannotTakeBack while something is worked on, NothingToUndo, or UndoRefused with all that stands in the
        way, having touched nothing. `leaving` puts back what can be and leaves the rest as it is.
        """
        async with self._while_quiet():
            return await self._taking_back.undo(leaving=leaving)

    async def rewind_files(self, prompt_id: str, *, leaving: bool = False) -> Restoration:
        """Every file that this prompt or a later one changed, back to what it was before. Raises as `undo` does."""
        async with self._while_quiet():
            return await self._taking_back.rewind(prompt_id, leaving=leaving)

    async def file_changes(self) -> SessionChanges:
        """What the session has changed and not taken back. Raises CannotTakeBack while something is worked on."""
        async with self._while_quiet():
            return await self._taking_back.changes()

    @asynccontextmanager
    async def _while_quiet(self) -> AsyncGenerator[None]:
        """Nothing is worked on, and nothing begins to be; what is sent meanwhile waits."""
        if not self._idle.is_set() or self._quiet.locked():
            raise CannotTakeBack("Something is being worked on. Wait until it has ended, or interrupt it first.")
        async with self._quiet:
            yield

    async def idle(self) -> None:
        """Wait until nothing is worked on and nothing is queued."""
        await self._idle.wait()

    async def close(self) -> None:
        """End all work, wait for its clean-up, close the connections and the channel. A failed worker raises here."""
        worker, self._worker = self._worker, None
        if worker is None:
            return
        self._waiting.clear()
        if self._children is not None:
            self._children.end_session()
        try:
            if self._interrupted and self._current is not None:
                # Its clean-up is under way, and a second cancel would cut it short.
                await asyncio.wait({self._current})
            worker.cancel()
            await asyncio.wait({worker})
            if not worker.cancelled():
                worker.result()
        finally:
            async with self._quiet:
                await self._close_all()

    async def _close_all(self) -> None:
        """From the last line up; one that fails keeps none of the others from being closed."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._recorded)
            stack.callback(self._channel.close)
            stack.push_async_callback(self._clients.close)
            stack.push_async_callback(asyncio.to_thread, self._services.spill.remove)
            if self._services.sandbox is not None:
                stack.push_async_callback(self._services.sandbox.close)
            stack.push_async_callback(self._services.commands.supervisor.close)
            stack.push_async_callback(self._services.commands.close)

    async def _recorded(self) -> None:
        """Whoever writes events down has taken the last one."""
        await asyncio.gather(*self._recording)

    async def _work(self) -> None:
        try:
            while True:
                while self._waiting:
                    async with self._quiet:
                        # It may have been taken back while files were put back.
                        if self._waiting:
                            await self._work_on(self._waiting.popleft())
                self._idle.set()
                self._changed.clear()
                await self._changed.wait()
        except Exception:
            # Nobody may wait for the events of a worker that is gone; `close` raises what ended it.
            self._channel.close()
            raise
        finally:
            self._idle.set()

    async def _work_on(self, item: Item) -> None:
        self._interrupted = False
        started = False

        async def work() -> None:
            nonlocal started
            started = True
            if isinstance(item, ShellCommand):
                await self._shell.run(item)
            elif isinstance(item, CompactCommand):
                await self._agent.compact(item.id, item.focus)
            else:
                if self._services.checkpoints is not None:
                    self._services.checkpoints.begin(item.id)
                await self._agent.answer(item)

        async with asyncio.TaskGroup() as group:
            self._current = group.create_task(work(), name=item.id)
        self._current = None
        for warning in self._services.checkpoints.warnings() if self._services.checkpoints is not None else ():
            self.notify("warning", warning)
        if not started:
            self._channel.publish(PromptWithdrawn(self._agent.origin, item.id))
