"""Commands through the loop: interrupted, denied, in the background, and gone with the session."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from code_assistant.agent.executor import INTERRUPTED_RESULT
from code_assistant.agent.limits import INTERRUPTED_LINE
from code_assistant.agent.session import Session
from code_assistant.channel import Channel
from code_assistant.events import (
    Event,
    GuidanceAdded,
    OutputAdded,
    PermissionRequested,
    PermissionResolved,
    PromptFinished,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from code_assistant.messages import Text, ToolResult
from code_assistant.resuming.conversation import messages_of
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.execute_command import ENDING_WORDS
from tests.agent.harness import Harness, running
from tests.fakes.script import Block, Gate, call, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.processes import children_of, new_marker, processes_with, say, until


@pytest.fixture
def marker() -> str:
    return new_marker()


def stubborn(marker: str) -> str:
    """A tree of four that does not obey, and says when it is up."""
    return f"trap '' TERM; (setsid sleep {marker} &); sleep {marker} & echo up; while :; do sleep {marker}; done"


def command(text: str, *, background: bool = False) -> Block:
    return call("execute_command", {"command": text, "background": background})


def words(harness: Harness) -> list[str]:
    """What the model was told, call by call."""
    results = [block for message in harness.messages for block in message.content if isinstance(block, ToolResult)]
    return ["".join(part.text for part in result.content if isinstance(part, Text)) for result in results]


async def up(harness: Harness) -> None:
    await until(lambda: any("up\n" in event.text for event in harness.of(OutputAdded)))


async def test_safe_o1_o2_an_interrupt_ends_the_command_and_the_work_goes_on(
    server: ScriptedServer, tmp_path: Path, marker: str
) -> None:
    server.script_default([turn(command(stubborn(marker)), command("touch never")), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, mode="yolo") as harness:
        harness.session.send("go")
        await up(harness)
        assert len(processes_with(marker)) >= 4
        harness.session.interrupt()
        # That it is being ended can be seen at once; when the prompt has finished, it is.
        assert (await harness.until(ToolProgress)).text == ENDING_WORDS
        finished = await harness.until(PromptFinished)
        assert processes_with(marker) == []
        assert finished.outcome == "interrupted"
        assert [each.status for each in harness.of(ToolFinished)] == ["interrupted"]
        assert words(harness)[0] == INTERRUPTED_RESULT
        assert not (tmp_path / "never").exists()
        assert harness.messages[-1].content[-1] == Text(INTERRUPTED_LINE)
        assert (await harness.ask("again")).answer == "Fine."
        assert harness.messages == messages_of(harness.events)
    assert server.problems == []


async def test_output_comes_between_the_start_and_the_end_of_its_call(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(command("echo one"), command("echo two")), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, mode="yolo") as harness:
        await harness.ask()
        kinds = (ToolStarted, OutputAdded, ToolFinished)
        seen = [(type(each), each.tool_call_id) for each in harness.events if isinstance(each, kinds)]
        first, second = (each.tool_call_id for each in harness.of(ToolStarted))
        assert seen == [(kind, call_id) for call_id in (first, second) for kind in kinds]
        assert [each.text for each in harness.of(OutputAdded)] == ["one\n", "two\n"]


async def test_a_denied_command_does_not_run_and_the_model_goes_on(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(command("touch x"), command("touch y")), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, asks_broker=True) as harness:
        harness.session.send("go")
        asked = await harness.until(PermissionRequested)
        assert (asked.detail, asked.rule) == ("touch x", "Bash(touch x)")
        assert harness.session.answer_permission(asked.request_id, "deny", "not that one")
        asked = await harness.until(PermissionRequested, 2)
        assert harness.session.answer_permission(asked.request_id, "once")
        await harness.session.idle()
        assert os.listdir(tmp_path) == ["y"]
        assert "the person said no: not that one" in words(harness)[0]
        assert [each.status for each in harness.of(ToolFinished)] == ["denied", "success"]
        assert harness.messages[-1].text == "Fine."


async def test_interrupted_while_it_is_asked_about_it_never_runs(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(command("touch x")), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, asks_broker=True) as harness:
        harness.session.send("go")
        asked = await harness.until(PermissionRequested)
        harness.session.interrupt()
        await harness.until(PromptFinished)
        assert not harness.session.answer_permission(asked.request_id, "once")
        assert [each.resolution for each in harness.of(PermissionResolved)] == ["withdrawn"]
        assert os.listdir(tmp_path) == []


async def test_the_end_of_a_background_command_is_told_once(server: ScriptedServer, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    server.script_default(
        [
            turn(command("read x < fifo; echo $x; exit 3", background=True)),
            turn(text("It runs.")),
            turn(text("It has ended.")),
            turn(call("command_output", {"id": "command-1"})),
            turn(text("I have seen it.")),
            turn(text("Nothing new.")),
        ]
    )
    async with running(server, tools=builtin_tools(), folder=tmp_path, mode="yolo") as harness:
        await harness.ask("start")
        assert harness.of(GuidanceAdded) == []
        await say(fifo, "done\n")
        commands = harness.services.commands
        await commands.find("command-1").running.wait(HANG_GUARD)
        for prompt in ("and?", "what did it say?", "more?"):
            await harness.ask(prompt)
        (line,) = [each.text for each in harness.of(GuidanceAdded)]
        assert line.startswith("[Background command command-1 (read x < fifo; echo $x; exit 3) ended: exit code 3 · ")
        sent = server.requests[2].body["messages"][-1]["content"]
        assert [block["text"] for block in sent] == ["and?", line]
        assert words(harness)[1].startswith("done\nexit code 3 · ")
        assert harness.messages == messages_of(harness.events)
    assert server.problems == []


async def test_an_end_while_the_model_works_is_told_with_the_next_request(
    server: ScriptedServer, tmp_path: Path
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    thinking = Gate("thinking")
    server.script_default(
        [
            turn(command(f"read x < {fifo}", background=True)),
            turn(hold(thinking), command("true")),
            turn(text("Fine.")),
        ]
    )
    async with running(server, tools=builtin_tools(), folder=tmp_path, mode="yolo") as harness:
        harness.session.send("go")
        await thinking.until_reached()
        await say(fifo, "\n")
        await harness.services.commands.find("command-1").running.wait(HANG_GUARD)
        thinking.open()
        await harness.until(PromptFinished)
        (line,) = [each.text for each in harness.of(GuidanceAdded)]
        assert "command-1" in line
        last = server.requests[2].body["messages"][-1]["content"]
        assert [block["type"] for block in last] == ["tool_result", "text"]
        assert harness.messages == messages_of(harness.events)
    assert server.problems == []


async def test_safe_o1_an_interrupt_leaves_the_background_alone_the_session_s_end_does_not(
    server: ScriptedServer, tmp_path: Path, marker: str
) -> None:
    silence = Gate("silence")
    server.script_default([turn(command(stubborn(marker), background=True)), turn(hold(silence)), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, mode="yolo") as harness:
        harness.session.send("go")
        await silence.until_reached()
        harness.session.interrupt()
        await harness.until(PromptFinished)
        background = harness.services.commands.find("command-1")
        assert background.running.is_running
        while "up" not in (await background.look(HANG_GUARD)).text:
            assert background.running.is_running
        await harness.session.close()
        assert processes_with(marker) == []
        assert children_of(os.getpid()) == []


async def test_safe_o1_closing_in_the_middle_of_a_command(server: ScriptedServer, tmp_path: Path, marker: str) -> None:
    server.script_default([turn(command(stubborn(marker)))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, mode="yolo") as harness:
        harness.session.send("go")
        await up(harness)
        await asyncio.wait_for(harness.session.close(), HANG_GUARD)
        assert processes_with(marker) == []
        assert children_of(os.getpid()) == []
        assert [each.outcome for each in harness.of(PromptFinished)] == ["interrupted"]


async def test_safe_o1_interrupted_and_closed_at_once(server: ScriptedServer, tmp_path: Path, marker: str) -> None:
    server.script_default([turn(command(stubborn(marker)))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, mode="yolo") as harness:
        harness.session.send("go")
        await up(harness)
        harness.session.interrupt()
        await asyncio.wait_for(harness.session.close(), HANG_GUARD)
        assert processes_with(marker) == []


class _InterruptingChannel(Channel):
    """Interrupts the session right after the n-th event, in the same step of the loop."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self.session: Session | None = None

    def publish(self, event: Event) -> None:
        super().publish(event)
        self._number -= 1
        if self._number == 0 and self.session is not None:
            self.session.interrupt()


