"""Looks for words in all sessions, also in what their sub-agents said and did.

Files are read once, line by line. A line is parsed only where its bytes say that it may have the words.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from code_assistant.errors import AssistantError
from code_assistant.events import AgentSpawned, Origin, PromptStarted, Rewound, ToolFinished, ToolStarted
from code_assistant.json_forms import TextFilter
from code_assistant.session.folder import SessionFolder
from code_assistant.session.index import list_sessions
from code_assistant.session.line_filter import LineFilter
from code_assistant.session.lines import Entry, kind_of
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.searched_text import SEARCHED, searched_text
from code_assistant.session.summary import SessionSummary

logger = logging.getLogger(__name__)

MAX_FOUND = 100
SNIPPET_CHARACTERS = 120
# They say where something stands, whatever is looked for.
_PLACES = frozenset({"PromptStarted", "Rewound", "AgentSpawned"})


@dataclass(frozen=True, slots=True)
class Found:
    """An entry that has all the words. `who` is the name of the agent whose entry it is."""

    session: SessionSummary
    who: str
    at: float
    snippet: str
    prompt_id: str
    tool_call_id: str | None = None


def search(
    folder: Path, words: str, mask: TextFilter, limit: int = MAX_FOUND
) -> Generator[tuple[Found, ...], None, None]:
    """What was found, a file at a time, so that whoever looks can stop; newest sessions first, `limit` in all.

    All words must occur in one entry, in any order and case. What was rewound is not looked at. `mask` takes keys out
    of a text before some of it is shown. Blocks.
    """
    wanted = tuple(words.lower().split())
    if not wanted:
        return
    left = limit
    for session in list_sessions(folder):
        for found in _in_session(SessionFolder(folder / session.id), session, wanted, mask):
            yield found[:left]
            left -= len(found)
            if left <= 0:
                return


def _in_session(
    folder: SessionFolder, session: SessionSummary, words: tuple[str, ...], mask: TextFilter
) -> Iterator[tuple[Found, ...]]:
    main = _FileSearch(session, words, mask)
    main.read(folder.main_file)
    yield main.found(main.agents)
    own = frozenset(folder.agent_files())
    for call_id, prompt_id in main.agents.items():
        agent = _FileSearch(session, words, mask, call_id, prompt_id)
        if folder.agent_file(call_id) in own:
            agent.read(folder.agent_file(call_id))
            yield agent.found(main.agents)


class _FileSearch:
    """One file; `agents` are the sub-agents that count, by the call that spawned them, and the prompts they are of."""

    def __init__(
        self,
        session: SessionSummary,
        words: tuple[str, ...],
        mask: TextFilter,
        call_id: str | None = None,
        prompt_id: str = "",
    ) -> None:
        self.agents: dict[str, str] = {}
        self._session = session
        self._words = words
        self._mask = mask
        self._filter = LineFilter(words)
        self._call_id = call_id
        self._prompt_id = prompt_id
        # Of each prompt, and how much had been found before it, sub-agents included; and where each is in this list.
        self._starts: list[tuple[str, int, int]] = []
        self._places: dict[str, int] = {}
        # Each with the tool call that it is about, if any.
        self._found: list[tuple[str | None, Found]] = []
        # The same text may stand in several entries of one prompt.
        self._seen: set[tuple[str, str]] = set()

    def found(self, agents: Collection[str]) -> tuple[Found, ...]:
        """Without what calls say that spawned sub-agents: it stands in the files of those."""
        return tuple(found for call_id, found in self._found if call_id not in agents)

    def read(self, path: Path) -> None:
        """What cannot be read costs that file, or that line, only."""
        try:
            reader = SessionFileReader(path)
            for _, line in reader.lines():
                self._take(reader, line)
        except (AssistantError, OSError) as error:
            logger.debug("%s is not searched: %s", path, error)

    def _take(self, reader: SessionFileReader, line: bytes) -> None:
        kind = kind_of(line)
        is_place = self._call_id is None and kind in _PLACES
        is_candidate = kind in SEARCHED and self._filter.may_have(line)
        if not is_place and not is_candidate:
            return
        entry = reader.entry_or_none(line)
        if entry is None:
            return
        if is_place:
            self._note_place(entry.event)
        text = searched_text(entry.event, is_main=self._call_id is None) if is_candidate else ""
        folded = text.lower()
        if all(word in folded for word in self._words) and (self._prompt_id, text) not in self._seen:
            self._seen.add((self._prompt_id, text))
            self._add(entry, text)

    def _add(self, entry: Entry, text: str) -> None:
        event = entry.event
        about = event.tool_call_id if isinstance(event, ToolStarted | ToolFinished) else None
        told = snippet(self._mask(text), self._words)
        found = Found(self._session, event.origin.name, entry.at, told, self._prompt_id, self._call_id)
        self._found.append((about, found))

    def _note_place(self, event: object) -> None:
        match event:
            case PromptStarted(_, prompt_id):
                self._places.setdefault(prompt_id, len(self._starts))
                self._starts.append((prompt_id, len(self._found), len(self.agents)))
                self._prompt_id = prompt_id
            case AgentSpawned(Origin(tool_call_id=str(call_id))):
                self.agents[call_id] = self._prompt_id
            case Rewound(_, prompt_id):
                self._forget(prompt_id)
            case _:
                pass

    def _forget(self, prompt_id: str) -> None:
        place = self._places.get(prompt_id)
        if place is None:
            return
        _, found, agents = self._starts[place]
        while len(self._starts) > place:
            gone, _, _ = self._starts.pop()
            if self._places[gone] == len(self._starts):
                del self._places[gone]
        self._prompt_id = self._starts[-1][0] if self._starts else ""
        del self._found[found:]
        while len(self.agents) > agents:
            self.agents.popitem()


def snippet(text: str, words: Iterable[str]) -> str:
    """One line around the first of the words, cut where it is too long."""
    flat = " ".join(text.split())
    folded = flat.lower()
    first = min((place for word in words if (place := folded.find(word)) >= 0), default=0)
    start = max(first - SNIPPET_CHARACTERS // 3, 0)
    end = start + SNIPPET_CHARACTERS
    return f"{'…' if start else ''}{flat[start:end].strip()}{'…' if end < len(flat) else ''}"
