"""Piped input: read when something is there, joined to the prompt."""

from __future__ import annotations

import os
import select
import stat

from code_assistant.errors import UsageError

MAX_PIPED_BYTES = 5_000_000
FIRST_BYTE_SECONDS = 3.0


def full_prompt(prompt: str, descriptor: int) -> str:
    """The prompt with piped input behind it. Raises UsageError when there is nothing to ask."""
    # Bytes of the command line that are no text arrive as lone surrogates, which no request can carry.
    prompt = prompt.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    piped = _read(descriptor, wait=not prompt.strip())
    if not prompt.strip() and not piped.strip():
        raise UsageError('There is no prompt. Write it after -p, as in -p "Explain this code", or pipe it in.')
    if not piped.strip():
        return prompt
    if not prompt.strip():
        return piped
    return f"{prompt}\n\n<piped-input>\n{piped}\n</piped-input>"


def _read(descriptor: int, *, wait: bool) -> str:
    try:
        kind = os.fstat(descriptor).st_mode
    except OSError:
        return ""
    if os.isatty(descriptor):
        return ""
    is_pipe = stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)
    # A caller may leave a pipe open without ever writing to it; a prompt that is complete does not wait for that.
    if is_pipe and not wait and not select.select([descriptor], [], [], FIRST_BYTE_SECONDS)[0]:
        return ""
    content = bytearray()
    while chunk := os.read(descriptor, 65536):
        content += chunk
        if len(content) > MAX_PIPED_BYTES:
            raise UsageError(f"The piped input is larger than {MAX_PIPED_BYTES:,} bytes. Save it and name the file.")
    if b"\0" in content:
        raise UsageError("The piped input is not text. Save it and name the file in the prompt.")
    return content.decode("utf-8", "replace")
