"""The transport for Chat Completions: one POST to the provider's address, a stream of chunks back."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import httpx

from code_assistant import __version__
from code_assistant.errors import ConnectionFailed
from code_assistant.llm.event_data import encoded, json_events
from code_assistant.llm.model import Provider
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.openai.errors import address_setting, error_from_answer
from code_assistant.llm.stream import HttpRefusal, open_event_stream

PATH = "/chat/completions"
END_MARK = b"[DONE]"


class CompletionsTransport:
    """One for all agents; the connection pool in `http` is shared and closed here. Without a key none is sent."""

    def __init__(self, http: httpx.AsyncClient, provider: Provider, key: str | None) -> None:
        self._http = http
        self._provider = provider
        self._url = provider.base_url.rstrip("/").removesuffix(PATH) + PATH
        self._headers = {
            "accept": "text/event-stream",
            "content-type": "application/json",
            **request_headers(key),
        }

    @asynccontextmanager
    async def events(
        self, body: dict[str, Any], monitor: StreamMonitor
    ) -> AsyncGenerator[AsyncIterator[dict[str, Any]]]:
        setting = address_setting(self._provider)
        try:
            stream = open_event_stream(self._http, self._url, self._headers, encoded(body), monitor, setting)
            async with stream as batches, aclosing(json_events(batches, END_MARK)) as chunks:
                yield chunks
        except ConnectionFailed as error:
            if self._provider.is_local:
                error.person += f" Is {self._provider.title} running?"
            raise
        except HttpRefusal as refusal:
            raise error_from_answer(self._provider, refusal.status, refusal.headers, refusal.body) from refusal

    async def close(self) -> None:
        await self._http.aclose()


def request_headers(key: str | None) -> dict[str, str]:
    """What every request to a service says."""
    return {
        "user-agent": f"code-assistant/{__version__}",
        **({"authorization": f"Bearer {key}"} if key else {}),
    }
