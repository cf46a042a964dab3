"""A session as a document: what was said and done, sub-agents folded inside of the calls that spawned them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from code_assistant.events import AgentFinished, AgentSpawned, RequestStarted, UsageAdded
from code_assistant.exporting.facts import agent_facts, end_status, session_facts
from code_assistant.exporting.parts import AgentWork, Answer, Document, Fact, Part, Status
from code_assistant.exporting.telling import Telling
from code_assistant.json_forms import TextFilter
from code_assistant.sanitize import sanitize
from code_assistant.session.lines import Entry
from code_assistant.session.lock import is_locked
from code_assistant.session.past import Past, Totals
from code_assistant.session.summary import summarise

UNTITLED = "Untitled session"
STILL_RUNNING = Status("still running", "neutral")
CUT_OFF = Status("interrupted", "warning")


def document_of(past: Past, mask: TextFilter) -> Document:
    """All that counts of a session, without what was rewound; `mask` takes keys out. Blocks.

    Raises WorkspaceError where the session's file is gone.
    """
    return _Documenting(past, mask).document()


class _Documenting:
    def __init__(self, past: Past, mask: TextFilter) -> None:
        self._past = past
        self._mask = mask
        self._unfinished = STILL_RUNNING if is_locked(past.folder.lock_file) else CUT_OFF
        self._spawned: dict[str, AgentSpawned] = {}
        self._finished: dict[str, AgentFinished] = {}
        # A damaged file could name a call as its own parent.
        self._told: set[str] = set()

    def document(self) -> Document:
        past = self._past
        entries = list(past.entries(past.segments))
        self._note_agents(entries)
        models = [entry.event.model for entry in entries if isinstance(entry.event, RequestStarted)]
        facts = session_facts(
            past.header, entries[-1].at if entries else None, models, len(self._spawned), past.totals()
        )
        title = summary.title if (summary := summarise(past.folder)) is not None else UNTITLED
        return Document(self._line(title), self._clean_facts(facts), self._parts(entries, is_main=True))

    def _note_agents(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            event = entry.event
            if isinstance(event, AgentSpawned) and event.origin.tool_call_id is not None:
                self._spawned[event.origin.tool_call_id] = event
            elif isinstance(event, AgentFinished) and event.origin.tool_call_id is not None:
                self._finished[event.origin.tool_call_id] = event

    def _parts(self, entries: Iterable[Entry], *, is_main: bool) -> tuple[Part, ...]:
        telling = Telling(self._clean, self._unfinished, self._work, is_main=is_main)
        for entry in entries:
            telling.take(entry.event)
        return telling.parts()

    def _work(self, call_id: str) -> AgentWork | None:
        spawned = self._spawned.get(call_id)
        if spawned is None or call_id in self._told:
            return None
        self._told.add(call_id)
        finished = self._finished.get(call_id)
        entries = self._past.agent_entries(call_id, with_pieces=True)
        parts = self._parts(entries, is_main=False)
        answer = self._clean(finished.answer) if finished is not None else ""
        return AgentWork(
            self._line(spawned.origin.name),
            self._line(spawned.label),
            end_status(finished.status) if finished is not None else self._unfinished,
            self._clean_facts(agent_facts(spawned, finished, _used(entries))),
            self._clean(spawned.instructions),
            _without_answer(parts, answer),
            answer,
            tuple(self._clean(each) for each in _problems(finished)),
        )

    def _clean_facts(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        return tuple(replace(fact, value=self._line(fact.value)) for fact in facts)

    def _clean(self, text: str) -> str:
        return sanitize(self._mask(text))

    def _line(self, text: str) -> str:
        return " ".join(self._clean(text).split())


def _used(entries: Iterable[Entry]) -> Totals:
    totals = Totals()
    for entry in entries:
        if isinstance(entry.event, UsageAdded):
            totals = totals.plus(entry.event.usage, entry.event.cost)
    return totals


def _without_answer(parts: tuple[Part, ...], answer: str) -> tuple[Part, ...]:
    """Its last words are its answer, which is told once."""
    places = [place for place, part in enumerate(parts) if isinstance(part, Answer) and part.text == answer]
    return parts[: places[-1]] + parts[places[-1] + 1 :] if places else parts


def _problems(finished: AgentFinished | None) -> Iterable[str]:
    return filter(None, (finished.warning, finished.error)) if finished is not None else ()
