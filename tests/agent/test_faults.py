"""Everything that can go wrong between a service and us, over both protocols, through the whole loop.

What holds in every row: the prompt ends, as answered or as failed with a typed error, never with a fault of ours; the
history is valid and the same conversation can go on; no tool runs twice; every request passes the service's rules.
A failing reply is scripted again and again, so the rows hold with and without retries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from code_assistant.events import ToolFinished, ToolStarted
from code_assistant.messages import Text, ToolResult
from tests.agent.harness import Harness, running
from tests.agent.providers import TransportName
from tests.fakes.chat import OPENAI, ChatTurn
from tests.fakes.script import (
    Block,
    Ending,
    MessageStart,
    Scripted,
    Turn,
    call,
    cut,
    error_event,
    hang_up,
    no_stop,
    raw,
    raw_call,
    reset,
    status,
    text,
    thinking,
    turn,
)
from tests.fakes.server import ScriptedServer

PROTOCOLS: tuple[TransportName, ...] = ("wire", "openai")
# More than any number of attempts that a retry would make.
OFTEN = 50
DONE = turn(text("Done."))


@dataclass(frozen=True)
class Row:
    """A reply and what becomes of the prompt: the kind of its error, or the answer and what tools were run with.

    `chat` is the reply in Chat Completions where the scripts' own language cannot say it for both protocols.
    """

    reply: Scripted
    kind: str = ""
    ran: tuple[str, ...] = ()
    then: tuple[Scripted, ...] = (DONE,)
    answer: str = "Done."
    chat: Scripted | None = None

    def script(self, protocol: TransportName) -> list[Scripted]:
        reply = self.chat if protocol == "openai" and self.chat is not None else self.reply
        return [reply] * OFTEN if self.kind else [reply, *self.then]


def said(reply: Scripted, answer: str, chat: Scripted | None = None) -> Row:
    """A reply that is the answer already."""
    return Row(reply, then=(), answer=answer, chat=chat)


def note(words: str, **more: Any) -> Block:
    return call("echo", {"note": words}, **more)


def data(*lines: bytes) -> bytes:
    return b"".join(b"data: " + line + b"\n\n" for line in lines)


STATUSES = {
    400: "provider",
    401: "credential",
    402: "provider",
    403: "credential",
    404: "provider",
    405: "provider",
    408: "provider",
    409: "provider",
    413: "prompt_too_long",
    418: "provider",
    422: "provider",
    429: "rate_limit",
    500: "provider",
    501: "provider",
    502: "provider",
    503: "provider",
    504: "provider",
    529: "rate_limit",
    301: "provider",
    302: "provider",
    307: "provider",
    308: "provider",
}
ERRORS_IN_THE_STREAM = {
    "overloaded_error": "rate_limit",
    "rate_limit_error": "rate_limit",
    "api_error": "provider",
    "timeout_error": "provider",
    "invalid_request_error": "provider",
    "authentication_error": "credential",
    "something_new": "provider",
}
BAD_MESSAGE = b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\xff"}}'
BAD_CHUNK = b'{"choices":[{"delta":{"content":"\xff"}}]}'
ROWS: dict[str, Row] = {
    **{f"status {code}": Row(status(code, "", "words"), kind) for code, kind in STATUSES.items()},
    **{
        f"error in the stream: {name}": Row(turn(text("so far"), note("no"), error_event(name, "words")), kind)
        for name, kind in ERRORS_IN_THE_STREAM.items()
    },
    "an error before anything": Row(turn(error_event("api_error", "words"), start=False), "provider"),
    "an empty error": Row(turn(raw(data(b'{"type": "error", "error": {}}', b'{"error": " "}')), no_stop()), "provider"),
    "an error page": Row(status(503, "", "", body=b"<html>\x1b[2J\x00gone</html>"), "provider"),
    "a body that is no text": Row(status(500, "", "", body=b"\xff\xfe\x00"), "provider"),
    "an answer that is no stream": Row(status(200, "", "", body=b'{"content": "hi"}'), "stream"),
    "an error with a good status": Row(
        status(200, "", "", body=b'{"error": {"type": "overloaded_error", "message": "busy"}}'), "rate_limit"
    ),
    "a compressed answer": Row(
        status(200, "", "", {"content-type": "text/event-stream", "content-encoding": "gzip"}, b"x"), "stream"
    ),
    "no answer at all": Row(hang_up(), "connection"),
    "an empty stream": Row(turn(no_stop(), start=False), "stream"),
    "only a [DONE]": Row(turn(raw(data(b"[DONE]")), no_stop(), start=False), "stream"),
    "no stop": Row(turn(text("so far"), note("no"), no_stop()), "stream"),
    "cut in a line": Row(turn(text("so far"), raw(b'data: {"typ'), cut()), "stream"),
    "an event that is not JSON": Row(turn(text("so far"), raw(data(b"{nonsense")), no_stop()), "stream"),
    "an event that is no object": Row(turn(text("so far"), raw(data(b"[1]")), no_stop()), "stream"),
    "JSON too deep": Row(turn(raw(data(b"[" * 100_000)), no_stop()), "stream"),
    "a line of 20 MB": Row(turn(text("so far"), raw(b"data: " + b"x" * 20_000_000), no_stop()), "stream"),
    "an event of 20 MB in lines": Row(turn(raw((b"data: " + b"x" * 1000 + b"\n") * 20_000), no_stop()), "stream"),
    "zero bytes": said(turn(text("so far"), raw(b"\x00" * 1000 + b"\n\n"), text(", and on")), "so far, and on"),
    "text that is no UTF-8": said(
        turn(text(pieces=["a", raw(data(BAD_MESSAGE)), "b"])),
        "a\ufffdb",
        chat=turn(text(pieces=["a", raw(data(BAD_CHUNK)), "b"])),
    ),
    "halves of characters": said(turn(text("a\ud800b")), "a\ufffdb"),
    "a blank answer": Row(turn(text(" \n")), "no_answer"),
    "nothing said": Row(turn(), "no_answer"),
    "cut tool JSON": Row(turn(raw_call("echo", '{"note": "no'))),
    "tool JSON that is no object": Row(turn(raw_call("echo", '["no"]'))),
    "tool JSON with a key twice": Row(turn(raw_call("echo", '{"note": "no", "note": "no"}'))),
    "tool JSON too deep": Row(turn(raw_call("echo", '{"note": ' + "[" * 100_000))),
    "tool input of the wrong form": Row(turn(call("echo", {"words": "no"}))),
    "cut at the limit in a call": Row(
        turn(note("yes", id="t1"), raw_call("echo", '{"note": "no', id="t2"), stop="max_tokens"), ran=("yes",)
    ),
    "an unknown tool": Row(turn(call("format_disk", {"note": "no"}))),
    "a tool without a name": Row(turn(call("", {"note": "no"}, id="t1"))),
    "a tool with an illegal name": Row(turn(call("rm -rf\n/", {"note": "no"}))),
    "one id for two calls": Row(turn(note("a", id="t1"), note("b", id="t1")), ran=("a", "b")),
    "empty ids": Row(turn(note("a", id=""), note("b", id="")), ran=("a", "b")),
    "illegal ids": Row(turn(note("a", id="t 1\n"), note("b", id="é" * 300)), ran=("a", "b")),
    "an id of an earlier turn": Row(
        turn(note("a", id="t1")), ran=("a", "b"), then=(turn(note("b", id="t1")), turn(text("Done.")))
    ),
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ROWS)
async def test_safe_r7_no_fault_of_a_service_is_one_of_ours(
    server: ScriptedServer, name: str, protocol: TransportName
) -> None:
    row = ROWS[name]
    server.script_default(row.script(protocol))
    async with running(server, transport=protocol) as harness:
        finished = await harness.ask()
        assert (finished.error_kind or "") == row.kind, finished.error
        assert finished.outcome == ("failed" if row.kind else "completed")
        if not row.kind:
            assert finished.answer == row.answer
        assert ran(harness) == list(row.ran)
        await goes_on(harness, server)


# Every kind of block, a call that must not run before its time, and a second one behind it.
WHOLE = turn(thinking("hm", signature=None), text("I look."), note("a", id="t1"), note("b", id="t2"))
ENDINGS: dict[str, Callable[[], Ending]] = {"cut": cut, "reset": reset, "no stop": no_stop}


@cache
def events(protocol: TransportName) -> tuple[bytes, ...]:
    """The events of the whole answer, each with its empty line."""
    if protocol == "openai":
        parts = [*ChatTurn(WHOLE, OPENAI, "c1", "m", str).parts()]
    else:
        parts = [WHOLE.message_start("m1", "m") if isinstance(part, MessageStart) else part for part in WHOLE.parts]
    written = b"".join(part for part in parts if isinstance(part, bytes))
    return tuple(event + b"\n\n" for event in written.split(b"\n\n") if event)


def is_whole(sent: bytes) -> bool:
    """Whether the service said that its answer ended."""
    return b"message_stop" in sent or b'"finish_reason": "tool_calls"' in sent


def truncations() -> list[Any]:
    return [
        pytest.param(protocol, number, ending, id=f"{protocol}, {number} events, {ending}")
        for protocol in PROTOCOLS
        for number in range(len(events(protocol)) + 1)
        for ending in ENDINGS
    ]


@pytest.mark.parametrize(("protocol", "number", "ending"), truncations())
async def test_safe_r3_an_answer_that_breaks_off_anywhere_runs_no_tool(
    server: ScriptedServer, protocol: TransportName, number: int, ending: str
) -> None:
    sent = b"".join(events(protocol)[:number])
    reply: Turn = turn(raw(sent), ENDINGS[ending](), start=False)
    whole = is_whole(sent)
    server.script_default([reply, DONE] if whole else [reply] * OFTEN)
    async with running(server, transport=protocol) as harness:
        finished = await harness.ask()
        if whole:
            assert (finished.outcome, finished.answer) == ("completed", "Done.")
        else:
            assert (finished.outcome, finished.error_kind) == ("failed", "stream")
        assert ran(harness) == (["a", "b"] if whole else [])
        await goes_on(harness, server)


def ran(harness: Harness) -> list[str]:
    """The notes of the tools that ran, in order; none may have run twice, and each that began has ended."""
    begun = harness.of(ToolStarted)
    assert all(times == 1 for times in Counter(each.tool_call_id for each in begun).values())
    ended = {each.tool_call_id: each.status for each in harness.of(ToolFinished)}
    assert ended.keys() == {each.tool_call_id for each in begun}
    return [str(each.input["note"]) for each in begun if ended[each.tool_call_id] == "success"]


async def goes_on(harness: Harness, server: ScriptedServer) -> None:
    """The conversation is not spoilt: what was kept is accepted, and the next prompt is answered."""
    server.script_default([turn(text("Fine."))])
    assert (await harness.ask("and now?")).answer == "Fine."
    for message in harness.messages:
        said = [each for each in message.content if isinstance(each, Text)]
        results = [each for each in message.content if isinstance(each, ToolResult)]
        assert all(each.text.strip() for each in said)
        assert all(part.text.strip() for each in results for part in each.content if isinstance(part, Text))
    assert server.problems == []
