"""The Anthropic model client, one per agent, and the factory that makes them over one transport."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

from code_assistant.errors import StreamBroken, UnknownModel
from code_assistant.llm.anthropic.body import RequestOptions, request_body
from code_assistant.llm.anthropic.mapper import MessageMapper
from code_assistant.llm.anthropic.transport import Transport
from code_assistant.llm.catalogue import Catalogue, Model
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.provider import Delta, ModelRequest, ResponseStarted, UsageSeen

logger = logging.getLogger(__name__)


class AnthropicClient:
    def __init__(
        self,
        model: Model,
        transport: Transport,
        options: RequestOptions,
        catalogue: Catalogue,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._transport = transport
        self._options = options
        self._catalogue = catalogue
        self._clock = clock

    @property
    def model(self) -> Model:
        return self._model

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[Delta]]:
        body = request_body(request, self._model, self._options)
        monitor = StreamMonitor(self._clock)
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
        known = ", ".join(model.name for model in self._catalogue.models)
        return UnknownModel(f"The service does not know the model {name!r}.{hint} Known: {known}.", status=error.status)


async def _deltas(events: AsyncIterator[dict[str, Any]], monitor: StreamMonitor) -> AsyncGenerator[Delta]:
    mapper = MessageMapper()
    async for event in events:
        delta = mapper.map(event)
        if delta is None:
            continue
        monitor.saw_content()
        yield delta
        if isinstance(delta, ResponseStarted):
            yield UsageSeen(mapper.usage)
        if mapper.ended:
            # Read on to the stream's real end, so that the connection can be used again.
            async for _ in events:
                pass
            return
    raise StreamBroken("The model's answer broke off before its end. Try again.")


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
