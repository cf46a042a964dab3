"""Interrupted, cancelled, resumed, corrected: what to do next is always found from the conversation alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.agent.history import validate
from code_assistant.events import AgentFinished, AgentSpawned, Event, RequestStarted, ToolFinished, ToolStarted
from code_assistant.llm.offline.briefs import FolderTask, brief
from code_assistant.llm.offline.explorer import respond
from code_assistant.llm.offline.steps import Step
from code_assistant.llm.provider import ModelRequest, ToolSpecification
from code_assistant.messages import Message, Text, ToolCall, ToolResult
from code_assistant.subagents.references import ReferenceProblem, correction
from tests.agent.offline.support import OVERVIEW, SHOP, checked, exploring, side_by_side, written
from tests.fakes.server import ScriptedServer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path, SHOP)


@pytest.mark.parametrize(
    ("kind", "number"),
    [(RequestStarted, 1), (ToolStarted, 1), (ToolFinished, 3), (AgentSpawned, 4), (ToolStarted, 9), (AgentFinished, 1)],
)
async def test_interrupted_anywhere_it_goes_on(
    server: ScriptedServer, folder: Path, kind: type[Event], number: int
) -> None:
    async with exploring(server, folder) as harness:
        harness.session.send(OVERVIEW)
        await harness.until(kind, number)
        harness.session.interrupt()
        await harness.until_so(lambda: bool(harness.finished))
        assert harness.messages
        answer = checked(await harness.ask("continue"), folder)
    assert "“A small shop” (`pyproject.toml:3`)" in answer
    assert "`tests/`" in answer


async def test_a_cancelled_sub_agent_is_told_of_and_the_others_count(server: ScriptedServer, folder: Path) -> None:
    async with exploring(server, folder) as harness:
        harness.session.send(OVERVIEW)
        spawned = await harness.until(AgentSpawned, 2)
        assert spawned.origin.tool_call_id is not None
        harness.session.cancel_agent(spawned.origin.tool_call_id)
        await harness.until_so(lambda: bool(harness.finished))
        answer = checked(harness.finished[0], folder)
    assert "Explore src/: Sub-agent cancelled by user." in answer
    assert "`tests/`: 1 file" in answer


async def test_every_step_is_found_again_from_the_conversation_so_far(server: ScriptedServer, folder: Path) -> None:
    async with exploring(server, folder) as harness:
        answer = await harness.ask(OVERVIEW)
        assert side_by_side(harness) > 1
        messages = harness.messages
    tools = tuple(
        ToolSpecification(name, "", {}) for name in ("list_files", "glob_files", "read_files", "search_files")
    )
    tools += (ToolSpecification("spawn_agent", "", {}),)
    for end in range(1, len(messages), 2):
        validate(messages[:end])
        response = respond(ModelRequest("", tools, messages[:end]))
        if isinstance(response, str):
            assert response == answer.answer
        else:
            made = [(call.name, dict(call.input)) for call in messages[end].tool_calls]
            assert [(call.tool, dict(call.arguments)) for call in response.calls] == made


def test_a_correction_is_answered_without_what_was_refused() -> None:
    tools = tuple(ToolSpecification(name, "", {}) for name in ("list_files", "read_files", "search_files"))
    messages: list[Message] = [Message("user", (Text(brief(FolderTask("src"))),))]
    results = {
        "list_files": "src/\n  a.py  3 B\n  b.py  3 B",
        "search_files": "src/a.py: 1\nsrc/b.py: 1\n\n2 matches, 2 files.",
    }
    texts = (Text('src/a.py (1 line)\n     1\t"""A thing."""'), Text('src/b.py (1 line)\n     1\t"""B thing."""'))
    while isinstance(response := respond(ModelRequest("", tools, tuple(messages))), Step):
        calls = tuple(
            ToolCall(f"c{len(messages)}{n}", each.tool, each.arguments) for n, each in enumerate(response.calls)
        )
        told = [(Text(results[call.name]),) if call.name in results else texts for call in calls]
        messages.append(Message("assistant", calls))
        messages.append(Message("user", tuple(ToolResult(c.id, t) for c, t in zip(calls, told, strict=True))))
    assert "`src/a.py:1`" in response and "`src/b.py:1`" in response
    refused = correction([ReferenceProblem("src/b.py:1", "no such file in the workspace")])
    messages += [Message("assistant", (Text(response),)), Message("user", (Text(refused),))]
    corrected = respond(ModelRequest("", tools, tuple(messages)))
    assert isinstance(corrected, str)
    assert "`src/a.py:1`" in corrected and "b.py" not in corrected


async def test_a_sub_agent_that_is_spoken_to_keeps_its_task(server: ScriptedServer, folder: Path) -> None:
    async with exploring(server, folder) as harness:
        harness.session.send(OVERVIEW)
        spawned = await harness.until(AgentSpawned, 4)
        assert spawned.origin.tool_call_id is not None
        assert harness.session.steer_agent(spawned.origin.tool_call_id, "look at something else")
        await harness.until_so(lambda: bool(harness.finished))
        checked(harness.finished[0], folder)
        ended = {each.origin: each for each in harness.of(AgentFinished)}[spawned.origin]
    assert ended.status == "completed"
    assert "changed nothing: I follow one task" in ended.answer
