"""Values as they come from a service: text without halves of characters, token counts that are numbers."""

from __future__ import annotations

import gc
import math
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
MAX_TOKENS = 10**12
# Of JSON, in characters.
LARGE = 64 * 1024


@contextmanager
def collected_later() -> Generator[None]:
    """Decode large JSON inside of this: with many small lists most of the time would go into collecting garbage."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def finite(text: str) -> float:
    """A number that can be written as JSON again; for `json.loads`, which takes one that is too large for infinite."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is too large a number")
    return number


def refuse_constant(name: str) -> float:
    """For `json.loads`, which takes some names for numbers that are none in JSON."""
    raise ValueError(f"{name} is not JSON")


def whole_characters(text: str) -> str:
    """The text with lone surrogates replaced: they can be in JSON but in no file, terminal or request."""
    return text if text.isascii() else LONE_SURROGATE.sub("\ufffd", text)


def newest_count(seen: Mapping[str, Any], field: str, known: int) -> int:
    """A number of tokens, or the known one where nothing is said; raises ValueError for what is no such number."""
    value = seen.get(field)
    if value is None:
        return known
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or not 0 <= value < MAX_TOKENS:
        raise ValueError(f"{field} is no number of tokens")
    return value
