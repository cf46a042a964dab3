"""What is printed once the screen is gone: the last answer, and how to come back."""

from __future__ import annotations

import shlex

from code_assistant.sanitize import sanitize

SHOWN_LINES = 40
CUT = "[… the answer was cut off here]"


def farewell(answer: str, folder: str, *, is_cut: bool = False) -> str:
    """Safe for a terminal; empty when nothing was said. An answer that was not written to its end says so."""
    lines = sanitize(answer).strip().split("\n")
    if not answer.strip():
        return ""
    if len(lines) > SHOWN_LINES:
        lines = [f"… {len(lines) - SHOWN_LINES} lines above", *lines[-SHOWN_LINES:]]
    if is_cut:
        lines.append(CUT)
    return "\n".join([*lines, "", f"Start again with: code-assistant {sanitize(shlex.quote(folder))}"])
