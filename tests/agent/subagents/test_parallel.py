"""Side by side, in order, within limits."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from code_assistant.config.settings import AgentSettings
from code_assistant.events import (
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    BudgetExhausted,
    RequestStarted,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import ToolResult
from code_assistant.subagents.child import Child
from code_assistant.subagents.runner import Job, RunEnd
from tests.agent.harness import Harness
from tests.agent.subagents.support import names_in, requests_of, results, said, spawn, spawning
from tests.fakes.script import Gate, after, call, cut, error_event, hang_up, status, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD


async def test_sub_p1_readers_run_at_once(server: ScriptedServer, tmp_path: Path) -> None:
    gates = [Gate(str(number)) for number in range(3)]
    for number, gate in enumerate(gates):
        server.script(f"look {number}", [after(gate, turn(text(f"Seen {number}.")))])
    server.script_default([turn(*(spawn(f"look {number}") for number in range(3))), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        harness.session.send("go")
        for gate in gates:
            # All are there though none has been answered: they wait side by side.
            await gate.until_reached()
        for gate in gates:
            gate.open()
        await harness.session.idle()
        assert results(harness) == ["Seen 0.", "Seen 1.", "Seen 2."]


async def test_sub_k15_the_first_request_leaves_at_once(server: ScriptedServer, tmp_path: Path) -> None:
    """Nothing but the call itself comes before it: no other request, no tool, no wait for anybody."""
    gate = Gate()
    server.script("look", [after(gate, turn(text("Seen.")))])
    server.script_default([turn(spawn("look")), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        harness.session.send("go")
        await gate.until_reached()
        assert [request.conversation for request in server.requests] == ["", "look"]
        called = next(at for at, event in enumerate(harness.events) if isinstance(event, ToolStarted))
        asked = next(at for at, event in enumerate(harness.events) if isinstance(event, RequestStarted) and at > called)
        between = [type(event).__name__ for event in harness.events[called:asked]]
        assert between == ["ToolStarted", "AgentSpawned", "AgentStatusChanged", "PromptStarted", "ContextMeasured"]
        gate.open()
        await harness.session.idle()


async def test_sub_p2_results_keep_the_order_of_the_calls(server: ScriptedServer, tmp_path: Path) -> None:
    gates = [Gate(str(number)) for number in range(3)]
    for number, gate in enumerate(gates):
        server.script(f"look {number}", [after(gate, turn(text(f"Seen {number}.")))])
    server.script_default([turn(*(spawn(f"look {number}", f"c{number}") for number in range(3))), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        harness.session.send("go")
        for count, number in enumerate((2, 0, 1), 1):
            gates[number].open()
            finished = await harness.until(AgentFinished, count)
            assert finished.answer == f"Seen {number}."
        await harness.session.idle()
        assert results(harness) == ["Seen 0.", "Seen 1.", "Seen 2."]
        told = [each for message in harness.messages for each in message.content if isinstance(each, ToolResult)]
        assert [each.tool_call_id for each in told] == ["c0", "c1", "c2"]


async def test_safe_r8_what_befalls_one_changes_nothing_for_the_others(server: ScriptedServer, tmp_path: Path) -> None:
    """Refused, cut off, hung up on: each costs its own result, and the rest are word for word what was said."""
    broken = {
        1: status(400, "invalid_request_error", "no"),
        3: turn(text("Half a"), cut()),
        4: hang_up(),
        6: turn(error_event("api_error", "no")),
    }
    for number in range(8):
        server.script(f"look {number}", [broken.get(number) or turn(text(f"Seen {number}."))])
    server.script_default([turn(*(spawn(f"look {number}", f"c{number}") for number in range(8))), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        await harness.ask()
        told = [each for message in harness.messages for each in message.content if isinstance(each, ToolResult)]
        assert [each.tool_call_id for each in told] == [f"c{number}" for number in range(8)]
        assert {number for number, each in enumerate(told) if each.is_error} == broken.keys()
        whole = [number for number in range(8) if number not in broken]
        assert [results(harness)[number] for number in whole] == [f"Seen {number}." for number in whole]


async def test_sub_p3_everything_else_is_a_barrier(server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    first, second, third = Gate("first"), Gate("second"), Gate("third")
    server.script("one", [after(first, turn(text("One.")))])
    server.script("two", [after(second, turn(text("Two.")))])
    server.script("three", [after(third, turn(text("Three.")))])
    calls = (
        spawn("one", "c1", mode="read_only"),
        spawn("two", "c2"),
        spawn("three", "c3", mode="default"),
        call("read_files", {"paths": ["a.py"]}, id="c4"),
    )
    server.script_default([turn(*calls), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        harness.session.send("go")
        await first.until_reached()
        await second.until_reached()
        assert started(harness) == ["c1", "c2"]
        second.open()
        await harness.until(AgentFinished)
        assert started(harness) == ["c1", "c2"]
        first.open()
        await third.until_reached()
        assert started(harness) == ["c1", "c2", "c3"]
        third.open()
        await harness.session.idle()
        assert started(harness) == ["c1", "c2", "c3", "c4"]


async def test_sub_p4_a_reader_never_overtakes_a_writer(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [turn(call("read_files", {"paths": ["new.py"]})), turn(text("Seen."))])
    server.script_default(
        [turn(call("write_file", {"path": "new.py", "content": "NEW = 1\n"}), spawn("look")), turn(text("ok"))]
    )
    async with spawning(server, tmp_path, mode="yolo") as harness:
        await harness.ask()
        assert "NEW = 1" in str(requests_of(server, "look")[1].body["messages"])


def started(harness: Harness) -> list[str]:
    return [each.tool_call_id for each in harness.of(ToolStarted) if each.origin.depth == 1]


async def test_sub_p5_one_over_the_cap_waits_its_turn(server: ScriptedServer, tmp_path: Path) -> None:
    gates = [Gate(str(number)) for number in range(11)]
    for number, gate in enumerate(gates):
        server.script(f"look {number:02}", [after(gate, turn(text(f"Seen {number}.")))])
    server.script_default([turn(*(spawn(f"look {number:02}") for number in range(11))), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        harness.session.send("go")
        await server.until_requests(11)
        await harness.until(AgentSpawned, 11)
        statuses = [each.status for each in harness.of(AgentStatusChanged) if each.origin.name == "helper-11"]
        assert statuses == ["queued"]
        assert [child.status for child in harness.live.all].count("queued") == 1
        gates[3].open()
        await gates[10].until_reached()
        statuses = [each.status for each in harness.of(AgentStatusChanged) if each.origin.name == "helper-11"]
        assert statuses == ["queued", "spawning"]
        for gate in gates:
            gate.open()
        await harness.session.idle()
        assert results(harness) == [f"Seen {number}." for number in range(11)]


class CountingRunner:
    """Runs nothing, but counts how many run at once."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0

    async def run(self, job: Job, child: Child) -> RunEnd:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        return RunEnd("completed", job.instructions)


