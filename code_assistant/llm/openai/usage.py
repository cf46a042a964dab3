"""The tokens of a response as Chat Completions reports them, in our own terms."""

from __future__ import annotations

from typing import Any

from code_assistant.llm.wire_values import newest_count
from code_assistant.messages import Usage


def usage_of(seen: dict[str, Any], known: Usage) -> Usage:
    """The newest report, which counts from the beginning; what it does not say stays as it is known.

    Here the prompt includes what was cached, and the completion what was thought, except where the total says that
    it came on top.
    """
    details: dict[str, Any] = seen.get("prompt_tokens_details") or {}
    prompt = newest_count(seen, "prompt_tokens", known.prompt)
    cached = newest_count(seen, "prompt_cache_hit_tokens", known.cache_read)
    cached = min(newest_count(details, "cached_tokens", cached), prompt)
    written = min(newest_count(details, "cache_write_tokens", known.cache_write), prompt - cached)
    output = newest_count(seen, "completion_tokens", known.output)
    total = newest_count(seen, "total_tokens", prompt + output)
    return Usage(
        input=prompt - cached - written,
        output=max(output, total - prompt),
        cache_read=cached,
        cache_write=written,
    )
