"""The Anthropic model client, one per agent, and the factory that makes them over one transport."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from code_assistant.errors import ProviderError, StreamBroken, UnknownModel
from code_assistant.llm.anthropic.body import RequestOptions, request_body
from code_assistant.llm.anthropic.mapper import MessageMapper
from code_assistant.llm.anthropic.transport import Transport
from code_assistant.llm.catalogue import Catalogue, Model
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.provider import Delta, ModelRequest, ResponseBegun, UsageSeen

logger = logging.getLogger(__name__)

DRAIN_SECONDS = 1.0


class AnthropicClient:
    def __init__(
        self,
        model: Model,
        transport: Transport,
        options: RequestOptions,
        catalogue: Catalogue,
    ) -> None:
        self._model = model
        self._transport = transport
        self._options = options
        self._catalogue = catalogue

    @property
    def model(self) -> Model:
        return self._model

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[Delta]]:
        body = request_body(request, self._model, self._options)
        monitor = StreamMonitor(time.monotonic)
        try:
            async with self._transport.events(body, monitor) as events, aclosing(_deltas(events, monitor)) as deltas:
                yield deltas
        except UnknownModel as error:
            raise self._unknown_model(error) from error
        finally:
            logger.debug("%s: %s", self._model.id, monitor.summary())

    def _unknown_model(self, error: UnknownModel) -> UnknownModel:
        name = self._model.name
        nearest = self._catalogue.nearest(name)
        hint = f" Did you mean {nearest}?" if nearest and nearest != name else ""
        aliases = ", ".join(alias for model in self._catalogue.models for alias in model.aliases)
        words = (
            f"The service does not know the model {name!r}.{hint} Choose another with -m: {aliases}, or a full name."
        )
        return UnknownModel(words, status=error.status)


async def _deltas(events: AsyncIterator[dict[str, Any]], monitor: StreamMonitor) -> AsyncGenerator[Delta]:
    mapper = MessageMapper()
    async for event in events:
        if event.get("type") != "ping":
            monitor.saw_content()
        delta = mapper.map(event)
        if delta is None:
            continue
        yield delta
        if isinstance(delta, ResponseBegun):
            yield UsageSeen(mapper.usage)
        if mapper.ended:
            await _drain(events)
            return
    raise StreamBroken("The model's answer broke off before its end. Try again.")


async def _drain(events: AsyncIterator[dict[str, Any]]) -> None:
    """Read on to the stream's real end, so that the connection can be used again; the answer is whole already."""
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in events:
                pass
    except (TimeoutError, ProviderError) as error:
        logger.debug("the stream did not end after the answer did: %r", error)


class AnthropicFactory:
    """Makes a client per agent; all share the transport and its connection pool."""

    def __init__(self, transport: Transport, options: RequestOptions, catalogue: Catalogue) -> None:
        self._transport = transport
        self._options = options
        self._catalogue = catalogue

    def create(self, model: str) -> AnthropicClient:
        return AnthropicClient(self._catalogue.find(model), self._transport, self._options, self._catalogue)

    async def close(self) -> None:
        await self._transport.close()