async def test_sub_p5_waves_over_the_cap(server: ScriptedServer, tmp_path: Path) -> None:
    runner = CountingRunner()
    wave = turn(*(spawn(f"look {number}") for number in range(25)))
    server.script_default([wave, wave, turn(text("ok"))])
    async with spawning(server, tmp_path, runner=runner, agents=AgentSettings(max_parallel=5)) as harness:
        await harness.ask()
        assert runner.most == 5
        assert results(harness) == [f"look {number}" for number in range(25)] * 2


async def test_sub_p7_usage_counts_for_the_session(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("small", [turn(text("s"), usage={"input_tokens": 900, "output_tokens": 100})])
    server.script("big", [turn(text("b"), usage={"input_tokens": 1500, "output_tokens": 500})])
    server.script_default([turn(spawn("small"), spawn("big")), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        await harness.ask()
        used = sum(each.usage.total for each in harness.of(UsageAdded))
        assert used == 1000 + 2000 + 2 * 120
        finished = {each.answer: each for each in harness.of(AgentFinished)}
        assert (finished["s"].usage.total, finished["b"].usage.total) == (1000, 2000)
        assert finished["b"].cost == pytest.approx((1500 * 2 + 500 * 10) / 1e6)


async def test_sub_p7_a_child_has_no_more_than_its_parent_has_left(server: ScriptedServer, tmp_path: Path) -> None:
    reading = turn(text("Found a bit."), call("list_files", {}), usage={"input_tokens": 300, "output_tokens": 100})
    server.script("look", [reading, reading, reading])
    server.script_default([turn(spawn("look"), usage={"input_tokens": 400, "output_tokens": 100}), turn(text("ok"))])
    async with spawning(server, tmp_path, max_tokens=1000) as harness:
        finished = await harness.ask()
        assert len(requests_of(server, "look")) == 2
        (ended,) = harness.of(AgentFinished)
        assert ended.status == "budget_exhausted"
        assert "Sub-agent ended: budget_exhausted." in results(harness)[0]
        assert "Found a bit." in results(harness)[0]
        assert [(each.kind, each.usage, each.limit) for each in harness.of(BudgetExhausted)] == [
            ("total", 1300, 1000),
            ("total", 1300, 1000),
        ]
        assert finished.outcome == "budget_exhausted"


async def test_nothing_is_spawned_on_a_used_up_budget(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(spawn("look"), usage={"input_tokens": 2000})])
    async with spawning(server, tmp_path, max_tokens=1000) as harness:
        await harness.ask()
        assert '"BUDGET_EXHAUSTED"' in results(harness)[0]
        assert harness.of(AgentSpawned) == []


async def test_sub_p8_turns(server: ScriptedServer, tmp_path: Path) -> None:
    looking = turn(text("Still looking."), call("list_files", {}))
    server.script("look", [looking, looking, turn(text("So far: nothing."), call("list_files", {}))])
    server.script_default([turn(spawn("look", max_turns=3)), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        await harness.ask()
        asked = requests_of(server, "look")
        assert len(asked) == 3
        assert [request.body.get("tool_choice") for request in asked] == [None, None, {"type": "none"}]
        assert "last turn" in said(asked[2])[-1]
        (finished,) = harness.of(AgentFinished)
        assert (finished.status, finished.turns) == ("turn_limit_reached", 3)
        assert results(harness)[0].startswith("Sub-agent ended: turn_limit_reached.\n\n")
        assert results(harness)[0].endswith("So far: nothing.")
        assert harness.live.all == ()


@pytest.mark.parametrize(("kind", "field"), [("input", "max_input_tokens"), ("output", "max_output_tokens")])
async def test_sub_p9_own_budgets(kind: str, field: str, server: ScriptedServer, tmp_path: Path) -> None:
    usage = {f"{kind}_tokens": 5000}
    server.script("look", [turn(text("A bit."), call("list_files", {}), usage=usage)])
    server.script_default([turn(spawn("look", None, **{field: 4000})), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        finished = await harness.ask()
        assert finished.outcome == "completed"
        assert len(requests_of(server, "look")) == 1
        (exhausted,) = harness.of(BudgetExhausted)
        assert (exhausted.kind, exhausted.usage, exhausted.limit) == (kind, 5000, 4000)
        assert results(harness)[0].startswith("Sub-agent ended: budget_exhausted.")


async def test_an_answer_within_the_last_request_is_whole(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [turn(text("All of it."), usage={"input_tokens": 5000})])
    server.script_default([turn(spawn("look", max_input_tokens=4000, max_request_tokens=77)), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        await harness.ask()
        assert results(harness) == ["All of it."]
        assert requests_of(server, "look")[0].body["max_tokens"] == 77


async def test_a_child_is_steered_at_its_next_request(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script(
        "look", [after(gate, turn(call("list_files", {}))), turn(text("Seen.")), turn(text("In German: Ja."))]
    )
    server.script_default([turn(spawn("look", "c1")), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        harness.session.send("go")
        await gate.until_reached()
        assert harness.session.steer_agent("c1", "Look at tests, too.")
        assert not harness.session.steer_agent("c2", "x")
        gate.open()
        await harness.until(RequestStarted, 3)
        assert harness.session.steer_agent("c1", "Answer in German.")
        await harness.session.idle()
        second, third = requests_of(server, "look")[1:]
        assert said(second)[-1] == "Look at tests, too."
        assert said(third)[-1] == "Answer in German."
        assert results(harness) == ["In German: Ja."]
        assert "German" not in str(server.requests[-1].body["messages"]).replace("In German: Ja.", "")
        assert not harness.session.steer_agent("c1", "too late")


async def test_a_word_after_a_continued_answer_begins_a_new_one(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    cut = turn(text("First half"), stop="max_tokens")
    server.script("look", [cut, after(gate, turn(text(" second half."))), turn(text("The new answer."))])
    server.script_default([turn(spawn("look", "c1")), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        harness.session.send("go")
        await gate.until_reached()
        assert not harness.session.steer_agent("c1", "  ")
        assert harness.session.steer_agent("c1", "Anew, please.")
        gate.open()
        await harness.session.idle()
        assert results(harness) == ["The new answer."]


async def test_the_time_of_a_child(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script("look", [turn(text("A bit."), call("list_files", {})), after(gate, turn(text("never")))])
    server.script_default([turn(spawn("look", timeout_s=1)), turn(text("ok"))])
    async with spawning(server, tmp_path) as harness:
        async with asyncio.timeout(HANG_GUARD):
            await harness.ask()
        gate.open()
        (finished,) = harness.of(AgentFinished)
        assert finished.status == "timed_out"
        assert results(harness) == ["Sub-agent ended: timed_out.\n\nA bit."]


async def test_files_of_a_writer(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("work", [turn(call("write_file", {"path": "a.py", "content": "x"})), turn(text("Done."))])
    server.script_default([turn(spawn("work", mode="default")), turn(text("ok"))])
    async with spawning(server, tmp_path, mode="accept-edits") as harness:
        await harness.ask()
        assert names_in(tmp_path) == ["a.py"]
