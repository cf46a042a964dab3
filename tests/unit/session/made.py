"""Sessions as they stand on disk, written event by event at moments that are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from code_assistant.events import (
    MAIN,
    AgentFinished,
    AgentSpawned,
    BlockAdded,
    Display,
    EndStatus,
    Event,
    Origin,
    PromptFinished,
    PromptStarted,
    RequestStarted,
    ToolFinished,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Message, Text, Usage
from code_assistant.secrets import Masker
from code_assistant.session.lines import event_line
from code_assistant.session.store import SessionStore

BEGUN = 1_700_000_000.0
WORKING_FOLDER = Path("/home/ada/shop")


def store_in(folder: Path) -> SessionStore:
    return SessionStore(folder / "sessions", Masker(()), lambda: BEGUN)


def write_session(
    store: SessionStore,
    events: Sequence[Event],
    agents: Sequence[Sequence[Event]] = (),
    folder: Path = WORKING_FOLDER,
) -> str:
    """A session and its sub-agents; a second passes from one event to the next. Nobody holds it afterwards."""
    files = store.new(folder, "main")
    # The header comes with the first event, which the file writes itself.
    for file, own in (
        (files.main, events),
        *((files.agent_file(each[0].origin), each) for each in agents),
    ):
        file.write(own[0])
        file.close()
        with file.path.open("ab") as lines:
            lines.writelines(event_line(event, BEGUN + at, own_origin(own), str) for at, event in enumerate(own[1:], 1))
    files.close()
    return files.header.id


def own_origin(events: Sequence[Event]) -> Origin:
    return events[0].origin


def agent(name: str, call_id: str, parent: Origin = MAIN) -> Origin:
    return Origin(f"agent_{name}", name, parent.depth + 1, parent.agent_id, call_id)


def prompt(text: str, prompt_id: str = "p1", origin: Origin = MAIN) -> PromptStarted:
    return PromptStarted(origin, prompt_id, Message("user", (Text(text),)))


def done(prompt_id: str = "p1", answer: str = "", origin: Origin = MAIN) -> PromptFinished:
    return PromptFinished(origin, prompt_id, "completed", answer, 1, 1.0, is_answered=True)


def request(turn: int = 1, origin: Origin = MAIN) -> RequestStarted:
    return RequestStarted(origin, turn, "opus")


def said(text: str, origin: Origin = MAIN) -> BlockAdded:
    return BlockAdded(origin, Text(text))


def used(tokens: int, cost: float | None = 0.25, origin: Origin = MAIN) -> UsageAdded:
    return UsageAdded(origin, "opus", Usage(tokens, 10), cost)


def call(call_id: str, name: str, title: str, origin: Origin = MAIN, **arguments: object) -> ToolStarted:
    return ToolStarted(origin, call_id, name, arguments, title)


def result(call_id: str, name: str, display: Display, origin: Origin = MAIN) -> ToolFinished:
    return ToolFinished(origin, call_id, name, "success", display, 0.5)


def spawned(origin: Origin, label: str, instructions: str) -> AgentSpawned:
    return AgentSpawned(origin, label, instructions, "read_only", None, "haiku", 10)


def ended(
    origin: Origin, status: EndStatus, answer: str, error: str | None = None, tokens: int = 1000
) -> AgentFinished:
    return AgentFinished(origin, status, answer, 2, 1, Usage(tokens, 20), 0.5, 3.0, None, error)
