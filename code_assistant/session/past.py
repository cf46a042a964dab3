"""What stands in a session's files: its parts, its agents, and how the person left its look."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.events import AgentFinished, AgentSpawned, Event, ToolFinished, ToolStarted, UsageAdded
from code_assistant.messages import Usage
from code_assistant.session.folder import SessionFolder
from code_assistant.session.header import FORMAT, AgentHeader, SessionFormatError, SessionHeader
from code_assistant.session.lines import Entry
from code_assistant.session.migration import migrate
from code_assistant.session.past_agents import agent_call, agent_entries
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.recorder import OF_AGENTS
from code_assistant.session.repair import Repair, repair
from code_assistant.session.segments import (
    Segment,
    before_prompt,
    find_call_ids,
    find_prompts,
    find_segments,
    joined,
    prompts_of,
)
from code_assistant.session.view_state import ViewState, read_view

logger = logging.getLogger(__name__)

# What the history is made of, see `events`.
CONVERSATION = frozenset(
    {
        "PromptStarted",
        "ResponseAdded",
        "ResponseCut",
        "ToolResultsAdded",
        "GuidanceAdded",
        "MessageDelivered",
        "PromptReturned",
        "Compacted",
    }
)
# How far back a look for the last of something goes in one step.
SEGMENTS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Totals:
    """What all agents of a session have used; `cost` is None where a price is unknown."""

    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0

    def plus(self, usage: Usage, cost: float | None) -> Totals:
        return Totals(self.usage + usage, None if cost is None or self.cost is None else self.cost + cost)


@dataclass(frozen=True, slots=True)
class PastPart:
    """Events that follow each other, and how many segments come before them."""

    entries: tuple[Entry, ...]
    first: int


class Past:
    """Everything here blocks. What cannot be read of a line costs that line only; `repairs` says what was mended."""

    def __init__(self, folder: SessionFolder, repairs: tuple[Repair, ...] = ()) -> None:
        """Raises WorkspaceError or SessionFormatError."""
        self.folder = folder
        self.repairs = repairs
        self._reader = SessionFileReader(folder.main_file)
        if not isinstance(self._reader.header, SessionHeader):
            raise SessionFormatError(f"{folder.main_file} is no session.")
        # Whoever copies a folder has two sessions: the name of the folder is what tells them apart.
        self.header: SessionHeader = replace(self._reader.header, id=folder.path.name)
        self.segments: tuple[Segment, ...] = ()
        self.look_again()

    @classmethod
    def mended(cls, folder: SessionFolder) -> Past:
        """For whoever holds the lock: torn ends are cut off, damage is put aside, an earlier format brought up."""
        main = repair(folder.main_file, lambda: unknown_header(folder))
        # Only then: what the first says may be needed for the others.
        repairs = (main, *(repair(path, partial(_agent_header, folder, path)) for path in folder.agent_files()))
        migrate(folder)
        return cls(folder, tuple(each for each in repairs if each != Repair()))

    def look_again(self) -> None:
        """Take note of what was written since."""
        self.segments = find_segments(self.folder.main_file, self._reader.body)

    def cut_before(self, prompt_id: str) -> None:
        """As if nothing had been said from a prompt on."""
        self.segments = before_prompt(self.segments, prompt_id)

    @property
    def prompts(self) -> list[str]:
        """The ids of all prompts that count, in order."""
        return prompts_of(self.segments)

    @property
    def unreadable(self) -> int:
        """How many lines of its own file were met so far that cannot be read."""
        return len(self._reader.unreadable)

    def all_prompts(self) -> list[str]:
        """Also those that were rewound."""
        return find_prompts(self.folder.main_file, self._reader.body)

    def view(self) -> ViewState:
        return read_view(self.folder.view_file)

    # Events

    def entries(self, segments: Sequence[Segment], only: Collection[str] | None = None) -> Iterator[Entry]:
        for start, end in joined(segments):
            yield from self._reader.entries(start, end, only)

    def last_entry(self, kinds: Collection[str]) -> Entry | None:
        """The last event of some kinds, looked for from the end on."""
        for end in range(len(self.segments), 0, -SEGMENTS_AT_ONCE):
            part = self.segments[max(end - SEGMENTS_AT_ONCE, 0) : end]
            found = deque(self.entries(part, kinds), maxlen=1)
            if found:
                return found[0]
        return None

    def conversation(self, before: str | None = None) -> Iterator[Event]:
        """What the history is made of, up to a prompt."""
        segments = self.segments if before is None else before_prompt(self.segments, before)
        return (entry.event for entry in self.entries(segments, CONVERSATION))

    def last_prompt(self) -> list[Entry]:
        """All that belongs to the last prompt, and what came behind it."""
        starts = [number for number, segment in enumerate(self.segments) if segment.is_prompt]
        return list(self.entries(self.segments[starts[-1] if starts else 0 :]))

    def totals(self) -> Totals:
        """What was rewound was used all the same, and so was what agents used that never came to an end."""
        totals = Totals()
        unended: dict[str, None] = {}
        for entry in self._reader.entries(only=("UsageAdded", "AgentSpawned", "AgentFinished")):
            call_id = entry.event.origin.tool_call_id or ""
            if isinstance(entry.event, AgentSpawned):
                unended[call_id] = None
                continue
            unended.pop(call_id, None)
            totals = _plus(totals, entry)
        for call_id in unended:
            for entry in self.agent_entries(call_id):
                totals = _plus(totals, entry) if isinstance(entry.event, UsageAdded) else totals
        return totals

    def part(self, end: int, count: int) -> PastPart:
        """For a screen: the last of `count` segments before the segment `end`, with what agents did in its place."""
        first = max(end - count, 0)
        return PastPart(tuple(self._with_agents(self.entries(self.segments[first:end]))), first)

    def _with_agents(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        for entry in entries:
            yield entry
            if isinstance(entry.event, AgentSpawned) and entry.event.origin.tool_call_id is not None:
                # What stands in both files is told from the session's own.
                yield from (
                    each
                    for each in self.agent_entries(entry.event.origin.tool_call_id)
                    if not isinstance(each.event, OF_AGENTS)
                )

    # Sub-agents

    def agent_entries(self, tool_call_id: str, *, with_pieces: bool = False) -> list[Entry]:
        """All that one did; empty where nothing of it is kept."""
        return agent_entries(self.folder, tool_call_id, with_pieces=with_pieces)

    def agent_call(self, tool_call_id: str, inner_call_id: str) -> tuple[ToolStarted | None, ToolFinished | None]:
        return agent_call(self.folder, tool_call_id, inner_call_id)

    def used_ids(self) -> set[str]:
        """The ids of all tool calls of the session's own file, and of those that spawned sub-agents below them."""
        ids = find_call_ids(self.folder.main_file)
        for path in self.folder.agent_files():
            try:
                header = SessionFileReader(path).header
            except WorkspaceError:
                continue
            ids.add(header.origin.tool_call_id or path.stem)
        return ids

    def lines_before(self, prompt_id: str | None) -> Iterator[bytes]:
        """Whole lines up to a prompt, or all that count."""
        segments = self.segments if prompt_id is None else before_prompt(self.segments, prompt_id)
        for start, end in joined(segments):
            yield from (line for _, line in self._reader.lines(start, end))


def _plus(totals: Totals, entry: Entry) -> Totals:
    event = entry.event
    return totals.plus(event.usage, event.cost) if isinstance(event, UsageAdded | AgentFinished) else totals


def unknown_header(folder: SessionFolder) -> SessionHeader:
    """For a session whose own header is lost."""
    return SessionHeader(FORMAT, folder.path.name, folder.main_file.stat().st_mtime, "", "")


def _agent_header(folder: SessionFolder, path: Path) -> AgentHeader | None:
    """Who a file is of whose header is lost: the session's own file says whom it had."""
    for entry in SessionFileReader(folder.main_file).entries(only=("AgentSpawned",)):
        if folder.agent_file(entry.event.origin.tool_call_id or "") == path:
            return AgentHeader(FORMAT, folder.path.name, entry.at, entry.event.origin)
    return None
