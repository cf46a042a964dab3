"""The default transport: the documented Messages protocol over httpx and server-sent events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, Literal

import httpx

from code_assistant import __version__
from code_assistant.llm.anthropic.errors import error_from_answer
from code_assistant.llm.event_data import encoded, json_events
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.patience import Patience
from code_assistant.llm.stream import HttpRefusal, open_event_stream

# The version that the official SDK of the same generation sends.
API_VERSION = "2026-10-21"
ADDRESS_SETTING = "ANTHROPIC_BASE_URL"


class WireTransport:
    """One for all agents; the connection pool in `http` is shared and closed here."""

    def __init__(self, http: httpx.AsyncClient, base_url: str, key: str, auth: Literal["bearer", "x-api-key"]) -> None:
        self._http = http
        self._url = base_url.rstrip("/") + "/v1/messages"
        self._headers = {"content-type": "application/json", **request_headers(key, auth)}

    @asynccontextmanager
    async def events(
        self, body: dict[str, Any], monitor: StreamMonitor
    ) -> AsyncGenerator[AsyncIterator[dict[str, Any]]]:
        try:
            stream = open_event_stream(self._http, self._url, self._headers, encoded(body), monitor, ADDRESS_SETTING)
            async with stream as batches, aclosing(json_events(batches)) as events:
                yield events
        except HttpRefusal as refusal:
            raise error_from_answer(refusal.status, refusal.headers, refusal.body) from refusal

    def patience(self, wanted: Patience) -> Patience:
        return wanted

    async def close(self) -> None:
        await self._http.aclose()


def request_headers(key: str, auth: Literal["bearer", "x-api-key"]) -> dict[str, str]:
    """What every request to the service says."""
    credential = {"x-api-key": key} if auth == "x-api-key" else {"authorization": f"Bearer {key}"}
    return {
        "accept": "application/json",
        "user-agent": f"code-assistant/{__version__}",
        "anthropic-version": API_VERSION,
        **credential,
    }
