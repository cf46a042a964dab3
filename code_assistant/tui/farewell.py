"""What is printed once the screen is gone: the last answer, and how to come back."""

from __future__ import annotations

from code_assistant.sanitize import sanitize

SHOWN_LINES = 40
# So much of an id is enough to find it again.
SHORT_ID = 8
CUT = "[… the answer was cut off here]"


def farewell(answer: str, session_id: str | None, *, is_cut: bool = False) -> str:
    """Safe for a terminal; empty when nothing was said. An answer that was not written to its end says so.

    `session_id` is how to come back to it, None where it was not kept.
    """
    lines = sanitize(answer).strip().split("\n")
    if not answer.strip():
        return ""
    if len(lines) > SHOWN_LINES:
        lines = [f"… {len(lines) - SHOWN_LINES} lines above", *lines[-SHOWN_LINES:]]
    if is_cut:
        lines.append(CUT)
    if session_id is not None:
        lines += ["", f"Go on with: code-assistant --resume {session_id[:SHORT_ID]}"]
    return "\n".join(lines)
