"""Undo on the screen in a copy of a conversation, and where the journal leads out of the folders that are open."""

from __future__ import annotations

from pathlib import Path

from code_assistant.checkpoints.containment import OUTSIDE
from code_assistant.tui.pickers.picker import Picker
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import scene


async def wrote_a_note(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("write_file", {"path": "note.txt", "content": "hello\n"})), turn(text("Done."))])
    async with scene(server, tmp_path, "--permission-mode", "yolo") as s:
        await s.send("go")
        await s.until_shown("Done.")
        await s.until_idle()


async def test_a_copy_takes_back_what_the_original_changed(server: ScriptedServer, tmp_path: Path) -> None:
    await wrote_a_note(server, tmp_path)
    async with scene(server, tmp_path, "--continue", "--fork") as s:
        await s.until_shown("Done.")
        await s.send("/undo")
        await s.until_shown("Took back the changes to 1 file")
        assert not (s.folder / "note.txt").exists()


async def test_a_journal_that_leads_outside_is_refused_by_name(server: ScriptedServer, tmp_path: Path) -> None:
    await wrote_a_note(server, tmp_path)
    (journal,) = (tmp_path / "home").rglob("files.jsonl")
    journal.write_text(journal.read_text().replace("/shop/note.txt", "/elsewhere.txt"))
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text("hello\n")
    async with scene(server, tmp_path, "--continue", size=(160, 30)) as s:
        await s.until_shown("Done.")
        await s.send("/undo")
        await s.until_dialog(Picker)
        assert any(f"elsewhere.txt: {OUTSIDE}" in notice for notice in s.notices)
        await s.press("down", "enter")
        await s.until_shown("Left as it is")
        assert elsewhere.read_text() == "hello\n"
