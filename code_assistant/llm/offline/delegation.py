"""Handing tasks to sub-agents, all in one response, and reading what they report. Without sub-agents: one by one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from code_assistant.llm.offline.briefs import Task, brief, description
from code_assistant.llm.offline.folders import Group, divided
from code_assistant.llm.offline.markdown import plain
from code_assistant.llm.offline.steps import Call, Outcome, Outcomes, Part, Step
from code_assistant.llm.offline.tasks.choice import task_plan
from code_assistant.llm.offline.tool_texts import failure
from code_assistant.llm.offline.words import unlabelled

SPAWN = "spawn_agent"
_ENDED = "Sub-agent ended: "
_CANCELLED = "Sub-agent cancelled"
_WARNING = "Unverified file references:"
MOST_AGENTS = 6


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a task: the answer, or why there is none."""

    task: Task
    answer: str
    problem: str = ""
    is_verified: bool = True


def delegated(
    tasks: Sequence[Task], tools: frozenset[str], words: str = "", then: Sequence[Call] = ()
) -> Part[tuple[list[Report], Outcomes]]:
    """The reports in the order of the tasks, and what came of the calls made after them."""
    if SPAWN in tools and len(tasks) > 1:
        outcomes = yield Step((*map(_spawn, tasks), *then), words)
        told = [_report(task, outcome) for task, outcome in zip(tasks, outcomes, strict=False)]
        return told, outcomes[len(tasks) :]
    reports: list[Report] = []
    for task in tasks:
        answer = yield from task_plan(task)
        reports.append(Report(task, answer))
    outcomes = yield Step(tuple(then))
    return reports, outcomes


def _spawn(task: Task) -> Call:
    return Call(
        SPAWN,
        {
            "instructions": brief(task),
            "agent": "explore",
            "description": description(task),
            "mode": "read_only",
            "require_file_references": True,
        },
    )


def _report(task: Task, outcome: Outcome) -> Report:
    text = outcome.text.strip()
    if outcome.failed or text.startswith((_ENDED, _CANCELLED)):
        return Report(task, "", _reason(failure(outcome).strip()))
    answer, _, warning = text.partition(f"\n\n{_WARNING}")
    return Report(task, unlabelled(answer), is_verified=not warning)


def _reason(text: str) -> str:
    """Why there is no answer, in one line; an error of spawning is an object with a message in it."""
    try:
        return str(json.loads(text)["message"])
    except (ValueError, TypeError, KeyError):
        return text.split("\n")[0]


def shared_out(weights: Mapping[str, int]) -> list[Group]:
    """The folders that so many places are divided among; none where one could look at them all."""
    groups = [group for group in divided(weights) if not group.is_flat][:MOST_AGENTS]
    return groups if len(groups) > 1 else []


def report_lines(reports: Sequence[Report]) -> list[str]:
    """What sub-agents found, an item each, and behind that what they could not tell."""
    found = [each.answer for each in reports if each.answer]
    told = problems(reports)
    return [*found, "\n".join(["Not everything could be told:", "", *told])] if told else found


def problems(reports: Sequence[Report]) -> list[str]:
    """What sub-agents could not tell, and whose references could not be checked."""
    lost = [f"- {plain(description(each.task))}: {plain(each.problem)}" for each in reports if each.problem]
    unsure = [
        f"- {plain(description(each.task))}: not every reference could be checked"
        for each in reports
        if not each.is_verified
    ]
    return [*lost, *unsure]
