"""Changing files through the loop: what is asked, what is written, and what an interruption leaves."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from code_assistant.events import PermissionRequested, PermissionResolved, ToolFinished
from code_assistant.messages import Text, ToolResult
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.scopes import Scope
from tests.agent.harness import Harness, running
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD

DIFF = "--- tax.py\n+++ tax.py\n@@ -1,2 +1,2 @@\n-RATE = 0.2\n+RATE = 0.19\n BASE = 100\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tax.py").write_text("RATE = 0.2\nBASE = 100\n")
    return tmp_path


def editing(old: str, new: str, path: str = "tax.py") -> Any:
    return call("edit", {"path": path, "edits": [{"old_text": old, "new_text": new}]})


def results(harness: Harness) -> list[ToolResult]:
    return [block for message in harness.messages for block in message.content if isinstance(block, ToolResult)]


def words(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, Text))


async def test_an_edit_asks_with_its_diff_and_a_yes_makes_just_that(server: ScriptedServer, folder: Path) -> None:
    server.script_default([turn(editing("0.2", "0.19")), turn(text("Done."))])
    async with running(server, tools=builtin_tools(), folder=folder, asks_broker=True) as harness:
        harness.session.send("go")
        asked = await harness.until(PermissionRequested)
        assert (asked.tool_name, asked.action, asked.form, asked.detail) == ("edit", "edit tax.py", "diff", DIFF)
        assert (folder / "tax.py").read_text() == "RATE = 0.2\nBASE = 100\n"
        assert harness.session.answer_permission(asked.request_id, "once")
        await harness.session.idle()
        (finished,) = harness.of(ToolFinished)
        assert (finished.display.title, finished.display.summary) == ("Edited tax.py", "+1 \N{MINUS SIGN}1")
        assert (finished.display.detail, finished.display.form) == (DIFF, "diff")
        assert words(results(harness)[0]) == "Edited tax.py: 1 replacement, +1 \N{MINUS SIGN}1 lines."
    assert (folder / "tax.py").read_text() == "RATE = 0.19\nBASE = 100\n"
    assert server.problems == []


async def test_always_is_for_this_file_and_not_for_deleting_it(server: ScriptedServer, folder: Path) -> None:
    (folder / "other.py").write_text("x = 1\n")
    server.script_default(
        [
            turn(editing("0.2", "0.19"), editing("0.19", "0.18"), editing("1", "2", "other.py")),
            turn(call("delete_files", {"paths": ["tax.py"]})),
            turn(text("Done.")),
        ]
    )
    async with running(server, tools=builtin_tools(), folder=folder, asks_broker=True) as harness:
        harness.session.send("go")
        for number, answer in enumerate(("session", "deny", "deny"), 1):
            asked = await harness.until(PermissionRequested, number)
            harness.session.answer_permission(asked.request_id, answer)
        await harness.session.idle()
        assert [asked.action for asked in harness.of(PermissionRequested)] == [
            "edit tax.py",
            "edit other.py",
            "delete tax.py",
        ]
    assert (folder / "tax.py").read_text() == "RATE = 0.18\nBASE = 100\n"
    assert (folder / "other.py").read_text() == "x = 1\n"


async def test_calls_of_one_answer_are_made_one_after_the_other(server: ScriptedServer, folder: Path) -> None:
    reading = call("read_files", {"paths": ["tax.py"]})
    rewriting = call("write_file", {"path": "tax.py", "content": "RATE = 1\n"})
    removing = call("delete_files", {"paths": ["tax.py"]})
    server.script_default(
        [turn(reading, editing("0.2", "0.19"), reading, rewriting, reading, removing, reading), turn(text("Done."))]
    )
    async with running(server, tools=builtin_tools(), folder=folder, mode="yolo") as harness:
        await harness.ask()
        shown = [words(result) for result in results(harness)]
        assert "RATE = 0.2\n" in shown[0]
        assert "RATE = 0.19\n" in shown[2]
        assert shown[4].endswith("RATE = 1")
        assert [result.is_error for result in results(harness)] == [False] * 6 + [True]
    assert os.listdir(folder) == []


async def test_safe_e3_what_the_person_changes_between_two_turns_is_not_lost(
    server: ScriptedServer, folder: Path
) -> None:
    server.script_default(
        [
            turn(call("read_files", {"paths": ["tax.py"]})),
            turn(text("I have read it.")),
            turn(editing("0.2", "0.19"), call("write_file", {"path": "tax.py", "content": "RATE = 0.19\n"})),
            turn(text("It has changed.")),
        ]
    )
    async with running(server, tools=builtin_tools(), folder=folder, mode="yolo") as harness:
        await harness.ask()
        (folder / "tax.py").write_text("RATE = 0.2\nBASE = 200\n")
        await harness.ask()
        for refused in results(harness)[1:]:
            assert refused.is_error
            assert words(refused) == "tax.py has changed since it was read; read it again."
    assert (folder / "tax.py").read_text() == "RATE = 0.2\nBASE = 200\n"


async def test_an_interrupted_question_changes_nothing(server: ScriptedServer, folder: Path) -> None:
    server.script_default([turn(editing("0.2", "0.19")), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=folder, asks_broker=True) as harness:
        harness.session.send("go")
        asked = await harness.until(PermissionRequested)
        harness.session.interrupt()
        await harness.session.idle()
        assert not harness.session.answer_permission(asked.request_id, "once")
        assert [each.resolution for each in harness.of(PermissionResolved)] == ["withdrawn"]
    assert (folder / "tax.py").read_text() == "RATE = 0.2\nBASE = 100\n"
    assert os.listdir(folder) == ["tax.py"]


@pytest.mark.parametrize("step", ["write", "fsync", "rename"])
async def test_safe_e2_a_change_that_has_begun_ends_before_the_interruption_does(
    server: ScriptedServer, folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    real = getattr(os, step)

    def slow(*arguments: Any, **named: Any) -> Any:
        if threading.current_thread() is threading.main_thread():
            # Not the change, but the session's own file.
            return real(*arguments, **named)
        begun.set()
        assert go_on.wait(HANG_GUARD)
        return real(*arguments, **named)

    server.script_default([turn(editing("0.2", "0.19")), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=folder, mode="yolo") as harness:
        monkeypatch.setattr(os, step, slow)
        harness.session.send("go")
        assert await asyncio.to_thread(begun.wait, HANG_GUARD)
        harness.session.interrupt()
        idle = asyncio.ensure_future(harness.session.idle())
        # More rounds of the loop than giving up would take.
        for _ in range(100):
            await asyncio.sleep(0)
        assert not idle.done()
        go_on.set()
        await idle
        monkeypatch.undo()
        assert (folder / "tax.py").read_text() == "RATE = 0.19\nBASE = 100\n"
        assert os.listdir(folder) == ["tax.py"]
        assert [each.status for each in harness.of(ToolFinished)] == ["interrupted"]


@pytest.mark.parametrize(
    ("scope", "offered"), [("main", True), ("sub_agent_default", True), ("sub_agent_read_only", False)]
)
async def test_who_may_change_files(server: ScriptedServer, folder: Path, scope: Scope, offered: bool) -> None:
    server.script_default([turn(editing("0.2", "0.19")), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=folder, mode="yolo", scope=scope) as harness:
        await harness.ask()
        names = {tool["name"] for tool in server.requests[0].body["tools"]}
        assert ({"edit", "write_file", "delete_files"} <= names) is offered
        assert results(harness)[0].is_error is not offered
    assert ((folder / "tax.py").read_text() == "RATE = 0.19\nBASE = 100\n") is offered
