"""What the person sends: prompts, the queue, shell commands, drafts that survive."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.fakes.script import Gate, after, call, hold, status, text, turn
from tests.fakes.server import ScriptedServer, first_user_text
from tests.tui.app.harness import scene


def sent_texts(server: ScriptedServer) -> list[str]:
    """The newest words of the person in each request."""
    return [request.body["messages"][-1]["content"][-1]["text"] for request in server.requests]


async def test_a_prompt_is_sent_and_its_answer_shown(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("How", [turn(text("Hello **you**."))])
    async with scene(server, tmp_path) as s:
        await s.type("How?")
        await s.press("enter")
        await s.until_shown("Hello you.")
        await s.until_idle()
        assert s.shows("› How?")
        assert s.app.composer.is_empty
        assert first_user_text(server.requests[0].body).endswith("How?")


async def test_what_is_written_while_it_works_is_seen_as_it_comes(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([turn(text(pieces=["First half, ", hold(gate), "second half."]))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_shown("First half,")
        assert s.app.state.activity == "Writing"
        assert not s.shows("second half")
        gate.open()
        await s.until_shown("First half, second half.")


async def test_prompts_queue_while_it_works_and_are_worked_on_in_order(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(text("First."))), turn(text("Second.")), turn(text("Third."))])
    async with scene(server, tmp_path) as s:
        await s.send("one")
        await gate.until_reached()
        await s.send("two")
        await s.send("three")
        await s.until(lambda: len(s.app.state.queue) == 2, "both wait")
        await s.painted()
        assert s.shows("two")
        assert s.shows("three")
        gate.open()
        await s.until_shown("Third.")
        await s.until_idle()
        assert sent_texts(server) == ["one", "two", "three"]
        assert s.app.main.queue.size.height == 0


async def test_whoever_reads_further_up_is_left_there_when_a_queued_prompt_begins(
    server: ScriptedServer, tmp_path: Path
) -> None:
    first, second = Gate("first"), Gate("second")
    long = turn(text("line\n\n" * 80), hold(first), text("end"))
    server.script_default([long, turn(text("Answer."), hold(second))])
    async with scene(server, tmp_path) as s:
        await s.send("one")
        await first.until_reached()
        await s.until_shown("line")
        await s.press("pageup", "pageup")
        await s.send("two")
        await s.until(lambda: s.app.state.queue, "it waits")
        # Who sends wants to see what comes of it.
        assert s.app.view.is_following
        await s.press("pageup", "pageup")
        await s.painted()
        top = s.app.view._top
        first.open()
        await second.until_reached()
        await s.painted()
        assert not s.app.view.is_following
        assert s.app.view._top == top
        second.open()
        await s.until_idle()


async def test_up_takes_the_queue_back_in_front_of_what_is_written(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(text("First."))), turn(text("Second."))])
    async with scene(server, tmp_path) as s:
        await s.send("one")
        await gate.until_reached()
        await s.send("two")
        await s.send("three")
        await s.until(lambda: len(s.app.state.queue) == 2, "both wait")
        await s.type("four")
        await s.press("up")
        await s.until(lambda: s.app.state.queue == [], "nothing waits")
        assert s.app.composer.text == "two\nthree\nfour"
        gate.open()
        await s.until_idle()
        await s.press("enter")
        await s.until_shown("Second.")
        assert sent_texts(server) == ["one", "two\nthree\nfour"]


async def test_what_is_sent_before_there_is_a_session_goes_out_in_order(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("First.")), turn(text("Second."))])
    may_open = asyncio.Event()
    async with scene(server, tmp_path, may_open=may_open) as s:
        await s.send("one")
        await s.send("two")
        await s.until(lambda: len(s.app.core.early) == 2, "both wait for the session")
        may_open.set()
        await s.until_shown("Second.")
        await s.until_idle()
        assert sent_texts(server) == ["one", "two"]


async def test_what_waits_for_the_session_can_be_taken_back(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, may_open=asyncio.Event()) as s:
        await s.send("one")
        await s.until(lambda: s.app.core.early, "it waits")
        await s.press("up")
        assert s.app.composer.text == "one"
        assert s.app.core.early == ()


async def test_a_failed_turn_is_sent_again_with_enter(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([status(400, "invalid_request_error", "no such thing"), turn(text("Now it works."))])
    async with scene(server, tmp_path) as s:
        await s.press("enter")
        await s.send("go")
        await s.until_shown("no such thing")
        await s.until_idle()
        assert "Press Enter to try again" in s.notices[-1]
        await s.press("enter")
        await s.until_shown("Now it works.")
        await s.until_idle()
        assert sent_texts(server) == ["go", "go"]
        await s.press("enter")
        await s.pilot.pause()
        assert len(server.requests) == 2


async def test_with_an_impossible_key_it_says_so_and_gives_the_prompt_back(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path, key="no kéy") as s:
        await s.until(lambda: any("ANTHROPIC_API_KEY" in words for words in s.notices), "it is told")
        await s.send("How?")
        await s.until(lambda: s.app.composer.text == "How?", "it comes back")
        assert server.requests == []


async def test_a_prompt_sent_before_it_is_known_that_there_is_no_session_comes_back(
    server: ScriptedServer, tmp_path: Path
) -> None:
    may_open = asyncio.Event()
    async with scene(server, tmp_path, key="no kéy", may_open=may_open) as s:
        await s.send("How?")
        await s.until(lambda: s.app.core.early, "it waits")
        may_open.set()
        await s.until(lambda: s.app.composer.text == "How?", "it comes back")


async def test_a_draft_survives(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.type("half a thou")
    async with scene(server, tmp_path) as s:
        await s.until(lambda: s.app.composer.text == "half a thou", "the draft is back")


async def test_a_shell_command_runs_at_once_and_the_model_hears_of_it(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("I saw it."))])
    async with scene(server, tmp_path) as s:
        await s.type("!echo mar")
        assert s.app.composer.has_class("-shell")
        await s.type("ker\n")
        await s.until(lambda: s.tools and s.tool().state == "success", "it ran")
        assert s.panels == []
        await s.until_idle()
        await s.press("alt+up", "space")
        await s.until_shown("│ marker")
        assert server.requests == []
        await s.send("what was that?")
        await s.until_shown("I saw it.")
        assert "marker" in str(server.requests[0].body["messages"])


async def test_a_shell_command_can_be_interrupted(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("!echo begun; sleep 900")
        await s.until_shown("│ begun")
        await s.press("escape")
        await s.until(lambda: s.tool().state == "interrupted", "it stops")


async def test_hints_say_how_long_it_works_and_what_it_used(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    first = turn(call("read_files", {"paths": ["tax.py"]}), usage={"output_tokens": 1234})
    server.script_default([first, after(gate, turn(text("Read.")))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        await s.wait(65)
        await s.painted()
        assert any("1:05" in row and "1.2k" in row for row in s.rows[-2:]), s.rows[-2:]
        gate.open()
        await s.until_shown("Read.")


async def test_what_the_persons_own_command_printed_stays_in_sight(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("!seq 1001 1040")
        await s.until_idle()
        await s.until(lambda: s.tools and s.tool().state == "success", "its end")
        await s.painted()
        rows = [row.strip() for row in s.transcript_rows]
        assert not s.tool().is_expanded
        assert "│ … 25 more lines above" in rows
        assert [row for row in rows if row.startswith("│ 10")] == [f"│ {number}" for number in range(1026, 1041)]
        # Folded by hand it is one line again.
        s.app.view.toggle(s.tool())
        s.app.view.toggle(s.tool())
        await s.painted()
        assert not s.shows("1039")
