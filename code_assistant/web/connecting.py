"""Connections to checked addresses only: a name is looked up once, and what was checked is what is dialled."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable
from ipaddress import ip_address
from typing import TypeAlias, cast

import httpcore

from code_assistant.errors import ToolError
from code_assistant.web.hosts import address_of
from code_assistant.web.networks import is_public

# Gives every address of a name, best first.
Resolver: TypeAlias = Callable[[str], Awaitable[tuple[str, ...]]]
# Connects to an address, never to a name.
Dialler: TypeAlias = Callable[[str, int], Awaitable[httpcore.AsyncNetworkStream]]

ADDRESSES_TRIED = 4
# So that one address that swallows everything leaves time for the others.
SECONDS_FOR_EACH = 6.0


async def resolve(host: str) -> tuple[str, ...]:
    """Ask the system's resolver. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


async def dial(address: str, port: int) -> httpcore.AsyncNetworkStream:
    # By its type it may be the stand-in that httpcore has for where anyio, which httpx brings, is missing.
    backend = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())
    return await backend.connect_tcp(address, port)


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Where httpcore's connections come from. `private` lets addresses of one's own networks pass, too."""

    def __init__(self, resolver: Resolver, dialler: Dialler, *, private: bool) -> None:
        self._resolver = resolver
        self._dialler = dialler
        self._private = private
        self._dialled: list[httpcore.AsyncNetworkStream] = []

    async def aclose(self) -> None:
        """Close whatever was dialled, also what a cancelled handshake has left open."""
        while self._dialled:
            await self._dialled.pop().aclose()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        del timeout, local_address, socket_options
        *others, last = (await self._checked(host))[:ADDRESSES_TRIED]
        for address in others:
            try:
                async with asyncio.timeout(SECONDS_FOR_EACH):
                    return await self._dial(address, port)
            except (TimeoutError, httpcore.ConnectError):
                continue
        return await self._dial(last, port)

    async def _dial(self, address: str, port: int) -> httpcore.AsyncNetworkStream:
        stream = await self._dialler(address, port)
        self._dialled.append(stream)
        return stream

    async def _checked(self, host: str) -> tuple[str, ...]:
        if address_of(host) is not None:
            addresses = (host,)
        else:
            try:
                addresses = await self._resolver(host)
            except (OSError, UnicodeError) as error:
                raise ToolError(f"No host {host} is known. Check the address, or the network.") from error
        if not addresses:
            raise ToolError(f"No host {host} is known. Check the address, or the network.")
        # One private address among public ones is enough: which of them is dialled must not be the other side's choice.
        if not self._private and not all(is_public(ip_address(address)) for address in addresses):
            raise private_host(host)
        return addresses

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise NotImplementedError(path)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def private_host(host: str) -> ToolError:
    """The refusal of a host in one's own networks; says how the person can allow it."""
    rule = f'--allow "WebFetch(domain:{host})"'
    return ToolError(
        f"{host} is on a private network or this machine itself, which is fetched from only where a rule names it. "
        f"To allow it, start with {rule}.",
        model=f"{host} is on a private network or this machine itself, and no rule names it, so it is not fetched. "
        f"Only the person can allow it, by starting with {rule}; do not try to get around this.",
    )
