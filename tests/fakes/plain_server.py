"""A server on loopback that answers every request with the same bytes, or does with it what the test wants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

Answering: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def http_answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers, "", ""])
    return head.encode() + body


def listing(*entries: Any) -> bytes:
    return http_answer(json.dumps({"object": "list", "data": entries}).encode())


def saying(answer: bytes) -> Answering:
    async def say(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()

    return say


@asynccontextmanager
async def listening(answering: Answering) -> AsyncIterator[str]:
    """A server that reads the head of one request and then does what the test wants."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            await answering(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
