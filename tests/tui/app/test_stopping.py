"""Esc, Ctrl+C and Ctrl+D: the innermost first, and never more than was meant."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.script import Gate, after, call, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene


async def working(s: Scene, gate: Gate) -> None:
    await s.send("go")
    await gate.until_reached()
    await s.until(lambda: s.app.state.working_since is not None, "it works")


async def test_esc_interrupts_what_is_being_written_and_keeps_it(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([turn(text(pieces=["Half an answer", hold(gate), " and more."])), turn(text("Again."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_shown("Half an answer")
        await s.press("escape")
        await s.until_idle()
        assert s.shows("Half an answer")
        assert s.notices[-1] == "Interrupted."
        assert await server.requests[0].until_closed()
        await s.send("again")
        await s.until_shown("Again.")


async def test_esc_interrupts_also_with_a_draft_which_stays(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(text("Never.")))])
    async with scene(server, tmp_path) as s:
        await working(s, gate)
        await s.type("next")
        await s.press("escape")
        await s.until_idle()
        assert s.app.composer.text == "next"
        assert s.notices[-1] == "Interrupted."


async def test_esc_closes_completion_before_it_interrupts(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(text("Answered.")))])
    async with scene(server, tmp_path) as s:
        await working(s, gate)
        await s.type("/")
        assert s.app.composer.is_popup_open
        await s.press("escape")
        assert not s.app.composer.is_popup_open
        assert s.app.state.working_since is not None
        await s.press("escape")
        await s.until_idle()


async def test_esc_gives_up_the_mark_before_it_interrupts(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(text("Answered.")))])
    async with scene(server, tmp_path) as s:
        await working(s, gate)
        await s.press("alt+up")
        assert s.app.view.marked is not None
        await s.press("escape")
        assert s.app.view.marked is None
        assert s.app.composer.has_focus
        assert s.app.state.working_since is not None
        gate.open()
        await s.until_shown("Answered.")


async def test_esc_when_nothing_goes_on_does_nothing(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.press("escape")
        await s.wait(3)
        await s.press("escape")
        assert s.app.is_running
        assert len(s.blocks) == 1
        await s.press("escape")
        await s.until_shown("no message to go back to")
        s.app.composer.put("a draft")
        await s.press("escape", "escape", "escape")
        assert len(s.blocks) == 2


async def test_what_waits_in_the_queue_goes_on_after_an_interrupt(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(text("Never."))), turn(text("Second."))])
    async with scene(server, tmp_path) as s:
        await working(s, gate)
        await s.send("two")
        await s.until(lambda: s.app.state.queue, "it waits")
        await s.press("escape")
        await s.until_shown("Second.")


async def test_a_running_command_is_interrupted(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("execute_command", {"command": "echo begun; sleep 900"}))])
    async with scene(server, tmp_path, "--permission-mode", "yolo") as s:
        await s.send("go")
        await s.until_shown("│ begun")
        await s.press("escape")
        await s.until(lambda: s.tool().state == "interrupted", "it stops")
        await s.until_idle()


async def test_the_order_of_ctrl_c(server: ScriptedServer, tmp_path: Path) -> None:
    """A selection, then the draft, then the turn, and only then the program, if it is pressed twice."""
    gate = Gate()
    server.script_default([turn(text(pieces=["A short answer.", hold(gate)]))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_shown("A short answer.")
        await s.type("draft")
        row = next(y for y, row in enumerate(s.rows) if "A short answer." in row)
        await s.pilot.mouse_down(s.app.view, offset=(4, row - 1))
        await s.pilot.hover(s.app.view, offset=(8, row - 1))
        await s.pilot.mouse_up(s.app.view, offset=(8, row - 1))
        await s.press("ctrl+c")
        assert s.app.copied == ["short"]
        assert s.app.composer.text == "draft"
        assert s.app.screen.get_selected_text() is None
        await s.press("ctrl+c")
        assert s.app.composer.is_empty
        assert s.app.state.working_since is not None
        await s.press("ctrl+c")
        await s.until_idle()
        assert s.notices[-1] == "Interrupted."
        await s.press("ctrl+c")
        assert s.notices[-1] == "Press ctrl+c again to quit."
        assert s.app.is_running
        await s.press("ctrl+c")
        await s.until(lambda: not s.app.is_running, "it quits")
        assert s.app.copied == ["short"]


async def test_a_second_ctrl_c_that_comes_late_does_not_quit(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.press("ctrl+c")
        await s.wait(5)
        await s.press("ctrl+c")
        await s.pilot.pause()
        assert s.app.is_running
        await s.press("ctrl+c")
        await s.until(lambda: not s.app.is_running, "it quits")


async def test_ctrl_c_copies_what_is_selected_in_the_composer(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.type("one two")
        await s.press("ctrl+shift+left")
        await s.press("ctrl+c")
        assert s.app.copied == ["two"]
        assert s.app.composer.text == "one two"
        assert s.app.composer.selection.is_empty
        await s.press("ctrl+c")
        assert s.app.composer.is_empty


async def test_ctrl_d_quits_only_when_nothing_is_written(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.type("ab")
        await s.press("home", "ctrl+d")
        assert s.app.composer.text == "b"
        assert s.app.is_running
        await s.press("ctrl+d", "ctrl+d")
        await s.until(lambda: not s.app.is_running, "it quits")


async def test_ctrl_c_closes_a_window_and_copies_what_is_selected_there(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        for command in ("/theme", "/help", "/cost"):
            await s.send(command)
            await s.until_dialog()
            await s.press("ctrl+c")
            await s.until(lambda: s.app.screen is s.app.main, "it is closed")
        assert s.app.is_running
        assert s.app.chosen_theme.name == "harbor-dark"
        assert not any("quit" in words for words in s.notices)


async def test_ctrl_c_takes_away_a_half_written_reason_first(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("execute_command", {"command": "touch made.txt"})), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.answer("r")
        await s.type("because")
        await s.press("ctrl+c")
        await s.painted()
        assert s.shows("deny, because ›")
        assert not s.shows("deny, because › because")
        assert len(s.panels) == 1
        assert s.app.state.working_since is not None
        await s.press("ctrl+c")
        await s.until_idle()
        assert s.notices[-1] == "Interrupted."


async def test_ctrl_q_does_not_quit(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.press("ctrl+q")
        await s.send("/theme")
        await s.until_dialog()
        await s.press("ctrl+q")
        await s.pilot.pause()
        assert s.app.is_running
        assert not s.app.is_leaving
        await s.press("escape")


async def test_an_interrupted_prompt_that_had_not_begun_comes_back(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        session = s.app.core.session
        assert session is not None
        s.app.composer.put("go")
        draft = s.app.composer.draft()
        s.app.composer.clear_draft()
        assert s.app.core.send(draft, ())
        assert session.interrupt()
        await s.until(lambda: s.app.composer.text == "go", "it comes back")
        assert server.requests == []
