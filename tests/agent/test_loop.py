"""The agent loop through the real provider: what is sent, what is run, what stays in the history."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise

import pytest

from code_assistant.agent.limits import ANSWER_NOW_LINE, CONTINUE_LINE, MAX_CONTINUATIONS
from code_assistant.events import (
    Event,
    PermissionRefused,
    PromptFinished,
    RequestStarted,
    ResponseCut,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Message, Text, Thinking, ToolCall, ToolResult, Usage
from code_assistant.resuming.conversation import messages_of
from code_assistant.tools.tool import ToolContext, ToolOutput
from tests.agent.harness import running
from tests.agent.tools import Alone, Echo, NoteInput, Together, registry
from tests.fakes.script import block, call, cut, raw_call, server_tool, status, text, thinking, turn
from tests.fakes.server import ScriptedServer


def result_texts(message: Message) -> list[tuple[str, str, bool]]:
    return [
        (block.tool_call_id, "".join(part.text for part in block.content if isinstance(part, Text)), block.is_error)
        for block in message.content
        if isinstance(block, ToolResult)
    ]


def kinds(events: Sequence[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


async def test_text_only(server: ScriptedServer) -> None:
    server.script_default([turn(text("Hello there."))])
    async with running(server) as harness:
        finished = await harness.ask("hi")
        assert (finished.outcome, finished.answer, finished.turns) == ("completed", "Hello there.", 1)
        assert harness.messages == (
            Message("user", (Text("hi"),)),
            Message("assistant", (Text("Hello there."),)),
        )
    assert server.problems == []


@pytest.mark.messages_only
async def test_one_tool_and_the_order_of_events(server: ScriptedServer) -> None:
    server.script_default(
        [turn(thinking("hm"), text("I look."), call("echo", {"note": "one"}, id="t1")), turn(text("Found."))]
    )
    async with running(server) as harness:
        finished = await harness.ask()
        assert finished.answer == "Found."
        assert harness.messages[1].content == (
            Thinking("hm", "signature"),
            Text("I look."),
            ToolCall("t1", "echo", {"note": "one"}),
        )
        assert result_texts(harness.messages[2]) == [("t1", "echo: one", False)]
        without_pieces = [each for each in harness.events if not isinstance(each, TextDelta | ThinkingDelta)]
        assert kinds(without_pieces) == [
            "PromptStarted",
            "ContextMeasured",
            "RequestStarted",
            "ResponseStarted",
            "BlockAdded",
            "BlockAdded",
            "BlockAdded",
            "UsageAdded",
            "ResponseAdded",
            "ContextMeasured",
            "ToolStarted",
            "ToolProgress",
            "ToolFinished",
            "ToolResultsAdded",
            "ContextMeasured",
            "RequestStarted",
            "ResponseStarted",
            "BlockAdded",
            "UsageAdded",
            "ResponseAdded",
            "ContextMeasured",
            "PromptFinished",
        ]
        assert harness.of(ToolStarted)[0].title == "echo one"
        assert harness.of(ToolProgress)[0].text == "echoing one"
        assert harness.of(ToolFinished)[0].status == "success"
    assert server.problems == []


async def test_the_events_carry_the_whole_history(server: ScriptedServer) -> None:
    """A recorder that only sees events can write down exactly what the provider was sent."""
    server.script_default(
        [turn(text("a"), call("echo", {"note": "x"})), turn(text("b"), stop="max_tokens"), turn(text("c"))]
    )
    async with running(server) as harness:
        await harness.ask("first")
        assert messages_of(harness.events) == harness.messages


async def test_many_tools_in_one_response_are_answered_in_request_order(server: ScriptedServer) -> None:
    calls = [call("echo", {"note": str(number)}, id=f"t{number}") for number in range(12)]
    server.script_default([turn(*calls), turn(text("done"))])
    async with running(server) as harness:
        await harness.ask()
        assert result_texts(harness.messages[2]) == [(f"t{number}", f"echo: {number}", False) for number in range(12)]
    assert server.problems == []


async def test_gathered_calls_overlap_and_barriers_keep_their_place(server: ScriptedServer) -> None:
    together, alone = Together(), Alone()
    together.expect("a", "b", "d")
    alone.expect("c")
    alone.log = together.log
    calls = [
        call("together", {"note": "a"}, id="a"),
        call("together", {"note": "b"}, id="b"),
        call("alone", {"note": "c"}, id="c"),
        call("together", {"note": "d"}, id="d"),
    ]
    server.script_default([turn(*calls), turn(text("done"))])
    async with running(server, tools=registry(together, alone)) as harness:
        harness.session.send("go")
        await together.started["a"].wait()
        await together.started["b"].wait()
        # Both run now; the later one ends first, the barrier has not begun.
        together.allowed["b"].set()
        together.allowed["a"].set()
        await alone.started["c"].wait()
        assert not together.started["d"].is_set()
        alone.allowed["c"].set()
        together.allowed["d"].set()
        await harness.until(PromptFinished)
        assert together.log == [
            "start a",
            "start b",
            "end b",
            "end a",
            "start c",
            "end c",
            "start d",
            "end d",
        ]
        assert [each[0] for each in result_texts(harness.messages[2])] == ["a", "b", "c", "d"]


async def test_tool_errors_unknown_tools_and_bad_input_go_back_to_the_model(server: ScriptedServer) -> None:
    calls = [
        call("failing", {"note": "typed"}, id="t1"),
        call("failing", {"note": "fault"}, id="t2"),
        call("nonsense", {"x": 1}, id="t3"),
        call("echo", {"nose": "x"}, id="t4"),
        raw_call("echo", '{"note": "cut', id="t5"),
        call("echo", {"note": "fine"}, id="t6"),
        call("blank", {"note": "x"}, id="t7"),
    ]
    server.script_default([turn(*calls), turn(text("I see."))])
    async with running(server) as harness:
        finished = await harness.ask()
        assert finished.outcome == "completed"
        results = result_texts(harness.messages[2])
    assert [each[2] for each in results] == [True, True, True, True, True, False, False]
    assert results[0][1] == "It cannot be done; try something else."
    assert "ZeroDivisionError: a fault of ours" in results[1][1]
    assert "no tool named 'nonsense'" in results[2][1]
    assert "echo" in results[2][1]
    assert "note: Field required" in results[3][1]
    assert "nose: Extra inputs are not permitted" in results[3][1]
    assert "not complete, valid JSON" in results[4][1]
    assert results[6][1] == "(no output)"
    assert server.problems == []


async def test_a_denied_call_is_an_error_result_and_the_model_goes_on(server: ScriptedServer) -> None:
    server.script_default([turn(call("asking", {"note": "harm"}, id="t1")), turn(text("Then not."))])
    async with running(server) as harness:
        finished = await harness.ask()
        assert finished.outcome == "completed"
        ((_, words, is_error),) = result_texts(harness.messages[2])
        assert is_error
        assert "Permission denied: asking may not do harm: nobody is there to allow it" in words
        assert harness.of(ToolFinished)[0].status == "denied"
        assert harness.of(PermissionRefused)[0].tool_name == "asking"


async def test_yolo_answers_by_itself_from_the_next_call_on(server: ScriptedServer) -> None:
    asking = call("asking", {"note": "it"})
    server.script_default([turn(asking), turn(text("no")), turn(asking), turn(text("yes"))])
    async with running(server) as harness:
        await harness.ask("one")
        harness.session.set_mode("yolo")
        await harness.ask("two")
        assert [each.status for each in harness.of(ToolFinished)] == ["denied", "success"]


async def test_usage_is_counted_with_its_cost(server: ScriptedServer) -> None:
    usage = {"input_tokens": 1_000_000, "output_tokens": 100_000}
    server.script_default([turn(text("ok"), usage=usage)])
    async with running(server) as harness:
        await harness.ask()
        (added,) = harness.of(UsageAdded)
        assert added.usage == Usage(input=1_000_000, output=100_000)
        assert added.cost == pytest.approx(2 * 1 + 10 * 0.1)


async def test_unknown_prices_are_none_not_zero(server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    async with running(server, model="somebody-elses-model") as harness:
        await harness.ask()
        assert harness.of(UsageAdded)[0].cost is None


@pytest.mark.messages_only
async def test_the_cache_has_its_break_points_and_the_prefix_never_changes(server: ScriptedServer) -> None:
    server.script_default([turn(call("echo", {"note": str(number)})) for number in range(4)] + [turn(text("end"))])
    async with running(server) as harness:
        await harness.ask()

    def without_marks(value: object) -> object:
        if isinstance(value, dict):
            return {key: without_marks(each) for key, each in value.items() if key != "cache_control"}
        return [without_marks(each) for each in value] if isinstance(value, list) else value

    bodies = [request.body for request in server.requests]
    for earlier, later in pairwise(bodies):
        assert earlier["system"] == later["system"]
        assert earlier["tools"] == later["tools"]
        before, after = without_marks(earlier["messages"]), without_marks(later["messages"])
        assert isinstance(after, list)
        assert isinstance(before, list)
        assert after[: len(before)] == before
        # What the last request marked as its end is marked again, so that it is found in the cache.
        assert "cache_control" in later["messages"][len(before) - 1]["content"][-1]
    assert all("cache_control" in body["messages"][-1]["content"][-1] for body in bodies)
    assert "cache_control" in bodies[0]["system"][-1]
    assert "cache_control" in bodies[0]["tools"][-1]


async def test_max_tokens_continues_where_it_ended(server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(text("One, two, "), raw_call("echo", '{"note": "cu', id="t9"), stop="max_tokens"),
            turn(text("three.")),
        ]
    )
    async with running(server) as harness:
        finished = await harness.ask()
        assert (finished.outcome, finished.answer) == ("completed", "One, two, three.")
        assert harness.messages[1] == Message("assistant", (Text("One, two, "),))
        assert harness.messages[2] == Message("user", (Text(CONTINUE_LINE),))
        assert harness.of(ToolStarted) == []
    assert server.problems == []


async def test_max_tokens_after_a_complete_call_runs_it(server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(
                call("echo", {"note": "whole"}, id="t1"), raw_call("echo", '{"note": "cu', id="t2"), stop="max_tokens"
            ),
            turn(text("done")),
        ]
    )
    async with running(server) as harness:
        await harness.ask()
        assert result_texts(harness.messages[2]) == [("t1", "echo: whole", False)]
    assert server.problems == []


async def test_max_tokens_before_a_call_has_its_input_does_not_run_it(server: ScriptedServer) -> None:
    server.script_default(
        [turn(text("I list."), call("list_all", {}, pieces=[]), stop="max_tokens"), turn(text(" Done."))]
    )
    async with running(server) as harness:
        assert (await harness.ask()).answer == "I list. Done."
        assert harness.of(ToolStarted) == []
    assert server.problems == []


async def test_max_tokens_keeps_a_whole_call_without_input_before_the_cut(server: ScriptedServer) -> None:
    bare = block({"type": "tool_use", "id": "t1", "name": "echo", "input": {}})
    server.script_default([turn(bare, raw_call("echo", '{"no', id="t2"), stop="max_tokens"), turn(text("Done."))])
    async with running(server) as harness:
        assert (await harness.ask()).answer == "Done."
        assert [each.tool_call_id for each in harness.of(ToolStarted)] == ["t1"]
    assert server.problems == []


async def test_a_continuation_that_says_nothing_is_no_answer(server: ScriptedServer) -> None:
    server.script_default([turn(thinking("endless", signature=None), stop="max_tokens"), turn(text(" "))])
    async with running(server) as harness:
        finished = await harness.ask()
        assert (finished.outcome, finished.error_kind) == ("failed", "no_answer")


async def test_max_tokens_with_nothing_to_keep_still_goes_on(server: ScriptedServer) -> None:
    server.script_default([turn(thinking("endless", signature=None), stop="max_tokens"), turn(text("ok"))])
    async with running(server) as harness:
        finished = await harness.ask("think")
        assert finished.answer == "ok"
        assert harness.messages[0] == Message("user", (Text("think"), Text(CONTINUE_LINE)))
    assert server.problems == []


async def test_max_tokens_is_continued_a_few_times_only(server: ScriptedServer) -> None:
    server.script_default([turn(text("and "), stop="max_tokens")] * (MAX_CONTINUATIONS + 1))
    async with running(server) as harness:
        finished = await harness.ask()
        assert finished.outcome == "failed"
        assert finished.answer == "and " * 4
        assert finished.error_kind == "output_limit"
    assert len(server.requests) == 4


@pytest.mark.messages_only
async def test_pause_turn_is_sent_back_as_it_is(server: ScriptedServer) -> None:
    server.script_default(
        [turn(text("Half, "), server_tool("web_search", {"q": "x"}), stop="pause_turn"), turn(text("and half."))]
    )
    async with running(server) as harness:
        finished = await harness.ask()
        assert (finished.outcome, finished.answer) == ("completed", "Half, and half.")
        assert messages_of(harness.events) == harness.messages
    assert server.requests[1].body["messages"][-1]["role"] == "assistant"
    assert server.problems == []


@pytest.mark.messages_only
async def test_a_service_that_pauses_for_ever_is_given_up(server: ScriptedServer) -> None:
    server.script_default([turn(text("wait"), stop="pause_turn")] * 30)
    async with running(server) as harness:
        finished = await harness.ask()
        assert (finished.outcome, finished.turns) == ("failed", 21)


async def test_refusal_ends_the_turn_and_says_why(server: ScriptedServer) -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "No malware"}
    server.script_default(
        [
            turn(text("I could"), call("echo", {"note": "x"}), stop="refusal", stop_details=details),
            turn(text("fine")),
        ]
    )
    async with running(server) as harness:
        finished = await harness.ask("make malware")
        assert finished.outcome == "refused"
        assert finished.error is not None
        assert "No malware" in finished.error
        assert harness.of(ToolStarted) == []
        again = await harness.ask("something else")
        assert again.answer == "fine"
    assert server.problems == []


@pytest.mark.messages_only
async def test_a_full_context_window_ends_with_what_to_do(server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(text("so"), call("echo", {"note": "x"}), stop="model_context_window_exceeded"),
            status(400, "invalid_request_error", "no summary today"),
            turn(text("ok")),
        ]
    )
    async with running(server) as harness:
        finished = await harness.ask()
        assert (finished.outcome, finished.error_kind) == ("failed", "prompt_too_long")
        assert "narrower question" in (finished.error or "")
        assert (await harness.ask("again")).answer == "ok"
    assert server.problems == []


@pytest.mark.parametrize("silent", [turn(), turn(text(" \n ")), turn(thinking("hm"))])
async def test_an_empty_answer_is_no_success(server: ScriptedServer, silent: object) -> None:
    server.script_default([silent, turn(text("ok"))])  # type: ignore[list-item]
    async with running(server) as harness:
        finished = await harness.ask("say something")
        assert (finished.outcome, finished.error_kind) == ("failed", "no_answer")
        assert (await harness.ask("please")).answer == "ok"
        assert harness.messages[0].content == (Text("say something"), Text("please"))
    assert server.problems == []


async def test_a_failed_request_leaves_a_history_to_go_on_with(server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(call("echo", {"note": "x"}, id="t1")),
            status(500, "api_error", "oops"),
            turn(text("back")),
        ]
    )
    async with running(server) as harness:
        finished = await harness.ask("one")
        assert (finished.outcome, finished.error_kind) == ("failed", "provider")
        assert (await harness.ask("two")).answer == "back"
        assert [message.role for message in harness.messages] == ["user", "assistant", "user", "assistant"]
    assert server.problems == []


async def test_a_broken_answer_is_cut_and_told(server: ScriptedServer) -> None:
    server.script_default([turn(text(pieces=["So ", "far", cut()])), turn(text("Whole."))])
    async with running(server) as harness:
        finished = await harness.ask("one")
        assert (finished.outcome, finished.error_kind, finished.answer) == ("failed", "stream", "So far")
        assert [each.message for each in harness.of(ResponseCut)] == [None]
        assert harness.messages == (Message("user", (Text("one"),)),)
        assert (await harness.ask("two")).answer == "Whole."
        assert messages_of(harness.events) == harness.messages
    assert server.problems == []


async def test_a_fault_of_a_tool_costs_that_call_only(server: ScriptedServer) -> None:
    class Faulty(Echo):
        name = "faulty"

        def title(self, arguments: NoteInput) -> str:
            raise ValueError("no title")

    server.script_default(
        [turn(call("faulty", {"note": "x"}, id="t1"), call("echo", {"note": "y"}, id="t2")), turn(text("ok"))]
    )
    async with running(server, tools=registry(Faulty())) as harness:
        assert (await harness.ask()).answer == "ok"
        results = result_texts(harness.messages[2])
        assert [each[2] for each in results] == [True, False]
        assert "ValueError: no title" in results[0][1]


async def test_a_fault_of_the_program_costs_that_prompt_only(server: ScriptedServer) -> None:
    server.script_default([turn(call("echo", {"note": "x"})), turn(text("ok"))])
    async with running(server) as harness:
        broken = harness.agent.history.add_assistant
        harness.agent.history.add_assistant = None  # type: ignore[method-assign,assignment]
        finished = await harness.ask("one")
        assert (finished.outcome, finished.error_kind) == ("failed", "internal")
        harness.agent.history.add_assistant = broken  # type: ignore[method-assign]
        assert (await harness.ask("two")).outcome == "completed"


async def test_a_gathered_call_that_is_cancelled_from_within_is_an_error_of_its_own(server: ScriptedServer) -> None:
    class Child(Together):
        """Runs in a task of its own, which somebody else cancels: what a sub-agent is."""

        name = "child"
        task: asyncio.Task[ToolOutput] | None = None

        async def run(self, arguments: NoteInput, context: ToolContext) -> ToolOutput:
            self.task = asyncio.create_task(super().run(arguments, context))
            return await self.task

    child, together = Child(), Together()
    child.expect("a")
    together.expect("b")
    calls = [call("child", {"note": "a"}, id="a"), call("together", {"note": "b"}, id="b")]
    server.script_default([turn(*calls), turn(text("go on"))])
    async with running(server, tools=registry(child, together)) as harness:
        harness.session.send("go")
        await child.started["a"].wait()
        await together.started["b"].wait()
        assert child.task is not None
        child.task.cancel()
        together.allowed["b"].set()
        assert (await harness.until(PromptFinished)).answer == "go on"
        assert [(each[0], each[2]) for each in result_texts(harness.messages[2])] == [("a", True), ("b", False)]


async def test_duplicate_empty_and_illegal_ids_are_mended(server: ScriptedServer) -> None:
    def odd(identifier: str, name: str = "echo") -> object:
        return block({"type": "tool_use", "id": identifier, "name": name, "input": {"note": identifier or "none"}})

    server.script_default(
        [
            turn(odd("same"), odd("same"), odd(""), odd("with space", "odd name!"), stop="tool_use"),  # type: ignore[arg-type]
            turn(odd("same"), stop="tool_use"),  # type: ignore[arg-type]
            turn(text("done")),
        ]
    )
    async with running(server) as harness:
        assert (await harness.ask()).outcome == "completed"
        assert [each.status for each in harness.of(ToolFinished)] == ["success"] * 3 + ["error", "success"]
        assert len({each.tool_call_id for each in harness.of(ToolStarted)}) == 5
    assert server.problems == []


@pytest.mark.messages_only
async def test_the_turn_limit_asks_for_an_answer_and_offers_no_tools(server: ScriptedServer) -> None:
    never_stops = turn(text("looking "), call("echo", {"note": "x"}))
    server.script_default([never_stops] * 10)
    async with running(server, max_turns=3) as harness:
        finished = await harness.ask()
        assert (finished.outcome, finished.turns, finished.answer) == ("turn_limit_reached", 3, "looking ")
        assert len(harness.of(RequestStarted)) == 3
        assert len(harness.of(ToolStarted)) == 2
    assert len(server.requests) == 3
    assert [request.body.get("tool_choice") for request in server.requests] == [None, None, {"type": "none"}]
    assert server.requests[2].body["messages"][-1]["content"][-1]["text"] == ANSWER_NOW_LINE
    assert server.problems == []


async def test_one_turn_is_enough_for_a_plain_answer(server: ScriptedServer) -> None:
    server.script_default([turn(text("42"))])
    async with running(server, max_turns=1) as harness:
        assert (await harness.ask()).outcome == "completed"


async def test_the_limit_counts_anew_for_each_prompt(server: ScriptedServer) -> None:
    server.script_default([turn(call("echo", {"note": "x"})), turn(text("a")), turn(call("echo", {"note": "y"}))] * 2)
    async with running(server, max_turns=3) as harness:
        assert (await harness.ask("one")).turns == 2
        assert (await harness.ask("two")).turns == 3


async def test_the_same_loop_runs_over_the_sdk(server: ScriptedServer) -> None:
    server.script_default([turn(thinking("hm"), call("echo", {"note": "x"}, id="t1")), turn(text("done"))])
    async with running(server, transport="sdk") as harness:
        assert (await harness.ask()).answer == "done"
    assert server.problems == []


async def test_conversations_side_by_side_follow_their_own_scripts(server: ScriptedServer) -> None:
    for name in ("red", "green", "blue"):
        server.script(name, [turn(call("echo", {"note": name})), turn(text(f"{name} is done"))])

    async with running(server) as first, running(server) as second, running(server) as third:
        finished = await asyncio.gather(first.ask("red"), second.ask("green"), third.ask("blue"))
    assert [each.answer for each in finished] == ["red is done", "green is done", "blue is done"]
