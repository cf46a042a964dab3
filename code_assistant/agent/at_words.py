"""Finding `@path` words in Markdown, outside fenced code and code spans."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r"(?<![^\s(])@([^\s`]+)")
_FENCE = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})(.*)")


def at_words(markdown: str) -> tuple[str, ...]:
    """The words after an @ that stands at a word's start, each once, in order, without the @."""
    words = (match[1] for paragraph in _paragraphs(markdown) for match in _WORD.finditer(_prose(paragraph)))
    return tuple(dict.fromkeys(words))


def _paragraphs(markdown: str) -> Iterator[str]:
    """Blocks of lines without fenced code: a code span never reaches over a blank line or a fence."""
    lines: list[str] = []
    fence = ""
    for line in markdown.splitlines():
        marker = _FENCE.match(line)
        if fence:
            if marker and marker[1].startswith(fence) and not marker[2].strip():
                fence = ""
        elif marker and not (marker[1][0] == "`" and "`" in marker[2]):
            fence = marker[1]
            yield "\n".join(lines)
            lines = []
        elif line.strip():
            lines.append(line)
        else:
            yield "\n".join(lines)
            lines = []
    yield "\n".join(lines)


def _prose(paragraph: str) -> str:
    """The paragraph with each code span reduced to a backtick, so that no word begins right behind one."""
    runs = list(re.finditer(r"`+", paragraph))
    partner: list[int | None] = []
    nearest: dict[int, int] = {}
    # Backwards, each run of backticks learns the next one of its length: linear also for hostile text.
    for index in range(len(runs) - 1, -1, -1):
        length = len(runs[index][0])
        partner.append(nearest.get(length))
        nearest[length] = index
    partner.reverse()
    kept: list[str] = []
    position = index = 0
    while index < len(runs):
        end = partner[index]
        if end is not None:
            kept.append(paragraph[position : runs[index].start()])
            position = runs[end].end()
            index = end
        index += 1
    kept.append(paragraph[position:])
    return "`".join(kept)
