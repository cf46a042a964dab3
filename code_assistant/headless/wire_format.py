"""The lines of stream-json, in the shape that other tools read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from code_assistant import __version__
from code_assistant.errors import AssistantError
from code_assistant.events import (
    MAIN,
    Compacted,
    Event,
    Origin,
    PermissionRefused,
    PromptFinished,
    RequestDelayed,
    ResponseAdded,
    ToolResultsAdded,
)
from code_assistant.headless.tally import Tally
from code_assistant.message_json import block_object, usage_object

SUBTYPES = {
    "completed": "success",
    "turn_limit_reached": "error_max_turns",
    "budget_exhausted": "error_max_budget",
}


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What every line and the first one in particular say about the session."""

    session_id: str
    folder: str
    model: str
    permission_mode: str
    tools: tuple[str, ...]
    agents: tuple[str, ...] = ()


def init_line(facts: SessionFacts) -> dict[str, Any]:
    return {
        "type": "system",
        "subtype": "init",
        "session_id": facts.session_id,
        "cwd": facts.folder,
        "model": facts.model,
        "permissionMode": facts.permission_mode,
        "tools": list(facts.tools),
        "agents": list(facts.agents),
        "mcp_servers": [],
        "version": __version__,
    }


def event_line(facts: SessionFacts, event: Event) -> dict[str, Any] | None:
    """The line of one event, None for events that have none."""
    match event:
        case ResponseAdded(origin, response):
            message = {
                "id": response.id,
                "role": "assistant",
                "model": response.model,
                "content": [block_object(block) for block in response.message.content],
                "stop_reason": response.stop_reason,
                "usage": usage_object(response.usage),
            }
            return {"type": "assistant", "message": message, **frame(facts, origin)}
        case ToolResultsAdded(origin, results):
            content = [block_object(block) for block in results.content]
            return {"type": "user", "message": {"role": "user", "content": content}, **frame(facts, origin)}
        case Compacted(origin, reason, before, after):
            trigger = "manual" if reason == "asked" else "auto"
            return {
                "type": "system",
                "subtype": "compact_boundary",
                "compact_metadata": {"trigger": trigger, "pre_tokens": before, "post_tokens": after},
                **frame(facts, origin),
            }
        case PermissionRefused(origin, tool_call_id, tool_name, reason):
            return {
                "type": "system",
                "subtype": "permission_denied",
                "tool": tool_name,
                "tool_use_id": tool_call_id,
                "agent_id": origin.agent_id,
                "reason": reason,
                **frame(facts, origin),
            }
        case RequestDelayed(origin, wait, attempt, attempts, reason, is_rate_limit, status):
            return {
                "type": "system",
                "subtype": "api_retry",
                "attempt": attempt,
                "max_attempts": attempts,
                "retry_delay_ms": round(wait * 1000),
                "is_rate_limit": is_rate_limit,
                "error_status": status,
                "error": reason,
                "agent_id": origin.agent_id,
                **frame(facts, origin),
            }
        case _:
            return None


def result_line(facts: SessionFacts, tally: Tally) -> dict[str, Any]:
    """The last line: how it ended and what it took."""
    finished = tally.finished
    succeeded = tally.outcome == "completed"
    line: dict[str, Any] = {
        "type": "result",
        "subtype": SUBTYPES.get(tally.outcome, "error_during_execution"),
        "is_error": not succeeded,
        "result": tally.answer or tally.error,
        "num_turns": finished.turns if finished is not None else 0,
        "duration_ms": round(finished.duration * 1000) if finished is not None else 0,
        "total_cost_usd": None if tally.cost is None else round(tally.cost, 6),
        "usage": usage_object(tally.usage),
        "tree_usage": usage_object(tally.tree_usage),
        "permission_denials": [
            {"tool_name": each.tool_name, "tool_use_id": each.tool_call_id, "reason": each.reason}
            for each in tally.denials
        ],
        "session_id": facts.session_id,
    }
    return line if succeeded else {**line, "error": tally.error}


def failure_line(error: AssistantError) -> dict[str, Any]:
    """The result of a run that failed before its session began."""
    tally = Tally()
    tally.take(PromptFinished(MAIN, "", "failed", "", 0, 0.0, error.person, error.kind))
    return result_line(SessionFacts("", "", "", "", ()), tally)


def frame(facts: SessionFacts, origin: Origin) -> dict[str, Any]:
    """What every line about an agent ends with."""
    return {"parent_tool_use_id": origin.tool_call_id, "session_id": facts.session_id, "uuid": str(uuid4())}
