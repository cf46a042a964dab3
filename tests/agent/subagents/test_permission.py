"""Children ask under their own names; an answer is for one prompt, and "always" for whom it says."""

from __future__ import annotations

from pathlib import Path

from code_assistant.events import (
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    PermissionRefused,
    PermissionRequested,
    PermissionResolved,
    ToolFinished,
)
from tests.agent.harness import Harness
from tests.agent.subagents.support import requests_of, results, spawn, spawning
from tests.fakes.script import Block, Gate, after, call, text, turn
from tests.fakes.server import ScriptedServer


def fetch(number: int = 1) -> Block:
    # Never allowed here: whether it asks is all that counts.
    return call("web_fetch", {"url": f"https://example.org/{number}"})


def command(words: str) -> Block:
    return call("execute_command", {"command": words})


async def asked(harness: Harness, number: int) -> PermissionRequested:
    return await harness.until(PermissionRequested, number)


async def test_sub_g1_a_prompt_says_who_asks(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("work", [turn(command("touch hi")), turn(text("Done."))])
    server.script_default([turn(spawn("work", "c1", mode="default", agent="general")), turn(text("ok"))])
    async with spawning(server, tmp_path, asks_broker=True) as harness:
        harness.session.send("go")
        prompt = await asked(harness, 1)
        origin = prompt.origin
        assert (origin.name, origin.depth, origin.colour, origin.tool_call_id) == ("general-1", 2, 0, "c1")
        assert (prompt.tool_name, prompt.detail) == ("execute_command", "touch hi")
        assert harness.session.answer_permission(prompt.request_id, "once")
        await harness.session.idle()
        assert results(harness) == ["Done."]
        statuses = [each.status for each in harness.of(AgentStatusChanged)]
        assert statuses == ["spawning", "running", "waiting_permission", "running"]


async def test_sub_g2_g3_a_prompt_holds_up_its_own_child_only(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look 1", [turn(fetch(1)), turn(text("One."))])
    server.script("look 2", [turn(fetch(2)), turn(text("Two."))])
    server.script("look 3", [turn(call("list_files", {})), turn(text("Three."))])
    server.script_default([turn(spawn("look 1", "c1"), spawn("look 2", "c2"), spawn("look 3", "c3")), turn(text("ok"))])
    async with spawning(server, tmp_path, asks_broker=True) as harness:
        harness.session.send("go")
        await asked(harness, 2)
        finished = await harness.until(AgentFinished)
        assert finished.answer == "Three."
        first, second = (prompt for prompt in harness.session.pending)
        waiting = {child.origin.tool_call_id: child.status for child in harness.live.all}
        assert waiting == {"c1": "waiting_permission", "c2": "waiting_permission"}
        assert harness.session.answer_permission(first.request_id, "deny", "not this one")
        await harness.until(PermissionResolved)
        assert [prompt.request_id for prompt in harness.session.pending] == [second.request_id]
        await harness.until(AgentFinished, 2)
        (refused,) = harness.of(PermissionRefused)
        assert refused.origin == first.origin
        assert "not this one" in str(requests_of(server, f"look {first.origin.name[-1]}")[1].body["messages"])
        assert not harness.session.answer_permission(first.request_id, "once")
        assert harness.session.answer_permission(second.request_id, "deny")
        await harness.session.idle()
        assert results(harness) == ["One.", "Two.", "Three."]


async def test_sub_g4_always_for_this_child(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("work 1", [turn(command("touch a")), turn(command("touch a")), turn(text("One."))])
    server.script("work 2", [turn(command("touch a")), turn(text("Two."))])
    server.script_default(
        [
            turn(spawn("work 1", "c1", mode="default"), spawn("work 2", "c2", mode="default")),
            turn(command("touch a")),
            turn(text("ok")),
        ]
    )
    async with spawning(server, tmp_path, asks_broker=True) as harness:
        harness.session.send("go")
        first = await asked(harness, 1)
        assert harness.session.answer_permission(first.request_id, "agent")
        # The same child's second call did not ask: the next prompt is its sibling's.
        second = await asked(harness, 2)
        assert (first.origin.tool_call_id, second.origin.tool_call_id) == ("c1", "c2")
        assert harness.session.answer_permission(second.request_id, "agent")
        third = await asked(harness, 3)
        assert third.origin.depth == 1
        assert harness.session.rules == ()
        assert harness.session.answer_permission(third.request_id, "session")
        await harness.session.idle()
        commands = [each for each in harness.of(ToolFinished) if each.tool_name == "execute_command"]
        assert [each.status for each in commands] == ["success"] * 4


async def test_always_in_this_session_counts_for_all(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("work 1", [turn(command("touch a")), turn(text("One."))])
    server.script("work 2", [turn(command("touch a")), turn(text("Two."))])
    server.script_default([turn(spawn("work 1", mode="default"), spawn("work 2", mode="default")), turn(text("ok"))])
    async with spawning(server, tmp_path, asks_broker=True) as harness:
        harness.session.send("go")
        prompt = await asked(harness, 1)
        assert harness.session.answer_permission(prompt.request_id, "session")
        await harness.session.idle()
        assert len(harness.of(PermissionRequested)) == 1
        assert results(harness) == ["One.", "Two."]


async def test_nobody_there_denies_at_once(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [turn(fetch()), turn(text("I could not fetch it."))])
    server.script_default([turn(spawn("look")), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        await harness.ask()
        assert results(harness) == ["I could not fetch it."]
        (refused,) = harness.of(PermissionRefused)
        assert refused.origin.depth == 2
        assert "nobody is there" in refused.reason


async def test_a_rule_can_take_spawning_away(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(spawn("look")), turn(text("ok"))])
    async with spawning(server, tmp_path, deny=("Agent",)) as harness:
        await harness.ask()
        assert "the rule Agent denies it" in results(harness)[0]
        assert harness.of(AgentSpawned) == []


async def test_waiting_for_the_person_takes_no_time(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script("look", [turn(fetch()), after(gate, turn(text("never")))])
    server.script_default([turn(spawn("look", "c1", timeout_s=1)), turn(text("ok"))])
    async with spawning(server, tmp_path, asks_broker=True) as harness:
        harness.session.send("go")
        prompt = await asked(harness, 1)
        (child,) = harness.live.all
        # No timer runs while it waits, so no amount of time can end it.
        assert child._timer is None
        assert harness.session.answer_permission(prompt.request_id, "deny")
        await gate.until_reached()
        assert child._timer is not None
        await harness.session.idle()
        (finished,) = harness.of(AgentFinished)
        assert finished.status == "timed_out"
        gate.open()


async def test_what_one_saw_is_not_for_the_others(server: ScriptedServer, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("SEEN ONCE")
    inside = tmp_path / "inside"
    inside.mkdir()
    server.script("first", [turn(call("read_files", {"paths": [str(outside)]})), turn(text("Read."))])
    server.script_default([turn(spawn("first", "c1")), turn(text("ok"))])
    async with spawning(server, inside, asks_broker=True) as harness:
        harness.session.send("go")
        prompt = await asked(harness, 1)
        assert harness.session.answer_permission(prompt.request_id, "once")
        await harness.session.idle()
        log = harness.live._logs["c1"]._file.path
        assert log.exists()
        server.script("second", [turn(call("read_files", {"paths": [str(log)]})), turn(text("Denied."))])
        server.script_default([turn(spawn("second", "c2")), turn(text("ok"))])
        harness.session.send("once more")
        prompt = await asked(harness, 2)
        assert prompt.origin.tool_call_id == "c2"
        assert harness.session.answer_permission(prompt.request_id, "deny")
        await harness.session.idle()


async def test_a_rule_can_take_one_kind_of_agent_away(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [turn(text("Seen."))])
    spawns = (spawn("look", "c1", agent="explore"), spawn("look", "c2", agent="review"))
    server.script_default([turn(*spawns), turn(text("ok"))])
    async with spawning(server, tmp_path, deny=("Agent(explore)",), mode="yolo") as harness:
        await harness.ask()
        denied, seen = results(harness)
        assert "the rule Agent(explore) denies it" in denied
        assert seen == "Seen."
        (refused,) = harness.of(PermissionRefused)
        assert refused.tool_name == "spawn_agent"


async def test_a_rule_can_have_one_kind_of_agent_asked_about(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [turn(text("Seen."))])
    server.script_default([turn(spawn("look", "c1", agent="explore")), turn(text("ok"))])
    async with spawning(server, tmp_path, ask=("Task(explore)",), asks_broker=True) as harness:
        harness.session.send("go")
        prompt = await asked(harness, 1)
        assert (prompt.tool_name, prompt.detail, prompt.rule) == ("spawn_agent", "look", None)
        assert harness.session.answer_permission(prompt.request_id, "once")
        await harness.session.idle()
        assert results(harness) == ["Seen."]
