"""All live sub-agents of a session: their names, their colours, and how each is reached and ended."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from uuid import uuid4

from code_assistant.events import AgentSpawned, Event, Origin, ToolFinished, ToolStarted
from code_assistant.session.files import SessionFiles
from code_assistant.session.past_agents import agent_call, agent_entries
from code_assistant.subagents.activity_log import ActivityLog
from code_assistant.subagents.child import Child, EndReason
from code_assistant.subagents.errors import SpawnError

COLOURS = 10
# What other agents and the person are called: nobody may ask under these.
RESERVED_NAMES = frozenset({"main", "parent", "self", "person", "user"})


class LiveAgents:
    """By the id of the tool call that spawned them, which no two calls of a session share.

    What a sub-agent did stays readable after its end; nothing else of it does. `publish` is for those who speak for
    several agents, such as the broker: each event goes the way of its agent, and is dropped when that has ended.
    """

    def __init__(self, publish: Callable[[Event], None], files: SessionFiles) -> None:
        """`files` are where no agent may read without being asked: what one saw is not for the others."""
        self._publish = publish
        self._files = files
        self._children: dict[str, Child] = {}
        self._logs: dict[str, ActivityLog] = {}
        self._names = set(RESERVED_NAMES)
        self._numbers: Counter[str] = Counter()
        # The colour that was not in use for the longest time comes first.
        self._colours = list(range(COLOURS))

    @property
    def all(self) -> tuple[Child, ...]:
        return tuple(self._children.values())

    def new_origin(self, parent: Origin, tool_call_id: str, name: str | None, base: str) -> Origin:
        """Who a new sub-agent is; raises SpawnError where its name is taken."""
        if name is not None and name in self._names:
            raise SpawnError(
                "NAME_IN_USE",
                f"The name {name!r} is taken.",
                suggestion="Choose another name, or leave it out.",
            )
        return Origin(
            agent_id=f"agent_{uuid4().hex}",
            name=name or self._next_name(base),
            depth=parent.depth + 1,
            parent_id=parent.agent_id,
            tool_call_id=tool_call_id,
            colour=self._next_colour(),
        )

    def publish(self, event: Event) -> None:
        if event.origin.tool_call_id is None:
            self._publish(event)
        elif (child := self._children.get(event.origin.tool_call_id)) is not None:
            child.publish(event)

    def new_child(self, spawned: AgentSpawned, parent: Child | None, timeout: float | None) -> Child:
        """Not among the live ones yet."""
        log = ActivityLog(self._files.agent_file(spawned.origin), spawned.origin.name)
        return Child(spawned, self._publish, log, parent=parent, timeout=timeout)

    def add(self, child: Child) -> None:
        call_id = _call_id(child)
        self._children[call_id] = child
        self._logs[call_id] = child.log
        self._names.add(child.origin.name)
        if child.origin.colour in self._colours:
            self._colours.remove(child.origin.colour)

    def remove(self, child: Child) -> None:
        if self._children.pop(_call_id(child), None) is None:
            return
        self._names.discard(child.origin.name)
        colour = child.origin.colour
        if colour is not None and all(each.origin.colour != colour for each in self._children.values()):
            self._colours.append(colour)

    def cancel(self, tool_call_id: str) -> bool:
        child = self._children.get(tool_call_id)
        return child is not None and child.end("person")

    def cancel_all(self) -> int:
        return self._end_all("person")

    def end_session(self) -> None:
        self._end_all("session")

    def steer(self, tool_call_id: str, text: str) -> bool:
        child = self._children.get(tool_call_id)
        return child is not None and child.steer(text)

    async def activity(self, tool_call_id: str) -> tuple[Event, ...]:
        log = self._logs.get(tool_call_id)
        if log is not None:
            return await asyncio.to_thread(log.events)
        entries = await asyncio.to_thread(agent_entries, self._files.folder, tool_call_id)
        return tuple(entry.event for entry in entries)

    async def tool(self, tool_call_id: str, inner_call_id: str) -> tuple[ToolStarted | None, ToolFinished | None]:
        log = self._logs.get(tool_call_id)
        if log is not None:
            return await asyncio.to_thread(log.tool, inner_call_id)
        return await asyncio.to_thread(agent_call, self._files.folder, tool_call_id, inner_call_id)

    def _end_all(self, reason: EndReason) -> int:
        # The deepest first: each then ends for this reason, and not because its parent did.
        deepest_first = sorted(self._children.values(), key=lambda child: -child.origin.depth)
        return sum(child.end(reason) for child in deepest_first)

    def _next_name(self, base: str) -> str:
        while True:
            self._numbers[base] += 1
            name = f"{base}-{self._numbers[base]}"
            if name not in self._names:
                return name

    def _next_colour(self) -> int:
        """One that no live agent has; when all are taken, the one that fewest share."""
        if self._colours:
            return self._colours[0]
        shared = Counter(child.origin.colour for child in self._children.values())
        return min(range(COLOURS), key=lambda colour: shared[colour])


def _call_id(child: Child) -> str:
    if child.origin.tool_call_id is None:
        raise ValueError("a sub-agent is spawned by a tool call")
    return child.origin.tool_call_id