async def _swept(server: ScriptedServer, folder: Path, marker: str, number: int) -> list[str]:
    server.script_default(
        [
            turn(
                command(f"(setsid sleep {marker} &); echo some"),
                command(f"sleep {marker}", background=True),
                call("stop_command", {"id": "command-1"}),
            ),
            turn(text("Fine.")),
        ]
    )
    channel = _InterruptingChannel(number)
    async with running(server, tools=builtin_tools(), folder=folder, mode="yolo", channel=channel) as harness:
        channel.session = harness.session
        harness.session.send("go")
        await asyncio.wait_for(harness.session.idle(), HANG_GUARD)
        kinds = [type(event).__name__ for event in harness.events]
        assert harness.messages == messages_of(harness.events)
        assert len(harness.of(ToolStarted)) == len(harness.of(ToolFinished))
    assert processes_with(marker) == []
    assert server.problems == []
    return kinds


async def test_safe_o1_interrupted_after_any_event_nothing_lives_on(
    server: ScriptedServer, tmp_path: Path, marker: str
) -> None:
    whole = await _swept(server, tmp_path, marker, 0)
    assert whole.count("ToolFinished") == 3
    for number in range(1, len(whole)):
        await _swept(server, tmp_path, marker, number)


async def test_one_part_that_cannot_be_closed_keeps_none_of_the_others_open(
    server: ScriptedServer, tmp_path: Path, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script_default([turn(command(f"sleep {marker}", background=True)), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, mode="yolo") as harness:
        await harness.ask()

        def fail() -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(type(harness.services.spill), "remove", lambda _: fail())
        with pytest.raises(OSError, match="Input/output error"):
            await harness.session.close()
        assert processes_with(marker) == []
        assert children_of(os.getpid()) == []
