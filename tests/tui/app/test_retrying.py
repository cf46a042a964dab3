"""Requests that are sent again, as the person sees them: why, how long, and nothing twice."""

from __future__ import annotations

from pathlib import Path

from code_assistant.tui.transcript.agent_block import AgentBlock
from tests.fakes.script import Gate, after, call, cut, hold, status, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import scene

SOON = {"CODE_ASSISTANT_REQUEST__RETRY_DELAY_MS": "1"}
LATE = {"CODE_ASSISTANT_REQUEST__RETRY_DELAY_MS": "60000"}
LIMIT = status(429, "rate_limit_error", "slow down", {"retry-after": "40"})


async def test_the_countdown_and_why(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([status(503, "api_error", "too busy"), turn(text("Here."))])
    async with scene(server, tmp_path, variables=LATE) as s:
        await s.send("hi")
        await s.until_shown("The service failed: too busy. Trying again, 2 of 8.")
        await s.until_shown("Try 2/8 in")
        left = s.rows[-1].partition("in ")[2].partition(" s")[0]
        assert 30 < int(left) <= 32 * 1.25 + 1
        await s.wait(10)
        s.app._tick()
        await s.painted()
        assert int(s.rows[-1].partition("in ")[2].partition(" s")[0]) == int(left) - 10
        await s.press("escape")
        await s.until_idle()
        assert "Interrupted." in s.notices
        assert len(server.requests) == 1


async def test_what_was_said_of_a_wait_stays_where_it_was(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([status(503, "api_error", "too busy")] * 3)
    async with scene(server, tmp_path, variables=LATE) as s:
        for number in (1, 2):
            await s.send(f"question {number}")
            await s.until(lambda: s.app.state.delay is not None, "it waits")
            await s.press("escape")
            await s.until_idle()
            assert s.app.state.delay is None
        told = [words for words in s.notices if "too busy" in words]
        assert len(told) == 2


async def test_what_went_well_in_the_end_says_so(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([status(503, "api_error", "too busy"), turn(text("Here."))])
    async with scene(server, tmp_path, variables=SOON) as s:
        await s.send("hi")
        await s.until_shown("Here.")
        await s.until_idle()
        assert "The service failed: too busy. It went on after that." in s.notices


async def test_safe_r5_a_broken_answer_is_taken_back(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default(
        [
            turn(text("The tax is a half-finished", pieces=["The tax is ", "a half-finished", hold(gate)]), cut()),
            turn(text("The tax is a fifth.")),
        ]
    )
    async with scene(server, tmp_path, variables=SOON) as s:
        await s.send("how much?")
        await s.until_shown("a half-finished")
        gate.open()
        await s.until_shown("The tax is a fifth.")
        await s.until_idle()
        assert not s.shows("half-finished")
        assert sum("The tax is" in row for row in s.rows) == 1
        assert s.shows("The answer broke off here and was asked for again.")


async def test_safe_r4_a_prompt_that_must_wait_is_back_in_the_composer(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([status(429, "rate_limit_error", "enough", {"retry-after": "3600"}), turn(text("Now."))])
    async with scene(server, tmp_path) as s:
        await s.send("how much?")
        await s.until(lambda: s.app.composer.text == "how much?", "it is back")
        await s.until(lambda: s.notices[-1].endswith("What you wrote is back in the input."), "it is told")
        assert "Try again after" in s.notices[-1]
        await s.press("enter")
        await s.until_shown("Now.")
        await s.until_idle()
        bodies = [request.body["messages"] for request in server.requests]
        assert bodies[0] == bodies[1]


async def test_what_is_being_written_stays_before_it(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, status(429, "rate_limit_error", "enough", {"retry-after": "3600"}))])
    async with scene(server, tmp_path) as s:
        await s.send("how much?")
        await gate.until_reached()
        await s.type("and also")
        gate.open()
        await s.until(lambda: s.app.composer.text == "how much?\nand also", "both are there")


async def test_agents_that_wait_say_so(server: ScriptedServer, tmp_path: Path) -> None:
    for name in ("one", "two"):
        server.script(f"look {name}", [LIMIT])
    spawns = [call("spawn_agent", {"instructions": f"look {name}"}, id=f"c{name}") for name in ("one", "two")]
    server.script_default([turn(*spawns), turn(text("ok"))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until(lambda: sum("rate limit, " in row for row in s.rows) == 2, "both say so")
        seconds = [int(row.partition("rate limit, ")[2].partition(" s")[0]) for row in s.rows if "rate limit, " in row]
        assert all(39 <= each <= 51 for each in seconds)
        await s.pilot.resize_terminal(48, 24)
        await s.until(lambda: sum("rate limit, " in row for row in s.rows) == 2, "also where there is little room")
        await s.pilot.resize_terminal(100, 30)
        s.app.view.focus()
        blocks = [block for block in s.app.transcript.blocks if isinstance(block, AgentBlock)]
        s.app.view.mark(blocks[0])
        await s.press("x")
        await s.until(lambda: blocks[0].record.status == "cancelled", "it can be cancelled while it waits")
        assert blocks[1].record.is_live
        await s.press("escape", "escape")
        await s.until_idle()


async def test_safe_r4_also_when_the_conversation_was_compacted_first(server: ScriptedServer, tmp_path: Path) -> None:
    late = status(429, "rate_limit_error", "enough", {"retry-after": "3600"})
    # As long as an answer can be before the next prompt is too much for the window.
    server.script_default([turn(text("A fifth."), usage={"input_tokens": 950_000}), turn(text("Tax."))])
    server.script("compacted to save room", [late, turn(text("Now."))])
    async with scene(server, tmp_path) as s:
        await s.send("how much?")
        await s.until_shown("A fifth.")
        await s.until_idle()
        await s.send("is it tested?")
        await s.until(lambda: s.app.composer.text == "is it tested?", "it is back")
        await s.until(lambda: s.notices[-1].endswith("What you wrote is back in the input."), "it is told")
        await s.press("enter")
        await s.until_shown("Now.")
        await s.until_idle()
        assert server.requests[-1].body["messages"][-1]["content"][0]["text"] == "is it tested?"
        assert server.requests[-1].raw_body.count(b"is it tested?") == 1
