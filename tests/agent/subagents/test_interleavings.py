"""Up to six children that ask, are answered, denied, cancelled, finish and fail, in any order."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_assistant.agent.history import validate
from code_assistant.events import (
    AgentFinished,
    AgentSpawned,
    PermissionRequested,
    PermissionResolved,
    ToolFinished,
)
from code_assistant.tools.builtin import builtin_tools
from tests.agent.harness import Harness
from tests.agent.subagents.support import results, spawn, spawning
from tests.agent.subagents.test_cancelling import BY_PERSON, WITH_PARENT, assert_orderly
from tests.agent.tools import Asking
from tests.fakes.script import Gate, after, call, status, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.processes import until

Act: TypeAlias = Literal["once", "agent", "session", "deny", "cancel", "release", "settle"]
Last: TypeAlias = Literal["settle", "interrupt"]
ACTS: tuple[Act, ...] = ("once", "agent", "session", "deny", "cancel", "release", "settle")

STEPS = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 5)), max_size=14)
ENDS = st.lists(st.sampled_from(["fine", "broken"]), min_size=1, max_size=6)


async def play(server: ScriptedServer, folder: Path, ends: list[str], steps: list[tuple[Act, int]], last: Last) -> None:
    gates = [Gate(str(number)) for number in range(len(ends))]
    for number, end in enumerate(ends):
        reply = turn(text(f"Seen {number}.")) if end == "fine" else status(400, "invalid_request_error", "no")
        server.script(f"look {number}", [turn(call("asking", {"note": f"n{number}"})), after(gates[number], reply)])
    spawns = [spawn(f"look {number}", f"c{number}") for number in range(len(ends))]
    server.script_default([turn(*spawns), turn(text("ok"))])
    async with spawning(server, folder, asks_broker=True, tools=builtin_tools().with_tool(Asking())) as harness:
        harness.session.send("go")
        await harness.until(AgentSpawned, len(ends))
        for one, number in steps:
            await act(harness, gates, one, number % len(ends))
        if last == "interrupt":
            harness.session.interrupt()
        for gate in gates:
            gate.open()
        async with asyncio.timeout(HANG_GUARD):
            await no_prompt_left(harness)
        check(harness, ends, is_interrupted=last == "interrupt")


async def act(harness: Harness, gates: list[Gate], one: Act, number: int) -> None:
    call_id = f"c{number}"
    if one == "cancel":
        was_live = any(child.origin.tool_call_id == call_id and child.reason is None for child in harness.live.all)
        assert harness.session.cancel_agent(call_id) <= was_live
        assert not harness.session.cancel_agent(call_id)
    elif one == "release":
        gates[number].open()
    elif one == "settle":
        await until(lambda: all(child.status not in ("queued", "spawning") for child in harness.live.all))
    else:
        prompt = next((each for each in harness.session.pending if each.origin.tool_call_id == call_id), None)
        if prompt is not None:
            before = {each.request_id for each in harness.session.pending}
            assert harness.session.answer_permission(prompt.request_id, one)
            assert {each.request_id for each in harness.session.pending} == before - {prompt.request_id}
            assert not harness.session.answer_permission(prompt.request_id, "once")


async def no_prompt_left(harness: Harness) -> None:
    """Deny whatever is still asked, until the turn is over."""
    while not harness.finished:
        for prompt in harness.session.pending:
            harness.session.answer_permission(prompt.request_id, "deny")
        await asyncio.sleep(0)
    await harness.session.idle()


def check(harness: Harness, ends: list[str], *, is_interrupted: bool) -> None:
    assert harness.session.pending == ()
    assert harness.live.all == ()
    assert_orderly(harness.events)
    validate(harness.agent.history.messages)
    asked = [each.request_id for each in harness.of(PermissionRequested)]
    assert len(set(asked)) == len(asked)
    assert sorted(asked) == sorted(each.request_id for each in harness.of(PermissionResolved))
    answers = results(harness)
    ended = {each.origin.tool_call_id: each for each in harness.of(AgentFinished)}
    assert len(answers) == len(ended) == len(ends)
    resolved = {each.origin.tool_call_id: each.resolution for each in harness.of(PermissionResolved)}
    ran = {each.origin.tool_call_id: each.status for each in harness.of(ToolFinished) if each.tool_name == "asking"}
    for number, (answer, end) in enumerate(zip(answers, ends, strict=True)):
        child = ended[f"c{number}"]
        if child.status == "cancelled":
            assert child.error in ((BY_PERSON, WITH_PARENT) if is_interrupted else (BY_PERSON,))
            # Cancelled by the person, and then all was interrupted before that could be told.
            assert answer in ((child.error, WITH_PARENT) if is_interrupted else (BY_PERSON,))
        elif end == "fine":
            assert (child.status, answer) == ("completed", f"Seen {number}.")
        else:
            assert child.status == "failed"
            assert answer.startswith("Sub-agent ended: failed.")
        if resolved.get(f"c{number}") == "denied":
            # A cancellation may come between the answer and the call that waits for it.
            assert ran[f"c{number}"] in (("denied", "interrupted") if child.status == "cancelled" else ("denied",))
        elif resolved.get(f"c{number}") == "withdrawn":
            assert ran[f"c{number}"] == "interrupted"
    (finished,) = harness.finished
    assert finished.outcome == "completed" or is_interrupted


def run(ends: list[str], steps: list[tuple[Act, int]], last: Last, folder: Path) -> None:
    with ScriptedServer() as server:
        asyncio.run(play(server, folder, ends, steps, last))


RELAXED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=RELAXED)
@given(ENDS, STEPS, st.sampled_from(["settle", "interrupt"]))
def test_no_prompt_is_lost_and_no_child_left(
    tmp_path: Path, ends: list[str], steps: list[tuple[Act, int]], last: Last
) -> None:
    run(ends, steps, last, tmp_path)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(max_examples=1500, deadline=None, suppress_health_check=RELAXED)
@given(ENDS, STEPS, st.sampled_from(["settle", "interrupt"]))
def test_no_prompt_is_lost_and_no_child_left_at_length(
    tmp_path: Path, ends: list[str], steps: list[tuple[Act, int]], last: Last
) -> None:
    run(ends, steps, last, tmp_path)
