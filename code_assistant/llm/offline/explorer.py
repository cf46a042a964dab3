"""What the explorer answers to a request: the next step of the plan for the question, or the answer itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import assert_never

from code_assistant.llm.offline.conversation import Conversation, read_conversation
from code_assistant.llm.offline.intents import (
    Changes,
    Describe,
    Find,
    Intent,
    Overview,
    ProjectFacts,
    Sizes,
    Symbols,
    Talk,
    Topic,
    intent_of,
)
from code_assistant.llm.offline.plans.changes import NO_REPOSITORY, changes_plan
from code_assistant.llm.offline.plans.describe import describe_plan
from code_assistant.llm.offline.plans.find import find_plan
from code_assistant.llm.offline.plans.overview import overview_plan
from code_assistant.llm.offline.plans.project_facts import project_facts_plan
from code_assistant.llm.offline.plans.sizes import sizes_plan
from code_assistant.llm.offline.plans.symbols import symbols_plan
from code_assistant.llm.offline.plans.topics import topics_plan
from code_assistant.llm.offline.steps import Plan, Step, advance
from code_assistant.llm.offline.tasks.choice import task_plan
from code_assistant.llm.offline.words import (
    ENGLISH_ONLY,
    GREETING,
    HELP,
    NOT_UNDERSTOOD,
    REFUSAL,
    THANKS,
    labelled,
)
from code_assistant.llm.provider import ModelRequest

TALK = {
    "greeting": GREETING,
    "help": HELP,
    "thanks": THANKS,
    "cannot": REFUSAL,
    "unknown": NOT_UNDERSTOOD,
    "foreign": ENGLISH_ONLY,
}
# How the facts of the system prompt say it.
_NO_REPOSITORY = re.compile(r"^Where you are\n(?:- .*\n)*?- Not a git repository$", re.MULTILINE)
SAID_MEANWHILE = "What was said to me while I worked changed nothing: I follow one task to its end."
IMAGE_UNSEEN = "I did not look at the image: that takes a language model."
NOTHING_LEFT = "Nothing of what I found could be verified."


def respond(request: ModelRequest) -> Step | str:
    """Decided from the request alone, so that main agent, sub-agents, retries and resumed sessions are all alike."""
    conversation = read_conversation(request.messages)
    tools = frozenset(tool.name for tool in request.tools)
    plan = _plan(conversation, tools, has_repository=_NO_REPOSITORY.search(request.system) is None)
    step = advance(plan, conversation.rounds, tools, allow_tools=request.allow_tools)
    return step if isinstance(step, Step) else labelled(_finished(step, conversation))


def _plan(conversation: Conversation, tools: frozenset[str], *, has_repository: bool) -> Plan:
    if conversation.task is not None:
        return task_plan(conversation.task)
    return _intent_plan(intent_of(conversation.question), tools, has_repository=has_repository)


def _intent_plan(intent: Intent, tools: frozenset[str], *, has_repository: bool) -> Plan:
    match intent:
        case Overview():
            return overview_plan(tools)
        case ProjectFacts():
            return project_facts_plan()
        case Symbols():
            return symbols_plan(intent, tools)
        case Find(text):
            return find_plan(text, tools)
        case Describe(target):
            return describe_plan(target, tools)
        case Changes():
            return changes_plan() if has_repository else _said(NO_REPOSITORY)
        case Sizes():
            return sizes_plan(intent)
        case Topic():
            return topics_plan(intent, tools)
        case Talk(kind):
            return _said(TALK[kind])
        case _:
            assert_never(intent)


def _said(answer: str) -> Plan:
    """An answer that takes no call."""
    yield from ()
    return answer


def _finished(answer: str, conversation: Conversation) -> str:
    kept = _without(answer, conversation.refused) if conversation.refused else answer
    notes = [
        *([IMAGE_UNSEEN] if conversation.has_image else []),
        *([SAID_MEANWHILE] if conversation.said_meanwhile else []),
    ]
    return "\n\n".join([kept.strip() or NOTHING_LEFT, *notes])


def _without(answer: str, refused: Sequence[str]) -> str:
    """The lines of an answer that hold no reference which was refused; a long one is known by its end."""
    marks = [reference.removeprefix("…") for reference in refused]
    return "\n".join(line for line in answer.split("\n") if not any(mark in line for mark in marks))
