"""What a scripted model says: turns made of steps, the gates that hold them, and their SSE bytes."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tests.hang_guard import HANG_GUARD

if TYPE_CHECKING:
    from tests.fakes.server import LoggedRequest

DEFAULT_USAGE: Mapping[str, Any] = {
    "input_tokens": 100,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 20,
}


class Signal:
    """A flag that is raised once and can be awaited by threads and by event loops alike."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._wakers: list[Callable[[], object]] = []

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    def set(self) -> None:
        # The wakers are called under the lock: a waiter that gives up cannot close its loop before they are done.
        with self._lock:
            self._event.set()
            for wake in self._wakers:
                wake()
            self._wakers.clear()

    def wait(self, timeout: float) -> None:
        """Block this thread until the flag is raised."""
        if not self._event.wait(timeout):
            raise TimeoutError(f"{self._name}: not within {timeout} s")

    async def until(self, timeout: float | None) -> None:
        """Wait for the flag without blocking the running loop."""
        loop = asyncio.get_running_loop()
        raised: asyncio.Future[None] = loop.create_future()

        def waker() -> object:
            return loop.call_soon_threadsafe(_resolve, raised)

        with self._lock:
            if self._event.is_set():
                return
            self._wakers.append(waker)
        try:
            async with asyncio.timeout(timeout):
                await raised
        except TimeoutError:
            raise TimeoutError(f"{self._name}: not within {timeout} s") from None
        finally:
            with self._lock:
                if waker in self._wakers:
                    self._wakers.remove(waker)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Gate:
    """Holds the server at a step until the test opens it; tells the test when the server got there."""

    def __init__(self, name: str = "gate") -> None:
        self._opened = Signal(f"{name} opened")
        self._reached = Signal(f"{name} reached by the server")

    def open(self) -> None:
        self._opened.set()

    @property
    def reached(self) -> bool:
        return self._reached.is_set

    def wait_reached(self, timeout: float = HANG_GUARD) -> None:
        self._reached.wait(timeout)

    async def until_reached(self, timeout: float = HANG_GUARD) -> None:
        await self._reached.until(timeout)

    async def pass_through(self) -> None:
        """The server's side: say that it is here, go on once the gate is open."""
        self._reached.set()
        await self._opened.until(None)


@dataclass(frozen=True)
class Event:
    """One SSE event, sent as it is."""

    name: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Comment:
    text: str


@dataclass(frozen=True)
class Raw:
    data: bytes


@dataclass(frozen=True)
class Hold:
    gate: Gate


@dataclass(frozen=True)
class Pause:
    seconds: float


EndingKind: TypeAlias = Literal["cut", "reset", "no_stop"]


@dataclass(frozen=True)
class Ending:
    """Ends the reply early: the connection is cut or reset, or the response ends without its last events."""

    kind: EndingKind
    last_event: Event | None = None


Interruption: TypeAlias = Event | Comment | Raw | Hold | Pause | Ending


@dataclass(frozen=True)
class Block:
    """A content block: how it opens, its deltas (with any steps among them), and whether it closes."""

    opening: Mapping[str, Any]
    deltas: tuple[Mapping[str, Any] | Interruption, ...] = ()
    closed: bool = True


Step: TypeAlias = Block | Interruption
Piece: TypeAlias = str | Interruption


def text(whole: str = "", *, pieces: Sequence[Piece] | None = None) -> Block:
    """A text block, a delta for each word or for each given piece; steps may stand between pieces."""
    deltas = _deltas("text_delta", "text", _pieces(whole, pieces))
    return Block({"type": "text", "text": ""}, deltas)


def thinking(whole: str = "", *, signature: str | None = "signature", pieces: Sequence[Piece] | None = None) -> Block:
    """A thinking block; the server will accept its signature back in the same conversation."""
    deltas = _deltas("thinking_delta", "thinking", _pieces(whole, pieces))
    if signature is not None:
        deltas += ({"type": "signature_delta", "signature": signature},)
    return Block({"type": "thinking", "thinking": "", "signature": ""}, deltas)


def redacted(data: str) -> Block:
    return block({"type": "redacted_thinking", "data": data})


