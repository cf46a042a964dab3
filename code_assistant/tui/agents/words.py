"""What the states of a sub-agent are called, and the marks that they have beside their colours."""

from __future__ import annotations

from code_assistant.events import EndStatus, NoticeLevel
from code_assistant.tui.agents.record import AgentRecord, AgentStatus
from code_assistant.tui.frame.spans import Role

GLYPHS: dict[AgentStatus, str] = {
    "queued": "○",
    "spawning": "◐",
    "running": "◐",
    "waiting_permission": "?",
    "idle": "◇",
    "shutting_down": "◐",
    "completed": "✓",
    "completed_with_warning": "!",
    "turn_limit_reached": "!",
    "budget_exhausted": "!",
    "cancelled": "■",
    "failed": "✗",
    "timed_out": "✗",
    "interrupted": "■",
}
ROLES: dict[AgentStatus, Role] = {
    "queued": "muted",
    "spawning": "accent",
    "running": "accent",
    "waiting_permission": "warning",
    "idle": "muted",
    "shutting_down": "muted",
    "completed": "success",
    "completed_with_warning": "warning",
    "turn_limit_reached": "warning",
    "budget_exhausted": "warning",
    "cancelled": "warning",
    "failed": "error",
    "timed_out": "error",
    "interrupted": "warning",
}
_WORDS: dict[AgentStatus, str] = {
    "queued": "waits for a place",
    "spawning": "starting",
    "running": "running",
    "waiting_permission": "waits for you",
    "idle": "idle",
    "shutting_down": "ending",
    "completed": "completed",
    "completed_with_warning": "completed with a warning",
    "turn_limit_reached": "turn limit reached",
    "budget_exhausted": "budget used up",
    "cancelled": "cancelled",
    "failed": "failed",
    "timed_out": "timed out",
    "interrupted": "interrupted",
}
_LEVELS: dict[EndStatus, NoticeLevel] = {
    "completed": "info",
    "completed_with_warning": "warning",
    "turn_limit_reached": "warning",
    "budget_exhausted": "warning",
    "cancelled": "warning",
    "failed": "error",
    "timed_out": "error",
    "interrupted": "warning",
}


def status_words(record: AgentRecord) -> str:
    """What it is doing while it lives, how it ended afterwards."""
    if record.status in ("spawning", "running") and record.activity:
        return record.activity
    return _WORDS[record.status]


def end_words(status: EndStatus) -> str:
    return _WORDS[status].capitalize()


def end_level(status: EndStatus) -> NoticeLevel:
    return _LEVELS[status]
