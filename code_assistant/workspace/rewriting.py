"""A whole new content for a file that is there: lines that stay keep their bytes and their ends."""

from __future__ import annotations

from code_assistant.workspace.encodings import DAMAGED_UTF_8
from code_assistant.workspace.file_text import FileText
from code_assistant.workspace.line_ends import CRLF, end_of, line_ends, split_lines, with_ends
from code_assistant.workspace.line_matching import matching_lines

MARK = "\ufeff"


def rewritten(text: FileText, content: str) -> bytes:
    """The body that the file will have; raises ToolError for what its encoding cannot say."""
    if text.mark:
        content = content.removeprefix(MARK)
    ends = line_ends(text.body)
    if not ends.is_mixed and text.decoding is not DAMAGED_UTF_8:
        return with_ends(text.encoded(content, "content"), ends.usual)
    old_lines = split_lines(text.body)
    new_lines = _split(content)
    shown = [text.shown(_bare(line)) for line in old_lines]
    bare_lines = [_without_end(line) for line in new_lines]
    kept = {j: i for i, j in matching_lines(shown, bare_lines)}
    parts: list[bytes] = []
    for number, line in enumerate(new_lines):
        if number in kept:
            old_line = old_lines[kept[number]]
            parts += (_bare(old_line), _end(line, end_of(old_line) or ends.usual))
        else:
            parts += (text.encoded(bare_lines[number], f"line {number + 1}"), _end(line, ends.usual))
    return b"".join(parts)


def _split(content: str) -> list[str]:
    *lines, last = content.split("\n")
    ended = [f"{line}\n" for line in lines]
    return [*ended, last] if last else ended


def _bare(line: bytes) -> bytes:
    return line[: len(line) - len(end_of(line))]


def _without_end(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line


def _end(line: str, otherwise: bytes) -> bytes:
    """An end that the content names is meant so; a bare newline is any end."""
    if line.endswith("\r\n"):
        return CRLF
    return otherwise if line.endswith("\n") else b""
