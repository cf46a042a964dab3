"""What the screen has taken of each sub-agent's events, so that whoever looks at one later misses nothing of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from code_assistant.events import (
    AgentFinished,
    BlockAdded,
    Event,
    Origin,
    OutputAdded,
    ResponseAdded,
    ResponseCut,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
)

# What a running command has printed is shown from its end.
KEPT_OUTPUT_CHARACTERS = 100_000

Piece: TypeAlias = TextDelta | ThinkingDelta | OutputAdded | ToolProgress
PIECES = (TextDelta, ThinkingDelta, OutputAdded, ToolProgress)
Listener: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Seen:
    """Where one agent's events stand: so many of those that are kept have been taken, and these pieces of the next.

    The kept events up to `count`, then `pieces`, then everything that comes: that is all of it, each once.
    """

    count: int
    pieces: tuple[Piece, ...]


class _LastOutput:
    """The end of what a command has printed."""

    def __init__(self) -> None:
        self._parts: deque[str] = deque()
        self._length = 0

    def add(self, text: str) -> None:
        text = text[-KEPT_OUTPUT_CHARACTERS:]
        self._parts.append(text)
        self._length += len(text)
        while self._length > KEPT_OUTPUT_CHARACTERS:
            self._length -= len(self._parts.popleft())

    @property
    def text(self) -> str:
        return "".join(self._parts)


class _Progress:
    """Of one agent: how many events, and the pieces of what is still open."""

    def __init__(self) -> None:
        self.count = 0
        self._open: tuple[type[TextDelta] | type[ThinkingDelta], list[str]] | None = None
        self._outputs: dict[str, _LastOutput] = {}
        self._progress: dict[str, ToolProgress] = {}

    def take(self, event: Event) -> None:
        match event:
            case TextDelta(_, text) | ThinkingDelta(_, text):
                kind = type(event)
                if self._open is None or self._open[0] is not kind:
                    self._open = (kind, [])
                self._open[1].append(text)
            case OutputAdded(_, call_id, text):
                self._outputs.setdefault(call_id, _LastOutput()).add(text)
            case ToolProgress(_, call_id):
                self._progress[call_id] = event
            case _:
                self.count += 1
                self._close(event)

    def _close(self, event: Event) -> None:
        """What is whole now is among the kept events."""
        match event:
            case BlockAdded() | ResponseAdded() | ResponseCut():
                self._open = None
            case ToolFinished(_, call_id):
                self._outputs.pop(call_id, None)
                self._progress.pop(call_id, None)
            case AgentFinished():
                self._open = None
                self._outputs.clear()
                self._progress.clear()
            case _:
                pass

    def pieces(self, origin: Origin) -> tuple[Piece, ...]:
        outputs = [OutputAdded(origin, call_id, kept.text) for call_id, kept in self._outputs.items()]
        if self._open is None:
            return (*outputs, *self._progress.values())
        kind, parts = self._open
        return (*outputs, *self._progress.values(), kind(origin, "".join(parts)))


class Feeds:
    """Agents are named by the tool call that spawned them, as everywhere on the screen."""

    def __init__(self) -> None:
        self._agents: dict[str, tuple[Origin, _Progress]] = {}
        self._listeners: dict[str, list[Listener]] = {}

    def take(self, event: Event) -> None:
        """Every event, once and in order; those of the main agent are of no interest here."""
        agent = event.origin.tool_call_id
        if agent is None:
            return
        found = self._agents.get(agent)
        if found is None:
            found = self._agents[agent] = (event.origin, _Progress())
        found[1].take(event)
        for listener in tuple(self._listeners.get(agent, ())):
            listener(event)

    def listen(self, agent: str, listener: Listener) -> Seen:
        """From now on the listener gets all events of an agent; what came before is told by what is given."""
        self._listeners.setdefault(agent, []).append(listener)
        found = self._agents.get(agent)
        return Seen(0, ()) if found is None else Seen(found[1].count, found[1].pieces(found[0]))

    def leave(self, agent: str, listener: Listener) -> None:
        listeners = self._listeners.get(agent, [])
        if listener in listeners:
            listeners.remove(listener)
        if not listeners:
            self._listeners.pop(agent, None)

    def clear(self) -> None:
        """Another session: nobody of the old one is known any more."""
        self._agents.clear()
        self._listeners.clear()
