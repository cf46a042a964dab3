"""The list of models that a service gives at `/models`: one bounded GET, whatever may answer there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import httpx

MAX_LIST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelList:
    """What was answered; the entries are empty unless the status is 200."""

    status: int
    entries: tuple[Mapping[str, Any], ...] = ()


async def get_model_list(http: httpx.AsyncClient, url: str, headers: Mapping[str, str]) -> ModelList:
    """Ask once. Raises ValueError for an answer that is no list of models, and what httpx raises."""
    async with http.stream("GET", url, headers=dict(headers)) as response:
        if response.status_code != 200:
            return ModelList(response.status_code)
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ValueError("a compressed answer, which was not asked for")
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > MAX_LIST_BYTES:
                raise ValueError(f"an answer of more than {MAX_LIST_BYTES:,} bytes")
    return ModelList(200, _entries(bytes(body)))


def _entries(body: bytes) -> tuple[Mapping[str, Any], ...]:
    try:
        document: Any = json.loads(body)
    except RecursionError as error:
        raise ValueError("an answer that is nested too deeply") from error
    listed: Any = cast("dict[str, Any]", document).get("data") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise ValueError("an answer that is no list of models")  # noqa: TRY004 - it is the data that is wrong
    entries = cast("list[Any]", listed)
    return tuple(cast("dict[str, Any]", entry) for entry in entries if isinstance(entry, dict))
