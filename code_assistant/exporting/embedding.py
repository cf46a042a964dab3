"""Text of others inside of a Markdown document of ours, so that it cannot leave its place there.

Markdown stays as it was written but for three things: HTML is shown instead of taken, headings are two levels deeper
so that ours cannot be imitated, and a fence that was never closed is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.token import Token

from code_assistant.exporting.reading_markdown import tokens_of

DEEPER = 2
MAX_LEVEL = 6
_FENCE_LINE = re.compile(r"^[ \t>]*(`{3,}|~{3,})", re.MULTILINE)
_SPECIAL = re.compile(r"([\\`*_\[\]<>#~&|$])")
_BACKTICKS = re.compile(r"`+")
_PIPE = re.compile(r"(?<!\\)\|")


def fenced(text: str, language: str = "") -> str:
    """A block of code that nothing in it can end."""
    longest = max((len(found) for found in _FENCE_LINE.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    body = text.removesuffix("\n")
    return f"{fence}{language}\n{body}\n{fence}"


def plain(text: str) -> str:
    """One line of text that means nothing in Markdown."""
    return _SPECIAL.sub(r"\\\1", text)


def quoted(text: str) -> str:
    """Words of somebody, as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in embedded(text).split("\n"))


def embedded(text: str) -> str:
    lines = text.strip("\n").split("\n")
    tokens = tokens_of("\n".join(lines))
    kept = _without_html(lines, tokens)
    for heading in (each for each in reversed(tokens) if each.type == "heading_open" and each.level == 0):
        _deepen(kept, heading)
    return "\n".join((*kept, *_missing_end(lines, tokens)))


def _without_html(lines: list[str], tokens: list[Token]) -> list[str]:
    """Where a `<` could begin a tag it is escaped; code shows it as it is anyway."""
    result = [line.replace("<", "&lt;") for line in lines]
    is_in_row = False
    for token in tokens:
        is_in_row = token.type == "tr_open" or (is_in_row and token.type != "tr_close")
        if token.map is None:
            continue
        start, end = token.map
        if token.type in ("fence", "code_block"):
            result[start:end] = lines[start:end]
        elif token.type == "tr_open":
            # A cell ends at its bar, whatever stands around that.
            result[start:end] = ["".join(_cells(line)) for line in lines[start:end]]
        elif token.type == "inline" and not is_in_row:
            result[start:end] = _escaped_text("\n".join(lines[start:end])).split("\n")
    return result


def _cells(line: str) -> Iterator[str]:
    start = 0
    for bar in _PIPE.finditer(line):
        yield _escaped_text(line[start : bar.start()])
        yield "|"
        start = bar.end()
    yield _escaped_text(line[start:])


def _escaped_text(text: str) -> str:
    """Without any `<`, but for those in spans of code."""
    parts: list[str] = []
    position = 0
    while position < len(text):
        if text[position] == "\\":
            # What is escaped begins nothing; a tag that was escaped already stays so.
            parts.append(text[position : position + 2])
            position += 2
        elif (ticks := _BACKTICKS.match(text, position)) is not None:
            end = _span_end(text, ticks)
            parts.append(text[position:end])
            position = end
        else:
            parts.append("&lt;" if text[position] == "<" else text[position])
            position += 1
    return "".join(parts)


def _span_end(text: str, ticks: re.Match[str]) -> int:
    """Where the span of code ends that begins with these; directly behind them where it does not."""
    for other in _BACKTICKS.finditer(text, ticks.end()):
        if len(other[0]) == len(ticks[0]):
            return other.end()
    return ticks.end()


def _deepen(lines: list[str], heading: Token) -> None:
    """From the last heading to the first: one that is underlined loses a line."""
    start, end = heading.map or (0, 0)
    level = min(int(heading.tag[1:]) + DEEPER, MAX_LEVEL)
    body = lines[start : end - 1] if heading.markup in ("=", "-") else [lines[start].strip().lstrip("#")]
    lines[start:end] = [f"{'#' * level} {' '.join(line.strip() for line in body)}"]


def _missing_end(lines: list[str], tokens: list[Token]) -> Iterator[str]:
    if not tokens or tokens[-1].type != "fence" or tokens[-1].map is None:
        return
    fence, (start, end) = tokens[-1], tokens[-1].map
    mark = re.escape(fence.markup[0])
    is_closed = end - start > 1 and re.fullmatch(rf" {{0,3}}{mark}{{{len(fence.markup)},}}[ \t]*", lines[end - 1])
    if not is_closed:
        yield fence.markup
