"""The program is killed with SIGKILL while sub-agents work: nothing survives it but what was written down."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from typing import Any

import pytest

from code_assistant.agent.history import validate
from code_assistant.events import AgentFinished, AgentSpawned, OutputAdded, TextDelta, ToolFinished
from code_assistant.messages import Text, ToolResult
from code_assistant.resuming.reopening import reopen
from code_assistant.secrets import Masker
from code_assistant.session.past import Past
from code_assistant.session.store import SessionStore
from tests.e2e.program import Program
from tests.fakes.script import Gate, call, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.processes import new_marker, wait_until, wait_until_gone, wait_until_there

FOUND = "Found so far: the rate. "


class Scene:
    """Side by side one sub-agent answers, one holds in the middle of its answer, and one has read a file.

    With a command: one answers, and then one runs something that does not end. These change things, so they take turns.
    """

    def __init__(self, program: Program, server: ScriptedServer, *, has_command: bool = False) -> None:
        self.program, self.server = program, server
        self.marker = new_marker()
        self.store = SessionStore(program.home / ".local/state/code-assistant/sessions", Masker(()))
        self.begun, self.told = Gate("main begins"), Gate("first child")
        self.half, self.read = Gate("second child"), Gate("third child")
        server.script("look 0", [turn(hold(self.told), text("Seen it all."))])
        server.script("look 1", [turn(text(pieces=[FOUND, hold(self.half), "and more"]))])
        reading = turn(text("I read it."), call("read_files", {"paths": ["tax.py"]}))
        server.script("look 2", [reading, turn(hold(self.read), text("Read."))])
        command = f"echo printed; (setsid sleep {self.marker} &); sleep {self.marker}"
        server.script("run it", [turn(text("I run it."), call("execute_command", {"command": command}))])
        mode = "default" if has_command else "read_only"
        tasks = ["look 0", "run it"] if has_command else ["look 0", "look 1", "look 2"]
        spawns = [
            call("spawn_agent", {"instructions": task, "mode": mode}, id=f"c{number}")
            for number, task in enumerate(tasks)
        ]
        server.script_default([turn(text(pieces=["I ask ", hold(self.begun), "around."]), *spawns)])

    def killed(self, when: Callable[[], None]) -> None:
        with self.program.started("-p", "go", "--permission-mode", "yolo") as process:
            when()
            process.send_signal(signal.SIGKILL)
            assert process.wait(HANG_GUARD) == -signal.SIGKILL
        wait_until_gone(self.marker)

    def past(self) -> Past:
        (summary,) = self.store.list()
        return self.store.read(summary.id)

    def entries(self, call_id: str | None = None) -> list[object]:
        """What stands in a file at this moment."""
        past = self.past()
        found = past.entries(past.segments) if call_id is None else past.agent_entries(call_id, with_pieces=True)
        return [entry.event for entry in found]

    def until(self, is_so: Callable[[], bool]) -> None:
        wait_until(lambda: bool(self.store.list()) and is_so())

    # Moments

    def main_streams(self) -> None:
        self.begun.wait_reached(HANG_GUARD)
        self.until(lambda: any(isinstance(each, TextDelta) for each in self.entries()))

    def children_work(self) -> None:
        self.begun.open()
        for gate in (self.told, self.half, self.read):
            gate.wait_reached(HANG_GUARD)
        self.until(lambda: any(isinstance(each, TextDelta) for each in self.entries("c1")))

    def one_has_ended(self) -> None:
        self.told.open()
        self.children_work()
        self.until(lambda: any(isinstance(each, AgentFinished) for each in self.entries("c0")))

    def a_command_runs(self) -> None:
        self.begun.open()
        self.told.open()
        wait_until_there(self.marker, 2)
        self.until(lambda: any(isinstance(each, OutputAdded) for each in self.entries("c1")))

    def some_bytes(self, number: int) -> None:
        """When the files have become so long, or nothing moves any more."""
        for gate in (self.begun, self.told):
            gate.open()
        sizes = [0]

        def is_so() -> bool:
            paths = list(self.store.folder.rglob("*.jsonl"))
            sizes.append(sum(path.stat().st_size for path in paths))
            return sizes[-1] >= number or (len(sizes) > 50 and len(set(sizes[-50:])) == 1)

        self.until(is_so)


def ended_before(past: Past) -> dict[str, Any]:
    """What had ended by the kill, by the id of its call: answers of children, results of tools."""
    found: dict[str, Any] = {}
    events = [entry.event for entry in past.entries(past.segments)]
    for path in past.folder.agent_files():
        events += [entry.event for entry in past.agent_entries(path.stem)]
    spawned = {event.origin.tool_call_id for event in events if isinstance(event, AgentSpawned)}
    for event in events:
        if isinstance(event, AgentFinished) and event.origin.tool_call_id in spawned:
            found[event.origin.tool_call_id or ""] = event.answer
        elif isinstance(event, ToolFinished) and event.origin.depth == 1 and event.result is not None:
            found[event.tool_call_id] = words(event.result)
    return found


def words(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, Text))


def statuses(past: Past) -> dict[str | None, tuple[str, str]]:
    ends = [entry.event for entry in past.entries(past.segments) if isinstance(entry.event, AgentFinished)]
    found = {event.origin.tool_call_id: (event.status, event.answer) for event in ends}
    assert len(found) == len(ends)
    return found


def check_next_request(scene: Scene) -> list[dict[str, Any]]:
    """The real program goes on; gives the messages that it sent."""
    scene.server.script_default([turn(text("Fine."))])
    done = scene.program.run("--continue", "-p", "and now?")
    assert (done.code, done.out) == (0, "Fine.\n"), done.err
    assert scene.server.problems == []
    return scene.server.requests[-1].body["messages"]


def results_in(messages: list[dict[str, Any]]) -> dict[str, str]:
    return {
        block["tool_use_id"]: "".join(part["text"] for part in block["content"])
        for message in messages
        for block in message["content"]
        if block["type"] == "tool_result"
    }


@pytest.fixture
def scene(program: Program, server: ScriptedServer) -> Scene:
    return Scene(program, server)


def test_safe_r2_killed_while_the_main_agent_speaks(scene: Scene) -> None:
    scene.killed(scene.main_streams)
    messages = check_next_request(scene)
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[1]["content"] == [{"type": "text", "text": "I ask "}]
    assert "The program ended here" in str(messages[2]["content"][0])


def test_safe_r2_killed_while_all_children_work(scene: Scene) -> None:
    scene.killed(scene.children_work)
    results = results_in(check_next_request(scene))
    assert set(results) == {"c0", "c1", "c2"}
    assert all("interrupted" in each for each in results.values())
    assert FOUND.strip() in results["c1"]
    assert "I read it." in results["c2"]
    ends = statuses(scene.past())
    assert ends["c0"] == ("interrupted", "")
    assert ends["c1"] == ("interrupted", FOUND)
    assert ends["c2"] == ("interrupted", "I read it.")
    # None of them was started again.
    assert len(scene.server.requests) == 6


def test_safe_r2_killed_while_a_child_runs_a_command(program: Program, server: ScriptedServer) -> None:
    scene = Scene(program, server, has_command=True)
    with program.started("-p", "go", "--permission-mode", "yolo") as process:
        scene.a_command_runs()
        process.kill()
        process.wait(HANG_GUARD)
        # Nothing that it ran holds its lock: it opens also while that is still being ended.
        (summary,) = scene.store.list()
        reopen(scene.store, summary.id).files.close()
    wait_until_gone(scene.marker)
    results = results_in(check_next_request(scene))
    assert results["c0"] == "Seen it all."
    assert "I run it." in results["c1"]
    assert statuses(scene.past()) == {"c0": ("completed", "Seen it all."), "c1": ("interrupted", "I run it.")}
    (ended,) = [each for each in scene.entries("c1") if isinstance(each, ToolFinished)]
    assert ended.status == "interrupted"
    assert any(isinstance(each, OutputAdded) and "printed" in each.text for each in scene.entries("c1"))


def test_safe_r2_killed_when_one_child_has_ended(scene: Scene) -> None:
    scene.killed(scene.one_has_ended)
    results = results_in(check_next_request(scene))
    assert results["c0"] == "Seen it all."
    ends = statuses(scene.past())
    assert {call_id: status for call_id, (status, _) in ends.items()} == {
        "c0": "completed",
        "c1": "interrupted",
        "c2": "interrupted",
    }
    # A third program finds the same, and nothing to be ended.
    scene.server.script_default([turn(text("Fine."))])
    assert scene.program.run("--continue", "-p", "once more").code == 0
    assert statuses(scene.past()) == ends


def check_random_kill(scene: Scene, number: int) -> None:
    scene.killed(lambda: scene.some_bytes(number))
    before = ended_before(scene.past())
    (summary,) = scene.store.list()
    reopened = reopen(scene.store, summary.id)
    try:
        validate(reopened.messages())
        given = {
            block.tool_call_id: words(block)
            for message in reopened.messages()
            for block in message.content
            if isinstance(block, ToolResult)
        }
        assert {call_id: given[call_id] for call_id in before} == before
        ends = statuses(reopened.past)
        spawned = [each for each in scene.entries() if isinstance(each, AgentSpawned)]
        assert set(ends) == {each.origin.tool_call_id for each in spawned}
        assert {ends[each][0] for each in set(ends) - set(before)} <= {"interrupted"}
    finally:
        reopened.files.close()


@pytest.mark.parametrize("seed", range(4))
def test_safe_r2_killed_at_some_moment(program: Program, server: ScriptedServer, seed: int) -> None:
    scene = Scene(program, server, has_command=seed % 2 == 1)
    check_random_kill(scene, random.Random(seed).randint(300, 9_000))


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(100, 160))
def test_soak_killed_at_any_moment(program: Program, server: ScriptedServer, seed: int) -> None:
    scene = Scene(program, server, has_command=seed % 2 == 1)
    check_random_kill(scene, random.Random(seed).randint(300, 14_000))
    check_next_request(scene)
