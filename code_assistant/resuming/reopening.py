"""Opens a session to go on with it: mended, everything in it brought to an end, its conversation ready to be sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from code_assistant.events import MAIN, AgentSpawned, ModelChanged, RequestStarted, TodoChanged, TodoItem
from code_assistant.messages import Message
from code_assistant.resuming.conversation import restored
from code_assistant.resuming.endings import unfinished
from code_assistant.resuming.interrupted_agents import interrupted, spawn_result
from code_assistant.session.files import SessionFiles
from code_assistant.session.past import Past, Totals
from code_assistant.session.store import SessionStore

TORN_WORDS = "The end of this session's file was not whole and was cut off."
DAMAGED_WORDS = "{0} damaged lines were left out of this session; the file as it was is kept at {1}."


@dataclass(frozen=True, slots=True)
class Reopened:
    """A session that is held by this program. Its past can be shown at once; the rest takes a moment longer."""

    files: SessionFiles
    past: Past

    @property
    def notices(self) -> tuple[str, ...]:
        return tuple(_repair_words(self.past))

    def messages(self) -> tuple[Message, ...]:
        """The conversation, which every provider accepts; blocks."""
        return restored(self.past.conversation())

    def used_ids(self) -> set[str]:
        """Ids that no new tool call may have."""
        return {path.stem for path in self.past.agent_files()}

    def totals(self) -> Totals:
        return self.past.totals()

    def model(self) -> str | None:
        """The model that was used last; blocks."""
        found = None
        for entry in self.past.entries(self.past.segments, ("ModelChanged", "RequestStarted")):
            if isinstance(entry.event, ModelChanged | RequestStarted):
                found = entry.event.model
        return found

    def todo(self) -> tuple[TodoItem, ...]:
        """The list as it stood; blocks."""
        items: tuple[TodoItem, ...] = ()
        for entry in self.past.entries(self.past.segments, ("TodoChanged",)):
            items = cast("TodoChanged", entry.event).items
        return items


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
        finished = interrupted(spawned, past.agent_entries(spawned.origin.tool_call_id or "", with_pieces=True))
        file = files.agent_file(spawned.origin)
        file.write(finished)
        file.close()
        files.main.write(finished)
        state.take(finished, 0.0)
    for event in state.ends():
        files.main.write(event)
    past.look_again()


def _deepest_first(agents: Iterable[AgentSpawned]) -> list[AgentSpawned]:
    return sorted(agents, key=lambda spawned: -spawned.origin.depth)


def _repair_words(past: Past) -> Iterator[str]:
    if any(each.is_torn for each in past.repairs):
        yield TORN_WORDS
    for each in past.repairs:
        if each.kept_at is not None:
            yield DAMAGED_WORDS.format(each.damaged, each.kept_at)
