"""Every key of the table, through the whole app."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.tui import dialogues
from code_assistant.tui.commands import COMMANDS
from code_assistant.tui.keys import OTHER_KEYS, PANEL_KEYS, REMAPPABLE
from code_assistant.tui.pickers.picker import Picker
from code_assistant.tui.pickers.text_screen import KeyHelp
from code_assistant.tui.transcript.blocks import Block, NoticeBlock, PersonBlock, copied_text
from tests.fakes.script import Gate, after, call, text, thinking, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene

READ = call("read_files", {"paths": ["tax.py"]})


async def talked(s: Scene, server: ScriptedServer) -> None:
    """One turn with a thought, two tool calls and an answer."""
    server.script_default([turn(thinking("hm, tax"), READ, READ), turn(text("It is *rounded*."))])
    await s.send("How?")
    await s.until_shown("It is rounded.")
    await s.until_idle()


async def test_shift_tab_walks_the_modes(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        modes: list[str] = []
        for _ in range(4):
            await s.press("shift+tab")
            await s.pilot.pause()
            modes.append(s.app.state.mode)
            await s.painted()
            assert s.app.state.mode in s.rows[0]
        assert modes == ["accept-edits", "plan", "ask", "accept-edits"]
        session = s.app.core.session
        assert session is not None
        assert session.mode == "accept-edits"


async def test_shift_tab_leaves_yolo(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--permission-mode", "yolo") as s:
        await s.press("shift+tab")
        await s.until(lambda: s.app.state.mode == "ask", "ask")


async def test_walking_blocks_unfolding_and_copying(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await talked(s, server)
        view = s.app.view
        await s.press("alt+up")
        assert view.marked is s.blocks[-1]
        await s.press("alt+up")
        assert view.marked is s.tool()
        for key in ("space", "enter"):
            await s.press(key)
            await s.until_shown("RATE = 0.2")
            await s.press(key)
            await s.until_gone("RATE = 0.2")
        await s.press("c")
        assert s.app.copied[-1].startswith("Read tax.py")
        await s.press("alt+up", "alt+up", "space")
        await s.until_shown("│ hm, tax")
        await s.press("alt+down", "alt+down", "alt+down", "alt+down")
        assert view.marked is s.blocks[-1]
        await s.press("c")
        assert s.app.copied[-1] == "It is *rounded*."
        await s.press("escape")
        assert view.marked is None
        assert s.app.composer.has_focus


async def test_typing_while_a_block_is_marked_goes_to_the_composer(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await talked(s, server)
        await s.press("alt+up")
        await s.type("what c")
        assert s.app.composer.text == "what c"
        assert s.app.view.marked is None
        assert s.app.copied == []


async def test_typing_while_the_transcript_has_the_focus_without_a_mark_loses_nothing(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        await talked(s, server)
        s.app.view.focus()
        await s.type("can it")
        assert s.app.composer.text == "can it"


async def test_ctrl_o_unfolds_and_folds_all_but_what_was_set_by_hand(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await talked(s, server)
        first, second = s.tools
        await s.press("ctrl+o")
        assert (first.is_expanded, second.is_expanded) == (True, True)
        await s.until_shown("RATE = 0.2")
        await s.press("ctrl+o")
        assert (first.is_expanded, second.is_expanded) == (False, False)
        await s.press("alt+up", "alt+up", "space")
        assert second.is_expanded
        await s.press("ctrl+o", "ctrl+o")
        assert (first.is_expanded, second.is_expanded) == (False, True)


async def test_ctrl_f_finds_a_line_and_goes_there(server: ScriptedServer, tmp_path: Path) -> None:
    answer = "\n\n".join([*(f"paragraph {number}" for number in range(60)), "the **needle** is here", "x\n\n" * 60])
    server.script_default([turn(text(answer))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_idle()
        await s.press("ctrl+f")
        picker = await s.until_dialog(Picker)
        assert isinstance(picker, Picker)
        assert len(picker.found) > 60
        await s.type("needle")
        await s.press("enter")
        await s.until_shown("the needle is here")
        assert s.app.view.marked is s.blocks[-1]
        assert s.app.view.has_focus
        await s.press("ctrl+f")
        await s.until_dialog(Picker)
        await s.press("escape")
        await s.until(lambda: s.app.screen is s.app.main, "it is closed")
        assert s.shows("the needle is here")


async def test_ctrl_f_looks_no_further_than_it_must(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Block] = []

    def counting(block: Block) -> str:
        looked.append(block)
        return copied_text(block)

    monkeypatch.setattr(dialogues, "copied_text", counting)
    monkeypatch.setattr(dialogues, "SEARCHED_LINES", 20)
    async with scene(server, tmp_path) as s:
        for number in range(50):
            s.app.transcript.add(PersonBlock(f"p{number}", f"one {number}\n\n  two\n"))
        await s.press("ctrl+f")
        picker = await s.until_dialog(Picker)
        assert isinstance(picker, Picker)
        assert [row.title for row in picker.found[:3]] == ["one 49", "two", "one 48"]
        assert len(picker.found) == 20
        assert len(looked) <= 11


async def test_pages_and_the_end(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    lines = "\n\n".join(f"line {number}" for number in range(100))
    server.script_default([turn(text(lines)), after(gate, turn(text("More.")))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_shown("line 99")
        await s.until_idle()
        view = s.app.view
        await s.press("pageup")
        await s.until_gone("line 99")
        assert not view.is_following
        await s.press("pageup", "pageup", "pagedown", "pagedown", "pagedown")
        await s.until_shown("line 99")
        assert view.is_following
        await s.press("pageup", "ctrl+end")
        await s.until_shown("line 99")
        await s.send("more")
        await gate.until_reached()
        await s.press("pageup")
        gate.open()
        await s.until_shown("↓ new")
        assert not s.shows("More.")
        await s.press("ctrl+end")
        await s.until_shown("More.")
        assert not s.shows("↓ new")


async def test_a_new_prompt_goes_to_the_end(server: ScriptedServer, tmp_path: Path) -> None:
    lines = "\n\n".join(f"line {number}" for number in range(100))
    server.script_default([turn(text(lines)), turn(text("More."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_idle()
        await s.press("pageup", "pageup")
        await s.send("more")
        await s.until_shown("More.")


async def test_the_answer_to_a_command_is_brought_into_sight(server: ScriptedServer, tmp_path: Path) -> None:
    lines = "\n\n".join(f"line {number}" for number in range(100))
    server.script_default([turn(text(lines))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_idle()
        await s.press("pageup", "pageup")
        await s.send("/theme nowhere")
        await s.until_shown("There is no theme")


async def test_a_question_mark_shows_all_keys(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, size=(120, 100)) as s:
        await s.press("question_mark")
        await s.until_dialog(KeyHelp)
        for key in (*REMAPPABLE, *PANEL_KEYS, *OTHER_KEYS):
            # Longer ones are wrapped.
            assert s.shows(key.help[:50]), key
        await s.press("escape")
        await s.until(lambda: s.app.screen is s.app.main, "it is closed")
        await s.type("x?")
        assert s.app.composer.text == "x?"


async def test_the_palette_lists_all_commands_and_runs_one(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, size=(100, 50)) as s:
        await s.press("ctrl+p")
        for command in COMMANDS:
            await s.until_shown(f"/{command.name}")
        await s.type("cost")
        await s.until(lambda: not s.shows("/theme"), "only this one is left")
        await s.press("enter")
        await s.until_dialog()
        assert s.shows("Cost of this session")


async def test_f8_without_a_prompt_does_nothing(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.press("f8")
        assert s.app.composer.has_focus


async def test_ctrl_z_is_left_to_the_terminal(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene(server, tmp_path) as s:
        asked: list[None] = []
        monkeypatch.setattr(s.app, "action_suspend_process", lambda: asked.append(None))
        await s.type("text")
        await s.press("ctrl+z")
        assert asked == [None]
        assert s.app.composer.text == "text"


async def test_keys_can_be_remapped(server: ScriptedServer, tmp_path: Path) -> None:
    own = {"mode": "f2", "details": "f3", "copy": "y", "interrupt": "f4", "stop": "f5", "search": ""}
    async with scene(server, tmp_path, keys=own) as s:
        await talked(s, server)
        await s.press("shift+tab")
        assert s.app.state.mode == "ask"
        s.app.composer.focus()
        await s.press("f2")
        await s.until(lambda: s.app.state.mode == "accept-edits", "the mode")
        await s.press("ctrl+o")
        assert not s.tool().is_expanded
        await s.press("f3")
        assert s.tool().is_expanded
        await s.press("alt+up", "y")
        assert s.app.copied == ["It is *rounded*."]
        await s.press("f4")
        assert s.app.view.marked is None
        await s.press("alt+up", "c")
        assert s.app.composer.text == "c"
        await s.press("f5")
        assert s.app.composer.is_empty
        await s.press("ctrl+f")
        await s.until_dialog(Picker)
        await s.press("escape")
        await s.press("question_mark")
        await s.until_dialog(KeyHelp)
        assert any("f2" in row and "next mode" in row for row in s.rows)


async def test_hints_show_keys_as_they_are_set_and_can_be_clicked(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(call("execute_command", {"command": "sleep 0"}))), turn(text("Done."))])
    own = {"mode": "f2", "details": "f3", "palette": "f4", "interrupt": "f5", "stop": "f6", "prompt": "f9", "up": "f7"}
    async with scene(server, tmp_path, keys=own) as s:
        await s.painted()
        assert all(words in s.rows[-1] for words in ("f2 mode", "f3 details", "f4 commands", "? keys"))
        await s.click_on("f2 mode")
        await s.until(lambda: s.app.state.mode == "accept-edits", "the mode")
        await s.press("f6")
        assert s.notices[-1] == "Press f6 again to quit."
        await s.send("go")
        await gate.until_reached()
        await s.send("more")
        await s.until_shown("queued · f7 takes them back")
        assert "f5 interrupt" in s.rows[-1]
        await s.press("f7")
        assert s.app.composer.text == "more"
        gate.open()
        await s.until_prompt()
        await s.until_shown("f9 to answer")
        assert "(f9)" in s.rows[-1]
        await s.wait(0.5)
        await s.press("f9", "n")
        await s.until_shown("Done.")


async def test_keys_of_the_input_can_be_remapped(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("Yes."))])
    own = {"send": "f6", "new_line": "enter", "undo": "f7", "up": "ctrl+up", "search_history": "f9"}
    async with scene(server, tmp_path, keys=own, size=(100, 90)) as s:
        await s.type("one")
        await s.press("enter")
        await s.type("two")
        assert s.app.composer.text == "one\ntwo"
        await s.press("f6")
        await s.until_shown("Yes.")
        await s.until_idle()
        await s.press("ctrl+up")
        assert s.app.composer.text == "one\ntwo"
        await s.press("ctrl+c")
        assert s.app.composer.is_empty
        await s.press("question_mark")
        await s.until_dialog(KeyHelp)
        assert any("f6" in row and "send; while" in row for row in s.rows)


async def test_a_key_of_ones_own_closes_what_esc_closes(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(text("Done.")))])
    async with scene(server, tmp_path, keys={"interrupt": "f5"}) as s:
        await s.send("go")
        await gate.until_reached()
        await s.press("ctrl+p")
        await s.until_dialog(Picker)
        await s.press("f5")
        await s.until(lambda: s.app.screen is s.app.main, "the window is closed")
        await s.type("/")
        await s.until(lambda: s.app.composer.is_popup_open, "the commands")
        await s.press("f5")
        assert not s.app.composer.is_popup_open
        assert s.app.composer.text == "/"
        await s.press("backspace", "ctrl+r")
        assert s.app.composer.is_popup_open
        await s.press("f5")
        assert not s.app.composer.is_popup_open
        assert s.app.state.working_since is not None
        await s.press("f5")
        await s.until_idle()


async def test_keys_that_cannot_be_used_are_told_and_the_usual_ones_count(
    server: ScriptedServer, tmp_path: Path
) -> None:
    server.script_default([turn(call("execute_command", {"command": "touch made.txt"})), turn(text("Done."))])
    own = {"allow_once": "n", "deny": "escape", "deny_with_reason": "f2", "details": "nosuch"}
    async with scene(server, tmp_path, keys=own) as s:
        told = [words for words in s.notices if words.startswith("keys.")]
        assert len(told) == 3
        assert "there is no key 'nosuch'" in told[0]
        assert told[1].startswith("keys.deny = 'escape' does not count, the usual key does: in any prompt")
        assert told[2].startswith("keys.allow_once = 'n' does not count")
        await s.send("go")
        await s.until_prompt()
        await s.answer("n")
        await s.until_shown("Done.")
        assert s.tool().state == "denied"


async def test_keys_of_the_screen_do_nothing_below_a_window(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await talked(s, server)
        await s.send("/cost")
        await s.until_dialog()
        await s.press("shift+tab", "ctrl+o", "alt+up", "f8", "x")
        assert s.app.state.mode == "ask"
        assert not s.tool().is_expanded
        assert s.app.view.marked is None
        assert s.app.composer.is_empty
        await s.press("escape")
        assert s.app.screen is s.app.main


async def test_marking_with_nothing_to_mark(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.press("alt+up", "space", "enter", "alt+down", "alt+down")
        assert isinstance(s.app.view.marked, NoticeBlock)
        s.app.transcript.clear()
        await s.painted()
        await s.press("alt+up", "space", "enter", "alt+down")
        assert s.app.view.marked is None
        assert s.app.is_running