def call(
    name: str,
    input: Mapping[str, Any],  # noqa: A002 (the wire's own word)
    id: str | None = None,  # noqa: A002
    pieces: Sequence[Piece] | None = None,
) -> Block:
    """A tool call; `pieces` are the exact parts of its input's JSON."""
    written = json.dumps(input, ensure_ascii=False)
    if pieces is None:
        size = -(-len(written) // 3)
        # The real API opens every input with an empty delta.
        pieces = ["", *(written[at : at + size] for at in range(0, len(written), size))]
    elif json.loads(_joined(pieces) or "{}") != input:
        raise ValueError(f"the pieces {pieces!r} do not add up to {written}")
    return _tool_use(name, id, pieces)


def raw_call(
    name: str,
    json_text: str,
    id: str | None = None,  # noqa: A002
    closed: bool = True,
) -> Block:
    """A tool call whose input is exactly this text, valid JSON or not."""
    return _tool_use(name, id, [json_text], closed)


def server_tool(
    name: str,
    input: Mapping[str, Any],  # noqa: A002
    id: str = "srvtoolu_1",  # noqa: A002
) -> Block:
    return block({"type": "server_tool_use", "id": id, "name": name, "input": input})


def block(content_block: Mapping[str, Any]) -> Block:
    """Any content block, given whole when it opens."""
    return Block(content_block)


def ping() -> Event:
    return event("ping", {"type": "ping"})


def comment(text: str = "keep-alive") -> Comment:
    return Comment(text)


def event(name: str, data: Mapping[str, Any]) -> Event:
    return Event(name, data)


def raw(data: bytes) -> Raw:
    return Raw(data)


def hold(gate: Gate) -> Hold:
    return Hold(gate)


def pause(seconds: float) -> Pause:
    return Pause(seconds)


def cut() -> Ending:
    """Close the connection in mid-stream: a clean FIN, no last chunk."""
    return Ending("cut")


def reset() -> Ending:
    """Reset the connection in mid-stream (RST)."""
    return Ending("reset")


def error_event(error_type: str, message: str) -> Ending:
    """The stream breaks off with an `error` event."""
    error = {"type": "error", "error": {"type": error_type, "message": message}}
    return Ending("no_stop", Event("error", error))


def no_stop() -> Ending:
    """The response ends properly, but without `message_delta` and `message_stop`."""
    return Ending("no_stop")


def _tool_use(name: str, call_id: str | None, pieces: Sequence[Piece], closed: bool = True) -> Block:
    deltas = _deltas("input_json_delta", "partial_json", pieces)
    return Block({"type": "tool_use", "id": call_id, "name": name, "input": {}}, deltas, closed)


def _pieces(whole: str, pieces: Sequence[Piece] | None) -> Sequence[Piece]:
    if pieces is None:
        return re.findall(r"\S+\s*|^\s+", whole)
    if whole and _joined(pieces) != whole:
        raise ValueError(f"the pieces {pieces!r} do not add up to {whole!r}")
    return pieces


def _joined(pieces: Sequence[Piece]) -> str:
    return "".join(piece for piece in pieces if isinstance(piece, str))


def _deltas(kind: str, key: str, pieces: Sequence[Piece]) -> tuple[Mapping[str, Any] | Interruption, ...]:
    return tuple({"type": kind, key: piece} if isinstance(piece, str) else piece for piece in pieces)


@dataclass(frozen=True)
class MessageStart:
    """Where `message_start` goes; its id and model are known when the turn is served."""


@dataclass(frozen=True)
class CallStart:
    """Where a tool call opens whose id the server chooses when the turn is served."""

    index: int
    block: Mapping[str, Any]


Part: TypeAlias = bytes | MessageStart | CallStart | Raw | Hold | Pause | Ending


@dataclass(frozen=True)
class Turn:
    """One answer of the model, rendered once and served as often as its script says."""

    steps: tuple[Step, ...]
    stop: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    stop_details: Mapping[str, Any] | None = None
    chunk: int | None = None
    newline: str = "\n"
    start: bool = True

    @property
    def stop_reason(self) -> str:
        return self.stop or ("tool_use" if any(_is_call(step) for step in self.steps) else "end_turn")

    @property
    def full_usage(self) -> dict[str, Any]:
        return {**DEFAULT_USAGE, **self.usage}

    @cached_property
    def signatures(self) -> frozenset[str]:
        """The thinking signatures that this turn hands out."""
        blocks = [step for step in self.steps if isinstance(step, Block)]
        sources = [source for each in blocks for source in (each.opening, *each.deltas)]
        return frozenset(
            source["signature"] for source in sources if isinstance(source, Mapping) and source.get("signature")
        )

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The turn as few parts as possible: bytes run together up to the next part that is not bytes."""
        merged: list[Part] = []
        run: list[bytes] = []
        for part in self._rendered():
            if isinstance(part, bytes):
                run.append(part)
                continue
            merged += [b"".join(run), part]
            run.clear()
            if isinstance(part, Ending):
                break
        return (*merged, b"".join(run))

    def _rendered(self) -> Iterator[Part]:
        if self.start:
            yield MessageStart()
        index = 0
        for step in self.steps:
            if isinstance(step, Block):
                yield from self._block(index, step)
                index += 1
            else:
                yield from self._interruption(step)
        delta = {"stop_reason": self.stop_reason, "stop_sequence": None, "stop_details": self.stop_details}
        yield self.sse("message_delta", {"type": "message_delta", "delta": delta, "usage": self.full_usage})
        yield self.sse("message_stop", {"type": "message_stop"})

    def _block(self, index: int, step: Block) -> Iterator[Part]:
        if _is_call(step) and step.opening["id"] is None:
            yield CallStart(index, step.opening)
        else:
            yield self.block_start(index, step.opening)
        for delta in step.deltas:
            if isinstance(delta, Mapping):
                data = {"type": "content_block_delta", "index": index, "delta": delta}
                yield self.sse("content_block_delta", data)
            else:
                yield from self._interruption(delta)
        if step.closed:
            yield self.sse("content_block_stop", {"type": "content_block_stop", "index": index})

    def _interruption(self, step: Interruption) -> Iterator[Part]:
        if isinstance(step, Event):
            yield self.sse(step.name, step.data)
        elif isinstance(step, Comment):
            yield f": {step.text}{self.newline}{self.newline}".encode()
        else:
            if isinstance(step, Ending) and step.last_event:
                yield self.sse(step.last_event.name, step.last_event.data)
            yield step

    def message_start(self, message_id: str, model: str) -> bytes:
        message = {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**self.full_usage, "output_tokens": 1},
        }
        return self.sse("message_start", {"type": "message_start", "message": message})

    def block_start(self, index: int, content_block: Mapping[str, Any]) -> bytes:
        data = {"type": "content_block_start", "index": index, "content_block": content_block}
        return self.sse("content_block_start", data)

    def sse(self, name: str, data: Mapping[str, Any]) -> bytes:
        end = self.newline.encode()
        return b"event: %b%bdata: %b%b%b" % (name.encode(), end, json_bytes(data), end, end)


def json_bytes(data: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # Lone surrogates have no UTF-8; the real API sends them as escapes.
        return json.dumps(data).encode()


def _is_call(step: Step) -> bool:
    return isinstance(step, Block) and step.opening["type"] == "tool_use"


@dataclass(frozen=True)
class Status:
    """A plain HTTP error in place of a turn; `body` replaces the error JSON."""

    code: int
    error_type: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True)
class HangUp:
    """The connection is closed without an answer."""


@dataclass(frozen=True)
class After:
    """The whole reply, its HTTP head too, waits for a gate."""

    gate: Gate
    reply: Turn | Status | HangUp


Reply: TypeAlias = Turn | Status | HangUp | After
Scripted: TypeAlias = Reply | Callable[["LoggedRequest"], Reply]


def turn(
    *steps: Step,
    stop: str | None = None,
    usage: Mapping[str, Any] | None = None,
    stop_details: Mapping[str, Any] | None = None,
    chunk: int | None = None,
    newline: Literal["\n", "\r\n", "\r"] = "\n",
    start: bool = True,
) -> Turn:
    """An answer; `start=False` leaves out `message_start`, `chunk` cuts the stream every so many bytes."""
    for step in steps[:-1]:
        if isinstance(step, Ending):
            raise ValueError(f"nothing can follow the step {step.kind}")
    return Turn(steps, stop, usage or {}, stop_details, chunk, newline, start)


def status(
    code: int,
    error_type: str,
    message: str,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> Status:
    return Status(code, error_type, message, headers or {}, body)


def hang_up() -> HangUp:
    return HangUp()


def after(gate: Gate, reply: Turn | Status | HangUp) -> After:
    """Send nothing, not even the HTTP head, before the gate opens."""
    return After(gate, reply)
