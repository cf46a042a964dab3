"""What a conversation did to files, on the screen: shown, taken back, and left alone where somebody else was since."""

from __future__ import annotations

from pathlib import Path

from code_assistant.tui.pickers.picker import Picker
from code_assistant.tui.transcript.blocks import ToolBlock
from tests.fakes.script import Block, call, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import TAX, Scene, scene


def editing(old: str, new: str) -> Block:
    return call("edit", {"path": "tax.py", "edits": [{"old_text": old, "new_text": new}]})


async def changed(s: Scene, server: ScriptedServer) -> None:
    """Two turns: the first edits a file, the second once more and makes a new one."""
    reading = call("read_files", {"paths": ["tax.py"]})
    creating = call("write_file", {"path": "new/note.txt", "content": "hello\n"})
    server.script_default(
        [
            turn(reading),
            turn(editing("0.2", "0.19")),
            turn(text("First done.")),
            turn(editing("0.19", "0.07"), creating),
            turn(text("Second done.")),
        ]
    )
    for question, answer in (("one", "First done."), ("two", "Second done.")):
        await s.send(question)
        await s.until_shown(answer)
        await s.until_idle()


async def test_safe_e5_undo_takes_back_turn_by_turn(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--permission-mode", "yolo", size=(100, 50)) as s:
        await changed(s, server)
        await s.send("/undo")
        await s.until_shown("Took back the changes to 2 files")
        assert (s.folder / "tax.py").read_text() == TAX.replace("0.2", "0.19")
        assert not (s.folder / "new").exists()
        await s.send("/undo")
        await s.until_shown("Took back the changes to 1 file")
        assert (s.folder / "tax.py").read_text() == TAX
        await s.send("/undo")
        await s.until(lambda: "nothing" in s.notices[-1].lower(), "there is nothing left")
        server.script_default([turn(text("I see."))])
        await s.send("and now?")
        await s.until_shown("I see.")
        told = server.requests[-1].body["messages"][-1]["content"]
        assert any("took back file changes" in part.get("text", "") for part in told)


async def test_what_changed_since_is_named_and_left_alone(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--permission-mode", "yolo", size=(100, 50)) as s:
        await changed(s, server)
        (s.folder / "tax.py").write_text("mine\n")
        await s.send("/undo")
        await s.until_dialog(Picker)
        assert any("tax.py" in notice for notice in s.notices)
        await s.press("enter")
        await s.until(lambda: not isinstance(s.app.screen, Picker), "it is closed")
        assert (s.folder / "new/note.txt").exists()
        await s.send("/undo")
        await s.until_dialog(Picker)
        await s.press("down", "enter")
        await s.until_shown("Left as it is")
        assert not (s.folder / "new").exists()
        assert (s.folder / "tax.py").read_text() == "mine\n"


async def test_diff_shows_what_the_conversation_changed(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--permission-mode", "yolo", size=(100, 60)) as s:
        await s.send("/diff")
        await s.until_shown("has changed no file")
        await changed(s, server)
        await s.send("/diff")
        await s.until_shown("2 files, +2 −1 changed in this conversation.")
        shown = [block for block in s.blocks[-2:] if isinstance(block, ToolBlock)]
        assert [block.title for block in shown] == ["tax.py", "new/note.txt"]
        assert "-RATE = 0.2\n+RATE = 0.07" in shown[0].detail
        assert shown[1].summary == "new · +1 −0"


async def test_going_back_takes_files_along(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--permission-mode", "yolo", size=(100, 50)) as s:
        await changed(s, server)
        await s.press("escape", "escape")
        picker = await s.until_dialog(Picker)
        await s.press("down", "enter")
        await s.until(lambda: isinstance(s.app.screen, Picker) and s.app.screen is not picker, "what is to go back")
        await s.press("enter")
        await s.until(lambda: s.app.composer.text == "one", "the message is back")
        assert (s.folder / "tax.py").read_text() == TAX
        assert not (s.folder / "new").exists()
        assert not s.shows("First done.")
        server.script_default([turn(text("Anew."))])
        s.app.composer.clear_draft()
        await s.send("three")
        await s.until_shown("Anew.")
        assert len(server.requests[-1].body["messages"]) == 1


async def test_undo_reaches_back_before_the_program_was_started_again(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--permission-mode", "yolo", size=(100, 50)) as s:
        await changed(s, server)
    async with scene(server, tmp_path, "--continue", size=(100, 50)) as s:
        await s.until(lambda: s.app.core.session is not None, "a session")
        await s.send("/undo")
        await s.until_shown("Took back the changes to 2 files")
        assert (s.folder / "tax.py").read_text() == TAX.replace("0.2", "0.19")
