"""What the states of a sub-agent are called, and what is told of it in one line."""

from __future__ import annotations

from code_assistant.events import EndStatus, NoticeLevel
from code_assistant.tui.agents.record import AgentRecord, AgentStatus
from code_assistant.tui.frame import numbers
from code_assistant.tui.frame.spans import Role
from code_assistant.tui.rendering.agent_header import WORDS, status_of

ROLES: dict[AgentStatus, Role] = {
    "queued": "muted",
    "spawning": "muted",
    "running": "accent",
    "waiting_permission": "warning",
    "idle": "accent",
    "shutting_down": "muted",
    "completed": "success",
    "completed_with_warning": "warning",
    "turn_limit_reached": "warning",
    "budget_exhausted": "warning",
    "cancelled": "muted",
    "failed": "error",
    "timed_out": "error",
    "interrupted": "muted",
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


def status_role(record: AgentRecord) -> Role:
    return ROLES[status_of(record)]


def status_words(record: AgentRecord) -> str:
    """What it is doing while it lives, how it ended afterwards."""
    status = status_of(record)
    if status in ("spawning", "running") and record.activity:
        return record.activity
    return _words(status)


def end_words(status: EndStatus) -> str:
    return _words(status).capitalize()


def end_level(status: EndStatus) -> NoticeLevel:
    return _LEVELS[status]


def cost_words(cost: float | None) -> str:
    """Empty where prices are unknown or nothing was paid: never a price that is none."""
    return numbers.money(cost) if cost is not None and numbers.is_known(cost) and cost > 0 else ""


def _words(status: AgentStatus) -> str:
    if status == "completed_with_warning":
        return "completed with a warning"
    return WORDS[status] or status
