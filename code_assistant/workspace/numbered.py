"""Text as the model reads it: a heading, numbered lines, and the way to what was cut."""

from __future__ import annotations

from code_assistant.workspace.file_parts import ReadRequest, TextRead
from code_assistant.workspace.names import counted
from code_assistant.workspace.reading import TextPart


def numbered_text(reading: TextRead) -> str:
    part, shown = reading.part, reading.request.shown
    if not part.lines:
        return f"{shown} (empty file)"
    lines = [f"{number:>6}\t{line}" for number, line in enumerate(part.lines, part.first)]
    return "\n".join([_heading(shown, part), *lines, *_cut(reading.request, part)])


def is_partial(reading: TextRead) -> bool:
    """Whether there is more in the file than was read of it."""
    part = reading.part
    return part.first > 1 or part.last < part.counted or not part.is_counted_to_the_end


def _heading(shown: str, part: TextPart) -> str:
    if part.first == 1 and part.last == part.counted and part.is_counted_to_the_end:
        extent = counted(part.counted, "line")
    else:
        lines = f"line {part.first}" if part.first == part.last else f"lines {part.first}-{part.last}"
        extent = f"{lines} of {_total(part)}"
    return f"{shown} ({extent}{'; ' if part.remark else ''}{part.remark})"


def _total(part: TextPart) -> str:
    return f"{part.counted}" if part.is_counted_to_the_end else f"more than {part.counted}"


def _cut(request: ReadRequest, part: TextPart) -> list[str]:
    wanted_last = request.wanted.last
    if part.last == wanted_last or (part.last >= part.counted and part.is_counted_to_the_end):
        return []
    end = "" if wanted_last is None else wanted_last
    rest = f"{request.shown}:{part.last + 1}-{end}"
    if part.last >= part.counted:
        return [f"… cut in line {part.last}, too long to be read to its end; read {rest} for what may follow"]
    return [f"… cut at line {part.last} of {_total(part)}; read {rest} for the rest"]
