"""/compact and /context, and what the screen shows while a conversation is made shorter."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.tui.pickers.text_screen import TextScreen
from code_assistant.tui.transcript.agent_block import AgentBlock
from tests.fakes.script import Gate, after, call, status, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene

# A model with a window of 200,000 tokens.
MODEL = ("--model", "claude-haiku-4-5")
COMPACTED = "compacted to save room"
SUMMARY = "## Goal\nHow tax is computed."


async def closed(s: Scene) -> None:
    await s.press("escape")
    await s.until(lambda: s.app.screen is s.app.main, "the window is closed")


async def test_compact_makes_the_conversation_shorter(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    first = turn(text(f"{'More. ' * 20_000}\n\nIn tax.py."), usage={"input_tokens": 100_000})
    server.script_default([first, after(gate, turn(text(SUMMARY)))])
    server.script(COMPACTED, [turn(text("Yes."))])
    async with scene(server, tmp_path, *MODEL) as s:
        await s.send("How?")
        await s.until_shown("In tax.py.")
        await s.until_shown("ctx 50%")
        await s.send("/compact the rounding")
        await s.until_shown("Compacting the conversation")
        await gate.until_reached()
        await s.painted()
        assert s.shows("esc interrupt")
        assert sum("Compacting the conversation" in row for row in s.rows) == 2
        gate.open()
        await s.until_shown("✓ Compacted the conversation")
        await s.until_idle()
        assert s.shows("100k → ")
        assert s.app.state.context_percent is not None
        assert s.app.state.context_percent < 50
        assert "above all: the rounding" in str(server.requests[1].body["messages"][-1])
        # What is written is no answer; it can be unfolded.
        assert not s.shows("How tax is computed.")
        await s.press("alt+up", "space")
        await s.until_shown("How tax is computed.")
        assert s.shows("Kept: a summary, your last message, the last answer.")
        await s.press("escape")
        await s.send("And tested?")
        await s.until_shown("Yes.")


async def test_escape_interrupts_a_compaction(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([turn(text("In tax.py.")), after(gate, turn(text("never"))), turn(text("Yes."))])
    async with scene(server, tmp_path, *MODEL) as s:
        await s.send("How?")
        await s.until_shown("In tax.py.")
        await s.send("/compact")
        await gate.until_reached()
        await s.press("escape")
        await s.until_shown("■ The conversation was not compacted")
        await s.until_idle()
        await s.send("And tested?")
        await s.until_shown("Yes.")


async def test_while_working_it_is_queued_and_can_be_taken_back(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(text("In tax.py.")))])
    async with scene(server, tmp_path, *MODEL) as s:
        await s.send("How?")
        await gate.until_reached()
        await s.send("/compact tax")
        await s.until(lambda: [words for _, words in s.app.state.queue] == ["/compact tax"], "it is queued")
        await s.press("up")
        await s.until(lambda: s.app.composer.text == "/compact tax", "it is back")
        assert s.app.state.queue == []
        gate.open()
        await s.until_shown("In tax.py.")
        await s.press("ctrl+c")


async def test_a_failure_is_told(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("In tax.py.")), status(400, "invalid_request_error", "not today")])
    async with scene(server, tmp_path, *MODEL) as s:
        await s.send("/compact")
        await s.until_shown("There is nothing to compact yet.")
        await s.send("How?")
        await s.until_shown("In tax.py.")
        await s.send("/compact")
        await s.until(lambda: "not today" in s.tool().detail, "it is told")
        await s.until_idle()
        assert s.shows("✗ The conversation was not compacted")


@pytest.mark.parametrize("line", ["/compact", "/context"])
async def test_without_a_session_there_is_nothing(server: ScriptedServer, tmp_path: Path, line: str) -> None:
    async with scene(server, tmp_path, key="no kéy") as s:
        await s.send(line)
        await s.until(lambda: "no session yet" in s.notices[-1], "it is told")


async def test_before_the_window_is_full_it_happens_by_itself(server: ScriptedServer, tmp_path: Path) -> None:
    nearly_full = turn(text("In tax.py."), usage={"input_tokens": 171_000})
    server.script_default([nearly_full, turn(text(SUMMARY))])
    server.script(COMPACTED, [turn(text("Yes."))])
    async with scene(server, tmp_path, *MODEL) as s:
        await s.send("How?")
        await s.until_shown("ctx 86%")
        await s.until_idle()
        await s.send("And tested?")
        await s.until_shown("Yes.")
        assert s.shows("✓ Compacted the conversation")
        await s.until_idle()
        assert not s.shows("ctx 86%")


async def test_a_childs_compaction_is_a_line_in_its_block(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    reading = turn(call("read_files", {"paths": ["tax.py"]}), usage={"input_tokens": 180_000})
    server.script("look", [reading, after(gate, turn(text(SUMMARY)))])
    server.script(COMPACTED, [turn(text("A fifth."))])
    server.script_default(
        [turn(call("spawn_agent", {"instructions": "look"}, id="c1"), usage={"input_tokens": 10}), turn(text("Done."))]
    )
    async with scene(server, tmp_path, *MODEL, collapses=False) as s:
        await s.send("go")
        await gate.until_reached()
        await s.until_shown("compacting")
        assert s.shows("◐ Compacting the conversation")
        gate.open()
        await s.until_shown("Done.")
        assert s.shows("✓ Compacted the conversation")
        block = s.agent()
        assert isinstance(block, AgentBlock)
        # It is no tool call.
        assert s.shows("1 tool ·")
        assert not s.app.state.context_percent
        await s.press("alt+up", "alt+up", "enter")
        await s.until(lambda: s.app.screen is not s.app.main, "its own screen")
        await s.until_shown("✓ Compacted the conversation")


@pytest.mark.parametrize("size", [(100, 30), (40, 30), (40, 12)])
async def test_context_shows_what_fills_the_window(
    server: ScriptedServer, tmp_path: Path, size: tuple[int, int]
) -> None:
    server.script_default(
        [turn(call("read_files", {"paths": ["tax.py"]})), turn(text("Done."), usage={"input_tokens": 99_980})]
    )
    async with scene(server, tmp_path, *MODEL, size=size) as s:
        await s.send("go")
        await s.until_idle()
        await s.send("/context")
        await s.until_dialog(TextScreen)
        assert s.shows("claude-haiku-4-5")
        seen = list(s.rows)
        if size[1] < 20:
            await s.press("end")
            await s.pilot.pause()
            seen += s.rows
        words = " ".join(" ".join(row.strip(" │").split()) for row in seen)
        assert "50%" in words
        assert "system prompt" in words
        assert "read_files" in words
        assert "left for the answer" in words
        assert "170k tok (85%)" in words
        assert all(len(row) <= size[0] for row in s.rows)
        await closed(s)


async def test_context_before_the_first_prompt(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("/context")
        await s.until_dialog(TextScreen)
        assert s.shows("tools")
        assert not s.shows("your messages")
        await closed(s)
    assert server.requests == []


async def test_the_share_follows_the_model(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("Done."), usage={"input_tokens": 100_000})])
    async with scene(server, tmp_path, *MODEL) as s:
        await s.send("go")
        await s.until_shown("ctx 50%")
        await s.until_idle()
        await s.send("/model sonnet")
        await s.until_shown("ctx 10%")
