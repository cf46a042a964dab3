"""The default transport: the documented Messages protocol over httpx and server-sent events."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, Literal, cast

import httpx

from code_assistant import __version__
from code_assistant.errors import StreamBroken
from code_assistant.llm.anthropic.errors import error_from_answer
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.stream import HttpRefusal, open_event_stream

# The version that the official SDK of the same generation sends.
API_VERSION = "2026-10-21"


class WireTransport:
    """One for all agents; the connection pool in `http` is shared and closed here."""

    def __init__(self, http: httpx.AsyncClient, base_url: str, key: str, auth: Literal["bearer", "x-api-key"]) -> None:
        self._http = http
        self._url = base_url.rstrip("/") + "/v1/messages"
        credential = {"x-api-key": key} if auth == "x-api-key" else {"authorization": f"Bearer {key}"}
        self._headers = {
            "accept": "application/json",
            "content-type": "application/json",
            "user-agent": f"code-assistant/{__version__}",
            "anthropic-version": API_VERSION,
            **credential,
        }

    @asynccontextmanager
    async def events(
        self, body: dict[str, Any], monitor: StreamMonitor
    ) -> AsyncGenerator[AsyncIterator[dict[str, Any]]]:
        payload = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        try:
            stream = open_event_stream(self._http, self._url, self._headers, payload, monitor)
            async with stream as batches, aclosing(_parsed(batches)) as events:
                yield events
        except HttpRefusal as refusal:
            raise error_from_answer(refusal.status, refusal.headers, refusal.body) from refusal

    async def close(self) -> None:
        await self._http.aclose()


async def _parsed(batches: AsyncIterator[list[bytes]]) -> AsyncGenerator[dict[str, Any]]:
    async for batch in batches:
        for data in batch:
            yield parse_event(data)


def parse_event(data: bytes) -> dict[str, Any]:
    """The event's JSON object; raises StreamBroken for anything else."""
    try:
        parsed: Any = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise StreamBroken(f"The model's service sent an event that is not JSON ({error}).") from error
    if not isinstance(parsed, dict):
        raise StreamBroken("The model's service sent an event that is not a JSON object.")
    return cast("dict[str, Any]", parsed)
