"""What is printed once the screen is gone: the last answer, and how to go on."""

from __future__ import annotations

from code_assistant.sanitize import sanitize

SHOWN_LINES = 40


def farewell(answer: str, folder: str) -> str:
    """Safe for a terminal; empty when nothing was said."""
    lines = sanitize(answer).strip().split("\n")
    if not answer.strip():
        return ""
    if len(lines) > SHOWN_LINES:
        lines = [f"… {len(lines) - SHOWN_LINES} lines above", *lines[-SHOWN_LINES:]]
    return "\n".join([*lines, "", f"Go on with: code-assistant {sanitize(folder)}"])
