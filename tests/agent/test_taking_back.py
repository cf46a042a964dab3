"""Undo, rewind and diff of a session through the loop: main agent and sub-agents, what the model is told, when not."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from code_assistant.agent.taking_back import (
    COMMANDS_WORDS,
    MIXED_WORDS,
    TAKEN_BACK_LINE,
    CannotTakeBack,
    restored_words,
)
from code_assistant.checkpoints.blobs import Blobs
from code_assistant.checkpoints.checkpoints import Checkpoints, NothingToUndo, Restoration
from code_assistant.checkpoints.restoring import Problem, UndoRefused
from code_assistant.events import FilesRestored, GuidanceAdded, Notice, PromptStarted
from code_assistant.resuming.conversation import messages_of
from code_assistant.tools.builtin import builtin_tools
from tests.agent.harness import Harness, running
from tests.agent.subagents.support import results, said, spawn, spawning
from tests.fakes.script import Gate, after, call, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.unit.checkpoints.support import anywhere, everything


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = tmp_path.resolve() / "work"
    work.mkdir()
    (work / "main.py").write_text("RATE = 1\n")
    (work / "child.py").write_text("BASE = 1\n")
    (work / "other.py").write_text("x = 1\n")
    return work


@pytest.fixture
def checkpoints(tmp_path: Path, folder: Path) -> Checkpoints:
    return Checkpoints(tmp_path.resolve() / "kept", is_inside=anywhere, show=lambda path: str(path.relative_to(folder)))


async def ask(harness: Harness, words: str) -> str:
    """Send a prompt and wait until nothing is worked on any more; gives its id."""
    finished = await harness.ask(words)
    await harness.session.idle()
    return finished.prompt_id


def editing(path: str, old: str, new: str) -> Any:
    return call("edit", {"path": path, "edits": [{"old_text": old, "new_text": new}]})


async def test_safe_e5_what_main_and_child_did_is_taken_back_as_one_step_and_the_model_knows(
    server: ScriptedServer, folder: Path, checkpoints: Checkpoints
) -> None:
    server.script(
        "help with it",
        [
            turn(editing("child.py", "1", "2"), call("write_file", {"path": "made/new.py", "content": "new\n"})),
            turn(text("Done.")),
        ],
    )
    server.script_default(
        [
            turn(editing("main.py", "1", "2"), spawn("help with it", mode="default", agent="general")),
            turn(
                call("delete_files", {"paths": ["other.py"]}), call("execute_command", {"command": "echo > by_command"})
            ),
            turn(text("All done.")),
            turn(editing("main.py", "1", "3")),
            turn(text("Read it again.")),
        ]
    )
    start = everything(folder)
    async with spawning(server, folder, mode="yolo", checkpoints=checkpoints) as harness:
        prompt_id = await ask(harness, "go")
        changes = await harness.session.file_changes()
        assert {(each.shown, each.kind) for each in changes.files} == {
            ("main.py", "changed"),
            ("child.py", "changed"),
            ("made/new.py", "created"),
            ("other.py", "deleted"),
        }
        restoration = await harness.session.undo()
        (folder / "by_command").unlink()
        assert everything(folder) == start
        assert restoration.turns == (prompt_id,)
        assert restoration.ran_commands
        restored = await harness.until(FilesRestored)
        assert set(restored.paths) == {"main.py", "child.py", "made/new.py", "other.py"}
        assert restored.prompt_ids == (prompt_id,)
        assert restored.words.endswith(COMMANDS_WORDS)
        assert (await harness.session.file_changes()).files == ()
        await ask(harness, "go on")
        notes = [each for each in said(server.requests[-2]) if each.startswith(TAKEN_BACK_LINE)]
        assert len(notes) == 1
        assert set(notes[0].splitlines()[1:]) == set(restored.paths)
        # It has not read the file since, though it wrote it once.
        assert results(harness)[-1] == "main.py has changed since it was read; read it again."
        assert (folder / "main.py").read_text() == "RATE = 1\n"
        assert messages_of(each for each in harness.events if each.origin == harness.agent.origin) == harness.messages


async def test_files_go_back_to_any_earlier_message(
    server: ScriptedServer, folder: Path, checkpoints: Checkpoints
) -> None:
    server.script_default(
        [
            *(turn(editing("main.py", "1", "2")), turn(text("1"))),
            turn(text("Nothing to do.")),
            *(turn(editing("main.py", "2", "3")), turn(text("3"))),
            *(turn(editing("child.py", "1", "4")), turn(text("4"))),
        ]
    )
    async with running(server, tools=builtin_tools(), folder=folder, mode="yolo", checkpoints=checkpoints) as harness:
        prompts = [await ask(harness, f"prompt {number}") for number in range(4)]
        restoration = await harness.session.rewind_files(prompts[1])
        assert restoration.turns == (prompts[2], prompts[3])
        assert (folder / "main.py").read_text() == "RATE = 2\n"
        assert (folder / "child.py").read_text() == "BASE = 1\n"
        with pytest.raises(NothingToUndo):
            await harness.session.rewind_files(prompts[1])
        assert (await harness.session.undo()).turns == (prompts[0],)
        assert (folder / "main.py").read_text() == "RATE = 1\n"


async def test_a_refusal_says_which_files_and_tells_the_model_nothing(
    server: ScriptedServer, folder: Path, checkpoints: Checkpoints
) -> None:
    server.script_default([turn(editing("main.py", "1", "2"), editing("child.py", "1", "2")), turn(text("Done."))])
    async with running(server, tools=builtin_tools(), folder=folder, mode="yolo", checkpoints=checkpoints) as harness:
        await ask(harness, "go")
        (folder / "main.py").write_text("mine\n")
        with pytest.raises(UndoRefused) as refused:
            await harness.session.undo()
        assert str(refused.value) == "Nothing was taken back:\n  main.py: has changed since"
        assert (folder / "child.py").read_text() == "BASE = 2\n"
        assert harness.of(GuidanceAdded) == []
        restoration = await harness.session.undo(leaving=True)
        assert [each.path for each in restoration.left] == [folder / "main.py"]
        assert (folder / "child.py").read_text() == "BASE = 1\n"
        restored = await harness.until(FilesRestored)
        assert "Left as it is:\n  main.py: has changed since" in restored.words
        # Whoever asked can show it once more.
        assert restoration.words == restored.words


async def test_not_while_something_is_worked_on(server: ScriptedServer, folder: Path, checkpoints: Checkpoints) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(text("Done.")))])
    async with running(server, tools=builtin_tools(), folder=folder, checkpoints=checkpoints) as harness:
        harness.session.send("go")
        for refused in (harness.session.undo, harness.session.file_changes):
            with pytest.raises(CannotTakeBack, match="being worked on"):
                await refused()
        with pytest.raises(CannotTakeBack):
            await harness.session.rewind_files("any")
        gate.open()
        await harness.session.idle()
        with pytest.raises(NothingToUndo):
            await harness.session.undo()


async def test_what_is_sent_while_files_are_put_back_waits_and_a_caller_that_goes_changes_nothing(
    server: ScriptedServer, folder: Path, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script_default([turn(editing("main.py", "1", "2")), turn(text("Done.")), turn(text("Next."))])
    reached, released = threading.Event(), threading.Event()
    real = Blobs.content

    def held(blobs: Blobs, digest: str) -> bytes:
        reached.set()
        assert released.wait(HANG_GUARD)
        return real(blobs, digest)

    async with running(server, tools=builtin_tools(), folder=folder, mode="yolo", checkpoints=checkpoints) as harness:
        await ask(harness, "go")
        monkeypatch.setattr(Blobs, "content", held)
        undoing = asyncio.create_task(harness.session.undo())
        assert await asyncio.to_thread(reached.wait, HANG_GUARD)
        with pytest.raises(CannotTakeBack):
            await harness.session.undo()
        harness.session.send("next")
        undoing.cancel()
        released.set()
        with pytest.raises(asyncio.CancelledError):
            await undoing
        await harness.session.idle()
        assert (folder / "main.py").read_text() == "RATE = 1\n"
        kinds = [type(each) for each in harness.events if isinstance(each, FilesRestored | PromptStarted)]
        assert kinds == [PromptStarted, FilesRestored, PromptStarted]
        assert any(each.startswith(TAKEN_BACK_LINE) for each in said(server.requests[-1]))


async def test_what_cannot_be_kept_is_told_once_and_the_edit_goes_on(server: ScriptedServer, folder: Path) -> None:
    (folder.parent / "kept").write_bytes(b"in the way")
    checkpoints = Checkpoints(folder.parent / "kept", is_inside=anywhere)
    server.script_default(
        [turn(editing("main.py", "1", "2")), turn(text("1")), turn(editing("main.py", "2", "3")), turn(text("2"))]
    )
    async with running(server, tools=builtin_tools(), folder=folder, mode="yolo", checkpoints=checkpoints) as harness:
        await ask(harness, "go")
        await ask(harness, "go on")
        await harness.session.idle()
        assert (folder / "main.py").read_text() == "RATE = 3\n"
        (notice,) = harness.of(Notice)
        assert "can be taken back with /undo" in notice.text


async def test_a_session_without_checkpoints_says_so(server: ScriptedServer, folder: Path) -> None:
    async with running(server, tools=builtin_tools(), folder=folder) as harness:
        with pytest.raises(CannotTakeBack, match="keeps no checkpoints"):
            await harness.session.undo()


def test_the_words_have_all_that_came_of_it() -> None:
    path, other = Path("/w/a"), Path("/w/b")
    failed = (Problem(other, "it has changed in this moment"),)
    restoration = Restoration(("t",), (path,), (Problem(None, "gone"),), failed, (path,), ran_commands=True)
    assert restored_words(restoration, lambda each: each.name).splitlines() == [
        "Took back the changes to 1 file:",
        "  a",
        f"  a: {MIXED_WORDS}",
        "Left as it is:",
        "  One turn: gone",
        "Not taken back; try again:",
        "  b: it has changed in this moment",
        COMMANDS_WORDS,
    ]
