"""Runs of a session as data: prompts, requests, tools, sub-agents, written to real files one event at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, zip_longest
from pathlib import Path

from hypothesis import strategies as st

from code_assistant.events import (
    MAIN,
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    BlockAdded,
    Display,
    Event,
    GuidanceAdded,
    Origin,
    PromptFinished,
    PromptStarted,
    RequestStarted,
    ResponseAdded,
    TextDelta,
    ToolFinished,
    ToolResultsAdded,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Block, Message, Response, Text, ToolCall, ToolResult, Usage
from code_assistant.secrets import Masker
from code_assistant.session.event_file import EventFile
from code_assistant.session.files import SessionFiles
from code_assistant.session.recorder import SessionRecorder
from code_assistant.session.store import SessionStore

MODEL = "model-1"
USED = Usage(10, 2)


@dataclass(frozen=True)
class Turn:
    """One request: how many pieces its text comes in, how many tools it calls, how many sub-agents it spawns."""

    pieces: int = 2
    tools: int = 0
    agents: int = 0


RUNS = st.lists(
    st.lists(st.builds(Turn, st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=3),
    min_size=1,
    max_size=3,
)


def a_store(folder: Path, *secrets: str) -> SessionStore:
    """Its clock stands still, so that the same events make the same bytes."""
    return SessionStore(folder / "state" / "sessions", Masker(secrets), lambda: 1000.5)


def run_events(run: Sequence[Sequence[Turn]]) -> Iterator[Event]:
    """Everything that such a run publishes, in an order in which it could."""
    ids = count(1)
    for number, turns in enumerate(run, 1):
        yield from prompt_events(MAIN, f"p{number}", turns, ids)


def prompt_events(origin: Origin, prompt_id: str, turns: Sequence[Turn], ids: Iterator[int]) -> Iterator[Event]:
    yield PromptStarted(origin, prompt_id, Message("user", (Text(f"{prompt_id} of {origin.name}"),)))
    said = ""
    for number, turn in enumerate(turns, 1):
        is_last = number == len(turns)
        yield RequestStarted(origin, number, MODEL)
        pieces = [f"{prompt_id}.{number}.{piece} " for piece in range(turn.pieces or is_last)]
        yield from (TextDelta(origin, piece) for piece in pieces)
        said = "".join(pieces)
        text: tuple[Block, ...] = (Text(said),) if said else ()
        calls = tuple(
            ToolCall(f"call_{next(ids)}", name, {"note": name})
            for name in ["echo"] * turn.tools + ["spawn_agent"] * (turn.agents if origin == MAIN else 0)
            if not is_last
        )
        blocks = (*text, *calls) or (Text("Hm."),)
        yield from (BlockAdded(origin, block) for block in blocks)
        yield UsageAdded(origin, MODEL, USED, 0.5)
        stop = "tool_use" if calls else "end_turn"
        yield ResponseAdded(origin, Response("r", MODEL, Message("assistant", blocks), stop, USED))
        if calls:
            yield from _called(origin, calls, ids)
        elif not is_last:
            yield GuidanceAdded(origin, "Go on.")
    yield PromptFinished(origin, prompt_id, "completed", said, len(turns), 1.0, is_answered=True)


def _called(origin: Origin, calls: Sequence[ToolCall], ids: Iterator[int]) -> Iterator[Event]:
    tracks = [_spawned(call, ids) if call.name == "spawn_agent" else _echoed(origin, call) for call in calls]
    yield from (each for each in chain.from_iterable(zip_longest(*tracks)) if each is not None)
    results = tuple(result_of(call) for call in calls)
    yield ToolResultsAdded(origin, Message("user", results))


def result_of(call: ToolCall) -> ToolResult:
    words = f"found {call.id}" if call.name == "spawn_agent" else f"echo {call.id}"
    return ToolResult(call.id, (Text(words),))


def _echoed(origin: Origin, call: ToolCall) -> Iterator[Event]:
    yield ToolStarted(origin, call.id, call.name, call.input, f"Echo {call.id}")
    yield ToolFinished(origin, call.id, call.name, "success", Display("Echo"), 0.1, result_of(call))


def child_origin(call_id: str) -> Origin:
    return Origin(f"agent-{call_id}", f"child-{call_id}", 2, "main", call_id, 1)


def _spawned(call: ToolCall, ids: Iterator[int]) -> Iterator[Event]:
    child = child_origin(call.id)
    yield ToolStarted(MAIN, call.id, call.name, call.input, "Spawn")
    yield AgentSpawned(child, "label", "look", "default", None, MODEL, 10)
    yield AgentStatusChanged(child, "running")
    yield from prompt_events(child, f"{call.id}-0", (Turn(2, 1), Turn(2)), ids)
    yield AgentFinished(child, "completed", f"found {call.id}", 2, 1, USED, 0.5, 1.0)
    yield ToolFinished(MAIN, call.id, call.name, "success", Display("Spawn"), 1.0, result_of(call))


class Writer:
    """Writes events as the program does: those of a sub-agent to its own file, and what the recorder takes."""

    def __init__(self, files: SessionFiles) -> None:
        self.files = files
        self._recorder = SessionRecorder(files)
        self._agents: dict[str, EventFile] = {}

    def write(self, event: Event) -> None:
        call_id = event.origin.tool_call_id
        if call_id is not None:
            file = self._agents.setdefault(call_id, self.files.agent_file(event.origin))
            file.write(event)
            if isinstance(event, AgentFinished):
                file.close()
        self._recorder.take(event)

    def sizes(self) -> dict[Path, int]:
        """How long each file is at this moment."""
        paths = (self.files.main.path, *(file.path for file in self._agents.values()))
        return {path: path.stat().st_size for path in paths if path.exists()}

    def close(self) -> None:
        for file in self._agents.values():
            file.close()
        self.files.close()
