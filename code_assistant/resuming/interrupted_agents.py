"""How a sub-agent ended that was still at work when the program died: as interrupted, with what it had found."""

from __future__ import annotations

from collections.abc import Sequence

from code_assistant.events import (
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    Event,
    PromptFinished,
    RequestStarted,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Text, ToolResult
from code_assistant.resuming.endings import unfinished
from code_assistant.session.lines import Entry
from code_assistant.session.past import Totals
from code_assistant.subagents.results import FAILED, result_text

DIED_ERROR = "The program ended while it was at work."
# What settings allow a parent to read of an answer is not known here; this is what they say unless changed.
MOST_CHARACTERS = 80_000


def own_end(entries: Sequence[Entry]) -> AgentFinished | None:
    """How it ended, where its own file says so: it is written there a moment before the session's file hears of it."""
    ends = [entry.event for entry in entries if isinstance(entry.event, AgentFinished)]
    return ends[0] if ends else None


def interrupted(spawned: AgentSpawned, entries: Sequence[Entry]) -> tuple[Event, ...]:
    """The ends of what it was doing, AgentFinished last. `entries` are all that is kept of it, pieces included."""
    totals = Totals()
    started = [entry.at for entry in entries if _is_start(entry)]
    for entry in entries:
        if isinstance(entry.event, UsageAdded):
            totals = totals.plus(entry.event.usage, entry.event.cost)
    state = unfinished(spawned.origin, ((entry.at, entry.event) for entry in entries), spawn_result)
    ends = tuple(state.ends())
    finished = AgentFinished(
        spawned.origin,
        "interrupted",
        # Only after the ends: the words it was about to say count as found.
        _found(entries) or state.answer,
        sum(isinstance(entry.event, RequestStarted) for entry in entries),
        sum(isinstance(entry.event, ToolStarted) for entry in entries),
        totals.usage,
        totals.cost,
        entries[-1].at - started[0] if started else 0.0,
        None,
        DIED_ERROR,
    )
    return (*ends, finished)


def spawn_result(finished: AgentFinished) -> ToolResult:
    """What the parent would have read of it."""
    is_cancelled = finished.status == "cancelled" and finished.error
    text = finished.error if is_cancelled else result_text(finished, None, _shortened)
    return ToolResult(finished.origin.tool_call_id or "", (Text(text or ""),), finished.status in FAILED)


def _shortened(answer: str) -> str:
    if len(answer) <= MOST_CHARACTERS:
        return answer
    return (
        f"{answer[:MOST_CHARACTERS]}\n\n[Cut here: {len(answer):,} characters in all. The person can show the whole.]"
    )


def _found(entries: Sequence[Entry]) -> str:
    """What was said on the way to a correction does not replace the answer that was to be corrected."""
    found = ""
    for entry in entries:
        if isinstance(entry.event, PromptFinished) and (entry.event.is_answered or not found):
            found = entry.event.answer or found
    return found


def _is_start(entry: Entry) -> bool:
    return isinstance(entry.event, AgentStatusChanged) and entry.event.status != "queued"
