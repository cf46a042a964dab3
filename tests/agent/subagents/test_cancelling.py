"""One child is cancelled, wherever it is, and only that one; nothing of it is left."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from code_assistant.agent.limits import INTERRUPTED_LINE
from code_assistant.events import (
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    Event,
    OutputAdded,
    PermissionRequested,
    PermissionResolved,
    RequestStarted,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from code_assistant.messages import Text
from code_assistant.subagents.child import Child
from code_assistant.subagents.runner import Job, RunEnd
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.tool import ToolContext, ToolOutput
from tests.agent.harness import Harness
from tests.agent.subagents.support import requests_of, results, spawn, spawning
from tests.agent.tools import Echo, NoteInput
from tests.fakes.script import Gate, after, call, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.processes import new_marker, processes_with, until

BY_PERSON = "Sub-agent cancelled by user."
WITH_SESSION = "Sub-agent cancelled: its parent session ended."
WITH_PARENT = "Sub-agent cancelled: its parent was interrupted."


class HeldRunner:
    """A sub-agent that only waits to be ended; its clean-up takes as long as the test wants."""

    def __init__(self) -> None:
        self.jobs: list[str] = []
        self.may_clean_up = asyncio.Event()
        self.may_clean_up.set()
        self.cancelled = 0

    async def run(self, job: Job, child: Child) -> RunEnd:
        self.jobs.append(job.instructions)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            await self.may_clean_up.wait()
        return RunEnd("completed", "never")


async def test_sub_e1_cancelling_one_of_two(server: ScriptedServer, tmp_path: Path) -> None:
    runner = HeldRunner()
    server.script_default([turn(spawn("one", "c1"), spawn("two", "c2")), turn(text("ok"))])
    async with spawning(server, tmp_path, runner=runner) as harness:
        session = harness.session
        assert not session.cancel_agent("c1")
        session.send("go")
        await until(lambda: len(runner.jobs) == 2)
        assert not session.cancel_agent("unknown")
        assert session.cancel_agent("c1")
        assert not session.cancel_agent("c1")
        (finished,) = [await harness.until(AgentFinished)]
        assert (finished.origin.tool_call_id, finished.status) == ("c1", "cancelled")
        assert [child.origin.tool_call_id for child in harness.live.all] == ["c2"]
        assert not session.cancel_agent("c1")
        assert session.cancel_agents() == 1
        await session.idle()
        assert results(harness) == [BY_PERSON, BY_PERSON]
        assert not session.cancel_agent("c2")
        assert session.cancel_agents() == 0


async def test_cancelling_is_shown_at_once_and_asked_once(server: ScriptedServer, tmp_path: Path) -> None:
    runner = HeldRunner()
    runner.may_clean_up.clear()
    server.script_default([turn(spawn("one", "c1")), turn(text("ok"))])
    async with spawning(server, tmp_path, runner=runner) as harness:
        harness.session.send("go")
        await until(lambda: len(runner.jobs) == 1)
        harness.session.cancel_agent("c1")
        await until(lambda: any(each.status == "shutting_down" for each in harness.of(AgentStatusChanged)))
        # A second wish, of whatever kind, must not cut the clean-up short.
        assert not harness.session.cancel_agent("c1")
        assert harness.session.interrupt()
        await asyncio.sleep(0)
        assert runner.cancelled == 1
        assert harness.of(AgentFinished) == []
        runner.may_clean_up.set()
        await harness.session.idle()
        (finished,) = harness.of(AgentFinished)
        assert finished.error == BY_PERSON


def in_a_silent_stream(server: ScriptedServer, marker: str) -> Callable[[Harness], bool]:
    del marker
    gate = Gate()
    server.script("child", [turn(text(pieces=["Half", hold(gate), " more"]))])
    return lambda harness: any(isinstance(each, TextDelta) and each.origin.depth == 2 for each in harness.events)


def before_the_first_byte(server: ScriptedServer, marker: str) -> Callable[[Harness], bool]:
    del marker
    gate = Gate()
    server.script("child", [after(gate, turn(text("never")))])
    return lambda _: gate.reached


def in_a_command(server: ScriptedServer, marker: str) -> Callable[[Harness], bool]:
    command = f"(setsid sleep {marker} &); sleep {marker} & echo up; sleep {marker}"
    server.script("child", [turn(call("execute_command", {"command": command, "timeout_s": 60}))])
    return lambda harness: any("up" in each.text for each in harness.of(OutputAdded))


def in_a_background_command(server: ScriptedServer, marker: str) -> Callable[[Harness], bool]:
    gate = Gate()
    command = call("execute_command", {"command": f"sleep {marker}", "background": True})
    server.script("child", [turn(command), after(gate, turn(text("never")))])
    return lambda _: gate.reached


def in_a_prompt(server: ScriptedServer, marker: str) -> Callable[[Harness], bool]:
    del marker
    server.script("child", [turn(call("web_fetch", {"url": "https://example.org/"}))])
    return lambda harness: len(harness.session.pending) == 1


def in_a_nested_child(server: ScriptedServer, marker: str) -> Callable[[Harness], bool]:
    server.script("child", [turn(spawn("deeper", allow_spawn=True, mode="default")), turn(text("never"))])
    command = f"(setsid sleep {marker} &); echo up; sleep {marker}"
    server.script("deeper", [turn(call("execute_command", {"command": command}))])
    return lambda harness: any("up" in each.text for each in harness.of(OutputAdded))


PLACES = (
    in_a_silent_stream,
    before_the_first_byte,
    in_a_command,
    in_a_background_command,
    in_a_prompt,
    in_a_nested_child,
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@pytest.mark.parametrize("way", ["person", "interrupt", "close"])
async def test_sub_e2_e3_e6_e7_wherever_it_is(
    place: Callable[[ScriptedServer, str], Callable[[Harness], bool]],
    way: str,
    server: ScriptedServer,
    tmp_path: Path,
) -> None:
    marker = new_marker()
    is_there = place(server, marker)
    child = spawn("child", "c1", mode="default", allow_spawn=True)
    server.script_default([turn(child), turn(text("I go on."))])
    mode = "ask" if place is in_a_prompt else "yolo"
    async with spawning(server, tmp_path, asks_broker=True, mode=mode) as harness:
        harness.session.send("go")
        await until(lambda: is_there(harness))
        requests = len(server.requests)
        async with asyncio.timeout(HANG_GUARD):
            if way == "person":
                assert harness.session.cancel_agent("c1")
                await harness.session.idle()
                assert results(harness) == [BY_PERSON]
                assert harness.finished[-1].answer == "I go on."
            elif way == "interrupt":
                assert harness.session.interrupt()
                await harness.session.idle()
                assert results(harness) == [WITH_PARENT]
                assert harness.messages[-1].content[-1] == Text(INTERRUPTED_LINE)
            else:
                await harness.session.close()
        assert len(server.requests) == requests + (way == "person")
        assert harness.session.pending == ()
        assert processes_with(marker) == []
        await until(lambda: len(harness.of(AgentFinished)) == len(harness.of(AgentSpawned)))
        ended = {each.origin.depth: each for each in harness.of(AgentFinished)}
        assert {each.status for each in ended.values()} == {"cancelled"}
        assert ended[2].error == {"person": BY_PERSON, "interrupt": WITH_PARENT, "close": WITH_SESSION}[way]
        assert_orderly(harness.events)


def assert_orderly(events: list[Event]) -> None:
    """Per agent the last event is its end; every prompt and every tool call that began has ended."""
    for origin in {event.origin for event in events if event.origin.depth > 1}:
        assert isinstance([event for event in events if event.origin == origin][-1], AgentFinished)
    asked = [each.request_id for each in events if isinstance(each, PermissionRequested)]
    assert sorted(asked) == sorted(each.request_id for each in events if isinstance(each, PermissionResolved))
    begun = [each.tool_call_id for each in events if isinstance(each, ToolStarted)]
    assert sorted(begun) == sorted(each.tool_call_id for each in events if isinstance(each, ToolFinished))


class Blocking(Echo):
    """A tool in a thread that nobody can stop, and that has something to say when it is too late."""

    name = "blocking"

    def __init__(self) -> None:
        self.is_there = threading.Event()
        self.may_go_on = threading.Event()
        self.is_over = threading.Event()

    async def run(self, arguments: NoteInput, context: ToolContext) -> ToolOutput:
        def block() -> None:
            self.is_there.set()
            self.may_go_on.wait(HANG_GUARD)
            context.report("too late")
            self.is_over.set()

        await asyncio.to_thread(block)
        return self.output(arguments)


async def test_sub_e3_late_events_are_dropped(server: ScriptedServer, tmp_path: Path) -> None:
    tool = Blocking()
    server.script("child", [turn(call("blocking", {"note": "x"}))])
    server.script_default([turn(spawn("child", "c1")), turn(text("ok"))])
    async with spawning(server, tmp_path, tools=builtin_tools().with_tool(tool)) as harness:
        harness.session.send("go")
        await until(tool.is_there.is_set)
        assert harness.session.cancel_agent("c1")
        await harness.session.idle()
        count = len(harness.events)
        tool.may_go_on.set()
        await until(tool.is_over.is_set)
        # What the thread published by the loop comes before this.
        await asyncio.sleep(0)
        assert results(harness) == [BY_PERSON]
        assert len(harness.events) == count


async def test_sub_e4_the_second_of_three(server: ScriptedServer, tmp_path: Path) -> None:
    gates = [Gate(str(number)) for number in range(3)]
    for number, gate in enumerate(gates):
        server.script(f"look {number}", [after(gate, turn(text(f"Seen {number}.")))])
    server.script_default([turn(*(spawn(f"look {number}", f"c{number}") for number in range(3))), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        harness.session.send("go")
        for gate in gates:
            await gate.until_reached()
        assert harness.session.cancel_agent("c1")
        await harness.until(AgentFinished)
        gates[0].open()
        gates[2].open()
        await harness.session.idle()
        assert results(harness) == ["Seen 0.", BY_PERSON, "Seen 2."]
        assert harness.finished[-1].answer == "ok"


async def test_a_queued_child_is_cancelled_before_it_ran(server: ScriptedServer, tmp_path: Path) -> None:
    runner = HeldRunner()
    server.script_default([turn(*(spawn(f"look {number}", f"c{number}") for number in range(12))), turn(text("ok"))])
    async with spawning(server, tmp_path, runner=runner) as harness:
        harness.session.send("go")
        await until(lambda: len(runner.jobs) == 10)
        assert harness.session.cancel_agent("c11")
        finished = await harness.until(AgentFinished)
        assert (finished.status, finished.duration) == ("cancelled", 0.0)
        assert harness.session.cancel_agent("c0")
        await until(lambda: len(runner.jobs) == 11)
        assert runner.jobs[-1] == "look 10"
        assert harness.session.cancel_agents() == 10
        await harness.session.idle()
        assert results(harness) == [BY_PERSON] * 12


async def test_sub_e6_interrupting_ends_all_children(server: ScriptedServer, tmp_path: Path) -> None:
    gates = [Gate(str(number)) for number in range(3)]
    for number, gate in enumerate(gates):
        server.script(f"look {number}", [after(gate, turn(text("never")))])
    calls = [spawn(f"look {number}") for number in range(3)]
    server.script_default([turn(*calls, call("list_files", {})), turn(text("On."))])
    async with spawning(server, tmp_path) as harness:
        harness.session.send("go")
        for gate in gates:
            await gate.until_reached()
        requests = len(server.requests)
        assert harness.session.interrupt()
        await harness.session.idle()
        assert results(harness) == [WITH_PARENT] * 3 + ["Not run: the person interrupted first."]
        assert [each.status for each in harness.of(AgentFinished)] == ["cancelled"] * 3
        assert len(server.requests) == requests
        finished = await harness.ask("go on")
        assert finished.answer == "On."
        assert [each.outcome for each in harness.finished] == ["interrupted", "completed"]


async def has_come(harness: Harness, number: int) -> None:
    await harness.until_so(lambda: len(harness.events) >= number or bool(harness.finished))


async def test_interrupted_after_every_event(server: ScriptedServer, tmp_path: Path) -> None:
    """Wherever an interrupt falls: one result for each call, a valid history, nothing left, no success."""
    (tmp_path / "a.py").write_text("x = 1\n")
    number = 0
    while True:
        number += 1
        # Named anew each time: a request of the last time may arrive late, and must not use up what is for this one.
        first, second = f"look 1 ({number})", f"look 2 ({number})"
        server.script(first, [turn(text("I look."), call("read_files", {"paths": ["a.py"]})), turn(text("Seen 1."))])
        server.script(second, [turn(text("Seen 2."))])
        server.script_default([turn(spawn(first, "c1"), spawn(second, "c2")), turn(text("ok"))])
        async with spawning(server, tmp_path) as harness:
            harness.session.send(f"go {number}")
            await has_come(harness, number)
            was_over = bool(harness.finished)
            harness.session.interrupt()
            await harness.session.idle()
            events, answers = harness.events, results(harness) if len(harness.messages) > 2 else []
        assert_orderly(events)
        for answer in answers:
            assert answer in {"Seen 1.", "Seen 2.", WITH_PARENT, "Not run: the person interrupted first."}
        for ended in (each for each in events if isinstance(each, AgentFinished)):
            if ended.status == "completed":
                assert ended.answer in answers
        if was_over:
            break
    assert number > 30


async def test_a_child_that_was_cancelled_never_comes_back(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script("look", [after(gate, turn(text("Seen.")))])
    server.script_default([turn(spawn("look", "c1")), turn(text("ok")), turn(text("later"))])
    async with spawning(server, tmp_path) as harness:
        harness.session.send("go")
        await gate.until_reached()
        harness.session.cancel_agent("c1")
        await harness.session.idle()
        gate.open()
        await harness.ask("more")
        assert len(requests_of(server, "look")) == 1
        assert len([each for each in harness.of(RequestStarted) if each.origin.depth == 2]) == 1


async def test_an_interrupt_while_the_session_closes_cuts_no_clean_up_short(
    server: ScriptedServer, tmp_path: Path
) -> None:
    runner = HeldRunner()
    runner.may_clean_up.clear()
    server.script_default([turn(spawn("one", "c1"))])
    async with spawning(server, tmp_path, runner=runner) as harness:
        harness.session.send("go")
        await until(lambda: len(runner.jobs) == 1)
        closing = asyncio.create_task(harness.session.close())
        await until(lambda: runner.cancelled == 1)
        assert not harness.session.interrupt()
        await asyncio.sleep(0)
        assert harness.of(AgentFinished) == []
        runner.may_clean_up.set()
        await closing
        (finished,) = harness.of(AgentFinished)
        assert finished.error == WITH_SESSION
        assert runner.cancelled == 1
