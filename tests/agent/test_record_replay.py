"""A run of the real loop, recorded against the scripted server and repeated without it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from code_assistant.agent.history import validate
from code_assistant.event_json import event_object
from code_assistant.events import (
    AgentFinished,
    PromptFinished,
    RequestDelayed,
    RequestStarted,
    ResponseCut,
    TextDelta,
)
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.provider import ClientFactory
from code_assistant.llm.retry_policy import RetryPolicy
from code_assistant.messages import Message, Text
from code_assistant.secrets import Masker
from code_assistant.tapes import opened_tape
from tests.agent.harness import Harness, running
from tests.agent.providers import TransportName, factory
from tests.agent.subagents.support import results, spawn, spawning
from tests.fakes.script import Gate, call, cut, hold, status, text, thinking, turn
from tests.fakes.server import ScriptedServer

PATIENT = RetryPolicy(attempts=3, first_delay=0.001, chance=lambda: 0.0)
# What two runs never share.
OWN_OF_A_RUN = {"prompt_id", "agent_id", "parent_id", "duration", "wait"}


class NoNetwork:
    """The factory of a replay makes nothing of its own."""

    def create(self, model: str) -> Any:
        pytest.fail(f"a client for {model} was made")

    async def close(self) -> None:
        pass


def told_by(harness: Harness) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """All events, those of each agent and each of its tool calls in their order: side by side there is none."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for event in harness.events:
        fields = without_own(event_object(event))
        found[event.origin.name, str(fields.get("tool_call_id", ""))].append(fields)
    return dict(found)


def without_own(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_own(member) for key, member in value.items() if key not in OWN_OF_A_RUN}
    return [without_own(each) for each in value] if isinstance(value, list) else value


def script(server: ScriptedServer, folder: Path) -> None:
    for number in range(3):
        (folder / f"part{number}.py").write_text(f"PART = {number}\n")
        read = turn(text(f"Reading {number}."), call("read_files", {"paths": [f"part{number}.py"]}))
        trouble = [status(500, "api_error", "oops")] if number == 1 else []
        server.script(f"look {number}", [read, *trouble, turn(thinking("Aha."), text(f"Part {number} is seen."))])
    limit = status(429, "rate_limit_error", "slow down", {"retry-after": "0.3"})
    spawns = turn(text("I look."), *(spawn(f"look {number}", f"c{number}") for number in range(3)))
    server.script_default([spawns, limit, turn(text("All parts seen.")), turn(text("Goodbye."))])


async def run(server: ScriptedServer, folder: Path, clients: ClientFactory) -> Harness:
    async with spawning(server, folder, clients=clients, retries=PATIENT, scope="main") as harness:
        await harness.ask("go")
        await harness.ask("thanks")
    return harness


@pytest.mark.parametrize("transport", ["wire", "openai"])
async def test_a_run_repeats_without_the_server(tmp_path: Path, transport: TransportName) -> None:
    """Three sub-agents side by side, tools, a rate limit and a failure: the same events and the same history."""
    file, folder = tmp_path / "run.jsonl", tmp_path / "work"
    folder.mkdir()
    masker = Masker(("test-key-1",))
    with ScriptedServer() as server:
        script(server, folder)
        with opened_tape(file, None, masker) as tape:
            assert tape is not None
            clients = tape.around(factory(server.url, transport), Catalogue(), pytest.fail)
            recorded = await run(server, folder, clients)
        sent = len(server.requests)
    assert sent == 11
    assert "test-key-1" not in file.read_text()
    with opened_tape(None, file, masker) as tape:
        assert tape is not None
        replayed = await run(server, folder, tape.around(NoNetwork(), Catalogue(), pytest.fail))
    assert len(server.requests) == sent
    assert told_by(replayed) == told_by(recorded)
    assert len(replayed.of(RequestDelayed)) == 2
    assert len(replayed.of(AgentFinished)) == 3
    assert replayed.messages == recorded.messages
    validate(replayed.messages)
    assert results(replayed) == [f"Part {number} is seen." for number in range(3)]


async def recorded_prompt(file: Path, server: ScriptedServer) -> PromptFinished:
    with opened_tape(file, None, Masker(())) as tape:
        assert tape is not None
        clients = tape.around(factory(server.url), Catalogue(), pytest.fail)
        async with running(server, clients=clients) as harness:
            return await harness.ask()


async def replayed_prompt(file: Path, server: ScriptedServer, prompt: str = "hi") -> tuple[PromptFinished, Harness]:
    with opened_tape(None, file, Masker(())) as tape:
        assert tape is not None
        async with running(server, clients=tape.around(NoNetwork(), Catalogue(), pytest.fail)) as harness:
            return await harness.ask(prompt), harness


async def test_a_stream_that_broke_breaks_again(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text(pieces=["Half", " an", cut()]))])
    before = await recorded_prompt(tmp_path / "run", server)
    after, harness = await replayed_prompt(tmp_path / "run", server)
    assert (after.outcome, after.error_kind, after.error) == (before.outcome, "stream", before.error)
    assert [event.text for event in harness.of(TextDelta)] == ["Half", " an"]


async def test_a_prompt_that_was_interrupted_ends_where_it_did(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate("half")
    server.script_default([turn(text(pieces=["Half", hold(gate), " more"])), turn(text("Well."))])
    file = tmp_path / "run"
    with opened_tape(file, None, Masker(())) as tape:
        assert tape is not None
        clients = tape.around(factory(server.url), Catalogue(), pytest.fail)
        async with running(server, clients=clients) as harness:
            harness.session.send("hi")
            await harness.until(TextDelta)
            harness.session.interrupt()
            await harness.session.idle()
            await harness.ask("again")
    after, harness = await replayed_prompt(file, server)
    assert (after.outcome, after.answer) == ("failed", "Half")
    assert "cut off here" in (after.error or "")
    assert len(harness.of(RequestStarted)) == 1
    assert harness.of(ResponseCut)


async def test_what_was_not_recorded_is_said(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("Hello."))])
    await recorded_prompt(tmp_path / "run", server)
    after, harness = await replayed_prompt(tmp_path / "run", server, "Something else")
    assert after.outcome == "failed"
    assert "no answer to request 1 of a conversation with claude-sonnet-5-5 that begins 'Something" in str(after.error)
    assert len(harness.of(RequestStarted)) == 1
    assert harness.messages == (Message("user", (Text("Something else"),)),)
