"""More than anybody should send: the loop stays alive, and memory within bounds (R7)."""

from __future__ import annotations

import resource

import pytest

from code_assistant.errors import ProviderError, StreamBroken
from code_assistant.llm import event_data, stream, tool_input
from code_assistant.llm.anthropic import sdk_bounds
from code_assistant.llm.anthropic.sdk_bounds import MAX_SDK_EVENT_BYTES
from code_assistant.llm.sse import MAX_EVENT_BYTES
from tests.agent.harness import running
from tests.agent.providers import TransportName, deltas, factory
from tests.fakes.script import Status, call, raw, text, turn
from tests.fakes.server import ScriptedServer

DELTAS = 200_000
MOST_MEMORY_KB = 300 * 1024


@pytest.mark.soak
@pytest.mark.parametrize("transport", ["wire", "openai"])
async def test_soak_safe_r7_as_many_pieces_as_there_may_be(server: ScriptedServer, transport: TransportName) -> None:
    server.script_default([turn(text(pieces=["ab "] * DELTAS))])
    async with running(server, transport=transport) as harness:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        harness.session.send("go")
        await harness.session.idle()
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert len(harness.finished[0].answer) == 3 * DELTAS
        # What the test itself keeps of it, every event, is among it.
        assert after - before < MOST_MEMORY_KB


TRANSPORTS = pytest.mark.parametrize("transport", ["wire", "sdk", "openai"])
LARGE_EVENT = b"event: content_block_delta\ndata: [" + b"[]," * (MAX_EVENT_BYTES // 3) + b"[]]\n\n"
LONG_LINE = b"data: " + b"x" * 20 * 1024 * 1024


@TRANSPORTS
@pytest.mark.parametrize("sent", [pytest.param(LARGE_EVENT, id="event"), pytest.param(LONG_LINE, id="line")])
async def test_safe_r7_an_event_above_the_bound_is_refused_before_it_is_decoded(
    server: ScriptedServer, transport: TransportName, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[int] = []
    decode = event_data.parse_event

    def noted(data: bytes) -> dict[str, object]:
        decoded.append(len(data))
        return decode(data)

    monkeypatch.setattr(event_data, "parse_event", noted)
    server.script_default([turn(text("Hm."), raw(sent))])
    clients = factory(server.url, transport)
    bound = MAX_SDK_EVENT_BYTES if transport == "sdk" else MAX_EVENT_BYTES
    with pytest.raises(StreamBroken, match=rf"sent an event larger than {bound:,} bytes\.") as caught:
        await deltas(clients.create("sonnet"))
    assert not caught.value.retryable
    assert max(decoded, default=0) < 10_000
    await clients.close()


@TRANSPORTS
async def test_safe_r7_an_answer_above_the_bound_is_given_up(
    server: ScriptedServer, transport: TransportName, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (stream, sdk_bounds):
        monkeypatch.setattr(module, "MAX_RESPONSE_BYTES", 100_000)
    server.script_default([turn(text(pieces=["some words "] * 2_000))])
    clients = factory(server.url, transport)
    with pytest.raises(StreamBroken, match=r"answer is larger than 100,000 bytes\.") as caught:
        await deltas(clients.create("sonnet"))
    assert not caught.value.retryable
    await clients.close()


@TRANSPORTS
async def test_safe_r7_of_a_long_error_the_beginning_is_read(server: ScriptedServer, transport: TransportName) -> None:
    body = b"no " * 500_000
    server.script_default([Status(400, "invalid_request_error", "", body=body)])
    clients = factory(server.url, transport)
    with pytest.raises(ProviderError, match="no no") as caught:
        await deltas(clients.create("sonnet"))
    assert len(str(caught.value)) <= stream.MAX_ERROR_BYTES + 200
    await clients.close()


@pytest.mark.parametrize("transport", ["wire", "openai"])
async def test_safe_r7_a_tool_input_above_the_bound_is_a_problem_the_model_hears_of(
    server: ScriptedServer, transport: TransportName, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_input, "MAX_CHARACTERS", 1_000)
    server.script_default([turn(call("echo", {"note": "x" * 2_000})), turn(text("In parts then."))])
    async with running(server, transport=transport) as harness:
        assert (await harness.ask()).answer == "In parts then."
    assert b"input is longer than 1,000 characters" in server.requests[1].raw_body
