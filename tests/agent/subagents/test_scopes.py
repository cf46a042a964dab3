"""What a child may do, and how deep it may nest."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.config.settings import AgentSettings
from code_assistant.events import AgentFinished, AgentSpawned, ToolFinished
from tests.agent.subagents.support import names_in, requests_of, results, spawn, spawning, tool_names
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer

READING = {"read_files", "search_files", "list_files", "glob_files", "web_fetch"}
CHANGING = {"edit", "write_file", "delete_files", "execute_command", "command_output", "stop_command"}
OF_THE_PERSON = {"ask_user", "present_plan", "todo"}


async def test_sub_c1_what_a_reader_is_offered(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [turn(text("Seen."))])
    server.script_default([turn(spawn("look")), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        await harness.ask()
        offered = tool_names(requests_of(server, "look")[0])
        assert offered >= READING
        assert not offered & (CHANGING | OF_THE_PERSON)


@pytest.mark.parametrize("mode", ["ask", "accept-edits", "yolo"])
async def test_sub_c2_a_reader_that_writes_anyway(mode: str, server: ScriptedServer, tmp_path: Path) -> None:
    calls = (
        call("write_file", {"path": "evil.txt", "content": "x"}),
        call("execute_command", {"command": "touch evil.txt"}),
        call("delete_files", {"paths": ["good.txt"]}),
    )
    (tmp_path / "good.txt").write_text("good")
    server.script("look", [turn(*calls), turn(text("I could not."))])
    server.script_default([turn(spawn("look")), turn(text("ok"))])
    async with spawning(server, tmp_path, mode=mode) as harness:
        await harness.ask()
        assert results(harness) == ["I could not."]
        inner = [each for each in harness.of(ToolFinished) if each.origin.depth == 2]
        assert [each.status for each in inner] == ["error"] * 3
        assert names_in(tmp_path) == ["good.txt"]


async def test_sub_c3_without_leave_nobody_nests(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [turn(text("Seen."))])
    server.script("work", [turn(text("Done."))])
    server.script("copy", [turn(text("Copied."))])
    server.script_default(
        [turn(spawn("look"), spawn("work", mode="default"), spawn("copy", agent="self")), turn(text("ok"))]
    )
    async with spawning(server, tmp_path) as harness:
        await harness.ask()
        for key in ("look", "work", "copy"):
            assert "spawn_agent" not in tool_names(requests_of(server, key)[0])


def nested(server: ScriptedServer) -> None:
    """Each level spawns the next, the last of them one too many."""
    server.script("first", [turn(spawn("second", allow_spawn=True)), turn(text("First."))])
    server.script("second", [turn(spawn("third", allow_spawn=True)), turn(text("Second."))])
    server.script_default([turn(spawn("first", allow_spawn=True)), turn(text("ok"))])


async def test_sub_c4_depth(server: ScriptedServer, tmp_path: Path) -> None:
    nested(server)
    async with spawning(server, tmp_path, agents=AgentSettings(max_depth=3)) as harness:
        await harness.ask()
        assert [(each.origin.depth, each.instructions) for each in harness.of(AgentSpawned)] == [
            (2, "first"),
            (3, "second"),
        ]
        assert "spawn_agent" in tool_names(requests_of(server, "first")[0])
        assert "spawn_agent" not in tool_names(requests_of(server, "second")[0])


async def test_sub_c5_the_limit_is_named(server: ScriptedServer, tmp_path: Path) -> None:
    nested(server)
    async with spawning(server, tmp_path, agents=AgentSettings(max_depth=3)) as harness:
        await harness.ask()
        told = str(requests_of(server, "second")[1].body["messages"])
        assert "DEPTH_LIMIT_REACHED" in told
        assert "depth 3, and 3 is" in told
        assert results(harness) == ["First."]


async def test_sub_c6_spawned_comes_first(server: ScriptedServer, tmp_path: Path) -> None:
    nested(server)
    async with spawning(server, tmp_path, agents=AgentSettings(max_depth=3)) as harness:
        await harness.ask()
        origins = {each.origin for each in harness.events if each.origin.depth > 1}
        assert len(origins) == 2
        for origin in origins:
            own = [event for event in harness.events if event.origin == origin]
            assert isinstance(own[0], AgentSpawned)
            assert isinstance(own[-1], AgentFinished)
        parents = [each.origin.parent_id for each in harness.of(AgentSpawned)]
        assert parents == ["main", harness.of(AgentSpawned)[0].origin.agent_id]


async def test_a_depth_of_one_allows_no_child(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(spawn("look")), turn(text("ok"))])
    async with spawning(server, tmp_path, agents=AgentSettings(max_depth=1)) as harness:
        await harness.ask()
        assert "spawn_agent" not in tool_names(server.requests[0])
        assert "DEPTH_LIMIT_REACHED" in results(harness)[0]


async def test_a_reader_spawns_only_readers(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [turn(spawn("write it", mode="default", agent="general")), turn(text("Seen."))])
    server.script("write it", [turn(call("write_file", {"path": "evil.txt", "content": "x"})), turn(text("No."))])
    server.script_default([turn(spawn("look", allow_spawn=True)), turn(text("ok"))])
    async with spawning(server, tmp_path, mode="yolo") as harness:
        await harness.ask()
        assert [each.mode for each in harness.of(AgentSpawned)] == ["read_only", "read_only"]
        assert not tool_names(requests_of(server, "write it")[0]) & CHANGING
        assert names_in(tmp_path) == []


async def test_in_plan_mode_children_change_nothing(server: ScriptedServer, tmp_path: Path) -> None:
    calls = (
        call("write_file", {"path": "evil.txt", "content": "x"}),
        call("execute_command", {"command": "touch evil"}),
    )
    server.script("work", [turn(*calls), turn(text("I could not."))])
    server.script_default([turn(spawn("work", mode="default")), turn(text("ok"))])
    async with spawning(server, tmp_path, mode="plan") as harness:
        await harness.ask()
        assert results(harness) == ["I could not."]
        assert names_in(tmp_path) == []
        request = requests_of(server, "work")[0]
        assert "Plan mode is on" in str(request.body["messages"])
        assert "present_plan" not in str(request.body["messages"])
