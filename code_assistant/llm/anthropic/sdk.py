"""The transport over the official `anthropic` package: for Bedrock, Vertex, and whoever prefers it.

The package takes seconds to import, so nothing else imports it, and this module does so in a thread on first use.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from code_assistant.errors import ConnectionFailed, ProviderError, StreamBroken, UsageError
from code_assistant.llm.anthropic.errors import error_of_kind, read_error
from code_assistant.llm.anthropic.sdk_bounds import bound
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.patience import Patience


@dataclass(frozen=True, slots=True)
class SdkOptions:
    """How to build the SDK's client. Bedrock and Vertex find their credentials in their own usual places."""

    platform: Literal["api", "bedrock", "vertex"]
    base_url: str
    key: str | None = field(repr=False)
    auth: Literal["bearer", "x-api-key"]
    connect_timeout: float


class SdkTransport:
    """One for all agents: the SDK's client and its connection pool are shared and closed here."""

    def __init__(self, options: SdkOptions) -> None:
        self._options = options
        self._client: Any = None
        self._building = asyncio.Lock()

    @asynccontextmanager
    async def events(
        self, body: dict[str, Any], monitor: StreamMonitor
    ) -> AsyncGenerator[AsyncIterator[dict[str, Any]]]:
        client = await self._connect()
        encodable = _encodable(body)
        try:
            stream = await client.messages.create(**encodable)
        except Exception as error:
            raise _translated(error, self._options) from error
        try:
            async with aclosing(_plain(stream, monitor, self._options)) as events:
                yield events
        finally:
            await stream.close()

    def patience(self, wanted: Patience) -> Patience:
        """The package keeps pings to itself, so that silence cannot be told from signs of life."""
        return Patience(wanted.no_content, wanted.no_content, wanted.no_content)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _connect(self) -> Any:
        async with self._building:
            if self._client is None:
                self._client = await asyncio.to_thread(_build_client, self._options)
        return self._client


def _encodable(body: dict[str, Any]) -> dict[str, Any]:
    """The body as the wire transport would send it: file names may hold bytes that are no text."""
    return json.loads(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))


async def _plain(stream: Any, monitor: StreamMonitor, options: SdkOptions) -> AsyncGenerator[dict[str, Any]]:
    try:
        async for event in stream:
            # The SDK hides the bytes; an event is the nearest thing to them that it shows.
            monitor.saw_bytes(0)
            yield event.to_dict(mode="json", warnings=False)
    except ProviderError:
        raise
    except Exception as error:
        raise _translated(error, options) from error


def _build_client(options: SdkOptions) -> Any:
    # It would have the package log to the terminal, unmasked.
    os.environ.pop("ANTHROPIC_LOG", None)
    import anthropic
    import httpx2
    from anthropic.lib.bedrock import AsyncAnthropicBedrock
    from anthropic.lib.vertex import AsyncAnthropicVertex

    # The SDK's own client follows redirections, with the key and the conversation, wherever they lead.
    http = httpx2.AsyncClient(
        timeout=httpx2.Timeout(timeout=None, connect=options.connect_timeout),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=100),
        follow_redirects=False,
        # A small compressed answer could be a very large one.
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [bound]},
    )
    try:
        if options.platform == "bedrock":
            return AsyncAnthropicBedrock(max_retries=0, http_client=http)
        if options.platform == "vertex":
            return AsyncAnthropicVertex(max_retries=0, http_client=http)
    except (ValueError, RuntimeError, ImportError, anthropic.AnthropicError) as error:
        raise UsageError(f"The {options.platform} client cannot be made: {error}") from error
    headers: dict[str, Any] = {}
    if options.auth == "x-api-key":
        headers = {"x-api-key": options.key, "Authorization": anthropic.omit}
    return anthropic.AsyncAnthropic(
        api_key=options.key,
        base_url=options.base_url,
        max_retries=0,
        http_client=http,
        default_headers=headers,
    )


def _translated(error: Exception, options: SdkOptions) -> Exception:
    """Our typed error for what the SDK or its HTTP client raised; any other error is a fault and stays what it is."""
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        kind, message = read_error(error.body) or ("", error.message)
        status = error.status_code if error.status_code != 200 else None
        return error_of_kind(kind, message, status=status, headers=error.response.headers)
    if isinstance(error, anthropic.APIConnectionError):
        reason = str(error.__cause__ or error)
        host = error.request.url.host
        return ConnectionFailed(
            f"{host} cannot be reached: {reason}. Check the network, a proxy, or ANTHROPIC_BASE_URL."
        )
    if isinstance(error, ImportError):
        return ProviderError(
            f"The platform {options.platform} needs a package that is not installed. "
            f"Install it with: pip install 'anthropic[{options.platform}]'"
        )
    if isinstance(error, anthropic.AnthropicError):
        return ProviderError(f"The anthropic package cannot send the request: {error}")
    if isinstance(error, (httpx2.HTTPError, httpx2.StreamError, ValueError)):
        return StreamBroken(f"The connection broke while the model was answering ({error}). Try again.")
    return error
