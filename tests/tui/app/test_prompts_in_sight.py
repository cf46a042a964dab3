"""Focus moves into a prompt by itself only when the hands rest and all of the prompt is seen; else no key counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from code_assistant.tui.pickers.picker import Picker
from tests.fakes.script import Gate, after, call, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene

TOUCH = call("execute_command", {"command": "touch made.txt"})
LONG = call("execute_command", {"command": "touch made.txt\n" + "\n".join(f"echo line{n}" for n in range(30))})


async def looked_at(s: Scene, seconds: float) -> None:
    """Time passes, and what is there is painted before and after."""
    await s.painted()
    await s.wait(seconds)
    await s.painted()


async def test_safe_r10_keys_pressed_in_a_window_are_keys(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(TOUCH)), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        await s.wait(5)
        await s.press("ctrl+p")
        await s.until_dialog(Picker)
        gate.open()
        await s.until_prompt()
        await looked_at(s, 3)
        await s.type("abc")
        await s.press("escape")
        await s.until(lambda: s.app.screen is s.app.main, "it is closed")
        for _ in range(2):
            await looked_at(s, 0.45)
            assert s.app.composer.has_focus
        await s.press("y")
        assert s.app.composer.text == "y"
        await s.press("backspace")
        await looked_at(s, 1.1)
        assert s.panels[0].has_focus
        assert not (s.folder / "made.txt").exists()


async def test_safe_r10_what_was_behind_a_window_is_not_seen_yet(server: ScriptedServer, tmp_path: Path) -> None:
    """Closed with the mouse, so that no key has been pressed for long."""
    server.script_default([turn(TOUCH), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.press("ctrl+p")
        dialog = await s.until_dialog(Picker)
        await s.until_prompt()
        await looked_at(s, 5)
        # Pilot's own mouse goes past the app.
        s.app.desk.route(events.MouseDown(None, 0, 0, 0, 0, 1, False, False, False, 0, 0))
        dialog.close()
        await s.until(lambda: s.app.screen is s.app.main, "it is closed")
        await looked_at(s, 0.2)
        assert s.app.composer.has_focus
        await looked_at(s, 0.2)
        assert s.panels[0].has_focus


async def test_safe_r10_whoever_searches_the_history_is_typing(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(TOUCH)), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("yes please")
        await gate.until_reached()
        await s.press("ctrl+r")
        await s.until(lambda: s.app.composer.is_popup_open, "the search")
        gate.open()
        await s.until_prompt()
        for _ in range(3):
            await looked_at(s, 1.5)
        assert s.app.composer.has_focus
        await s.press("y")
        assert s.app.composer.is_popup_open
        assert not (s.folder / "made.txt").exists()
        await s.press("escape")
        await looked_at(s, 0.4)
        assert s.app.composer.has_focus
        await looked_at(s, 0.7)
        assert s.panels[0].has_focus


async def long_prompt(s: Scene, server: ScriptedServer) -> None:
    server.script_default([turn(text("line\n\n" * 60), LONG), turn(text("Done."))])
    await s.send("go")
    await s.until_prompt()
    await s.painted()


async def scroll(s: Scene, rows: int) -> None:
    s.app.view.scroll_relative(y=rows, animate=False)
    await s.pilot.pause()
    await s.painted()


@pytest.mark.parametrize("rows", [-20, -3])
async def test_safe_r10_focus_does_not_move_into_what_is_partly_out_of_sight(
    server: ScriptedServer, tmp_path: Path, rows: int
) -> None:
    async with scene(server, tmp_path) as s:
        await long_prompt(s, server)
        await scroll(s, rows)
        assert not s.panels[0].is_in_sight
        for _ in range(3):
            await looked_at(s, 1.5)
        assert s.app.composer.has_focus
        await s.press("y")
        assert s.app.composer.text == "y"
        await s.press("backspace")
        await s.wait(2)
        await scroll(s, 40)
        assert s.panels[0].is_in_sight
        await looked_at(s, 0.2)
        assert s.app.composer.has_focus
        await looked_at(s, 0.2)
        assert s.panels[0].has_focus
        assert not (s.folder / "made.txt").exists()


@pytest.mark.parametrize("is_by_person", [True, False])
async def test_safe_r10_no_key_answers_what_was_scrolled_out_of_sight(
    server: ScriptedServer, tmp_path: Path, is_by_person: bool
) -> None:
    async with scene(server, tmp_path) as s:
        await long_prompt(s, server)
        await looked_at(s, 1.5)
        if is_by_person:
            await s.press("f8")
        assert s.panels[0].has_focus
        await looked_at(s, 1.5)
        await scroll(s, -20)
        await looked_at(s, 1.5)
        await s.press("y")
        await s.painted()
        assert len(s.panels) == 1
        assert s.app.composer.text == ("" if is_by_person else "y")
        await s.press("f8")
        assert s.panels[0].has_focus
        await looked_at(s, 0.4)
        await s.press("y")
        await s.until_shown("Done.")
        assert (s.folder / "made.txt").exists()


async def test_a_prompt_that_is_higher_than_the_view_can_be_answered(server: ScriptedServer, tmp_path: Path) -> None:
    """All but its lower border is in sight."""
    async with scene(server, tmp_path, size=(60, 6)) as s:
        server.script_default([turn(TOUCH), turn(text("Done."))])
        await s.send("go")
        await s.until_prompt()
        assert s.panels[0].size.height > s.app.view.size.height
        await s.press("f8")
        await looked_at(s, 0.5)
        assert s.panels[0].is_in_sight
        await s.press("y")
        await s.until_shown("Done.")


@pytest.mark.parametrize("keys", [("y",), ("a",), ("s",), ("right", "enter")])
async def test_nothing_is_allowed_before_what_it_is_about_was_in_sight(
    server: ScriptedServer, tmp_path: Path, keys: tuple[str, ...]
) -> None:
    async with scene(server, tmp_path, size=(20, 6)) as s:
        server.script_default([turn(TOUCH), turn(text("Done."))])
        await s.send("go")
        await s.until_prompt()
        await s.press("f8")
        await looked_at(s, 0.5)
        assert not s.shows("touch")
        await s.press(*keys)
        await s.painted()
        assert len(s.panels) == 1
        while not any("touch" in row for row in s.rows if "┃" in row):
            await s.press("down")
            await s.painted()
        await s.press("y")
        await s.until_shown("Done.")
        assert (s.folder / "made.txt").exists()


async def test_denying_is_always_possible(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, size=(20, 6)) as s:
        server.script_default([turn(TOUCH), turn(text("Done."))])
        await s.send("go")
        await s.until_prompt()
        await s.press("f8")
        await looked_at(s, 0.5)
        await s.press("n")
        await s.until_shown("Done.")
        assert not (s.folder / "made.txt").exists()


@pytest.mark.parametrize("call_id", ["screen-notice-3", "notice-1", "AnswerBlock-1"])
async def test_a_tool_call_that_is_named_like_a_block_of_ours_is_asked_about(
    server: ScriptedServer, tmp_path: Path, call_id: str
) -> None:
    touch = call("execute_command", {"command": "touch made.txt"}, id=call_id)
    server.script_default([turn(text("Now."), touch), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        s.app.tell("first")
        await s.send("go")
        await s.until(lambda: s.tools, "it begins")
        s.app.tell("second")
        session = s.app.core.session
        assert session is not None
        session.notify("info", "third")
        await s.until(lambda: "third" in s.notices, "all of them are there")
        await s.answer("y")
        await s.until_shown("Done.")
        assert s.tool().state == "success"
        assert len({block.id for block in s.blocks}) == len(s.blocks)


async def test_prompts_and_the_todo_list_are_masked(server: ScriptedServer, tmp_path: Path) -> None:
    items = [{"text": "hide test-key-1", "status": "in_progress"}]
    question = {"question": "Is it test-key-1?", "choices": [{"label": "test-key-1", "description": "or test-key-1"}]}
    calls = [call("execute_command", {"command": "touch test-key-1"}), call("ask_user", question)]
    plan = call("present_plan", {"plan": "1. Use test-key-1"})
    async with scene(server, tmp_path) as s:
        server.script_default([turn(call("todo", {"items": items}), *calls), turn(text("Done."))])
        await s.send("go")
        await s.until_prompt()
        await s.until_shown("touch [key removed]")
        assert s.shows("hide [key removed]")
        assert not s.shows("test-key-1")
        await s.answer("n")
        await s.until_shown("Is it [key removed]?")
        assert not s.shows("test-key-1")
        await s.answer("n")
        await s.until_shown("Done.")
    server.script_default([turn(plan), turn(text("Done."))])
    async with scene(server, tmp_path, "--permission-mode", "plan") as s:
        await s.send("go")
        await s.until_prompt()
        await s.until_shown("Use [key removed]")
        assert not s.shows("test-key-1")
