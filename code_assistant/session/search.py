"""Looks for words in all sessions, also in what their sub-agents said and did.

Files are read once, line by line. A line is parsed only where its bytes say that it may have the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from code_assistant.errors import AssistantError
from code_assistant.events import AgentSpawned, PromptStarted, Rewound
from code_assistant.session.folder import SessionFolder
from code_assistant.session.index import list_sessions
from code_assistant.session.line_filter import LineFilter
from code_assistant.session.lines import kind_of
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.searched_text import SEARCHED, searched_text
from code_assistant.session.summary import SessionSummary

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


def search(folder: Path, words: str, limit: int = MAX_FOUND) -> Iterator[tuple[Found, ...]]:
    """What was found, a file at a time, so that whoever looks can stop; newest sessions first, `limit` in all.

    All words must occur in one entry, in any order and case. What was rewound is not looked at. Blocks.
    """
    wanted = tuple(words.lower().split())
    if not wanted:
        return
    left = limit
    for session in list_sessions(folder):
        for found in _in_session(SessionFolder(folder / session.id), session, wanted):
            yield found[:left]
            left -= len(found)
            if left <= 0:
                return


def _in_session(folder: SessionFolder, session: SessionSummary, words: tuple[str, ...]) -> Iterator[tuple[Found, ...]]:
    main = _FileSearch(session, words)
    main.read(folder.main_file)
    yield tuple(main.found)
    for call_id, prompt_id in main.agents.items():
        agent = _FileSearch(session, words, call_id, prompt_id)
        path = folder.agent_file(call_id)
        if path.is_file():
            agent.read(path)
            yield tuple(agent.found)


class _FileSearch:
    """One file; `agents` are the sub-agents that count, by the call that spawned them, and the prompts they are of."""

    def __init__(
        self, session: SessionSummary, words: tuple[str, ...], call_id: str | None = None, prompt_id: str = ""
    ) -> None:
        self.found: list[Found] = []
        self.agents: dict[str, str] = {}
        self._session = session
        self._words = words
        self._filter = LineFilter(words)
        self._call_id = call_id
        self._prompt_id = prompt_id
        self._prompts: list[str] = []
        # The same text may stand in several entries of one prompt.
        self._seen: set[tuple[str, str]] = set()

    def read(self, path: Path) -> None:
        """What cannot be read costs that file, or that line, only."""
        try:
            reader = SessionFileReader(path)
            for _, line in reader.lines():
                self._take(reader, line)
        except (AssistantError, OSError):
            return

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
            self.found.append(
                Found(
                    self._session,
                    entry.event.origin.name,
                    entry.at,
                    snippet(text, self._words),
                    self._prompt_id,
                    self._call_id,
                )
            )

    def _note_place(self, event: object) -> None:
        match event:
            case PromptStarted(_, prompt_id):
                self._prompts.append(prompt_id)
                self._prompt_id = prompt_id
            case AgentSpawned(origin):
                self.agents[origin.tool_call_id or ""] = self._prompt_id
            case Rewound(_, prompt_id):
                self._forget(prompt_id)
            case _:
                pass

    def _forget(self, prompt_id: str) -> None:
        if prompt_id not in self._prompts:
            return
        place = self._prompts.index(prompt_id)
        gone = set(self._prompts[place:])
        del self._prompts[place:]
        self._prompt_id = self._prompts[-1] if self._prompts else ""
        self.found = [found for found in self.found if found.prompt_id not in gone]
        self.agents = {call_id: of for call_id, of in self.agents.items() if of not in gone}


def snippet(text: str, words: Iterable[str]) -> str:
    """One line around the first of the words, cut where it is too long."""
    flat = " ".join(text.split())
    folded = flat.lower()
    first = min((place for word in words if (place := folded.find(word)) >= 0), default=0)
    start = max(first - SNIPPET_CHARACTERS // 3, 0)
    end = start + SNIPPET_CHARACTERS
    return f"{'…' if start else ''}{flat[start:end].strip()}{'…' if end < len(flat) else ''}"
