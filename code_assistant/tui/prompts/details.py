"""The whole of what a permission prompt is about, as rows: nothing is left out, and drawn is what is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from code_assistant.events import DetailForm
from code_assistant.tui.prompts.exact import TAB, escaped_text, exact_rows
from code_assistant.tui.prompts.lazy_rows import LazyRows
from code_assistant.tui.rendering.diffs import HUNK, diff_line_rows, digits_needed, line_numbers
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Prefix, Row


def detail_rows(text: str, form: DetailForm, width: int, palette: Palette) -> Sequence[Row]:
    if not text.strip("\n"):
        return []
    lines = text.removesuffix("\n").split("\n")
    return _diff_rows(lines, width, palette) if form == "diff" else _text_rows(lines, width, palette)


def _text_rows(lines: list[str], width: int, palette: Palette) -> LazyRows:
    def drawn(line: int) -> list[Row]:
        return exact_rows(lines[line], width, palette)

    return LazyRows((1 if _fits(line, width) else len(drawn(at)) for at, line in enumerate(lines)), drawn)


def _diff_rows(lines: list[str], width: int, palette: Palette) -> LazyRows:
    numbers = list(line_numbers(lines))
    digits = digits_needed(lines)
    first_hunk = next((at for at, line in enumerate(lines) if HUNK.match(line) is not None), len(lines))

    def drawn(at: int) -> list[Row]:
        if at < first_hunk:
            # Names of files, which a row of a diff would cut at its end.
            return exact_rows(escaped_text(lines[at]), width, palette, palette.muted)
        return diff_line_rows(numbers[at], _shown(lines[at]), digits, width, palette, Prefix())

    def height(at: int, line: str) -> int:
        if numbers[at] is None and at >= first_hunk:
            return 1
        room = width - digits - 1
        # Most lines are plain and short, and there may be a hundred thousand of them.
        is_one = _fits(line, room) or (at >= first_hunk and cell_len(_shown(line)) <= room)
        return 1 if is_one else len(drawn(at))

    return LazyRows((height(at, line) for at, line in enumerate(lines)), drawn)


def _fits(line: str, room: int) -> bool:
    """Whether it is surely one row; of what is not, the rows must be counted."""
    if not line.isascii():
        return False
    widened = line.replace("\t", TAB)
    return len(widened) <= room and line.replace("\t", "").isprintable()


def _shown(line: str) -> str:
    """Of a line that changes, also what could not be told apart otherwise: tabs, and blanks at its end."""
    line = escaped_text(line)
    if not line.startswith(("+", "-")):
        return line.expandtabs(4)
    body = line.rstrip(" ")
    return body.replace("\t", TAB) + "·" * (len(line) - len(body))
