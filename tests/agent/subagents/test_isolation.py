"""A child knows nothing of its parent, and its parent gets nothing of it but the answer."""

from __future__ import annotations

from pathlib import Path

from code_assistant.events import AgentFinished, ToolFinished
from code_assistant.messages import Message, Text, ToolCall, ToolResult
from code_assistant.resuming.conversation import messages_of
from tests.agent.subagents.support import requests_of, results, said, spawn, spawning
from tests.fakes.script import call, cut, status, text, turn
from tests.fakes.server import ScriptedServer


async def test_sub_b1_a_child_begins_with_its_instructions_only(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [turn(text("Seen."))])
    before = [turn(text(f"story {number}")) for number in range(10)]
    server.script_default([*before, turn(spawn("look")), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        for number in range(10):
            await harness.ask("hi" if not number else f"more {number}")
        assert len(harness.messages) == 20
        await harness.ask("delegate")
        (request,) = requests_of(server, "look")
        assert [message["role"] for message in request.body["messages"]] == ["user"]
        assert said(request) == ["look"]
        assert b"story" not in request.raw_body


async def test_sub_b2_the_parent_grows_by_two_blocks(server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("HIDDEN = 1\n")
    reading = turn(call("read_files", {"paths": ["a.py"]}))
    server.script("look", [reading, reading, reading, reading, reading, turn(text("It is there."))])
    server.script_default([turn(spawn("look")), turn(text("ok")), turn(text("bye"))])
    async with spawning(server, tmp_path) as harness:
        await harness.ask("delegate")
        assert [type(block) for message in harness.messages[1:3] for block in message.content] == [ToolCall, ToolResult]
        assert len(harness.messages) == 4
        await harness.ask("and now?")
        assert b"HIDDEN" not in server.requests[-1].raw_body
        (finished,) = harness.of(AgentFinished)
        assert (finished.tool_calls, finished.turns) == (5, 6)
        main_events = [event for event in harness.events if event.origin.depth == 1]
        assert messages_of(main_events) == harness.messages


async def test_sub_b3_the_result_is_the_last_message(server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    server.script("look", [turn(text("I look."), call("read_files", {"paths": ["a.py"]})), turn(text("A"))])
    server.script("fail", [turn(text("Half"), cut())])
    server.script("refused", [status(401, "authentication_error", "bad key")])
    server.script("empty", [turn()])
    server.script_default([turn(spawn("look"), spawn("fail"), spawn("refused"), spawn("empty")), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        await harness.ask()
        read, broken, refused, empty = _results(harness.messages)
        assert (results(harness)[0], read.is_error) == ("A", False)
        for result, words, found in (
            (broken, "connection broke", "Half"),
            (refused, "key", "nothing yet"),
            (empty, "without an answer", "nothing yet"),
        ):
            (part,) = result.content
            assert isinstance(part, Text)
            assert result.is_error
            assert part.text.startswith("Sub-agent ended: failed.\n\n")
            assert words in part.text
            assert found in part.text
        statuses = {each.origin.tool_call_id: each.status for each in harness.of(AgentFinished)}
        assert sorted(statuses.values()) == ["completed", "failed", "failed", "failed"]
        shown = {each.tool_call_id: each.status for each in harness.of(ToolFinished) if each.tool_name == "spawn_agent"}
        assert shown == {
            call_id: "success" if status == "completed" else "error" for call_id, status in statuses.items()
        }


def _results(messages: tuple[Message, ...]) -> list[ToolResult]:
    return [block for message in messages for block in message.content if isinstance(block, ToolResult)]
