"""Fetches a page: every host on the way is permitted before it is asked, and everything has a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TypeAlias

from code_assistant.errors import ToolError
from code_assistant.web.addresses import PageAddress, joined_address
from code_assistant.web.client import Answer, Body, WebClient
from code_assistant.web.media_types import MediaType

REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Some sites have their pages as Markdown, too.
ACCEPT = {"Accept": "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5"}
MAXIMUM_ERROR_BYTES = 100_000

# Asks for an address, given the one that led there, if one did. Says whether its host may be a private one; raises
# ToolError where it may not be fetched.
Permit: TypeAlias = Callable[[PageAddress, PageAddress | None], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds count for all requests of a page together, and not while somebody is asked."""

    seconds: float = 30.0
    body_bytes: int = 5_000_000
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it came, from the address that had it. An error of the server's is a page, too."""

    address: PageAddress
    status: int
    kind: MediaType
    body: Body

    @property
    def is_error(self) -> bool:
        return not 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class _Led:
    """An answer that is somewhere else."""

    location: str


@dataclass(slots=True)
class PageFetcher:
    """Follows redirects by itself as far as every host on the way is permitted."""

    client: WebClient = field(default_factory=WebClient)
    bounds: Bounds = Bounds()

    async def fetch(self, address: PageAddress, permit: Permit) -> Page:
        """Raises ToolError for whatever stands between here and the page."""
        seconds = self.bounds.seconds
        source: PageAddress | None = None
        seen: set[PageAddress] = set()
        clock = asyncio.get_running_loop().time
        while True:
            private = await permit(address, source)
            started = clock()
            found = await self._answer(address, private, seconds)
            if isinstance(found, Page):
                return found
            seconds -= clock() - started
            seen.add(address)
            source, address = address, _next(address, found.location)
            if address in seen:
                raise ToolError(f"{source.url} leads back to {address.url}, so there is no end to it.")
            if len(seen) > self.bounds.redirects:
                raise ToolError(f"{source.url} leads on again, after {self.bounds.redirects} redirects. Given up.")

    async def _answer(self, address: PageAddress, private: bool, seconds: float) -> Page | _Led:
        timer = asyncio.timeout(seconds)
        try:
            async with timer, self.client.get(address, ACCEPT, private=private) as answer:
                return await self._read(address, answer)
        except TimeoutError as error:
            if not timer.expired():
                raise
            raise ToolError(f"{address.url} took longer than {self.bounds.seconds:g} s and was given up.") from error

    async def _read(self, address: PageAddress, answer: Answer) -> Page | _Led:
        status, kind = answer.status, answer.media_type
        if status in REDIRECTS and (location := answer.header("location")):
            return _Led(location)
        is_text = kind.is_text or not kind.name
        if not 200 <= status < 300:
            return Page(address, status, kind, await _excerpt(answer) if is_text else Body(b""))
        if not is_text:
            raise ToolError(f"{address.url} is {kind.name}, but only text can be fetched.")
        return Page(address, status, kind, await answer.body(self.bounds.body_bytes))


async def _excerpt(answer: Answer) -> Body:
    """What an error says, if that can be read; its status says enough."""
    try:
        return await answer.body(MAXIMUM_ERROR_BYTES)
    except ToolError:
        return Body(b"")


def status_words(status: int) -> str:
    """`404 Not Found`. Not the server's own words, which can be anything."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _next(address: PageAddress, location: str) -> PageAddress:
    target = joined_address(address, location)
    if (address.scheme, target.scheme) == ("https", "http"):
        raise ToolError(
            f"{address.url} leads on from https to {target.url}, which anybody on the way can read and change. "
            "It is not followed; fetch that address itself if it is wanted."
        )
    return target
