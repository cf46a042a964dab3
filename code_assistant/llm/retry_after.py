"""When a service says that it may be asked again: in seconds, milliseconds, or as a date."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

SECONDS_IN_WORDS = 60.0
HOURS_ALONE = 12 * 3600.0
# The last moment that every platform can write as a date.
LATEST = 2**31 - 1


def retry_after(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float | None:
    """Seconds to wait, or None where the service does not say so, or not in a way that makes sense."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if not text:
            continue
        seconds = _number(text, scale)
        if seconds is None:
            seconds = _until(text, now)
        if seconds is not None:
            return max(0.0, seconds)
    return None


def when_words(wait: float | None, now: Callable[[], float] = time.time) -> str:
    """What to do about it, for the person."""
    if wait is None:
        return "Try again in a moment."
    if wait <= SECONDS_IN_WORDS:
        return f"Try again in {wait:.0f} s."
    at = time.localtime(min(now() + wait, LATEST))
    return f"Try again after {time.strftime('%H:%M on %d %B' if wait > HOURS_ALONE else '%H:%M', at)}."


def _number(text: str, scale: float) -> float | None:
    try:
        seconds = float(text) * scale
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None


def _until(text: str, now: Callable[[], float]) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() - now()
    except (ValueError, TypeError, OverflowError):
        return None
