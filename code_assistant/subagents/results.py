"""What the parent reads of a sub-agent that has ended: its answer, or how it ended and what it found until then."""

from __future__ import annotations

import re
from collections.abc import Callable

from code_assistant.errors import WorkspaceError
from code_assistant.events import AgentFinished, EndStatus
from code_assistant.subagents.child import EndReason
from code_assistant.workspace.spill import SpillFolder

CANCELLED_BY_PERSON = "Sub-agent cancelled by user."
CANCELLED_WITH_PARENT = "Sub-agent cancelled: its parent was interrupted."
SESSION_ENDED = "Sub-agent cancelled: its parent session ended."
NOTHING_FOUND = "(It had found nothing yet.)"
CHARACTERS_A_TOKEN = 4
FAILED: frozenset[EndStatus] = frozenset({"failed", "cancelled", "timed_out", "interrupted"})
# The words our own prompts put into angle brackets; as a sub-agent's words they must not look like ours.
OWN_TAG = re.compile(r"<(?=/?from-parent\b)", re.IGNORECASE)

CANCELLED: dict[EndReason, str] = {
    "person": CANCELLED_BY_PERSON,
    "parent": CANCELLED_WITH_PARENT,
    "session": SESSION_ENDED,
}


def result_text(finished: AgentFinished, reason: EndReason | None, shorten: Callable[[str], str]) -> str:
    """The answer, shortened where it must be, and around it what must not be lost."""
    if reason is not None and reason in CANCELLED:
        return CANCELLED[reason]
    answer = shorten(defused(finished.answer))
    warning = defused(finished.warning or "")
    match finished.status:
        case "completed":
            return answer
        case "completed_with_warning":
            return f"{answer}\n\n{warning}"
        case status:
            cause = defused(finished.error or "") if status == "failed" else ""
            parts = (f"Sub-agent ended: {status}.", cause, answer.strip() or NOTHING_FOUND, warning)
            return "\n\n".join(part for part in parts if part)


def defused(text: str) -> str:
    """Text that is only data: tags of ours lose their bracket, all else stays as it is."""
    return OWN_TAG.sub("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", text)


def shortened(text: str, max_tokens: int, spill: SpillFolder, name: str) -> str:
    """A text that is too long for the parent's conversation: its beginning, and where the whole of it can be read."""
    limit = max_tokens * CHARACTERS_A_TOKEN
    if len(text) <= limit:
        return text
    head = text[:limit]
    try:
        file = spill.create(f"result-{name}")
        try:
            file.write(spill.masker.mask(text).encode("utf-8", "replace"))
        finally:
            file.close()
    except (OSError, WorkspaceError) as error:
        return f"{head}\n\n[Cut here; the rest could not be stored: {error}]"
    return f"{head}\n\n[Cut here: {len(text):,} characters in all. read_files shows the whole: {file.path}]"
