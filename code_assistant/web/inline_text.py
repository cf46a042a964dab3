"""The words of one block as Markdown: emphasis, code and links, however they are nested or left open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

SpanKind: TypeAlias = Literal["**", "*", "~~", "`", "link"]

# Stands for a line break while white space is still collapsed around it; no page holds it, see html_markdown.
LINE_BREAK = "\x0b"
SPACES = re.compile(r"[ \t\n\r\f\xa0]+")
BREAKS = re.compile(rf" ?{LINE_BREAK} ?")
AROUND = " \t\n\r\f\xa0" + LINE_BREAK
BACKTICKS = re.compile("`+")
# What headings link to themselves with.
ANCHOR_SIGNS = frozenset({"#", "¶", "§", "🔗", "\ue157"})


@dataclass(slots=True)
class _Span:
    kind: SpanKind
    start: int
    target: str = ""
    depth: int = 1


class InlineText:
    """There is at most one span of each kind, so however a page nests them, closing one stays cheap."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._spans: list[_Span] = []
        self.size = 0

    def add(self, text: str) -> None:
        self._pieces.append(text)
        self.size += len(text)

    def open(self, kind: SpanKind, target: str = "") -> None:
        span = self._find(kind)
        if kind == "link" and span is not None:
            self.close("link")
        elif span is not None:
            span.depth += 1
            return
        if self._find("`") is None:
            self._spans.append(_Span(kind, len(self._pieces), target))

    def close(self, kind: SpanKind) -> None:
        span = self._find(kind)
        if span is None:
            return
        span.depth -= 1
        if span.depth > 0:
            return
        while True:
            last = self._spans.pop()
            self._wrap(last)
            if last is span:
                return

    def take(self) -> str:
        """The words so far; what is open stays open for the words that follow."""
        if not self._pieces:
            return ""
        for span in reversed(self._spans):
            self._wrap(span)
            span.start = 0
        text = BREAKS.sub("\n", SPACES.sub(" ", "".join(self._pieces))).strip()
        self._pieces.clear()
        self.size = 0
        return text

    def _find(self, kind: SpanKind) -> _Span | None:
        return next((span for span in self._spans if span.kind == kind), None)

    def _wrap(self, span: _Span) -> None:
        content = "".join(self._pieces[span.start :])
        words = content.strip(AROUND)
        if not words:
            return
        before, _, after = content.partition(words)
        del self._pieces[span.start :]
        self._pieces.append(before + _wrapped(words, span) + after)
        self.size += len(span.target)


def _wrapped(words: str, span: _Span) -> str:
    match span.kind:
        case "link":
            if words in ANCHOR_SIGNS:
                return ""
            return f"[{words}]({span.target})" if span.target else words
        case "`":
            longest = max((len(run) for run in BACKTICKS.findall(words)), default=0)
            ticks = "`" * (longest + 1)
            return f"{ticks} {words} {ticks}" if longest else f"{ticks}{words}{ticks}"
        case mark:
            return f"{mark}{words}{mark}"
