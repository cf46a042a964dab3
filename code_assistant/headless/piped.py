"""Piped input: read when something is there, joined to the prompt."""

from __future__ import annotations

import os
import select
import stat
from collections.abc import Callable

from code_assistant.errors import UsageError

MAX_PIPED_BYTES = 5_000_000
FIRST_BYTE_SECONDS = 3.0
LATE_WORDS = (
    f"No piped input came within {FIRST_BYTE_SECONDS:.0f} s; going on without it. "
    "For input that takes longer, save it to a file and name the file in the prompt."
)


def full_prompt(prompt: str, descriptor: int, warn: Callable[[str], None]) -> str:
    """The prompt with piped input behind it. Raises UsageError when there is nothing to ask.

    It blocks, so it belongs before the event loop, where Ctrl+C ends it.
    """
    # Bytes of the command line that are no text arrive as lone surrogates, which no request can carry.
    prompt = prompt.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if prompt.strip() and not _has_input(descriptor):
        warn(LATE_WORDS)
        return prompt
    piped = _read(descriptor)
    if not prompt.strip() and not piped.strip():
        raise UsageError('There is no prompt. Write it after -p, as in -p "Explain this code", or pipe it in.')
    if not piped.strip():
        return prompt
    if not prompt.strip():
        return piped
    return f"{prompt}\n\n<piped-input>\n{piped}\n</piped-input>"


def _has_input(descriptor: int) -> bool:
    """False for a pipe that stays silent: a caller may leave one open without ever writing to it."""
    try:
        kind = os.fstat(descriptor).st_mode
    except OSError:
        return True
    if not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
        return True
    return bool(select.select([descriptor], [], [], FIRST_BYTE_SECONDS)[0])


def _next_chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:
        # Open, but not for reading.
        return b""


def _read(descriptor: int) -> str:
    try:
        os.fstat(descriptor)
    except OSError:
        # Standard input is closed: nothing is piped in.
        return ""
    if os.isatty(descriptor):
        return ""
    content = bytearray()
    while chunk := _next_chunk(descriptor):
        content += chunk
        if len(content) > MAX_PIPED_BYTES:
            raise UsageError(f"The piped input is larger than {MAX_PIPED_BYTES:,} bytes. Save it and name the file.")
    if b"\0" in content:
        raise UsageError("The piped input is not text. Save it and name the file in the prompt.")
    return content.decode("utf-8", "replace")
