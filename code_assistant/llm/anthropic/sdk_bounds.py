"""The bounds of the stream layer for the official package, which has none: laid around what its HTTP client reads."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from code_assistant.errors import StreamBroken
from code_assistant.llm.sse import MAX_EVENT_BYTES, EventParser
from code_assistant.llm.stream import MAX_ERROR_BYTES, MAX_RESPONSE_BYTES, response_too_large

# The package makes objects of every value of an event, which takes four times as long as only to decode it.
MAX_SDK_EVENT_BYTES = MAX_EVENT_BYTES // 4


async def bound(response: Any) -> None:
    """For the client's hook on responses, so that it holds behind a proxy, too."""
    import httpx2

    class Body(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        def __aiter__(self) -> AsyncIterator[bytes]:
            if response.status_code != 200:
                return _beginning(self._inner)
            return _bounded(self._inner, response.headers)

        async def aclose(self) -> None:
            await self._inner.aclose()

    response.stream = Body(response.stream)


async def _bounded(chunks: AsyncIterator[bytes], headers: Mapping[str, str]) -> AsyncIterator[bytes]:
    """Raises StreamBroken when an event or the whole is larger than allowed, before the package has collected it."""
    if headers.get("content-encoding", "identity") != "identity":
        words = "The model's service answered with a compressed stream, which was not asked for."
        raise StreamBroken(words, retryable=False)
    # Bedrock sends frames of its own, which say how long they are and are refused by the package when too long.
    has_events = headers.get("content-type", "").startswith("text/event-stream")
    events = EventParser(MAX_SDK_EVENT_BYTES) if has_events else None
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > MAX_RESPONSE_BYTES:
            raise response_too_large()
        if events is not None:
            events.feed(chunk)
        yield chunk


async def _beginning(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Of an error answer no more is needed."""
    left = MAX_ERROR_BYTES
    async for chunk in chunks:
        yield chunk[:left]
        left -= len(chunk)
        if left <= 0:
            return
