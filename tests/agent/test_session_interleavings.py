"""Random commands at random moments: no prompt is lost or doubled, and the server accepts every history."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_assistant.events import (
    PromptFinished,
    PromptQueued,
    PromptStarted,
    PromptWithdrawn,
    ToolFinished,
    ToolStarted,
)
from code_assistant.resuming.conversation import messages_of
from tests.agent.harness import running
from tests.agent.tools import Together, registry
from tests.fakes.script import Reply, call, text, thinking, turn
from tests.fakes.server import LoggedRequest, ScriptedServer
from tests.hang_guard import HANG_GUARD

COMMANDS = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.just(0)),
        st.tuples(st.just("interrupt"), st.just(0)),
        st.tuples(st.just("take back"), st.just(0)),
        st.tuples(st.just("mode"), st.just(0)),
        st.tuples(st.just("steps"), st.one_of(st.integers(1, 40), st.integers(40, 2000))),
    ),
    min_size=1,
    max_size=12,
)


def reply(request: LoggedRequest) -> Reply:
    """Every kind of answer, chosen by how long the conversation is, so that a run can be repeated."""
    kind = len(request.body["messages"]) % 4
    if kind == 1:
        return turn(thinking("hm"), text("I look. "), call("echo", {"note": "x"}), call("together", {"note": "y"}))
    if kind == 2:
        return turn(text("cut"), stop="max_tokens")
    return turn(text("An answer in several words."))


async def scenario(commands: list[tuple[str, int]]) -> None:
    with ScriptedServer() as server:
        server.script_default([reply] * 200)
        together = Together()
        together.expect("y")
        together.allowed["y"].set()
        async with running(server, tools=registry(together)) as harness:
            sent: list[str] = []
            for command, number in commands:
                if command == "send":
                    sent.append(harness.session.send(f"prompt {len(sent)}"))
                elif command == "interrupt":
                    harness.session.interrupt()
                elif command == "take back":
                    harness.session.take_back()
                elif command == "mode":
                    harness.session.set_mode("plan")
                for _ in range(number):
                    await asyncio.sleep(0)
            await asyncio.wait_for(harness.session.idle(), HANG_GUARD)
            final = await harness.ask("the last prompt")
            assert final.outcome == "completed"
            ended = Counter(event.prompt_id for event in (*harness.of(PromptFinished), *harness.of(PromptWithdrawn)))
            assert ended == Counter([*sent, final.prompt_id])
            started = {event.prompt_id for event in harness.of(PromptStarted)}
            assert started == {event.prompt_id for event in harness.of(PromptFinished)}
            assert {event.prompt_id for event in harness.of(PromptQueued)} <= set(sent)
            calls = [event.tool_call_id for event in harness.of(ToolStarted)]
            assert Counter(calls) == Counter(event.tool_call_id for event in harness.of(ToolFinished))
            assert messages_of(harness.events) == harness.messages
        assert server.problems == []


@settings(max_examples=25, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(COMMANDS)
def test_safe_r1_random_commands_leave_a_valid_history(commands: list[tuple[str, int]]) -> None:
    asyncio.run(scenario(commands))


@pytest.mark.soak
@pytest.mark.timeout(1800)
@settings(max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(COMMANDS)
def test_soak_random_commands(commands: list[tuple[str, int]]) -> None:
    asyncio.run(scenario(commands))
