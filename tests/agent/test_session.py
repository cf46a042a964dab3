"""The live Session: queue, interrupt at every point, modes, closing. Whatever happens the history stays valid."""

from __future__ import annotations

import asyncio

import pytest

from code_assistant.agent.executor import INTERRUPTED_RESULT, NOT_RUN_RESULT
from code_assistant.agent.limits import INTERRUPTED_LINE
from code_assistant.events import (
    ModeChanged,
    Notice,
    PermissionRequested,
    PermissionResolved,
    PromptFinished,
    PromptQueued,
    PromptStarted,
    PromptWithdrawn,
    ResponseCut,
    TextDelta,
    ToolFinished,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Message, Text, ToolResult
from code_assistant.resuming.conversation import messages_of
from code_assistant.tools.tool import ToolContext, ToolOutput
from tests.agent.harness import InterruptingChannel, running
from tests.agent.tools import Alone, NoteInput, Together, registry
from tests.fakes.script import Gate, after, call, hold, text, thinking, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD


@pytest.mark.messages_only
async def test_interrupted_in_text_keeps_what_was_said(server: ScriptedServer) -> None:
    silence = Gate("silence")
    server.script_default(
        [turn(thinking("hm"), text(pieces=["Half a sen", hold(silence), "tence."])), turn(text("Fine."))]
    )
    async with running(server) as harness:
        harness.session.send("talk")
        await silence.until_reached()
        await harness.until(TextDelta)
        assert harness.session.interrupt()
        finished = await harness.until(PromptFinished)
        assert finished.outcome == "interrupted"
        assert await server.requests[0].until_closed()
        assert harness.messages[1].content[-1] == Text("Half a sen")
        assert harness.messages[2] == Message("user", (Text(INTERRUPTED_LINE),))
        assert harness.of(ResponseCut)[0].message == harness.messages[1]
        assert len(harness.of(UsageAdded)) == 1
        assert (await harness.ask("go on")).answer == "Fine."
        assert harness.messages[2].content == (Text(INTERRUPTED_LINE), Text("go on"))
    assert server.problems == []


async def test_interrupted_before_anything_was_said(server: ScriptedServer) -> None:
    silence = Gate("silence")
    server.script_default([after(silence, turn(text("never"))), turn(text("Fine."))])
    async with running(server) as harness:
        harness.session.send("talk")
        await silence.until_reached()
        harness.session.interrupt()
        await harness.until(PromptFinished)
        assert await server.requests[0].until_closed()
        assert harness.messages == (Message("user", (Text("talk"), Text(INTERRUPTED_LINE))),)
        assert (await harness.ask("again")).answer == "Fine."
    assert server.problems == []


async def test_interrupted_after_a_tool_call_was_written_but_not_run(server: ScriptedServer) -> None:
    silence = Gate("silence")
    server.script_default([turn(text("I look."), call("echo", {"note": "x"}), hold(silence)), turn(text("Fine."))])
    async with running(server) as harness:
        harness.session.send("talk")
        await silence.until_reached()
        await harness.until(TextDelta)
        harness.session.interrupt()
        await harness.until(PromptFinished)
        assert harness.messages[1] == Message("assistant", (Text("I look."),))
        assert harness.of(ToolFinished) == []
        assert (await harness.ask("again")).answer == "Fine."
    assert server.problems == []


async def test_interrupted_in_a_tool_every_call_has_one_result(server: ScriptedServer) -> None:
    together, alone = Together(), Alone()
    together.expect("b", "c")
    alone.expect("d")
    calls = [
        call("echo", {"note": "a"}, id="a"),
        call("together", {"note": "b"}, id="b"),
        call("together", {"note": "c"}, id="c"),
        call("alone", {"note": "d"}, id="d"),
    ]
    server.script_default([turn(*calls), turn(text("Fine."))])
    async with running(server, tools=registry(together, alone)) as harness:
        harness.session.send("go")
        await together.started["c"].wait()
        together.allowed["b"].set()
        await harness.until(ToolFinished, 2)
        harness.session.interrupt()
        await harness.until(PromptFinished)
        results = [block for block in harness.messages[2].content if isinstance(block, ToolResult)]
        assert [(each.tool_call_id, each.is_error) for each in results] == [
            ("a", False),
            ("b", False),
            ("c", True),
            ("d", True),
        ]
        assert results[2].content == (Text(INTERRUPTED_RESULT),)
        assert results[3].content == (Text(NOT_RUN_RESULT),)
        assert harness.messages[2].content[-1] == Text(INTERRUPTED_LINE)
        assert [each.status for each in harness.of(ToolFinished)] == ["success", "success", "interrupted"]
        assert not alone.started["d"].is_set()
        assert (await harness.ask("again")).answer == "Fine."
    assert together.log == ["start b", "start c", "end b", "cancelled c"]
    assert server.problems == []


async def test_interrupted_while_waiting_for_permission(server: ScriptedServer) -> None:
    server.script_default([turn(call("asking", {"note": "x"})), turn(text("Fine."))])
    async with running(server, asks_broker=True) as harness:
        harness.session.send("go")
        asked = await harness.until(PermissionRequested)
        assert harness.session.pending == (asked,)
        harness.session.interrupt()
        assert (await harness.until(PromptFinished)).outcome == "interrupted"
        assert harness.session.pending == ()
        assert [each.resolution for each in harness.of(PermissionResolved)] == ["withdrawn"]
        assert not harness.session.answer_permission(asked.request_id, "once")
        assert (await harness.ask("again")).answer == "Fine."
    assert server.problems == []


async def test_interrupting_at_once_withdraws_the_prompt(server: ScriptedServer) -> None:
    server.script_default([turn(text("Fine."))])
    async with running(server) as harness:
        prompt_id = harness.session.send("too early")
        assert harness.session.interrupt()
        assert (await harness.until(PromptWithdrawn)).prompt_id == prompt_id
        assert (await harness.ask("again")).answer == "Fine."
        assert len(harness.of(PromptStarted)) == 1
    assert len(server.requests) == 1


async def _swept(server: ScriptedServer, number: int) -> list[str]:
    """One run, interrupted after so many events; gives the kinds of all its events."""
    server.script_default(
        [
            turn(thinking("hm"), text("I look."), call("echo", {"note": "x"}), call("echo", {"note": "y"})),
            turn(text("cut"), stop="max_tokens"),
            turn(text("end.")),
        ]
    )
    channel = InterruptingChannel(number)
    async with running(server, channel=channel) as harness:
        channel.session = harness.session
        harness.session.send("first")
        await asyncio.wait_for(harness.session.idle(), HANG_GUARD)
        kinds = [type(event).__name__ for event in harness.events]
        assert messages_of(harness.events) == harness.messages
        server.script_default([turn(text("Fine."))])
        assert (await harness.ask("second")).answer == "Fine."
        assert len(harness.of(PromptStarted)) == len(harness.of(PromptFinished))
        assert len(harness.of(ToolStarted)) == len(harness.of(ToolFinished))
    assert server.problems == []
    return kinds


async def test_interrupting_after_any_event_leaves_a_valid_history(server: ScriptedServer) -> None:
    whole = await _swept(server, 0)
    assert {"ThinkingDelta", "TextDelta", "BlockAdded", "ToolProgress", "GuidanceAdded"} <= set(whole)
    cut_in: set[str] = set()
    for number in range(1, len(whole)):
        kinds = await _swept(server, number)
        assert kinds[:number] == whole[:number]
        assert kinds[-1] == "PromptFinished"
        if "ResponseCut" in kinds:
            cut_in.add(whole[number - 1])
    # The sweep is worth something only if it has cut answers in every part of them.
    assert {"RequestStarted", "ResponseStarted", "ThinkingDelta", "TextDelta", "BlockAdded"} <= cut_in


async def test_a_second_interrupt_does_not_disturb_the_first(server: ScriptedServer) -> None:
    silence = Gate("silence")
    server.script_default([turn(hold(silence), text("never"))])
    async with running(server) as harness:
        harness.session.send("go")
        await silence.until_reached()
        assert harness.session.interrupt()
        assert not harness.session.interrupt()
        await harness.until(PromptFinished)
        assert not harness.session.interrupt()


async def test_prompts_sent_while_working_are_queued_in_order(server: ScriptedServer) -> None:
    pace = Gate("pace")
    server.script_default([turn(hold(pace), text("one")), turn(text("two")), turn(text("three"))])
    async with running(server) as harness:
        ids = [harness.session.send(each) for each in ("first", "second", "third")]
        await pace.until_reached()
        assert [each.prompt_id for each in harness.of(PromptQueued)] == ids[1:]
        pace.open()
        await harness.until(PromptFinished, 3)
        assert [each.prompt_id for each in harness.of(PromptFinished)] == ids
        assert [each.answer for each in harness.of(PromptFinished)] == ["one", "two", "three"]
    assert server.problems == []


async def test_the_queue_can_be_taken_back(server: ScriptedServer) -> None:
    pace = Gate("pace")
    server.script_default([turn(hold(pace), text("one"))])
    async with running(server) as harness:
        harness.session.send("first")
        second = harness.session.send("second")
        await pace.until_reached()
        assert harness.session.take_back() == (second,)
        pace.open()
        await asyncio.wait_for(harness.session.idle(), HANG_GUARD)
        await harness.until(PromptFinished)
        assert [each.prompt_id for each in harness.of(PromptWithdrawn)] == [second]
    assert len(server.requests) == 1


async def test_what_is_queued_goes_on_after_an_interrupt(server: ScriptedServer) -> None:
    silence = Gate("silence")
    server.script_default([turn(hold(silence), text("never")), turn(text("two"))])
    async with running(server) as harness:
        harness.session.send("first")
        harness.session.send("second")
        await silence.until_reached()
        harness.session.interrupt()
        await harness.until(PromptFinished, 2)
        assert [each.outcome for each in harness.of(PromptFinished)] == ["interrupted", "completed"]
    assert server.problems == []


class _SlowToStop(Together):
    """Takes its time to clean up, and says when that is done."""

    name = "slow"

    def __init__(self) -> None:
        super().__init__()
        self.cleaning, self.may_finish = asyncio.Event(), asyncio.Event()

    async def run(self, arguments: NoteInput, context: ToolContext) -> ToolOutput:
        try:
            return await super().run(arguments, context)
        finally:
            self.cleaning.set()
            await self.may_finish.wait()
            self.log.append(f"clean {arguments.note}")


async def test_a_group_is_waited_for_even_when_one_of_it_stops_slowly(server: ScriptedServer) -> None:
    slow, together = _SlowToStop(), Together()
    slow.expect("a")
    together.expect("b")
    server.script_default([turn(call("slow", {"note": "a"}), call("together", {"note": "b"}))])
    async with running(server, tools=registry(slow, together)) as harness:
        harness.session.send("go")
        await slow.started["a"].wait()
        await together.started["b"].wait()
        harness.session.interrupt()
        await slow.cleaning.wait()
        await harness.until(ToolFinished)
        assert harness.of(PromptFinished) == []
        slow.may_finish.set()
        await harness.until(PromptFinished)
        kinds = [type(event).__name__ for event in harness.events]
        assert kinds.index("ToolResultsAdded") > max(at for at, kind in enumerate(kinds) if kind == "ToolFinished")
    assert "clean a" in slow.log


async def test_closing_does_not_cut_the_clean_up_of_an_interrupt_short(server: ScriptedServer) -> None:
    slow = _SlowToStop()
    slow.expect("a")
    server.script_default([turn(call("slow", {"note": "a"}))])
    async with running(server, tools=registry(slow)) as harness:
        harness.session.send("go")
        await slow.started["a"].wait()
        harness.session.interrupt()
        await slow.cleaning.wait()
        closing = asyncio.create_task(harness.session.close())
        for _ in range(5):
            await asyncio.sleep(0)
        assert not closing.done()
        slow.may_finish.set()
        await asyncio.wait_for(closing, HANG_GUARD)
    assert slow.log[-1] == "clean a"


async def test_a_closed_session_takes_no_prompt(server: ScriptedServer) -> None:
    async with running(server) as harness:
        await harness.session.close()
        with pytest.raises(RuntimeError, match="not open"):
            harness.session.send("too late")


async def test_set_mode_is_seen_at_once(server: ScriptedServer) -> None:
    async with running(server) as harness:
        harness.session.set_mode("plan")
        assert harness.session.mode == "plan"
        assert (await harness.until(ModeChanged)).mode == "plan"


async def test_yolo_is_said_loudly_whenever_it_is_chosen_and_when_it_ends(server: ScriptedServer) -> None:
    async with running(server) as harness:
        for mode in ("yolo", "yolo", "ask", "plan"):
            harness.session.set_mode(mode)
        await harness.until_so(lambda: len(harness.of(ModeChanged)) == 4)
        told = [(each.level, each.text.partition(":")[0]) for each in harness.of(Notice)]
        assert told == [("warning", "PERMISSION MODE YOLO"), ("info", "Permission mode yolo has ended")]


async def test_closing_in_the_middle_ends_everything(server: ScriptedServer) -> None:
    silence = Gate("silence")
    server.script_default([turn(text("so"), hold(silence), text("never"))])
    async with running(server) as harness:
        harness.session.send("first")
        harness.session.send("second")
        await silence.until_reached()
        await asyncio.wait_for(harness.session.close(), HANG_GUARD)
        assert await server.requests[0].until_closed()
        assert [each.outcome for each in harness.of(PromptFinished)] == ["interrupted"]
        others = [task for task in asyncio.all_tasks() if task.get_name().startswith(("session", "prompt"))]
        assert others == []
    assert len(server.requests) == 1
