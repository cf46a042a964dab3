"""The one stream layer under every provider on the wire: an HTTP request whose answer is a stream of events."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import AnyStr

import httpx

from code_assistant.errors import ConnectionFailed, StreamBroken, UsageError
from code_assistant.llm.model import is_on_this_machine
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.sse import EventParser
from code_assistant.slices import Slices

MAX_ERROR_BYTES = 64 * 1024
# An error answer is known by its status; its words are waited for no longer than this.
ERROR_SECONDS = 5.0
MAX_RESPONSE_BYTES = 64 * 1024 * 1024
# Above the largest fan-out of sub-agents, so that none of them waits for a connection.
POOL_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=60)


class HttpRefusal(Exception):
    """An answer that is not a stream but an error, with the beginning of its body."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.headers = headers
        self.body = body


def create_http_client(base_url: str, connect_timeout: float) -> httpx.AsyncClient:
    """The connection pool that all agents of one provider share. No proxy stands between us and this machine."""
    # How long an answer may take is for whoever reads it to say.
    timeout = httpx.Timeout(connect=connect_timeout, read=None, write=60, pool=None)
    try:
        return httpx.AsyncClient(
            timeout=timeout,
            limits=POOL_LIMITS,
            follow_redirects=False,
            trust_env=not is_on_this_machine(base_url),
            verify=_verification(base_url),
            headers={"accept-encoding": "identity"},
        )
    except (ValueError, ImportError, OSError) as error:
        raise UsageError(f"No connection can be made with these proxy or certificate variables: {error}") from error


def _verification(base_url: str) -> ssl.SSLContext | bool:
    if base_url.startswith("https:"):
        return True
    # A plain address needs no certificates, and loading them is slow. This context trusts none, so that anything
    # that did use TLS after all would fail instead of passing unchecked.
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@asynccontextmanager
async def open_event_stream(
    http: httpx.AsyncClient,
    url: str,
    headers: Mapping[str, str],
    payload: bytes,
    monitor: StreamMonitor,
    address_setting: str,
) -> AsyncGenerator[AsyncIterator[list[bytes]]]:
    """Send a POST and give the data of its events, in batches as they arrive.

    `address_setting` is where the person set the address, for the words of what fails.
    Raises HttpRefusal for an error answer, ConnectionFailed when the service cannot be reached, StreamBroken when
    the connection breaks. Leaving the context closes the connection at once unless the stream was read to its end.
    """
    try:
        request = http.build_request("POST", url, headers=dict(headers), content=payload)
    except (httpx.InvalidURL, UnicodeError) as error:
        words = f"The service's address is not valid: {error}. Check {address_setting}."
        raise ConnectionFailed(words, retryable=False) from error
    try:
        response = await http.send(request, stream=True)
    except (httpx.TransportError, ssl.SSLError) as error:
        host = request.url.netloc.decode("ascii")
        raise ConnectionFailed(connection_words(error, host, address_setting)) from error
    try:
        if response.status_code != 200:
            raise HttpRefusal(response.status_code, response.headers, await _beginning(response))
        if response.headers.get("content-encoding", "identity") != "identity":
            # We asked for none: a small compressed answer could be a very large one.
            words = f"{url} answered with a compressed stream, which was not asked for."
            raise StreamBroken(words, retryable=False)
        kind = response.headers.get("content-type", "nothing")
        if kind.startswith("application/json") and b'"error"' in (body := await _beginning(response)):
            # Some say only there that it is an error.
            raise HttpRefusal(response.status_code, response.headers, body)
        if not kind.startswith("text/event-stream"):
            words = f"{url} answered with {kind} instead of a stream. Check {address_setting}."
            raise StreamBroken(words, retryable=False)
        async with aclosing(_events(response, monitor)) as events:
            yield events
    finally:
        await response.aclose()


async def _events(response: httpx.Response, monitor: StreamMonitor) -> AsyncGenerator[list[bytes]]:
    parser, slices = EventParser(), Slices()
    try:
        async for chunk in response.aiter_raw():
            if slices.is_over(len(chunk)):
                # What was received in one go may be a great many chunks.
                await asyncio.sleep(0)
            monitor.saw_bytes(len(chunk))
            if monitor.byte_count > MAX_RESPONSE_BYTES:
                raise response_too_large()
            events = parser.feed(chunk)
            if events:
                yield events
    except (httpx.TransportError, httpx.DecodingError, httpx.StreamError) as error:
        raise StreamBroken(
            f"The connection broke while the model was answering ({_reason(error)}). Try again."
        ) from error


def response_too_large() -> StreamBroken:
    return StreamBroken(f"The model's answer is larger than {MAX_RESPONSE_BYTES:,} bytes.", retryable=False)


async def _beginning(response: httpx.Response) -> bytes:
    if "content-encoding" in response.headers:
        return b""
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(ERROR_SECONDS):
            async for chunk in response.aiter_raw():
                parts.append(chunk)
                size += len(chunk)
                if size >= MAX_ERROR_BYTES:
                    break
    except TimeoutError:
        # Likewise for one that never ends: what matters is known.
        parts.append(b" (the rest of the answer did not come)")
    except (httpx.TransportError, httpx.DecodingError) as error:
        # The status alone is enough to say what happened; what came of the body is kept.
        parts.append(f" (the body broke off: {_reason(error)})".encode())
    return whole_words(b"".join(parts), MAX_ERROR_BYTES)


def whole_words(text: AnyStr, most: int) -> AnyStr:
    """The beginning of a text, cut where a word ends: of a key that stands in it there must be no piece left."""
    if len(text) <= most:
        return text
    words = text[: most + 1].split()
    last = len(words[-1]) if words and not text[most : most + 1].isspace() else 0
    return text[: most + 1 - last].rstrip()


def _reason(error: Exception) -> str:
    """What happened, in plain words where the library's own are not."""
    causes: list[BaseException] = [error]
    while (deeper := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(deeper)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "no such host is known"
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "nothing accepts connections there"
    match error:
        case httpx.RemoteProtocolError() if "complete message body" in str(error):
            return "it was closed too early"
        case httpx.ReadError():
            return "it was reset"
        case httpx.ReadTimeout():
            return "nothing came for too long"
        case _:
            return str(error) or type(error).__name__


def connection_words(error: Exception, host: str, address_setting: str) -> str:
    """Why a service cannot be reached, and what to look at."""
    if isinstance(error, httpx.ConnectTimeout):
        return f"{host} did not answer in time. Check the network, a proxy, or {address_setting}."
    if isinstance(error, httpx.UnsupportedProtocol):
        return f"The service's address must begin with http:// or https:// ({_reason(error)})."
    return f"{host} cannot be reached: {_reason(error)}. Check the network, a proxy, or {address_setting}."
