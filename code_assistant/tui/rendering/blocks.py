"""Each kind of block as rows. A block has one part, answers and unfolded thoughts one a piece, an agent several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard, assert_never

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Prefix, Row, Span, blank_row, moved, one_row, wrapped_rows
from code_assistant.tui.rendering.wrapping import cut_to_cells
from code_assistant.tui.transcript.blocks import (
    COMPACT,
    AgentBlock,
    AnswerBlock,
    Block,
    NoticeBlock,
    PersonBlock,
    ThinkingBlock,
    ToolBlock,
    ToolState,
)
from code_assistant.tui.transcript.pieces import Piece

# The first columns belong to the mark of the focused block, the last one to the scroll bar's neighbour.
GUTTER = 2
LIVE_LINES = 6
GLYPHS: dict[ToolState, str] = {
    "running": "◐",
    "waiting": "?",
    "success": "✓",
    "error": "✗",
    "denied": "⊘",
    "interrupted": "■",
}
NOTICE_GLYPHS = {"info": "i", "warning": "!", "error": "✗"}


@dataclass(frozen=True, slots=True)
class Look:
    """What rows depend on beside their block."""

    width: int
    palette: Palette

    @property
    def room(self) -> int:
        return max(self.width - GUTTER - 1, 8)


def part_count(block: Block) -> int:
    if isinstance(block, AgentBlock):
        return block.part_count
    return max(block.pieces.count, 1) if _has_parts(block) else 1


def part_stamp(block: Block, part: int) -> int:
    """Changes whenever the part would be drawn differently."""
    if isinstance(block, AgentBlock):
        return block.part_stamp(part)
    # The first part of thoughts has their title.
    if not _has_parts(block) or (isinstance(block, ThinkingBlock) and part == 0):
        return block.stamp
    return block.pieces[part].stamp if block.pieces.count else 0


def _has_parts(block: Block) -> TypeGuard[AnswerBlock | ThinkingBlock]:
    return isinstance(block, AnswerBlock) or (isinstance(block, ThinkingBlock) and block.is_expanded)


def first_changed(block: Block, known: int) -> int:
    """The first part that may differ from what was known of it when there were so many."""
    if isinstance(block, ThinkingBlock):
        return max(known - 2, 0) if block.is_expanded and not block.is_finished else 0
    if not isinstance(block, AnswerBlock):
        return 0
    first = max(known - 2, 0)
    # The colours of code that has just been closed change in all of its pieces.
    while (
        first > 0 and block.pieces.count > first and block.pieces[first].code is not None and block.pieces[first].first
    ):
        first -= 1
    return first


def needs_gap(block: Block, previous: Block | None) -> bool:
    if previous is None:
        return False
    return not (isinstance(block, COMPACT) and isinstance(previous, COMPACT))


def estimated_heights(block: Block, look: Look, first: int = 0) -> list[int]:
    """Of every part from the first on, good enough until it is seen: what it takes to know is a look at its size."""
    match block:
        case AnswerBlock(pieces=pieces):
            room = look.room
            return [rows + size // room for rows, size in pieces.sizes()[first:]] or [0]
        case PersonBlock(text=text) | NoticeBlock(text=text):
            return [text.count("\n") + 1 + len(text) // look.room]
        case ThinkingBlock(is_expanded=True):
            heights = [rows + size // look.room for rows, size in block.pieces.sizes(first)]
            return [1 + heights[0], *heights[1:]] if not first and heights else heights or [1]
        case ThinkingBlock():
            return [1]
        case ToolBlock(room=room):
            return [1 + room]
        case AgentBlock():
            from code_assistant.tui.rendering.agents import agent_estimates

            return agent_estimates(block, look, first)
        case _:
            assert_never(block)


def part_rows(block: Block, part: int, look: Look) -> list[Row]:
    match block:
        case PersonBlock():
            return _person(block, look)
        case AnswerBlock():
            return piece_rows(block.pieces[part], look.room, look.palette) if block.pieces.count else []
        case ThinkingBlock():
            return _thinking(block, part, look)
        case ToolBlock():
            return _tool(block, look)
        case AgentBlock():
            # Not at the top: the first frame has no agents, and this module is what agents are drawn with.
            from code_assistant.tui.rendering.agents import agent_rows

            return agent_rows(block, part, look)
        case NoticeBlock():
            return _notice(block, look)
        case _:
            assert_never(block)


def _person(block: PersonBlock, look: Look) -> list[Row]:
    palette = look.palette
    prefix = Prefix((("› ", palette.cursor),), (("  ", palette.strong),))
    return wrapped_rows([(block.text.expandtabs(4), palette.strong)], look.room, prefix)


def piece_rows(piece: Piece, room: int, palette: Palette) -> list[Row]:
    # Here and below, not at the top: the first frame has neither answers nor tools.
    from code_assistant.tui.rendering.code import COLORED_CHARACTERS, colored, colored_whole, panel_rows
    from code_assistant.tui.rendering.markdown import markdown_rows

    gap = [blank_row()] if piece.has_gap else []
    indent = min(piece.indent, room // 2)
    width = room - indent
    if piece.code is None:
        rows = markdown_rows(piece.text, width, palette, depth=piece.depth, is_inline=piece.is_inline)
        return gap + _indented(rows, indent, palette)
    code = piece.code
    is_shared = piece.first > 0 or piece.last is not None
    if is_shared and code.is_closed and sum(map(len, code.lines)) <= COLORED_CHARACTERS:
        lines = colored_whole(code, palette)[piece.first : piece.last]
    else:
        lines = colored(piece.code_lines, code.language, palette)
    return gap + _indented(panel_rows(lines, width, palette), indent, palette)


def _indented(rows: list[Row], indent: int, palette: Palette) -> list[Row]:
    """Below the list item that they belong to."""
    if not indent:
        return rows
    blanks = Segment(" " * indent, palette.text)
    return [Row((blanks, *row.segments), row.indent + indent, row.joint, moved(row.links, indent)) for row in rows]


def _thinking(block: ThinkingBlock, part: int, look: Look) -> list[Row]:
    palette = look.palette
    rows = [] if part else [_thinking_title(block, look)]
    if block.is_expanded and block.pieces.count:
        bar = (("│ ", palette.muted),)
        rows += wrapped_rows([(block.pieces[part].text, palette.quote)], look.room, Prefix(bar, bar))
    return rows


def _thinking_title(block: ThinkingBlock, look: Look) -> Row:
    palette = look.palette
    if not block.is_finished:
        words = "Thinking …"
    elif block.seconds is not None and block.seconds >= 1:
        words = f"Thought for {block.seconds:.0f} s"
    else:
        words = "Thought"
    return one_row([(f"{_fold(block.is_expanded)} ", palette.muted), (words, palette.quote)], look.room)


def _tool(block: ToolBlock, look: Look) -> list[Row]:
    from code_assistant.tui.rendering.details import detail_rows, input_rows, output_rows, tail_rows

    palette = look.palette
    glyph_style = state_style(block.state, palette)
    left: list[Span] = [(f"{GLYPHS[block.state]} ", glyph_style), (block.title, palette.text)]
    right = block.summary or (block.progress if block.state == "running" else "")
    if block.state == "waiting":
        right = "waits for you"
    rows = [_title_row(left, right, look, glyph_style if block.state in {"error", "denied"} else palette.muted)]
    rows += [blank_row()] * block.room
    if block.is_expanded:
        rows += input_rows(block, look.room, palette) + detail_rows(block, look.room, palette)
    elif block.state == "running" and block.output:
        rows += output_rows(block.output.last(LIVE_LINES), LIVE_LINES, look.room, palette)
    elif block.stays == "tail" and not block.was_toggled:
        rows += tail_rows(block, look.room, palette)
    return rows


def _title_row(left: list[Span], right: str, look: Look, style: Style) -> Row:
    """The title, and what is to be said about it beside it; where there is no room for both, each gives way."""
    if not right:
        return one_row(left, look.room)
    said = cut_to_cells(right, max(look.room // 2 - 2, look.room - 2 - sum(cell_len(text) for text, _ in left)))
    title = one_row(left, look.room - cell_len(said) - 2)
    return one_row([*((each.text, each.style or style) for each in title.segments), (f"  {said}", style)], look.room)


def _notice(block: NoticeBlock, look: Look) -> list[Row]:
    palette = look.palette
    styles = {"info": palette.muted, "warning": palette.warning, "error": palette.error}
    style = styles[block.level]
    prefix = Prefix(((f"{NOTICE_GLYPHS[block.level]} ", style),), (("  ", style),))
    return wrapped_rows([(block.text.expandtabs(4), style)], look.room, prefix)


def state_style(state: ToolState, palette: Palette) -> Style:
    match state:
        case "running" | "waiting":
            return palette.running
        case "success":
            return palette.success
        case "error":
            return palette.error
        case "denied" | "interrupted":
            return palette.warning


def _fold(is_expanded: bool) -> str:
    return "▾" if is_expanded else "▸"
