"""JSON to and from a stream of events, for every provider on the wire; and how a stream is read to its end."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any, TypeVar, cast

from code_assistant.errors import ProviderError, StreamBroken
from code_assistant.llm.wire_values import LARGE, collected_later, finite, refuse_constant
from code_assistant.slices import Slices

logger = logging.getLogger(__name__)

DRAIN_SECONDS = 1.0
# Made once: `json.loads` would make one for every event.
STRICT = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite)

EventT = TypeVar("EventT")


def encoded(body: Mapping[str, Any]) -> bytes:
    """The body of a request; file names may hold bytes that are no text."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


async def json_events(
    batches: AsyncIterator[list[bytes]], end_mark: bytes | None = None
) -> AsyncGenerator[dict[str, Any]]:
    """The events' JSON objects, up to the stream's end or to the event that marks it."""
    slices = Slices()
    async for batch in batches:
        for data in batch:
            if data == end_mark:
                await drain(batches)
                return
            event = parse_event(data)
            if slices.is_over(len(data)):
                await asyncio.sleep(0)
            yield event


def parse_event(data: bytes) -> dict[str, Any]:
    """The event's JSON object; raises StreamBroken for anything else."""
    try:
        parsed: Any = _decoded(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise StreamBroken(f"The model's service sent an event that is not JSON ({error}).") from error
    if not isinstance(parsed, dict):
        raise StreamBroken("The model's service sent an event that is not a JSON object.")
    return cast("dict[str, Any]", parsed)


def _decoded(text: str) -> Any:
    if len(text) < LARGE:
        return STRICT.decode(text)
    with collected_later():
        return STRICT.decode(text)


async def drain(events: AsyncIterator[EventT], take: Callable[[EventT], object] = lambda _: None) -> None:
    """Read on to the stream's real end, so that the connection can be used again; the answer is whole already.

    `take` is given what still comes.
    """
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            async for event in events:
                take(event)
    except (TimeoutError, ProviderError) as error:
        logger.debug("the stream did not end after the answer did: %r", error)
