"""Opening a long session: the time to its last screen, and to the whole conversation."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from benchmarks.rows import Row
from code_assistant.events import (
    MAIN,
    AgentFinished,
    AgentSpawned,
    BlockAdded,
    Display,
    Event,
    Origin,
    PromptFinished,
    PromptStarted,
    RequestStarted,
    ResponseAdded,
    ResponseStarted,
    TextDelta,
    ToolFinished,
    ToolResultsAdded,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Message, Response, Text, ToolCall, ToolResult, Usage
from code_assistant.resuming.reopening import bring_to_end, reopen
from code_assistant.secrets import Masker
from code_assistant.session.header import FORMAT, AgentHeader, Header, SessionHeader, header_line
from code_assistant.session.lines import event_line
from code_assistant.session.store import SessionStore

LIMIT_MS = 1000
MESSAGES = 10_000
# Prompt, answer with a tool call, its result, answer.
MESSAGES_A_PROMPT = 4
AGENTS_EVERY = 50
LAST_SEGMENTS = 60
ROUNDS = 5
MODEL = "claude-sonnet-5"
SESSION = "00000000-0000-4000-8000-000000000000"
USED = Usage(1000, 100)
WORDS = ("the", "tax", "is", "computed", "in", "shop/tax.py", "where", "`rate`", "comes", "from", "settings")


def write_session(folder: Path, messages: int = MESSAGES) -> SessionStore:
    """A session of so many messages, with sub-agents among them, in a store of its own."""
    store = SessionStore(folder / "sessions", Masker(()))
    home = store.folder / SESSION
    (home / "agents").mkdir(parents=True, mode=0o700)
    source = random.Random(7)
    agents: dict[str, list[Event]] = {}
    events = list(_events(source, messages // MESSAGES_A_PROMPT, agents))
    _write(home / "session.jsonl", SessionHeader(FORMAT, SESSION, 1.0, "/code", "0"), events, MAIN)
    for call_id, own in agents.items():
        origin = own[0].origin
        _write(home / "agents" / f"{call_id}.jsonl", AgentHeader(FORMAT, SESSION, 1.0, origin), own, origin)
    return store


def _write(path: Path, header: Header, events: list[Event], own: Origin) -> None:
    lines = (event_line(event, 1_700_000_000.125, own, str) for event in events)
    path.write_bytes(b"".join((header_line(header), *lines)))
    path.chmod(0o600)


def _events(source: random.Random, prompts: int, agents: dict[str, list[Event]]) -> Iterator[Event]:
    for number in range(prompts):
        prompt_id = f"prompt_{number}"
        yield PromptStarted(MAIN, prompt_id, Message("user", (Text(_words(source, 20)),)))
        name = "spawn_agent" if number % AGENTS_EVERY == 0 else "read_files"
        call = ToolCall(f"toolu_{number}", name, {"paths": ["shop/tax.py"]})
        yield from _response(source, MAIN, 1, call)
        yield from _tool(source, MAIN, call, agents)
        yield from _response(source, MAIN, 2, None)
        yield PromptFinished(MAIN, prompt_id, "completed", "It is there.", 2, 3.0, is_answered=True)


def _response(source: random.Random, origin: Origin, turn: int, call: ToolCall | None) -> Iterator[Event]:
    text = _words(source, 120)
    yield RequestStarted(origin, turn, MODEL)
    yield ResponseStarted(origin, "msg", MODEL)
    yield from (TextDelta(origin, text[at : at + 200]) for at in range(0, len(text), 200))
    yield BlockAdded(origin, Text(text))
    calls = (call,) if call is not None else ()
    yield from (BlockAdded(origin, each) for each in calls)
    yield UsageAdded(origin, MODEL, USED, 0.01)
    message = Message("assistant", (Text(text), *calls))
    yield ResponseAdded(origin, Response("msg", MODEL, message, "tool_use" if calls else "end_turn", USED))


def _tool(source: random.Random, origin: Origin, call: ToolCall, agents: dict[str, list[Event]]) -> Iterator[Event]:
    yield ToolStarted(origin, call.id, call.name, call.input, "Read shop/tax.py")
    if call.name == "spawn_agent":
        child = Origin(f"agent_{call.id}", f"explore-{call.id}", 2, "main", call.id, 1)
        spawned = AgentSpawned(child, "Look", "Look at it", "read_only", "explore", MODEL, 20)
        finished = AgentFinished(child, "completed", "Found.", 2, 10, USED, 0.1, 2.0)
        yield spawned
        inner = [_inner(source, child, ToolCall(f"{call.id}-{each}", "read_files", {})) for each in range(10)]
        agents[call.id] = [spawned, *(event for each in inner for event in each), finished]
        yield finished
    result = ToolResult(call.id, (Text(_words(source, 300)),))
    display = Display("Read shop/tax.py", "40 lines", _words(source, 300))
    yield ToolFinished(origin, call.id, call.name, "success", display, 0.2, result)
    yield ToolResultsAdded(origin, Message("user", (result,)))


def _inner(source: random.Random, child: Origin, call: ToolCall) -> list[Event]:
    return [*_response(source, child, 1, call), *_tool(source, child, call, {})]


def _words(source: random.Random, count: int) -> str:
    return " ".join(source.choices(WORDS, k=count))


def _last_screen(store: SessionStore) -> None:
    files, past = store.open(SESSION)
    bring_to_end(files, past)
    if not past.part(len(past.segments), LAST_SEGMENTS).entries:
        raise RuntimeError("the last part is empty")
    files.close()


def _conversation(store: SessionStore) -> None:
    reopened = reopen(store, SESSION)
    if len(reopened.messages()) != MESSAGES:
        raise RuntimeError("the conversation is not whole")
    reopened.used_ids()
    reopened.model()
    reopened.totals()
    reopened.files.close()


def _milliseconds(act: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        act()
        taken.append(time.perf_counter() - begin)
    return median(taken) * 1000


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        store = write_session(Path(folder))
        store.list()
        return [
            Row("resume, 10,000 messages: last screen", _milliseconds(lambda: _last_screen(store)), "ms", LIMIT_MS),
            Row("resume, 10,000 messages: everything", _milliseconds(lambda: _conversation(store)), "ms"),
            Row("sessions listed, with an index", _milliseconds(store.list), "ms"),
        ]
