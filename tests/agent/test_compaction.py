"""Conversations that get too long for their model's window, in the loop: they are compacted, and the work goes on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from code_assistant.agent.compaction import GO_ON_LINE, SUMMARY_HEADING, WORDS_LINE
from code_assistant.agent.limits import ANSWER_NOW_LINE, INTERRUPTED_LINE
from code_assistant.agent.news import PLAN_LINE
from code_assistant.events import (
    AgentActivityChanged,
    BudgetExhausted,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    ContextMeasured,
    ModelChanged,
    Notice,
    PromptFinished,
    PromptQueued,
    PromptStarted,
    PromptWithdrawn,
    TextDelta,
    UsageAdded,
)
from code_assistant.messages import Text
from code_assistant.resuming.conversation import messages_of
from tests.agent.harness import InterruptingChannel
from tests.agent.providers import knowing
from tests.agent.small_windows import COMPACTED, SMALL, TOLD, TOO_LONG, long_answer, said, small
from tests.agent.subagents.support import results, spawn, spawning
from tests.fakes.script import Gate, Reply, Turn, after, call, status, text, thinking, turn
from tests.fakes.server import LoggedRequest, ScriptedServer, first_user_text
from tests.hang_guard import HANG_GUARD


def sent_results(request: LoggedRequest) -> dict[str, str]:
    """The text of every tool result by the id of its call, in either protocol."""
    messages = request.body["messages"]
    if request.is_chat:
        return {each["tool_call_id"]: each["content"] for each in messages if each["role"] == "tool"}
    blocks = [block for message in messages for block in message["content"] if block["type"] == "tool_result"]
    return {block["tool_use_id"]: block["content"][0]["text"] for block in blocks}


def opening(request: LoggedRequest) -> tuple[object, object]:
    """System prompt and tools: what stands before the conversation."""
    body = request.body
    return body["messages"][0] if request.is_chat else body["system"], body["tools"]


async def test_nearly_full_the_conversation_is_summarised_and_the_prompt_goes_on(server: ScriptedServer) -> None:
    server.script_default(
        [
            long_answer(),
            turn(thinking("hm"), text("## Goal\nTax."), usage={"input_tokens": 17_700, "output_tokens": 30}),
        ]
    )
    server.script(COMPACTED, [turn(text("Yes."))])
    async with small(server) as harness:
        await harness.ask("How is tax computed?")
        finished = await harness.ask("And is it tested?")
        assert (finished.outcome, finished.answer, finished.turns) == ("completed", "Yes.", 1)
        first, asked, last = server.requests
        # The same beginning, so that the cache holds; no tool may be called.
        assert first_user_text(asked.body) == "How is tax computed?"
        assert opening(asked) == opening(first)
        assert asked.body["tool_choice"] == ("none" if asked.is_chat else {"type": "none"})
        assert said(asked)[0] == "And is it tested?"
        assert said(last) == [
            f"[The conversation so far was {COMPACTED}. This is your own summary of it.]\n\n## Goal\nTax.",
            WORDS_LINE,
            "How is tax computed?",
            "And is it tested?",
            GO_ON_LINE,
        ]
        (compacted,) = harness.of(Compacted)
        assert (compacted.reason, compacted.summary) == ("nearly_full", "## Goal\nTax.")
        assert compacted.kept == ("a summary", "your last 2 messages")
        assert compacted.tokens_before > 17_000 > compacted.tokens_after
        assert harness.messages[0] == compacted.messages[0]
        # What it took counts, and is nobody's answer.
        assert harness.of(UsageAdded)[1].usage.prompt == 17_700
        assert "Goal" not in "".join(each.text for each in harness.of(TextDelta))
        measured = [each.tokens for each in harness.of(ContextMeasured)]
        assert measured[1] == 17_200
        assert compacted.tokens_after in measured
        assert measured[-1] == 120
    assert server.problems == []


async def test_large_results_are_the_first_to_go_and_no_summary_is_needed(server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(thinking("hm"), call("large", {"note": "a"}, id="a"), usage={"input_tokens": 300}),
            turn(thinking("so"), call("large", {"note": "b"}, id="b"), usage={"input_tokens": 10_300}),
            turn(text("Done.")),
        ]
    )
    async with small(server) as harness:
        assert (await harness.ask("Read both.")).answer == "Done."
        found = sent_results(server.requests[-1])
        assert found["a"].startswith("[The result of large was taken out")
        assert found["b"] == "b" * 35_000
        (compacted,) = harness.of(Compacted)
        assert compacted.summary == ""
        assert compacted.kept == ("everything but large tool results (1 of large)",)
        assert len(server.requests) == 3
    assert server.problems == []


async def test_a_model_that_needs_its_thinking_is_summarised_in_the_middle_of_its_tools(server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(call("large", {"note": "a"}, id="a"), usage={"input_tokens": 300}),
            turn(call("large", {"note": "b"}, id="b"), usage={"input_tokens": 10_300}),
        ]
    )
    # It does not fit any more as it is, so it is told.
    server.script(TOLD, [turn(text("Both were read."))])
    server.script(COMPACTED, [turn(text("Done."))])
    async with small(server, "budget") as harness:
        assert (await harness.ask("Read both.")).answer == "Done."
        assert harness.of(Compacted)[0].summary == "Both were read."
        assert 'large {"note": "b"}\n(too large to keep' in said(server.requests[-1])[-2]
    assert server.problems == []


async def test_a_child_is_compacted_by_its_own_models_window(server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "tax.py").write_text("RATE = 0.2\n" * 300)
    reading = call("read_files", {"paths": ["tax.py"]})
    server.script("look", [turn(reading, usage={"input_tokens": 11_000})])
    server.script(TOLD, [turn(text("It was read."))])
    server.script(COMPACTED, [turn(text("A fifth."))])
    server.script_default([turn(spawn("look", "c1", model="small"), usage={"input_tokens": 50_000}), turn(text("ok"))])
    known = knowing(replace(SMALL, context_window=12_000))
    async with spawning(server, tmp_path, catalogue=known) as harness:
        assert (await harness.ask("main")).answer == "ok"
        assert results(harness) == ["A fifth."]
        (compacted,) = harness.of(Compacted)
        assert compacted.origin.depth == 2
        assert "compacting" in [each.activity for each in harness.of(AgentActivityChanged)]
        windows = {each.origin.depth: each.window for each in harness.of(ContextMeasured)}
        assert windows == {1: 1_000_000, 2: 12_000}
        activity = await harness.session.agent_activity("c1")
        assert compacted in activity


async def test_what_does_not_fit_is_compacted_and_tried_again(server: ScriptedServer) -> None:
    await _does_not_fit(server, TOO_LONG)


@pytest.mark.messages_only
async def test_an_answer_that_does_not_fit_is_compacted_and_tried_again(server: ScriptedServer) -> None:
    await _does_not_fit(server, turn(text("so"), stop="model_context_window_exceeded"))


async def _does_not_fit(server: ScriptedServer, refused: Reply) -> None:
    server.script_default([turn(text("In tax.py.")), refused, turn(text("All of it."))])
    server.script(COMPACTED, [turn(text("Yes."))])
    async with small(server) as harness:
        await harness.ask("How?")
        finished = await harness.ask("And tested?")
        assert (finished.outcome, finished.answer) == ("completed", "Yes.")
        assert [each.reason for each in harness.of(Compacted)] == ["too_long"]
    assert server.problems == []


async def test_a_conversation_that_never_fits_ends_with_what_to_do(server: ScriptedServer) -> None:
    server.script_default([turn(text("In tax.py.")), *[TOO_LONG] * 3, turn(text("Fine."))])
    async with small(server) as harness:
        await harness.ask("How?")
        before = harness.messages
        finished = await harness.ask("And tested?")
        assert (finished.outcome, finished.error_kind) == ("failed", "prompt_too_long")
        assert "does not fit into the model's context window" in (finished.error or "")
        # The prompt, and two tries to have a part of it summarised.
        assert len(server.requests) == 4
        assert harness.messages[:-1] == before
        assert (await harness.ask("Shorter?")).answer == "Fine."
    assert server.problems == []


async def test_what_is_too_long_even_compacted_is_not_tried_for_ever(server: ScriptedServer) -> None:
    server.script_default([turn(text("In tax.py.")), TOO_LONG, turn(text("All of it."))])
    server.script(COMPACTED, [TOO_LONG])
    async with small(server) as harness:
        await harness.ask("How?")
        finished = await harness.ask("And tested?")
        assert finished.error_kind == "prompt_too_long"
        assert len(server.requests) == 4
        assert len(harness.of(Compacted)) == 1
    assert server.problems == []


async def test_a_first_prompt_that_is_too_long_cannot_be_compacted(server: ScriptedServer) -> None:
    server.script_default([TOO_LONG])
    async with small(server) as harness:
        assert (await harness.ask("x" * 20_000)).error_kind == "prompt_too_long"
        assert harness.of(CompactionStarted) == []


async def test_a_summary_that_fails_leaves_all_as_it_was_and_the_prompt_goes_on(server: ScriptedServer) -> None:
    refused = status(400, "invalid_request_error", "not today")
    tools = [turn(call("echo", {"note": "x"}), usage={"input_tokens": 17_700}) for _ in range(2)]
    server.script_default([long_answer(), refused, *tools, turn(text("Yes."))])
    async with small(server) as harness:
        await harness.ask("How?")
        before = harness.messages
        finished = await harness.ask("And tested?")
        assert (finished.outcome, finished.answer) == ("completed", "Yes.")
        assert harness.messages[: len(before)] == before
        # Not tried again and again while little has changed.
        (failed,) = harness.of(CompactionFailed)
        assert "not today" in (failed.error or "")
    assert server.problems == []


@pytest.mark.parametrize("silent", [turn(text(" ")), turn(text("I will not."), stop="refusal")])
async def test_no_summary_is_a_failure(server: ScriptedServer, silent: Turn) -> None:
    server.script_default([turn(text("In tax.py.")), silent])
    async with small(server) as harness:
        await harness.ask("How?")
        before = harness.messages
        harness.session.compact()
        assert (await harness.until(CompactionFailed)).error == "The model wrote no summary."
        await harness.session.idle()
        assert harness.messages == before


async def test_interrupted_in_a_compaction_the_old_history_stays(server: ScriptedServer) -> None:
    silence = Gate("silence")
    server.script_default([long_answer(), after(silence, turn(text("never"))), turn(text("All of it."))])
    server.script(COMPACTED, [turn(text("Yes."))])
    async with small(server) as harness:
        await harness.ask("How?")
        before = harness.messages
        harness.session.send("And tested?")
        await silence.until_reached()
        assert harness.session.interrupt()
        assert (await harness.until(PromptFinished, 2)).outcome == "interrupted"
        assert await server.requests[1].until_closed()
        assert [each.error for each in harness.of(CompactionFailed)] == [None]
        assert harness.messages[:-1] == before
        assert harness.messages[-1].content == (Text("And tested?"), Text(INTERRUPTED_LINE))
        assert (await harness.ask("Go on.")).answer == "Yes."
        assert INTERRUPTED_LINE not in said(server.requests[-1])
    assert server.problems == []


async def _swept(server: ScriptedServer, number: int) -> list[str]:
    """One run with a compaction in the middle of its tools, interrupted after so many events."""
    server.script_default(
        [
            turn(text("I look."), call("large", {"note": "a"}), usage={"input_tokens": 12_000}),
        ]
    )
    server.script(TOLD, [turn(text("All of it."))])
    server.script(COMPACTED, [turn(text("Yes."))])
    channel = InterruptingChannel(number)
    async with small(server, channel=channel) as harness:
        channel.session = harness.session
        harness.session.send("first")
        await asyncio.wait_for(harness.session.idle(), HANG_GUARD)
        kinds = [type(event).__name__ for event in harness.events]
        assert messages_of(harness.events) == harness.messages
        assert len(harness.of(PromptStarted)) == len(harness.of(PromptFinished))
    assert server.problems == []
    return kinds


async def test_interrupting_after_any_event_leaves_a_valid_history(server: ScriptedServer) -> None:
    whole = await _swept(server, 0)
    assert {"CompactionStarted", "Compacted"} <= set(whole)
    cut_in: set[str] = set()
    for number in range(1, len(whole)):
        kinds = await _swept(server, number)
        assert kinds[:number] == whole[:number]
        if "CompactionFailed" in kinds:
            cut_in.add(whole[number - 1])
    assert "CompactionStarted" in cut_in


async def test_the_tokens_of_a_summary_count_for_the_budget(server: ScriptedServer) -> None:
    server.script_default([long_answer(), turn(text("All of it."), usage={"input_tokens": 5000})])
    async with small(server, max_tokens=20_000) as harness:
        await harness.ask("How?")
        finished = await harness.ask("And tested?")
        assert finished.outcome == "budget_exhausted"
        assert harness.of(BudgetExhausted)[0].usage == 17_200 + 5020
    assert server.problems == []


async def test_without_a_budget_no_summary_is_asked_for(server: ScriptedServer) -> None:
    server.script_default([turn(text("In tax.py."))])
    async with small(server, max_tokens=100) as harness:
        await harness.ask("How?")
        harness.session.compact()
        assert "budget is used up" in ((await harness.until(CompactionFailed)).error or "")
    assert len(server.requests) == 1


async def test_turned_off_nothing_is_compacted_and_the_person_is_warned_once(server: ScriptedServer) -> None:
    more = [turn(text("Yes."), usage={"input_tokens": 17_800}) for _ in range(2)]
    server.script_default([long_answer(), *more])
    async with small(server, compact_at=0) as harness:
        for prompt in ("How?", "And tested?", "Really?"):
            assert (await harness.ask(prompt)).outcome == "completed"
        assert harness.of(CompactionStarted) == []
        (notice,) = harness.of(Notice)
        assert (notice.level, "80%" in notice.text, "/compact" in notice.text) == ("warning", True, True)


async def test_an_answer_that_goes_on_is_not_compacted(server: ScriptedServer) -> None:
    await _goes_on(server, "max_tokens")


@pytest.mark.messages_only
async def test_an_answer_that_was_paused_is_not_compacted(server: ScriptedServer) -> None:
    await _goes_on(server, "pause_turn")


async def _goes_on(server: ScriptedServer, stop: str) -> None:
    half = turn(text("y" * 58_000), stop=stop, usage={"input_tokens": 300, "output_tokens": 17_000})
    server.script_default([turn(text("So.")), half, turn(text(" End."))])
    async with small(server) as harness:
        await harness.ask("How?")
        assert (await harness.ask("And tested?")).answer.endswith("y End.")
        assert harness.of(CompactionStarted) == []
    assert server.problems == []


async def test_plan_mode_is_told_again_after_a_compaction(server: ScriptedServer) -> None:
    server.script_default([long_answer(), turn(text("All of it."))])
    server.script(COMPACTED, [turn(text("Yes."))])
    async with small(server, mode="plan") as harness:
        await harness.ask("How?")
        await harness.ask("And tested?")
        assert said(server.requests[-1])[-2:] == [GO_ON_LINE, PLAN_LINE]
    assert server.problems == []


# By the person's wish


async def test_asked_for_it_is_summarised_with_what_matters_to_them(server: ScriptedServer) -> None:
    server.script_default([turn(text("In tax.py.")), turn(text("## Goal\nTax."))])
    server.script(COMPACTED, [turn(text("Yes."))])
    async with small(server) as harness:
        await harness.ask("How?")
        harness.session.compact(" the rounding ")
        await harness.until(Compacted)
        await harness.session.idle()
        assert said(server.requests[1])[-1].endswith("keep above all: the rounding")
        assert [message.role for message in harness.messages] == ["user", "assistant"]
        assert harness.messages[0].content[0] == Text(f"{SUMMARY_HEADING}\n\n## Goal\nTax.")
        assert harness.messages[1].text == "In tax.py."
        assert (await harness.until(PromptFinished, 2)).outcome == "completed"
        assert (await harness.ask("And tested?")).answer == "Yes."
    assert server.problems == []


async def test_asked_while_something_is_worked_on_it_waits_its_turn(server: ScriptedServer) -> None:
    pace = Gate("pace")
    server.script_default([after(pace, turn(text("In tax.py."))), turn(text("All of it."))])
    async with small(server) as harness:
        harness.session.send("How?")
        await pace.until_reached()
        waiting = harness.session.compact("tax")
        taken = harness.session.compact()
        assert harness.session.take_back() == (waiting, taken)
        waiting = harness.session.compact("tax")
        pace.open()
        await harness.until(Compacted)
        queued = [(each.prompt_id, each.text) for each in harness.of(PromptQueued)]
        assert queued[-1] == (waiting, "/compact tax")
        assert len(harness.of(PromptWithdrawn)) == 2
    assert server.problems == []


async def test_there_may_be_nothing_to_compact(server: ScriptedServer) -> None:
    async with small(server) as harness:
        harness.session.compact()
        assert (await harness.until(CompactionFailed)).error == "There is nothing to compact yet."
    assert server.requests == []


async def test_asked_for_and_interrupted_nothing_is_said_to_the_model(server: ScriptedServer) -> None:
    silence = Gate("silence")
    server.script_default([turn(text("In tax.py.")), after(silence, turn(text("never")))])
    async with small(server) as harness:
        await harness.ask("How?")
        before = harness.messages
        harness.session.compact()
        await silence.until_reached()
        assert harness.session.interrupt()
        assert (await harness.until(PromptFinished, 2)).outcome == "interrupted"
        assert harness.messages == before


# What fills the window


async def test_the_report_adds_up_to_what_was_counted(server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(text("I look."), call("large", {"note": "a"}), call("echo", {"note": "b"})),
            turn(text("Done."), usage={"input_tokens": 10_500}),
        ]
    )
    async with small(server) as harness:
        empty = harness.session.context()
        assert [part.name for part in empty.parts] == ["system prompt", "tools"]
        await harness.ask("Read it.")
        report = harness.session.context()
        assert (report.window, report.used, report.reserved, report.compact_at) == (20_000, 10_520, 1000, 17_000)
        assert sum(part.tokens for part in report.parts) == report.used
        assert report.free == 20_000 - 10_520 - 1000
        names = ["system prompt", "tools", "your messages", "the model's messages", "tool results"]
        assert [part.name for part in report.parts] == names
        assert [part.name for part in report.largest] == ["large", "echo"]
        assert max(report.parts, key=lambda part: part.tokens).name == "tool results"


async def test_another_model_has_another_window(server: ScriptedServer) -> None:
    server.script_default([turn(text("So."), usage={"input_tokens": 3000})])
    async with small(server) as harness:
        await harness.ask("How?")
        harness.session.set_model("sonnet")
        assert (await harness.until(ModelChanged)).context_window == 1_000_000
        report = harness.session.context()
        assert (report.used, report.window, report.reserved) == (3020, 1_000_000, 100_000)


async def test_a_compaction_is_no_turn(server: ScriptedServer) -> None:
    server.script_default([turn(call("large", {"note": "a"}), usage={"input_tokens": 12_000})])
    server.script(TOLD, [turn(text("All of it."))])
    server.script(COMPACTED, [turn(text("Yes."))])
    async with small(server, max_turns=2) as harness:
        finished = await harness.ask("Read it.")
        assert (finished.outcome, finished.turns) == ("turn_limit_reached", 2)
        assert len(harness.of(Compacted)) == 1
        assert said(server.requests[-1])[-2:] == [GO_ON_LINE, ANSWER_NOW_LINE]
    assert server.problems == []
