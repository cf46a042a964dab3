"""What a transport does for the Anthropic client: send one body, give the stream's events as plain objects."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.patience import Patience


class Transport(Protocol):
    """Raises ProviderError for every failure; leaving the context closes the connection at once."""

    def events(
        self, body: dict[str, Any], monitor: StreamMonitor
    ) -> AbstractAsyncContextManager[AsyncIterator[dict[str, Any]]]: ...

    def patience(self, wanted: Patience) -> Patience:
        """What can be told apart of a stream that is seen through this transport."""
        ...

    async def close(self) -> None: ...
