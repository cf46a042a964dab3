"""Finds the models of servers on this machine. Whatever else listens on their ports is passed over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from code_assistant.errors import UsageError
from code_assistant.llm.catalogue import SEPARATOR
from code_assistant.llm.model import Model, Provider
from code_assistant.llm.model_table import CAUTIOUS_LOCAL_WINDOW, CAUTIOUS_OUTPUT, OUTPUT_SHARE

logger = logging.getLogger(__name__)

MAX_NAME = 200
MAX_MODELS = 200
MAX_WINDOW = 100_000_000
# A server on this machine answers at once, or is none.
ANSWER_SECONDS = 0.5


async def find_local_models(providers: Iterable[Provider], timeout: float | None = None) -> tuple[Model, ...]:
    """Ask every server on this machine at once, each for so many seconds; never raises."""
    patience = ANSWER_SECONDS if timeout is None else timeout
    found = await asyncio.gather(*(_models_of(provider, patience) for provider in providers if _is_asked(provider)))
    return tuple(model for models in found for model in models)


def _is_asked(provider: Provider) -> bool:
    try:
        # A port that is none is told only by asking for it, and httpx does not ask.
        return provider.kind == "openai" and provider.is_local and urlsplit(provider.base_url).port != 0
    except ValueError as error:
        logger.debug("%s has no address that can be read: %s", provider.name, error)
        return False


async def _models_of(provider: Provider, timeout: float) -> tuple[Model, ...]:
    # The first time it takes long enough to be felt.
    await asyncio.to_thread(__import__, "httpx")
    import httpx

    from code_assistant.llm.model_list import get_model_list
    from code_assistant.llm.stream import create_http_client

    url = f"{provider.base_url.rstrip('/')}/models"
    try:
        async with (
            asyncio.timeout(timeout),
            create_http_client(provider.base_url, timeout) as http,
        ):
            answer = await get_model_list(http, url, {"accept": "application/json"})
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, UsageError) as error:
        logger.debug("%s gives no models: %r", provider.name, error)
        return ()
    if answer.status != 200:
        logger.debug("%s gives no models: HTTP %d", provider.name, answer.status)
    named = {model.name: model for entry in answer.entries if (model := _model(provider, entry)) is not None}
    return tuple(named.values())[:MAX_MODELS]


def _model(provider: Provider, entry: Mapping[str, Any]) -> Model | None:
    model_id = entry.get("id")
    if not isinstance(model_id, str) or not model_id or not model_id.isprintable() or model_id != model_id.strip():
        return None
    name = f"{provider.name}{SEPARATOR}{model_id}"
    if len(name) > MAX_NAME or "embed" in model_id.lower():
        return None
    window = _window(entry)
    return Model(
        name=name,
        id=model_id,
        provider=provider.name,
        context_window=window,
        max_output_tokens=min(CAUTIOUS_OUTPUT, max(window // OUTPUT_SHARE, 1)),
    )


def _window(entry: Mapping[str, Any]) -> int:
    """What the model was loaded with counts more than what it could hold. vLLM, llama.cpp, LM Studio and others."""
    meta: Any = entry.get("meta")
    loaded = cast("dict[str, Any]", meta) if isinstance(meta, dict) else {}
    said = (
        entry.get("max_model_len"),
        loaded.get("n_ctx"),
        entry.get("loaded_context_length"),
        entry.get("context_length"),
        entry.get("max_context_length"),
        loaded.get("n_ctx_train"),
    )
    return next((size for size in said if type(size) is int and 0 < size <= MAX_WINDOW), CAUTIOUS_LOCAL_WINDOW)
