"""Chunks of a Chat Completions stream, and what the mapper makes of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from code_assistant.llm.model import Provider
from code_assistant.llm.openai.mapper import ChunkMapper
from code_assistant.llm.provider import BlockFinished, Delta
from code_assistant.messages import Block, JsonObject

PROVIDER = Provider("local", "openai", "Local", "http://127.0.0.1:1/v1")


def chunk(delta: Any = None, finish: Any = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return {"id": "c1", "model": "m", "choices": [choice], **more}


def said(text: str) -> dict[str, Any]:
    return chunk({"content": text})


def called(*entries: dict[str, Any]) -> dict[str, Any]:
    return chunk({"tool_calls": list(entries)})


def entry(
    arguments: Any = None,
    name: str | None = None,
    call_id: str | None = None,
    index: int | None = None,
) -> dict[str, Any]:
    """A piece of a tool call with only what is given."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    given = {key: value for key, value in (("id", call_id), ("index", index)) if value is not None}
    return {**given, "function": function}


def mapped(chunks: Iterable[dict[str, Any]], schemas: dict[str, JsonObject] | None = None) -> list[Delta]:
    mapper = ChunkMapper(PROVIDER, schemas or {})
    deltas = [delta for each in chunks for delta in mapper.map(each)]
    return [*deltas, *mapper.end()]


def blocks(deltas: Iterable[Delta]) -> list[Block]:
    return [delta.block for delta in deltas if isinstance(delta, BlockFinished)]
