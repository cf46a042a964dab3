"""Opens a session to go on with it: mended, everything in it brought to an end, its conversation ready to be sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from code_assistant.events import (
    MAIN,
    AgentFinished,
    AgentSpawned,
    ModelChanged,
    Notice,
    RequestStarted,
    TodoChanged,
    TodoItem,
)
from code_assistant.messages import Message
from code_assistant.resuming.conversation import restored
from code_assistant.resuming.endings import unfinished
from code_assistant.resuming.interrupted_agents import interrupted, own_end, spawn_result
from code_assistant.session.event_file import EventFile
from code_assistant.session.files import SessionFiles
from code_assistant.session.lines import Entry
from code_assistant.session.past import Past, Totals
from code_assistant.session.store import SessionStore

TORN_WORDS = "The end of this session's file was not whole and was cut off."
DAMAGED_WORDS = "{0} left out of this session; the file as it was is kept at {1}."
UNREADABLE_WORDS = "{0} passed over in this session: nobody can read them. They stay in its file."


@dataclass(frozen=True, slots=True)
class Reopened:
    """A session that is held by this program. Its past can be shown at once; the rest takes a moment longer."""

    files: SessionFiles
    past: Past

    @property
    def notices(self) -> tuple[str, ...]:
        """What the person should know; complete when all that is wanted of the past was read."""
        trouble = (self.files.trouble,) if self.files.trouble is not None else ()
        return (*_repair_words(self.past), *trouble)

    def messages(self) -> tuple[Message, ...]:
        """The conversation, which every provider accepts; blocks."""
        return restored(self.past.conversation())

    def used_ids(self) -> set[str]:
        """Ids that no new tool call may have."""
        return self.past.used_ids()

    def totals(self) -> Totals:
        return self.past.totals()

    def model(self) -> str | None:
        """The model that was used last; blocks."""
        last = self.past.last_entry(("ModelChanged", "RequestStarted"))
        return cast("ModelChanged | RequestStarted", last.event).model if last is not None else None

    def todo(self) -> tuple[TodoItem, ...]:
        """The list as it stood; blocks."""
        last = self.past.last_entry(("TodoChanged",))
        return cast("TodoChanged", last.event).items if last is not None else ()


def reopen(store: SessionStore, session_id: str) -> Reopened:
    """Blocks. Raises SessionInUse, SessionNotFound, WorkspaceError or SessionFormatError."""
    files, past = store.open(session_id)
    try:
        bring_to_end(files, past)
    except BaseException:
        files.close()
        raise
    return Reopened(files, past)


def bring_to_end(files: SessionFiles, past: Past) -> None:
    """Write the ends of all that was under way when the program that wrote the session died."""
    state = unfinished(MAIN, ((entry.at, entry.event) for entry in past.last_prompt()), spawn_result)
    for spawned in _deepest_first(state.agents.values()):
        entries = past.agent_entries(spawned.origin.tool_call_id or "", with_pieces=True)
        finished = own_end(entries)
        if finished is None:
            finished = _bring_agent_to_end(files.agent_file(spawned.origin), spawned, entries)
        files.main.write(finished)
        state.take(finished, 0.0)
    for event in state.ends():
        files.main.write(event)
    past.look_again()


def _bring_agent_to_end(file: EventFile, spawned: AgentSpawned, entries: Sequence[Entry]) -> AgentFinished:
    ends = interrupted(spawned, entries)
    for event in ends:
        file.write(event)
    file.close()
    return cast("AgentFinished", ends[-1])


def _deepest_first(agents: Iterable[AgentSpawned]) -> list[AgentSpawned]:
    return sorted(agents, key=lambda spawned: -spawned.origin.depth)


def _repair_words(past: Past) -> Iterator[str]:
    if any(each.is_torn for each in past.repairs):
        yield TORN_WORDS
    for each in past.repairs:
        if each.kept_at is not None:
            yield DAMAGED_WORDS.format(_lines(each.damaged, "was", "were"), each.kept_at)
    if past.unreadable:
        words = UNREADABLE_WORDS.format(_lines(past.unreadable, "is", "are"))
        if not _stands_in(past, words):
            yield words


def _stands_in(past: Past, words: str) -> bool:
    """Whether the session itself says so since an earlier resume: these lines stay, and would be told each time."""
    notices = (entry.event for entry in past.entries(past.segments, ("Notice",)))
    return any(isinstance(event, Notice) and event.text == words for event in notices)


def _lines(count: int, one: str, several: str) -> str:
    return f"1 damaged line {one}" if count == 1 else f"{count} damaged lines {several}"
