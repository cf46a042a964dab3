"""What is said about a session and about a sub-agent as a whole: when, where, by which model, for how much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from code_assistant.events import AgentFinished, AgentSpawned, EndStatus
from code_assistant.exporting.parts import Fact, Level, Status
from code_assistant.messages import Usage
from code_assistant.session.header import SessionHeader
from code_assistant.session.past import Totals

UNKNOWN_TIME = "unknown"
_LEVELS: dict[EndStatus, Level] = {
    "completed": "good",
    "completed_with_warning": "warning",
    "turn_limit_reached": "warning",
    "budget_exhausted": "warning",
    "cancelled": "warning",
    "failed": "bad",
    "timed_out": "bad",
    "interrupted": "warning",
}


def session_facts(
    header: SessionHeader, changed: float | None, models: Iterable[str], agents: int, totals: Totals
) -> Iterator[Fact]:
    yield Fact("Session", header.id)
    yield Fact("Folder", header.folder)
    if header.branch is not None:
        yield Fact("Branch", header.branch)
    if header.forked_from is not None:
        yield Fact("Copied from", header.forked_from.session_id)
    yield Fact("Begun", moment(header.created))
    if changed is not None:
        yield Fact("Last entry", moment(changed))
    if named := ", ".join(dict.fromkeys(models)):
        yield Fact("Model", named)
    if agents:
        yield Fact("Sub-agents", str(agents))
    yield Fact("Tokens", used(totals.usage))
    yield Fact("Cost", money(totals.cost))


def agent_facts(spawned: AgentSpawned, finished: AgentFinished | None, totals: Totals) -> Iterator[Fact]:
    """`totals` is what it used until now, for one that has not ended."""
    yield Fact("Model", spawned.model)
    yield Fact("Mode", spawned.mode.replace("_", " "))
    if finished is not None:
        yield Fact("Turns", str(finished.turns))
        yield Fact("Tool calls", str(finished.tool_calls))
        yield Fact("Time", f"{max(finished.duration, 0.0):.1f} s")
        totals = Totals(finished.usage, finished.cost)
    yield Fact("Tokens", used(totals.usage))
    yield Fact("Cost", money(totals.cost))


def end_status(status: EndStatus) -> Status:
    words = "completed with a warning" if status == "completed_with_warning" else status.replace("_", " ")
    return Status(words, _LEVELS[status])


def moment(seconds: float) -> str:
    """In universal time, because whoever reads it may be anywhere."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, OSError, ValueError):
        # A damaged file may claim any number.
        return UNKNOWN_TIME


def used(usage: Usage) -> str:
    return f"{usage.prompt:,} sent, {usage.output:,} received"


def money(cost: float | None) -> str:
    if cost is None:
        return "unknown"
    return "less than $0.01" if 0 < cost < 0.005 else f"${cost:.2f}"
