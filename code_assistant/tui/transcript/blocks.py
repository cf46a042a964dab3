"""The blocks of a conversation, as they stand. All text in them has been made safe before it gets here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from code_assistant.tui.transcript.agent_block import AgentBlock
from code_assistant.tui.transcript.output_tail import OutputTail
from code_assistant.tui.transcript.pieces import MarkdownPieces
from code_assistant.tui.transcript.text_pieces import TextPieces

if TYPE_CHECKING:
    from code_assistant.events import DetailForm, DetailStays, NoticeLevel, ToolStatus

# Before ids that we make up: no id of a tool call, which others make up, may have it.
OURS = ":"
ToolState: TypeAlias = 'Literal["running", "waiting"] | ToolStatus'


@dataclass(slots=True, eq=False)
class PersonBlock:
    """What the person said."""

    id: str
    text: str
    stamp: int = 0


@dataclass(slots=True, eq=False)
class AnswerBlock:
    """What the model writes, piece by piece; `source` is all of it, for copying."""

    id: str
    pieces: MarkdownPieces = field(default_factory=MarkdownPieces)
    parts: list[str] = field(default_factory=list[str])
    is_finished: bool = False
    stamp: int = 0

    @property
    def source(self) -> str:
        return "".join(self.parts)

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.pieces.feed(text)

    def finish(self) -> None:
        if not self.is_finished:
            self.is_finished = True
            self.pieces.finish()
            # A token each: as many objects as that are a heavy way to keep a text.
            self.parts = [self.source]


@dataclass(slots=True, eq=False)
class ThinkingBlock:
    """The model's reasoning, folded unless the person opens it."""

    id: str
    parts: list[str] = field(default_factory=list[str])
    is_finished: bool = False
    is_expanded: bool = False
    seconds: float | None = None
    stamp: int = 0
    _pieces: TextPieces = field(default_factory=TextPieces, init=False, repr=False)
    _read: int = field(default=0, init=False, repr=False)

    @property
    def source(self) -> str:
        return "".join(self.parts)

    @property
    def pieces(self) -> TextPieces:
        """All of it as it stands; made only when somebody wants to see it."""
        if self._read < len(self.parts):
            self._pieces.feed("".join(self.parts[self._read :]))
            self._read = len(self.parts)
        return self._pieces


@dataclass(slots=True, eq=False)
class ToolBlock:
    """One tool call: a title line, what can be unfolded below it, and room for a prompt while one waits there."""

    id: str
    tool_name: str
    title: str
    arguments: tuple[tuple[str, str], ...] = ()
    state: ToolState = "running"
    summary: str = ""
    detail: str = ""
    form: DetailForm = "text"
    stays: DetailStays = "folded"
    progress: str = ""
    output: OutputTail = field(default_factory=OutputTail)
    is_expanded: bool = False
    was_toggled: bool = False
    room: int = 0
    stamp: int = 0


@dataclass(slots=True, eq=False)
class NoticeBlock:
    """Something the person should know, and what they can do about it."""

    id: str
    level: NoticeLevel
    text: str
    stamp: int = 0


Block: TypeAlias = PersonBlock | AnswerBlock | ThinkingBlock | ToolBlock | AgentBlock | NoticeBlock
# Of a tool that has not ended.
STEPS: dict[ToolState, int] = {"running": 0, "waiting": 1}
# Blocks of one line that stand close together when they follow each other.
COMPACT = (ToolBlock, AgentBlock, ThinkingBlock)


def is_expandable(block: Block) -> bool:
    if isinstance(block, ToolBlock):
        return bool(block.detail or block.output or block.arguments)
    return isinstance(block, AgentBlock) or (isinstance(block, ThinkingBlock) and bool(block.parts))


def amount(block: Block) -> int:
    """Rises whenever there is more to read or to answer; folding, unfolding and the end of a text leave it alone."""
    match block:
        case AnswerBlock(parts=parts) | ThinkingBlock(parts=parts):
            return len(parts)
        case ToolBlock(output=output, state=state):
            return 4 * output.count + STEPS.get(state, 2)
        case AgentBlock(record=record):
            return 2 * (record.turn + len(record.tools) + len(record.prompts)) + (not record.is_live)
        case _:
            return 0


def copied_text(block: Block) -> str:
    """What a copy of the whole block gives: its source, not how it was drawn."""
    match block:
        case PersonBlock(text=text) | NoticeBlock(text=text):
            return text
        case AnswerBlock() | ThinkingBlock():
            return block.source
        case ToolBlock():
            return "\n".join(filter(None, (f"{block.title}  {block.summary}".rstrip(), block.detail)))
        case AgentBlock(record=record):
            # What one wants of an agent is what it found; before that, what it is doing.
            lines = (f"{line.title}  {line.summary}".rstrip() for line in record.tools)
            return record.answer or "\n".join((f"{record.name}  {record.label}", *lines, record.error)).rstrip()
