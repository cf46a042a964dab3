"""Tool input as it arrives from a model: complete, an object, each key once; anything else is a named problem."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any, cast

from code_assistant.llm.wire_values import LARGE, collected_later, finite, refuse_constant

# More than models write in one answer. All of it is decoded in one go, so that it must not be much.
MAX_CHARACTERS = 1024 * 1024


class _NotStrictJson(ValueError):
    """JSON that Python would accept although another reader may understand it differently."""


def parse_tool_input(text: str) -> tuple[dict[str, Any], str | None]:
    """The input, or an empty one and the problem with it, in words that the model can act on."""
    if len(text) > MAX_CHARACTERS:
        return {}, f"The tool's input is longer than {MAX_CHARACTERS:,} characters. Do it in smaller parts."
    try:
        with collected_later() if len(text) >= LARGE else nullcontext():
            parsed: Any = json.loads(
                text, object_pairs_hook=_unique_keys, parse_constant=refuse_constant, parse_float=finite
            )
            text.encode("utf-8")
            json.dumps(parsed, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        return {}, f"The tool's input is not complete, valid JSON ({error})."
    if not isinstance(parsed, dict):
        return {}, "The tool's input must be a JSON object."
    return cast("dict[str, Any]", parsed), None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _NotStrictJson("a key is given twice")
    return fields
