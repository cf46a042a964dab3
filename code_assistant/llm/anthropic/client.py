"""The Anthropic model client, one per agent, and the factory that makes them over one transport."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, cast

from code_assistant.errors import StreamBroken, UnknownModel
from code_assistant.llm.anthropic.body import request_body
from code_assistant.llm.anthropic.mapper import MessageMapper
from code_assistant.llm.anthropic.transport import Transport
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.event_data import drain
from code_assistant.llm.model import Model
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.pace import Pace
from code_assistant.llm.paced_client import PacedClient
from code_assistant.llm.patience import watched
from code_assistant.llm.provider import BlockFinished, Delta, ModelRequest, ResponseBegun, UsageSeen
from code_assistant.llm.unknown_model import unknown_model

logger = logging.getLogger(__name__)


CONTENT = frozenset(
    {
        *("message_start", "content_block_start", "content_block_delta", "content_block_stop"),
        *("message_delta", "message_stop"),
    }
)


class AnthropicClient(PacedClient):
    def __init__(
        self,
        model: Model,
        transport: Transport,
        options: RequestOptions,
        catalogue: Catalogue,
        pace: Pace,
    ) -> None:
        super().__init__(model, options, catalogue, pace)
        self._transport = transport

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[Delta]]:
        body = request_body(request, self._model, self._options)
        pace = self._pace
        monitor = StreamMonitor(pace.clock.now)
        try:
            async with (
                watched(monitor, self._transport.patience(pace.patience), pace.clock),
                self._transport.events(body, monitor) as events,
                aclosing(_deltas(events, monitor)) as deltas,
            ):
                yield deltas
        except UnknownModel as error:
            raise unknown_model(self._model, self._catalogue, error) from error
        finally:
            logger.debug("%s: %s", self._model.id, monitor.summary())


async def _deltas(events: AsyncIterator[dict[str, Any]], monitor: StreamMonitor) -> AsyncGenerator[Delta]:
    mapper = MessageMapper()
    async for event in events:
        if _says_something(event):
            monitor.saw_content()
        delta = mapper.map(event)
        if delta is None:
            continue
        yield delta
        if isinstance(delta, ResponseBegun):
            yield UsageSeen(mapper.usage)
        if mapper.ended:
            await drain(events)
            return
        if isinstance(delta, BlockFinished):
            # A tool's input was decoded for it, and the next one may be in the same batch.
            await asyncio.sleep(0)
    raise StreamBroken("The model's answer broke off before its end. Try again.")


def _says_something(event: dict[str, Any]) -> bool:
    """Whether the answer is further than before: a ping, an empty piece or an event that nobody knows is no content."""
    if event.get("type") not in CONTENT:
        return False
    delta = event.get("delta")
    pieces = cast("dict[str, Any]", delta) if isinstance(delta, dict) else None
    return pieces is None or any(value for key, value in pieces.items() if key != "type")


class AnthropicFactory:
    """Makes a client per agent; all share the transport and its connection pool."""

    def __init__(
        self, transport: Transport, options: RequestOptions, catalogue: Catalogue, pace: Pace | None = None
    ) -> None:
        self._pace = pace or Pace()
        self._transport = transport
        self._options = options
        self._catalogue = catalogue

    def create(self, model: str) -> AnthropicClient:
        found = self._catalogue.find(model)
        return AnthropicClient(found, self._transport, self._options, self._catalogue, self._pace)

    async def close(self) -> None:
        await self._transport.close()
