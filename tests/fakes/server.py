"""A model server on loopback that follows a script: Messages and Chat Completions over real HTTP/1.1 and SSE."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import responses
from itertools import count
from typing import Any, NamedTuple, cast

from tests.fakes.chat import OPENAI, ChatPart, ChatTurn, Dialect, chat_error
from tests.fakes.script import (
    After,
    CallStart,
    Ending,
    EndingKind,
    Hold,
    MessageStart,
    Pause,
    Raw,
    Reply,
    Scripted,
    Signal,
    Status,
    Turn,
)
from tests.fakes.validate import check
from tests.fakes.validate_chat import check_chat
from tests.hang_guard import HANG_GUARD

# Far from the small numbers that tests like to give to their own calls.
FIRST_AUTOMATIC_ID = 1001
CHAT_PATH = "/v1/chat/completions"
LAST_CHUNK = b"0\r\n\r\n"
STREAM_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache",
    "Transfer-Encoding": "chunked",
}


@dataclass(frozen=True)
class LoggedRequest:
    """A request as it arrived. `turn` counts from 1 in its conversation; 0 says that it was turned away."""

    path: str
    headers: Mapping[str, str]
    raw_body: bytes
    body: dict[str, Any]
    conversation: str = ""
    turn: int = 0
    left: Signal = field(default_factory=lambda: Signal("the client left"), repr=False)
    ended: Signal = field(default_factory=lambda: Signal("the reply ended"), repr=False)

    @property
    def is_chat(self) -> bool:
        """Whether it speaks Chat Completions."""
        return self.path.partition("?")[0] == CHAT_PATH

    @property
    def closed_early(self) -> bool:
        """Whether the client closed the connection before the reply had ended."""
        return self.left.is_set

    @property
    def finished(self) -> bool:
        """Whether the reply was played to its end, be that end a cut."""
        return self.ended.is_set and not self.left.is_set

    def wait_closed(self, timeout: float = HANG_GUARD) -> bool:
        """Wait for the reply's end; True if the client closed the connection before it."""
        self.ended.wait(timeout)
        return self.closed_early

    async def until_closed(self, timeout: float = HANG_GUARD) -> bool:
        await self.ended.until(timeout)
        return self.closed_early

    def wait_finished(self, timeout: float = HANG_GUARD) -> bool:
        """Wait for the reply's end; True if it was played whole."""
        self.ended.wait(timeout)
        return self.finished

    async def until_finished(self, timeout: float = HANG_GUARD) -> bool:
        await self.ended.until(timeout)
        return self.finished


