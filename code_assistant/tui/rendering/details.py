"""What unfolds below the title of a tool call: its arguments, its result, the tail of its output while it runs."""

from __future__ import annotations

from collections.abc import Sequence

from code_assistant.tui.rendering.diffs import diff_rows
from code_assistant.tui.rendering.markdown import markdown_rows
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Prefix, Row, moved, one_row, wrapped_rows
from code_assistant.tui.transcript.blocks import ToolBlock

SHOWN_LINES = 2_000
# Of these, how many come from the end.
SHOWN_AT_END = 500
TAIL_LINES = 15


def input_rows(block: ToolBlock, width: int, palette: Palette) -> list[Row]:
    """The arguments, one a line."""
    rows: list[Row] = []
    for name, value in block.arguments:
        spans = [(f"{name}: ", palette.muted), (value.expandtabs(4), palette.text)]
        rows += wrapped_rows(spans, width, Prefix((("│ ", palette.muted),), (("│   ", palette.muted),)))
    return rows


def detail_rows(block: ToolBlock, width: int, palette: Palette) -> list[Row]:
    if not block.detail:
        return output_rows(block.output.last(SHOWN_LINES), 0, width, palette)
    bar = Prefix((("│ ", palette.muted),), (("│ ", palette.muted),))
    if block.form == "diff":
        return diff_rows(block.detail, width, palette, bar)
    if block.form == "markdown":
        inner = markdown_rows(block.detail, width - bar.cells, palette)
        before = one_row([], width, bar).segments
        return [Row((*before, *row.segments), row.indent + 2, row.joint, moved(row.links, 2)) for row in inner]
    lines = block.detail.expandtabs(4).removesuffix("\n").split("\n")
    left_out = len(lines) - SHOWN_LINES
    if left_out > 0:
        at_end = min(SHOWN_AT_END, SHOWN_LINES // 4)
        first, lines = lines[: SHOWN_LINES - at_end], lines[-at_end:] if at_end else []
        rows = [row for line in first for row in wrapped_rows([(line, palette.text)], width, bar)]
        words = f"… {left_out:,} lines left out; c copies all of them …"
        rows.append(one_row([(words, palette.muted)], width, bar))
    else:
        rows = []
    return rows + [row for line in lines for row in wrapped_rows([(line, palette.text)], width, bar)]


def tail_rows(block: ToolBlock, width: int, palette: Palette) -> list[Row]:
    """The end of what was printed, for those who wanted to see it, and how much there is before."""
    lines = block.output.last(TAIL_LINES)
    rows = output_rows(lines, 0, width, palette)
    if above := block.output.line_count - len(lines):
        words = f"… {above:,} more line{'s' if above > 1 else ''} above"
        rows.insert(0, one_row([(words, palette.muted)], width, Prefix((("│ ", palette.muted),))))
    return rows


def output_rows(lines: Sequence[str], height: int, width: int, palette: Palette) -> list[Row]:
    """The lines, one row each; filled up to `height` so that what runs does not jump."""
    bar = Prefix((("│ ", palette.muted),))
    rows = [one_row([(line.expandtabs(4), palette.muted)], width, bar) for line in lines]
    return rows + [one_row([], width, bar)] * max(height - len(rows), 0)
