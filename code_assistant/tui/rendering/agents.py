"""The block of a sub-agent as rows: its header, what it was told, its tool calls, what it writes, what it found."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from code_assistant.tui.agents.record import AgentRecord, AgentStatus, ToolLine
from code_assistant.tui.rendering.agent_header import column_cells, header_row
from code_assistant.tui.rendering.blocks import GLYPHS, Look, piece_rows, state_style
from code_assistant.tui.rendering.details import detail_rows, input_rows
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Prefix, Row, moved, one_row, wrapped_rows
from code_assistant.tui.rendering.wrapping import cut_to_cells, wrapped
from code_assistant.tui.transcript.agent_block import EARLIER, INSTRUCTIONS, AgentBlock

TAIL_ROWS = 3
BAR = "│"
# The bar and the blanks behind it.
INDENT = 3
# Ends that the person should know about although the block is folded.
TOLD: frozenset[AgentStatus] = frozenset(
    {"completed_with_warning", "failed", "timed_out", "turn_limit_reached", "budget_exhausted"}
)
READING = "…"
# A summary that must be cut shorter than this says nothing.
LEAST_SUMMARY = 16


def agent_estimates(block: AgentBlock, look: Look, first: int) -> list[int]:
    return [_estimate(block, index, look) for index in range(first, block.part_count)]


def _estimate(block: AgentBlock, index: int, look: Look) -> int:
    kind, number = block.part(index)
    match kind:
        case "header" | "instructions":
            return 1
        case "earlier":
            return bool(block.first_line)
        case "lines":
            return len(block.lines_of(number))
        case "prompts":
            return sum(block.rooms.values())
        case "tail":
            return TAIL_ROWS if _has_tail(block.record) else 0
        case "notes":
            return len(_notes(block.record))
        case "answer":
            rows, size = block.pieces.sizes()[number]
            return rows + size // max(look.room - INDENT, 1) + (not number)


def agent_rows(block: AgentBlock, index: int, look: Look) -> list[Row]:
    record, palette = block.record, look.palette
    room = max(look.room - INDENT, 1)
    kind, number = block.part(index)
    match kind:
        case "header":
            return [header_row(block, look), *_why_rows(block, look)]
        case "instructions":
            inside = _instructions(block, room, palette)
        case "earlier":
            inside = _earlier(block, room, palette)
        case "lines":
            inside = [row for line in block.lines_of(number) for row in _line_rows(block, line, look)]
        case "prompts":
            inside = [Row(())] * sum(block.rooms.values())
        case "tail":
            inside = _tail(record.tail, room, palette) if _has_tail(record) else []
        case "notes":
            inside = [row for words, style in _note_spans(record, palette) for row in _note(words, style, room)]
        case "answer":
            inside = piece_rows(block.pieces[number], room, palette)
            if not number:
                # Between what it did and what it found.
                inside = [Row(()), *inside]
    return [_barred(row, block, palette) for row in inside]


def _barred(row: Row, block: AgentBlock, palette: Palette) -> Row:
    is_here = row.target and row.target == block.cursor and row.joint is None
    bar = Segment(BAR, palette.agent(block.record.colour))
    mark = Segment("❯ ", palette.cursor) if is_here else Segment("  ", palette.text)
    return Row((bar, mark, *row.segments), row.indent + INDENT, row.joint, moved(row.links, INDENT), row.target)


# What it was told


def _instructions(block: AgentBlock, room: int, palette: Palette) -> list[Row]:
    text = block.record.instructions.strip()
    if not block.shows_instructions:
        first = " ".join(text[:500].split())
        row = one_row([("▸ told: ", palette.muted), (first, palette.muted)], room)
        return [_with_target(row, INSTRUCTIONS)]
    head = one_row([("▾ told:", palette.muted)], room)
    bar = (("  ", palette.muted),)
    rows = wrapped_rows([(text.expandtabs(4), palette.text)], room, Prefix(bar, bar))
    ignored = block.record.ignored
    if ignored:
        words = f"asked for and not used: {', '.join(ignored)}"
        rows += wrapped_rows([(words, palette.warning)], room, Prefix(bar, bar))
    return [_with_target(row, INSTRUCTIONS) for row in (head, *rows)]


# Its tool calls


def _earlier(block: AgentBlock, room: int, palette: Palette) -> list[Row]:
    hidden = block.first_line
    if hidden:
        words = f"▸ {hidden} earlier call{'s' if hidden > 1 else ''}"
    elif EARLIER in block.targets:
        words = "▾ all calls"
    else:
        return []
    return [_with_target(one_row([(words, palette.muted)], room), EARLIER)]


def _line_rows(block: AgentBlock, line: ToolLine, look: Look) -> list[Row]:
    palette = look.palette
    room = max(look.room - INDENT, 1)
    style = state_style(line.state, palette)
    # That it waits for the person is said in the header, and by the prompt below.
    right = "" if line.state == "waiting" else line.summary
    right_style = style if line.state in {"error", "denied"} else palette.muted
    width = room - column_cells(look.room)
    segments = _both_sides(GLYPHS[line.state], style, line.title, right, right_style, width, palette)
    rows = [Row(tuple(segments))]
    if line.is_expanded:
        rows += _detail_rows(block, line, room, palette)
    return [_with_target(row, line.id) for row in rows]


def _both_sides(
    glyph: str, style: Style, title: str, right: str, right_style: Style, width: int, palette: Palette
) -> list[Segment]:
    """The title on the left and what came of it on the right; where there is no room for both, each gives way."""
    room = max(width - 2, 1)
    said = cut_to_cells(right, max(room // 2 - 2, room - 2 - cell_len(title)))
    if said != right and cell_len(said) < LEAST_SUMMARY:
        said = ""
    shown = cut_to_cells(title, max(room - (cell_len(said) + 2 if said else 0), 1))
    free = room - cell_len(shown) - cell_len(said)
    segments = [Segment(f"{glyph} ", style), Segment(shown, palette.text)]
    return [*segments, Segment(" " * free, palette.text), Segment(said, right_style)] if said else segments


def _detail_rows(block: AgentBlock, line: ToolLine, room: int, palette: Palette) -> list[Row]:
    detail = block.details.get(line.id)
    before = Prefix((("  ", palette.text),))
    if detail is None:
        return [one_row([(READING, palette.muted)], room, before)]
    inside = input_rows(detail, room - 2, palette) + detail_rows(detail, room - 2, palette)
    if not inside:
        return [one_row([("nothing more to show", palette.muted)], room, before)]
    blanks = Segment("  ", palette.text)
    return [Row((blanks, *row.segments), row.indent + 2, row.joint, moved(row.links, 2)) for row in inside]


# What it writes, and how it ended


def _has_tail(record: AgentRecord) -> bool:
    return record.is_live and bool(record.tail)


def _tail(text: str, room: int, palette: Palette) -> list[Row]:
    """The last lines of a text that grows."""
    text = text.expandtabs(4).rstrip("\n")
    lines = wrapped(text, max(room - 2, 1))[-TAIL_ROWS:]
    prefix = Prefix((("┊ ", palette.muted),))
    return [one_row([(text[line.start : line.end], palette.muted)], room, prefix) for line in lines]


def _notes(record: AgentRecord) -> list[str]:
    return [words for words in (record.warning, record.error) if words and not record.is_live]


def _note_spans(record: AgentRecord, palette: Palette) -> list[tuple[str, Style]]:
    style = palette.error if record.status in {"failed", "timed_out"} else palette.warning
    return [(words, style) for words in _notes(record)]


def _note(words: str, style: Style, room: int) -> list[Row]:
    return wrapped_rows([(words.strip().expandtabs(4), style)], room, Prefix((("! ", style),), (("  ", style),)))


def _why_rows(block: AgentBlock, look: Look) -> list[Row]:
    """One line of what went wrong, below the header of a folded block."""
    record, palette = block.record, look.palette
    notes = _note_spans(record, palette)
    if block.is_expanded or record.status not in TOLD or not notes:
        return []
    words, style = notes[-1]
    row = one_row([("! ", style), (_first_line(words), style)], max(look.room - INDENT, 1))
    return [_barred(row, block, palette)]


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.split("\n") if line.strip()), "")


def _with_target(row: Row, target: str) -> Row:
    return Row(row.segments, row.indent, row.joint, row.links, target)
