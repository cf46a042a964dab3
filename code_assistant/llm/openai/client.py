"""The client for every service that speaks Chat Completions, one per agent, and the factory over one provider."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from itertools import chain
from typing import Any

import httpx

from code_assistant.errors import StreamBroken, UnknownModel
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.event_data import drain
from code_assistant.llm.model import Model, Provider
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.openai.body import request_body
from code_assistant.llm.openai.mapper import ChunkMapper
from code_assistant.llm.openai.wire import CompletionsTransport
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.pace import Pace
from code_assistant.llm.paced_client import PacedClient
from code_assistant.llm.patience import watched
from code_assistant.llm.provider import BlockFinished, Delta, ModelRequest
from code_assistant.llm.unknown_model import unknown_model

logger = logging.getLogger(__name__)


class OpenAIClient(PacedClient):
    def __init__(
        self,
        model: Model,
        provider: Provider,
        transport: CompletionsTransport,
        options: RequestOptions,
        catalogue: Catalogue,
        pace: Pace,
    ) -> None:
        super().__init__(model, options, catalogue, pace)
        self._provider = provider
        self._transport = transport

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[Delta]]:
        body = request_body(request, self._model, self._options, self._provider.limit_field)
        pace = self._pace
        monitor = StreamMonitor(pace.clock.now)
        strict = request.tools if self._model.strict_tools else ()
        mapper = ChunkMapper(self._provider, {tool.name: tool.input_schema for tool in strict})
        try:
            async with (
                watched(monitor, pace.patience, pace.clock),
                self._transport.events(body, monitor) as chunks,
                aclosing(_deltas(chunks, mapper, monitor)) as deltas,
            ):
                yield deltas
        except UnknownModel as error:
            raise unknown_model(self._model, self._catalogue, error, said=error.person) from error
        finally:
            logger.debug("%s: %s", self._model.id, monitor.summary())


async def _deltas(
    chunks: AsyncIterator[dict[str, Any]], mapper: ChunkMapper, monitor: StreamMonitor
) -> AsyncGenerator[Delta]:
    async for chunk in chunks:
        heard = mapper.heard
        deltas = mapper.map(chunk)
        if mapper.heard > heard:
            monitor.saw_content()
        for delta in deltas:
            yield delta
        if mapper.finished:
            break
    else:
        raise StreamBroken("The model's answer broke off before its end. Try again.")
    late: list[Delta] = []
    await drain(chunks, lambda chunk: late.extend(mapper.map(chunk)))
    for delta in chain(late, mapper.end()):
        yield delta
        if isinstance(delta, BlockFinished):
            # A tool's input was decoded for it, and more may follow.
            await asyncio.sleep(0)


class OpenAIFactory:
    """Makes a client per agent; all share one connection pool."""

    def __init__(
        self,
        provider: Provider,
        http: httpx.AsyncClient,
        key: str | None,
        options: RequestOptions,
        catalogue: Catalogue,
        pace: Pace | None = None,
    ) -> None:
        self._pace = pace or Pace()
        self._provider = provider
        self._transport = CompletionsTransport(http, provider, key)
        self._options = options
        self._catalogue = catalogue

    def create(self, model: str) -> OpenAIClient:
        found = self._catalogue.find(model)
        return OpenAIClient(found, self._provider, self._transport, self._options, self._catalogue, self._pace)

    async def close(self) -> None:
        await self._transport.close()
