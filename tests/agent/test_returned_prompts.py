"""A prompt whose service wants to be left alone for long comes back, whatever was done for it before (R4)."""

from __future__ import annotations

from code_assistant.agent.compaction import GO_ON_LINE, SUMMARY_HEADING, WORDS_LINE
from code_assistant.agent.news import PLAN_LINE
from code_assistant.events import Compacted, CompactionFailed, PromptReturned
from code_assistant.messages import Message, Text
from tests.agent.harness import Harness
from tests.agent.small_windows import COMPACTED, TOLD, TOO_LONG, long_answer, said, small
from tests.fakes.script import call, status, text, turn
from tests.fakes.server import ScriptedServer

MUCH_LATER = status(429, "rate_limit_error", "not now", {"retry-after": "3600"})
SUMMARY = Text(f"{SUMMARY_HEADING}\n\nTax.")


async def _comes_back(harness: Harness, prompt: str) -> None:
    """The prompt fails, and is nowhere in the conversation."""
    finished = await harness.ask(prompt)
    assert (finished.outcome, finished.error_kind) == ("failed", "rate_limit")
    assert "Try again after" in (finished.error or "")
    assert [each.prompt_id for each in harness.of(PromptReturned)] == [finished.prompt_id]
    assert not any(prompt in getattr(block, "text", "") for message in harness.messages for block in message.content)
    await harness.session.idle()


async def test_safe_r4_compacted_first_it_comes_back_all_the_same(server: ScriptedServer) -> None:
    server.script_default([long_answer(), turn(text("Tax."))])
    server.script(COMPACTED, [MUCH_LATER, turn(text("Yes."))])
    async with small(server) as harness:
        await harness.ask("How is tax computed?")
        await _comes_back(harness, "And is it tested?")
        # The summary was paid for, and stays; so does the last answer, as far as there is room.
        assert harness.messages[0] == Message("user", (SUMMARY, Text(WORDS_LINE), Text("How is tax computed?")))
        assert [message.role for message in harness.messages] == ["user", "assistant"]
        assert len(harness.of(Compacted)) == 1
        assert not harness.session.retry()
        assert (await harness.ask("And is it tested?")).answer == "Yes."
        assert said(server.requests[-1]) == ["And is it tested?"]
        assert len(harness.of(Compacted)) == 1
    assert server.problems == []


async def test_safe_r4_also_one_that_was_too_long_for_its_place(server: ScriptedServer) -> None:
    """What is left of a prompt in a compacted conversation may be a part of it only."""
    server.script_default([turn(text("In tax.py.")), TOO_LONG])
    server.script(TOLD, [turn(text("Tax."))])
    server.script(COMPACTED, [MUCH_LATER])
    async with small(server) as harness:
        await harness.ask("How?")
        await _comes_back(harness, "tested? " * 6_000)
        words = Message("user", (SUMMARY, Text(WORDS_LINE), Text("How?")))
        assert harness.messages == (words, Message("assistant", (Text("In tax.py."),)))


async def test_what_was_told_to_the_model_meanwhile_stays(server: ScriptedServer) -> None:
    server.script_default([long_answer(), turn(text("Tax."))])
    server.script(COMPACTED, [MUCH_LATER, turn(text("Yes."))])
    async with small(server, mode="plan") as harness:
        await harness.ask("How?")
        await _comes_back(harness, "And tested?")
        assert harness.messages[-1] == Message("user", (Text(PLAN_LINE),))
        await harness.ask("And tested?")
        assert said(server.requests[-1]) == [PLAN_LINE, "And tested?"]


async def test_safe_r4_only_lighter_it_comes_back_too(server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(call("large", {"note": "a"}), usage={"input_tokens": 300}),
            turn(text("Read."), usage={"input_tokens": 17_300}),
            MUCH_LATER,
        ]
    )
    async with small(server) as harness:
        await harness.ask("Read it.")
        before = harness.messages
        await _comes_back(harness, "And tested?")
        assert [each.summary for each in harness.of(Compacted)] == [""]
        assert [message.role for message in harness.messages] == [message.role for message in before]


async def test_safe_r4_a_summary_that_must_wait_is_no_reason_to_keep_it(server: ScriptedServer) -> None:
    server.script_default([long_answer(), MUCH_LATER, MUCH_LATER])
    async with small(server) as harness:
        await harness.ask("How?")
        before = harness.messages
        await _comes_back(harness, "And tested?")
        assert len(harness.of(CompactionFailed)) == 1
        assert harness.messages == before


async def test_safe_r5_after_tools_ran_it_stays_also_when_compacted(server: ScriptedServer) -> None:
    """What was done is in the summary: it is not to be done again."""
    server.script_default([turn(call("large", {"note": "a"}), usage={"input_tokens": 12_000})])
    server.script(TOLD, [turn(text("Tax."))])
    server.script(COMPACTED, [MUCH_LATER, turn(text("Done."))])
    async with small(server) as harness:
        assert (await harness.ask("Read it.")).outcome == "failed"
        assert harness.of(PromptReturned) == []
        assert harness.messages[-1].content[-1] == Text(GO_ON_LINE)
        await harness.session.idle()
        assert harness.session.retry()
        await harness.until_so(lambda: len(harness.finished) == 2)
        assert harness.finished[1].answer == "Done."
