"""A small internet on loop-back: public names and addresses by a fake resolver and dialler, real HTTP behind them."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

import httpcore

from code_assistant.web.client import WebClient
from code_assistant.web.connecting import dial
from tests.hang_guard import HANG_GUARD


@dataclass(frozen=True)
class Request:
    """A request as it came over the wire."""

    line: str
    headers: tuple[tuple[str, str], ...]

    @property
    def target(self) -> str:
        return self.line.split(" ")[1]

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass
class Visit:
    """A request being answered by a test's own lines."""

    request: Request
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def until_closed(self) -> None:
        """Wait until the other side has gone."""
        async with asyncio.timeout(HANG_GUARD):
            try:
                while await self.reader.read(1000):
                    pass
            except ConnectionError:
                pass


Handler: TypeAlias = Callable[[Visit], Awaitable[None]]


def answer(body: bytes | str = b"", status: str = "200 OK", kind: str | None = "text/plain", **headers: str) -> bytes:
    """A whole answer; an underscore in the name of a header stands for a dash."""
    data = body.encode() if isinstance(body, str) else body
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    if kind is not None:
        fields["Content-Type"] = kind
    fields.setdefault("Content-Length", str(len(data)))
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode("utf-8") + data


def wide(text: str) -> str:
    """The same in full-width characters, which browsers read as plain ones."""
    return "".join(chr(ord(character) + 0xFEE0) for character in text)


def redirect(location: str, status: str = "302 Found") -> bytes:
    return answer("", status, None, Location=location)


@dataclass
class Internet:
    """`names` are what the resolver knows: addresses, or several such answers of which each is given once."""

    names: dict[str, Sequence[str] | list[Sequence[str]]] = field(default_factory=dict)
    pages: dict[str, bytes | Handler] = field(default_factory=dict)
    looked_up: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    closed_by_client: asyncio.Event = field(default_factory=asyncio.Event)
    unreachable: set[str] = field(default_factory=set)
    port: int = 0
    tls_port: int = 0

    @property
    def client(self) -> WebClient:
        return WebClient(self.resolve, self.dial)

    def page(self, address: str, reply: bytes | Handler, at: str = "93.184.216.34") -> None:
        """Serve an address such as `example.org/path`, and let the resolver know its host."""
        host = address.partition("/")[0].partition(":")[0]
        self.names.setdefault(host, (at,))
        self.pages[address] = reply

    async def resolve(self, host: str) -> tuple[str, ...]:
        self.looked_up.append(host)
        known = self.names.get(host)
        if known is None:
            raise OSError(-2, "Name or service not known")
        if isinstance(known, list):
            return tuple(known.pop(0) if len(known) > 1 else known[0])
        return tuple(known)

    async def dial(self, address: str, port: int) -> httpcore.AsyncNetworkStream:
        self.dialled.append((address, port))
        if address in self.unreachable:
            raise httpcore.ConnectError("unreachable")
        return await dial("127.0.0.1", self.tls_port if port == 443 else self.port)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head.rstrip("\r\n").split("\r\n")
            headers = tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in lines))
            request = Request(first, headers)
            self.requests.append(request)
            reply = self.pages.get(f"{request.header('host')}{request.target}") or answer("", "404 Not Found")
            if isinstance(reply, bytes):
                writer.write(reply)
                await writer.drain()
            else:
                await reply(Visit(request, reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError):
            # The client went away first, which is for the test to judge.
            self.closed_by_client.set()
        finally:
            writer.close()


@asynccontextmanager
async def internet(certificate: ssl.SSLContext | None = None) -> AsyncIterator[Internet]:
    net = Internet()
    server = await asyncio.start_server(net.serve, "127.0.0.1", 0)
    secure = await asyncio.start_server(net.serve, "127.0.0.1", 0, ssl=certificate)
    net.port, net.tls_port = (each.sockets[0].getsockname()[1] for each in (server, secure))
    async with server, secure:
        yield net