class Received(NamedTuple):
    """An HTTP request off the wire."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class ScriptedServer:
    """Serves scripted conversations from a thread of its own, as a context manager."""

    def __init__(self) -> None:
        # None is a server that asks for no key, as local ones do.
        self.keys: set[str] | None = {"test-key", "test-key-1"}
        self.models: set[str] | None = None
        self.dialect: Dialect = OPENAI
        self.requests: list[LoggedRequest] = []
        self.problems: list[str] = []
        self.connections = 0
        self.url = ""
        self._scripts: dict[str, Sequence[Scripted]] = {}
        self._served: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._signatures: defaultdict[str, set[str]] = defaultdict(set)
        self._numbers: defaultdict[str, count[int]] = defaultdict(lambda: count(FIRST_AUTOMATIC_ID))
        self._lock = threading.Lock()
        self._awaited: list[tuple[int, Signal]] = []
        self._open: set[Connection] = set()

    def script(self, key: str, turns: Sequence[Scripted]) -> None:
        """Answer conversations whose first user message contains `key`; the longest such key wins."""
        with self._lock:
            self._scripts[key] = tuple(turns)
            for conversation in [each for each in self._served if each[0] == key]:
                del self._served[conversation]

    def script_default(self, turns: Sequence[Scripted]) -> None:
        """Answer the conversations that no other script claims."""
        self.script("", turns)

    def wait_requests(self, number: int, timeout: float = HANG_GUARD) -> None:
        """Block until so many requests have arrived in all."""
        self._arrival_of(number).wait(timeout)

    async def until_requests(self, number: int, timeout: float = HANG_GUARD) -> None:
        await self._arrival_of(number).until(timeout)

    def _arrival_of(self, number: int) -> Signal:
        arrived = Signal(f"{number} requests arrived")
        with self._lock:
            self._awaited.append((number, arrived))
            self._announce()
        return arrived

    def _announce(self) -> None:
        for number, arrived in self._awaited:
            if len(self.requests) >= number:
                arrived.set()
        self._awaited = [each for each in self._awaited if not each[1].is_set]

    def __enter__(self) -> ScriptedServer:
        listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, args=(listener,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(timeout=HANG_GUARD)
        if self._thread.is_alive():
            raise TimeoutError(f"the scripted server did not stop within {HANG_GUARD} s")

    def _run(self, listener: socket.socket) -> None:
        try:
            self._loop.run_until_complete(self._listen(listener))
        finally:
            self._loop.close()

    async def _listen(self, listener: socket.socket) -> None:
        server = await self._loop.create_server(lambda: Connection(self), sock=listener)
        await self._stopping.wait()
        # A connection that is on its way in must arrive before the server closes: asyncio would lose its socket.
        self._loop.remove_reader(listener)
        accepting = asyncio.all_tasks() - {asyncio.current_task(), *(each.task for each in self._open)}
        if accepting:
            await asyncio.wait(accepting)
        await asyncio.gather(*[connection.shut() for connection in self._open])
        server.close()
        await server.wait_closed()

    def opened(self, connection: Connection) -> None:
        self.connections += 1
        self._open.add(connection)

    def closed(self, connection: Connection) -> None:
        self._open.discard(connection)

    def next_id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers[prefix])}"

    def admit(self, received: Received) -> tuple[LoggedRequest, Scripted]:
        """Judge and log a request; say what answers it."""
        body = _parsed(received.body)
        opening = first_user_text(body)
        key, turn = "", 0
        answer: Scripted | None = self._refusal(received, body, opening)
        if answer is None:
            key, turn, answer = self._next_turn(opening)
        request = LoggedRequest(received.path, received.headers, received.body, body or {}, key, turn)
        with self._lock:
            self.requests.append(request)
            self._announce()
        return request, answer

    def _refusal(self, received: Received, body: dict[str, Any] | None, opening: str) -> Status | None:
        path = received.path.partition("?")[0]
        match received.method, path:
            case "POST", "/v1/messages":
                return self._key_refusal(received) or self._messages_refusal(received, body, opening)
            case "POST", "/v1/chat/completions":
                return self._key_refusal(received) or self._chat_refusal(body)
            case "GET", "/v1/models":
                return self._key_refusal(received) or self._list_models()
            case _:
                return self.fault(404, "not_found_error", f"no such endpoint: {received.method} {received.path}")

    def _key_refusal(self, received: Received) -> Status | None:
        headers = received.headers
        given = {headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer ")}
        is_known = self.keys is None or self.keys & given
        return None if is_known else Status(401, "authentication_error", "invalid x-api-key")

    def _messages_refusal(self, received: Received, body: dict[str, Any] | None, opening: str) -> Status | None:
        if "anthropic-version" not in received.headers:
            return self.fault(400, "invalid_request_error", "anthropic-version: header is required")
        if body is None:
            return self.fault(400, "invalid_request_error", "The request body is not valid JSON")
        if complaint := check(body, self._signatures[opening]):
            return self.fault(400, "invalid_request_error", complaint)
        if body.get("stream") is not True:
            return self.fault(400, "invalid_request_error", "stream: the scripted server only streams")
        if self.models is not None and body["model"] not in self.models:
            return Status(404, "not_found_error", f"model: {body['model']}")
        return None

    def _chat_refusal(self, body: dict[str, Any] | None) -> Status | None:
        if body is None:
            return self.fault(400, "invalid_request_error", "We could not parse the JSON body of your request.")
        if complaint := check_chat(body):
            return self.fault(400, "invalid_request_error", complaint)
        if body.get("stream") is not True:
            return self.fault(400, "invalid_request_error", "stream: the scripted server only streams")
        if self.models is not None and body["model"] not in self.models:
            return Status(404, "invalid_request_error", f"The model `{body['model']}` does not exist")
        return None

    def _list_models(self) -> Status:
        listed = [
            {"id": name, "object": "model", "created": 1, "owned_by": "test"} for name in sorted(self.models or {"m"})
        ]
        return Status(200, "", "", body=json.dumps({"object": "list", "data": listed}).encode())

    def _next_turn(self, opening: str) -> tuple[str, int, Scripted]:
        with self._lock:
            keys = [key for key in self._scripts if key in opening]
            if not keys:
                return "", 0, self.fault(500, "api_error", f"no script for {opening[:200]!r}")
            key = max(keys, key=len)
            self._served[key, opening] += 1
            number = self._served[key, opening]
            turns = self._scripts[key]
        if number > len(turns):
            return key, number, self.fault(500, "api_error", f"script for {key!r} has no turn {number}")
        return key, number, turns[number - 1]

    def fault(self, code: int, error_type: str, message: str) -> Status:
        """An error answer that no test meant to get, unless it looks for it in `problems`."""
        self.problems.append(message)
        return Status(code, error_type, message)

    def resolve(self, request: LoggedRequest, scripted: Scripted) -> Reply:
        """The reply itself, with the signatures it hands out noted down."""
        try:
            reply = scripted(request) if callable(scripted) else scripted
            told = reply.reply if isinstance(reply, After) else reply
            if isinstance(told, Turn):
                self._signatures[first_user_text(request.body)] |= told.signatures
                # Rendered here, so that data which is no JSON is reported in the same way.
                _ = list(self.chat_turn(request, told).parts()) if request.is_chat else told.parts
        except Exception as error:  # noqa: BLE001 (whatever a test's own callable raises)
            name = f"script for {request.conversation!r}, turn {request.turn}"
            return self.fault(500, "api_error", f"{name}: {error!r}")
        return reply

    def chat_turn(self, request: LoggedRequest, turn: Turn) -> ChatTurn:
        asks_for_usage = bool((request.body.get("stream_options") or {}).get("include_usage"))
        chat_id = self.next_id("chatcmpl")
        return ChatTurn(turn, self.dialect, chat_id, request.body["model"], self.next_id, asks_for_usage)


class Connection(asyncio.Protocol):
    """One client connection: requests one after the other, each answered by a task."""

    # A plain protocol rather than streams: the transport reads all the time, so a client that goes away
    # is noticed at once, also while the reply is held.

    def __init__(self, server: ScriptedServer) -> None:
        self._server = server
        self._unread = bytearray()
        self._drained = asyncio.Event()
        self._drained.set()
        self._lost = asyncio.get_running_loop().create_future()
        self._request: LoggedRequest | None = None
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        # No buffer of the transport's own: drained then means handed to the kernel.
        self._transport.set_write_buffer_limits(high=0)
        self._set_option(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._server.opened(self)

    def data_received(self, data: bytes) -> None:
        self._unread += data
        self._go_on()

    def pause_writing(self) -> None:
        self._drained.clear()

    def resume_writing(self) -> None:
        self._drained.set()

    def eof_received(self) -> None:
        self._client_left()

    def connection_lost(self, exc: Exception | None) -> None:
        self._client_left()
        self._server.closed(self)
        self._lost.set_result(None)

    async def shut(self) -> None:
        """Drop the connection and whatever reply is under way."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])
        self._transport.abort()
        await self._lost

    def _client_left(self) -> None:
        if self.task is not None and self._request is not None and not self._request.ended.is_set:
            self._request.left.set()
            self._request.ended.set()
            self.task.cancel()

    def _go_on(self) -> None:
        if self.task is not None or self._transport.is_closing():
            return
        received = self._take_request()
        if received is not None:
            self._request, scripted = self._server.admit(received)
            self.task = asyncio.create_task(self._answer(self._request, scripted))
            self.task.add_done_callback(self._answered)

    def _take_request(self) -> Received | None:
        head_end = self._unread.find(b"\r\n\r\n")
        if head_end < 0:
            return None
        request_line, *lines = self._unread[:head_end].decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body_start = head_end + 4
        body_end = body_start + int(headers.get("content-length", 0))
        if len(self._unread) < body_end:
            return None
        body = bytes(self._unread[body_start:body_end])
        del self._unread[:body_end]
        method, path, _ = request_line.split(" ")
        return Received(method, path, headers, body)

    def _answered(self, task: asyncio.Task[None]) -> None:
        self.task = None
        if not task.cancelled():
            task.result()
            self._go_on()

    async def _answer(self, request: LoggedRequest, scripted: Scripted) -> None:
        reply = self._server.resolve(request, scripted)
        if isinstance(reply, After):
            await reply.gate.pass_through()
            reply = reply.reply
        ending: EndingKind = "cut"
        if isinstance(reply, Turn):
            ending = await self._send_turn(request, reply)
        elif isinstance(reply, Status):
            await self._send(self._error(reply, request.is_chat))
            ending = "no_stop"
        request.ended.set()
        if ending == "reset":
            self._set_option(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()
        elif ending == "cut" or request.headers.get("connection") == "close":
            self._transport.close()

    async def _send_turn(self, request: LoggedRequest, turn: Turn) -> EndingKind:
        ready = bytearray(_head(200, {**STREAM_HEADERS, "request-id": self._server.next_id("req")}))
        for part in self._chunks(request, turn):
            if isinstance(part, bytes):
                ready += part
                continue
            await self._send(ready)
            ready.clear()
            if isinstance(part, Hold):
                await part.gate.pass_through()
            elif isinstance(part, Pause):
                await asyncio.sleep(part.seconds)
            elif part.kind != "no_stop":
                return part.kind
        await self._send(ready + LAST_CHUNK)
        return "no_stop"

    def _chunks(self, request: LoggedRequest, turn: Turn) -> Iterator[bytes | Hold | Pause | Ending]:
        """The turn as HTTP chunks, as long as may be, and the parts at which the sending stops."""
        run = bytearray()
        is_chat = request.is_chat
        parts = self._server.chat_turn(request, turn).parts() if is_chat else self._parts(turn, request.body["model"])
        for part in parts:
            if isinstance(part, bytes):
                run += part
            else:
                yield from _split(run, turn.chunk)
                run.clear()
                yield _chunk(part.data) if isinstance(part, Raw) else part
        yield from _split(run, turn.chunk)

    def _parts(self, turn: Turn, model: str) -> Iterator[ChatPart]:
        for part in turn.parts:
            if isinstance(part, MessageStart):
                yield turn.message_start(self._server.next_id("msg"), model)
            elif isinstance(part, CallStart):
                yield turn.block_start(part.index, {**part.block, "id": self._server.next_id("toolu")})
            else:
                yield part

    def _error(self, status: Status, is_chat: bool) -> bytes:
        request_id = self._server.next_id("req")
        body = status.body
        if body is None:
            told = chat_error(status) if is_chat else messages_error(status, request_id)
            body = json.dumps(told).encode()
        fixed = {"content-type": "application/json", "content-length": str(len(body)), "request-id": request_id}
        scripted = {name.lower(): value for name, value in status.headers.items()}
        return _head(status.code, {**fixed, **scripted}) + body

    async def _send(self, data: bytes | bytearray) -> None:
        self._transport.write(bytes(data))
        await self._drained.wait()

    def _set_option(self, level: int, option: int, value: int | bytes) -> None:
        self._transport.get_extra_info("socket").setsockopt(level, option, value)


def messages_error(status: Status, request_id: str) -> dict[str, Any]:
    error = {"type": status.error_type, "message": status.message}
    return {"type": "error", "error": error, "request_id": request_id}


def first_user_text(body: Mapping[str, Any] | None) -> str:
    """What the conversation opens with, which is also its identity; bodies of any shape are borne with."""
    messages = body.get("messages") if body else None
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, str):
                return content
            blocks = content if isinstance(content, list) else []
            # Only the first text: what is said next may join the same message and changes nothing of who is talking.
            return next((str(block["text"]) for block in blocks if isinstance(block, dict) and "text" in block), "")
    return ""


def _parsed(raw_body: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(raw_body)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _head(code: int, headers: Mapping[str, str]) -> bytes:
    # 529, the API's "overloaded", is no registered status.
    lines = [f"HTTP/1.1 {code} {responses.get(code, 'Unknown')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _split(data: bytes | bytearray, size: int | None) -> Iterator[bytes]:
    step = size or len(data) or 1
    for at in range(0, len(data), step):
        yield _chunk(data[at : at + step])


def _chunk(data: bytes | bytearray) -> bytes:
    # An empty chunk would end the response.
    return b"%x\r\n%b\r\n" % (len(data), data) if data else b""
