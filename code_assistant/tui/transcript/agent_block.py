"""The block of a sub-agent: one header, and below it what can be unfolded, in parts that change on their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from code_assistant.tui.transcript.pieces import MarkdownPieces

if TYPE_CHECKING:
    from code_assistant.tui.agents.record import AgentRecord, ToolLine
    from code_assistant.tui.transcript.blocks import ToolBlock

# Lines of tool calls are drawn again together with the others of their chunk, and with no more.
CHUNK = 8
# So many of the last tool calls are shown unless the person wants to see all of them.
RECENT = 8

AgentPart: TypeAlias = Literal["header", "instructions", "earlier", "lines", "prompts", "tail", "notes", "answer"]
BEFORE_LINES: tuple[AgentPart, ...] = ("header", "instructions", "earlier")
BEHIND_LINES: tuple[AgentPart, ...] = ("prompts", "tail", "notes")

# What a click or a key inside of the block is about: one of these, or the id of a tool call.
INSTRUCTIONS = "instructions"
EARLIER = "earlier"


@dataclass(slots=True, eq=False)
class AgentBlock:
    """`record` is what is known of the agent; the rest is how it is looked at.

    `rooms` are the rows that its open prompts take, by prompt. `details` are the tool calls that are unfolded, with
    their arguments and results once those have been read. `cursor` is where the keys are inside of it.
    """

    record: AgentRecord
    parent_name: str = ""
    stamp: int = 0
    is_expanded: bool = True
    was_toggled: bool = False
    shows_instructions: bool = False
    shows_all: bool = False
    cursor: str | None = None
    seconds: int = 0
    delay: str = ""
    rooms: dict[str, int] = field(default_factory=dict[str, int])
    details: dict[str, ToolBlock | None] = field(default_factory=dict[str, "ToolBlock | None"])
    pieces: MarkdownPieces = field(default_factory=MarkdownPieces)
    _stamps: int = 0
    _fixed: dict[AgentPart, int] = field(default_factory=dict[AgentPart, int])
    _chunks: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        # Above those of the block that stood in its place, so that none of the two is taken for the other.
        self._stamps = self.stamp + 1

    @property
    def id(self) -> str:
        return self.record.id

    # Its parts

    @property
    def part_count(self) -> int:
        if not self.is_expanded:
            return 1
        return len(BEFORE_LINES) + self._chunk_count + len(BEHIND_LINES) + self.pieces.count

    @property
    def _chunk_count(self) -> int:
        return -(-len(self.record.tools) // CHUNK)

    def part(self, index: int) -> tuple[AgentPart, int]:
        """What a part is, and which of several of its kind."""
        if index < len(BEFORE_LINES):
            return BEFORE_LINES[index], 0
        index -= len(BEFORE_LINES)
        if index < self._chunk_count:
            return "lines", index
        index -= self._chunk_count
        if index < len(BEHIND_LINES):
            return BEHIND_LINES[index], 0
        return "answer", index - len(BEHIND_LINES)

    def part_stamp(self, index: int) -> int:
        """No two parts of a block ever have the same one, because parts move as others come in before them."""
        kind, number = self.part(index)
        if kind == "lines":
            return self._chunks[number] if number < len(self._chunks) else -1
        if kind == "answer":
            return self._fixed.get("answer", -1) + number
        # The header is the only part that is always there, so it may be asked for before anything has changed.
        return self._fixed.get(kind, -2 - index)

    @property
    def prompts_part(self) -> int:
        return len(BEFORE_LINES) + self._chunk_count

    def lines_of(self, chunk: int) -> list[ToolLine]:
        """The tool calls of a chunk that are shown."""
        first = max(chunk * CHUNK, self.first_line)
        return self.record.tools[first : (chunk + 1) * CHUNK]

    @property
    def first_line(self) -> int:
        return 0 if self.shows_all else max(len(self.record.tools) - RECENT, 0)

    # What has changed

    def touch(self, part: AgentPart) -> None:
        self._fixed[part] = self._next()

    def line_added(self) -> None:
        """There is one more line, which may move another one out of sight."""
        while len(self._chunks) < self._chunk_count:
            self._chunks.append(self._next())
        self._touch_chunk(len(self.record.tools) - 1)
        if self.first_line:
            self.touch("earlier")
            self._touch_chunk(self.first_line - 1)

    def line_changed(self, index: int) -> None:
        self._touch_chunk(index)

    def _touch_chunk(self, line: int) -> None:
        if line // CHUNK < len(self._chunks):
            self._chunks[line // CHUNK] = self._next()

    def touch_target(self, target: str | None) -> None:
        if target == INSTRUCTIONS:
            self.touch("instructions")
        elif target == EARLIER:
            self.touch("earlier")
        elif (index := self.index_of(target)) is not None:
            self.line_changed(index)

    def answered(self, answer: str) -> None:
        """What it found is there, whole."""
        self.pieces = MarkdownPieces()
        self.pieces.feed(answer)
        self.pieces.finish()
        self._fixed["answer"] = self._next()
        self._stamps += self.pieces.count

    def _next(self) -> int:
        self._stamps += 1
        return self._stamps

    # What keys and clicks inside of it are about

    @property
    def targets(self) -> list[str]:
        """From the top to the bottom."""
        if not self.is_expanded:
            return []
        earlier = [EARLIER] if self.first_line or (self.shows_all and len(self.record.tools) > RECENT) else []
        return [INSTRUCTIONS, *earlier, *(line.id for line in self.record.tools[self.first_line :])]

    def index_of(self, target: str | None) -> int | None:
        tools = self.record.tools
        return next((index for index in range(len(tools) - 1, -1, -1) if tools[index].id == target), None)

    def part_of(self, target: str) -> int:
        """Where a target stands."""
        if target == INSTRUCTIONS:
            return BEFORE_LINES.index("instructions")
        index = self.index_of(target)
        return BEFORE_LINES.index("earlier") if index is None else len(BEFORE_LINES) + index // CHUNK

    @property
    def is_opened_by_person(self) -> bool:
        """The block, or something inside of it."""
        return self.was_toggled or self.shows_instructions or self.shows_all or bool(self.details)

    def toggle(self) -> None:
        self.is_expanded = not self.is_expanded
        self.was_toggled = True
        self.cursor = None
        self.touch("header")

    def toggle_target(self, target: str) -> ToolLine | None:
        """Unfold or fold something inside of it. Gives the tool call whose arguments and result are to be read."""
        if target == INSTRUCTIONS:
            self.shows_instructions = not self.shows_instructions
        elif target == EARLIER:
            self.shows_all = not self.shows_all
            for chunk in range(len(self._chunks)):
                self._chunks[chunk] = self._next()
        elif (index := self.index_of(target)) is not None:
            line = self.record.tools[index]
            line.is_expanded = not line.is_expanded
            if line.is_expanded:
                self.details[line.id] = None
            else:
                # Kept only while it is looked at.
                self.details.pop(line.id, None)
            self.line_changed(index)
            return line if line.is_expanded else None
        self.touch_target(target)
        return None

    def is_unfolded(self, target: str) -> bool:
        if target == INSTRUCTIONS:
            return self.shows_instructions
        return self.shows_all if target == EARLIER else target in self.details

    def move_cursor(self, step: int) -> bool:
        """To the next thing that can be unfolded; False where there is none in that direction."""
        targets = self.targets
        position = targets.index(self.cursor) if self.cursor in targets else -1
        wanted = position + step
        if (position < 0 and step < 0) or wanted >= len(targets):
            return False
        before, self.cursor = self.cursor, targets[wanted] if wanted >= 0 else None
        self.touch_target(before)
        self.touch_target(self.cursor)
        return True

    def leave_cursor(self) -> None:
        before, self.cursor = self.cursor, None
        self.touch_target(before)
