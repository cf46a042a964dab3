"""What fills the model's window, as text: a bar, and below it every part with its share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from code_assistant.context_report import ContextReport
from code_assistant.tui.frame import numbers
from code_assistant.tui.frame.spans import Role, Span, plain
from code_assistant.tui.pickers.text_view import Paragraph

# Neighbours differ in their shade, too, where there are no colours.
LOOKS: tuple[tuple[str, Role], ...] = (
    ("█", "primary"),
    ("▓", "accent"),
    ("█", "success"),
    ("▒", "warning"),
    ("█", "key"),
    ("▓", "primary"),
    ("█", "accent"),
)
FREE_LOOK: tuple[str, Role] = ("·", "muted")
ANSWER_LOOK: tuple[str, Role] = ("░", "muted")
# Not more than the narrowest window has room for, so that it stays one row however that is resized.
BAR_CELLS = 34
FIGURES_CELLS = 13


class _Share(NamedTuple):
    name: str
    tokens: int
    mark: str
    role: Role


def context_paragraphs(report: ContextReport) -> list[Paragraph]:
    shares = _shares(report)
    percent = _percent(report.used, report.window)
    used = f"{numbers.short(report.used)} of {numbers.tokens(report.window)} · {percent}"
    paragraphs = [
        Paragraph((Span(f"{plain(report.model)} · {used}", "heading"),)),
        Paragraph(),
        Paragraph(tuple(_bar(shares, report.window))),
        Paragraph(),
    ]
    for share in shares:
        paragraphs.append(_row(share, report.window))
        if share.name == "tool results":
            paragraphs += [_tool_row(plain(tool.name), tool.tokens, report.window) for tool in report.largest]
    return [*paragraphs, Paragraph(), Paragraph((Span(_words(report), "muted"),))]


def _shares(report: ContextReport) -> list[_Share]:
    parts = [_Share(part.name, part.tokens, *LOOKS[n % len(LOOKS)]) for n, part in enumerate(report.parts)]
    free = _Share("free", report.free, *FREE_LOOK)
    return [*parts, free, _Share("left for the answer", report.reserved, *ANSWER_LOOK)]


def _bar(shares: Sequence[_Share], window: int) -> list[Span]:
    """Whatever there is of has a cell; what that takes too many is taken from the largest."""
    total = max(sum(share.tokens for share in shares), window, 1)
    widths = [max(share.tokens * BAR_CELLS // total, 1) if share.tokens else 0 for share in shares]
    widths[widths.index(max(widths))] += BAR_CELLS - sum(widths)
    return [Span(share.mark * width, share.role) for share, width in zip(shares, widths, strict=True) if width]


def _row(share: _Share, window: int) -> Paragraph:
    text = (Span(f"{share.mark} ", share.role), Span(share.name))
    return Paragraph(text, Span(_figures(share.tokens, window)), FIGURES_CELLS)


def _tool_row(name: str, tokens: int, window: int) -> Paragraph:
    return Paragraph((Span(f"    {name}", "muted"),), Span(_figures(tokens, window), "muted"), FIGURES_CELLS)


def _figures(tokens: int, window: int) -> str:
    return f"{_percent(tokens, window):>4} {numbers.short(tokens):>6}"


def _percent(tokens: int, window: int) -> str:
    percent = 100 * tokens / max(window, 1)
    return "<1%" if 0 < percent < 1 else f"{percent:.0f}%"


def _words(report: ContextReport) -> str:
    if report.compact_at is None:
        return "Automatic compaction is turned off (context.compact_at = 0). /compact makes room."
    at = f"{numbers.tokens(report.compact_at)} ({_percent(report.compact_at, report.window)})"
    return f"Compacted by itself above {at}; /compact does so now."
